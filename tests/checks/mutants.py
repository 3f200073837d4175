"""mutants.py SOURCE COPY: copies SOURCE/autograd to COPY/axisgrad/autograd and plants wrong gradients in the copy.

A rule's body stands in the copy once as it is and once for each mutant, chosen at run time:

    gradient(...) { if (axisgrad_mutant == 7) { the body with one sign, index or constant changed } ... the body }

so that all mutants are compiled together. Prints one line for each: number, file, op, what was changed.
"""
import pathlib
import re
import shutil
import sys

DEFINITION = re.compile(r'(std::array<V, \d+>|void)\s+(?:(\w+)::)?gradient\(([^()]*)\)\s*\{')


def closing(text, at):
    """Position of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] in '({[':
            depth += 1
        elif text[i] in ')}]':
            depth -= 1
            if depth == 0:
                return i
    raise ValueError('no closing bracket')


def parts(text, begin, end):
    """The pieces between top-level commas, as (begin, end); < > of templates count as brackets only after a name."""
    pieces, depth, first = [], 0, begin
    for i in range(begin, end):
        if text[i] in '({[':
            depth += 1
        elif text[i] in ')}]':
            depth -= 1
        elif text[i] == ',' and depth == 0:
            pieces.append((first, i))
            first = i + 1
    return pieces + [(first, end)]


def edits(body, formula):
    """Every (begin, end, replacement) of one mutation."""
    found = []

    def negate(begin, end):
        text = body[begin:end].strip()
        if text not in ('V(0)', ''):
            found.append((begin, end, f' -({text})'))

    if formula:  # the results, one for each input
        for match in re.finditer(r'return \{', body):
            for begin, end in parts(body, match.end(), closing(body, match.end() - 1)):
                negate(begin, end)
    else:  # what is added to the gradient of each input
        for match in re.finditer(r'\br\.add\(', body):
            end = closing(body, match.end() - 1)
            begin = parts(body, match.end(), end)[0][1] + 1
            negate(begin, end)
    signs = {'+': '-', '-': '+'}
    for match in re.finditer(r'(?<= )[+-](?= )', body):
        found.append((match.start(), match.end(), signs[match.group()]))
    for match in re.finditer(r'(?<=[({])-(?=[\w(])|(?<=[,=?:] )-(?=[\w(])', body):
        found.append((match.start(), match.end(), ''))
    for match in re.finditer(r'(?<=\b[VT]\()(\d*\.?\d+(?:e-?\d+)?)(?=\))', body):
        found.append((match.start(), match.end(), match.group() + ' + 1'))
    for match in re.finditer(r'\btrue\b|\bfalse\b', body):
        found.append((match.start(), match.end(), 'false' if match.group() == 'true' else 'true'))
    for match in re.finditer(r'!(?=\w+[,})])', body):
        found.append((match.start(), match.end(), ''))
    if 'r.input(0)' in body and 'r.input(1)' in body:
        for match in re.finditer(r'(?<=r\.input\()[01](?=\))', body):
            found.append((match.start(), match.end(), '10'[int(match.group())]))
    return found


def shown(body, begin, end, replacement):
    first, last = body.rfind('\n', 0, begin) + 1, body.find('\n', end)
    line = body[first:begin] + replacement + body[end:last if last >= 0 else len(body)]
    return ' '.join(line.split())


def main(source, copy):
    target = copy / 'axisgrad' / 'autograd'
    shutil.copytree(source / 'autograd', target)
    number, rules, sources = 0, 0, 0
    for path in sorted((target / 'ops').iterdir()):
        text = path.read_text()
        sources += len(re.findall(r'\bgradient\((?:const V&|Rule<T>&)[^;]*?\)\s*\{', text))
        pieces, at, here = [], 0, 0
        for match in DEFINITION.finditer(text):
            open_brace = match.end() - 1
            close = closing(text, open_brace)
            body = text[open_brace + 1:close]
            op = match.group(2) or re.findall(r'struct (\w+_op)\b', text[:match.start()])[-1]
            rules += 1
            differentiable = not re.search(rf'struct {op}\b(?:(?!struct ).)*?differentiable = false', text, re.S)
            own = edits(body, match.group(1) != 'void') if differentiable else []
            pieces.append(text[at:open_brace + 1])
            for begin, end, replacement in own:
                number += 1
                here += 1
                pieces.append(f'\nif (axisgrad_mutant == {number}) {{ {{{body[:begin]}{replacement}{body[end:]}}}'
                              + (' return; }' if match.group(1) == 'void' else ' }'))
                print(number, path.name, op, shown(body, begin, end, replacement), sep='\t')
            if not own and differentiable:
                sys.exit(f'{path.name}: {op}: nothing to change in its gradient rule')
            pieces.append(body)
            at = close
        if here:
            path.write_text('extern int axisgrad_mutant;\n' + ''.join(pieces) + text[at:])
    if rules != sources:
        sys.exit(f'{sources} gradient rules in the sources, {rules} understood')


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
