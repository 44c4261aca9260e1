"""Third set: ranks, work, runs that cannot be compared, meters with holes, meters that moved alone, gates, formats."""
from situations import every, gate, in_phase, on_rank, run, when
from third_machine import (METERS, QUIET, SLOW, busy_disk, cores_at, load_of, low_clock, meters, serving,
                           shared_gpu, usual)
from work import decode, mixed, prefill

SLOWER, FASTER, SAME = {"felt": "slower"}, {"felt": "faster"}, {"felt": "same"}
UNNAMED = "unknown gpu_slower"
OPEN = "unknown nvlink network several"     # collectives are slower, and nothing says why


def job(engine, n=40, ranks=2, noise=QUIET, **more):
    return run(engine, [decode(32, 600)] * n, noise=noise, ranks=ranks, post_us=500.0,
               **{"host_us": 12.0, "period_us": 10000.0, **more})


def of_rank(link=None, network=None, slow=None, clock=1.0):
    """Meters of each rank's own device; one rank may have a lower clock."""
    def found(rank):
        values = {("gpu_sm_frequency", f"GPU {rank}"): 1755 / (clock if rank == slow else 1.0),
                  ("gpu_usage", f"GPU {rank}"): 90.0}
        if link:
            values |= {(f"gpu_link_{way}", f"GPU {rank}"): link for way in ("transmit", "receive")}
        if network:
            values |= {(f"ib_{way}_rate", "mlx5_2:1"): network for way in ("rx", "tx")}
        return values
    return found


def add_ranks(case):
    for engine, ranks in (("pipeline", 2), ("experts", 4), ("trtllm_tp", 4)):
        case(f"nothing changed, {engine}, {ranks} ranks", "ranks", "none", job(engine, 40, ranks), {}, ranks=ranks,
             **SAME)
    for factor, engine, ranks in ((1.4, "experts", 4), (2.0, "experts", 2), (1.5, "trtllm_tp", 4), (3.0, "trtllm_tp",
                                  2)):
        case(f"rank {ranks - 1} of {ranks} x{factor}, {engine}", "ranks", "straggler", job(engine, 40, ranks),
             {"mod": on_rank(ranks - 1, kernels={"all": factor})}, rank=str(ranks - 1), **SLOWER)
    for rank in (0, 1):     # stages differ anyway: that one is slower than itself is what counts
        case(f"stage {rank} of a pipeline x1.7", "ranks", "straggler gpu_slower", job("pipeline"),
             {"mod": on_rank(rank, kernels={"all": 1.7})}, rank=str(rank), **SLOWER)
    case("clock of GPU 1 x1.5, pipeline", "ranks", "gpu_clock straggler", job("pipeline", rank_counters=of_rank(2e10)),
         {"rank_counters": of_rank(2e10, slow=1, clock=1.5), "mod": on_rank(1, kernels={"all": 1.5})}, rank="1",
         **SLOWER)
    case("clock of GPU 2 of 4 x1.4, experts", "ranks", "gpu_clock straggler", job("experts", 40, 4,
         rank_counters=of_rank(2e10)), {"rank_counters": of_rank(2e10, slow=2, clock=1.4),
                                        "mod": on_rank(2, kernels={"all": 1.4})}, rank="2", **SLOWER)
    for factor, engine in ((3.0, "experts"), (8.0, "trtllm_tp")):
        case(f"NVLink shared: exchanges x{factor}, {engine}", "ranks", "nvlink", job(engine,
             rank_counters=of_rank(2e10)),
             {"rank_counters": of_rank(6e10), "mod": every(collective=factor)}, **SLOWER)
    # exchanges of a pipeline are mostly waiting for the other stage: not every expert will see the rest
    for factor, engine, classes in ((4.0, "experts", "network"), (12.0, "pipeline", "network unknown several")):
        case(f"network shared: exchanges x{factor}, {engine}", "ranks", classes,
             job(engine, rank_counters=of_rank(network=4e9)),
             {"rank_counters": of_rank(network=1.4e10), "mod": every(collective=factor)}, **SLOWER)
    case("exchanges x4, no meters, experts", "ranks", OPEN, job("experts"), {"mod": every(collective=4.0)}, **SLOWER)
    case("all ranks' kernels x1.4, no meters, experts", "ranks", "gpu_slower", job("experts", 40, 4),
         {"mod": every(kernels={"all": 1.4})}, **SLOWER)
    case("host of rank 1 x2, experts", "ranks", "straggler host_slower", job("experts", host_us=SLOW),
         {"mod": on_rank(1, host=2.0)}, gate(), rank="1", exit="1", **SLOWER)
    case("own NVLink traffic follows: kernels x0.7", "ranks", "gpu_slower unknown several", job(
        "experts", rank_counters=of_rank(2e10)), {"rank_counters": of_rank(2.7e10), "mod": every(kernels={"all": 0.7})},
        **FASTER)
    case("ranks' clocks are seconds apart, rank 0 x1.8", "ranks", "straggler", job("experts", 40, 3, shift_us=2e6,
         rank_shift_us=(0.0, 1.7e6, -0.9e6)), {"mod": on_rank(0, kernels={"all": 1.8})}, rank="0", **SLOWER)


