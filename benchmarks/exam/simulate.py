"""Runs an engine: host threads launch, streams execute, collectives wait for the last rank. Times in us."""
import math
import random
from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Callable

from more_engines import ENGINES
from work import Copy, Graph, Kernel, Wait

APIS = {"wait": "cudaStreamSynchronize", "copy": "cudaMemcpyAsync", "graph": "cudaGraphLaunch",
        "stop": "cudaDeviceSynchronize"}
APIS_AMD = {key: name.replace("cuda", "hip") for key, name in APIS.items()}


@dataclass(frozen=True)
class Change:
    """What is different in one step of one rank; factors on time unless it says otherwise."""
    kernels: dict = field(default_factory=dict)     # family, or "all"
    each_kernel: Callable = None                    # kernel -> factor
    host: float = 1.0
    each_launch: Callable = None                    # random -> factor
    copy: float = 1.0
    collective: float = 1.0
    pause: float = 0.0                              # of the host after the step [us]
    waits: int = 0                                  # for the device, added to the step
    wait_us: float = 0.0                            # how much longer each of them takes [us]
    rename: dict = field(default_factory=dict)
    drop: frozenset = frozenset()
    add: tuple = ()                                 # kernels before the last two pieces


SAME = Change()


def noise_of(kind, count, seed, spread):
    """One factor per step. Kinds: white, arR (lag-1 autocorrelation R), spikes, drift, levels, bursts, wave, or a
    function of number and seed."""
    if callable(kind):
        return kind(count, seed)
    rng = random.Random(seed * 7919 + 13)
    if kind is None:
        return [1.0] * count
    if kind == "white":
        return [math.exp(spread * rng.gauss(0, 1)) for _ in range(count)]
    if kind.startswith("ar"):
        rho, x, out = float(kind[2:]), rng.gauss(0, 1), []
        for _ in range(count):
            out.append(math.exp(spread * x))
            x = rho * x + math.sqrt(1 - rho * rho) * rng.gauss(0, 1)
        return out
    out, level, busy = [], 1.0, 0
    phase = 2 * math.pi * rng.random() if kind == "wave" else 0
    for i in range(count):
        small = math.exp(0.5 * spread * rng.gauss(0, 1)) if kind != "levels" else None
        if kind == "spikes":
            out.append(small * (2.5 if rng.random() < 0.04 else 1))
        elif kind == "drift":
            out.append(small * (1 + 0.08 * i / max(1, count - 1)))
        elif kind == "levels":
            if rng.random() < 3.0 / count:
                level = 1 + 0.05 * rng.random()
            out.append(level * math.exp(0.5 * spread * rng.gauss(0, 1)))
        elif kind == "bursts":
            busy = 3 if rng.random() < 0.04 else busy - 1
            out.append(small * (1.3 if busy > 0 else 1))
        elif kind == "wave":
            out.append(small * (1 + 0.04 * math.sin(2 * math.pi * i / 17 + phase)))
        else:
            raise ValueError(kind)
    return out


