# Every header of autograd/, nn/ and optim/ compiles alone, twice included. Those of kernels/arch/ are pieces of units that are
# compiled once per architecture: they are compiled with the flags of one.
set -uo pipefail
cd "$root" || exit 1
mapfile -t headers < <(git ls-files 'autograd/*.hpp' 'nn/*.hpp' 'optim/*.hpp')
[[ ${#headers[@]} != 0 ]] || { echo "no headers are tracked"; exit 1; }

alone() {
  local flags=()
  if [[ $1 == autograd/kernels/arch/* ]]; then
    flags=(-DAXISGRAD_ARCH_NAME=sse2 -DAXISGRAD_ARCH_SPACE=sse2_space)
  fi
  printf '#include <axisgrad/%s>\n#include <axisgrad/%s>\n' "$1" "$1" |
    ${CXX:-c++} -std=c++20 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$build/include" "${flags[@]}" -x c++ - ||
    { echo "does not compile alone: $1"; return 1; }
}
export -f alone
printf '%s\0' "${headers[@]}" axisgrad.hpp | xargs -0 -n 1 -P "$jobs" bash -c 'alone "$0"'