def add_work(case):
    known = ("marlin", "deepgemm", "sgl")
    for engine, (one, other) in zip(known, ((12, 96), (160, 32), (24, 200))):
        case(f"batch {one} to {other}, {engine}", "work", "workload_changed", usual(engine, steps=[decode(one)] * 60),
             {"steps": [decode(other, 900)] * 60}, felt="slower" if other > one else "faster")
    case("longer contexts 500 to 6000, deepgemm", "work", "workload_changed", usual("deepgemm", steps=[decode(32,
         500)] * 60),
         {"steps": [decode(32, 6000)] * 60}, **SLOWER)
    case("longer contexts 500 to 6000, chunked_bare", "work", "workload_changed unknown several",
         usual("chunked_bare", steps=[decode(32, 500)] * 60), {"steps": [decode(32, 6000)] * 60}, **SLOWER)
    case("chunks of 256 to 1024", "work", "workload_changed", usual("chunked", steps=[mixed(20, 256)] * 60),
         {"steps": [mixed(20, 1024)] * 60}, **SLOWER)
    case("texts of 64 to 256 tokens, embed", "work", "workload_changed", usual("embed", steps=[prefill(1024, 16)] * 60),
         {"steps": [prefill(4096, 16)] * 60}, **SLOWER)
    case("batch 32 to 128, recommender", "work", "workload_changed", usual("recommender_steps",
         steps=[decode(32)] * 60),
         {"steps": [decode(128)] * 60}, **SLOWER)
    # without shapes or words only the grids tell
    for engine, classes in (("xla_scan", "workload_changed unknown"), ("trtllm",
                                  "workload_changed unknown kernels_changed"),
                            ("onnx", "workload_changed unknown")):
        case(f"batch 16 to 56, grids only, {engine}", "work", classes, usual(engine, steps=[decode(16)] * 60),
             {"steps": [decode(56, 900)] * 60, "counters": meters(gpu_mem_used=7.4e10, process_gpu_mem_usage=7.35e10)},
             felt="slower unknown")
    case("six drafts instead of three per sequence", "work", "workload_changed", usual("spec", steps=[decode(12, 700,
         4)] * 60),
         {"steps": [decode(12, 700, 7)] * 60}, felt="slower unknown same")
    case("2.5 times as many bytes to the device per step, marlin", "work", "workload_changed unknown several",
         usual("marlin", 60, step_copy=64 << 20), {"step_copy": 160 << 20}, **SLOWER)
    case("more prompts per decode step, sgl", "work", "none", usual("sgl", steps=serving(160, prompts=8), noise=QUIET),
         {"steps": serving(160, seed=8, prompts=3)}, median_ratio=1.0, **SAME)
    case("more pictures, as fast each, vlm", "work", "none", usual("vlm", steps=[
        prefill(1024, 1) if i % 10 == 5 else decode(24) for i in range(120)], noise=QUIET),
        {"steps": [prefill(1024, 1) if i % 3 == 1 else decode(24) for i in range(120)]}, **SAME)
    case("one phase only in the second run, sgl", "work", "none unknown workload_changed", usual(
        "sgl", steps=[prefill(1024, 1) if i % 3 == 1 else decode(24) for i in range(90)], noise=QUIET),
        {"steps": [decode(24)] * 90}, gate(), exit="4")


def add_apart(case):
    """Other models, and models of another size."""
    for one, other in (("trtllm", "embed"), ("recommender_steps", "marlin"), ("denoise", "onnx"), ("xla", "rwkv"),
                       ("whisper", "xla_graph")):
        case(f"{one} and {other}", "apart", "not_comparable", usual(one, 40), {"engine": other,
             "steps": load_of(other, 40)}, gate(), exit="4")
    case("two layers and four, vLLM", "apart", "not_comparable workload_changed kernels_changed unknown",
         usual("tiny2", steps=[decode(32)] * 40), {"engine": "chunked"}, gate(), exit="1 4")
    case("vLLM and TensorRT-LLM, the same model", "apart", "not_comparable kernels_changed", usual(
        "chunked", steps=[decode(32)] * 60), {"engine": "trtllm"})
    case("prefill only and decode only", "apart", "not_comparable workload_changed unknown", usual(
        "sgl", steps=[prefill(1024, 1)] * 40), {"steps": [decode(32)] * 40}, gate(), exit="4")


