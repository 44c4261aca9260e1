#!/usr/bin/env python3
"""Writes what a result of `tactus bench` shows, as lines of Markdown. Every number is computed from the files.

    scripts/baseline_findings.py data/baselines/h200.json
    scripts/baseline_findings.py data/baselines/judged/h200-2026-11-16.json OTHER.json   and says what changed against it

(`tactus bench --compare` must be able to read both; TACTUS names the program.)
"""
import collections
import json
import math
import os
import statistics
import subprocess
import sys

LARGE_BYTES = 64 << 20  # far beyond the last cache
SHORT_NS = 1000  # a launch takes longer
NEAR = 1.15  # times a floor
SLOWER = 1.05


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def name(row):
    return f"{row['operator']} {row['shape']}"


def count(number, what):
    return f"{number} {what}" + ("" if number == 1 else "s")


def listed(counts):
    """"rms_norm (11), layer_norm (1)", the most frequent first."""
    return ", ".join(f"{key} ({n})" for key, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def rules(rows):
    options = sorted({row["options"] for row in rows if row.get("options")})
    if not options:
        return ("taken before the present rules of the judge: rows say neither which code nor which options they are of, "
                "and one timed call of each was compared with the definition")
    return ("taken with the present rules: [every timed call may be judged](bench.md#every-timed-call-may-be-judged); "
            f"options of the rows: {'; '.join(options)}")


def rivals(rows, software):
    timed = collections.Counter(rival["name"] for row in rows for rival in row.get("rivals", []) if rival.get("t_ns"))
    if not timed:
        return "none were measured in this run"
    return f"{listed(timed)}, with the number of shapes that each has a time for" + (f"; {software}" if software else "")


def clocks(rows):
    mhz = [row["sm_clock_mhz"] for row in rows if row.get("sm_clock_mhz")]
    if not mhz:
        return None
    span = f"{min(mhz):.0f} to {max(mhz):.0f}" if max(mhz) > min(mhz) else f"{max(mhz):.0f}"
    text = f"read and not set; {span} MHz while kernels were timed (medians)"
    dropped = [row for row in rows if row.get("throttled")]
    if dropped:
        samples = sum(row["throttled"] for row in dropped)
        text += (f"; {count(samples, 'sample')} thrown away because they were lowered, of "
                 f"{listed(collections.Counter(row['operator'] for row in dropped))}")
    return text


def memory(timed, bandwidth):
    """Shapes whose bound is memory: those that have the time of a copy of as many bytes beside them."""
    beside = [row for row in timed if row.get("copy_ns")]
    large = [row for row in beside if row["t_sol_ns"] * 1e-9 * bandwidth >= LARGE_BYTES]
    if not large:
        return None
    s = sorted(large, key=lambda row: row["s"])
    return (f"{count(len(large), 'shape')} of {LARGE_BYTES >> 20} MB and more whose bound is memory run at "
            f"{geometric_mean([row['copy_ns'] / row['t_ns'] for row in large]):.2f} of the speed of a plain copy of as many "
            f"bytes (geometric mean); S is {s[0]['s']:.2f} ({name(s[0])}) to {s[-1]['s']:.2f} ({name(s[-1])}), median "
            f"{statistics.median(row['s'] for row in large):.2f}")


def short(timed):
    rows = [row for row in timed if row["t_sol_ns"] < SHORT_NS and row.get("launch_floor_ns")]
    if not rows:
        return None
    launches = [row["t_ns"] / row["launch_floor_ns"] for row in rows]
    text = (f"{count(len(rows), 'shape')}: {min(launches):.2f} to {max(launches):.2f} times an empty kernel, median "
            f"{statistics.median(launches):.2f}; within {NEAR} times an empty kernel: {sum(x <= NEAR for x in launches)}")
    touched = [row for row in rows if row.get("touch_floor_ns")]
    if touched:
        floor = statistics.median(row["touch_floor_ns"] / row["launch_floor_ns"] for row in touched)
        near = sum(row["t_ns"] <= NEAR * row["touch_floor_ns"] for row in touched)
        text += (f"; within {NEAR} times a kernel that only touches cold memory (which takes {floor:.2f} times an empty "
                 f"one, median): {near}")
    return text


def against_rivals(timed):
    lines = []
    by_name = collections.defaultdict(list)
    for row in timed:
        for rival in row.get("rivals", []):
            if rival.get("t_ns"):
                by_name[rival["name"]].append(rival["t_ns"] / row["t_ns"])
    for rival, ratios in sorted(by_name.items(), key=lambda item: -len(item[1])):
        lines.append(f"{rival} takes {geometric_mean(ratios):.2f} times as long (geometric mean of "
                     f"{count(len(ratios), 'shape')})")
    with_rival = [row for row in timed if row.get("rival")]
    slower = [row for row in with_rival if row["t_ns"] > SLOWER * row["rival"]["t_ns"]]
    if slower:
        behind = [row["t_ns"] / row["rival"]["t_ns"] for row in slower]
        lines.append(f"more than {SLOWER - 1:.0%} slower than the fastest rival: {len(slower)} of {len(with_rival)} shapes, by "
                     f"{min(behind) - 1:.0%} to {max(behind) - 1:.0%}: "
                     f"{listed(collections.Counter(row['operator'] for row in slower))}")
    elif with_rival:
        lines.append(f"no shape is more than {SLOWER - 1:.0%} slower than the fastest rival")
    return lines


def failed(rows):
    return [f"{name(row)} is {row['status']}: {row['reason']}" for row in rows
            if row["status"] not in ("ok", "skipped")]


def changes(path, earlier):
    """What `tactus bench --compare` says, and by how much times differ."""
    tactus = os.environ.get("TACTUS", os.path.join(os.path.dirname(__file__), "..", "build", "release", "tactus"))
    done = subprocess.run([tactus, "bench", "--compare", earlier, path, "--json"], capture_output=True, text=True, check=True)
    pairs = json.loads(done.stdout)["pairs"]
    outcomes = collections.Counter(pair["outcome"] for pair in pairs)
    median = statistics.median(pair["ratio"] for pair in pairs)
    with open(earlier, encoding="utf-8") as file:
        date = json.load(file)["hardware"]["date"]
    return (f"{len(pairs)} shapes have a time in both: {listed(outcomes)}; the median time is {median:.2f} of that of "
            f"{date}")


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    rows = result["results"]
    timed = [row for row in rows if row["status"] == "ok" and row.get("t_ns") and row.get("t_sol_ns")]
    found = [("Rules", rules(rows)), ("Rivals", rivals(rows, result.get("software"))), ("Clocks", clocks(timed)),
             ("Bound by memory", memory(timed, result["hardware"]["memory_bandwidth"])),
             (f"Bound below {SHORT_NS // 1000} µs", short(timed))]
    found += [("Against rivals", line) for line in against_rivals(timed)]
    found += [("Failed", line) for line in failed(rows)]
    if len(sys.argv) > 2:
        found.append(("Against the run above", changes(path, sys.argv[2])))
    for heading, text in found:
        if text is not None:
            print(f"* **{heading}**: {text}.")


main()
