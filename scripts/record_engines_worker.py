"""One engine in a process of its own. record-engines speaks to it in JSON lines:

    {"do": "prepare", "variant": {...}} -> {"ok": true, ...} or {"ok": false, "error": "..."}

Engines: loop (the decode loop of record_engines_loop.py), cb_dense and cb_moe (continuous
batching of transformers), jax (record_engines_jax.py). A step is [phase, tokens, sequences, context, ns].
"""
import argparse
import dataclasses
import json
import os
import sys
import time
import traceback

from record_engines_counters import die_with_parent
from record_engines_jax import JaxSession
from record_engines_loop import BASE_VARIANT, Decoder

STALL_EVERY = 7  # steps

MAX_BATCH_TOKENS = 4096  # a forward pass has at most this many
PAGE_TOKENS = 32  # the cache is given out in pages of this many tokens
CACHE_PAGES = 8192  # enough, even if a version counts the pages of each layer
LATE = 3  # requests that arrive while others decode

# Small enough for less than about 500 kernels per step.
DENSE = {"num_hidden_layers": 8, "hidden_size": 2048, "intermediate_size": 8192, "num_attention_heads": 16,
         "num_key_value_heads": 8, "vocab_size": 32000, "max_position_embeddings": 8192, "tie_word_embeddings": False}
MOE = {"num_hidden_layers": 4, "hidden_size": 1024, "intermediate_size": 2048, "moe_intermediate_size": 768,
       "num_experts": 32, "num_experts_per_tok": 4, "norm_topk_prob": True, "num_attention_heads": 16,
       "num_key_value_heads": 4, "vocab_size": 32000, "max_position_embeddings": 8192, "tie_word_embeddings": False}


class LoopEngine(Decoder):
    defaults = BASE_VARIANT

    def set_variant(self, variant):
        self.prepare(variant)

    def run(self, bursts, length):
        steps, batch, prompt = [], self.variant["batch"], self.variant["prompt"]
        for _ in range(bursts):
            times = self.burst(length - 1)
            steps.append(["prefill", batch * prompt, batch, batch * prompt, times["prefill_ns"][0]])
            steps += [["decode", batch, batch, batch * (prompt + 1 + index), ns]
                      for index, ns in enumerate(times["decode_ns"])]
        return steps


