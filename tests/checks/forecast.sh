# build/examples/forecast as people use it: tables as they come and wrong ones, a training that is killed and goes on, a forecast
# with its dates, a report that needs nothing else.
set -uo pipefail
cd "$root" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0 checked=0
forecast=$build/examples/forecast
wrong() { echo "$*"; status=1; }
# says TEXT COMMAND...: it fails, with this text in what it says.
says() {
  local text=$1 output
  shift
  checked=$((checked + 1))
  output=$("$@" 2>&1) && wrong "should fail: $*"
  grep -qF -- "$text" <<<"$output" || wrong "expected '$text' of: $*"$'\n'"$output"
}
# same A B
same() { checked=$((checked + 1)); cmp "$1" "$2" || wrong "$1 and $2 differ"; }
train() { "$forecast" train "$@" --lookback 24 --horizon 6 --units 8; }
quietly() { "$@" >"$folder/log" 2>&1 || wrong "failed: $*"$'\n'"$(tail -n 5 "$folder/log")"; }

# One table, written in three ways.
awk 'BEGIN {
  for (i = 0; i < 400; ++i) {
    a = 5000 + 1000 * sin(i / 4) + i % 7; b = 20 + 5 * cos(i / 4)
    d = 1 + int(i / 24); h = i % 24
    printf "2024-01-%02d %02d:00:00,%.2f,%.2f\n", d, h, a, b > "'"$folder"'/plain.body"
    A = int(a / 1000) "." substr(sprintf("%07.2f", a - 1000 * int(a / 1000)), 2); sub(/\.[0-9][0-9]$/, "," substr(A, length(A) - 1), A)
    B = sprintf("%.2f", b); sub(/\./, ",", B)
    printf "%02d.01.2024 %02d:00;%s;%s\r\n", d, h, A, B > "'"$folder"'/german.body"
  }
}'
{ echo "date,load,temperature"; cat "$folder/plain.body"; } >"$folder/plain.csv"
{ printf '\xef\xbb\xbfDatum;load;temperature\r\n'; cat "$folder/german.body"; } >"$folder/german.csv"
for name in plain german; do
  quietly train "$folder/$name.csv" --target load --model linear --out "$folder/$name"
done
same "$folder/plain/metrics.json" "$folder/german/metrics.json"
quietly "$forecast" predict "$folder/plain" "$folder/plain.csv" --output "$folder/plain.out"
quietly "$forecast" predict "$folder/german" "$folder/german.csv" --output "$folder/german.out"
[[ $(sed -n 1,2p "$folder/plain.out") == $'date,load\n2024-01-17 16:00:00,'* ]] || wrong "dates do not go on: $(cat "$folder/plain.out")"
[[ $(sed -n 2p "$folder/german.out") == '17.01.2024 16:00,'* ]] || wrong "dates do not go on: $(cat "$folder/german.out")"
same <(cut -d, -f2 "$folder/plain.out") <(cut -d, -f2 "$folder/german.out")
# In the unit of the table: the wave goes on.
awk -F, 'NR > 1 { i = 398 + NR; e = $2 - (5000 + 1000 * sin(i / 4) + i % 7); if (e * e > 100) exit 1 }' "$folder/plain.out" ||
  wrong "the forecast of a wave is far from it: $(cat "$folder/plain.out")"

# A table to predict from is read as that of its run was written: 4.003 stays four thousand and three, whatever separates the cells.
sed 's/\.[0-9][0-9]\(,\|$\)/\1/g' "$folder/plain.csv" >"$folder/plain.whole.csv"
sed 's/,[0-9][0-9]//g' "$folder/german.csv" | tr ';' '\t' >"$folder/german.whole.csv"
for name in plain german; do
  quietly "$forecast" predict "$folder/$name" "$folder/$name.whole.csv" --output "$folder/$name.out"
