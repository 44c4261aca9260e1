"""The decode loop of record-engines: a Llama-like model with random weights, eager, as CUDA graph or compiled."""
import contextlib
import time

SIZE = {"layers": 8, "hidden": 4096, "inner": 14336, "heads": 32, "kv_heads": 8, "vocab": 32000, "feed_mib": 64}

# Settings that a recording may change; everything else is the same in all of them.
BASE_VARIANT = {"batch": 32, "prompt": 256, "attention": "sdpa", "activation": "silu", "compiled": False, "graph": False}


class Decoder:
    def __init__(self):
        import torch
        import transformers
        self.torch, self.transformers = torch, transformers
        self.device = "cuda"
        self.model = self.build_model()
        self.layers = self.model.model.layers
        # Host traffic of a real engine (weights or cache kept on the host): this many bytes per step.
        feed_bytes = SIZE["feed_mib"] << 20
        self.host_feed = torch.empty(feed_bytes, dtype=torch.uint8, pin_memory=True)
        self.device_feed = torch.empty(feed_bytes, dtype=torch.uint8, device=self.device)
        self.undo = []
        self.variant = None
        self.graph = None

    def build_model(self):
        torch = self.torch
        config = self.transformers.LlamaConfig(
            hidden_size=SIZE["hidden"], intermediate_size=SIZE["inner"],
            num_hidden_layers=SIZE["layers"], num_attention_heads=SIZE["heads"],
            num_key_value_heads=SIZE["kv_heads"], vocab_size=SIZE["vocab"],
            max_position_embeddings=4096, tie_word_embeddings=False)
        config._attn_implementation = "sdpa"
        torch.manual_seed(7)
        torch.set_default_dtype(torch.bfloat16)
        try:
            with torch.device(self.device):
                model = self.transformers.LlamaForCausalLM(config)
        finally:
            torch.set_default_dtype(torch.float32)
        return model.eval().requires_grad_(False)

    def facts(self):
        facts = {"model": SIZE | {"parameters": sum(p.numel() for p in self.model.parameters())}}
        with contextlib.suppress(OSError), open("/proc/driver/nvidia/version") as file:
            facts["driver"] = file.readline().strip()
        return facts

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
        if variant == self.variant:
            self.burst(4)
            return
        self.variant = None
        self.revert()
        self.torch.cuda.empty_cache()
        if variant["attention"] != "sdpa":
            self.set_attention(variant["attention"])
            self.undo.append(lambda: self.set_attention("sdpa"))
        if variant["activation"] != "silu":
            self.set_activation(variant["activation"])
        if variant["compiled"]:
            self.compile_parts()
        self.variant = variant
        generator = self.torch.Generator().manual_seed(11)
        self.prompt = self.torch.randint(0, SIZE["vocab"], (variant["batch"], variant["prompt"]), generator=generator)
        if variant["graph"]:
            self.graph = GraphedDecode(self)
        for _ in range(2):
            self.burst(6)

    # --- the loop

    def forward(self, ids, past):
        self.device_feed.copy_(self.host_feed, non_blocking=True)
        out = self.model(input_ids=ids, past_key_values=past, use_cache=True, logits_to_keep=1)
        return out.logits[:, -1].argmax(-1, keepdim=True), out.past_key_values

    def burst(self, decode_steps):
        """One prefill and its decode steps; wall time of each, from start to its tokens on the host."""
        times = {"prefill_ns": [], "decode_ns": []}
        with self.torch.no_grad():
            began = time.perf_counter_ns()
            past = self.graph.fresh_cache() if self.graph else None
            ids, past = self.forward(self.prompt.to(self.device), past)
            ids.cpu()
            times["prefill_ns"].append(time.perf_counter_ns() - began)
            for _ in range(decode_steps):
                began = time.perf_counter_ns()
                if self.graph:
                    ids = self.graph.step(ids)
                else:
                    ids, past = self.forward(ids, past)
                ids.cpu()
                times["decode_ns"].append(time.perf_counter_ns() - began)
        return times


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
