"""mutants.py SOURCE COPY [all]: copies SOURCE/autograd to COPY/axisgrad/autograd and plants wrong gradients in the copy: in the gradient
rules of autograd/ops/ and in the backward parts of the kernels that have rules of their own (KERNELS).

A function's body stands in the copy once as it is and once for each mutant, chosen at run time:

    gradient(...) { if (axisgrad_mutant == 7) { the body with one sign, index or constant changed } ... the body }

so that all mutants are compiled together. all_ops() of the copy gives little more than the ops named by AXISGRAD_MUTANT_OPS, if that is set.
Prints one line for each mutant: number, file, op or function, what was changed, ops whose samples should show it.
"""
import pathlib
import re
import shutil
import sys

RULE = re.compile(r'(std::array<V, \d+>|void|Tensor<T>)\s+(?:(\w+)::)?(gradient|of_logits)\(([^()]*)\)\s*\{')
KERNEL = re.compile(r'(void|const T\*|ScoreView<T>)\s+()(\w+)\(([^()]*)\)\s*(?:const\s*)?\{')
# Of each file: the ops that use it; its functions that serve backward alone and are not called ...backward...; and
# what could be taken for one another there (in one function, if that is named): each use becomes the next of its group.
KERNELS = {
    'layer_norm.cpp': ('layer_norm', [], ['x g', 'mean inverse', 'of_gamma of_beta', 'dgamma dbeta']),
    'arch/rows.cpp': ('layer_norm', [], ['a b', 'dgamma dbeta', 'x_hat h']),
    'attention_tiles.cpp': ('scaled_dot_product_attention', ['row_sums', 'add_transposed'],
                            ['dk dv', 'keys values', 'most inverse', 'g_out out']),
    'gate.cpp': ('time_gate', ['sample'], ['g_y g_weights']),
}
# Only with `all`: their ops are the slowest to check.
DEAR_KERNELS = {
    'lstm.cpp': ('lstm', ['start', 'carry_back'], ['backward: up down', 'd.h0 d.c0', 'g.last_h g.last_c']),
    'arch/lstm.cpp': ('lstm', [], ['i f g o', 't up']),
    'arch/softmax.hpp': ('softmax,log_softmax,scaled_dot_product_attention', [], ['softmax_backward_rows: y g', 'softmax_backward_columns: y g', 'most inverse']),
    'attention.cpp': ('scaled_dot_product_attention', ['add_times_queries', 'kept_weights', 'scores_block'], ['g.q g.k g.v', 's ds']),
    'dual_stage.cpp': ('input_attention_lstm,temporal_attention_lstm', ['shared_gradients'], ['up down', 'dq dv', 'of_past of_bias']),
    'arch/additive.cpp': ('input_attention_lstm,temporal_attention_lstm', [], ['slope of_v', 'values weights']),
}
# How the work is cut into tasks and how large scratch is changes no value.
DIVISION = re.compile(r'\b(grain|block|blocks|chunk|parallel_chunks|samples_per_thread|share)\b|Scratch<T>')

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


