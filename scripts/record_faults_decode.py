"""The decode loop that record-faults records: a Llama-like model with random weights.

Started by record-faults, which speaks to it in JSON lines: one request on stdin, one answer on
stdout. {"do": "prepare", "variant": {...}} -> {"ok": true, ...} or {"ok": false, "error": "..."}.
"""
import argparse
import contextlib
import gzip
import json
import os
import shutil
import sys
import time
import traceback

from record_faults_counters import die_with_parent

REAL = {"layers": 16, "hidden": 4096, "inner": 14336, "heads": 32, "kv_heads": 8, "vocab": 32000, "feed_mib": 64}
TINY = {"layers": 2, "hidden": 64, "inner": 128, "heads": 4, "kv_heads": 2, "vocab": 256, "feed_mib": 1}

# Settings that a recording may change; everything else is the same in all of them.
BASE_VARIANT = {"batch": 32, "prompt": 512, "attention": "sdpa", "activation": "silu", "sync": None,
                "compiled": False, "graph": False}


class Decoder:
    def __init__(self, options):
        import torch
        import transformers
        self.torch, self.transformers = torch, transformers
        self.device = options.device
        self.on_gpu = options.device == "cuda"
        self.annotate, self.with_stack, self.tiny = options.annotate, options.with_stack, options.tiny
        self.size = TINY if options.tiny else REAL
        self.model = self.build_model()
        self.layers = self.model.model.layers
        # Host traffic of a real engine (weights or cache kept on the host): this many bytes per step.
        feed_bytes = self.size["feed_mib"] << 20
        self.host_feed = torch.empty(feed_bytes, dtype=torch.uint8, pin_memory=self.on_gpu)
        self.device_feed = torch.empty(feed_bytes, dtype=torch.uint8, device=self.device)
        self.undo = []
        self.variant = None
        self.graph = None
        self.profile = None

    def build_model(self):
        torch = self.torch
        config = self.transformers.LlamaConfig(
            hidden_size=self.size["hidden"], intermediate_size=self.size["inner"],
            num_hidden_layers=self.size["layers"], num_attention_heads=self.size["heads"],
            num_key_value_heads=self.size["kv_heads"], vocab_size=self.size["vocab"],
            max_position_embeddings=4096, tie_word_embeddings=False)
        config._attn_implementation = "sdpa"
        torch.manual_seed(7)
        torch.set_default_dtype(torch.bfloat16 if self.on_gpu else torch.float32)
        try:
            with torch.device(self.device):
                model = self.transformers.LlamaForCausalLM(config)
        finally:
            torch.set_default_dtype(torch.float32)
        return model.eval().requires_grad_(False)

    def facts(self):
        torch = self.torch
        facts = {"torch": torch.__version__, "transformers": self.transformers.__version__,
                 "python": sys.version.split()[0], "cuda": torch.version.cuda, "device": self.device,
                 "model": self.size | {"parameters": sum(p.numel() for p in self.model.parameters())}}
        if self.on_gpu:
            facts["gpu"] = torch.cuda.get_device_name()
            with contextlib.suppress(OSError), open("/proc/driver/nvidia/version") as file:
                facts["driver"] = file.readline().strip()
        return facts

    def synchronize(self):
        if self.on_gpu:
            self.torch.cuda.synchronize()

    # --- variants: each change registers how to undo it

    def set_attention(self, name):
        if hasattr(self.model, "set_attn_implementation"):
            self.model.set_attn_implementation(name)
        else:
            self.model.config._attn_implementation = name

    def set_activation(self, name):
        if name != "gelu":
            raise ValueError(f"no such activation: {name}")
        for layer in self.layers:
            before = layer.mlp.act_fn
            layer.mlp.act_fn = self.torch.nn.GELU(approximate="tanh")
            self.undo.append(lambda mlp=layer.mlp, act=before: setattr(mlp, "act_fn", act))

    def add_sync(self, kind):
        def device_sync(module, inputs, output):
            self.synchronize()

        def read_item(module, inputs, output):
            hidden = output[0] if isinstance(output, tuple) else output
            hidden[0, 0, 0].item()

        hook = {"device": device_sync, "item": read_item}[kind]
        for layer in self.layers:
            self.undo.append(layer.register_forward_hook(hook).remove)

    def compile_parts(self):
        config = self.torch._dynamo.config
        for limit in ("recompile_limit", "cache_size_limit"):
            with contextlib.suppress(Exception):
                setattr(config, limit, 64)
        for layer in self.layers:
            for part in (layer.mlp, layer.input_layernorm, layer.post_attention_layernorm):
                part.compile()
                self.undo.append(lambda part=part: setattr(part, "_compiled_call_impl", None))

    def revert(self):
        while self.undo:
            self.undo.pop()()
        self.graph = None

    def prepare(self, variant):
        """Applies the variant and warms up, unless it is the one already in place."""
        variant = BASE_VARIANT | variant
        if self.tiny:
            variant |= {"batch": max(1, variant["batch"] // 16), "prompt": variant["prompt"] // 32}
        if variant == self.variant:
            return self.burst(4) and {}
        self.variant = None
        self.revert()
        if self.on_gpu:
            self.torch.cuda.empty_cache()
        if variant["attention"] != "sdpa":
            self.set_attention(variant["attention"])
            self.undo.append(lambda: self.set_attention("sdpa"))
        if variant["activation"] != "silu":
            self.set_activation(variant["activation"])
        if variant["sync"]:
            self.add_sync(variant["sync"])
        if variant["compiled"]:
            self.compile_parts()
        self.variant = variant
        generator = self.torch.Generator().manual_seed(11)
        self.prompt = self.torch.randint(0, self.size["vocab"], (variant["batch"], variant["prompt"]), generator=generator)
        if variant["graph"]:
            self.graph = GraphedDecode(self)
        for _ in range(2):
            self.burst(6)
        return {}

    # --- the loop

    def step_range(self, text):
        return self.torch.profiler.record_function(text) if self.annotate else contextlib.nullcontext()

    def forward(self, ids, past):
        self.device_feed.copy_(self.host_feed, non_blocking=True)
        out = self.model(input_ids=ids, past_key_values=past, use_cache=True, logits_to_keep=1)
        return out.logits[:, -1].argmax(-1, keepdim=True), out.past_key_values

    def burst(self, decode_steps):
        """One prefill and its decode steps; wall time of each, from start to its tokens on the host."""
        times = {"prefill_ns": [], "decode_ns": []}
        batch = self.variant["batch"]
        with self.torch.no_grad():
            began = time.perf_counter_ns()
            with self.step_range(f"step[EXTEND bs={batch} toks={self.prompt.numel()}]"):
                past = self.graph.fresh_cache() if self.graph else None
                ids, past = self.forward(self.prompt.to(self.device), past)
                ids.cpu()
            times["prefill_ns"].append(time.perf_counter_ns() - began)
            for _ in range(decode_steps):
                began = time.perf_counter_ns()
                with self.step_range(f"step[DECODE bs={batch}]"):
                    if self.graph:
                        ids = self.graph.step(ids)
                    else:
                        ids, past = self.forward(ids, past)
                    ids.cpu()
                times["decode_ns"].append(time.perf_counter_ns() - began)
        return times

    def bursts(self, count, decode_steps):
        times = {"prefill_ns": [], "decode_ns": []}
        for _ in range(count):
            for phase, values in self.burst(decode_steps).items():
                times[phase] += values
        return times

    def measure(self, bursts, decode_steps):
        return {"steps": self.bursts(bursts, decode_steps)}

    # --- the profiler

    def record(self, bursts, decode_steps):
        torch = self.torch
        activities = [torch.profiler.ProfilerActivity.CPU]
        if self.on_gpu:
            activities.append(torch.profiler.ProfilerActivity.CUDA)
        self.burst(decode_steps)  # so that the counters show the load before the trace begins
        self.synchronize()
        self.profile = torch.profiler.profile(activities=activities, record_shapes=True, with_stack=self.with_stack)
        self.profile.start()
        begin_ns = time.time_ns()
        steps = self.bursts(bursts, decode_steps)
        self.synchronize()
        end_ns = time.time_ns()
        self.profile.stop()
        return {"steps": steps, "begin_ns": begin_ns, "end_ns": end_ns}

    def export(self, path):
        plain = path.removesuffix(".gz")
        self.profile.export_chrome_trace(plain)
        self.profile = None
        with open(plain, "rb") as source, gzip.open(path + ".part", "wb", compresslevel=6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        os.replace(path + ".part", path)
        bytes_plain = os.path.getsize(plain)
        os.remove(plain)
        return {"bytes": os.path.getsize(path), "bytes_plain": bytes_plain}


class GraphedDecode:
    """The decode step as one CUDA graph over a static cache; prefill stays eager."""

    def __init__(self, decoder):
        torch = decoder.torch
        batch, prompt = decoder.variant["batch"], decoder.variant["prompt"]
        self.decoder = decoder
        self.cache = decoder.transformers.StaticCache(config=decoder.model.config, max_cache_len=prompt + 64)
        self.ids = torch.zeros(batch, 1, dtype=torch.long, device=decoder.device)
        self.replay = None
        with torch.no_grad():
            decoder.forward(decoder.prompt.to(decoder.device), self.cache)
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    self.advance()
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                self.advance()
            self.replay = graph.replay
            first = self.one_token_after(decoder.prompt)
            if first != self.one_token_after(decoder.prompt):
                raise RuntimeError("the graph gives another token on its second run")

    def advance(self):
        out = self.decoder.model(input_ids=self.ids, past_key_values=self.cache, use_cache=True, logits_to_keep=1)
        self.ids.copy_(out.logits[:, -1].argmax(-1, keepdim=True))

    def one_token_after(self, prompt):
        ids, _ = self.decoder.forward(prompt.to(self.decoder.device), self.fresh_cache())
        return self.step(ids).tolist()

    def fresh_cache(self):
        self.cache.reset()
        return self.cache

    def step(self, ids):
        self.decoder.device_feed.copy_(self.decoder.host_feed, non_blocking=True)
        if ids is not self.ids:
            self.ids.copy_(ids)
        self.replay()
        return self.ids


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--annotate", action="store_true")
    parser.add_argument("--with-stack", action="store_true")
    options = parser.parse_args()
    die_with_parent()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of libraries must not mix with the answers

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    try:
        decoder = Decoder(options)
        decoder.prepare({})
        decoder.record(1, 1)  # the first use of the profiler sets it up, which takes long
        decoder.profile = None
        answer(ok=True, **decoder.facts())
    except Exception as error:
        traceback.print_exc()
        answer(ok=False, error=f"{type(error).__name__}: {error}")
        return 1
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer(ok=True, **getattr(decoder, request.pop("do"))(**request))
        except Exception as error:
            traceback.print_exc()
            answer(ok=False, error=f"{type(error).__name__}: {error}"[:500])
    return 0


if __name__ == "__main__":
    sys.exit(main())
