# Address and undefined-behaviour sanitizers over the suites and, in quick mode, the examples. Left to the plain build are
#   xt           tests the exchange of arrays only, and xtensor's own headers are not ours to sanitize
#   allocations  replaces malloc, as the sanitizer does
#   reference    tests the program that compares reference arrays; the blocks in it have suites of their own
#   main_job     runs other examples, and joins what they wrote
# The kernels of an architecture are never instrumented: those of sse2 are enough here.
# Of the undefined behaviours left out are null pointers, alignment, sizes of objects and virtual tables: a quarter of the time of
# compiling, and the address sanitizer sees most of what they would.
set -uo pipefail
source "$root/tests/lib/setup.sh"
cd "$root" || exit 1
folder=$root/build-asan
export CXXFLAGS="${CXXFLAGS:-} -fno-sanitize=null,alignment,object-size,vptr"
stage "configure" configure "$folder" -Dbuildtype=plain -Doptimization=0 -Ddebug=false -Db_sanitize=address,undefined -Db_lundef=false \
  -Darchitectures= \
  -Dwerror=false  # g++ 12 warns of uninitialised members of the standard library when it instruments
mapfile -t tested < <({ suites "$folder" | cut -f 2; programs "$folder" examples; } |
  grep -vE '/(test_xt|test_allocations|test_reference|main_job)$')
stage "build" build "$folder" "${tested[@]#"$folder"/}"
# (Null for what is too large: the pool turns it into an Error, which a test wants to see.)
export ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1:allocator_may_return_null=1
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
run() {
  local option=--quick begin=$SECONDS
  [[ $1 == */tests/* ]] && option=--no-colors=true
  if "$1" $option >"$1.log" 2>&1; then
    echo "  $(basename "$1"): $((SECONDS - begin)) s"
  else
    echo "$(cat "$1.log")"$'\n'"  FAILED: $1"
    return 1
  fi
}
export -f run
printf '%s\0' "${tested[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'run "$0"'
