"""Asks `tactus cycles` for steps, their phases and their work."""
from collections import Counter

from asking import ask
from recording import record
from situations import run, when
from work import decode, mixed, prefill

NO_PHASES = {"image", "bert", "embed", "denoise", "recommender", "recommender_steps"}
# what the engine's own words, or its shapes, tell
SAID = {"vllm": "engine", "vllm_ns": "engine", "sglang": "engine", "moe": "engine", "amd": "engine", "vgraph": "engine",
        "eager": "attention shapes", "packed": "attention shapes", "vllm_bare": "attention shapes"}
SAID_FRESH = {"fp8": "engine", "lora": "engine", "streams": "engine", "vllm_long": "engine",
              "profiler": "attention shapes", "mamba": "shapes"}
PADDED = {"eager", "sglang", "amd", "profiler", "mamba", "streams"}     # no mixed steps, no drafts


def right_phases(engine, step, sure):
    if engine in NO_PHASES:
        return {"unknown"}
    if step.phase == "mixed":
        right = {"mixed", "prefill"} if step.prompt[1] > step.generated[1] else {"mixed"}
    else:
        right = {step.phase}
    return right if sure else right | {"unknown"}


def ask_steps(name, engine, steps, folder, score, sure=True, evidence=None, **more):
    """sure: the work is recorded; otherwise it may be unknown, but not wrong."""
    recording = record(folder, "cycles", **run(engine, steps, s=0.02, **more))
    words = ["cycles", recording.path]
    code, answer, errors = ask(*words)
    if answer is None:
        score.add("cycles", name, [f"exit {code}: {errors[-160:]}"], words)
        return
    cycles, wrong = answer["cycles"], Counter()
    if not len(steps) - 1 <= len(cycles) <= len(steps) + 1:
        wrong[f"{len(cycles)} cycles, right: {len(steps)}"] += 1
    for cycle, step in zip(cycles, steps[-len(cycles):] if len(cycles) < len(steps) else steps):
        if cycle["phase"] not in right_phases(engine, step, sure):
            wrong[f"{cycle['phase']} for {step.phase}"] += 1
        for word, right in (("tokens", step.tokens), ("sequences", step.sequences)):
            if engine not in NO_PHASES and cycle[word] != right and (sure or cycle[word] is not None):
                wrong[f"{word} {cycle[word]} for {right}"] += 1
        if evidence and cycle["evidence"] not in evidence.split():
            wrong[f"evidence {cycle['evidence']}, right: {evidence}"] += 1
    score.add("cycles", name, [f"{what} ({times}x)" for what, times in wrong.most_common(6)], words)


def ask_first(folder, score):
    for engine, evidence in SAID.items():
        plans = {"prefill then decode": [prefill(1024, 2)] + [decode(32)] * 14, "decode only": [decode(20, 900)] * 12,
                 "prefill only": [prefill(512, 1)] * 8,
                 "batch grows": [prefill(300, 1) if i % 5 == 0 else decode(8 + i, 500) for i in range(30)],
                 "one odd pass at the end": [decode(20)] * 15 + [decode(1)]}
        if engine not in PADDED:
            plans |= {"mixed": [mixed(20, 300) if i % 4 == 1 else decode(20) for i in range(24)],
                      "small chunk": [mixed(40, 24) if i % 4 == 1 else decode(40) for i in range(24)],
                      "drafts of 4": [decode(8, 700, 4)] * 20}
        if engine not in ("sglang", "amd"):
            plans["batch of one"] = [prefill(700, 1)] + [decode(1, 700)] * 16
        for title, steps in plans.items():
            ask_steps(f"{engine}: {title}", engine, steps, folder, score, evidence=evidence)
    slow = when(lambda i: i in (5, 9), pause=9000)
    ask_steps("graph: decode", "graph", [decode(32)] * 16, folder, score, sure=False)
    ask_steps("cudaonly: both", "cudaonly", [prefill()] * 2 + [decode(24)] * 14, folder, score, sure=False)
    ask_steps("cudaonly: decode", "cudaonly", [decode(24)] * 14, folder, score, sure=False)
    ask_steps("tp: one rank", "tp", [prefill(512, 1)] + [decode(24)] * 12, folder, score, evidence="engine")
    ask_steps("cudaonly: slow decode steps", "cudaonly", [decode(24)] * 20, folder, score, sure=False, mod=slow)
    ask_steps("vllm_bare: slow decode steps", "vllm_bare", [prefill(512, 1)] + [decode(24)] * 20, folder, score,
              mod=slow)
    ask_steps("image", "image", [decode(32)] * 12, folder, score)
    ask_steps("bert", "bert", [decode(16)] * 12, folder, score)


