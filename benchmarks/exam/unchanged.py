"""Pairs with nothing changed: how often a change is claimed, and how wide the intervals are."""
import math
import statistics

from asking import ask
from interval import interval
from recording import BASE, record
from situations import run
from third_unchanged import NOISES
from work import decode

KINDS = {"first": ("white", "ar.5", "ar.9", "spikes", "drift", "levels"),
         "fresh": ("white", "ar.3", "ar.7", "ar.9", "bursts", "wave", "levels"),
         "third": tuple(NOISES)}
ENGINES = {"first": ("eager", "packed", "graph", "lite_vgraph", "cudaonly", "lite_vllm", "lite_sglang", "lite_moe",
                     "lite_amd", "bert"),
           "fresh": ("lite_fp8", "lite_lora", "lite_sglang", "lite_vgraph", "lite_amd", "lite_moe", "ranges", "mamba"),
           "third": ("trtllm", "xla_scan", "deepgemm", "tiny2", "trtllm_graph", "sgl", "denoise", "onnx")}
COUNTS = (12, 18, 24, 36, 60, 120, 24, 12, 300, 36)
SEEDS = {"first": 1000, "fresh": 70001, "third": 800_001}


def ask_pair(which, number, folder):
    """Every kind of noise meets every number of steps."""
    kinds, engines = KINDS[which], ENGINES[which]
    kind = kinds[number % len(kinds)]
    n = COUNTS[(number % len(kinds) + number // len(kinds)) % len(COUNTS)]
    engine = engines[(number * 3 + number // len(engines)) % len(engines)]
    seed = SEEDS[which] + 2 * number
    steps, noise = [decode(16 if engine == "bert" else 32)] * n, NOISES.get(kind, kind)
    sides = [record(folder, f"aa{side}", **run(engine, steps, noise=noise, s=0.05, seed=seed + side, counters=BASE,
                                               period_us=1500.0, truth=False)) for side in (0, 1)]
    code, answer, errors = ask("compare", sides[0].path, sides[1].path, "--fail-on", "regression:5")
    row = {"engine": engine, "kind": kind, "n": n, "exit": code, "seed": seed}
    if answer is None or not answer["change"]:
        return {**row, "compared": False, "text": errors[-160:] if answer is None else answer["verdict"]["text"]}
    verdict, change = answer["verdict"], answer["change"]
    expected = interval(*(side.steps() for side in sides))
    width = None
    if expected and change.get("low") is not None and expected[2] > expected[1]:
        width = math.log(change["high"] / change["low"]) / math.log(expected[2] / expected[1])
    return {**row, "compared": True, "class": verdict["class"], "felt": verdict["felt"], "low": change.get("low"),
            "high": change.get("high"), "formula": expected, "width": width, "text": verdict["text"],
            "half": math.sqrt(change["high"] / change["low"]) - 1 if change.get("low") else None,
            "claims": verdict["felt"] in ("slower", "faster"),
            "blames": verdict["class"] not in ("none", "unknown", "not_comparable")}


def ask_unchanged(which, pairs, folder):
    rows = []
    for number in range(pairs):
        row = ask_pair(which, number, folder)
        rows.append(row)
        if not row["compared"] or row["claims"] or row["blames"]:
            print(f"A/A {row['engine']}, {row['kind']}, {row['n']} steps, seed {row['seed']}: {row['text']}",
                  flush=True)
    return rows


def formula_excludes(row):
    return bool(row["formula"]) and not row["formula"][1] <= 1 <= row["formula"][2]


def unchanged_line(title, rows):
    ours = [row for row in rows if row["compared"]]
    widths = [row["width"] for row in ours if row["width"]]
    halves = [row["half"] for row in ours if row["half"]]
    return (f"| {title} | {len(rows)} | {sum(row['claims'] for row in ours)} | {sum(map(formula_excludes, ours))} | "
            f"{sum(row['blames'] for row in ours)} | {sum(row['exit'] == 1 for row in ours)} | "
            f"{sum(row['class'] == 'none' for row in ours)} | {sum(row['low'] is None for row in ours)} / "
            f"{sum(row['formula'] is None for row in ours)} | "
            f"{f'{100 * statistics.median(halves):.1f}%' if halves else ''} | "
            f"{f'{statistics.median(widths):.2f} ({max(widths):.2f})' if widths else ''} |")


def unchanged_table(rows):
    lines = ["| pairs with nothing changed | pairs | a change claimed | formula excludes 1 | something blamed | "
             "gate of 5% failed | `none` | no interval / formula's | half-width | width over the formula's (largest) |",
             "|---|---|---|---|---|---|---|---|---|---|", unchanged_line("all", rows)]
    for key, title in (("kind", "{}"), ("n", "{} steps"), ("engine", "{}")):
        for value in sorted({row[key] for row in rows}):
            lines.append(unchanged_line(title.format(value), [row for row in rows if row[key] == value]))
    return lines


def width_table(rows):
    """Median half-widths by noise and number of steps, of pairs where the tool and the formula give an interval."""
    both = [row for row in rows if row["compared"] and row["width"]]
    counts = sorted({row["n"] for row in both})
    lines = ["| half-width / formula's | " + " | ".join(f"{n} steps" for n in counts) + " |",
             "|---" * (len(counts) + 1) + "|"]
    for kind in sorted({row["kind"] for row in both}):
        cells = []
        for n in counts:
            ours = [row for row in both if row["kind"] == kind and row["n"] == n]
            tool = [row["half"] for row in ours]
            formula = [math.sqrt(row["formula"][2] / row["formula"][1]) - 1 for row in ours]
            cells.append(f"{100 * statistics.median(tool):.1f} / {100 * statistics.median(formula):.1f}% of {len(ours)}"
                         if ours else "")
        lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return lines