class BatchEngine:
    """Continuous batching: most requests of a burst come at once, LATE more while others decode; all end together.

    The manager is not started: the profiler would not see its thread. Its batch processor is stepped here instead, as
    that thread does it: prepare_next_batch, _generation_step, update_batch. Written for transformers 5.17.
    """

    defaults = {"batch": 20, "context": 1, "attention": "sdpa", "activation": "silu"}

    def __init__(self, mixture):
        import torch
        import transformers
        self.torch, self.transformers = torch, transformers
        self.sizes = MOE if mixture else DENSE
        self.model = self.build_model(mixture)
        self.layers = self.model.model.layers
        self.undo = []
        self.phases_known = True
        with torch.no_grad():
            self.manager = self.build_manager()
        self.processor = self.manager.batch_processor
        self.set_variant({})

    def build_model(self, mixture):
        torch, transformers = self.torch, self.transformers
        kind = "Qwen3Moe" if mixture else "Llama"
        config = getattr(transformers, kind + "Config")(**self.sizes)
        config._attn_implementation = "sdpa"
        torch.manual_seed(7)
        torch.set_default_dtype(torch.bfloat16)
        try:
            with torch.device("cuda"):
                model = getattr(transformers, kind + "ForCausalLM")(config)
        finally:
            torch.set_default_dtype(torch.float32)
        return model.eval().requires_grad_(False)

    # --- the manager: what it has is checked, so that another version fails with a clear message

    def build_manager(self):
        if not hasattr(self.model, "init_continuous_batching"):
            raise RuntimeError(f"transformers {self.transformers.__version__}: models have no init_continuous_batching")
        # "paged|" first: otherwise the manager looks for flash attention, also on the network.
        self.set_attention("sdpa")
        generation = self.transformers.GenerationConfig(do_sample=False, max_new_tokens=64)
        manager = self.model.init_continuous_batching(generation_config=generation,
                                                      continuous_batching_config=self.batching_config())
        status = getattr(manager, "background_thread_status", None)
        if hasattr(status, "clear"):
            status.clear()  # as start() does
        manager.current_batch = 0
        manager.warmup()  # builds the batch processor; without CUDA graphs there is nothing else to warm up
        if manager.batch_processor is None and hasattr(manager, "_create_batch_processor"):
            manager.batch_processor = manager._create_batch_processor()
        for owner, names in ((manager, ("add_request", "get_result")),
                             (manager.batch_processor, ("prepare_next_batch", "_generation_step", "update_batch",
                                                        "has_pending_requests"))):
            missing = [name for name in names if not hasattr(owner, name)]
            if missing:
                has = [name for name in dir(owner) if not name.startswith("__")]
                raise RuntimeError(f"transformers {self.transformers.__version__}: {type(owner).__name__} has no "
                                   f"{', '.join(missing)}; it has {', '.join(has)}")
        return manager

    def batching_config(self):
        try:
            from transformers import ContinuousBatchingConfig
        except ImportError:
            from transformers.generation.configuration_utils import ContinuousBatchingConfig
        known = {field.name for field in dataclasses.fields(ContinuousBatchingConfig)}
        page = next((name for name in ("page_size", "fa_page_size", "block_size") if name in known), None)
        pages = next((name for name in ("num_blocks", "num_pages") if name in known), None)
        # No graphs and no second batch in flight: each step is launched kernel by kernel.
        wanted = {page: PAGE_TOKENS, pages: CACHE_PAGES, "max_batch_tokens": MAX_BATCH_TOKENS,
                  "max_requests_per_batch": 128, "max_blocks_per_request": 0, "max_memory_percent": 0.5,
                  "allow_block_sharing": False, "use_async_batching": False, "use_cuda_graph": False}
        return ContinuousBatchingConfig(**{name: value for name, value in wanted.items() if name in known})

    def facts(self):
        config = self.model.config
        return {"attention": config._attn_implementation, "experts": getattr(config, "_experts_implementation", None),
                "model": self.sizes | {"parameters": sum(p.numel() for p in self.model.parameters())},
                "batching": str(getattr(self.manager, "continuous_batching_config", None))[:800]}

    # --- variants

    def set_attention(self, name):
        self.model.set_attn_implementation(f"paged|{name}")
        if self.model.config._attn_implementation != f"paged|{name}":
            raise RuntimeError(f"attention is {self.model.config._attn_implementation}, not paged|{name}")

    def set_activation(self):
        changed = [module for layer in self.layers for module in layer.modules() if hasattr(module, "act_fn")]
        if not changed:
            raise RuntimeError("no module of the layers has an act_fn")
        for module in changed:
            self.undo.append(lambda module=module, before=module.act_fn: setattr(module, "act_fn", before))
            module.act_fn = self.torch.nn.GELU(approximate="tanh")

    def set_variant(self, variant):
        variant = self.defaults | variant
        while self.undo:
            self.undo.pop()()
        self.set_attention(variant["attention"])
        if variant["activation"] != "silu":
            self.set_activation()
        self.batch = variant["batch"]
        vocab = self.sizes["vocab_size"]
        self.prompts = []
        for index in range(self.batch + LATE):
            tokens = variant["context"] * (64 + 32 * (index * 5 % 9))  # 64 to 320, 192 on average
            self.prompts.append([(index * 7919 + place * 104729) % vocab for place in range(tokens)])

    # --- the loop

    def plan(self, length):
        """Arrivals as {step: [(prompt, new tokens)]}; for each late one an early one ends, so the batch stays."""
        late = [length * (index + 1) // (LATE + 1) for index in range(LATE)]
        stays = late + [length] * (self.batch - LATE)
        plan = {0: list(zip(self.prompts, stays))}
        for index, step in enumerate(late):
            plan.setdefault(step, []).append((self.prompts[self.batch + index], length - step))
        return plan

    def add(self, prompt, new_tokens):
        if self.manager.add_request(prompt, max_new_tokens=new_tokens, eos_token_id=-1) is None:
            raise RuntimeError("the manager does not accept requests although it was not stopped")

    def work(self):
        """Phase, tokens, sequences and context of the batch that is prepared."""
        try:
            requests = self.processor.inputs_and_outputs.requests_in_batch
            lengths = [request.query_length for request in requests]
            prompts = sum(length for length in lengths if length > 1)
            phase = "decode" if prompts == 0 else "prefill" if 2 * prompts > sum(lengths) else "mixed"
            return [phase, sum(lengths), len(requests),
                    sum(request.state.position_offset for request in requests)]
        except AttributeError as error:
            if self.phases_known:
                print(f"phases of steps are not known: {error}", flush=True)
            self.phases_known = False
            return ["unknown", 0, 0, 0]

    def step(self):
        """[phase, tokens, sequences, context, ns], or None if there was nothing to do."""
        began = time.perf_counter_ns()
        if not self.processor.prepare_next_batch():
            return None
        work = self.work()
        self.processor._generation_step(self.model)
        self.processor.update_batch()
        return work + [time.perf_counter_ns() - began]

    def burst(self, length):
        plan, steps, idle = self.plan(length), [], 0
        while True:
            for prompt, new_tokens in plan.pop(len(steps), []):
                self.add(prompt, new_tokens)
            step = self.step()
            if step:
                steps.append(step)
                idle = 0
            elif not self.processor.has_pending_requests():
                break
            else:
                idle += 1
                if idle > 100:
                    raise RuntimeError("requests are pending, but no batch could be prepared 100 times in a row")
        while (result := self.manager.get_result(timeout=0.01)) is not None:
            if result.error:
                raise RuntimeError(f"request {result.request_id} failed: {result.error}")
        if plan:
            raise RuntimeError(f"all requests ended after {len(steps)} steps, before the last arrived")
        return steps

    def run(self, bursts, length):
        with self.torch.no_grad():
            return [step for _ in range(bursts) for step in self.burst(length)]


class Changes:
    """What a recording adds to the steps of any engine, by hooks."""

    def __init__(self, torch, model, layers):
        self.torch, self.model, self.layers = torch, model, layers
        self.hooks = []
        self.steps = 0

    def clear(self):
        while self.hooks:
            self.hooks.pop().remove()

    def apply(self, sync=None, where="layer", work=0, stall_ms=0):
        # Once per step means in the middle: at its end, every engine waits for its tokens anyway.
        layers = self.layers if where == "layer" else [self.layers[len(self.layers) // 2]]
        if sync:
            hook = {"device": self.synchronize, "item": self.read_item}[sync]
            self.hooks += [layer.register_forward_hook(hook) for layer in layers]
        if work:
            def compute(module, inputs, output):
                x = 1
                for _ in range(work):
                    x = (x * 1664525 + 1013904223) & 0xFFFFFFFF

            self.hooks += [layer.register_forward_hook(compute) for layer in layers]
        if stall_ms:
            def stall(module, inputs):
                self.steps += 1
                if self.steps % STALL_EVERY == 0:
                    time.sleep(stall_ms / 1000)

            self.hooks.append(self.model.register_forward_pre_hook(stall))

    def synchronize(self, module, inputs, output):
        self.torch.cuda.synchronize()

    def read_item(self, module, inputs, output):
        hidden = output[0] if isinstance(output, tuple) else output
        hidden.flatten()[0].item()


class Session:
    """The requests that record-engines may send."""

    def __init__(self, name):
        self.engine = LoopEngine() if name == "loop" else BatchEngine(mixture=name == "cb_moe")
        self.torch = self.engine.torch
        self.changes = Changes(self.torch, self.engine.model, self.engine.layers)
        self.profile = None

    def facts(self):
        torch = self.torch
        return {"torch": torch.__version__, "transformers": self.engine.transformers.__version__,
                "python": sys.version.split()[0], "cuda": torch.version.cuda,
                "gpu": torch.cuda.get_device_name()} | self.engine.facts()

    def prepare(self, variant):
        """The engine with this variant, warmed up."""
        self.changes.clear()
        own = {key: value for key, value in variant.items() if key in self.engine.defaults}
        self.engine.set_variant(own)
        self.changes.apply(**{key: value for key, value in variant.items() if key not in own})
        self.engine.run(1, 8)
        return {}

    def measure(self, bursts, length):
        return {"steps": self.engine.run(bursts, length)}

    def record(self, bursts, length):
        activities = [self.torch.profiler.ProfilerActivity.CPU, self.torch.profiler.ProfilerActivity.CUDA]
        self.engine.run(1, length)  # so that the counters show the load before the trace begins
        self.torch.cuda.synchronize()
        profile = self.torch.profiler.profile(activities=activities, record_shapes=True)
        profile.start()
        try:
            begin_ns = time.time_ns()
            steps = self.engine.run(bursts, length)
            self.torch.cuda.synchronize()
            end_ns = time.time_ns()
        finally:
            profile.stop()
        self.profile = profile
        return {"steps": steps, "begin_ns": begin_ns, "end_ns": end_ns}

    def export(self, path):
        self.profile.export_chrome_trace(path)
        self.profile = None
        return {"bytes": os.path.getsize(path)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", required=True, choices=("loop", "cb_dense", "cb_moe", "jax"))
    options = parser.parse_args()
    die_with_parent()
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of libraries must not mix with the answers

    def answer(**fields):
        answers.write(json.dumps(fields) + "\n")
        answers.flush()

    def fail(error):
        print(f"--- engine {options.engine}:", file=sys.stderr)
        traceback.print_exc()
        answer(ok=False, error=f"{type(error).__name__}: {error}"[:500])

    try:
        session = JaxSession() if options.engine == "jax" else Session(options.engine)
        session.prepare({})
        session.record(1, 4)  # the first use of the profiler sets it up, which takes long
        session.profile = None
        answer(ok=True, **session.facts())
    except Exception as error:
        fail(error)
        return 1
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer(ok=True, **getattr(session, request.pop("do"))(**request))
        except Exception as error:
            fail(error)
    return 0


if __name__ == "__main__":
    sys.exit(main())
