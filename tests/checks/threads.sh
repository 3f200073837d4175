# The same bits with 1, 2 and 3 threads, of values and gradients at sizes that go parallel, on every architecture of this machine.
set -uo pipefail
cd "$root" || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
compared=0
for arch in sse2 avx2 avx512; do
  export AXISGRAD_ARCH=$arch
  "$build/tests/bits" --arch >/dev/null 2>&1 || continue
  # Two programs at a time: what disturbs the order of threads is welcome here.
  printf '%s\n' 1 2 3 | xargs -P 2 -I{} env AXISGRAD_THREADS={} sh -c '"$0" >"$1"' "$build/tests/bits" "$folder/{}" ||
    { echo "failed on $arch"; exit 1; }
  for threads in 2 3; do
    diff "$folder/1" "$folder/$threads" || { echo "$arch: 1 and $threads threads differ (above)"; exit 1; }
  done
  (($(wc -l <"$folder/1") >= 10)) || { echo "too few results to compare"; exit 1; }
  compared=$((compared + 1))
done
echo "$compared architectures"
((compared > 0))