def on_gpu_5(events, times, rank):
    for event in events:
        if event["cat"] in ("kernel", "gpu_memcpy"):
            event["pid"] = event["args"]["device"] = 5
    return events


def eight_gpus(clock=1755.0, own_clock=1755.0):
    return {(name, f"GPU {gpu}"): value for gpu in range(8) for name, value in (
        ("gpu_sm_frequency", own_clock if gpu == 5 else clock), ("gpu_usage", 90.0))}


def add_holes(case):
    slow = low_clock(1.3)
    for hertz, n, classes in ((1, 300, "gpu_clock gpu_slower"), (10, 300, "gpu_clock"), (10, 100,
                                  "gpu_clock gpu_slower"),
                              (50, 100, "gpu_clock")):
        case(f"clock x1.3, meters at {hertz} Hz, {n} steps", "holes", classes,
             usual("deepgemm", n, period_us=1e6 / hertz), slow, **SLOWER)
    case("clock x1.3, 100 Hz against 5 Hz", "holes", "gpu_clock gpu_slower", usual("xla_scan", 200),
         {**slow, "period_us": 2e5}, **SLOWER)
    case("clock x1.3, meters stop half-way in both", "holes", "gpu_clock", usual("trtllm_nvtx", 120,
         counters_until=0.5),
         slow, **SLOWER)
    case("clock x1.3, meters of the second run stop early", "holes", "gpu_clock gpu_slower", usual("marlin", 120),
         {**slow, "counters_until": 0.15}, **SLOWER)
    case("no meters in the first run, kernels x1.3", "holes", "gpu_slower unknown", usual("onnx", 80, counters=False),
         slow,
         **SLOWER)
    case("no meters in the second run, kernels x1.3", "holes", "gpu_slower unknown", usual("tiny2", 80),
         {"counters": None, "mod": slow["mod"]}, **SLOWER)
    case("meters of another time zone, kernels x1.3", "holes", "gpu_slower unknown", usual("sgl", 80),
         {**slow, "counters_shift_ns": 7_200_000_000_000}, **SLOWER)
    case("our GPU 5 of 8 has a clock x1.4", "holes", "gpu_clock", {**usual("marlin", 80, edit=on_gpu_5),
         "counters": eight_gpus()}, {"counters": eight_gpus(own_clock=1755 / 1.4),
         "mod": every(kernels={"all": 1.4})}, **SLOWER)
    case("all GPUs but ours (5) have a clock x1.4, kernels x1.4", "holes", UNNAMED, {
        **usual("marlin", 80, edit=on_gpu_5), "counters": eight_gpus()},
        {"counters": eight_gpus(clock=1755 / 1.4), "mod": every(kernels={"all": 1.4})}, **SLOWER)
    case("the clock of GPU 1 is low, ours is not, kernels x1.3", "holes", UNNAMED, usual("trtllm", 80),
         {"counters": meters(gpu=1, gpu_sm_frequency=1170.0), "mod": every(kernels={"all": 1.3})}, **SLOWER)
    case("GPU 1 is used by others, nothing felt", "holes", "none", usual("deepgemm", 100, QUIET),
         {"counters": meters(gpu=1, gpu_foreign_usage=97.0, gpu_mem_foreign=6e10, gpu_usage=99.0)}, **SAME)
    noisy = meters(gpu_sm_frequency=lambda at, rng: rng.choice((1755.0, 1695.0, 1620.0, 1755.0)))
    case("the clock jumps by 8% in both, nothing felt", "holes", "none", {**usual("embed", 100, QUIET),
         "counters": noisy},
         {}, **SAME)
    case("meters that only the second run has, nothing felt", "holes", "none", {**usual("spec", 100, QUIET),
         "counters": {("gpu_sm_frequency", "GPU 0"): 1755.0}}, {"counters": METERS}, **SAME)


