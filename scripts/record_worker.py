"""A program with steps for try-record, which speaks to it in JSON lines:

    record_worker.py eager|graph|cb LIBRARY [fake]

    {"do": "steps", "count": 50} -> {"us": [...], "cpu_us": [...]}
    {"do": "alternate", "recorder": PID, "block": 5, "seconds": 20} -> {"blocks": [[is_on, us, cpu_us, number], ...]}
    {"do": "start", "name": "bare"} -> {} or {"error": ...};  {"do": "stop", "name": "bare"} -> {}

Programs: eager and graph (record_loop.py), cb (continuous batching of transformers; steps come in bursts). `us` is the time
of a step, `cpu_us` what the thread used of a core for it; of eager and graph, for its launches without the wait, which
spins. Of `alternate`, they are medians of blocks, recorded and not in turns. LIBRARY is bare_cupti.cc, built. `fake` has small loops on the driver without a GPU.
"""
import contextlib
import ctypes
import json
import os
import statistics
import sys
import time

from record_switch import Switch

os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
sys.dont_write_bytecode = True


class Program:
    """What it calls before each step, and behind each decode step."""

    before_step = staticmethod(lambda: None)
    after_decode = staticmethod(lambda us, cpu_us: None)


class Loop(Program):
    def __init__(self, mode):
        import torch
        import record_loop
        self.step, self.wait = record_loop.make_step(mode), torch.cuda.synchronize

    def steps(self, count):
        us, cpu_us = [], []
        for _ in range(count):
            self.before_step()
            begin, used = time.perf_counter_ns(), time.thread_time_ns()
            self.step()
            cpu_us.append((time.thread_time_ns() - used) / 1e3)
            self.wait()
            us.append((time.perf_counter_ns() - begin) / 1e3)
            self.after_decode(us[-1], cpu_us[-1])
        return us, cpu_us


class FakeLoop(Loop):
    """A step of 50 kernels of 10 us, or a graph of them."""

    def __init__(self, mode):
        from standin_driver import Driver
        driver = Driver()
        self.step = driver.graph(50, 10) if mode == "graph" else lambda: [driver.launch(10) for _ in range(50)]
        self.wait = driver.wait


class Batches(Program):
    """Decode steps of bursts of 24."""

    def __init__(self):
        import record_engines_worker
        program = self

        class Timed(record_engines_worker.BatchEngine):
            def step(self):
                program.before_step()
                used = time.thread_time_ns()
                step = super().step()
                if not step:
                    return None
                step = [*step, time.thread_time_ns() - used]
                if step[0] == "decode":
                    program.after_decode(step[-2] / 1e3, step[-1] / 1e3)
                return step

        self.engine = Timed(mixture=False)
        for _ in range(2):  # cuDNN makes a plan for each length that it sees
            self.engine.run(1, 24)

    def steps(self, count):
        us, cpu_us = [], []
        while len(us) < count:
            for phase, _, _, _, ns, cpu_ns in self.engine.run(1, 24):
                if phase == "decode":
                    us.append(ns / 1e3)
                    cpu_us.append(cpu_ns / 1e3)
        return us, cpu_us


def alternate(program, recorder, block, seconds):
    """Recorded for some steps and not for as many, in turns: the shorter a turn, the less a machine's mood changes in it."""
    switch, number, steps_of = Switch(recorder), 0, {}

    def before_step():
        nonlocal number
        if number % block == 0:
            switch.set(number // block % 2 == 1)
        number += 1

    program.before_step = before_step
    program.after_decode = lambda *step: steps_of.setdefault((number - 1) // block, []).append(step)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            program.steps(24)
    finally:
        del program.before_step, program.after_decode
        switch.set(True)
    # Of a block with a prompt in it, the other steps count.
    return [[at % 2, *(statistics.median(values) for values in zip(*steps)), at]
            for at, steps in sorted(steps_of.items()) if 2 * len(steps) > block]


class Profilers:
    """What else collects: torch.profiler, and the least that CUPTI can do."""

    def __init__(self, library):
        self.library, self.bare, self.profile = library, None, None

    def start(self, name):
        if name == "nothing":
            return
        if name == "bare":
            self.bare = self.bare or ctypes.CDLL(self.library)
            if error := self.bare.bare_start():
                raise RuntimeError(f"the bare collector does not start: {error}")
            return
        import torch
        kinds = torch.profiler.ProfilerActivity
        self.profile = torch.profiler.profile(activities=[kinds.CUDA] if name == "torch_cuda" else [kinds.CPU, kinds.CUDA],
                                              with_stack=name == "torch_stack")
        self.profile.start()

    def stop(self, name):
        if name == "bare":
            self.bare.bare_stop()
        elif name != "nothing":
            self.profile.stop()
            self.profile = None


def facts(is_fake):
    if is_fake:
        return {"pid": os.getpid(), "gpu": "none", "software": "driver without a GPU"}
    import torch
    import transformers
    return {"pid": os.getpid(), "gpu": torch.cuda.get_device_name(),
            "software": f"PyTorch {torch.__version__}, transformers {transformers.__version__}"}


def inference_mode():
    import torch
    return torch.inference_mode()


def main():
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # output of libraries must not mix with the answers
    with contextlib.nullcontext() if "fake" in sys.argv else inference_mode():
        serve(sys.argv[1], answers, "fake" in sys.argv)


def serve(name, answers, is_fake):
    program = FakeLoop(name) if is_fake else Batches() if name == "cb" else Loop(name)
    profilers = Profilers(sys.argv[2])
    program.steps(30)
    answers.write(json.dumps(facts(is_fake)) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        answer = {}
        try:
            if request["do"] == "steps":
                answer["us"], answer["cpu_us"] = program.steps(request["count"])
            elif request["do"] == "alternate":
                answer["blocks"] = alternate(program, request["recorder"], request["block"], request["seconds"])
            elif request["do"] == "start":
                profilers.start(request["name"])
            else:
                profilers.stop(request["name"])
        except (RuntimeError, OSError, ImportError) as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")


main()