done
same <(cut -d, -f2 "$folder/plain.out") <(cut -d, -f2 "$folder/german.out")
sed '30s/\t[0-9]*\r*$/\t2.5/' "$folder/german.whole.csv" >"$folder/mixed.csv"
says "mixed.csv', line 30, column 3: '2.5' is a number as in 1234.5, but the run was trained on numbers as 1.234,5" "$forecast" predict "$folder/german" "$folder/mixed.csv"
# Days and months, too.
american() { awk -F'[-, ]' -v from="$1" -v n="$2" 'NR > 1 && $3 >= from { printf "%s/%s/%s %s,%s,%s\n", $2, $3, $1, $4, $5, $6; if (++k == n) exit }' "$folder/plain.csv"; }
{ echo "date,load,temperature"; american 1 400; } >"$folder/american.csv"
{ echo "date,load,temperature"; american 3 24; } >"$folder/ambiguous.csv"
quietly train "$folder/american.csv" --target load --model linear --out "$folder/american"
quietly "$forecast" predict "$folder/american" "$folder/ambiguous.csv" --output "$folder/american.out"
[[ $(sed -n 2p "$folder/american.out") == '01/04/2024 00:00:00,'* ]] || wrong "dates in another order: $(cat "$folder/american.out")"
says "No row tells; write 2016-07-01, or say --date-order" train "$folder/ambiguous.csv" --model linear --out "$folder/none"
says "line 2: '13/03/2024 00:00:00' is not a date in the order mdy" bash -c "sed 's/^01.03/13\/03/' '$folder/ambiguous.csv' >'$folder/edited.csv'; '$forecast' predict '$folder/american' '$folder/edited.csv'"

# Names in Windows-1252, which end in config.json and the report as UTF-8.
sed '1s/temperature/W\xe4rme/' "$folder/plain.csv" >"$folder/latin.csv"
quietly train "$folder/latin.csv" --target load --model linear --out "$folder/latin"
grep -q "is not UTF-8: read as Windows-1252" "$folder/log" || wrong "no note on the encoding: $(cat "$folder/log")"
grep -q 'W\(ä\|\\u00e4\)rme' "$folder/latin/config.json" || wrong "the name is lost: $(cat "$folder/latin/config.json")"
# No names at all.
tail -n +2 "$folder/plain.csv" >"$folder/bare.csv"
says "bare.csv', line 1 holds numbers and dates only" train "$folder/bare.csv" --model linear --out "$folder/none"
quietly train "$folder/bare.csv" --no-header --target c2 --model linear --out "$folder/bare"
same <(grep -v '"c' "$folder/bare/metrics.json") <(grep -v '"c' "$folder/plain/metrics.json")
quietly "$forecast" predict "$folder/bare" "$folder/bare.csv" --output "$folder/bare.out"
[[ $(head -n 1 "$folder/bare.out") == c1,c2 ]] || wrong "columns without names: $(cat "$folder/bare.out")"

# The mean of the errors of every test window is what metrics.json says.
quietly "$forecast" evaluate "$folder/plain" --predictions "$folder/errors.csv"
awk -F, 'NR > 1 { n++; s += ($4 - $5) ^ 2; m += ($4 > $5 ? $4 - $5 : $5 - $4) } END { printf "%d %.6g %.6g\n", n, s / n, m / n }' "$folder/errors.csv" >"$folder/by_hand"
python3 - "$folder" <<'PY' || status=1
import json, sys
folder = sys.argv[1]
n, mse, mae = map(float, open(folder + '/by_hand').read().split())
said = json.load(open(folder + '/plain/metrics.json'))['test']['original']
ok = n == 75 * 6 and abs(mse / said['mse'] - 1) < 1e-3 and abs(mae / said['mae'] - 1) < 1e-3 and abs(said['rmse'] ** 2 / said['mse'] - 1) < 1e-9
if not ok:
    print('by hand', n, mse, mae, 'but metrics.json says', said)
sys.exit(not ok)
PY

