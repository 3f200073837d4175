# Every op that a family file declares stands in the list of its family, and every family in the catalogue: what is not listed would
# be missed by the table test.
set -uo pipefail
cd "$root/autograd/ops" || exit 1
status=0
structs() { sed -nE 's/^ *struct ([a-z0-9_]+_op)\b.*\{.*/\1/p' "$1"; }
# The text from a line that matches $2 to the next one that ends in a semicolon.
statement() { sed -n "/$2/,/;/p" "$1"; }
count=0
formulas="pointwise.hpp elementary.hpp activations.hpp loss_formulas.hpp" # one list for all, at the end of the first
for file in *.cpp $formulas; do
  if [[ $file == *.hpp ]]; then list=$(statement pointwise.hpp '^using pointwise_ops'); else list=$(statement "$file" 'family<'); fi
  for op in $(structs "$file"); do
    count=$((count + 1))
    grep -qE "\b$op\b" <<<"$list" && continue
    echo "$file declares $op, which its family does not list"
    status=1
  done
done
((count > 0)) || { echo "no op found"; exit 1; }
for family in $(sed -nE 's/^std::vector<OpEntry> ([a-z_]+_family)\(\) *\{.*/\1/p' ./*.cpp); do
  grep -qE "\b$family\b" catalogue.cpp && continue
  echo "catalogue.cpp leaves out $family"
  status=1
done
echo "$count ops"
exit $status
