# golden.sh: the reference arrays of tests/golden, for every block that the library has. golden.sh --rest: names the blocks it has not.
set -uo pipefail
cd "$root" || exit 1
out=$("$build/tests/golden" tests/golden)
unknown=$(sed -nE 's/^FAILED  .*: block ([A-Za-z0-9_]+) is not known$/\1/p' <<<"$out" | sort | uniq -c)
if [[ ${1:-} == --rest ]]; then
  if [[ -z $unknown ]]; then exit 0; fi
  awk '{printf "%s%s (%s files)", NR == 1 ? "not there yet: " : ", ", $2, $1} END {print ""}' <<<"$unknown"
  exit 77
fi
echo "$out"
! grep '^FAILED' <<<"$out" | grep -qv ' is not known$' && grep -q '^ok ' <<<"$out"
