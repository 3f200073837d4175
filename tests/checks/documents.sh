# Every C++ program in README.md, its translation and docs/ (a ```cpp block with a main) compiles against the library and runs.
set -uo pipefail
cd "$root" || exit 1
[[ -f README.md ]] || { echo "there is no README.md"; exit 1; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
shopt -s nullglob
for text in README.md README.zh.md docs/*.md; do
  awk -v stem="$folder/$(basename "$text" .md)" '
    /^```cpp/ { inside = 1; block = ""; next }
    /^```/ && inside {
      inside = 0
      if (block ~ /int main\(/) { file = stem "-" ++n ".cpp"; printf "%s", block > file; close(file) }
    }
    inside { block = block $0 "\n" }' "$text"
done
readme=("$folder"/README-*.cpp)
[[ ${#readme[@]} != 0 ]] || { echo "README.md holds no program"; exit 1; }
status=0
for program in "$folder"/*.cpp; do
  name=$(basename "$program" .cpp)
  if ! ${CXX:-c++} -std=c++20 -O1 -Wall -Wextra -Werror -ffp-contract=off -I"$build/include" "$program" \
    "$build/libaxisgrad.a" -ltbb -lzip -pthread -o "$folder/$name"; then
    echo "$name does not compile"
    status=1
  elif ! (cd "$folder" && timeout 120 "./$name" >"$name.out" 2>&1); then
    tail -n 20 "$folder/$name.out"
    echo "$name does not run"
    status=1
  else
    echo "$name: $(wc -l <"$folder/$name.out") lines of output"
  fi
done
exit $status
