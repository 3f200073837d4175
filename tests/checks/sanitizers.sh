# Address and undefined-behaviour sanitizers over the suites and, in quick mode, the examples. (The suites that include xtensor are
# left to the plain build: they test the exchange of arrays only, and xtensor's own headers are not ours to sanitize.)
set -uo pipefail
source "$root/tests/lib/setup.sh"
cd "$root" || exit 1
folder=$root/build-asan
stage "configure" configure "$folder" -Dbuildtype=plain -Doptimization=1 -Ddebug=false -Db_sanitize=address,undefined -Db_lundef=false \
  -Dwerror=false  # g++ 12 warns of uninitialised members of the standard library when it instruments
stage "build" build "$folder"
# (One test asks for more memory than there is, and expects to be told.)
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:strict_string_checks=1 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
status=0
while IFS=$'\t' read -r name program; do
  [[ $name == allocations || $name == xt* ]] && continue  # the first replaces malloc, as the sanitizer does
  stage "$name" "$program" --no-colors=true || status=1
done < <(suites "$folder")
while read -r program; do
  stage "$(basename "$program")" "$program" --quick || status=1
done < <(programs "$folder" examples)
exit $status
