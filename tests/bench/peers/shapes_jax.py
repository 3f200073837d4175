"""JAX on the rows of ../shapes.cpp, the whole training step in one jit. One JSON line per figure.

usage: shapes_jax.py [--threads N] [--only A1,A2] [--seconds S] [--clock wall|cpu]      (N is 1 or 2)
"""
import argparse, json, os, statistics, time
ap = argparse.ArgumentParser()
ap.add_argument("--threads", type=int, default=1)
ap.add_argument("--only", default="")
ap.add_argument("--seconds", type=float, default=1.)
ap.add_argument("--clock", default="wall", choices=["wall", "cpu"])
o = ap.parse_args()
clock = time.process_time if o.clock == "cpu" else time.perf_counter
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:o.threads]))
import jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)  # A5

BATCH, TOKENS, WIDTH, HEADS = 17, 37, 33, 3
rng = np.random.default_rng(7)


def mask(*shape):
    m = np.ones(shape, bool)
    m.reshape(-1)[::3] = False
    return jnp.asarray(m)


def dense(i, n, kind):
    return {"w": jnp.asarray(rng.uniform(-.3, .3, (i, n)), kind), "b": jnp.zeros(n, kind)}


def lin(p, x):
    return x @ p["w"] + p["b"]


def attending(mask=None, causal=False, dropout=0.):
    def model(p, key, x, y=None):
        y = x if y is None else y
        q, k, v = (lin(p[n], t).reshape(*t.shape[:2], HEADS, -1) for n, t in (("q", x), ("k", y), ("v", y)))
        s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** .5
        if causal:
            s = jnp.where(jnp.tril(jnp.ones(s.shape[-2:], bool)), s, -jnp.inf)
        if mask is not None:
            s = jnp.where(mask, s, -jnp.inf)
        w = jax.nn.softmax(s, -1)
        if dropout:
            w = jnp.where(jax.random.bernoulli(key, 1 - dropout, w.shape), w / (1 - dropout), 0)
        return lin(p["o"], jnp.einsum("bhqk,bkhd->bqhd", w, v).reshape(*x.shape[:2], -1))
    return model


def parameters(kind="f4", value=22):
    return {"q": dense(WIDTH, HEADS * 22, kind), "k": dense(WIDTH, HEADS * 22, kind), "v": dense(WIDTH, HEADS * value, kind),
            "o": dense(HEADS * value, WIDTH, kind)}


def recurrent(mask=None, state=False, kind="f4"):
    draw = lambda: jnp.asarray(rng.standard_normal((BATCH, WIDTH)) * state, kind)
    first = draw(), draw()

    def model(p, key, x):
        def body(s, step):
            h, c = s
            i, f, g, q = jnp.split(step[0] + h @ p["h"]["w"], 4, -1)
            cell = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            new = jax.nn.sigmoid(q) * jnp.tanh(cell)
            if mask is not None:
                new, cell = jnp.where(step[1], new, h), jnp.where(step[1], cell, c)
            return (new, cell), new
        steps = lin(p["q"], x).transpose(1, 0, 2), None if mask is None else mask.T[..., None]
        return jax.lax.scan(body, first, steps)[1].transpose(1, 0, 2)
    return model


def lstm_parameters(kind="f4"):
    return {"q": dense(WIDTH, 4 * WIDTH, kind), "h": {"w": dense(WIDTH, 4 * WIDTH, kind)["w"]}}


ROWS = {
    "A1": (parameters, attending(), (TOKENS,)),
    "A2": (parameters, attending(mask(BATCH, 1, 1, TOKENS)), (TOKENS,)),
    "A3": (parameters, attending(causal=True), (TOKENS,)),
    "A4": (parameters, attending(mask(BATCH, 1, TOKENS, TOKENS)), (TOKENS,)),
    "A5": (lambda: parameters("f8"), attending(mask(BATCH, 1, 1, TOKENS)), (TOKENS,)),
    "A6": (lambda: parameters(value=10), attending(), (TOKENS, 50)),
    "A7": (parameters, attending(), (TOKENS,)),
    "A8": (parameters, attending(dropout=.1), (TOKENS,)),
    "A9": (parameters, attending(causal=True), (321,)),
    "A10": (lambda: {"q": dense(WIDTH, WIDTH, "f4")}, lambda p, key, x: jax.nn.log_softmax(lin(p["q"], x), -1), (TOKENS,)),
    "L1": (lstm_parameters, recurrent(), (TOKENS,)),
    "L2": (lstm_parameters, recurrent(mask(BATCH, TOKENS)), (TOKENS,)),
    "L3": (lstm_parameters, recurrent(state=True), (TOKENS,)),
    "L4": (lambda: lstm_parameters("f8"), recurrent(mask(BATCH, TOKENS), True, "f8"), (TOKENS,)),
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
    make, model, tokens = ROWS[name]
    p = make()
    kind = p["q"]["w"].dtype
    draw = lambda n: jnp.asarray(rng.standard_normal((BATCH, n, WIDTH)), kind)
    batches = [([draw(n) for n in tokens], draw(tokens[0])) for _ in range(16)]

    def update(p, m, v, t, key, xs, y):
        key, use = jax.random.split(key)
        loss, g = jax.value_and_grad(lambda p: ((model(p, use, *xs) - y) ** 2).mean())(p)
        t = t + 1
        m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, g)
        v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, g)
        lr = (1e-3 * jnp.sqrt(1 - .999 ** t) / (1 - .9 ** t)).astype(kind)
        return jax.tree.map(lambda p, m, v: p - lr * m / (jnp.sqrt(v) + 1e-7), p, m, v), m, v, t, key, loss
    fast = jax.jit(update, donate_argnums=(0, 1, 2))
    zeros = lambda: jax.tree.map(jnp.zeros_like, p)
    state = [jax.tree.map(jnp.array, p), zeros(), zeros(), jnp.float32(0), jax.random.key(7)]
    i = 0

    def step():
        nonlocal i
        *state[:], loss = fast(*state, *batches[i % 16])
        i += 1
        float(loss)

    return measure(step, seconds)


for name in o.only.split(",") if o.only else ROWS:
    print(json.dumps({"workload": name, "peer": "jax-jit", "threads": o.threads, "us": train(name, o.seconds)}), flush=True)