# Killed while it trains, twice; then it goes on to the bits of a training that nobody disturbed.
long=(--target load --model lstm --epochs 30 --patience 0 --dropout .1 --batch 4)
quietly train "$folder/plain.csv" "${long[@]}" --out "$folder/whole"
for lines in 3 9; do
  if [[ -e $folder/killed ]]; then set -- --resume; else set -- "$folder/plain.csv" "${long[@]}" --lookback 24 --horizon 6 --units 8; fi
  "$forecast" train "$@" --out "$folder/killed" >/dev/null 2>&1 &
  pid=$!
  while kill -0 $pid 2>/dev/null && (($(cat "$folder/killed/history.csv" 2>/dev/null | wc -l) < lines)); do sleep .01; done
  kill -KILL $pid 2>/dev/null || wrong "it had ended before it could be killed"
  wait $pid 2>/dev/null
done
[[ -e $folder/killed/weights.safetensors ]] && wrong "a killed training left weights"
says "its training did not end; go on with --resume" "$forecast" evaluate "$folder/killed"
touch "$folder/killed/history.csv.new4194305" # as if it had been killed while it wrote; no process has this number
quietly "$forecast" train --resume --out "$folder/killed"
[[ -e $folder/killed/history.csv.new4194305 ]] && wrong "a half-written file stays"
for file in weights.safetensors metrics.json; do same "$folder/whole/$file" "$folder/killed/$file"; done
same <(cut -d, -f1-4 "$folder/whole/history.csv") <(cut -d, -f1-4 "$folder/killed/history.csv")
says "was begun with --units 8, not 16: another --out makes a new run" "$forecast" train --resume --units 16 --out "$folder/whole"
says "holds a run already" train "$folder/plain.csv" --out "$folder/whole"

# A config file says the same as the options.
quietly "$forecast" train --config "$folder/whole/config.json" --out "$folder/again"
same "$folder/whole/weights.safetensors" "$folder/again/weights.safetensors"
printf '{"data": "%s", "target": "load", "model": "linear", "lookback": 24, "horizon": 6, "out": "%s"}' "$folder/plain.csv" "$folder/named" >"$folder/named.json"
quietly "$forecast" train --config "$folder/named.json"
same "$folder/plain/metrics.json" "$folder/named/metrics.json"

