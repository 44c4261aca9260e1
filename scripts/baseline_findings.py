#!/usr/bin/env python3
"""Writes what a result of `tactus bench` shows, as lines of Markdown. Every number is computed from the files.

    scripts/baseline_findings.py data/baselines/h200.json data/baselines/earlier/*.json      where its rivals may be from
    scripts/baseline_findings.py --earlier data/baselines/earlier/h200-2026-11-16.json data/baselines/h200.json
                                                                         what an earlier run was, and what differs since
    scripts/baseline_findings.py --generic data/baselines/generic/h200.json              a table of generic operators

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
SAME_WITHIN = 1.03  # the margin of `tactus bench --compare`
SAME_AIM = 0.95  # of the shapes of two runs
NOT_REACHED = "not run: the time limit of the whole run ended"


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
        return ("one timed call of each was compared with the definition (an earlier version of the judge); rows say neither "
                "which code nor which options they are of")
    return ("[every timed call may be judged](bench.md#every-timed-call-may-be-judged); "
            f"options of the rows: {'; '.join(options)}")


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rivals(result, earlier):
    """Rivals by the day they were timed on: that of the result, or of an earlier one."""
    software = {one["hardware"]["date"]: one.get("software") for one in [*map(read, earlier), result]}
    today = result["hardware"]["date"]
    timed = collections.defaultdict(collections.Counter)
    for row in result["results"]:
        for rival in row.get("rivals", []):
            if rival.get("t_ns"):
                timed[row.get("rivals_date") or today][rival["name"]] += 1
    if not timed:
        return "none were measured in this run"
    return "; ".join((f"of {day}, in another run: " if day != today else "") +
                     f"{listed(names)}, with the number of shapes that each has a time for" +
                     (f"; {software[day]}" if software.get(day) else "") for day, names in sorted(timed.items()))


def not_reached(rows):
    left = collections.Counter(row["operator"] for row in rows if row.get("reason") == NOT_REACHED)
    if not left:
        return None
    return f"{count(sum(left.values()), 'shape')}, because the time of the run was over: {listed(left)}"


def seconds(rows):
    ran = [row for row in rows if row["status"] != "skipped"]
    known = [row["seconds"] for row in ran if row.get("seconds")]
    if not known:
        return None
    return f"{sum(known):.0f} s for {len(known)} of {count(len(ran), 'shape')}, the longest {max(known):.1f} s"


def card(one, other):
    """Whether two results are of the same GPU."""
    cards = [result["hardware"].get("card") for result in (one, other)]
    if not all(cards):
        return "whether it was the same card is not known: not both results name theirs"
    return "it was the same card" if cards[0] == cards[1] else "it was another card"


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


def floor_range(result):
    """How much the time of an empty kernel, which is the same in all, differs: the middle 90% [ns]."""
    floors = sorted(row["launch_floor_ns"] for row in result["results"] if row.get("launch_floor_ns"))
    tail = len(floors) // 20
    return floors[len(floors) - 1 - tail] - floors[tail]


def changes(earlier, later):
    """What `tactus bench --compare` says, and by how much times differ."""
    tactus = os.environ.get("TACTUS", os.path.join(os.path.dirname(__file__), "..", "build", "release", "tactus"))
    done = subprocess.run([tactus, "bench", "--compare", earlier, later, "--json"], capture_output=True, text=True, check=True)
    pairs = json.loads(done.stdout)["pairs"]
    if not pairs:
        return ["no shape has a time in both"]
    outcomes = collections.Counter(pair["outcome"] for pair in pairs)
    apart = [max(pair["ratio"], 1 / pair["ratio"]) for pair in pairs]
    most = max(zip(apart, map(name, pairs)))
    between = max(floor_range(read(earlier)), floor_range(read(later)))
    near = sum(one <= SAME_WITHIN or abs(pair["after_ns"] - pair["before_ns"]) <= between for one, pair in zip(apart, pairs))
    lines = [card(read(earlier), read(later)),
             f"{count(len(pairs), 'shape')} have a time in both: {listed(outcomes)}, so {outcomes['SAME'] / len(pairs):.1%} are "
             f"SAME (the aim is {SAME_AIM:.0%}); the median time is "
             f"{statistics.median(pair['ratio'] for pair in pairs):.3f} of that of this run",
             f"{sum(one <= SAME_WITHIN for one in apart)} of {len(pairs)} medians are within {SAME_WITHIN - 1:.0%}, {near} within "
             f"that or {between / 1000:.2f} µs, the range of an empty kernel's median from process to process; the farthest "
             f"apart are {most[0] - 1:.1%} ({most[1]})"]
    for outcome in sorted(set(outcomes) - {"SAME"}):
        those = [pair for pair in pairs if pair["outcome"] == outcome]
        ratios = [pair["ratio"] for pair in those]
        lines.append(f"{outcome}, {min(ratios):.2f} to {max(ratios):.2f} times as long: "
                     f"{listed(collections.Counter(pair['operator'] for pair in those))}")
    return lines


def timed_rows(result):
    return [row for row in result["results"] if row["status"] == "ok" and row.get("t_ns") and row.get("t_sol_ns")]


def say(found):
    for heading, text in found:
        if text is not None:
            print(f"* **{heading}**: {text}.")


def findings(path, earlier):
    result = read(path)
    rows = result["results"]
    timed = timed_rows(result)
    found = [("Rules", rules(rows)), ("Rivals", rivals(result, earlier)), ("Clocks", clocks(timed)),
             ("Bound by memory", memory(timed, result["hardware"]["memory_bandwidth"])),
             (f"Bound below {SHORT_NS // 1000} µs", short(timed))]
    found += [("Against rivals", line) for line in against_rivals(timed)]
    found += [("Failed", line) for line in failed(rows)]
    found += [("Not reached", not_reached(rows)), ("Time of the run", seconds(rows))]
    say(found)


def findings_of_earlier(path, later):
    result = read(path)
    rows = result["results"]
    timed = timed_rows(result)
    found = [("Rules", rules(rows)), ("Rivals", rivals(result, [])), ("Clocks", clocks(timed))]
    found += [("Against rivals", line) for line in against_rivals(timed)]
    found += [("Failed", line) for line in failed(rows)]
    found += [("Not reached", not_reached(rows)), ("Time of the run", seconds(rows))]
    found += [(f"Against {read(later)['hardware']['date']}", line) for line in changes(path, later)]
    say(found)


def generic(path):
    result = read(path)
    rows = result["results"]
    here = os.path.join(os.path.dirname(__file__), "..", "data", "generic-operators.json")
    labels = {(op["name"], shape["id"]): shape["label"] for op in read(here)["operators"] for shape in op["shapes"]}
    machine = result["hardware"]
    print(f"{machine['name']}, {machine['date']}, CUDA {machine['driver']}; options of the rows: "
          f"{'; '.join(sorted({row['options'] for row in rows}))}.")
    print("\n| operator | shape | result | time | S | of a copy |\n|:---|:---|---:|---:|---:|---:|")
    for row in rows:
        if row["status"] == "skipped":
            continue
        time, s, copy = (row.get(key) for key in ("t_ns", "s", "copy_ns"))
        cells = [f"{time / 1000:.3f} µs" if time else "-", f"{s:.1%}" if s else "-",
                 f"{copy / time:.1%}" if time and copy else "-"]
        print(f"| {row['operator']} | {labels.get((row['operator'], row['shape']), row['shape'])} | {row['status']} | "
              f"{' | '.join(cells)} |")
    for line in failed(rows):
        print(f"\n{line}.")
    reasons = sorted({row["reason"] for row in rows if row["status"] == "skipped"})
    if reasons:
        print(f"\nSkipped: {', '.join(reasons)}.")


def main():
    if sys.argv[1] == "--earlier":
        findings_of_earlier(*sys.argv[2:4])
    elif sys.argv[1] == "--generic":
        generic(sys.argv[2])
    else:
        findings(sys.argv[1], sys.argv[2:])


main()
