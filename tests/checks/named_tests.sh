exec python3 "$root/tests/checks/named_tests.py" "$root"
