"""Keras (`fit`, as a user runs it) on the workloads of workloads.md. One JSON line per figure.

usage: KERAS_BACKEND=tensorflow|jax bench_keras.py [--threads N] [--only W1,W2] [--seconds S] [--clock wall|cpu]
"""
import argparse, json, os, statistics, time
ap = argparse.ArgumentParser()
ap.add_argument("--threads", type=int, default=1)
ap.add_argument("--only", default="")
ap.add_argument("--seconds", type=float, default=1.)
ap.add_argument("--clock", default="wall", choices=["wall", "cpu"])  # cpu: of all threads of this process
o = ap.parse_args()
clock = time.process_time if o.clock == "cpu" else time.perf_counter
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:o.threads]))
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
start = clock()
import keras, numpy as np
from keras import layers as L
import_s = clock() - start
rng = np.random.default_rng(7)
keras.utils.set_random_seed(7)


def attention_3d(x, axis):
    n = x.shape[axis]
    if axis == 2:
        return L.multiply([x, L.Dense(n, activation="softmax")(x)])
    a = L.Dense(n, activation="softmax")(L.Permute((2, 1))(x))
    return L.multiply([x, L.Permute((2, 1))(a)])


def mha(x, embed, heads, out):
    return L.MultiHeadAttention(heads, embed // heads, output_shape=out)(x, x)


def many_to_one(h, units, score):
    d = h.shape[-1]
    last = L.Lambda(lambda t: t[:, -1, :])(h)
    if score == "luong":
        s = L.Dot((1, 2))([last, L.Dense(d, use_bias=False)(h)])
    else:
        s = L.Dense(1, use_bias=False)(L.Activation("tanh")(L.Add()([L.RepeatVector(h.shape[1])(L.Dense(d, use_bias=False)(last)), L.Dense(d, use_bias=False)(h)])))
        s = L.Flatten()(s)
    c = L.Dot((1, 1))([h, L.Softmax()(s)])
    return L.Dense(units, use_bias=False, activation="tanh")(L.Concatenate()([c, last]))


def dense_out(x):
    return L.Dense(1)(x)


N = lambda *s: rng.standard_normal(s).astype("f4")
flag = lambda n: rng.integers(0, 2, (n, 1)).astype("f4")
bce = keras.losses.BinaryCrossentropy(from_logits=True)
WORK = {
    "W1": ((20, 2), 64, lambda x: dense_out(L.Flatten()(attention_3d(L.LSTM(32, return_sequences=True)(x), 1))), bce, flag),
    "W2": ((20, 10), 64, lambda x: dense_out(L.LSTM(32)(attention_3d(x, 2))), bce, flag),
    "W3": ((10, 1), 100, lambda x: dense_out(many_to_one(L.LSTM(64, return_sequences=True)(x), 32, "luong")), "mae", lambda n: N(n, 1)),
    "W4": ((20, 1), 64, lambda x: dense_out(L.Dropout(.2)(many_to_one(L.LSTM(100, return_sequences=True)(x), 128, "bahdanau"))), "mae", lambda n: N(n, 1)),
    "W5": ((4, 12), 100, lambda x: dense_out(L.Flatten()(mha(x, 64, 8, 64))), "mse", lambda n: N(n, 1)),
    "W6": ((4, 12), 100, lambda x: dense_out(L.Flatten()(L.Permute((2, 1))(mha(L.Permute((2, 1))(x), 64, 8, 4)))), "mse", lambda n: N(n, 1)),
    "W10": ((100, 64), 64, lambda x: dense_out(L.LSTM(256)(x)), "mse", lambda n: N(n, 1)),
}
for name in o.only.split(",") if o.only else WORK:
    shape, b, build, loss, target = WORK[name]
    t = clock()
    x = L.Input(shape)
    model = keras.Model(x, build(x))
    model.compile(keras.optimizers.Adam(1e-3), loss)
    data = N(16 * b, *shape), target(16 * b)
    fit = lambda: model.fit(*data, batch_size=b, epochs=1, shuffle=False, verbose=0).history["loss"][0]
    first = fit()
    build_s = clock() - t
    fit()
    times, start = [], clock()
    while len(times) < 10 or clock() - start < o.seconds:
        t = clock(); last = fit(); times.append((clock() - t) / 16)
    print(json.dumps({"workload": name, "peer": f"keras-fit-{keras.backend.backend()}", "version": keras.__version__, "threads": o.threads, "us": statistics.median(times) * 1e6,
                      "loss_first": first, "loss_last": last, "parameters": model.count_params(), "import_s": import_s, "build_and_first_epoch_s": build_s}), flush=True)
