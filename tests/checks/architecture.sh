# architecture.sh NAME: the suites of kernels and ops on the kernels of this architecture.
set -uo pipefail
cd "$root" || exit 1
export AXISGRAD_ARCH=$1
arch=$("$build/tests/bits" --arch 2>&1) || {
  echo "$arch"
  [[ $arch == *"this CPU has no $1"* ]] && exit 77
  exit 1
}
[[ $arch == "$1" ]] || { echo "asked for $1, got $arch"; exit 1; }
status=0
for suite in kernels/test_kernels test_ops; do
  "$build/tests/$suite" --no-colors=true || status=1
done
exit $status
