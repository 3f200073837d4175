#!/usr/bin/env bash
# How a training step grows, here and in PyTorch, in turns; prints the tables of docs/performance.md. See --help.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
  cat <<'TEXT'
tests/bench/scaling.sh [--python DIR] [options]
  Time and peak memory of a training step (scaling.cpp says of what): attention over time with 64 to 4096 steps, a transformer over
  7 to 2000 variables, an LSTM with batches of 1 to 256. Each size in a process of its own, one thread. Prints a table for each, with the
  exponents of the growth beside those of the arithmetic, and writes the data of docs/images/growth.gp.
  --python DIR   a Python environment with torch (compare.sh makes one); without it axisgrad alone
  --rounds N     rounds (3); the median counts
  --seconds S    time to measure each (0.3)
  --clock cpu    processor time instead of wall time: on a machine that does other things
  --output FILE  where the lines go (build/scaling.jsonl); with --only-print they are read from there
TEXT
}

python='' rounds=3 seconds=.3 clock=wall output=$root/build/scaling.jsonl only_print=false
while (($#)); do
  case $1 in
    --only-print) only_print=true ;;
    --python | --rounds | --seconds | --clock | --output)
      (($# > 1)) || { echo "scaling.sh: $1 needs a value" >&2; exit 2; }
      declare "${1#--}=$2"
      shift
      ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done

programs=("$root/build/tests/bench/scaling")
[[ -x ${programs[0]} ]] || { echo "scaling.sh: ${programs[0]} is missing: build the project first" >&2; exit 1; }
if [[ -n $python ]]; then programs+=("$python/bin/python $root/tests/bench/peers/scaling_torch.py"); else echo "left out: PyTorch"; fi

if ! $only_print; then
  : >"$output"
  for ((round = 1; round <= rounds; ++round)); do
    for step in time:64 time:128 time:256 time:512 time:1024 time:2048 time:4096 \
      variables:7 variables:21 variables:62 variables:125 variables:321 variables:862 variables:2000 \
      batch:1 batch:4 batch:16 batch:64 batch:128 batch:256; do
      for program in "${programs[@]}"; do
        $program --case "${step%:*}" --size "${step#*:}" --seconds "$seconds" --clock "$clock" >>"$output"
      done
    done
  done
fi
python3 "$root/tests/bench/scaling.py" "$output" "$root/docs/images"