class Edits:
    """Mutations of one body: (begin, end, replacement)."""

    def __init__(self, body):
        self.body, self.found = body, []
        self.comments = [m.span() for m in re.finditer(r'//[^\n]*', body)]

    def replace(self, pattern, replacement):
        """Of each match; the replacement may be a function of the match."""
        for match in re.finditer(pattern, self.body):
            self.add(*match.span(), replacement(match) if callable(replacement) else replacement)

    def add(self, begin, end, replacement):
        if not any(first <= begin < last for first, last in self.comments):
            self.found.append((begin, end, replacement))

    def negate(self, begin, end):
        text = self.body[begin:end].strip()
        if text.startswith('std::move('):  # a Tensor
            text = f'Var<T>({text})'
        if text not in ('V(0)', ''):
            self.add(begin, end, f' -({text})')

    def signs_and_constants(self):
        self.replace(r'(?<= )[+-](?= )', lambda m: '-' if m.group() == '+' else '+')
        self.replace(r'(?<=[({])-(?=[\w(])|(?<=[,=?:] )-(?=[\w(])', '')
        self.replace(r'(?<=\b[VT]\()(\d*\.?\d+(?:e-?\d+)?)(?=\))', lambda m: m.group() + ' + 1')
        self.replace(r'\btrue\b|\bfalse\b', lambda m: 'false' if m.group() == 'true' else 'true')
        self.replace(r'!(?=[\w.]+[,})])', '')

    def of_formula(self):
        """Returns the gradients by the inputs, one after the other."""
        self.signs_and_constants()
        self.replace(r'(?<= )[<>](?= )', lambda m: '<' if m.group() == '>' else '>')
        for match in re.finditer(r'return \{', self.body):
            results = parts(self.body, match.end(), closing(self.body, match.end() - 1))
            for begin, end in results:
                self.negate(begin, end)
            for (a, b), (c, d) in zip(results, results[1:]):
                if self.body[a:b].strip() != self.body[c:d].strip():
                    self.add(a, d, f'{self.body[c:d]}, {self.body[a:b]}')

    def of_rule(self):
        """Adds to the gradient of each input."""
        self.signs_and_constants()
        for match in re.finditer(r'\br\.add\(', self.body):
            end = closing(self.body, match.end() - 1)
            self.negate(parts(self.body, match.end(), end)[0][1] + 1, end)
        if 'r.input(0)' in self.body and 'r.input(1)' in self.body:
            self.replace(r'(?<=r\.input\()[01](?=\))', lambda m: '10'[int(m.group())])
        self.replace(r'(?<=r\.add\()\d(?=,)|(?<=r\.shape\()\d(?=\))', lambda m: str(int(m.group()) + 1))
        self.replace(r'(?<=[(, ])axis(?=[,)}])', '(axis ^ 1)')
        self.replace(r'(?<=[(, ])axes(?=[,)}])', '(axes ^ 3u)')
        self.replace(r'\.(?:begin|end) = (?=\w)', lambda m: m.group() + '1 + ')

    def of_kernel(self, function='', alike=()):
        """Writes to buffers."""
        self.signs_and_constants()
        self.replace(r'(?<= )\+=(?= )', '-=')
        self.replace(r'\b\d+(?= \* )', lambda m: str(int(m.group()) + 1))
        self.replace(r' (\|\||&&) ', lambda m: ' && ' if m.group(1) == '||' else ' || ')
        for match in re.finditer(r'\bif \(', self.body):
            end = closing(self.body, match.end() - 1)
            self.add(match.end(), end, f'!({self.body[match.end():end]})')
        for group in alike:
            where, _, names = group.rpartition(': ')
            used = [n for n in names.split() if where in ('', function) and re.search(use_of(n), self.body)]
            for name, other in zip(used, used[1:] + used[:1]) if len(used) > 1 else []:
                self.replace(use_of(name), other)
        self.found = [e for e in self.found if not DIVISION.search(line_of(self.body, e[0], e[1]))]


def use_of(name):
    """Pattern of its uses, its declaration left out."""
    return rf'(?<![\w.&*>]){re.escape(name)}(?![\w.(])(?! = )(?!\()'


def line_of(body, begin, end):
    last = body.find('\n', end)
    return body[body.rfind('\n', 0, begin) + 1:last if last >= 0 else len(body)]


def shown(body, begin, end, replacement):
    first, last = body.rfind('\n', 0, begin) + 1, body.find('\n', end)
    line = body[first:begin] + replacement + body[end:last if last >= 0 else len(body)]
    return ' '.join(line.split())


