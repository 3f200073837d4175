"""PyTorch on the training that docs/etth1.md gives for itransformer: the same table, split, windows, network, first values,
batch, schedule, patience and kind of numbers (float). One JSON line per seed.

usage: etth1_itransformer.py ETTh1.csv [--seed N] [--epochs N] [--patience N] [--threads N] [--clock cpu|wall]
"""
import argparse
import copy
import csv
import json
import time
import torch
import torch.nn.functional as F
from bench_torch import ITransformer

LOOKBACK, HORIZON, BATCH, RATE = 96, 96, 32, 1e-4
TRAIN, VALIDATION, TEST = 8640, 11520, 14400  # each part ends before this row


def read(path):
    with open(path) as file:
        rows = list(csv.reader(file))[1:]
    return torch.tensor([[float(v) for v in row[1:]] for row in rows], dtype=torch.float64)


def windows(table, begin, end):
    """Every window whose rows to forecast lie in begin..end-1: (N, LOOKBACK + HORIZON, variables), not copied."""
    return table[max(0, begin - LOOKBACK):end].unfold(0, LOOKBACK + HORIZON, 1).transpose(1, 2)


def errors(model, part):
    model.eval()
    squares = absolutes = 0.
    with torch.no_grad():
        for batch in part.split(256):
            e = model(batch[:, :LOOKBACK]) - batch[:, LOOKBACK:]
            squares += e.double().square().sum().item()
            absolutes += e.double().abs().sum().item()
    n = part.shape[0] * HORIZON * part.shape[2]
    return squares / n, absolutes / n


def epoch_of(model, optimizer, part):
    model.train()
    total = 0.
    for at in torch.randperm(part.shape[0]).split(BATCH):
        batch = part[at]
        optimizer.zero_grad()
        loss = F.mse_loss(model(batch[:, :LOOKBACK]), batch[:, LOOKBACK:])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(at)
    return total / part.shape[0]


def run(table, options, clock):
    torch.manual_seed(options.seed)
    begun = clock()
    train = windows(table, 0, TRAIN)
    validation, test = windows(table, TRAIN, VALIDATION), windows(table, VALIDATION, TEST)
    model = ITransformer(LOOKBACK, HORIZON, 256, 256, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=RATE, eps=1e-7)
    history, best, kept = [], float("inf"), None
    for epoch in range(options.epochs):
        for group in optimizer.param_groups:
            group["lr"] = RATE * .5 ** max(0, epoch - 1)
        loss = epoch_of(model, optimizer, train)
        history.append([loss, errors(model, validation)[0]])
        if history[-1][1] < best:
            best, best_epoch, kept = history[-1][1], epoch, copy.deepcopy(model.state_dict())
        elif options.patience and epoch - best_epoch >= options.patience:
            break
    trained = clock() - begun
    model.load_state_dict(kept)
    mse, mae = errors(model, test)
    return {"seed": options.seed, "epochs": len(history), "train_s": trained, "all_s": clock() - begun, "val_mse": best,
            "test_mse": mse, "test_mae": mae, "history": history}


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("table")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--epochs", type=int, default=10)
    ap.add_argument("--patience", type=int, default=3)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--clock", default="cpu", choices=["wall", "cpu"])
    o = ap.parse_args()
    torch.set_num_threads(o.threads)
    values = read(o.table)
    seen = values[:TRAIN]
    scaled = ((values - seen.mean(0)) / seen.std(0, unbiased=False)).float()
    row = run(scaled, o, time.process_time if o.clock == "cpu" else time.perf_counter)
    print(json.dumps({"peer": "torch", "version": torch.__version__, "threads": o.threads, **row}))
