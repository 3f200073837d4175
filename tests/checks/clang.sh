# Built by clang: all suites pass, and on each architecture the same bits come out as from the build by g++.
set -uo pipefail
source "$root/tests/lib/setup.sh"
cd "$root" || exit 1
folder=$root/build-clang
export CC=clang CXX=clang++
stage "configure" configure "$folder"
stage "build" build "$folder"
status=0
while IFS=$'\t' read -r name program; do
  stage "$name" "$program" --no-colors=true || { echo "  FAILED: $name"; status=1; }
done < <(suites "$folder")
for arch in sse2 avx2 avx512; do
  export AXISGRAD_ARCH=$arch
  "$build/tests/bits" --arch >/dev/null 2>&1 || continue
  diff <("$build/tests/bits") <("$folder/tests/bits") || { echo "g++ and clang differ on $arch (above)"; status=1; }
done
exit $status
