# Every tracked source file is formatted as .clang-format says.
set -uo pipefail
cd "$root" || exit 1
mapfile -t files < <(git ls-files '*.hpp' '*.cpp')
[[ ${#files[@]} != 0 ]] || { echo "no source files are tracked"; exit 1; }
printf '%s\0' "${files[@]}" | xargs -0 -n 8 -P "$jobs" clang-format --dry-run -Werror
