#!/bin/sh
# weak_symbols.sh LIBRARY...: no two libraries may define the same weak symbol, since the linker
# would keep one and run code of the wrong architecture. (DW.ref.* are data of the C++ run time.)
# With --self-test: plants one, and fails unless it is found.
set -u

weak() {  # of a library: names of weak and unique definitions
  nm "$1" 2>/dev/null | awk '($2 == "W" || $2 == "V" || $2 == "u") && $3 !~ /^DW\.ref\./ {print $3}' | sort -u
}

check() {
  status=0
  while [ $# -gt 1 ]; do
    first=$1
    shift
    for second in "$@"; do
      weak "$first" >"$tmp/first"
      weak "$second" >"$tmp/second"
      shared=$(comm -12 "$tmp/first" "$tmp/second")
      [ -z "$shared" ] && continue
      echo "shared by $first and $second:"
      echo "$shared" | c++filt | sed 's/^/  /'
      status=1
    done
  done
  return $status
}

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if [ "${1:-}" = --self-test ]; then
  cat >"$tmp/planted.cpp" <<'CPP'
inline int planted(int x) { return x < 2 ? x : planted(x - 1) + planted(x - 2); }
int (*NAME)(int) = &planted;
CPP
  for name in a b; do
    ${CXX:-c++} -DNAME=$name -c "$tmp/planted.cpp" -o "$tmp/$name.o" || exit 1
    ar rc "$tmp/lib$name.a" "$tmp/$name.o"
  done
  if check "$tmp/liba.a" "$tmp/libb.a" >"$tmp/out"; then
    echo "a planted symbol was not found"
    exit 1
  fi
  grep -q planted "$tmp/out" || exit 1
  exit 0
fi
for library in "$@"; do
  nm "$library" >/dev/null 2>&1 && [ -n "$(nm "$library" 2>/dev/null)" ] || { echo "no symbols in $library"; exit 1; }
done
check "$@"
