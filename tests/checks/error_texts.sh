exec python3 "$root/tests/checks/error_texts.py" "$root"
