"""One side of the experiment of scripts/try-gate: a decode loop or a prefill loop, told by lines of JSON what to do.

    gate_worker.py decode|prefill torch|fake

A line of standard input is an order, a line of standard output the answer. An order has `what` ("decode", "prefill",
"burst", "end"), `begin` (seconds, monotonic clock: when to begin), `seconds`, and what the loop needs: `pace_ms` for decode
(0: the next token as soon as the last one is there), `tokens` per chunk for prefill. The same work is done from the same
state in every run, and every output has a checksum of its bits: runs can be compared.

`torch` has a model like one of 8 billion parameters with random weights; `fake` only takes time, by the driver without a
GPU (tests/standin).
"""
import contextlib
import json
import os
import sys
import time

sys.dont_write_bytecode = True
HIDDEN, HEADS, KV_HEADS, INNER = 4096, 32, 8, 14336
HEAD = HIDDEN // HEADS
BATCH, CONTEXT, PROMPT = 16, 1024, 8192


class TorchModel:
    """Plain torch operations: norms, four products, attention with cached keys, a gated feed-forward network."""

    def __init__(self, role):
        import torch
        self.torch = torch
        layers = int(os.environ.get("TRY_GATE_LAYERS", "32"))
        torch.manual_seed(1)
        self.stream = torch.cuda.Stream()

        def weight(rows, columns):
            return torch.empty(rows, columns, device="cuda", dtype=torch.bfloat16).normal_(0, 0.02)

        with torch.inference_mode(), torch.cuda.stream(self.stream):
            self.layers = [(weight(HIDDEN + 2 * KV_HEADS * HEAD, HIDDEN), weight(HIDDEN, HIDDEN),
                            weight(2 * INNER, HIDDEN), weight(HIDDEN, INNER)) for _ in range(layers)]
            if role == "decode":
                shape = (BATCH, KV_HEADS, CONTEXT, HEAD)
            else:
                shape = (1, KV_HEADS, PROMPT, HEAD)
            self.keys = [torch.empty(shape, device="cuda", dtype=torch.bfloat16).normal_() for _ in range(layers)]
            self.values = [torch.empty(shape, device="cuda", dtype=torch.bfloat16).normal_() for _ in range(layers)]
            rows = BATCH if role == "decode" else PROMPT
            self.start = torch.empty(rows, HIDDEN, device="cuda", dtype=torch.bfloat16).normal_()
            self.x = self.start.clone()
            self.weights = torch.arange(1, 2 * HIDDEN, 2, device="cuda", dtype=torch.int64)
            self.tiny = torch.zeros(1, device="cuda")
        torch.cuda.synchronize()

    def norm(self, x):
        return self.torch.nn.functional.rms_norm(x, (HIDDEN,))

    def checksum(self, y):
        bits = y.view(self.torch.int16).to(self.torch.int64)
        return (bits * self.weights).sum()

    def layer(self, i, x, attend):
        torch = self.torch
        into, out, up, down = self.layers[i]
        q, k, v = torch.nn.functional.linear(self.norm(x), into).split([HIDDEN, KV_HEADS * HEAD, KV_HEADS * HEAD], -1)
        x = x + torch.nn.functional.linear(attend(i, q, k, v), out)
        gate, rest = torch.nn.functional.linear(self.norm(x), up).chunk(2, -1)
        return x + torch.nn.functional.linear(torch.nn.functional.silu(gate) * rest, down)

    def decode_step(self):
        torch = self.torch

        def attend(i, q, k, v):
            # The heads that share a key are its queries: no mask is needed.
            self.keys[i][:, :, -1] = k.view(BATCH, KV_HEADS, HEAD)
            self.values[i][:, :, -1] = v.view(BATCH, KV_HEADS, HEAD)
            q = q.view(BATCH, KV_HEADS, HEADS // KV_HEADS, HEAD)
            mixed = torch.nn.functional.scaled_dot_product_attention(q, self.keys[i], self.values[i])
            return mixed.reshape(BATCH, HIDDEN)

        y = self.x
        for i in range(len(self.layers)):
            y = self.layer(i, y, attend)
        y = self.norm(y)
        self.x.copy_(y)
        return self.checksum(y)

    def prefill_chunk(self, begin, tokens):
        torch = self.torch
        end = begin + tokens

        def attend(i, q, k, v):
            self.keys[i][0, :, begin:end] = k.view(tokens, KV_HEADS, HEAD).transpose(0, 1)
            self.values[i][0, :, begin:end] = v.view(tokens, KV_HEADS, HEAD).transpose(0, 1)
            q = q.view(1, tokens, HEADS, HEAD).transpose(1, 2)
            mixed = torch.nn.functional.scaled_dot_product_attention(
                q, self.keys[i][:, :, :end], self.values[i][:, :, :end], is_causal=begin == 0, enable_gqa=True)
            return mixed.transpose(1, 2).reshape(tokens, HIDDEN)

        y = self.start[begin:end]
        for i in range(len(self.layers)):
            y = self.layer(i, y, attend)
        return self.checksum(y)

    @contextlib.contextmanager
    def ready(self):
        with self.torch.inference_mode(), self.torch.cuda.stream(self.stream):
            yield

    def warm(self, role):
        torch = self.torch
        with self.ready():
            if role == "decode":
                for _ in range(3):
                    self.decode_step()
                torch.cuda.synchronize()
                self.graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self.graph, stream=self.stream):
                    self.check = self.decode_step()
                self.reset()
                self.token()
            else:
                for begin in range(0, PROMPT, 512):
                    self.chunk(begin, 512)
                self.chunk(0, PROMPT)

    def reset(self):
        with self.ready():
            self.x.copy_(self.start)
            for cache in (self.keys, self.values):
                for i, one in enumerate(cache):
                    one.fill_(0.01 * (i % 7 - 3))
            self.torch.cuda.synchronize()

    def token(self):
        self.graph.replay()
        return self.check.item()  # as a server fetches the token

    def chunk(self, begin, tokens):
        return self.prefill_chunk(begin, tokens).item()

    def launch_tiny(self):
        self.tiny.add_(1)

    def wait(self):
        self.torch.cuda.synchronize()


