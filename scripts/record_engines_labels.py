"""What record-engines records, and what the labels say about it."""
import itertools
import json
import os
import signal
import statistics
import tarfile
from dataclasses import dataclass, field

MIB = 1 << 20
CORES = len(os.sched_getaffinity(0))
FELT_FROM, FELT_FROM_FEW = 1.05, 1.2  # a load that slows steps by less was not felt; the second for less than 6 steps
NORMALS = 4
LONG_LIMIT_S = 200
MOST_TARS = 5  # beside labels.json, done.json and record.log: 8 files
ENDINGS = (".tact", ".json.gz", ".counters.csv.gz", ".meta.json")


@dataclass
class Recording:
    kind: str
    dose: int | None  # 1 or 2; None where a dose makes no sense
    fault: str  # a class of `tactus compare`
    note: str
    variant: dict = field(default_factory=dict)  # of the engine and of Changes in record_engines_worker.py
    base: dict = field(default_factory=dict)  # the same without the change
    inject: list | None = None  # arguments of record_engines_injectors.py
    accept: tuple = ()  # other classes that are right answers too
    may_be_none: bool = False  # it may not affect the step: then the class is none
    pin_cores: int = 0  # engine and injector share this many cores
    mode: str = "eager"
    shape: str | None = "every"  # every step, or some
    limit_s: int = 60

    def name(self, prefix, engine):
        mode = "" if self.mode == "eager" else self.mode + "_"
        return f"{prefix}{engine}_{mode}{self.kind}" + (f"_{self.dose}" if self.dose else "")


def normals(numbers, **mode):
    return [Recording("normal", number, "none", "nothing changed", shape=None, variant=mode.get("base", {}), **mode)
            for number in numbers]


def loads():
    """Loads in other processes."""
    pair = ",".join(str(core) for core in sorted(os.sched_getaffinity(0))[:2])

    def cpu(dose, per_core):
        return Recording("cpu_contention", dose, "cpu_contention", f"{per_core * CORES} busy processes on {CORES} cores",
                         inject=["cpu", "--count", str(per_core * CORES)], may_be_none=dose == 1)

    def pinned(dose, count):
        return Recording("cpu_contention_pinned", dose, "cpu_contention", pin_cores=2, may_be_none=dose == 1,
                         note=f"the engine on two cores that it shares with {count} busy processes; other cores are idle",
                         inject=["cpu", "--count", str(count), "--cores", pair])

    def gpu(dose, share):
        return Recording("gpu_contention", dose, "gpu_contention", inject=["gemm", "--amount", str(share)],
                         note=f"a second process multiplies matrices on the GPU, {share:.0%} of the time")

    def memory(dose, count, share):
        return Recording("host_memory", dose, "host_memory", accept=("cpu_contention",), may_be_none=True,
                         note=f"{count} processes hold {share:.0%} of the available host memory and copy through it",
                         inject=["memory", "--count", str(count), "--amount", str(share)])

    def disk(dose, count):
        return Recording("disk", dose, "disk", f"{count} processes write files and fsync them", may_be_none=True,
                         inject=["disk", "--count", str(count)])

    def pcie(dose, way, injector):
        return Recording("pcie", dose, "pcie", f"a second process copies pinned memory {way} the GPU", inject=[injector],
                         may_be_none=True)

    return [cpu(2, 3), gpu(2, 1.0), pcie(2, "to and from", "pcie"), pinned(2, 6), gpu(1, 0.5), cpu(1, 1), pinned(1, 2),
            pcie(1, "to", "pcie_in"), memory(2, 8, 0.3), disk(2, 8), memory(1, 4, 0.1), disk(1, 2)]


