# What both commands (tests/run.sh, examples/run.sh) do first; sourced by them. From a fresh Debian 12 machine to a build:
#
#   install_packages NAME...     those that are missing
#   configure FOLDER OPTION...   meson; a folder that is there already is brought up to date
#   build FOLDER TARGET...       ninja, as many jobs as there are cores
#
# Each says in one line what it does, shows the output only when something goes wrong, and then ends the script.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

build_packages=(g++ meson ninja-build pkg-config libxtensor-dev libxsimd-dev libtbb-dev libcli11-dev libfmt-dev
  nlohmann-json3-dev libzip-dev doctest-dev gnuplot-nox fonts-dejavu-core)

say() { printf '%s\n' "$*"; }

stop() {
  printf '%s\n' "$*" >&2
  exit 1
}

# stage TITLE COMMAND...: runs it, and says how many seconds it took.
stage() {
  local title=$1 begin=$SECONDS status=0
  shift
  "$@" || status=$?
  say "  $title: $((SECONDS - begin)) s"
  return $status
}

missing_packages() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null) == ?i* ]] || printf '%s\n' "$package"
  done
}

install_packages() {
  local missing as_root=() log
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "Not a Debian system: taking for granted that these are installed: $*"
    return
  fi
  mapfile -t missing < <(missing_packages "$@")
  if [[ ${#missing[@]} == 0 ]]; then return; fi
  if [[ $(id -u) != 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      stop "Packages are missing, and neither root nor sudo without a password is there to install them. Please run:
  apt-get update && apt-get install -y --no-install-recommends ${missing[*]}"
    fi
    as_root=(sudo -n)
  fi
  say "Installing ${missing[*]}"
  log=$(mktemp)
  apt() {
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" </dev/null >>"$log" 2>&1
  }
  apt update || say "  apt-get update failed; trying with the package lists that are there"
  if ! apt install --no-install-recommends "${missing[@]}"; then
    tail -n 30 "$log"
    stop "Could not install ${missing[*]} (the end of apt-get's output is above)."
  fi
  rm -f "$log"
}

# quietly LOG COMMAND...: output into LOG; shown, and the script ended, when the command fails.
quietly() {
  local log=$1
  shift
  "$@" </dev/null >"$log" 2>&1 && return
  tail -n 60 "$log"
  stop "Failed: $* (the end of its output is above, all of it in $log)"
}

# A folder of another checkout or of other options is made anew, a broken one too; one that meson did not make is left alone.
configure() {
  local folder=$1 origin log
  shift
  origin="$root | ${CC:-} ${CXX:-} ${CXXFLAGS:-} | $*"
  if [[ -d $folder && -n $(ls -A "$folder") && ! -d $folder/meson-private ]]; then
    stop "$folder is there and was not made by meson: please move it away."
  fi
  log=$(mktemp)
  if [[ ! -f $folder/build.ninja || $(cat "$folder/origin.txt" 2>/dev/null) != "$origin" ]] ||
    ! meson setup --reconfigure "$folder" "$root" </dev/null >"$log" 2>&1; then
    rm -rf "$folder"
    quietly "$log" meson setup "$folder" "$root" "$@"
    printf '%s\n' "$origin" >"$folder/origin.txt"
  fi
  rm -f "$log"
}

build() {
  local folder=$1
  shift
  if [[ -t 1 ]]; then  # ninja's own line of progress
    ninja -C "$folder" -j "$(nproc)" "$@" </dev/null || stop "The build in $folder failed."
  else
    quietly "$folder/build.log" ninja -C "$folder" -j "$(nproc)" "$@"
  fi
}

# Programs of a build folder, one path a line: the executables that meson.build files in the source folder $2 define.
programs() {
  meson introspect --targets "$1" | python3 -c '
import json, os, sys
for target in json.load(sys.stdin):
    folder = os.path.relpath(os.path.dirname(target["defined_in"]), sys.argv[1])
    if target["type"] == "executable" and folder == sys.argv[2]:
        print(target["filename"][0])' "$root" "$2"
}
# The suites of doctest cases: "name<tab>path".
suites() {
  meson introspect --tests "$1" | python3 -c '
import json, sys
for test in json.load(sys.stdin):
    if any(s.split(":")[-1] == "doctest" for s in test["suite"]):
        print(test["name"], test["cmd"][0], sep="\t")'
}