class FakeModel:
    """Kernels that only take time: a token of 2 ms, 25 us per token of prefill in 20 kernels a chunk."""

    def __init__(self, _role):
        from standin_driver import Driver
        self.driver, self.steps = Driver(), 0
        self.wait = self.driver.wait

    def ready(self):
        return contextlib.nullcontext()

    def warm(self, role):
        if role == "decode":
            self.replay = self.driver.graph(10, 200)

    def reset(self):
        self.steps = 0

    def token(self):
        self.steps += 1
        self.replay()
        self.wait()
        return self.steps

    def chunk(self, begin, tokens):
        for _ in range(20):
            self.driver.launch(tokens * 25 // 20)
        self.wait()
        return begin + tokens

    def launch_tiny(self):
        self.driver.launch(0)


def sleep_until(when):
    while (left := when - time.monotonic()) > 0:
        time.sleep(left if left > 0.002 else 0)


def decode(model, order, end):
    """When each token was asked for and when it was there [s], and its checksum."""
    rows, checks, pace = [], [], order.get("pace_ms", 0) / 1000
    due = time.monotonic()
    while (begin := time.monotonic()) < end:
        checks.append(model.token())
        rows.append((begin, time.monotonic()))
        if pace > 0:
            due = max(due + pace, time.monotonic())
            sleep_until(min(due, end))
    return {"rows": rows, "checks": checks}


def prefill(model, order, end):
    rows, checks, place = [], [], 0
    while (begin := time.monotonic()) < end:
        checks.append(model.chunk(place, order["tokens"]))
        rows.append((begin, time.monotonic()))
        place = (place + order["tokens"]) % PROMPT
    return {"rows": rows, "checks": checks}


def burst(model, _order, end):
    """Launches as fast as they go; when each began and ended [ns]."""
    rows, count = [], 0
    while time.monotonic() < end:
        begin = time.monotonic_ns()
        model.launch_tiny()
        rows.append((begin, time.monotonic_ns()))
        count += 1
        if count % 500 == 0:
            model.wait()
    model.wait()
    return {"rows": rows}


def main():
    role, backend = sys.argv[1], sys.argv[2]
    model = (TorchModel if backend == "torch" else FakeModel)(role)
    model.warm(role)
    loops = {"decode": decode, "prefill": prefill, "burst": burst}
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if order["what"] == "end":
            break
        try:
            model.reset()
            with model.ready():
                sleep_until(order["begin"])
                answer = loops[order["what"]](model, order, order["begin"] + order["seconds"])
        except Exception as error:  # a step that failed spoils the whole run; the other side has to know
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


main()
