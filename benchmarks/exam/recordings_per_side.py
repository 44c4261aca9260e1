"""Several recordings per side, and counters given by name."""
import math
import os
import random

from asking import ask
from judging import contradictions
from recording import counters, record
from situations import every, run

CHANGED = frozenset(["gpu_slower", "host_slower", "several", "unknown"])
UNCHANGED = frozenset(["none", "unknown"])
PLANS = {  # seed, steps, engine, spread of recordings
    "first": (3, 30, "vllm", 0.06), "fresh": (19, 44, "fp8", 0.04), "third": (53, 60, "deepgemm", 0.05)}


class Side:
    """Recordings of one engine that differ by a level each."""

    def __init__(self, which, folder):
        self.seed, self.n, self.engine, self.spread = PLANS[which]
        self.rng, self.folder, self.number = random.Random(self.seed), folder, 0

    def levels(self, count, factor=1.0):
        return [factor * (1 + self.spread * self.rng.gauss(0, 1)) for _ in range(count)]

    def record(self, levels):
        paths = []
        for level in levels:
            self.number += 1
            paths.append(record(self.folder, f"side{self.number}", **run(
                self.engine, n=self.n, seed=100 * self.seed + self.number, truth=False,
                mod=every(kernels={"all": level}, host=level))).path)
        return paths


def command(normal, abnormal, positional=False, args=()):
    if positional:
        return ["compare", normal[0], abnormal[0], "--normal", *normal[1:], "--abnormal", *abnormal[1:], *args]
    if len(normal) + len(abnormal) > 2:
        return ["compare", "--normal", *normal, "--abnormal", *abnormal, *args]
    return ["compare", normal[0], abnormal[0], *args]


def ask_sides(name, words, score, classes, felt, exit_code=None, least_width=None, many=True):
    code, answer, errors = ask(*words)
    if answer is None:
        score.add("several recordings", name, [f"exit {code}: {errors[-160:]}"], words)
        return
    verdict, change, wrong = answer["verdict"], answer["change"], []
    if verdict["class"] not in classes:
        wrong.append(f"class {verdict['class']}, right: {' or '.join(sorted(classes))}")
    if verdict["felt"] not in felt.split():
        wrong.append(f"felt {verdict['felt']}, right: {felt}")
    if exit_code is not None and code != exit_code:
        wrong.append(f"exit {code}, right: {exit_code}")
    if least_width and change.get("low") is not None and math.log(change["high"] / change["low"]) < least_width:
        wrong.append(f"{change['low']:.3f} to {change['high']:.3f} is narrower than the recordings differ")
    if many and ("in this recording" in verdict["text"] or "In these recordings" in verdict["text"]):
        wrong.append("says 'in these recordings' of several per side")
    if not many and "recording" not in verdict["text"]:
        wrong.append("does not say that it is about these recordings")
    score.add("several recordings", name, wrong + contradictions(answer), words, answer)


def ask_several(which, folder, score):
    side = Side(which, folder)
    spread = 2 * side.spread
    normal, same = side.record(side.levels(4)), side.record(side.levels(4))
    slower = side.record(side.levels(4, 1.5))
    ask_sides("4 and 4, nothing changed", command(normal, same), score, UNCHANGED, "same unknown",
              least_width=spread / 2)
    ask_sides("4 and 4, 1.5x", command(normal, slower, args=("--fail-on", "regression:10")), score, CHANGED,
              "slower", 1)
    ask_sides("4 and 4, 1.5x, two of them by place", command(normal, slower, True), score, CHANGED, "slower")
    ask_sides("2 and 2, 1.5x", command(normal[:2], slower[:2]), score, CHANGED, "slower unknown")
    ask_sides("3 and 2, 1.5x the other way", command(slower[:3], normal[:2]), score, CHANGED, "faster unknown")
    apart = side.record((0.9, 1.0, 1.1)), side.record((0.95, 1.05, 1.15))
    ask_sides("3 and 3, levels differ by 10%, means by 5%", command(*apart, args=("--fail-on", "regression:5")), score,
              UNCHANGED, "same unknown", 4, least_width=0.2)
    ask_sides("1 and 1, 1.5x", command(normal[:1], slower[:1]), score, CHANGED, "slower", many=False)
    ask_draws(side, score)
    ask_counters_by_name(side, score)


def ask_draws(side, score, draws=12, most=2):
    """Draws with nothing changed; one in 20 may claim a change, and 3 of 12 would be rare (2%)."""
    claims = []
    for _ in range(draws):
        words = command(side.record(side.levels(3)), side.record(side.levels(3)))
        _, answer, errors = ask(*words)
        said = answer["verdict"] if answer else {"felt": "nothing", "text": errors[-160:]}
        if said["felt"] not in ("same", "unknown"):
            claims.append(said["text"])
    wrong = [f"{len(claims)} of {draws} claim a change: {claims[0]}"] if len(claims) > most else []
    score.add("several recordings", f"3 and 3, nothing changed, {draws} draws", wrong, words)


def ask_counters_by_name(side, score):
    """Counters that do not lie beside the trace, one file per side."""
    slow = {"counters": counters(gpu_sm_frequency=1316.0), "mod": every(kernels={"all": 4 / 3}), "seed": side.seed + 1}
    usual = run("sglang", n=40, seed=side.seed, counters=counters(), truth=False)
    runs = [record(side.folder, f"named{number}", **{**usual, **more}) for number, more in enumerate(({}, slow))]
    words = ["compare", *(found.path for found in runs)]
    for found in runs:
        moved = found.path.replace(".json", "-moved.csv")
        os.replace(found.path.replace(".json", ".counters.csv"), moved)
        words += ["--counters", moved]
    ask_sides("counters by name", words, score, frozenset(["gpu_clock"]), "slower", many=False)
