# Wrong gradients are found: in each gradient rule and in the backward kernels of the fused ops each sign, index and constant is changed in
# turn, and every time the table test must fail at the samples of the op; where it cannot, since only a tie, a zero, an infinity, a mask or
# a size shows the difference, another suite must. mutants.py says what is changed; the few changes that make no difference stand in
# equivalent_mutants.txt, with the reason.
set -uo pipefail
cd "$root" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
# mutate.sh all: those too whose ops are the slowest to check.
python3 tests/checks/mutants.py "$root" "$folder" "$@" >"$folder/list" || exit 1
(($(wc -l <"$folder/list") > 350)) || { echo "too few mutants"; exit 1; }

# The objects whose rules are changed go in front of the library: the linker takes them in place of its own. Of the kernels one
# architecture is enough.
begin=$SECONDS
cd "$folder" || exit 1
mapfile -t sources < <(grep -rl --include='*.cpp' axisgrad_mutant axisgrad)
sources+=(axisgrad/autograd/ops/{pointwise,catalogue}.cpp axisgrad/autograd/kernels/arch/pointwise.cpp)
cat >mutant.cpp <<'CPP'
#include <cstdlib>
extern int axisgrad_mutant;
int axisgrad_mutant = std::atoi(std::getenv("AXISGRAD_MUTANT"));
// A crash ends the program at once: doctest's report of it could wait for a lock of the memory that the mutant has spoilt.
#define DOCTEST_CONFIG_NO_POSIX_SIGNALS
CPP
cat "$root/tests/main.cpp" >>mutant.cpp
sources+=(mutant.cpp)
mkdir axisgrad/nn && cp "$root"/nn/*.hpp axisgrad/nn/
# The largest first.
printf '%s\n' "${sources[@]}" | sort -u | xargs -d '\n' wc -c | grep -v ' total$' | sort -rn | awk '{print $2}' |
  xargs -d '\n' -n 1 -P "$jobs" sh -c '
  level=-O0  # but for the loops of the formulas it is faster to compile than to run
  [ "${0#*/arch/pointwise}" = "$0" ] || level=-O1
  ${CXX:-c++} -std=c++20 $level -w -DNDEBUG -ffp-contract=off -pthread -I. -DAXISGRAD_ARCH_NAME=sse2 -DAXISGRAD_ARCH_SPACE=sse2_space \
    -Dxsimd=xsimd_sse2 -c "$0" -o "$(echo "$0" | tr / _).o"' || exit 1
for target in tests/test_{ops,catalogue,modules,attention} tests/kernels/test_kernels; do
  mapfile -t tests < <(ninja -C "$build" -t query "$target" | awk -v build="$build" '$1 ~ /\.o$/ {print build "/" $1}')
  ${CXX:-c++} -pthread ./*.o "${tests[@]}" "$build/libaxisgrad.a" \
    -ltbb -lzip -o "${target##*/test_}" || exit 1
done
echo "built in $((SECONDS - begin)) s"

export AXISGRAD_ARCH=sse2 AXISGRAD_THREADS=1
table="every op: gradient*,every op: second*" rest_of_table="every op: asked*,every op: float*,every fused op*"
# What the samples of the table are too small for, or not in float.
of_kernels="layer norm*,*and softmax against*,infinities*" of_ops="attention: gradients by*,split work*"
rest_of_ops="attention: gradients of*,attention: dropout*"
unchanged() {
  AXISGRAD_MUTANT=0 ./"$1" --no-colors=true --test-case="$2" >"$1.log" || { cat "$1.log"; echo "$1 fails without any change"; return 1; }
}
export -f unchanged
printf '%s\0' ops '*' catalogue '*' modules '*' kernels "$of_kernels" attention "$of_ops" attention "$rest_of_ops" |
  xargs -0 -n 2 -P "$jobs" bash -c 'unchanged "$0" "$1"' || exit 1
AXISGRAD_MUTANT_OPS=exp unchanged ops "$table,$rest_of_table" || exit 1
begin=$SECONDS
# survivors SUITE CASES: of "number ops" on the input, those whose change is not found. What crashes or hangs is found.
survivors() {
  suite=$1 cases=$2 xargs -r -n 2 -P "$jobs" sh -c '
    [ "$suite" != ops ] || export AXISGRAD_MUTANT_OPS=$1
    ulimit -t 60  # of processor time: how busy the machine is does not matter
    AXISGRAD_MUTANT=$0 "./$suite" --abort-after=1 --test-case="$cases" >/dev/null 2>&1 && echo "$0 $1"
    true'
}
survivors_of_attention() { survivors attention "$of_ops" | survivors attention "$rest_of_ops"; }
# (The table has too few tokens for attention in tiles.)
awk -F '\t' '$2 == "attention_tiles.cpp" {print $1, $5}' list | survivors_of_attention >tiles
awk -F '\t' '$2 != "attention_tiles.cpp" {print $1, $5}' list | survivors ops "$table" >table
survivors ops "$rest_of_table" <table >left
# First the suite that knows the op best.
{
  awk '$2 == "lstm"' left | survivors modules '*'
  awk '$2 ~ /^(layer_norm|softmax)/' left | survivors kernels "$of_kernels" | survivors_of_attention
  awk '$2 ~ /attention|gate/ && $2 !~ /^softmax/' left | survivors_of_attention
  awk '$2 !~ /^(lstm$|layer_norm|softmax)|attention|gate/' left
  cat tiles
} | survivors catalogue '*' >rest
echo "$(wc -l <list) mutants tried in $((SECONDS - begin)) s; the table test finds all but $(wc -l <table), the other suites all but $(wc -l <rest)"

# "op: changed line  # why it makes no difference", spaces not counted.
plain() { sed -E 's/[[:space:]]*#.*//; s/[[:space:]]+//g; /^$/d'; }
cut -d ' ' -f 1 rest >numbers
awk -F '\t' 'NR == FNR {alive[$1]; next} $1 in alive {print $3 ": " $4}' numbers list >alive
plain <alive | sort >alive.plain
# Of the slowest ops only with `all`.
plain <"$root/tests/checks/equivalent_mutants.txt" | { [[ ${1:-} == all ]] && cat || grep -vE '^(dual_stage|attention|lstm|arch/.*)\.[ch]pp:'; } |
  sort >expected.plain
status=0
while IFS= read -r line; do
  if ! grep -qxF "$(plain <<<"$line")" expected.plain; then
    echo "not found: $line"
    status=1
  fi
done <alive
if [[ -n $(comm -13 <(sort -u alive.plain) expected.plain) ]]; then
  echo "in equivalent_mutants.txt, but found, or no longer there:"
  comm -13 <(sort -u alive.plain) expected.plain
  status=1
fi
exit $status
