#!/usr/bin/env bash
# Runs the workloads here and in PyTorch, JAX, Keras and LibTorch, in turns, and prints the ratios. See --help.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
  cat <<'TEXT'
tests/bench/compare.sh --python DIR [options]
  Times the workloads of tests/bench/workloads.md with build/tests/bench/workloads and with other libraries, one after the other for
  each workload, several rounds. Prints for each workload the median of each program and the median, over the rounds, of
  best peer / axisgrad with its smallest and largest value. A peer that is not installed is left out, and named.
  --python DIR   a Python environment with torch, jax and keras
  --install      makes it first: pip install torch jax keras (about 6 GB), and LibTorch's program if a compiler is there
  --rounds N     rounds (3)
  --seconds S    time to measure each (1)
  --threads N    threads of all programs (1)
  --only W1,W2   some workloads
  --shapes       attention and LSTM at odd sizes and with their options (shapes.cpp) in place of the workloads
  --clock cpu    processor time instead of wall time: on a machine that does other things, with one thread
  --output FILE  where the lines go (build/bench.jsonl)
TEXT
}

python='' install=false rounds=3 seconds=1 threads=1 clock=wall output=$root/build/bench.jsonl
only='' shapes=false
while (($#)); do
  case $1 in
    --install) install=true ;;
    --shapes) shapes=true ;;
    --python | --rounds | --seconds | --threads | --only | --clock | --output)
      (($# > 1)) || { echo "compare.sh: $1 needs a value" >&2; exit 2; }
      declare "${1#--}=$2"
      shift
      ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
[[ -n $python ]] || { usage >&2; exit 2; }
ours=$root/build/tests/bench/workloads peers=$root/tests/bench/peers
all=W1,W2,W3,W4,W5,W6,W7,W8,W9,W10,W11,W12
if $shapes; then ours=$root/build/tests/bench/shapes all=A1,A2,A3,A4,A5,A6,A7,A8,A9,A10,L1,L2,L3,L4; fi
[[ -x $ours ]] || { echo "compare.sh: $ours is missing: build the project first" >&2; exit 1; }

if $install; then
  python3 -m venv "$python"
  "$python/bin/pip" install -q torch jax keras numpy
  site=$("$python/bin/python" -c 'import os, torch; print(os.path.dirname(torch.__file__))')
  c++ -O2 -std=c++20 -isystem "$site/include" -isystem "$site/include/torch/csrc/api/include" "$peers/bench_libtorch.cpp" \
    -o "$python/bench_libtorch" -L"$site/lib" -Wl,--no-as-needed -ltorch_cpu -lc10 -Wl,-rpath,"$site/lib" ||
    echo "compare.sh: LibTorch's program does not compile here: left out" >&2
fi

have() { KERAS_BACKEND=jax "$python/bin/python" -c "import $1" 2>/dev/null; }
programs=("$ours")
if $shapes; then
  for peer in torch jax; do
    if have $peer; then programs+=("$python/bin/python $peers/shapes_$peer.py"); else echo "left out: $peer"; fi
  done
else
  if have torch; then programs+=("$python/bin/python $peers/bench_torch.py"); else echo "left out: PyTorch"; fi
  if have jax; then programs+=("$python/bin/python $peers/bench_jax.py"); else echo "left out: JAX"; fi
  if have keras && have jax; then
    programs+=("env KERAS_BACKEND=jax $python/bin/python $peers/bench_keras.py")
  else
    echo "left out: Keras"
  fi
  if [[ -x $python/bench_libtorch ]]; then programs+=("$python/bench_libtorch"); else echo "left out: LibTorch"; fi
fi

: >"$output"
for ((round = 1; round <= rounds; ++round)); do
  for workload in $(tr , " " <<<"${only:-$all}"); do
    for program in "${programs[@]}"; do
      # A peer that lacks the workload prints nothing.
      $program --only "$workload" --threads "$threads" --seconds "$seconds" --clock "$clock" 2>>"$output.log" |
        sed "s/^{/{\"round\": $round, /" >>"$output" || echo "nothing from $program on $workload (does it have it?): see $output.log" >&2
    done
  done
done
python3 "$root/tests/bench/compare.py" "$output"
