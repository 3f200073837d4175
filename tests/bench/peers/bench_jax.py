"""JAX on the workloads of workloads.md: the whole training step in one jit. One JSON line per figure.

usage: bench_jax.py [--threads N] [--only W1,W2] [--seconds S] [--clock wall|cpu]      (N is 1 or 2)
"""
import argparse, json, os, statistics, time
ap = argparse.ArgumentParser()
ap.add_argument("--threads", type=int, default=1)
ap.add_argument("--only", default="")
ap.add_argument("--seconds", type=float, default=1.)
ap.add_argument("--clock", default="wall", choices=["wall", "cpu"])  # cpu: of all threads of this process
o = ap.parse_args()
clock = time.process_time if o.clock == "cpu" else time.perf_counter
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:o.threads]))  # XLA sizes its thread pool by the CPUs it may use
import jax, jax.numpy as jnp, numpy as np

rng = np.random.default_rng(7)


def dense(i, n, bias=True):
    r = (6 / (i + n)) ** .5
    p = {"w": jnp.asarray(rng.uniform(-r, r, (i, n)), jnp.float32)}
    return {**p, "b": jnp.zeros(n)} if bias else p


def lin(p, x):
    y = x @ p["w"]
    return y + p["b"] if "b" in p else y


def lstm(d, u):
    return {"x": dense(d, 4 * u), "h": dense(u, 4 * u, False)}


def lstm_cell(p, xg, h, c):
    i, f, g, q = jnp.split(xg + h @ p["h"]["w"], 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(q) * jnp.tanh(c), c


def run_lstm(p, x):
    b, u = x.shape[0], p["h"]["w"].shape[0]
    xg = lin(p["x"], x).transpose(1, 0, 2)

    def body(s, g):
        s = lstm_cell(p, g, *s)
        return s, s[0]
    return jax.lax.scan(body, (jnp.zeros((b, u)), jnp.zeros((b, u))), xg)[1].transpose(1, 0, 2)


def dropout(key, x, p):
    return jnp.where(jax.random.bernoulli(key, 1 - p, x.shape), x / (1 - p), 0.)


def time_block(p, x):
    return x * jax.nn.softmax(lin(p, x.transpose(0, 2, 1)), -1).transpose(0, 2, 1)


def feature_block(p, x):
    return x * jax.nn.softmax(lin(p, x), -1)


def luong(p, h):
    a = jax.nn.softmax(jnp.einsum("btd,bd->bt", lin(p["w"], h), h[:, -1]), 1)
    return jnp.tanh(lin(p["o"], jnp.concatenate([jnp.einsum("bt,btd->bd", a, h), h[:, -1]], 1)))


def bahdanau(p, h):
    s = lin(p["v"], jnp.tanh(lin(p["w1"], h[:, -1])[:, None] + lin(p["w2"], h)))[..., 0]
    a = jax.nn.softmax(s, 1)
    return jnp.tanh(lin(p["o"], jnp.concatenate([jnp.einsum("bt,btd->bd", a, h), h[:, -1]], 1)))


def mha(p, x, heads, key=None, rate=0.):
    b, n, _ = x.shape
    q, k, v = jnp.split(lin(p["qkv"], x).reshape(b, n, 3 * heads, -1), 3, 2)
    w = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** .5, -1)
    if rate:
        w = dropout(key, w, rate)
    return lin(p["o"], jnp.einsum("bhqk,bkhd->bqhd", w, v).reshape(b, n, -1))


def norm(p, x):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-5) * p["g"] + p["b"]


bce = lambda z, y: jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z))))
mae = lambda z, y: jnp.abs(z - y).mean()
mse = lambda z, y: ((z - y) ** 2).mean()


