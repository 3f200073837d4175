# build/examples/gradcheck: its options, its JSON, its exit codes, that it lists every module of nn/ and is done within a minute.
set -uo pipefail
cd "$root" || exit 1
program=$build/examples/gradcheck
status=0
bad() { echo "$*"; status=1; }

# Classes that name their scalar, but for those that are parts of others.
modules() {
  mapfile -t headers < <(git ls-files 'nn/*.hpp' | grep -vE '/(parameter|data/.*|weights/.*|explain/.*)\.hpp$')
  awk '/^namespace detail/ {detail = 1} /^}  \/\/ namespace detail/ {detail = 0}
    /^(class|struct) [A-Za-z]+/ {name = $2} /^  using scalar = / {if (!detail) print name}' "${headers[@]}"
}
for class in $(modules); do
  grep -qh "\b$class\b" examples/gradcheck/registry*.cpp || bad "examples/gradcheck/registry*.cpp have no line for $class"
done

"$program" --list >"$build/gradcheck.list" || bad "--list: exit code $?"
"$program" --only no_such_check 2>"$build/gradcheck.error"
[[ $? == 2 ]] || bad "an unknown name must end with exit code 2"
grep -q "There is no check 'no_such_check': --list shows all" "$build/gradcheck.error" || bad "an unknown name is not named"
"$program" --only hubre 2>"$build/gradcheck.error"
[[ $? == 2 ]] || bad "a misspelt name must end with exit code 2"
grep -q "There is no check 'hubre', but 'huber'" "$build/gradcheck.error" || bad "a misspelt name gets no near match"
"$program" --order 3 >/dev/null 2>&1 && bad "order 3 is accepted"

for options in "" "--order 2" "--dtype float" "--dtype float --order 2"; do
  begin=$SECONDS
  # shellcheck disable=SC2086  # several options
  "$program" $options --json >"$build/gradcheck.json" || bad "gradcheck $options: exit code $?"
  ((SECONDS - begin < 60)) || bad "gradcheck $options takes $((SECONDS - begin)) s"
  python3 - "$build/gradcheck.json" "$build/gradcheck.list" <<'PYTHON' || bad "gradcheck $options --json: see above"
import json, sys
report = json.load(open(sys.argv[1]), parse_constant=lambda c: sys.exit(f'{c} is not JSON'))
names = [line.split(maxsplit=1)[1].rstrip('\n') for line in open(sys.argv[2])]
assert list(report) == ['checks', 'passed', 'failed'], list(report)
assert len(set(names)) == len(names), 'one name stands for two checks'
assert [c['name'] for c in report['checks']] == names, 'not what --list shows'
assert report['passed'] == len(names) > 100 and report['failed'] == 0, (report['passed'], report['failed'])
for check in report['checks']:
    assert list(check) == ['name', 'kind', 'order', 'max_rel_error', 'worst', 'passed', 'seconds'], list(check)
    assert check['kind'] in ('op', 'module', 'model') and check['passed'] is True
    assert list(check['worst']) == ['where', 'index', 'analytic', 'numeric'], (check['name'], check['worst'])
    assert all(x is not None for x in check['worst'].values()), (check['name'], check['worst'])
PYTHON
done

[[ $("$program" --only softmax --json | python3 -c 'import json, sys; print({c["name"] for c in json.load(sys.stdin)["checks"]})') == "{'softmax'}" ]] ||
  bad "--only softmax runs something else"
exit $status
