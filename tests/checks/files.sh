# No source file above 400 lines; no path of somebody's machine in any text file.
set -uo pipefail
cd "$root" || exit 1
status=0
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  if ((lines > 400)); then
    echo "$file has $lines lines, above 400"
    status=1
  fi
done < <(git ls-files '*.hpp' '*.cpp' '*.sh' '*.build' '*.gp')
# (The pattern is written in pieces, so as not to find itself.)
pattern="/(home|root|Users|work""|mnt)/[A-Za-z0-9_.]"
if git grep -nIE "(^|[^A-Za-z0-9_.])$pattern" -- ':!examples/data' ':!tests/golden'; then
  echo "  ^ a path of one machine"
  status=1
fi
exit $status
