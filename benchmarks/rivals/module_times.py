#!/usr/bin/env python3
"""GPU time by module path from a Kineto trace, by another way than Tactus: for checks.

usage: module_times.py TRACE.json[.gz]          prints "NANOSECONDS<tab>PATH" per path
       module_times.py TRACE.json[.gz] TACTUS   compares with what the program TACTUS prints

A kernel belongs to the call with its correlation, the call to the Python frame that started last and
still runs, and the frame to the modules above it by "Python parent id"; where that id is not in the trace,
to the frame around it in time. Times are exact: numbers are read as decimals. A replayed kernel of a CUDA
graph belongs to no module here.
"""
import bisect, gzip, json, subprocess, sys
from collections import defaultdict
from decimal import Decimal


def nanoseconds(text):
    return int(Decimal(text) * 1000)


def events_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        document = json.load(file, parse_float=Decimal, parse_int=int)
    events = document["traceEvents"] if isinstance(document, dict) else document
    return [event for event in events if event.get("ph") == "X"]


def innermost_finder(frames):
    """frames: (begin, -end, event) of one thread. Returns a function from a time to the innermost frame."""
    frames.sort(key=lambda frame: frame[:2])
    begins = [frame[0] for frame in frames]

    def find(time):
        for i in range(bisect.bisect_right(begins, time) - 1, -1, -1):
            if -frames[i][1] > time:
                return frames[i][2]
        return None

    return find


def module_times(path):
    events = events_of(path)
    frames, by_id, calls, kernels = defaultdict(list), {}, {}, []
    for event in events:
        category = event.get("cat")
        if category == "python_function":
            begin = nanoseconds(event["ts"])
            frames[event["pid"], event["tid"]].append((begin, -begin - nanoseconds(event["dur"]), event))
            by_id[event["args"]["Python id"]] = event
        elif category in ("cuda_runtime", "cuda_driver"):
            calls[event["args"].get("correlation")] = event
        elif category == "kernel":
            kernels.append(event)
    finders = {thread: innermost_finder(list_) for thread, list_ in frames.items()}  # sorts the lists
    paths = {}

    around = {}

    def frame_around(frame):
        """The frame that started last before this one and ends after it."""
        if id(frame) not in around:
            begin, end = nanoseconds(frame["ts"]), nanoseconds(frame["ts"]) + nanoseconds(frame["dur"])
            others = frames[frame["pid"], frame["tid"]]
            around[id(frame)] = None
            for i in range(bisect.bisect_left(others, (begin, -end), key=lambda other: other[:2]) - 1, -1, -1):
                if -others[i][1] >= end:
                    around[id(frame)] = others[i][2]
                    break
        return around[id(frame)]

    def path_of(frame):
        steps = []
        while frame is not None:
            if frame["name"].startswith("nn.Module: "):
                steps.append(frame["name"][len("nn.Module: "):])
            caller = by_id.get(frame["args"].get("Python parent id"))
            frame = caller if caller is not None else frame_around(frame)
        return " / ".join(reversed(steps))

    times = defaultdict(int)
    for kernel in kernels:
        call = calls.get(kernel["args"].get("correlation"))
        path = ""
        if call is not None and "GraphLaunch" not in call["name"]:
            finder = finders.get((call["pid"], call["tid"]))
            frame = finder(nanoseconds(call["ts"])) if finder else None
            if frame is not None:
                key = id(frame)
                if key not in paths:
                    paths[key] = path_of(frame)
                path = paths[key]
        times[path or "outside modules"] += nanoseconds(kernel["dur"])
    return times


def tactus_times(program, path):
    text = subprocess.run([program, "kernels", path, "--by", "module", "--unfold", "--json"], check=True,
                          capture_output=True, text=True).stdout
    document = json.loads(text)
    return {row["path"]: row["self_ns"] for row in document["modules"] if row["self_ns"]}, document["total_ns"]


def main():
    ours = {path: ns for path, ns in module_times(sys.argv[1]).items() if ns}
    if len(sys.argv) == 2:
        for path, ns in sorted(ours.items(), key=lambda item: -item[1]):
            print(f"{ns}\t{path}")
        return 0
    theirs, total = tactus_times(sys.argv[2], sys.argv[1])
    different = [path for path in ours.keys() | theirs.keys() if ours.get(path, 0) != theirs.get(path, 0)]
    for path in sorted(different):
        print(f"{path}: {ours.get(path, 0)} ns here, {theirs.get(path, 0)} ns by tactus")
    print(f"{len(ours)} paths, {sum(ours.values())} of {total} ns, {len(different)} different")
    return 1 if different or sum(ours.values()) != total else 0


if __name__ == "__main__":
    sys.exit(main())
