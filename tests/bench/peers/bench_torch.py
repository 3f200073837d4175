"""PyTorch on the workloads of workloads.md. One JSON line per figure.

usage: bench_torch.py [--mode eager|compile] [--threads N] [--only W1,W2] [--seconds S] [--clock wall|cpu]
"""
import argparse, json, math, statistics, time
import torch
from torch import nn
import torch.nn.functional as F


class TimeBlock(nn.Module):
    def __init__(self, steps):
        super().__init__()
        self.dense = nn.Linear(steps, steps)

    def forward(self, x):
        return x * torch.softmax(self.dense(x.transpose(1, 2)), -1).transpose(1, 2)


class FeatureBlock(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.dense = nn.Linear(features, features)

    def forward(self, x):
        return x * torch.softmax(self.dense(x), -1)


class W1(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.block, self.out = nn.LSTM(2, 32, batch_first=True), TimeBlock(20), nn.Linear(640, 1)

    def forward(self, x):
        return self.out(self.block(self.lstm(x)[0]).flatten(1))


class W2(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.lstm, self.out = FeatureBlock(10), nn.LSTM(10, 32, batch_first=True), nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.lstm(self.block(x))[0][:, -1])


class Luong(nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.w, self.out = nn.Linear(d, d, bias=False), nn.Linear(2 * d, units, bias=False)

    def forward(self, h):
        last = h[:, -1]
        a = torch.softmax(torch.bmm(self.w(h), last.unsqueeze(2)).squeeze(2), 1)
        return torch.tanh(self.out(torch.cat([torch.bmm(a.unsqueeze(1), h).squeeze(1), last], 1)))


class Bahdanau(nn.Module):
    def __init__(self, d, units):
        super().__init__()
        self.w1, self.w2, self.v = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False), nn.Linear(d, 1, bias=False)
        self.out = nn.Linear(2 * d, units, bias=False)

    def forward(self, h):
        last = h[:, -1]
        a = torch.softmax(self.v(torch.tanh(self.w1(last).unsqueeze(1) + self.w2(h))).squeeze(2), 1)
        return torch.tanh(self.out(torch.cat([torch.bmm(a.unsqueeze(1), h).squeeze(1), last], 1)))


class W3(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.att, self.out = nn.LSTM(1, 64, batch_first=True), Luong(64, 32), nn.Linear(32, 1)

    def forward(self, x):
        return self.out(self.att(self.lstm(x)[0]))


class W4(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.att, self.out = nn.LSTM(1, 100, batch_first=True), Bahdanau(100, 128), nn.Linear(128, 1)

    def forward(self, x):
        return self.out(F.dropout(self.att(self.lstm(x)[0]), .2, self.training))


class MHA(nn.Module):
    """Self-attention whose projection width differs from the input width, with readable weights left out (the fast path)."""

    def __init__(self, e_in, embed, heads, e_out):
        super().__init__()
        self.h = heads
        self.qkv, self.out = nn.Linear(e_in, 3 * embed), nn.Linear(embed, e_out)

    def forward(self, x):
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, -1).permute(2, 0, 3, 1, 4)
        return self.out(F.scaled_dot_product_attention(q, k, v).transpose(1, 2).reshape(b, n, -1))


class W5(nn.Module):
    def __init__(self):
        super().__init__()
        self.att, self.out = MHA(12, 64, 8, 64), nn.Linear(256, 1)

    def forward(self, x):
        return self.out(self.att(x).flatten(1))


class W6(nn.Module):
    def __init__(self):
        super().__init__()
        self.att, self.out = MHA(4, 64, 8, 4), nn.Linear(48, 1)

    def forward(self, x):
        return self.out(self.att(x.transpose(1, 2)).transpose(1, 2).flatten(1))


class W7(nn.Module):
    def __init__(self, n=81, t=10, m=64, p=64):
        super().__init__()
        self.m, self.p, self.t = m, p, t
        self.ue, self.we, self.ve = nn.Linear(t, t, bias=False), nn.Linear(2 * m, t, bias=False), nn.Linear(t, 1, bias=False)
        self.enc = nn.LSTMCell(n, m)
        self.ud, self.wd, self.vd = nn.Linear(m, m, bias=False), nn.Linear(2 * p, m, bias=False), nn.Linear(m, 1, bias=False)
        self.wt, self.dec = nn.Linear(m + 1, 1), nn.LSTMCell(1, p)
        self.wy, self.vy = nn.Linear(p + m, p), nn.Linear(p, 1)

    def forward(self, xy):
        x, y = xy
        b = x.shape[0]
        h = s = x.new_zeros(b, self.m)
        ux = self.ue(x.transpose(1, 2))
        hs = []
        for t in range(self.t):
            a = torch.softmax(self.ve(torch.tanh(ux + self.we(torch.cat([h, s], 1)).unsqueeze(1))).squeeze(2), 1)
            h, s = self.enc(a * x[:, t], (h, s))
            hs.append(h)
        hs = torch.stack(hs, 1)
        uh = self.ud(hs)
        d = c2 = x.new_zeros(b, self.p)
        for t in range(self.t):
            a = torch.softmax(self.vd(torch.tanh(uh + self.wd(torch.cat([d, c2], 1)).unsqueeze(1))).squeeze(2), 1)
            ctx = torch.bmm(a.unsqueeze(1), hs).squeeze(1)
            d, c2 = self.dec(self.wt(torch.cat([ctx, y[:, t:t + 1]], 1)), (d, c2))
        return self.vy(self.wy(torch.cat([d, ctx], 1)))


class EncoderLayer(nn.Module):
    def __init__(self, d, ff, heads, p):
        super().__init__()
        self.h, self.p = heads, p
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.f1, self.f2 = nn.Linear(d, ff), nn.Linear(ff, d)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, dropout_p=self.p if self.training else 0.)
        x = self.n1(x + F.dropout(self.o(a.transpose(1, 2).reshape(b, n, d)), self.p, self.training))
        y = F.dropout(self.f2(F.dropout(F.gelu(self.f1(x)), self.p, self.training)), self.p, self.training)
        return self.n2(x + y)


class ITransformer(nn.Module):
    def __init__(self, lookback, horizon, d, ff, layers, heads=8, p=.1):
        super().__init__()
        self.p = p
        self.emb = nn.Linear(lookback, d)
        self.layers = nn.ModuleList(EncoderLayer(d, ff, heads, p) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, horizon)

    def forward(self, x):
        mean = x.mean(1, keepdim=True).detach()
        x = x - mean
        std = torch.sqrt(x.var(1, keepdim=True, unbiased=False) + 1e-5).detach()
        z = F.dropout(self.emb((x / std).transpose(1, 2)), self.p, self.training)
        for layer in self.layers:
            z = layer(z)
        return self.head(self.norm(z)).transpose(1, 2) * std + mean


class W10(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm, self.out = nn.LSTM(64, 256, batch_first=True), nn.Linear(256, 1)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


bce = F.binary_cross_entropy_with_logits
flag = lambda n: torch.randint(0, 2, (n, 1)).float()
WORK = {
    "W1": (W1, bce, lambda: (torch.randn(64, 20, 2), flag(64))),
    "W2": (W2, bce, lambda: (torch.randn(64, 20, 10), flag(64))),
    "W3": (W3, F.l1_loss, lambda: (torch.randn(100, 10, 1), torch.randn(100, 1))),
    "W4": (W4, F.l1_loss, lambda: (torch.rand(64, 20, 1), torch.rand(64, 1))),
    "W5": (W5, F.mse_loss, lambda: (torch.randn(100, 4, 12), torch.randn(100, 1))),
    "W6": (W6, F.mse_loss, lambda: (torch.randn(100, 4, 12), torch.randn(100, 1))),
    "W7": (W7, F.mse_loss, lambda: ((torch.randn(128, 10, 81), torch.randn(128, 10)), torch.randn(128, 1))),
    "W8": (lambda: ITransformer(96, 96, 256, 256, 2), F.mse_loss, lambda: (torch.randn(32, 96, 7), torch.randn(32, 96, 7))),
    "W9": (lambda: ITransformer(96, 96, 512, 512, 3), F.mse_loss, lambda: (torch.randn(16, 96, 321), torch.randn(16, 96, 321))),
    "W10": (W10, F.mse_loss, lambda: (torch.randn(64, 100, 64), torch.randn(64, 1))),
}


def measure(step, seconds):
    """Median time of one step in microseconds, over blocks of about 20 ms."""
    for _ in range(5):
        step()
    t = clock(); step(); one = clock() - t
    per_block = max(1, int(.02 / one))
    blocks, start = [], clock()
    while len(blocks) < 30 or clock() - start < seconds:
        t = clock()
        for _ in range(per_block):
            step()
        blocks.append((clock() - t) / per_block)
        if len(blocks) >= 8 and clock() - start > 6 * seconds:
            break
    return statistics.median(blocks) * 1e6


def train(name, mode, seconds):
    make, loss_fn, data = WORK[name]
    torch.manual_seed(7)
    model = make()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-7)
    batches = [data() for _ in range(16)]
    call = torch.compile(model) if mode == "compile" else model
    losses, i = [], 0

    def step():
        nonlocal i
        x, y = batches[i % 16]; i += 1
        opt.zero_grad()
        loss = loss_fn(call(x), y)
        loss.backward()
        opt.step()
        losses.append(loss.item())

    us = measure(step, seconds)
    return us, losses[0], losses[-1], sum(p.numel() for p in model.parameters())


def gradcheck(seconds):
    torch.manual_seed(7)
    model = W1().double()
    names = [n for n, _ in model.named_parameters()]
    x = torch.randn(2, 20, 2, dtype=torch.float64, requires_grad=True)
    y = flag(2).double()

    def f(x, *ps):
        return bce(torch.func.functional_call(model, dict(zip(names, ps)), (x,)), y)

    inputs = (x, *[p.detach().clone().requires_grad_() for p in model.parameters()])
    t = clock()
    assert torch.autograd.gradcheck(f, inputs)
    return (clock() - t) * 1e6


def scalar(seconds):
    a, b = torch.tensor(-4., requires_grad=True), torch.tensor(2., requires_grad=True)

    def step():
        a.grad = b.grad = None
        c = a + b
        d = a * b + b * b * b
        e = c - d
        f = e * e
        g = f / 2
        g.backward()

    return measure(step, seconds)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--mode", default="eager", choices=["eager", "compile"])
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--only", default="")
    ap.add_argument("--seconds", type=float, default=1.)
    ap.add_argument("--clock", default="wall", choices=["wall", "cpu"])  # cpu: of all threads of this process
    o = ap.parse_args()
    clock = time.process_time if o.clock == "cpu" else time.perf_counter
    torch.set_num_threads(o.threads)
    only = o.only.split(",") if o.only else [*WORK, "W11", "W12"]
    for name in only:
        row = {"workload": name, "peer": f"torch-{o.mode}", "version": torch.__version__, "threads": o.threads}
        if name == "W11":
            row["us"] = gradcheck(o.seconds)
        elif name == "W12":
            row["us"] = scalar(o.seconds)
        else:
            row["us"], row["loss_first"], row["loss_last"], row["parameters"] = train(name, o.mode, o.seconds)
        print(json.dumps(row), flush=True)
