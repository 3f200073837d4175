"""Every row of the tables in docs/coming_from_*.md names tests that exist: in its last cell, the beginning of a test case's name, or
`golden: NAME` for tests/golden/NAME.safetensors."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
sources = ''.join(re.sub(r'"\s*\n\s*"', '', p.read_text()) for p in root.glob('tests/**/*.cpp'))
cases = re.findall(r'TEST_CASE\(\s*"((?:[^"\\]|\\.)*)"', sources)
status = rows = 0
for path in sorted(root.glob('docs/coming_from_*.md')):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.startswith('| ') or line.endswith('| test |'):
            continue
        rows += 1
        cell = line.rstrip('|').rsplit('|', 1)[1]
        names = re.findall(r'`([^`]*)`', cell)
        wrong = [n for n in names if not (
            (root / f'tests/golden/{n[8:]}.safetensors').is_file() if n.startswith('golden: ')
            else any(c.startswith(n) for c in cases))]
        for complaint in wrong + ([] if names else ['nothing']):
            print(f'{path.relative_to(root)}:{number}: {complaint!r} is no test')
            status = 1
print(f'{rows} rows')
sys.exit(status or rows == 0)
