# The same bits with 1, 2 and 3 threads, of values and gradients at sizes that go parallel, on every architecture of this machine.
set -uo pipefail
cd "$root" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
compared=0
for arch in sse2 avx2 avx512; do
  export AXISGRAD_ARCH=$arch
  "$build/tests/bits" --arch >/dev/null 2>&1 || continue
  for threads in 1 2 3; do
    AXISGRAD_THREADS=$threads "$build/tests/bits" >"$folder/$threads" || { echo "failed with $threads threads on $arch"; exit 1; }
  done
  for threads in 2 3; do
    diff "$folder/1" "$folder/$threads" || { echo "$arch: 1 and $threads threads differ (above)"; exit 1; }
  done
  (($(wc -l <"$folder/1") >= 10)) || { echo "too few results to compare"; exit 1; }
  compared=$((compared + 1))
done
echo "$compared architectures"
((compared > 0))
