#!/usr/bin/env bash
# The test command: installs what is missing, builds into build/, runs everything. See --help.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib/setup.sh"
source "$root/tests/lib/results.sh"

usage() {
  cat <<'TEXT'
tests/run.sh [--quick] [--long]
  Installs missing Debian packages, configures and builds into build/, then runs
    - the suites of test cases, each case counted,
    - each example in quick mode, counted as one,
    - each scripted check in tests/checks/, counted as one.
  The last line is "N passed, N failed" (", N skipped"); failures and what was skipped are named above it.
  --quick   leaves out the checks that build more than build/: sanitizers, mutated gradients, use from outside
  --long    adds a build by clang with all suites, threads under ThreadSanitizer, clang-tidy, more mutated gradients
TEXT
}

quick=false long=false
for argument in "$@"; do
  case $argument in
    --quick) quick=true ;;
    --long) long=true ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && stop "unknown option '$argument'" ;;
  esac
done
if $quick && $long; then stop "--quick and --long exclude each other"; fi

cd "$root" || exit 1
export root build=$root/build jobs
jobs=$(nproc)
logs=$build/test-logs

say "axisgrad: tests on $jobs cores, in $root"
packages=("${build_packages[@]}" binutils clang-format diffutils git)
if $long; then packages+=(clang clang-tidy); fi
stage "packages" install_packages "${packages[@]}"
stage "configure build/" configure "$build"
stage "build" build "$build"
mkdir -p "$logs"

say "Suites"
while IFS=$'\t' read -r name program; do
  run_suite "$name" "$program"
done < <(suites "$build")

say "Examples"
while read -r program; do
  run_check "example $(basename "$program")" "$program" --quick
done < <(programs "$build" examples)

say "Checks"
check() { run_check "$1" bash "tests/checks/$2.sh" "${@:3}"; }
check "formatting" formatting
check "headers compile alone" headers
check "includes" includes
check "files" files
check "every op is listed" listed_ops
check "every error text is met" error_texts
check "tests that docs/ names" named_tests
check "weak symbols" weak_symbols
for name in sse2 avx2 avx512; do check "architecture $name" architecture "$name"; done
check "threads" threads
check "gradcheck program" gradcheck_program
check "forecast program" forecast
check "options of the lessons" lessons
check "reference arrays" golden
check "reference arrays with something wrong" golden_refuses
check "programs in README.md and docs/" documents
if $quick; then
  skip "sanitizers" "--quick"
  skip "mutated gradients" "--quick"
  skip "use from outside" "--quick"
else
  check "sanitizers" sanitizers
  check "mutated gradients" mutate $($long && echo all)
  check "use from outside" outside
fi
if $long; then
  check "clang" clang
  check "ThreadSanitizer" tsan
  check "clang-tidy" tidy
fi

report
