"""Holds an answer of `tactus compare` against the truth and against itself. Every function returns what is wrong."""
import math
import re
import statistics
from dataclasses import replace

from recording import recorded_ratio, true_ratio

MIRROR = {"slower": "faster", "faster": "slower", "same": "same", "unknown": "unknown"}
WORDS = ("phase", "rank", "felt", "reason", "device")


def intervals_of(change):
    return [change, change.get("mean") or {}, *change.get("by_phase", []), *change.get("by_rank", [])]


def contradictions(answer):
    """Places where the sentence, the class and the numbers do not fit each other."""
    wrong, verdict, change = [], answer["verdict"], answer["change"] or {}
    text, felt = verdict.get("text") or "", verdict.get("felt")
    low, high, ratio = change.get("low"), change.get("high"), change.get("ratio")
    if not text.strip():
        wrong.append("no text")
    if verdict["class"] == "none":
        mean = change.get("mean") or {}
        if mean.get("low") is None or mean["low"] < 0.95 - 1e-9 or mean["high"] > 1.05 + 1e-9:
            wrong.append(f"none, but the mean's interval is {mean.get('low')} to {mean.get('high')}")
        if felt != "same" and (low is None or low <= 1 <= high):
            wrong.append(f"none, but felt {felt}")
    if low is not None:
        within = low <= 1 <= high and low >= 0.95 and high <= 1.05
        if ("step takes as long as before" in text and not within
                and not re.search(r"(not|times|%)[^.]{0,30}as long as before", text)):
            wrong.append(f"'as long as before' at {low:.3f} to {high:.3f}")
        above = any((part.get("low") or 0) > 1 for part in intervals_of(change))
        below = any((part.get("high") or 2) < 1 for part in intervals_of(change))
        if felt == "slower" and not above and change.get("shape") not in ("some", "jump", "drift"):
            wrong.append(f"felt slower, no interval above 1 ({low:.3f} to {high:.3f})")
        if felt == "faster" and not below:
            wrong.append(f"felt faster, no interval below 1 ({low:.3f} to {high:.3f})")
        if felt == "same" and not low <= 1 <= high and max(abs(low - 1), abs(high - 1)) > 0.05:
            wrong.append(f"felt same at {low:.3f} to {high:.3f}")
        if ratio is not None and not low - 1e-9 <= ratio <= high + 1e-9:
            wrong.append(f"ratio {ratio:.3f} outside {low:.3f} to {high:.3f}")
    explains = verdict.get("explains")
    if explains is not None and not 0 <= explains <= 1.0001:
        wrong.append(f"explains {explains}")
    if any(row["state"] in ("new", "gone") and row["ratio"] is not None for row in answer.get("where", [])):
        wrong.append("something new or gone has a ratio")
    return wrong


def coverage(case, a, b, answer):
    """(phase, true ratio, low, high) of each phase with an interval."""
    if answer["verdict"]["class"] == "not_comparable":
        return
    for part in (answer["change"] or {}).get("by_phase", []):
        if part.get("low") is None:
            continue
        phase = part["phase"] if part["phase"] in ("prefill", "decode", "mixed") else None
        if not (a.steps(phase) and b.steps(phase)):
            continue
        truth = case.want.get("median_ratio") or true_ratio(a, b, phase)
        if truth is None:
            continue
        # Where steps differ, a typical step is as well the median one.
        medians = [statistics.median(side.steps(phase, clean=True)) for side in (a, b)]
        middle = medians[1] / medians[0]
        if not case.want.get("median_ratio") and part["low"] <= middle <= part["high"]:
            truth = middle
        # One recording per side: the interval may be about what the machine did in these recordings.
        recorded = recorded_ratio(a, b, phase)
        if (case.want.get("moody") or case.want.get("recorded")) and part["low"] <= recorded <= part["high"]:
            truth = recorded
        yield part["phase"], truth, part["low"], part["high"]


