"""The third set: other engines, slower steps, noise of real machines; written without reading rules or answers."""
import third_engines  # noqa: F401  (adds its engines to the table)
from more_engines import ENGINES
from situations import Set
from third_causes import add_causes
from third_others import add_others
from third_unchanged import add_unchanged

FIRST_SEED = 900_000
THIRD = Set(FIRST_SEED, FIRST_SEED + 1)


def case(name, group, classes, normal, abnormal, args=(), **want):
    """Every case has draws of its own."""
    seed = FIRST_SEED + 2 * len(THIRD.cases)
    THIRD.case(name, group, classes, {"seed": seed, **normal}, {"seed": seed + 1, **abnormal}, args, **want)


for add in (add_causes, add_others, add_unchanged):
    add(case)

assert {found.normal["engine"] for found in THIRD.cases} <= set(ENGINES)
assert len({found.name for found in THIRD.cases}) == len(THIRD.cases)
