"""Third set: pairs with nothing changed, with the noise and the differences that real recordings have."""
import itertools
from dataclasses import replace

from situations import gate
from third_machine import MILD, QUIET, SLOW, load_of, meters, serving, usual
from third_noise import clock_ramp, collections, compilation, drift, heavy_tail, moods, together, white
from work import decode, prefill

ENGINES = ("trtllm", "xla_scan", "onnx", "embed", "vlm", "marlin", "deepgemm", "spec", "rwkv", "denoise", "tiny2",
           "chunked", "sgl", "recommender_steps", "trtllm_graph", "chunked_bare", "xla", "whisper", "tiny3",
           "trtllm_nvtx")
NOISES = {
    "short moods": moods(60, 0.03), "moods of 0.2 s": together(moods(200, 0.04), white(0.01)),
    "moods of 0.5 s": together(moods(500, 0.05), white(0.01)), "heavy tail": heavy_tail(),
    "tail and moods": together(heavy_tail(), moods(250, 0.03)),
    "garbage collection": together(collections(), white(0.01)), "clock ramp": together(clock_ramp(), MILD),
    "drift": together(drift(), MILD)}
COUNTS = ((40, 240), (120, 120), (200, 60), (80, 80))
HERTZ = (100, 10, 1, None)
NOTHING = "none unknown"
STILL = {"felt": "same unknown"}
CALM = {"felt": "same"}


def add_quiet(case):
    """Calm recordings of 80 steps and more: here `none` has to be said."""
    for number, engine in enumerate(ENGINES):
        a, b = ((80, 80), (80, 200), (150, 90))[number % 3]
        case(f"quiet, {a} and {b} steps, {engine}", "unchanged", "none", usual(engine, a, QUIET), {
            "steps": load_of(engine, b), "origin_ns": 1_790_000_000_000_000_000 + number, "shift_us": 1e6 * number},
            **CALM)