def changes(engine):
    """Changes of the engine itself."""
    batch = 20 if engine.startswith("cb_") else 32
    found = []
    for dose in (2, 1):
        where = "layer" if dose == 2 else "step"
        often = "after each layer" if dose == 2 else "once per step, after the middle layer"
        more, work, stall_ms = (2, 6000, 60) if dose == 2 else (1.25, 1500, 20)
        longer = 2 * dose
        found += [
            Recording("sync_added", dose, "sync_added", f"torch.cuda.synchronize() {often}", may_be_none=dose == 1,
                      variant={"sync": "device", "where": where}),
            Recording("host_slower", dose, "host_slower", f"a Python loop of {work} turns after each layer",
                      variant={"work": work}),
            Recording("workload_batch", dose, "workload_changed", f"{int(batch * more)} sequences, not {batch}",
                      variant={"batch": int(batch * more)}),
            Recording("some_steps_stall", dose, "unknown", f"a sleep of {stall_ms} ms in every 7th step", shape="some",
                      variant={"stall_ms": stall_ms}, accept=("host_slower",)),
            Recording("workload_context", dose, "workload_changed", f"prompts {longer} times as long",
                      variant={"context": longer} if engine.startswith("cb_") else {"prompt": 256 * longer}),
            Recording("sync_added_item", dose, "sync_added", f".item() of one element {often}", may_be_none=dose == 1,
                      variant={"sync": "item", "where": where}),
        ]
    kernels = [Recording("kernels_attention", None, "kernels_changed", "eager attention, not SDPA",
                         variant={"attention": "eager"}),
               Recording("kernels_activation", None, "kernels_changed", "GELU, not SiLU", variant={"activation": "gelu"})]
    return found[:2] + kernels + found[2:]


def in_mode(mode, kinds):
    """The loop as CUDA graph or compiled."""
    base = {mode: True}
    limit_s = 180 if mode == "compiled" else 60
    found = normals(range(1, 4), mode=mode, base=base, limit_s=limit_s)
    for recording in loads() + changes("loop"):
        if (recording.kind, recording.dose) in kinds:
            recording.mode, recording.base, recording.variant = mode, base, base | recording.variant
            recording.may_be_none |= recording.inject is not None and recording.fault != "gpu_contention"
            recording.limit_s = limit_s
            found.append(recording)
    return found


# What record_engines_jax.py can do: it waits for the device in each step anyway, and has one activation.
JAX_LACKS = ("sync_added", "sync_added_item", "kernels_activation")


def recordings(engine):
    """Normal ones first, then large doses before small ones: time may run out."""
    if engine == "jax":
        return [recording for recording in recordings("") if recording.kind not in JAX_LACKS]
    found = normals(range(1, NORMALS + 1))
    for pair in itertools.zip_longest(changes(engine), loads()):
        found += [recording for recording in pair if recording]
    found += normals([NORMALS + 1])
    if engine == "loop":
        found += in_mode("graph", (("gpu_contention", 2), ("gpu_contention", 1), ("cpu_contention", 2), ("pcie", 2),
                                   ("workload_batch", 2)))
        found.append(Recording("kernels_compiled", None, "kernels_changed", "MLPs and norms through torch.compile",
                               variant={"compiled": True}, limit_s=180))
        found += in_mode("compiled", (("gpu_contention", 2), ("host_slower", 2), ("cpu_contention", 2),
                                      ("workload_batch", 2)))
    return found


def long_recordings(engine):
    """Normal ones, from which pairs with changes of known size are made (benchmarks/edit_run): edits need many steps."""
    found = normals(range(1, 3), limit_s=LONG_LIMIT_S)
    if engine == "loop":
        found += normals(range(1, 3), mode="graph", base={"graph": True}, limit_s=LONG_LIMIT_S)
    return found


# --- results

def by_phase(steps):
    found = {}
    for phase, _, _, _, ns in steps:
        found.setdefault(phase, []).append(ns)
    return found


def ratios(after, before, middle=statistics.median):
    """Per phase, how many times as long a step takes."""
    a, b = by_phase(after), by_phase(before)
    return {phase: round(middle(a[phase]) / middle(b[phase]), 4) for phase in a if phase in b}


def felt(untraced, clean, middle):
    """The phases that became slower, and by how much; few steps have to show it more clearly."""
    count = {phase: len(times) for phase, times in by_phase(untraced).items()}
    return {phase: ratio for phase, ratio in ratios(untraced, clean, middle).items()
            if ratio >= (FELT_FROM if count[phase] >= 6 else FELT_FROM_FEW)}


def costliest_phase(untraced, clean):
    """The phase in which the change cost most time, or None."""
    times = by_phase(clean)
    cost = {phase: (ratio - 1) * sum(times[phase]) for phase, ratio in felt(untraced, clean, statistics.mean).items()}
    return max(cost, key=cost.get) if cost else None


class Full(Exception):
    """No more results fit."""


