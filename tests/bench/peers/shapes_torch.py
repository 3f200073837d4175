"""PyTorch on the rows of ../shapes.cpp. One JSON line per figure.

usage: shapes_torch.py [--threads N] [--only A1,A2] [--seconds S] [--clock wall|cpu]
"""
import argparse, json, time
import torch
from torch import nn
import torch.nn.functional as F
import bench_torch as bench

BATCH, TOKENS, WIDTH, HEADS = 17, 37, 33, 3


def mask(*shape):
    m = torch.ones(shape, dtype=torch.bool)
    m.view(-1)[::3] = False
    return m


class Attending(nn.Module):
    def __init__(self, mask=None, causal=False, value=22, weights=False, dropout=0.):
        super().__init__()
        self.mask, self.causal, self.weights, self.dropout = mask, causal, weights, dropout
        self.q, self.k = nn.Linear(WIDTH, HEADS * 22), nn.Linear(WIDTH, HEADS * 22)
        self.v, self.o = nn.Linear(WIDTH, HEADS * value), nn.Linear(HEADS * value, WIDTH)

    def forward(self, x, y=None):
        y = x if y is None else y
        q, k, v = (t.unflatten(-1, (HEADS, -1)).transpose(1, 2) for t in (self.q(x), self.k(y), self.v(y)))
        if self.weights:
            a = torch.softmax(q @ k.transpose(-1, -2) / q.shape[-1] ** .5, -1) @ v
        else:
            a = F.scaled_dot_product_attention(q, k, v, self.mask, self.dropout, self.causal)
        return self.o(a.transpose(1, 2).flatten(2))


class Recurrent(nn.Module):
    """nn.LSTM knows no masks: with one, step by step."""

    def __init__(self, mask=None, state=False):
        super().__init__()
        self.mask = mask
        self.lstm = nn.LSTM(WIDTH, WIDTH, batch_first=True) if mask is None else nn.LSTMCell(WIDTH, WIDTH)
        draw = lambda: torch.randn(BATCH, WIDTH) if state else torch.zeros(BATCH, WIDTH)
        self.register_buffer("h", draw()), self.register_buffer("c", draw())

    def forward(self, x):
        if self.mask is None:
            return self.lstm(x, (self.h[None], self.c[None]))[0]
        h, c, all = self.h, self.c, []
        for t in range(TOKENS):
            new, cell = self.lstm(x[:, t], (h, c))
            here = self.mask[:, t, None]
            h, c = torch.where(here, new, h), torch.where(here, cell, c)
            all.append(h)
        return torch.stack(all, 1)


class Classes(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        return F.log_softmax(self.dense(x), -1)


ROWS = {
    "A1": (Attending, (TOKENS,)),
    "A2": (lambda: Attending(mask(BATCH, 1, 1, TOKENS)), (TOKENS,)),
    "A3": (lambda: Attending(causal=True), (TOKENS,)),
    "A4": (lambda: Attending(mask(BATCH, 1, TOKENS, TOKENS)), (TOKENS,)),
    "A5": (lambda: Attending(mask(BATCH, 1, 1, TOKENS)).double(), (TOKENS,)),
    "A6": (lambda: Attending(value=10), (TOKENS, 50)),
    "A7": (lambda: Attending(weights=True), (TOKENS,)),
    "A8": (lambda: Attending(dropout=.1), (TOKENS,)),
    "A9": (lambda: Attending(causal=True), (321,)),
    "A10": (Classes, (TOKENS,)),
    "L1": (Recurrent, (TOKENS,)),
    "L2": (lambda: Recurrent(mask(BATCH, TOKENS)), (TOKENS,)),
    "L3": (lambda: Recurrent(state=True), (TOKENS,)),
    "L4": (lambda: Recurrent(mask(BATCH, TOKENS), True).double(), (TOKENS,)),
}


def train(name, seconds):
    make, tokens = ROWS[name]
    torch.manual_seed(7)
    model = make()
    kind = next(model.parameters()).dtype
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    draw = lambda n: torch.randn(BATCH, n, WIDTH, dtype=kind)
    batches = [([draw(n) for n in tokens], draw(tokens[0])) for _ in range(16)]
    i = 0

    def step():
        nonlocal i
        x, y = batches[i % 16]
        i += 1
        opt.zero_grad()
        loss = F.mse_loss(model(*x), y)
        loss.backward()
        opt.step()
        loss.item()

    return bench.measure(step, seconds)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--only", default="")
    ap.add_argument("--seconds", type=float, default=1.)
    ap.add_argument("--clock", default="wall", choices=["wall", "cpu"])
    o = ap.parse_args()
    torch.set_num_threads(o.threads)
    bench.clock = time.process_time if o.clock == "cpu" else time.perf_counter
    for name in o.only.split(",") if o.only else ROWS:
        print(json.dumps({"workload": name, "peer": "torch-eager", "threads": o.threads, "us": train(name, o.seconds)}), flush=True)


if __name__ == "__main__":
    main()
