#!/usr/bin/env bash
# golden_refuses.sh: the program build/tests/golden on copies of the reference arrays with something wrong: each
# fails by name and counts as one, the closing line and the exit code say so.
set -uo pipefail
build=${build:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/build}
arrays=$(cd "$(dirname "${BASH_SOURCE[0]}")/../golden" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong=0

# expect CODE LAST-LINE LINE ARGUMENT...: LINE, a pattern of grep, must match one line ('' for none).
expect() {
  local code=$1 last=$2 line=$3 output
  shift 3
  output=$("$build/tests/golden" "$@" 2>&1)
  local got=$?
  if [[ $got != "$code" || $(tail -n 1 <<<"$output") != "$last" ]] || ! grep -q -- "$line" <<<"$output"; then
    printf 'golden %s\n  expected exit code %s, the line "%s" and at the end "%s"; got %s and\n%s\n' \
      "$*" "$code" "$line" "$last" "$got" "$output"
    wrong=1
  fi
}

# Each of these fails by name and counts as one.
copy() {
  rm -rf "$folder/copy"
  mkdir "$folder/copy"
  cp "$arrays"/index.json "$arrays"/dense_*.safetensors "$folder/copy"
}
copy
size=$(stat -c %s "$folder/copy/dense_tanh.safetensors")
truncate -s -8 "$folder/copy/dense_tanh.safetensors"
expect 1 '4 passed, 1 failed' "^FAILED  dense_tanh: .*cut short: expected $size bytes, found $((size - 8))" \
  "$folder/copy" --only 'dense_*'
# The last but one byte of a double: exponent and leading digits.
copy
printf '\x40' | dd of="$folder/copy/dense_tanh.safetensors" bs=1 seek=$((size - 2)) conv=notrunc status=none
expect 1 '4 passed, 1 failed' '^FAILED  dense_tanh: double: ' "$folder/copy" --only 'dense_*'
copy
rm "$folder/copy/dense_rank2.safetensors"
expect 1 '4 passed, 1 failed' '^FAILED  dense_rank2: .*does not exist' "$folder/copy" --only 'dense_*'
copy
sed -i 's/"block": *"Dense"/"block": "Dance"/' "$folder/copy/index.json"
expect 1 '0 passed, 5 failed' '^FAILED  dense_tanh: block Dance is not known$' "$folder/copy" --only 'dense_*'
copy
sed -i 's/"use_bias"/"use_bais"/' "$folder/copy/index.json"
expect 1 '0 passed, 5 failed' '^FAILED  dense_tanh: .*option use_bais is not known' "$folder/copy" --only 'dense_*'
copy
truncate -s 1000 "$folder/copy/index.json"
expect 1 '0 passed, 1 failed' '^FAILED  index.json: .*not valid JSON' "$folder/copy"
expect 1 '0 passed, 1 failed' '^FAILED  index.json: .*does not exist' "$folder/none"
expect 1 '0 passed, 1 failed' '^FAILED  index.json: .*no file of the index is selected' "$arrays" --only 'x*'
expect 109 'Run with --help for more information.' 'not expected: --hlep' --hlep
expect 106 'Run with --help for more information.' 'DIR is required'

[[ $wrong == 0 ]]
