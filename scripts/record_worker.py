"""A program with steps for try-record, which speaks to it in JSON lines:

    {"do": "steps", "count": 50} -> {"us": [...], "launches": 192}

Programs: eager and graph (record_loop.py), cb (continuous batching of transformers; steps come in bursts).
"""
import ctypes
import json
import os
import sys
import time

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)  # output of libraries must not mix with the answers

import torch  # noqa: E402


class Loop:
    def __init__(self, mode):
        import record_loop
        self.step = record_loop.make_step(mode)

    def steps(self, count):
        times = []
        for _ in range(count):
            begin = time.monotonic()
            self.step()
            torch.cuda.synchronize()
            times.append(1e6 * (time.monotonic() - begin))
        return times


class Batches:
    """Decode steps of bursts of 24."""

    def __init__(self):
        import record_engines_worker
        self.engine = record_engines_worker.BatchEngine(mixture=False)
        for _ in range(2):  # cuDNN makes a plan for each length that it sees
            self.engine.run(1, 24)

    def steps(self, count):
        times = []
        while len(times) < count:
            times += [ns / 1e3 for phase, _, _, _, ns in self.engine.run(1, 24) if phase == "decode"]
        return times


class Profilers:
    """What else collects: torch.profiler, and the least that CUPTI can do."""

    def __init__(self, library):
        self.bare = ctypes.CDLL(library) if os.path.exists(library) else None
        self.profile = None

    def start(self, name):
        if name == "bare":
            if self.bare is None or self.bare.bare_start():
                raise RuntimeError("no bare collector")
            return
        kinds = torch.profiler.ProfilerActivity
        self.profile = torch.profiler.profile(activities=[kinds.CUDA] if name == "torch_cuda" else [kinds.CPU, kinds.CUDA],
                                              with_stack=name == "torch_stack")
        self.profile.start()

    def stop(self, name):
        if name == "bare":
            return self.bare.bare_stop()
        self.profile.stop()
        kernels = sum(event.device_type == torch.autograd.DeviceType.CUDA for event in self.profile.events())
        self.profile = None
        return kernels


def main():
    program = Batches() if sys.argv[1] == "cb" else Loop(sys.argv[1])
    profilers = Profilers(sys.argv[2])
    program.steps(30)
    answers.write(json.dumps({"pid": os.getpid(), "torch": torch.__version__, "gpu": torch.cuda.get_device_name()}) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "steps":
            answer = {"us": program.steps(request["count"])}
        elif request["do"] == "start":
            answer = {}
            try:
                profilers.start(request["name"])
            except RuntimeError as error:
                answer = {"error": str(error)}
        else:
            answer = {"kernels": profilers.stop(request["name"])}
        answers.write(json.dumps(answer) + "\n")


with torch.inference_mode():
    main()
