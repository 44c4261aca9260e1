"""Asks about the situations of a set, both ways."""
import json

from asking import ask
from judging import coverage, judge, judge_reversed
from more_engines import ENGINES
from recording import record, write_trace
from situations import Case, run
from work import decode

ONE_WAY = {"gate", "dose", "felt", "hidden", "robust", "ranks", "async", "ahead", "unchanged", "seen", "holes", "noisy",
           "phase", "apart"}


def add_idle_rank(path, rank):
    """One more rank that was started and did nothing."""
    for other in range(rank):
        name = f"{path}/rank{other}.json"
        with open(name) as file:
            trace = json.load(file)
        trace["distributedInfo"]["world_size"] = rank + 1
        with open(name, "w") as file:
            json.dump(trace, file)
    event = {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 4000 + rank, "tid": 4000 + rank, "ts": 1500.0,
             "dur": 3.0, "args": {"External id": 1}}
    write_trace(f"{path}/rank{rank}.json", [event], "tp", rank, rank + 1)


def ask_case(case, number, folder, score):
    a, b = (record(folder, f"{number:03d}{side}", **spec) for side, spec in (("a", case.normal), ("b", case.abnormal)))
    if case.want.get("idle_rank"):
        add_idle_rank(b.path, b.ranks)
    words = ["compare", a.path, b.path, *case.args]
    code, answer, errors = ask(*words)
    if answer is None:
        score.add(case.group, case.name, [f"exit {code}: {errors[-160:]}"], words)
        return
    score.add(case.group, case.name, judge(case, a, b, code, answer), words, answer)
    score.covered += list(coverage(case, a, b, answer))
    if case.group in ONE_WAY or case.args or not (answer["change"] or {}).get("ratio"):
        return
    words = ["compare", b.path, a.path]
    code, other, errors = ask(*words)
    complete = other is not None and other["change"] and other["change"].get("ratio")
    wrong = judge_reversed(answer, other) if complete else [f"exit {code}, no ratio: {errors[-160:]}"]
    score.add("reversed", case.name, wrong, words, other)


def ask_set(cases, folder, score, only=""):
    for number, case in enumerate(cases):
        if only in case.name or only == case.group:
            ask_case(case, number, folder, score)


def ask_same_file(engines, folder, score):
    """A recording against itself."""
    for engine in engines:
        assert engine in ENGINES
        case = Case(engine, "same file", frozenset(["none"]), {}, {}, want={"felt": "same"})
        a = record(folder, f"same-{engine}", **run(engine, [decode()] * 20, s=0.05))
        code, answer, errors = ask("compare", a.path, a.path)
        wrong = judge(case, a, a, code, answer) if answer else [f"exit {code}: {errors[-160:]}"]
        score.add(case.group, case.name, wrong, ["compare", a.path, a.path], answer)
