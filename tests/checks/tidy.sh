# clang-tidy finds nothing in the library and the examples (.clang-tidy says what it looks for).
set -uo pipefail
source "$root/tests/lib/setup.sh"
cd "$root" || exit 1
# It cannot read g++'s precompiled headers: the commands come from a folder, never built, that has none.
folder=$root/build-tidy
stage "configure" configure "$folder" -Db_pch=false
mapfile -t files < <(git ls-files 'autograd/*.cpp' 'nn/*.cpp' 'optim/*.cpp' 'examples/*.cpp' ':!autograd/kernels/arch')
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" clang-tidy -p "$folder" --quiet 2>/dev/null
