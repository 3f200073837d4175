# What a lesson says to an option that it does not know, and to a folder that cannot be made.
set -uo pipefail
cd "$root" || exit 1
status=0
# says TEXT ARGUMENT...: a lesson given these ends with an error and this text.
says() {
  local text=$1 output
  shift
  output=$("$build/examples/01_scalar_tape" "$@" 2>&1) && { echo "should fail: $*"; status=1; }
  grep -qF -- "$text" <<<"$output" || { echo "expected '$text' of: $*"$'\n'"$output"; status=1; }
}
says "not expected: --hlep" --hlep
says "[out] cannot make the folder '/proc/none': No such file or directory" --out /proc/none
says "[out] cannot make the folder '$root/README.md/none': Not a directory" --out "$root/README.md/none"
exit $status