# The report: nothing from elsewhere, every drawing named.
report=$folder/whole/report.html
if grep -oE '(src|href)="?https?:[^" ]*' "$report"; then wrong "the report asks for something of the network (above)"; fi
drawings=$(grep -o '<svg' "$report" | wc -l) named=$(grep -o '<svg role="img" aria-label="[^"]' "$report" | wc -l)
((drawings >= 4 && drawings == named)) || wrong "$drawings drawings, $named with a text"
for file in "$folder"/whole/pictures/*.svg; do [[ -s ${file%.svg}.png ]] || wrong "no ${file%.svg}.png"; done

# Several models in one table, the baselines in it whether asked for or not; what was trained is not trained again.
compare() { quietly "$forecast" compare "$folder/plain.csv" --target load --lookback 24 --horizon 6 --units 8 --epochs 2 "$@" --out "$folder/cmp"; }
compare --models dlinear --seeds 2
compare --models lstm,dlinear --seeds 2
grep -q 'dlinear, seed 2' "$folder/log" && ! sed -n '/dlinear, seed 1/,/^model/p' "$folder/log" | grep -q '^epoch' ||
  wrong "the second comparison trained dlinear again: $(cat "$folder/log")"
[[ $(cut -d, -f1,2 "$folder/cmp/comparison.csv") == $'model,runs\nrepeat,1\nseasonal,1\nlinear,1\nlstm,2\ndlinear,2' ]] ||
  wrong "comparison.csv: $(cat "$folder/cmp/comparison.csv")"
grep -q 'lstm does not beat\|lstm beats\|lstm is ahead' "$folder/cmp/report.html" || wrong "no sentence on lstm"
# What one of them would refuse is said before the first is trained.
none=("$folder/plain.csv" --out "$folder/cmp2" --models)
says "there is no model 'lstmm'" "$forecast" compare "${none[@]}" dlinear,lstmm
says "da-rnn forecasts one step of one target" "$forecast" compare "${none[@]}" dlinear,da-rnn
says "--units must be a multiple of --heads, got 6 and 4" "$forecast" compare "${none[@]}" dlinear,mha-time --units 6
says "which models? give --models a,b,c" "$forecast" compare "$folder/plain.csv" --out "$folder/cmp2"
says "--seeds must be at least 1, got 0" "$forecast" compare "${none[@]}" dlinear --seeds 0
[[ -e $folder/cmp2 ]] && wrong "a refused comparison left a folder"
sed '2,200s/,[^,]*$/,99/' "$folder/plain.csv" >"$folder/other.csv"
says "is not the table that" "$forecast" compare "$folder/other.csv" --target load --lookback 24 --horizon 6 --units 8 --epochs 2 --models dlinear \
  --out "$folder/cmp"
# Its settings from a file, and one of them from the command line; each run has all that evaluate and explain need.
printf '{"data": "%s", "target": "load", "lookback": 24, "horizon": 6, "units": 8, "epochs": 2, "models": ["dlinear"], "seeds": 3}' \
  "$folder/plain.csv" >"$folder/cmp.json"
quietly "$forecast" compare --config "$folder/cmp.json" --seeds 2 --out "$folder/cmp3"
same <(grep dlinear "$folder/cmp/comparison.csv") <(grep dlinear "$folder/cmp3/comparison.csv")
grep -q '^2 of 2: dlinear, seed 2, about' "$folder/log" || wrong "no word of where it is: $(cat "$folder/log")"
quietly "$forecast" explain "$folder/cmp3/dlinear-2" --windows 8
printf '{"models": "dlinear"}' >"$folder/cmp.json"
says "'models' must be a list of names, got \"dlinear\"" "$forecast" compare "$folder/plain.csv" --config "$folder/cmp.json" --out "$folder/cmp2"
# One that fails, here for want of a folder, is named, and the others have their lines.
says "cannot make the folder '$folder/plain.csv': Not a directory" \
  "$forecast" compare "$folder/plain.csv" --models dlinear --lookback 24 --out "$folder/plain.csv"
mkdir "$folder/cmp4" && : >"$folder/cmp4/lstm-1"
says "lstm, seed 1 failed: " "$forecast" compare --config "$folder/cmp3/dlinear-1/config.json" --models lstm,dlinear --seeds 1 --out "$folder/cmp4"
[[ $(tail -n 1 "$folder/cmp4/comparison.csv") == dlinear,1,* ]] || wrong "the failure of one took the others with it"
# Killed: what is done stands in the table, and the rest comes when it is asked for again.
args=("$folder/plain.csv" --target load --lookback 24 --horizon 6 --units 8 --epochs 12 --patience 0 --batch 4 --models dlinear,lstm --seeds 1)
quietly "$forecast" compare "${args[@]}" --out "$folder/cmp5"
"$forecast" compare "${args[@]}" --out "$folder/cmp6" >/dev/null 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null && (($(cat "$folder/cmp6/lstm-1/history.csv" 2>/dev/null | wc -l) < 3)); do sleep .01; done
kill -KILL $pid 2>/dev/null || wrong "it had ended before it could be killed"
wait $pid 2>/dev/null
[[ $(tail -n 1 "$folder/cmp6/comparison.csv") == dlinear,1,* ]] || wrong "a killed comparison lost what it had done"
grep -q '1 training is not done yet' "$folder/cmp6/report.html" || wrong "the report does not say that it is not complete"
quietly "$forecast" compare "${args[@]}" --out "$folder/cmp6"
same "$folder/cmp5/comparison.csv" "$folder/cmp6/comparison.csv"

# What a model looks at, of one window.
quietly "$forecast" explain "$folder/whole" --window 3
grep -q 'test window 3 alone' "$report" || wrong "the report does not say which window it explains"
says "there is nothing to explain" bash -c "'$forecast' train '$folder/plain.csv' --model repeat --lookback 24 --out '$folder/repeat' >/dev/null && '$forecast' explain '$folder/repeat'"

says "--window must be one of the 75 test windows, 0 to 74, got 75" "$forecast" explain "$folder/whole" --window 75
quietly "$forecast" explain "$folder/whole" --window 74
grep -q '^feature  permutation ' "$folder/log" || wrong "no permutation importance of a single window: $(cat "$folder/log")"

# A column that never moves, as a driver and as the target: no warning of the pictures' ranges, nothing that is no number.
awk -F, -v OFS=, '{ print $0, NR == 1 ? "flat, 100 %" : 7 }' "$folder/plain.csv" | sed '1s/flat.*/"it'"'"'s flat, 100 %"/' >"$folder/flat.csv"
for target in load '"it'"'"'s flat, 100 %"'; do
  for model in feature-block mha-time; do
    quietly train "$folder/flat.csv" --target "$target" --model $model --epochs 2 --out "$folder/$model-$target"
    grep -iE 'warning|[^a-z]nan|[^a-z]inf[^o]' "$folder/log" "$folder/$model-$target"/explain/*.csv && wrong "$model of $target said the above"
  done
done
grep -q "'it's flat, 100 %' keeps one value in all training rows" "$folder/feature-block-load/report.html" || wrong "the report does not tell of the constant column"

# Wrong tables and options: a sentence that says where.
edit() { sed "$1" "$folder/plain.csv" >"$folder/edited.csv"; }
tried=(train "$folder/edited.csv" --model linear --out "$folder/none")
edit '12s/,[^,]*$/,/'
says "edited.csv, line 12, column 3 ('temperature'): a value is missing" "${tried[@]}"
edit '12s/,[^,]*$/,warm/'
says "edited.csv, line 12, column 3 ('temperature'): 'warm' is not a number" "${tried[@]}"
edit '12s/$/,1/'
says "edited.csv, line 12: 4 cells in a table of 3 columns" "${tried[@]}"
edit '12s/^2024-01-01/2024-13-01/'
says "column 'date', line 12: '2024-13-01 10:00:00' is not a date" "${tried[@]}"
edit '12s/^2024-01/2023-01/'
says "lies before the row above" "${tried[@]}"
edit '40,$d'
says "too few rows to train on: its rows 0 to 26 of 38 hold no window of 24 back and 6 ahead" "${tried[@]}"
: >"$folder/edited.csv"
says "edited.csv is empty" "${tried[@]}"
says "cannot make the folder '/proc/none': No such file or directory" train "$folder/plain.csv" --out /proc/none
says "not expected: --hlep" "$forecast" predict --hlep
says "not expected: lstm --modles" "$forecast" compare "$folder/plain.csv" --modles lstm
says "run is required" "$forecast" predict
says "there is no file" train "$folder/nothing.csv" --out "$folder/none"
edit ''
says "there is no column 'Load'; there are: 'load', 'temperature'" "${tried[@]}" --target Load
says "there is no model 'lstn'" train "$folder/plain.csv" --model lstn --out "$folder/none"
sed "50s/,[^,]*$/,99/" "$folder/plain.csv" >"$folder/other.csv"
says "is not the table that" "$forecast" evaluate "$folder/whole" --data "$folder/other.csv"
[[ -e $folder/none ]] && wrong "a refused training left a folder"
edit '2,389d'
says "has 12 rows, but the model looks 24 back" "$forecast" predict "$folder/whole" "$folder/edited.csv"
quietly train "$folder/plain.csv" --target load --model linear --current --out "$folder/current"
says "was trained with --current" "$forecast" predict "$folder/current" "$folder/plain.csv"
says "is no run folder" "$forecast" evaluate "$folder"
printf '{"model": "lstm", "units": "many"}' >"$folder/bad.json"
says "'units' must be a whole number, got string \"many\"" "$forecast" train "$folder/plain.csv" --config "$folder/bad.json" --out "$folder/none"

echo "$checked comparisons and refusals"
exit $status