def da_rnn(p, xy, key):
    x, y = xy
    b, t, _ = x.shape
    u = p["enc"]["h"]["w"].shape[0]
    z = jnp.zeros((b, u))
    ux = lin(p["ue"], x.transpose(0, 2, 1))

    def enc(s, xt):
        a = jax.nn.softmax(lin(p["ve"], jnp.tanh(ux + lin(p["we"], jnp.concatenate(s, 1))[:, None]))[..., 0], 1)
        s = lstm_cell(p["enc"], lin(p["enc"]["x"], a * xt), *s)
        return s, s[0]
    hs = jax.lax.scan(enc, (z, z), x.transpose(1, 0, 2))[1].transpose(1, 0, 2)
    uh = lin(p["ud"], hs)

    def dec(s, yt):
        d, c, _ = s
        a = jax.nn.softmax(lin(p["vd"], jnp.tanh(uh + lin(p["wd"], jnp.concatenate([d, c], 1))[:, None]))[..., 0], 1)
        ctx = jnp.einsum("bt,btd->bd", a, hs)
        d, c = lstm_cell(p["dec"], lin(p["dec"]["x"], lin(p["wt"], jnp.concatenate([ctx, yt[:, None]], 1))), d, c)
        return (d, c, ctx), None
    d, _, ctx = jax.lax.scan(dec, (z, z, z), y.T)[0]
    return lin(p["vy"], lin(p["wy"], jnp.concatenate([d, ctx], 1)))


def itransformer(p, x, key):
    m = jax.lax.stop_gradient(x.mean(1, keepdims=True))
    s = jax.lax.stop_gradient(jnp.sqrt(((x - m) ** 2).mean(1, keepdims=True) + 1e-5))
    keys = iter(jax.random.split(key, 1 + 4 * len(p["layers"])))
    z = dropout(next(keys), lin(p["emb"], ((x - m) / s).transpose(0, 2, 1)), .1)
    for q in p["layers"]:
        z = norm(q["n1"], z + dropout(next(keys), mha(q, z, 8, next(keys), .1), .1))
        f = dropout(next(keys), jax.nn.gelu(lin(q["f1"], z), approximate=False), .1)
        z = norm(q["n2"], z + dropout(next(keys), lin(q["f2"], f), .1))
    return lin(p["head"], norm(p["norm"], z)).transpose(0, 2, 1) * s + m


def itr_params(d, ff, layers, t=96):
    ln = lambda: {"g": jnp.ones(d), "b": jnp.zeros(d)}
    return {"emb": dense(t, d), "norm": ln(), "head": dense(d, t),
            "layers": [{"qkv": dense(d, 3 * d), "o": dense(d, d), "n1": ln(), "n2": ln(), "f1": dense(d, ff), "f2": dense(ff, d)} for _ in range(layers)]}


