"""A decode loop in JAX for record-engines: one compiled function per step, as JAX servers have it."""
import functools
import glob
import gzip
import json
import os
import shutil
import tempfile
import time

SIZE = {"layers": 8, "hidden": 2048, "inner": 8192, "heads": 16, "vocab": 32000}
PROMPT = 256  # tokens
STALL_EVERY = 7  # steps
CLOCK_MARK = "tactus clock mark"


class JaxSession:
    """Answers the same requests as Session in record_engines_worker.py."""

    defaults = {"batch": 32, "prompt": PROMPT, "attention": "xla"}

    def __init__(self):
        os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.3")  # injectors need memory too
        import jax
        self.jax, self.profile, self.folder = jax, True, None
        keys = iter(jax.random.split(jax.random.PRNGKey(7), 64))

        def random(*shape):
            return jax.random.normal(next(keys), shape, "bfloat16") / shape[0] ** 0.5

        hidden, inner = SIZE["hidden"], SIZE["inner"]
        self.weights = {"embedding": random(SIZE["vocab"], hidden), "head": random(hidden, SIZE["vocab"]),
                        "layers": [{"qkv": random(hidden, 3 * hidden), "out": random(hidden, hidden),
                                    "gate": random(hidden, inner), "up": random(hidden, inner),
                                    "down": random(inner, hidden)} for _ in range(SIZE["layers"])]}
        self.steps = 0

    def facts(self):
        return {"jax": self.jax.__version__, "gpu": self.jax.devices()[0].device_kind, "model": SIZE}

    # --- the model

    def forward(self, weights, cache, tokens, position, explicit_attention):
        """tokens [batch, new]; the cache holds all positions, those after `position` are masked."""
        np, nn = self.jax.numpy, self.jax.nn
        batch, new = tokens.shape
        heads, head = SIZE["heads"], SIZE["hidden"] // SIZE["heads"]
        x = weights["embedding"][tokens]
        long = cache[0][0].shape[1]
        mask = np.arange(long)[None, :] <= position + np.arange(new)[:, None]
        filled = []

        def norm(x):
            return x * self.jax.lax.rsqrt(np.mean(x.astype("float32") ** 2, -1, keepdims=True) + 1e-6).astype(x.dtype)

        for layer, (keys, values) in zip(weights["layers"], cache):
            q, k, v = np.split((norm(x) @ layer["qkv"]).reshape(batch, new, heads, 3 * head), 3, axis=-1)
            keys = self.jax.lax.dynamic_update_slice(keys, k, (0, position, 0, 0))
            values = self.jax.lax.dynamic_update_slice(values, v, (0, position, 0, 0))
            if explicit_attention:
                scores = np.einsum("bqhd,bkhd->bhqk", q, keys).astype("float32") / head ** 0.5
                weights_of = nn.softmax(np.where(mask, scores, -1e30), axis=-1).astype(q.dtype)
                mixed = np.einsum("bhqk,bkhd->bqhd", weights_of, values)
            else:
                mixed = nn.dot_product_attention(q, keys, values, mask=mask[None, None], implementation="xla")
            x = x + mixed.reshape(batch, new, -1) @ layer["out"]
            y = norm(x)
            x = x + (nn.silu(y @ layer["gate"]) * (y @ layer["up"])) @ layer["down"]
            filled.append((keys, values))
        return np.argmax(norm(x)[:, -1:] @ weights["head"], -1).astype("int32"), filled

    # --- requests

    def prepare(self, variant):
        np = self.jax.numpy
        self.variant = self.defaults | variant
        explicit = self.variant["attention"] == "eager"
        self.step_function = self.jax.jit(functools.partial(self.forward, explicit_attention=explicit),
                                          donate_argnums=1)
        batch, prompt = self.variant["batch"], self.variant["prompt"]
        self.prompts = np.arange(batch * prompt, dtype="int32").reshape(batch, prompt) * 7919 % SIZE["vocab"]
        self.run(1, 8)
        return {}

    def empty_cache(self):
        shape = self.variant["batch"], self.variant["prompt"] + 64, SIZE["heads"], SIZE["hidden"] // SIZE["heads"]
        zeros = self.jax.numpy.zeros
        return [(zeros(shape, "bfloat16"), zeros(shape, "bfloat16")) for _ in range(SIZE["layers"])]

    def host_work(self):
        x = 1
        for _ in range(self.variant.get("work", 0) * SIZE["layers"]):
            x = (x * 1664525 + 1013904223) & 0xFFFFFFFF
        self.steps += 1
        if self.variant.get("stall_ms") and self.steps % STALL_EVERY == 0:
            time.sleep(self.variant["stall_ms"] / 1000)

    def run(self, bursts, length):
        steps, batch, prompt = [], self.variant["batch"], self.variant["prompt"]
        for _ in range(bursts):
            cache, tokens, position = self.empty_cache(), self.prompts, 0
            for index in range(length):
                began = time.perf_counter_ns()
                self.host_work()
                made, cache = self.step_function(self.weights, cache, tokens, position)
                self.jax.device_get(made)
                phase = "decode" if index else "prefill"
                position += tokens.shape[1]
                steps.append([phase, tokens.size, batch, batch * position, time.perf_counter_ns() - began])
                tokens = made
        return steps

    def measure(self, bursts, length):
        return {"steps": self.run(bursts, length)}

    def record(self, bursts, length):
        self.run(1, length)  # so that the counters show the load before the trace begins
        self.folder = tempfile.mkdtemp(prefix="record-jax-")
        options = {}
        if hasattr(self.jax.profiler, "ProfileOptions"):
            options["profiler_options"] = self.jax.profiler.ProfileOptions()
        self.jax.profiler.start_trace(self.folder, **options)
        try:
            with self.jax.profiler.TraceAnnotation(CLOCK_MARK):
                begin_ns = time.time_ns()
            steps = self.run(bursts, length)
            end_ns = time.time_ns()
        finally:
            self.jax.profiler.stop_trace()
        self.mark_ns = begin_ns
        return {"steps": steps, "begin_ns": begin_ns, "end_ns": end_ns}

    def export(self, path):
        """The trace as JAX wrote it, at PATH.gz; and what to take off wall-clock times to get its times."""
        found = glob.glob(f"{self.folder}/**/*.trace.json.gz", recursive=True)
        if not found:
            files = [os.path.relpath(p, self.folder) for p in glob.glob(f"{self.folder}/**", recursive=True)]
            raise RuntimeError(f"JAX wrote no trace.json.gz: {files}")
        with gzip.open(found[0]) as file:
            events = json.load(file)["traceEvents"]
        mark = next((event for event in events if event.get("name") == CLOCK_MARK), None)
        if mark is None:
            raise RuntimeError("the trace has no clock mark")
        shutil.move(found[0], path + ".gz")
        shutil.rmtree(self.folder)
        return {"bytes": os.path.getsize(path + ".gz"), "offset_ns": self.mark_ns - int(mark["ts"] * 1000),
                "events": len(events)}
