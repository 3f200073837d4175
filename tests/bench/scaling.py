"""The tables of scaling.sh from the JSON lines of its runs, and the data of docs/images/growth.gp: scaling.py FILE FOLDER"""
import collections
import json
import math
import statistics
import sys


def time_flops(n):
    """Multiply-adds of a step: four projections of 64 x 64 and the head, three times for forward and backward; of (n, n) scores 16
    wide, 2 heads' worth of products forward, 5 in backward, which makes the scores again."""
    return 2 * (3 * n * (4 * 64 * 64 + 64) + 4 * 16 * 7 * n * n)


def variables_flops(n):
    return 4 * (3 * n * (2 * 96 * 64 + 6 * 64 * 64) + 4 * 16 * 7 * n * n)


def batch_flops(n):
    return 3 * n * (50 * (32 + 64) * 256 + 64)


CASES = {
    "time": ("steps", time_flops),
    "variables": ("variables", variables_flops),
    "batch": ("batch", batch_flops),
}


def exponent(a, b, f_a, f_b):
    """p of f ~ n^p between the sizes a and b."""
    return math.log(f_b / f_a) / math.log(b / a)


def read(path):
    """case -> peer -> size -> (us, megabytes), medians."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(list)))
    with open(path) as lines:
        for line in lines:
            row = json.loads(line)
            found[row["case"]][row["peer"]][row["size"]].append((row["us"], row["megabytes"]))
    return {
        c: {p: {n: tuple(map(statistics.median, zip(*v))) for n, v in sorted(sizes.items())} for p, sizes in peers.items()}
        for c, peers in found.items()
    }


def main():
    table, folder = read(sys.argv[1]), sys.argv[2]
    for case, (unit, flops) in CASES.items():
        peers = table[case]
        ours, theirs = peers["axisgrad"], peers.get("PyTorch", {})
        print(f"| {unit} | axisgrad ms | PyTorch ms | ratio | exponent | PyTorch's | the arithmetic's | axisgrad MB | PyTorch MB |")
        print("|--:" * 9 + "|")
        before = None
        for n, (us, megabytes) in ours.items():
            other = theirs.get(n)
            grown = ["", "", ""]
            if before:
                grown[0] = f"{exponent(before, n, ours[before][0], us):.2f}"
                grown[1] = f"{exponent(before, n, theirs[before][0], other[0]):.2f}" if other else ""
                grown[2] = f"{exponent(before, n, flops(before), flops(n)):.2f}"
            cells = [n, f"{us / 1e3:.3g}", f"{other[0] / 1e3:.3g}" if other else "-", f"{other[0] / us:.2f}" if other else "-"]
            cells += grown + [f"{megabytes:.0f}", f"{other[1]:.0f}" if other else "-"]
            print("| " + " | ".join(map(str, cells)) + " |")
            before = n
        print()
        with open(f"{folder}/growth_{case}.dat", "w") as data:
            print(f"# {unit}, axisgrad us, axisgrad MB, PyTorch us, PyTorch MB", file=data)
            for n, (us, megabytes) in ours.items():
                other = theirs.get(n, ("?", "?"))
                print(n, f"{us:.1f}", f"{megabytes:.1f}", *(f"{v:.1f}" if other[0] != "?" else v for v in other), file=data)


if __name__ == "__main__":
    main()