def ask_fresh(folder, score):
    for engine, evidence in SAID_FRESH.items():
        plans = {"decode only": [decode(28, 850)] * 13}
        if engine != "streams":
            plans |= {"prompts between": [prefill(640, 2) if i % 6 == 3 else decode(14 + i % 3, 800)
                                          for i in range(32)],
                      "prefill only": [prefill(384, 1)] * 9,
                      "one odd pass at the end": [decode(28)] * 17 + [decode(2)]}
        if engine not in PADDED:
            plans |= {"chunked prompts": [mixed(12, 96) if i % 3 else decode(12) for i in range(27)],
                      "cached prefix": [prefill(128, 1, 900) if i % 5 == 1 else decode(16) for i in range(25)],
                      "drafts of 3": [decode(10, 640, 3)] * 18}
        for title, steps in plans.items():
            ask_steps(f"{engine}: {title}", engine, steps, folder, score, evidence=evidence)
    slow = when(lambda i: i % 7 == 3, pause=7000)
    ask_steps("ggml: both", "ggml", [prefill(512, 1)] * 3 + [decode(6)] * 16, folder, score, sure=False)
    ask_steps("ranges: both", "ranges", [prefill(512, 1)] * 3 + [decode(24)] * 16, folder, score, sure=False)
    ask_steps("ranges: slow decode steps", "ranges", [decode(24)] * 22, folder, score, sure=False, mod=slow)
    ask_steps("mamba: slow decode steps", "mamba", [decode(24)] * 22, folder, score, mod=slow)
    ask_steps("fp8: host ahead", "fp8", [prefill(512, 1)] + [decode(24)] * 20, folder, score,
              evidence="engine", ahead=True)


def ask_third(folder, score):
    turns = [prefill(768, 1) if i % 7 == 2 else decode(20, 700) for i in range(36)]
    chunks = [mixed(18, 320) if i % 4 == 2 else decode(18, 700) for i in range(32)]
    for engine in ("vlm", "marlin", "deepgemm", "tiny2", "sgl"):
        ask_steps(f"{engine}: prompts between", engine, turns, folder, score, evidence="engine")
        ask_steps(f"{engine}: decode only", engine, [decode(40, 800)] * 16, folder, score, evidence="engine")
    for engine in ("chunked", "vlm", "deepgemm"):
        ask_steps(f"{engine}: chunked prompts", engine, chunks, folder, score, evidence="engine")
    ask_steps("spec: drafts of 3", "spec", [decode(12, 700, 4)] * 20, folder, score, evidence="engine")
    for engine in ("chunked_bare", "tiny3", "rwkv"):
        ask_steps(f"{engine}: prompts between", engine, turns, folder, score)
    for engine in ("trtllm", "trtllm_nvtx", "trtllm_graph", "xla", "xla_scan", "xla_graph", "onnx", "whisper"):
        ask_steps(f"{engine}: prompts between", engine, turns, folder, score, sure=False)
        ask_steps(f"{engine}: decode only", engine, [decode(16, 500)] * 18, folder, score, sure=False)
    for engine in ("embed", "denoise", "recommender", "recommender_steps"):
        ask_steps(engine, engine, [prefill(1024, 8) if engine == "embed" else decode(32)] * 16, folder, score)
    slow = when(lambda i: i % 9 == 4, pause=30000)
    ask_steps("trtllm_nvtx: slow decode steps", "trtllm_nvtx", [decode(24)] * 30, folder, score, sure=False, mod=slow)
    ask_steps("chunked_bare: slow decode steps", "chunked_bare", [decode(24)] * 30, folder, score, mod=slow)
