# Runs tests and counts them; sourced by tests/run.sh.
#
#   run_suite NAME PROGRAM          a doctest program, each of its cases counts
#   run_check NAME COMMAND...       counts as one: exit code 0 passed, 77 skipped (the last line of output says why), else failed
#   skip NAME WHY
#   report                          prints what failed and was skipped, the closing line; ends with 1 on any failure

passed=0 failed=0 skipped=0
failures=() skips=()
time_limit=${AXISGRAD_TEST_SECONDS:-1800}  # of one suite or check

log_of() { printf '%s/%s.log' "$logs" "${1//[^A-Za-z0-9._-]/_}"; }

# How a command ended, in words.
ending() {
  case $1 in
    124) printf 'stopped after %s s' "$time_limit" ;;
    134 | 136 | 137 | 139) printf 'crashed: exit code %s' "$1" ;;
    *) printf 'exit code %s' "$1" ;;
  esac
}

show() {  # the end of a log, indented
  tail -n "${2:-80}" "$1" | sed 's/^/    | /'
}

skip() {
  skipped=$((skipped + 1))
  skips+=("$1: $2")
}

# The number before a word in doctest's summary: "[doctest] test cases:  12 |  11 passed | 1 failed | 0 skipped".
cases() {
  sed -n 's/^\[doctest\] test cases://p' "$1" | tail -n 1 | tr '|' '\n' | awk -v word="$2" '$2 == word {print $1}'
}

run_suite() {
  local name=$1 log status=0 begin=$SECONDS good bad left
  log=$(log_of "suite $name")
  timeout "$time_limit" "$2" --no-colors=true </dev/null >"$log" 2>&1 || status=$?
  good=$(cases "$log" passed) bad=$(cases "$log" failed) left=$(cases "$log" skipped)
  good=${good:-0} bad=${bad:-0} left=${left:-0}
  passed=$((passed + good)) failed=$((failed + bad))
  say "  $name: $good passed, $bad failed: $((SECONDS - begin)) s"
  if [[ $left != 0 ]]; then
    skipped=$((skipped + left))
    skips+=("suite $name: $left cases, by a decorator")
  fi
  if [[ $bad != 0 ]]; then
    while read -r case; do failures+=("suite $name: $case"); done < <(sed -n 's/^TEST CASE: *//p' "$log" | sort -u)
  fi
  if [[ $status != 0 && $bad == 0 ]]; then
    failed=$((failed + 1))
    failures+=("suite $name: $(ending $status)")
  elif [[ $status == 0 && $good == 0 ]]; then
    failed=$((failed + 1))
    failures+=("suite $name: no case ran")
  fi
  if [[ $status != 0 || $good == 0 ]]; then show "$log"; fi
}

run_check() {
  local name=$1 log status=0 begin=$SECONDS
  shift
  log=$(log_of "$name")
  timeout "$time_limit" "$@" </dev/null >"$log" 2>&1 || status=$?
  local seconds=$((SECONDS - begin))
  case $status in
    0)
      passed=$((passed + 1))
      say "  $name: passed: $seconds s"
      ;;
    77)
      say "  $name: skipped"
      skip "$name" "$(tail -n 1 "$log")"
      ;;
    *)
      failed=$((failed + 1))
      failures+=("$name: $(ending $status)")
      say "  $name: FAILED: $seconds s"
      show "$log"
      ;;
  esac
}

report() {
  local line closing="$passed passed, $failed failed"
  say
  for line in "${failures[@]}"; do say "FAILED   $line"; done
  for line in "${skips[@]}"; do say "skipped  $line"; done
  say "$SECONDS s in all; the output of each suite and check is in build/test-logs/"
  if [[ $skipped != 0 ]]; then closing+=", $skipped skipped"; fi
  say "$closing"
  [[ $failed == 0 && $passed != 0 ]]
  exit
}