def changed_program(items, change):
    """The pieces of a step after kernels were dropped, renamed, added, and waits put between them."""
    def renamed(item):
        if isinstance(item, Kernel):
            return replace(item, name=change.rename.get(item.name, item.name))
        return Graph(tuple(map(renamed, item.kernels))) if isinstance(item, Graph) else item

    if change.drop:
        items = [item for item in items if not (isinstance(item, Kernel) and item.name in change.drop)]
    if change.rename:
        items = [renamed(item) for item in items]
    if change.add:
        items = [*items[:-2], *change.add, *items[-2:]]
    if not change.waits:
        return items
    out, every, added = [], max(1, len(items) // (change.waits + 1)), 0
    for i, item in enumerate(items):
        out.append(item)
        added += isinstance(item, Wait)
        if i % every == every - 1 and i < len(items) - 3 and added < change.waits:
            out.append(Wait(change.wait_us))
            added += 1
    return out


def collective_name(kernel):
    return "all_to_allv" if "SendRecv" in kernel else "_allgather_base" if "AllGather" in kernel else "allreduce"


class Rank:
    """A process with one thread and one device."""

    def __init__(self, rank, world, engine, rng, settings):
        self.rank, self.world, self.engine, self.rng = rank, world, engine, rng
        self.jitter, self.emit, self.host_us, self.bandwidth, self.ahead = settings
        self.apis = APIS_AMD if engine.amd else APIS
        self.pid = 4000 + rank
        self.host, self.free = 1000.0 + 3 * rank, defaultdict(float)
        self.correlation, self.external = 1000 + 17 * rank, 1
        self.before = 0.0           # when the device was done with the step before
        self.events, self.times = [], []

    def wobble(self, us):
        return us * (1 + self.jitter * self.rng.gauss(0, 1) * 0.5) if self.jitter else us

    def device_free(self):
        return max(self.free.values(), default=0.0)

    def begin_step(self, step, index, change, items, noise):
        self.step, self.index, self.change, self.noise = step, index, change, noise
        self.before = self.device_free()
        self.begin = self.host
        self.host += 8 * noise[1] * change.host
        self.items, self.at = items, 0

    def event(self, category, name, ts, dur, args, stream=None):
        """On the host, or on a stream of the device."""
        pid, tid = (self.pid, self.pid) if stream is None else (self.rank, stream)
        found = {"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "args": args}
        if self.emit:
            self.events.append(found)
        return found

    def runtime(self, name, ts, dur, correlation, cbid, **args):
        driver = name.startswith("cu") and not name.startswith("cuda")
        self.event("cuda_driver" if driver else "cuda_runtime", name, ts, dur,
                   {"cbid": cbid, "correlation": correlation, **args})

    def framework_op(self, name, shapes, values, types, ts, dur):
        self.event("cpu_op", name, ts, dur, {
            "External id": self.external, "Record function id": 0, "Concrete Inputs": values, "Input Dims": shapes,
            "Input type": types, "Ev Idx": self.external})

    def next_correlation(self):
        self.correlation += 1
        return self.correlation - 1

    def kernel_us(self, kernel):
        factors = self.change.kernels
        us = kernel.us * self.noise[0] * factors.get("all", 1) * factors.get(kernel.family, 1)
        return self.wobble(us * (self.change.each_kernel(kernel) if self.change.each_kernel else 1))

    def device_args(self, stream, correlation, **args):
        return {"device": self.rank, "context": 1, "stream": stream, "correlation": correlation, **args}

    def run_until_collective(self):
        """The collective kernel that the others have to reach, with its time, or None at the end of the step."""
        while self.at < len(self.items):
            item = self.items[self.at]
            self.at += 1
            host = self.noise[1] * self.change.host
            host *= self.change.each_launch(self.rng) if self.change.each_launch else 1
            if isinstance(item, Kernel):
                waiting = self.launch(item, host)
                if waiting:
                    return waiting
            elif isinstance(item, Graph):
                self.launch_graph(item, host)
            elif isinstance(item, Copy):
                self.copy(item, host)
            else:
                self.wait(item)
        return None

    def launch(self, kernel, host):
        begin, correlation, us = self.host, self.next_correlation(), self.wobble(self.host_us * host)
        external = self.external
        recorded = self.engine.cpu and kernel.ops
        if self.emit and recorded:
            for depth, (name, shapes, values) in enumerate(kernel.ops):
                self.framework_op(name, shapes, values, ["c10::BFloat16"] * len(shapes), begin + 0.05 * depth * us,
                                  us * (0.95 - 0.1 * depth))
                self.external += 1
            external = self.external - 1
        api, api_us = begin + us * 0.3, us * 0.55
        ready = self.device_free() if kernel.joins else self.free[kernel.stream]
        start, dur = max(api + api_us * 0.8 + 2.5, ready + 0.9), self.kernel_us(kernel)
        self.runtime(kernel.api, api, api_us, correlation, 211, **{"External id": external})
        self.host = begin + us
        args = self.device_args(kernel.stream, correlation, queued=0, grid=list(kernel.grid), block=[256, 1, 1])
        if recorded:
            args["External id"] = external
        together = kernel.elements and self.world > 1
        if together:
            args |= {"Collective name": collective_name(kernel.name), "In msg nelems": kernel.elements,
                     "Out msg nelems": kernel.elements, "Group size": self.world, "dtype": "BFloat16",
                     "Process Group Name": "2", "Process Group Ranks": str(list(range(self.world)))}
        event = self.event("kernel", kernel.name, start, dur, args, kernel.stream)
        if together:
            return event, self.wobble(kernel.us) * self.noise[0] * self.change.collective
        self.free[kernel.stream] = start + dur
        return None

    def end_collective(self, event, end):
        event["dur"] = end - event["ts"]
        self.free[event["tid"]] = end

    def launch_graph(self, graph, host):
        correlation = self.next_correlation()
        us = self.wobble((25 + 0.35 * len(graph.kernels)) * host * self.host_us / 5)
        self.runtime(self.apis["graph"], self.host, us * 0.9, correlation, 311)
        start = max(self.host + us * 0.5 + 3, self.device_free() + 1)
        self.host += us
        for kernel in graph.kernels:
            dur = self.kernel_us(kernel)
            self.event("kernel", kernel.name, start, dur, self.device_args(
                7, correlation, queued=0, grid=list(kernel.grid), block=[256, 1, 1]), 7)
            start += dur + 0.7
        self.free[7] = start - 0.7

    def copy(self, copy, host):
        correlation, us = self.next_correlation(), self.wobble(7 * host)
        dur = self.wobble((1.2 + copy.bytes / (self.bandwidth * 1e3)) * self.change.copy)
        if self.engine.cpu:
            dims = [copy.bytes // 8, 1]
            self.framework_op(copy.op, [dims, dims, []], ["", "", "False"], ["long int", "long int", "Scalar"],
                              self.host, us * 0.95)
        self.runtime(self.apis["copy"], self.host + 0.2 * us, us * 0.7, correlation, 41,
                     **{"External id": self.external})
        start = max(self.host + us * 0.8 + 2, self.device_free() + 1)
        self.host += us
        self.external += 1
        name = "Memcpy HtoD (Pinned -> Device)" if copy.direction == "HtoD" else "Memcpy DtoH (Device -> Pageable)"
        self.event("gpu_memcpy", name, start, dur, self.device_args(
            7, correlation, bytes=copy.bytes, **{"memory bandwidth (GB/s)": copy.bytes / dur / 1e3}), 7)
        self.free[7] = start + dur

    def wait(self, wait):
        correlation = self.next_correlation()
        done = self.before if self.ahead else self.device_free()
        end = max(self.host + 1.5, done + 2.0) + wait.us
        self.runtime(self.apis["wait"], self.host, end - self.host, correlation, 131)
        self.host = end

    def end_step(self, post_us):
        self.host += self.wobble(post_us * self.noise[1] * self.change.host) + self.change.pause
        if self.engine.note:
            ids = {"External id": self.external, "Record function id": 0, "Ev Idx": self.external}
            self.event("user_annotation", self.engine.note(self.step, self.index), self.begin,
                       self.host - self.begin - 2, ids)
            self.external += 1
        self.times.append((self.step.phase, self.begin, self.host))


def simulate(engine, steps, ranks=1, mod=None, noise=None, s=0.03, seed=1, host_us=5.0, post_us=120.0, jitter=0.02,
             emit=True, gap=None, noise_on="all", step_copy=0, bandwidth=50.0, tail=True, ahead=False):
    """Events and (phase, begin, end) of the steps, per rank.

    mod(index, step, rank) gives the Change of a step; gap(index) the time between steps; step_copy bytes go to the
    device before each step; tail: the profiler waits for the device at the end; ahead: the host waits for the step
    before.
    """
    kind, rng = ENGINES[engine], random.Random(seed)
    factors = noise_of(noise, len(steps), seed, s)
    members = [Rank(rank, ranks, kind, rng, (jitter, emit, host_us, bandwidth, ahead)) for rank in range(ranks)]
    for index, step in enumerate(steps):
        step = replace(step, rng=random.Random(seed * 1000 + index) if jitter else None)
        factor = factors[index]
        both = (factor if noise_on in ("all", "gpu") else 1.0, factor if noise_on in ("all", "host") else 1.0)
        shared = None if kind.stage else kind.program(step)
        for member in members:
            program = shared or kind.stage(step, member.rank, ranks)
            if step_copy:
                program = [Copy("HtoD", step_copy, "aten::copy_"), *program]
            change = (mod(index, step, member.rank) if mod else None) or SAME
            member.host += gap(index) if gap else 0
            member.begin_step(step, index, change, changed_program(program, change), both)
        while waiting := [(member, found) for member in members if (found := member.run_until_collective())]:
            end = max(event["ts"] for _, (event, _) in waiting) + max(us for _, (_, us) in waiting)
            for member, (event, _) in waiting:
                member.end_collective(event, end)
        for member in members:
            member.end_step(post_us)
    if tail:
        for member in members:
            member.runtime(member.apis["stop"], member.host + 1, 6.0, member.correlation, 165)
    return [member.events for member in members], [member.times for member in members]