def add_seen(case):
    """A meter moved, and no part of the step did."""
    for title, engine, seen, counters in (
            ("clock of the GPU -12%", "deepgemm", "gpu_clock", meters(gpu_sm_frequency=1544.0)),
            ("another process on the GPU", "marlin", "gpu_contention", shared_gpu(1.5)["counters"]),
            ("load of the host", "trtllm_nvtx", "cpu_contention", meters(
                host_cpu_usage=71.0, host_cpu_foreign=61.0, procs_running=40.0)),
            ("cores at two thirds", "embed", "cpu_frequency", cores_at(2270.0)),
            ("swapping of others", "sgl", "host_memory", meters(swap_in=40000.0, swap_out=45000.0,
                                                                memory_pressure=300000.0)),
            ("disk", "denoise", "disk", busy_disk(0.5)),
            ("PCIe of the GPU", "chunked", "pcie", meters(gpu_pcie_receive=2.6e10)),
            ("network", "spec", "network", {**METERS, ("net_rx_rate", "ens5"): 1.2e9})):
        n = 160 if engine in ("sgl", "chunked") else 100
        case(f"{title} moved, nothing felt, {engine}", "seen", "none", usual(engine, n, QUIET), {"counters": counters},
             seen=seen, **SAME)
    for title, engine, counters in (
            ("warmer, more power", "tiny2", meters(gpu_temp=81.0, gpu_power=640.0)),
            ("own memory larger", "deepgemm", meters(gpu_mem_used=7.7e10, process_gpu_mem_usage=7.65e10)),
            ("own CPU time higher", "marlin", meters(process_cpu_usage=198.0, host_cpu_usage=26.0)),
            ("one core of four slow", "vlm", meters(cpu_frequency_3=1200.0)),
            ("power cap said, clock as before", "denoise", meters(gpu_clock_reasons=4.0))):
        case(f"{title}, nothing felt, {engine}", "seen", "none", usual(engine, 120, QUIET), {"counters": counters},
             **SAME)
    # the last kernels of a step are not hidden: it takes 2 to 3% longer
    case("clock x1.35, hidden behind the host", "seen", "gpu_clock", usual("deepgemm", 80, QUIET, host_us=SLOW),
         low_clock(1.35), felt="same slower")
    case("another process x1.5, hidden behind the host", "seen", "gpu_contention",
         usual("marlin", 80, QUIET, host_us=SLOW), shared_gpu(1.5), felt="same slower")


def add_gates(case):
    any_class = "gpu_slower host_slower several unknown none"
    for percent, factor, code, engine in (
            (3, 1.01, "0", "deepgemm"), (3, 1.06, "1", "trtllm_nvtx"), (5, 1.02, "0", "xla_scan"), (5, 1.09, "1",
            "onnx"),
            (10, 1.06, "0", "marlin"), (10, 1.15, "1", "embed"), (20, 1.13, "0", "rwkv"), (20, 1.3, "1", "denoise")):
        case(f"gate {percent}%, step x{factor}, {engine}", "gate", any_class, usual(
            engine, steps=load_of("embed" if engine == "embed" else "", 140), noise=QUIET, counters=False),
            {"mod": every(kernels={"all": factor}, host=factor)}, gate(percent), exit=code)
    case("gate 5%: one picture in 60 steps x2 has a small share", "gate", "none unknown gpu_slower", usual(
        "vlm", steps=[prefill(256, 1) if i == 30 else decode(48, 900) for i in range(60)] * 2, noise=QUIET),
        {"mod": in_phase("prefill", kernels={"all": 2.0})}, gate(), exit="0")
    case("gate 5%: five steps each, x1.08", "gate", "unknown", usual("deepgemm", 5, QUIET, False),
         {"mod": every(kernels={"all": 1.08}, host=1.08)}, gate(), exit="4", no_interval=True)
    case("gate 10%: every twelfth step 5x", "gate", "unknown host_slower several", usual("marlin", 120, QUIET, False),
         {"mod": when(lambda i: i % 12 == 3, pause=14000)}, gate(10),
         exit="1 4", shape="some", recorded=True)


def add_formats(case):
    export = {"nsys": True, "counters": None}
    case("nsys, nothing changed, trtllm", "formats", "none", {**usual("trtllm_nvtx", 80, QUIET), **export}, {}, **SAME)
    case("nsys, nothing changed, step ranges of vLLM", "formats", "none", {**usual("chunked", 120, QUIET), **export},
         {},
         **SAME)
    case("nsys, kernels x1.4, xla_scan", "formats", "gpu_slower", {**usual("xla_scan", 80), **export},
         {"mod": every(kernels={"all": 1.4})}, **SLOWER)
    case("nsys, host x1.6, onnx", "formats", "host_slower", {**usual("onnx", 80, host_us=SLOW), **export},
         {"mod": every(host=1.6)}, **SLOWER)
    case("nsys, copies x2, marlin", "formats", "pcie", {**usual("marlin", 80, step_copy=64 << 20), **export},
         {"mod": every(copy=2.0)}, **SLOWER)
    case("nsys, graphs, kernels x1.4", "formats", "gpu_slower", {**usual("trtllm_graph", 80), **export},
         {"mod": every(kernels={"all": 1.4})}, **SLOWER)
    case("nsys against torch.profiler, nothing changed", "formats", "none unknown", {**usual("chunked", 80, QUIET),
         **export},
         {"nsys": False}, felt="same unknown")


def add_others(case):
    for add in (add_ranks, add_work, add_apart, add_holes, add_seen, add_gates, add_formats):
        add(case)
