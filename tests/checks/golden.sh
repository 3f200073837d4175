# golden.sh: every reference file of tests/golden, in double and in float.
set -uo pipefail
cd "$root" || exit 1
out=$("$build/tests/golden" tests/golden)
status=$?
echo "$out"
# As many verdicts as files: none is left out.
files=(tests/golden/*.safetensors)
[[ $status == 0 && $(grep -c '^ok ' <<<"$out") == "${#files[@]}" ]]
