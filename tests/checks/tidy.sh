# clang-tidy finds nothing in the library and the examples (.clang-tidy says what it looks for).
set -uo pipefail
cd "$root" || exit 1
mapfile -t files < <(git ls-files 'autograd/*.cpp' 'nn/*.cpp' 'optim/*.cpp' 'examples/*.cpp' ':!autograd/kernels/arch')
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" clang-tidy -p "$build" --quiet 2>/dev/null
