"""How a situation is written down: two runs, and what may be said about them."""
from dataclasses import dataclass, field

from simulate import Change, simulate
from work import decode

RANK_FAMILIES = ("gemm", "attn", "norm", "act", "elem", "rope", "kv", "sample", "moe")     # all but collectives


@dataclass
class Case:
    name: str
    group: str
    classes: frozenset
    normal: dict            # arguments of recording.record
    abnormal: dict
    args: tuple = ()        # more words of the command line
    want: dict = field(default_factory=dict)
    """phase, rank, felt, reason, device, confidence, exit, shape: words that are right
    explains: (low, high) or None; seen: a class that is listed there; no_interval, new_and_gone, not_slower: true
    in_phase: the headline's phase; steps_of: (phase, least number); median_ratio: the truth, where steps differ
    moody: nothing was changed, but the machine had moods; recorded: the ratio of these recordings is true as well
    follows: felt must follow the interval; ranks: how many are listed; idle_rank: a rank without work in the second run
    """


class Set:
    """Collects cases; the second run of a case is the first one with another seed and the changes given."""

    def __init__(self, first_seed, second_seed):
        self.cases, self.seeds = [], (first_seed, second_seed)

    def case(self, name, group, classes, normal, abnormal, args=(), **want):
        normal = {"seed": self.seeds[0], **normal}
        abnormal = {**normal, "seed": self.seeds[1], **abnormal}
        self.cases.append(Case(name, group, frozenset(classes.split()), normal, abnormal, tuple(args), want))


def run(engine="vllm", steps=None, n=30, noise="white", s=0.01, **more):
    return {"engine": engine, "steps": steps or [decode()] * n, "noise": noise, "s": s, **more}


def every(**change):
    """The same in every step."""
    found = Change(**change)
    return lambda index, step, rank: found


def in_phase(phase, **change):
    found = Change(**change)
    return lambda index, step, rank: found if step.phase == phase else None


def on_rank(chosen, **change):
    found = Change(**change)
    return lambda index, step, rank: found if rank == chosen else None


def when(condition, **change):
    """In the steps whose index fulfils the condition."""
    found = Change(**change)
    return lambda index, step, rank: found if condition(index) else None


def own_kernels(factor):
    return {family: factor for family in RANK_FAMILIES}


def gate(percent=5):
    return "--fail-on", f"regression:{percent}"


def clock_that_follows(spec, low_steps, low, high=1755.0):
    """The clock at the time of each step, so that it is low in the chosen steps only."""
    keep = ("engine", "steps", "noise", "s", "seed", "mod", "host_us", "post_us")
    times = simulate(**{key: spec[key] for key in keep if key in spec}, emit=False)[1][0]

    def value(at, rng):
        index = next((i for i, (_, begin, end) in enumerate(times) if begin <= at < end), None)
        return (low if index is not None and low_steps(index) else high) * (1 + 0.003 * rng.gauss(0, 1))
    return value
