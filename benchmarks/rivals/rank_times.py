#!/usr/bin/env python3
"""The numbers of `tactus ranks`, computed from the traces alone, and held against them.

usage: benchmarks/rivals/rank_times.py TACTUS FOLDER    FOLDER has rank-0.json.gz, rank-1.json.gz, ...

Written without a look at Tactus' code: reads the JSON, takes the steps from `tactus cycles`, and
computes for each rank the time inside collectives, the part of it without kernels, idle time, and for
each collective who came last and how long the others waited. Prints what differs; exits with 1 then.
"""
import collections
import glob
import gzip
import json
import subprocess
import sys


def union(spans):
    out = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def cut(spans, start, end):
    return [(max(a, start), min(b, end)) for a, b in spans if b > start and a < end]


def length(spans):
    return sum(b - a for a, b in spans)


class Rank:
    def __init__(self, path, base):
        trace = json.load(gzip.open(path))
        self.rank = trace["distributedInfo"]["rank"]
        self.compute, self.copies, self.collectives = [], [], []
        for event in trace["traceEvents"]:
            if event.get("ph") != "X":
                continue
            start = round(event["ts"] * 1000) - base
            span = (start, start + round(event["dur"] * 1000))
            name, kind = event["name"], event.get("cat")
            if kind == "kernel":
                (self.collectives if "all_reduce" in name or "nccl" in name.lower() else self.compute).append(span)
            elif kind in ("gpu_memcpy", "gpu_memset"):
                self.copies.append(span)
            elif kind == "user_annotation" and name.startswith("gloo:"):
                self.collectives.append(span)
        self.collectives.sort()

    def measure(self, steps):
        compute, collectives = union(self.compute), union(self.collectives)
        everything = union(self.compute + self.copies + self.collectives)
        total = sum(end - start for start, end in steps)
        busy = sum(length(cut(everything, *step)) for step in steps)
        either = union(self.compute + self.collectives)
        exposed = sum(length(cut(either, *step)) - length(cut(compute, *step)) for step in steps)
        self.inside = [call for call in self.collectives if any(a <= call[0] < b for a, b in steps)]
        inside = sum(b - a for a, b in self.inside)
        n = len(steps)
        return {"steps": n, "step_ns": total / n, "busy_ns": busy / n, "idle_ns": (total - busy) / n,
                "comm_ns": inside / n, "exposed_comm_ns": exposed / n}


def main():
    tool, folder = sys.argv[1:]
    say = lambda *words: json.loads(subprocess.run([tool, *words, "--json", "--quiet"], check=True,
                                                   capture_output=True, text=True).stdout)
    origin = int(say("info", folder)["origin_ns"])
    paths = sorted(glob.glob(f"{folder}/*.json.gz"))
    base_of = lambda path: origin - int(json.load(gzip.open(path))["baseTimeNanoseconds"])
    ranks = {rank.rank: rank for rank in (Rank(path, base_of(path)) for path in paths)}
    steps = collections.defaultdict(list)
    for cycle in say("cycles", folder)["cycles"]:
        if cycle["complete"]:
            steps[cycle["rank"]].append((cycle["start_ns"], cycle["start_ns"] + cycle["dur_ns"]))
    report = say("ranks", folder)
    wrong = compared = 0

    def compare(what, ours, theirs, tolerance=2.0):
        nonlocal wrong, compared
        compared += 1
        if abs(ours - theirs) > tolerance + 1e-6 * abs(ours):
            wrong += 1
            print(f"{what}: {ours} here, {theirs} in tactus")

    for row in report["ranks"]:
        for key, value in ranks[row["rank"]].measure(steps[row["rank"]]).items():
            compare(f"rank {row['rank']} {key}", value, row[key])
    numbers = sorted(ranks)
    wait = rank_wait = shortest = 0
    last = collections.Counter()
    together = list(zip(*(ranks[number].inside for number in numbers)))
    for calls in together:
        starts = [start for start, _ in calls]
        wait += max(starts) - min(starts)
        rank_wait += sum(max(starts) - start for start in starts)
        shortest += min(end - start for start, end in calls)
        last[numbers[starts.index(max(starts))]] += 1
    if report["arrival_by"] == "time":
        compare("collectives", len(together), report["matched"], 0)
        compare("wait", wait, sum(row["wait_ns"] for row in report["collectives"]), len(together))
        compare("rank wait", rank_wait, sum(row["rank_wait_ns"] for row in report["collectives"]), len(together) * 4)
        compare("time", shortest, sum(row["time_ns"] for row in report["collectives"]), len(together))
        for row in report["ranks"]:
            compare(f"rank {row['rank']} was last", last[row["rank"]], row["was_last"], 0)
    print(f"{folder}: {compared} numbers, {wrong} differ")
    return 1 if wrong else 0


sys.exit(main())
