# architecture.sh NAME: the suites of ops on the kernels of this architecture. (The suite of the kernels goes through all of them itself.)
set -uo pipefail
cd "$root" || exit 1
export AXISGRAD_ARCH=$1
arch=$("$build/tests/bits" --arch 2>&1) || {
  echo "$arch"
  [[ $arch == *"this CPU, or this build, has no $1"* ]] && exit 77
  exit 1
}
[[ $arch == "$1" ]] || { echo "asked for $1, got $arch"; exit 1; }
status=0
for suite in ops catalogue attention; do
  "$build/tests/test_$suite" --no-colors=true || status=1
done
exit $status
