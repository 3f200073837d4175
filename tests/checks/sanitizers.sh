# Address and undefined-behaviour sanitizers over the suites and, in quick mode, the examples. (The suites that include xtensor are
# left to the plain build: they test the exchange of arrays only, and xtensor's own headers are not ours to sanitize.)
# The suite of allocations replaces malloc, as the sanitizer does. The kernels are never instrumented: those of sse2 are enough here.
set -uo pipefail
source "$root/tests/lib/setup.sh"
cd "$root" || exit 1
folder=$root/build-asan
stage "configure" configure "$folder" -Dbuildtype=plain -Doptimization=0 -Ddebug=false -Db_sanitize=address,undefined -Db_lundef=false \
  -Darchitectures= \
  -Dwerror=false  # g++ 12 warns of uninitialised members of the standard library when it instruments
mapfile -t tested < <({ suites "$folder" | cut -f 2 | grep -vE 'test_(allocations|xt)$'; programs "$folder" examples; })
stage "build" build "$folder" "${tested[@]#"$folder"/}"
# (Null for what is too large: the pool turns it into an Error, which a test wants to see.)
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
status=0
for program in "${tested[@]}"; do
  option=--quick
  [[ $program == */tests/* ]] && option=--no-colors=true
  stage "$(basename "$program")" "$program" $option || { echo "  FAILED: $program"; status=1; }
done
exit $status
