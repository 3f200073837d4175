#!/usr/bin/env bash
# The main job: installs what is missing, builds into build/, runs gradient checks and trainings. See --help.
set -uo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../tests/lib/setup.sh"

usage() {
  cat <<'TEXT'
examples/run.sh [--quick]
  Installs missing Debian packages, configures and builds into build/, then
    - checks the gradients of the time and the feature attention block, first and second order, in double,
    - trains both on data whose answer is known (04_time_block, 05_feature_block) and on ETTh1 (06_etth1),
    - prints one table, and writes pictures of the attention and summary.json into examples/out/.
  One to two minutes on two cores after building. The exit code is 1 if a claim turns out false.
  --quick   fewer seeds, epochs and samples: about ten seconds
TEXT
}

arguments=()
for argument in "$@"; do
  case $argument in
    --quick) arguments+=(--quick) ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && stop "unknown option '$argument'" ;;
  esac
done

cd "$root" || exit 1
say "axisgrad: the main job on $(nproc) cores, in $root"
stage "packages" install_packages "${build_packages[@]}"
stage "configure build/" configure "$root/build"
# The examples alone: what tests need is left to tests/run.sh.
mapfile -t built < <(programs "$root/build" examples)
stage "build" build "$root/build" "${built[@]#"$root/build/"}"
say
# By a relative path, so that what is printed and what is drawn is the same wherever the checkout lies.
exec build/examples/main_job --out examples/out "${arguments[@]}"