def wrong_words(case, exit_code, answer):
    want, verdict, change = case.want, answer["verdict"], answer["change"] or {}
    wrong = []
    if verdict["class"] not in case.classes:
        wrong.append(f"class {verdict['class']}, right: {' or '.join(sorted(case.classes))}")
    for word in WORDS:
        if word in want and str(verdict.get(word)) not in want[word].split():
            wrong.append(f"{word} {verdict.get(word)}, right: {want[word]}")
    if ("confidence" in want and verdict["class"] not in ("none", "unknown")
            and verdict.get("confidence") not in want["confidence"].split()):
        wrong.append(f"confidence {verdict.get('confidence')}, right: {want['confidence']}")
    if "exit" in want and str(exit_code) not in want["exit"].split():
        wrong.append(f"exit {exit_code}, right: {want['exit']}")
    if want.get("no_interval") and (change.get("low") is not None or change.get("high") is not None):
        wrong.append(f"interval {change.get('low')} to {change.get('high')} of too few steps")
    if "shape" in want and change.get("shape") != want["shape"]:
        wrong.append(f"shape {change.get('shape')}, right: {want['shape']}")
    seen = [entry.get("class") for entry in answer.get("seen", [])]
    if "seen" in want and want["seen"] not in seen:
        wrong.append(f"seen {seen}, right: {want['seen']}")
    if "in_phase" in want and change.get("phase") != want["in_phase"]:
        wrong.append(f"headline of {change.get('phase')}, right: {want['in_phase']}")
    if "ranks" in want and len(change.get("by_rank", [])) != want["ranks"]:
        wrong.append(f"{len(change.get('by_rank', []))} ranks, right: {want['ranks']}")
    return wrong


def wrong_facts(case, answer):
    want, verdict, change = case.want, answer["verdict"], answer["change"] or {}
    wrong = []
    if "explains" in want:
        said, right = verdict.get("explains"), want["explains"]
        if right is None and said is not None:
            wrong.append(f"explains {said}, right: null")
        elif right is not None and (said is None or not right[0] <= said <= right[1]):
            wrong.append(f"explains {said}, right: {right[0]} to {right[1]}")
    states = {row["state"] for row in answer["where"]}
    if want.get("new_and_gone") and not {"new", "gone"} <= states:
        wrong.append(f"states {sorted(states)}, right: new and gone")
    if want.get("not_slower") and verdict.get("felt") == "slower":
        wrong.append("slower, though both are the same")
    if "steps_of" in want:
        phase, least = want["steps_of"]
        counts = [part["n"] for part in change.get("by_phase", []) if part["phase"] == phase]
        if not counts or counts[0][0] < least - 1:
            wrong.append(f"{phase} steps {counts}, right: {least}")
    if want.get("follows") and change.get("low") is not None:
        right = "slower" if change["low"] > 1 else "faster" if change["high"] < 1 else "same"
        if verdict["felt"] not in (right, "same"):
            wrong.append(f"felt {verdict['felt']} at {change['low']:.4f} to {change['high']:.4f}")
    return wrong


def with_moods(case, a, b):
    """Nothing was changed, but recordings of a moody machine can differ: then it is right to say how, not why."""
    phases = {phase for phase, _, _ in a.times[0]} & {phase for phase, _, _ in b.times[0]}
    differ = any(abs(math.log(recorded_ratio(a, b, phase))) > 0.05 for phase in phases)
    if not (case.want.get("moody") and differ):
        return case
    return replace(case, classes=case.classes | {"host_slower", "gpu_slower", "several"},
                   want={**case.want, "felt": "same unknown slower faster", "exit": "0 1 4"})


def judge(case, a, b, exit_code, answer):
    case = with_moods(case, a, b)
    wrong = wrong_words(case, exit_code, answer) + wrong_facts(case, answer)
    for phase, truth, low, high in coverage(case, a, b, answer):
        if not low * 0.985 <= truth <= high * 1.015:
            wrong.append(f"{phase}: the true ratio {truth:.3f} is far outside {low:.3f} to {high:.3f}")
    return wrong + contradictions(answer)


def judge_reversed(answer, other):
    """The same pair asked the other way: inverse ratio, mirrored felt, the same class."""
    wrong, said, mirrored = [], answer["verdict"], other["verdict"]
    if answer["change"].get("phase") == other["change"].get("phase"):
        ratios = answer["change"]["ratio"], other["change"]["ratio"]
        if abs(math.log(ratios[0] * ratios[1])) > 0.02:
            wrong.append(f"ratio {ratios[0]:.3f} one way and {ratios[1]:.3f} the other")
        if mirrored.get("felt") != MIRROR.get(said.get("felt")):
            wrong.append(f"felt {said.get('felt')} one way and {mirrored.get('felt')} the other")
    if said["class"] != mirrored["class"]:
        wrong.append(f"class {said['class']} one way and {mirrored['class']} the other")
    return wrong + contradictions(other)
