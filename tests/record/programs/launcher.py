"""Launches kernels of the stand-in driver from Python, by ctypes.

usage: launcher.py CASE [COUNT]
"""
import asyncio
import ctypes
import importlib
import os
import sys
import threading
import time

cuda = ctypes.CDLL("libcuda.so.1")
HANDLE = ctypes.c_void_p


def check(result):
    assert result == 0, result


def begin():
    context = HANDLE()
    check(cuda.cuInit(0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
    check(cuda.cuCtxSetCurrent(context))
    module, kernel = HANDLE(), HANDLE()
    check(cuda.cuModuleLoadData(ctypes.byref(module), b"scripted"))
    check(cuda.cuModuleGetFunction(ctypes.byref(kernel), module, b"sleep_us_0_empty"))
    return context, kernel


CONTEXT, KERNEL = begin()


def launch():
    check(cuda.cuLaunchKernel(KERNEL, 1, 1, 1, 32, 1, 1, 0, None, None, None))


def wait():
    check(cuda.cuCtxSynchronize())


class Model:
    def norm(self):
        launch()

    def forward(self):
        self.norm()  # first
        for _ in range(2):
            self.norm()  # second
        (
            self
            .norm()  # third
        )


def generate(count):
    for _ in range(count):
        launch()  # in a generator
        yield


async def coroutine(count):
    for _ in range(count):
        await asyncio.sleep(0)
        launch()  # in a coroutine


def recurse(depth):
    if depth == 0:
        launch()  # at the bottom
        return
    recurse(depth - 1)


def in_thread(function):
    def run():
        check(cuda.cuCtxSetCurrent(CONTEXT))
        function()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()


def forever():
    check(cuda.cuCtxSetCurrent(CONTEXT))
    while True:
        recurse(20)


ENGINES = {
    "vllm": "vllm.v1.worker.gpu_model_runner",
    "sglang": "sglang.srt.managers.scheduler",
    "transformers": "transformers.generation.continuous_batching.continuous_api",
}


def main(case, count):
    if case == "lines":
        for _ in range(count):
            Model().forward()
    elif case == "generator":
        list(generate(count))
    elif case == "coroutine":
        asyncio.run(coroutine(count))
    elif case == "deep":
        sys.setrecursionlimit(5000)
        for _ in range(count):
            recurse(1000)
    elif case == "threads":
        for _ in range(4):
            in_thread(lambda: [Model().forward() for _ in range(count)])
    elif case == "exit":
        for _ in range(4):
            threading.Thread(target=forever, daemon=True).start()
        time.sleep(0.05)
    elif case == "made":
        for i in range(count):
            scope = {"launch": launch}
            exec(compile(f"def made_{i}():\n" + "\n" * (i % 50) + "  launch()\n", f"made_{i}.py", "exec"), scope)
            scope[f"made_{i}"]()
    elif case == "graph":
        stream, graph, executable = HANDLE(), HANDLE(), HANDLE()
        check(cuda.cuStreamCreate(ctypes.byref(stream), 1))
        check(cuda.cuStreamBeginCapture_v2(stream, 0))
        for _ in range(6):
            check(cuda.cuLaunchKernel(KERNEL, 1, 1, 1, 32, 1, 1, 0, stream, None, None))  # in a capture
        check(cuda.cuStreamEndCapture(stream, ctypes.byref(graph)))
        check(cuda.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)))
        for _ in range(count):
            check(cuda.cuGraphLaunch(executable, stream))
    elif case == "serve":  # steps of an engine, again and again
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "engines"))
        engine = importlib.import_module(ENGINES["transformers"])
        for _ in range(count):
            engine.run(launch, wait)
            launch()  # of something else, which is no step of the engine
            wait()
            time.sleep(0.001)
    elif case in ENGINES:
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "engines"))
        importlib.import_module(ENGINES[case]).run(launch, wait)
    elif case == "names":
        scope = {"launch": launch}
        exec(compile("def größe():\n  launch()\n\ndef 大きさ():\n  größe()\n", "größe/大きさ/𝛼.py", "exec"), scope)
        scope["大きさ"]()
    elif case in ("burst", "thread-burst"):
        # What a launch takes [ns]: the median of some bursts.
        def burst():
            begin = time.perf_counter_ns()
            for _ in range(1000):
                cuda.cuLaunchKernel(KERNEL, 1, 1, 1, 32, 1, 1, 0, None, None, None)
            return (time.perf_counter_ns() - begin) / 1000

        def nested(depth):
            return nested(depth - 1) if depth else burst()

        times = []

        def bursts():
            for _ in range(count):
                times.append(nested(20))
                time.sleep(0.02)

        bursts() if case == "burst" else in_thread(bursts)
        print(sorted(times)[len(times) // 2])
        return
    else:
        raise SystemExit(f"unknown case {case}")
    wait()
    print("done")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