N = lambda *s: rng.standard_normal(s).astype("f4")
flag = lambda n: rng.integers(0, 2, (n, 1)).astype("f4")
WORK = {
    "W1": (lambda: {"l": lstm(2, 32), "a": dense(20, 20), "o": dense(640, 1)},
           lambda p, x, k: lin(p["o"], time_block(p["a"], run_lstm(p["l"], x)).reshape(x.shape[0], -1)), bce, lambda: (N(64, 20, 2), flag(64))),
    "W2": (lambda: {"a": dense(10, 10), "l": lstm(10, 32), "o": dense(32, 1)},
           lambda p, x, k: lin(p["o"], run_lstm(p["l"], feature_block(p["a"], x))[:, -1]), bce, lambda: (N(64, 20, 10), flag(64))),
    "W3": (lambda: {"l": lstm(1, 64), "a": {"w": dense(64, 64, False), "o": dense(128, 32, False)}, "o": dense(32, 1)},
           lambda p, x, k: lin(p["o"], luong(p["a"], run_lstm(p["l"], x))), mae, lambda: (N(100, 10, 1), N(100, 1))),
    "W4": (lambda: {"l": lstm(1, 100), "a": {"w1": dense(100, 100, False), "w2": dense(100, 100, False), "v": dense(100, 1, False), "o": dense(200, 128, False)}, "o": dense(128, 1)},
           lambda p, x, k: lin(p["o"], dropout(k, bahdanau(p["a"], run_lstm(p["l"], x)), .2)), mae, lambda: (rng.random((64, 20, 1), "f4"), rng.random((64, 1), "f4"))),
    "W5": (lambda: {"qkv": dense(12, 192), "o": dense(64, 64), "d": dense(256, 1)},
           lambda p, x, k: lin(p["d"], mha(p, x, 8).reshape(x.shape[0], -1)), mse, lambda: (N(100, 4, 12), N(100, 1))),
    "W6": (lambda: {"qkv": dense(4, 192), "o": dense(64, 4), "d": dense(48, 1)},
           lambda p, x, k: lin(p["d"], mha(p, x.transpose(0, 2, 1), 8).transpose(0, 2, 1).reshape(x.shape[0], -1)), mse, lambda: (N(100, 4, 12), N(100, 1))),
    "W7": (lambda: {"ue": dense(10, 10, False), "we": dense(128, 10, False), "ve": dense(10, 1, False), "enc": lstm(81, 64), "ud": dense(64, 64, False),
                    "wd": dense(128, 64, False), "vd": dense(64, 1, False), "wt": dense(65, 1), "dec": lstm(1, 64), "wy": dense(128, 64), "vy": dense(64, 1)},
           da_rnn, mse, lambda: ((N(128, 10, 81), N(128, 10)), N(128, 1))),
    "W8": (lambda: itr_params(256, 256, 2), itransformer, mse, lambda: (N(32, 96, 7), N(32, 96, 7))),
    "W9": (lambda: itr_params(512, 512, 3), itransformer, mse, lambda: (N(16, 96, 321), N(16, 96, 321))),
    "W10": (lambda: {"l": lstm(64, 256), "o": dense(256, 1)}, lambda p, x, k: lin(p["o"], run_lstm(p["l"], x)[:, -1]), mse, lambda: (N(64, 100, 64), N(64, 1))),
}


def measure(step, seconds):
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


def train(name, seconds):
    make, model, loss_fn, data = WORK[name]
    params = make()
    zeros = lambda: jax.tree.map(jnp.zeros_like, params)
    batches = [jax.device_put(data()) for _ in range(16)]

    def update(params, m, v, t, key, x, y):
        key, use = jax.random.split(key)
        loss, g = jax.value_and_grad(lambda p: loss_fn(model(p, x, use), y))(params)
        t = t + 1
        m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
        v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, g)
        lr = 1e-3 * jnp.sqrt(1 - .999 ** t) / (1 - .9 ** t)
        return jax.tree.map(lambda p, m, v: p - lr * m / (jnp.sqrt(v) + 1e-7), params, m, v), m, v, t, key, loss
    fast = jax.jit(update, donate_argnums=(0, 1, 2))
    state = [jax.tree.map(jnp.array, params), zeros(), zeros(), jnp.float32(0), jax.random.key(7)]
    losses, i = [], 0
    start = clock()

    def step():
        nonlocal i
        *state[:], loss = fast(*state, *batches[i % 16]); i += 1
        losses.append(float(loss))
    step()
    compile_s = clock() - start
    us = measure(step, seconds)
    return us, losses[0], losses[-1], sum(p.size for p in jax.tree.leaves(params)), compile_s


for name in o.only.split(",") if o.only else [*WORK, "W12"]:
    row = {"workload": name, "peer": "jax-jit", "version": jax.__version__, "threads": o.threads}
    if name == "W12":
        f = jax.jit(jax.grad(lambda a, b: ((a + b - (a * b + b * b * b)) ** 2) / 2, (0, 1)))
        row["us"] = measure(lambda: float(f(-4., 2.)[0]), o.seconds)
    else:
        row["us"], row["loss_first"], row["loss_last"], row["parameters"], row["compile_s"] = train(name, o.seconds)
    print(json.dumps(row), flush=True)
