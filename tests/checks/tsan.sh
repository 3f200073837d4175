# ThreadSanitizer over what threads share: the tape, tensors (buffers freed by other threads), the kernels' parallel loops,
# and over eight trainings at a time.
set -uo pipefail
source "$root/tests/lib/setup.sh"
cd "$root" || exit 1
folder=$root/build-tsan
stage "configure" configure "$folder" -Dbuildtype=plain -Doptimization=1 -Ddebug=false -Db_sanitize=thread -Db_lundef=false -Dwerror=false
stage "build" build "$folder" tests/test_tape tests/test_tensor tests/test_optim tests/bits
# TBB is not instrumented: what it hands from thread to thread looks unsynchronised from outside.
suppressions=$folder/suppressions.txt
printf '%s\n' 'called_from_lib:libtbb.so' 'race:tbb::' >"$suppressions"
# (With a short history it forgets where a read was, and then no suppression fits.)
export TSAN_OPTIONS="suppressions='$suppressions' history_size=4 ignore_noninstrumented_modules=1 halt_on_error=0 exitcode=66"
status=0
for suite in test_tape test_tensor; do stage "$suite" "$folder/tests/$suite" --no-colors=true || status=1; done
stage "trainings in eight threads" "$folder/tests/test_optim" --no-colors=true --test-case='eight threads*' || status=1
AXISGRAD_THREADS=3 "$folder/tests/bits" >/dev/null || status=1
exit $status
