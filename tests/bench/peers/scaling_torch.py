"""PyTorch on the cases of ../scaling.cpp. Prints one JSON line.

usage: scaling_torch.py --case time|variables|batch --size N [--seconds S] [--clock wall|cpu]
"""
import argparse, json, resource, time
import torch
from torch import nn
import torch.nn.functional as F
import bench_torch as bench


class OverTime(nn.Module):
    def __init__(self):
        super().__init__()
        self.att, self.out = bench.MHA(64, 64, 4, 64), nn.Linear(64, 1)

    def forward(self, x):
        return self.out(self.att(x))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(32, 64, batch_first=True), nn.Linear(64, 1)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


CASES = {
    "time": (OverTime, lambda n: ((2, n, 64), (2, n, 1))),
    "variables": (lambda: bench.ITransformer(96, 96, 64, 64, 1, heads=4), lambda n: ((4, 96, n), (4, 96, n))),
    "batch": (Recurrent, lambda n: ((n, 50, 32), (n, 1))),
}


def megabytes():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--case", choices=CASES, required=True)
    ap.add_argument("--size", type=int, required=True)
    ap.add_argument("--seconds", type=float, default=1.)
    ap.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    o = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(7)
    bench.clock = time.process_time if o.clock == "cpu" else time.perf_counter
    make, shapes = CASES[o.case]
    before, model = megabytes(), make()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    x_shape, y_shape = shapes(o.size)
    batches = [(torch.randn(x_shape), torch.randn(y_shape)) for _ in range(2)]
    i = 0

    def step():
        nonlocal i
        x, y = batches[i % 2]
        i += 1
        opt.zero_grad()
        loss = F.mse_loss(model(x), y)
        loss.backward()
        opt.step()
        loss.item()

    us = bench.measure(step, o.seconds)
    print(json.dumps({"case": o.case, "size": o.size, "peer": "PyTorch", "us": us, "megabytes": megabytes(),
                      "megabytes_before": before}))


if __name__ == "__main__":
    main()