def add_moody(case):
    """Every noise meets every pair of lengths and rate of meters; engines take turns."""
    for number, ((title, noise), (a, b)) in enumerate(itertools.product(NOISES.items(), COUNTS)):
        hertz = HERTZ[(number + number // len(COUNTS)) % len(HERTZ)]
        engine = ENGINES[number * 7 % len(ENGINES)]
        rate = {"period_us": 1e6 / hertz} if hertz else {"counters": False}
        case(f"{title}, {a} and {b} steps, meters at {hertz} Hz, {engine}", "unchanged", NOTHING, usual(
            engine, a, noise, **rate), {"steps": load_of(engine, b)}, gate(10), exit="0 4", moody=True, **STILL)


def requests(events, times, rank):
    """Ranges around requests, which overlap, on a thread of their own: none around steps."""
    events = [event for event in events if event["cat"] != "user_annotation"]
    for first in range(0, len(times) - 12, 5):
        begin, end = times[first][1] + 50.0, times[min(len(times) - 1, first + 12 + first % 4)][2] - 50.0
        events.append({"ph": "X", "cat": "user_annotation", "name": f"request {1000 + first}", "pid": 4000,
                       "tid": 4900 + first % 4, "ts": begin, "dur": end - begin, "args": {"External id": 0}})
    return events


def outer_range(events, times, rank):
    """One range around everything, as profilers with a schedule write it."""
    begin, end = times[0][1] - 20.0, times[-1][2] + 20.0
    return [*events, {"ph": "X", "cat": "user_annotation", "name": "PyTorch Profiler (0)", "pid": 4000, "tid": 4000,
                      "ts": begin, "dur": end - begin, "args": {"External id": 0}}]


def late_start(events, times, rank):
    """The profiler starts in the middle of the third step, and its own work makes the next ones longer."""
    begin = times[2][1] + 0.4 * (times[2][2] - times[2][1])
    return [event for event in events if event["ts"] >= begin]


def add_odd(case):
    start = together(compilation(), MILD)
    for engine, (a, b) in zip(("xla_scan", "deepgemm", "recommender_steps", "chunked_bare"), ((60, 60), (40, 200),
        (80, 80),
                                                                                        (60, 150))):
        case(f"first steps compile, {a} and {b} steps, {engine}", "unchanged", NOTHING, usual(engine, a, start),
             {"steps": load_of(engine, b)}, median_ratio=1.0, **STILL)
    case("only the second run compiles", "unchanged", "none unknown host_slower gpu_slower several", usual("marlin",
         100, MILD),
         {"noise": start}, median_ratio=1.0, felt="same unknown slower")
    case("only the first run has its warm-up", "unchanged", NOTHING, usual("trtllm", 160, together(clock_ramp(0.3,
         10), MILD)),
         {"noise": MILD}, moody=True, **STILL)
    for engine in ("chunked_bare", "marlin", "xla_scan"):
        case(f"ranges around requests, {engine}", "unchanged", NOTHING, usual(engine, steps=load_of("", 80),
             noise=QUIET,
             edit=requests), {}, **STILL)
    case("one range around everything", "unchanged", "none", usual("tiny3", 80, QUIET, edit=outer_range), {}, **CALM)
    for engine in ("deepgemm", "onnx", "embed"):
        case(f"the second profiler started late, {engine}", "unchanged", "none", usual(engine, 90, QUIET),
             {"edit": late_start}, **CALM)
    for engine in ("sgl", "vlm"):
        case(f"other requests, the same kind, {engine}", "unchanged", NOTHING, usual(engine, steps=serving(160,
             seed=21)),
             {"steps": serving(220, seed=22)}, median_ratio=1.0, **STILL)
    chunks = {one: serving(180, seed=one, chunked=True) for one in (31, 32)}
    case("other requests, the same kind, chunked", "unchanged", NOTHING, usual("chunked", steps=chunks[31]),
         {"steps": chunks[32]}, median_ratio=1.0, **STILL)
    batches = [8 + 4 * (i * 7 % 9) for i in range(160)]
    for engine in ("marlin", "deepgemm"):
        case(f"more large batches, as fast per work, {engine}", "unchanged", NOTHING, usual(
            engine, steps=[decode(size) for size in batches]),
            {"steps": [decode(size) for size in sorted(batches)[40:] + batches[:60]]}, median_ratio=1.0, **STILL)
    case("contexts grow, 60 and 200 steps", "unchanged", NOTHING, usual(
        "deepgemm", steps=[decode(24, 600 + i) for i in range(60)]),
        {"steps": [decode(24, 600 + i) for i in range(200)]}, median_ratio=1.0, **STILL)
    case("pictures or not, by chance", "unchanged", NOTHING, usual("vlm", steps=serving(200, seed=41, prompts=5)),
         {"steps": serving(140, seed=42, prompts=9)}, median_ratio=1.0, **STILL)
    case("host bound, moods of 0.3 s of the host", "unchanged", NOTHING, usual(
        "onnx", 120, moods(300, 0.05, 12.0), host_us=SLOW, noise_on="host"), {}, moody=True, **STILL)
    case("host runs ahead", "unchanged", "none", usual("deepgemm", 120, QUIET, ahead=True), {}, **CALM)
    case("host runs ahead, moods", "unchanged", NOTHING, usual("trtllm", 120, moods(150, 0.03), ahead=True), {},
         moody=True,
         **STILL)
    load = meters(host_cpu_usage=lambda at, rng: rng.choice((9.0, 14.0, 60.0)),
                  gpu_sm_frequency=lambda at, rng: rng.choice((1755.0, 1740.0, 1725.0)))
    case("meters that jump in both, moods", "unchanged", NOTHING, {**usual("marlin", 140, moods(100, 0.03)),
         "counters": load},
         {}, moody=True, **STILL)
    case("pauses between requests", "unchanged", NOTHING, usual("xla_scan", 100),
         {"gap": lambda i: 150000 if i % 23 == 9 else 0}, median_ratio=1.0, **STILL)
    case("prompts of one run are in the cache", "unchanged", "none unknown workload_changed", usual("deepgemm", steps=[
        prefill(1024, 1) if i % 8 == 3 else decode(24) for i in range(120)]),
        {"steps": [replace(prefill(256, 1), context=1024) if i % 8 == 3 else decode(24) for i in range(120)]},
        ("--phase", "decode"), in_phase="decode", **CALM)


def add_unchanged(case):
    for add in (add_quiet, add_moody, add_odd):
        add(case)
