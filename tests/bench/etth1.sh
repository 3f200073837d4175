#!/usr/bin/env bash
# The iTransformer's training on ETTh1, whole, here and in PyTorch, in turns. See --help.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

usage() {
  cat <<'TEXT'
tests/bench/etth1.sh --python DIR [--seeds N] [--threads N] [--clock cpu|wall]
  Trains itransformer on ETTh1 (96 hours seen, 96 forecast, seven variables) with build/examples/forecast and with
  tests/bench/peers/etth1_itransformer.py, seed by seed (3), one after the other. Prints for each the seconds of the whole program
  (reading, training, validation, test; ours also measures the three baselines), its epochs and its errors, then the ratios.
  --python DIR   a Python environment with torch
  --threads N    threads of both (1)
  --clock cpu    processor time (the default): on a machine that does other things, with one thread; or wall time
TEXT
}

python='' seeds=3 threads=1 clock=cpu
while (($#)); do
  case $1 in
    --python | --seeds | --threads | --clock)
      (($# > 1)) || { echo "etth1.sh: $1 needs a value" >&2; exit 2; }
      declare "${1#--}=$2"
      shift
      ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done
[[ -n $python ]] || { usage >&2; exit 2; }
forecast=$root/build/examples/forecast table=$root/examples/data/ETTh1.csv
[[ -x $forecast ]] || { echo "etth1.sh: $forecast is missing: build the project first" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
case $clock in
  cpu) TIMEFORMAT='%3U %3S' ;;
  wall) TIMEFORMAT='%3R' ;;
  *) usage >&2 && exit 2 ;;
esac

# seconds FILE COMMAND...: into FILE, what it prints into FILE.out
seconds() {
  local file=$1
  shift
  { time "$@" >"$file.out" 2>"$file.log"; } 2>"$file" || { cat "$file.log" >&2; exit 1; }
}
for ((seed = 1; seed <= seeds; ++seed)); do
  seconds "$folder/ours-$seed" "$forecast" compare "$table" --split 8640,2880,2880 --horizon 96 --models itransformer --units 256 \
    --heads 8 --layers 2 --dropout .1 --lr 1e-4 --schedule halve --seeds 1 --seed "$seed" --threads "$threads" --out "$folder/run"
  seconds "$folder/torch-$seed" "$python/bin/python" "$root/tests/bench/peers/etth1_itransformer.py" "$table" --seed "$seed" \
    --threads "$threads"
  echo "seed $seed done" >&2
done

python3 - "$folder" "$seeds" "$clock" <<'PY'
import csv, json, statistics, sys
folder, seeds, clock = sys.argv[1], int(sys.argv[2]), sys.argv[3]
spent = lambda name: sum(map(float, open(f'{folder}/{name}').read().split()))
rows = {'axisgrad': [], 'PyTorch': []}
for seed in range(1, seeds + 1):
    run = f'{folder}/run/itransformer-{seed}'
    history = list(csv.DictReader(open(f'{run}/history.csv')))
    metrics = json.load(open(f'{run}/metrics.json'))
    rows['axisgrad'].append((spent(f'ours-{seed}'), len(history), metrics['validation']['standardised']['mse'],
                             metrics['test']['standardised']['mse'], metrics['test']['standardised']['mae']))
    t = json.loads(open(f'{folder}/torch-{seed}.out').read())
    rows['PyTorch'].append((spent(f'torch-{seed}'), t['epochs'], t['val_mse'], t['test_mse'], t['test_mae']))
print(f'{"":10}{"seed":>5}{clock + " s":>10}{"epochs":>8}{"s/epoch":>9}{"val MSE":>9}{"test MSE":>10}{"test MAE":>10}')
for name, runs in rows.items():
    for seed, (s, n, v, mse, mae) in enumerate(runs, 1):
        print(f'{name:10}{seed:5}{s:10.1f}{n:8}{s / n:9.2f}{v:9.4f}{mse:10.4f}{mae:10.4f}')
for name, runs in rows.items():
    print(f'{name:10} mean: test MSE {statistics.mean(r[3] for r in runs):.4f}, MAE {statistics.mean(r[4] for r in runs):.4f}, '
          f'{sum(r[0] for r in runs) / sum(r[1] for r in runs):.2f} s for an epoch')
whole = [t[0] / a[0] for a, t in zip(rows['axisgrad'], rows['PyTorch'])]
each = [t[0] / t[1] / a[0] * a[1] for a, t in zip(rows['axisgrad'], rows['PyTorch'])]
for text, ratios in (('whole run', whole), ('by epoch', each)):
    print(f'PyTorch / axisgrad, {text}: {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})')
PY
