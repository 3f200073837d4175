# No two of the architecture libraries define the same weak symbol; and the script that looks for them finds a planted one.
set -uo pipefail
cd "$root" || exit 1
sh tests/kernels/weak_symbols.sh --self-test || { echo "the self-test failed"; exit 1; }
shopt -s nullglob
libraries=("$build"/autograd/kernels/libkernels_*.a)
[[ ${#libraries[@]} == 3 ]] || { echo "expected 3 architecture libraries, found ${#libraries[@]}"; exit 1; }
sh tests/kernels/weak_symbols.sh "${libraries[@]}"
