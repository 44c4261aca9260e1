"""Writes simulated runs as Kineto traces with counters beside them, and knows how long their steps really took."""
import json
import math
import os
import random
import shutil
from dataclasses import dataclass

from more_engines import ENGINES
from nsys_export import write_export
from simulate import simulate

ORIGIN_NS = 1_780_000_000_000_000_000

BASE = {
    ("host_cpu_usage", "Host"): 9.0, ("process_cpu_usage", "Host"): 104.0, ("cpu_frequency", "Host"): 3100.0,
    ("gpu_sm_frequency", "GPU 0"): 1755.0, ("gpu_mem_frequency", "GPU 0"): 2619.0, ("gpu_usage", "GPU 0"): 88.0,
    ("gpu_mem_used", "GPU 0"): 6.21e10, ("process_gpu_mem_usage", "GPU 0"): 6.15e10,
    ("gpu_pcie_transmit", "GPU 0"): 1.1e8, ("gpu_pcie_receive", "GPU 0"): 3.0e8,
    ("gpu_link_transmit", "GPU 0"): 2.0e10, ("gpu_link_receive", "GPU 0"): 2.0e10,
    ("host_mem_available", "Host"): 4.1e11, ("gpu_temp", "GPU 0"): 61.0}


def device_of(counter):
    return "GPU 0" if counter.startswith(("gpu", "process_gpu", "pcie")) else "Host"


def counters(base=None, **values):
    """The usual counters, some of them with other values."""
    return {**(BASE if base is None else base), **{(name, device_of(name)): value for name, value in values.items()}}


@dataclass
class Recording:
    path: str
    times: list         # per rank: (phase, begin, end) of each step
    clean: list         # the same simulation without noise: the truth
    ranks: int

    def steps(self, phase=None, clean=False):
        """How long the job's steps took: the slowest rank's."""
        times = self.clean if clean else self.times
        return [max(rank[i][2] - rank[i][1] for rank in times) for i in range(len(times[0]))
                if phase in (None, times[0][i][0])]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def true_ratio(a, b, phase):
    x, y = a.steps(phase, clean=True), b.steps(phase, clean=True)
    return geometric_mean(y) / geometric_mean(x) if x and y else None


def recorded_ratio(a, b, phase=None):
    """With all the noise of these two recordings."""
    return geometric_mean(b.steps(phase)) / geometric_mean(a.steps(phase))


def counters_csv(values, until_us, origin_ns, seed, period_us):
    rng, lines, at = random.Random(seed + 99), ["timestamp_ns,counter,device,value"], 1000.0
    while at < until_us:
        for (name, device), value in values.items():
            shown = value(at, rng) if callable(value) else value * (1 + 0.01 * rng.gauss(0, 1))
            lines.append(f"{origin_ns + int(at * 1000)},{name},{device},{shown:.6g}")
        at += period_us
    return "\n".join(lines) + "\n"


def arrows(events):
    for event in events:
        arrow = {"id": event["args"].get("correlation"), "pid": event["pid"], "tid": event["tid"], "ts": event["ts"],
                 "cat": "ac2g", "name": "ac2g"}
        if event["cat"] in ("cuda_runtime", "cuda_driver") and "Synchronize" not in event["name"]:
            yield {"ph": "s", **arrow}
        elif event["cat"] in ("kernel", "gpu_memcpy"):
            yield {"ph": "f", **arrow, "bp": "e"}


def write_trace(path, events, engine, rank=None, world=1, origin_ns=ORIGIN_NS, shift_us=0.0):
    events = sorted(events, key=lambda event: event["ts"])
    for event in events:
        event["ts"], event["dur"] = round(event["ts"] + shift_us, 3), round(event["dur"], 3)
    device = "AMD Instinct MI300X" if ENGINES[engine].amd else "NVIDIA H100 80GB HBM3"
    trace = {"schemaVersion": 1, "record_shapes": 1, "displayTimeUnit": "ms", "baseTimeNanoseconds": origin_ns,
             "deviceProperties": [{"id": rank or 0, "name": device, "totalGlobalMem": 85018279936, "computeMajor": 9,
                                   "computeMinor": 0, "numSms": 132}]}
    if rank is not None:
        trace["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": world}
    trace["traceEvents"] = [*events, *arrows(events)]
    with open(path, "w") as file:
        json.dump(trace, file, separators=(",", ":"))


def record_roles(folder, name, roles, **spec):
    """Processes of one job that do different work, as a folder: {name: what differs from `spec`}."""
    base = os.path.join(folder, name)
    shutil.rmtree(base, ignore_errors=True)
    os.makedirs(base)
    made = [record(base, role, pid=4100 + 100 * number, **{**spec, **more})
            for number, (role, more) in enumerate(roles.items())]
    return Recording(base, [sum((one.times[0] for one in made), [])], [sum((one.clean[0] for one in made), [])], 1)


def record(folder, name, engine="vllm", steps=None, ranks=1, counters=None, rank_counters=None, edit=None, pid=None,
           origin_ns=ORIGIN_NS, shift_us=0.0, rank_shift_us=None, period_us=700.0, counters_until=1.0,
           counters_shift_ns=0, tagged=True, truth=True, nsys=False, roles=None, **simulation):
    """Simulates a run and writes it: one file, or one folder with a file per rank.

    edit(events, times, rank) changes what was recorded; pid: all ranks have this process id and call their device 0;
    nsys: one file as `nsys export --type sqlite` writes it.
    """
    if roles:
        return record_roles(folder, name, roles, engine=engine, steps=steps, counters=counters, edit=edit,
                            period_us=period_us, **simulation)
    events, times = simulate(engine, steps, ranks=ranks, **simulation)
    clean = None
    if truth:
        quiet = {**simulation, "noise": None, "jitter": 0}
        clean = simulate(engine, steps, ranks=ranks, emit=False, **quiet)[1]
    base = os.path.join(folder, name)
    shutil.rmtree(base, ignore_errors=True)
    if ranks > 1:
        os.makedirs(base)
    if nsys:
        write_export(f"{base}.sqlite", events[0], origin_ns, shift_us)
        return Recording(f"{base}.sqlite", times, clean, 1)
    end = 1000.0 + (max(rank[-1][2] for rank in times) - 1000.0) * counters_until
    for rank in range(ranks):
        path = f"{base}/rank{rank}.json" if ranks > 1 else f"{base}.json"
        kept = edit(events[rank], times[rank], rank) if edit else events[rank]
        for event in kept if pid is not None else ():
            if event["cat"] in ("kernel", "gpu_memcpy"):
                event["pid"] = event["args"]["device"] = 0
            else:
                event["pid"] = event["tid"] = pid
        shift = shift_us + (rank_shift_us[rank] if rank_shift_us else 0)
        write_trace(path, kept, engine, rank if ranks > 1 and tagged else None, ranks, origin_ns, shift)
        beside = path.replace(".json", ".counters.csv")
        if os.path.exists(beside):
            os.remove(beside)
        values = rank_counters(rank) if rank_counters else counters
        if values is not None:
            with open(beside, "w") as file:
                file.write(counters_csv(values, end, origin_ns + counters_shift_ns + int(shift * 1000),
                                        simulation.get("seed", 1) + rank, period_us))
    return Recording(base if ranks > 1 else f"{base}.json", times, clean, ranks)
