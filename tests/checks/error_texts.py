"""Every sentence that fail() can throw is met by a test: of each call the longest piece of text must stand in a file of tests/."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
# Cannot be brought about by a test without a race.
unreachable = {' ended while it was read: expected '}  # a file that shrinks between two reads


def literals_joined(text):
    return re.sub(r'"\s*\n\s*"', '', text)


tests = ''.join(literals_joined(p.read_text()) for p in root.glob('tests/**/*.cpp'))
status, count = 0, 0
for folder in ('autograd', 'nn', 'optim'):
    for path in sorted(root.glob(f'{folder}/**/*.[ch]pp')):
        text = literals_joined(path.read_text())
        for call in re.finditer(r'\bfail\((?=[^)])', text):
            statement = text[call.end():text.find(');', call.end())]
            pieces = sorted(re.findall(r'"((?:[^"\\]|\\.)*)"', statement), key=len)
            if not pieces or len(pieces[-1]) < 4 or pieces[-1] in unreachable:
                continue
            count += 1
            if pieces[-1] not in tests:
                line = path.read_text().count('\n', 0, path.read_text().find(pieces[-1][:30])) + 1
                print(f'{path.relative_to(root)}:{line}: no test meets the text "{pieces[-1]}"')
                status = 1
print(f'{count} texts')
sys.exit(status or count == 0)
