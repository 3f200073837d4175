"""The table of compare.sh, from the JSON lines of its runs: compare.py FILE"""
import collections
import json
import statistics
import sys

times = collections.defaultdict(lambda: collections.defaultdict(dict))  # workload, peer, round
with open(sys.argv[1]) as lines:
    for line in lines:
        row = json.loads(line)
        times[row["workload"]][row["peer"]][row["round"]] = row["us"]

peers = sorted({p for w in times.values() for p in w if p != "axisgrad"})
print("us per step, median of the rounds; ratio = best peer / axisgrad, median (smallest-largest)\n")
print("| workload | axisgrad | " + " | ".join(peers) + " | best peer | ratio |")
print("|---" * (len(peers) + 4) + "|")
for name in sorted(times, key=lambda w: int(w[1:])):
    rows = times[name]
    if "axisgrad" not in rows:
        continue
    median = {p: statistics.median(r.values()) for p, r in rows.items()}
    others = {p: m for p, m in median.items() if p != "axisgrad"}
    cells = [name, f"{median['axisgrad']:.4g}"] + [f"{median[p]:.4g}" if p in median else "-" for p in peers]
    if others:
        best = min(others, key=others.get)
        ratios = [rows[best][r] / us for r, us in rows["axisgrad"].items() if r in rows[best]]
        cells += [best, f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"]
    else:
        cells += ["-", "-"]
    print("| " + " | ".join(cells) + " |")