class Planter:
    def __init__(self):
        self.number = 0

    def plant(self, path, definition, wanted, edits_of, label_of):
        """Rewrites a file; returns how many functions were understood."""
        text = path.read_text()
        pieces, at, functions = [], 0, 0
        for match in definition.finditer(text):
            if not wanted(match, text):
                continue
            open_brace = match.end() - 1
            close = closing(text, open_brace)
            if open_brace < at:
                continue  # inside of the one before
            body = text[open_brace + 1:close]
            label, ops = label_of(match, text)
            functions += 1
            edits = Edits(body)
            edits_of(edits, match)
            if not edits.found and definition is KERNEL:
                continue  # it only hands on
            if not edits.found:
                sys.exit(f'{path.name}: {label}: nothing to change in its backward arithmetic')
            pieces.append(text[at:open_brace + 1])
            for begin, end, replacement in edits.found:
                self.number += 1
                pieces.append(f'\nif (axisgrad_mutant == {self.number}) {{ {{{body[:begin]}{replacement}{body[end:]}}}'
                              + (' return; }' if match.group(1) == 'void' else ' }'))
                print(self.number, path.name, label, shown(body, begin, end, replacement), ops, sep='\t')
            pieces.append(body)
            at = close
        if functions:
            path.write_text('extern int axisgrad_mutant;\n' + ''.join(pieces) + text[at:])
        return functions


def plant_rules(planter, folder):
    rules = sources = 0
    for path in sorted(folder.iterdir()):
        text = path.read_text()
        sources += len(re.findall(r'\bgradient\((?:const V&|Rule<T>&)[^;]*?\)\s*\{', text))

        def op_of(match, text):
            op = match.group(2) or re.findall(r'struct (\w+_op)\b', text[:match.start()])[-1]
            name = re.search(rf'struct {op}\b(?:(?!struct ).)*?name = "(\w+)"', text, re.S)
            return op, name.group(1) if name else op.removesuffix('_op')

        def differentiable(match, text):
            return not re.search(rf'struct {op_of(match, text)[0]}\b(?:(?!struct ).)*?differentiable = false', text, re.S)

        def edits_of(edits, match):
            if match.group(3) == 'of_logits':
                edits.of_kernel()
            elif match.group(1) == 'void':
                edits.of_rule()
            else:
                edits.of_formula()

        constant = sum(m.group(3) == 'gradient' and not differentiable(m, text) for m in RULE.finditer(text))
        helpers = sum(m.group(3) != 'gradient' for m in RULE.finditer(text))
        rules += planter.plant(path, RULE, differentiable, edits_of, op_of) + constant - helpers
    if rules != sources:
        sys.exit(f'{sources} gradient rules in the sources, {rules} understood')


def plant_kernels(planter, folder, kernels):
    for name, (ops, helpers, alike) in kernels.items():
        text = (folder / name).read_text()
        missing = [h for h in helpers if not re.search(rf'\b{h}\([^()]*\)\s*(?:const\s*)?\{{', text)]
        if missing:
            sys.exit(f'kernels/{name}: no function {", ".join(missing)}')
        functions = planter.plant(folder / name, KERNEL,
                                  lambda m, _: 'backward' in m.group(3) or m.group(3) in helpers,
                                  lambda edits, m: edits.of_kernel(m.group(3), alike),
                                  lambda m, _: (f'{name}: {m.group(3)}', ops))
        expected = len(re.findall(r'\b\w*backward\w*\([^;]*?\)\s*(?:const\s*)?\{', text)) + len(helpers)
        if functions != expected:
            sys.exit(f'kernels/{name}: {expected} functions of backward, {functions} understood')


def choose_ops(path):
    """all_ops() gives those of AXISGRAD_MUTANT_OPS alone, if that is set, and the two of which the table test knows zero gradients."""
    text = path.read_text()
    assert text.count('  return all;\n') == 1
    path.write_text('#include <cstdlib>\n#include <cstring>\n' + text.replace('  return all;\n', '''
  if (const char* names = std::getenv("AXISGRAD_MUTANT_OPS"))
    std::erase_if(all, [&](const OpEntry& op) {
      const std::string list = ",softmax,where," + std::string(names) + ",", one = "," + std::string(op.name) + ",";
      return list.find(one) == list.npos;
    });
  return all;
'''))


def main(source, copy, extent=''):
    target = copy / 'axisgrad' / 'autograd'
    shutil.copytree(source / 'autograd', target)
    planter = Planter()
    plant_rules(planter, target / 'ops')
    plant_kernels(planter, target / 'kernels', KERNELS | (DEAR_KERNELS if extent == 'all' else {}))
    choose_ops(target / 'ops' / 'catalogue.cpp')


main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), *sys.argv[3:])