class Results:
    """The tars, labels.json and done.json of a folder; what is there already counts as done."""

    def __init__(self, folder, done_file, total_mib, tar_mib):
        self.folder, self.total_mib, self.tar_mib = folder, total_mib, tar_mib
        self.metas, self.errors, self.done = {}, {}, set()
        os.makedirs(folder, exist_ok=True)
        if done_file:
            with open(done_file) as file:
                self.done = {item if isinstance(item, str) else item["name"] for item in json.load(file)}
        self.done |= {name.removesuffix(".tact") for name in os.listdir(folder) if name.endswith(".tact")}
        for path in self.tars():
            with tarfile.open(path) as tar:
                for member in tar.getmembers():
                    if member.name.endswith(".meta.json"):
                        meta = json.load(tar.extractfile(member))
                        self.metas[meta["name"]] = meta
        self.done |= set(self.metas)

    def tars(self):
        paths = [os.path.join(self.folder, f"set-{number}.tar") for number in range(1, MOST_TARS + 1)]
        return [path for path in paths if os.path.exists(path)]

    def bytes(self):
        return sum(os.path.getsize(path) for path in self.tars())

    def add(self, folder, meta):
        """Moves the files of a recording into the last tar, or into a new one."""
        with open(os.path.join(folder, meta["name"] + ".meta.json"), "w") as file:
            json.dump(meta, file)
        files = [path for ending in ENDINGS if os.path.exists(path := os.path.join(folder, meta["name"] + ending))]
        size = sum(os.path.getsize(path) + 2048 for path in files) + 10240
        tars = self.tars()
        if not tars or os.path.getsize(tars[-1]) + size > self.tar_mib * MIB:
            tars.append(os.path.join(self.folder, f"set-{len(tars) + 1}.tar"))
        if len(tars) > MOST_TARS or self.bytes() + size > self.total_mib * MIB:
            raise Full(f"the results would be over {self.total_mib} MiB or {MOST_TARS} tars")
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # half a file would spoil the tar
        try:
            with tarfile.open(tars[-1], "a") as tar:
                for path in files:
                    tar.add(path, arcname=os.path.basename(path))
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        self.metas[meta["name"]] = meta
        self.done.add(meta["name"])

    def normals(self, engine, mode, machine):
        return [meta for meta in self.metas.values() if meta["kind"] == "normal" and
                (meta["engine"], meta["mode"], meta["machine"]) == (engine, mode, machine)]

    def label(self, meta, normal):
        keys = ("name", "set", "engine", "mode", "class", "accept", "kind", "dose", "shape", "note")
        untraced, traced = ratios(meta["untraced"], normal["untraced"]), ratios(meta["traced"], normal["traced"])
        slowdown = ratios(meta["untraced"], meta["clean"])
        label = {key: meta[key] for key in keys} | {
            "normal": normal["name"], "phase": costliest_phase(meta["untraced"], meta["clean"]),
            "untraced_ratio": untraced.get("decode"), "traced_ratio": traced.get("decode"),
            "slowdown": slowdown.get("decode"),
            "mean_ratio": ratios(meta["untraced"], normal["untraced"], statistics.mean).get("decode"),
            "phases": {phase: {"untraced_ratio": untraced[phase], "traced_ratio": traced.get(phase),
                               "slowdown": slowdown.get(phase)} for phase in untraced}}
        if meta["kind"] == "normal":
            same = "the same process" if meta["pid"] == normal["pid"] else "another process"
            label |= {"dose": None, "phase": None, "note": f"{meta['note']}, {same}"}
        if meta["may_be_none"]:
            label["accept"] = label["accept"] + ["none"]
            if not felt(meta["untraced"], meta["clean"], statistics.median):
                label |= {"class": "none", "phase": None, "note": meta["note"] + "; no step felt it"}
        return label

    def write(self):
        """Each change with the normal recording nearest in time; all pairs of normal ones."""
        labels = []
        for meta in sorted(self.metas.values(), key=lambda meta: meta["begin_ns"]):
            normal = self.normals(meta["engine"], meta["mode"], meta["machine"])
            if meta["kind"] == "normal":
                labels += [self.label(meta, other) for other in normal if other["begin_ns"] < meta["begin_ns"]]
            elif normal and meta["kind"] != "smoke":
                nearest = min(normal, key=lambda other: abs(other["begin_ns"] - meta["begin_ns"]))
                labels.append(self.label(meta, nearest))
        labels += [{"name": name, "normal": None, "error": error}
                   for name, error in self.errors.items() if name not in self.metas]
        for name, content in (("labels.json", labels), ("done.json", sorted(self.done))):
            path = os.path.join(self.folder, name)
            with open(path + ".part", "w") as file:
                json.dump(content, file, indent=1)
            os.replace(path + ".part", path)
