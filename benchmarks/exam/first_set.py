"""The first set: situations that the rules were made and mended with."""
import random

import kernel_names as names
from recording import BASE, counters
from simulate import Change
from situations import Set, clock_that_follows, every, gate, in_phase, on_rank, own_kernels, run, when
from work import Kernel, decode, mixed, prefill

FIRST = Set(1, 2)
case = FIRST.case

CYCLE = [prefill() if i % 6 == 0 else decode(24, 500 + 10 * i) for i in range(48)]
OTHER_ATTENTION = {names.FLASH_HOPPER: names.FLASH_OTHER}


def late_launches(rng):
    return 0.8 + 0.4 * rng.random() + (6 if rng.random() < 0.01 else 0)


# Every row of the table of what went wrong.
case("J01 packed: 16 decode + 2 prefill steps, equal", "table", "none unknown",
     run("packed", [prefill(600, 1)] * 2 + [decode(20, 400)] * 16), {}, steps_of=("decode", 16))
case("J02 one step each, sglang", "table", "unknown", run("sglang", n=1),
     {"mod": every(host=1.3, kernels={"all": 1.3})}, gate(), exit="4", no_interval=True, reason="too_few")
case("J03 prefill 2.2x, decode equal, sglang", "table", "unknown host_slower", run("sglang", CYCLE, counters=BASE),
     {"mod": in_phase("prefill", pause=4000)}, gate(), exit="1", phase="prefill", felt="slower")
case("J04 rank 2 of 4 2.5x slower", "table", "straggler gpu_slower", run("tp", n=24, ranks=4),
     {"mod": on_rank(2, kernels=own_kernels(2.5))}, rank="2", felt="slower")
case("J05 two more prefills in B, sglang", "table", "none workload_changed unknown",
     run("sglang", [decode(40)] * 20 + [prefill(), prefill()], counters=BASE),
     {"steps": [decode(40)] * 10 + [prefill()] * 4 + [decode(40)] * 10})
case("J06 25% faster, own NVLink x1.3", "table", "unknown gpu_slower several",
     run("tp", ranks=2, counters=counters(gpu_link_transmit=2e10, gpu_link_receive=2e10)),
     {"counters": counters(gpu_link_transmit=2.6e10, gpu_link_receive=2.6e10),
      "mod": every(kernels={"all": 0.7}, host=0.7)}, felt="faster")
case("J07 own KV cache larger, eager", "table", "none", run("eager", counters=BASE),
     {"counters": counters(gpu_mem_used=7.7e10, process_gpu_mem_usage=7.64e10)})
case("J08 context 600 to 6000: attention longer", "table", "workload_changed", run("vllm", counters=BASE),
     {"steps": [decode(32, 6000)] * 30}, felt="slower")
case("J08b context longer, detailed annotation, graph", "table", "workload_changed", run("vgraph"),
     {"steps": [decode(32, 5000)] * 30}, felt="slower")
case("J08c context longer, eager shapes", "table", "workload_changed", run("eager"),
     {"steps": [decode(32, 5000)] * 30}, felt="slower")
case("J09 attention kernel replaced, x4; clock -3%", "table", "kernels_changed", run("vllm", counters=BASE),
     {"counters": counters(gpu_sm_frequency=1702.0), "mod": every(rename=OTHER_ATTENTION, kernels={"attn": 4})},
     felt="slower")
for percent in (3, 5, 10, 15, 30):
    factor = 1 / (1 - percent / 100)
    slower = {"counters": counters(gpu_sm_frequency=1755 / factor), "mod": every(kernels={"all": factor})}
    small = {"felt": "slower"} if percent >= 5 else {}
    case(f"J10 GPU clock -{percent}%, sglang", "clock", "gpu_clock" if percent >= 5 else "gpu_clock none unknown",
         run("sglang", counters=BASE, n=60), slower, **small)
    if percent >= 10:
        case(f"J10 GPU clock -{percent}%, graph", "clock", "gpu_clock", run("vgraph", counters=BASE, n=40), slower,
             felt="slower")
        case(f"J10 GPU clock -{percent}%, AMD, ar.5", "clock", "gpu_clock",
             run("amd", counters=BASE, n=100, noise="ar.5", s=0.02), slower, felt="slower")


def low_blocks(index):
    return index % 15 < 6


slow_blocks = when(low_blocks, kernels={"all": 1.45})
slow_clock = clock_that_follows(run("sglang", n=90, seed=2, mod=slow_blocks), low_blocks, 1210.0)
case("J11 clock low in 40% of the time", "table", "gpu_clock", run("sglang", n=90, counters=BASE),
     {"mod": slow_blocks, "counters": counters(gpu_sm_frequency=slow_clock)}, felt="slower")
case("J12 one wait of 400 us per step added", "table", "sync_added", run("vllm", counters=BASE),
     {"mod": every(waits=1, wait_us=400)}, felt="slower")
case("J12b eight waits per step added, host-bound", "table", "sync_added", run("eager", host_us=9),
     {"mod": every(waits=8, wait_us=60)}, felt="slower")
case("J13 batch 24 to 26 and CPU clock to 40%", "table", "cpu_frequency",
     run("vllm", [decode(24)] * 30, host_us=14, counters=BASE),
     {"steps": [decode(26)] * 30, "counters": counters(cpu_frequency=1240.0), "mod": every(host=2.5)}, felt="slower")
case("J14 every fourth step 4x", "table", "unknown host_slower several", run("eager", n=40, counters=BASE),
     {"mod": when(lambda i: i % 4 == 1, pause=2600)}, gate(), exit="1", shape="some", felt="slower")
case("J15 kernels 1.9x, decode hidden behind host, prefill felt", "table", "gpu_contention",
     run("vllm", CYCLE, host_us=30, counters=BASE),
     {"counters": counters(gpu_mem_used=7.9e10, gpu_usage=100.0), "mod": every(kernels={"all": 1.9})},
     phase="prefill", felt="slower same")
case("J16 copies at half their bytes/s, no counter", "table", "pcie", run("eager", step_copy=32 << 20),
     {"mod": every(copy=2.0)}, felt="slower", confidence="medium low")
case("J17 unrelated runs with gate", "table", "not_comparable", run("bert", n=20), {"engine": "sglang"}, gate(),
     exit="4")
case("J18 two ranks with the same pid, rank 1 slow", "table", "straggler gpu_slower", run("tp", ranks=2, pid=77),
     {"mod": on_rank(1, kernels=own_kernels(2))}, rank="1", felt="slower")
case("J20 new kernel and gone kernel", "table", "kernels_changed", run("vllm"), {"mod": every(
    drop=frozenset([names.VLLM_ROPE]), add=(Kernel("elem", names.TRITON_NEW, 60, (), (64, 1, 1)),) * 6)},
    felt="slower", new_and_gone=True)
case("J21 GEMM replaced by another name, x1.5", "table", "kernels_changed", run("sglang"), {"mod": every(
    rename={names.product(32, 0): names.XMMA}, each_kernel=lambda kernel: 1.5 if kernel.name == names.XMMA else 1)},
    felt="slower")
case("J21b attention replaced, same time", "table", "kernels_changed none", run("vllm"),
     {"mod": every(rename=OTHER_ATTENTION)})
case("J22 fewer decode steps per prefill", "table", "none workload_changed",
     run("vllm", ([prefill()] + [decode()] * 8) * 5, counters=BASE), {"steps": ([prefill()] + [decode()] * 3) * 8})
case("J24 batch 16 to 40, no shapes, no notes, memory up", "table", "workload_changed unknown",
     run("cudaonly", [decode(16)] * 30, counters=BASE),
     {"steps": [decode(60, 1400)] * 30, "counters": counters(gpu_mem_used=7.2e10)})

# Causes in several engines.
for engine in ("eager", "packed", "vllm", "sglang", "amd", "graph", "cudaonly", "moe"):
    case(f"D01 GPU shared: all kernels 1.6x, foreign memory and usage, {engine}", "cause", "gpu_contention",
         run(engine, counters=BASE),
         {"counters": counters(gpu_mem_used=7.9e10, gpu_usage=100.0), "mod": every(kernels={"all": 1.6})},
         felt="slower")
    case(f"D02 all kernels 1.4x, no counters, {engine}", "cause", "gpu_slower", run(engine),
         {"mod": every(kernels={"all": 1.4})}, felt="slower", confidence="medium low")
    if engine != "graph":
        case(f"D03 CPU clock to half, host-bound, {engine}", "cause", "cpu_frequency",
             run(engine, host_us=22, counters=BASE),
             {"counters": counters(cpu_frequency=1550.0), "mod": every(host=2.0)}, felt="slower")
        case(f"D04 CPU contention, host-bound, {engine}", "cause", "cpu_contention",
             run(engine, host_us=22, counters=BASE),
             {"counters": counters(host_cpu_usage=93.0), "mod": every(host=1.9, each_launch=late_launches)},
             felt="slower")
        case(f"D05 host 1.8x, no counters, {engine}", "cause", "host_slower", run(engine, host_us=22),
             {"mod": every(host=1.8)}, felt="slower", confidence="medium low")
for engine in ("vllm", "packed", "sglang"):
    case(f"D06 one family (attention) 3x, {engine}", "cause", "unknown kernels_changed workload_changed several",
         run(engine, counters=BASE), {"mod": every(kernels={"attn": 4})}, felt="slower")
case("D06b gemm 1.5x only, moe engine", "cause", "unknown kernels_changed workload_changed several",
     run("moe", counters=BASE), {"mod": every(kernels={"gemm": 1.5})}, felt="slower")
case("D07 pcie with counter (foreign traffic)", "cause", "pcie",
     run("vllm", step_copy=24 << 20, counters=counters(gpu_pcie_receive=1.9e10)),
     {"counters": counters(gpu_pcie_receive=4.1e10), "mod": every(copy=2.2)}, felt="slower")
case("D07b pcie without counter, graph", "cause", "pcie", run("vgraph", step_copy=24 << 20), {"mod": every(copy=2.2)},
     felt="slower", confidence="medium low")
case("D07c more bytes copied, same rate", "cause", "workload_changed unknown kernels_changed several",
     run("vllm", step_copy=16 << 20, counters=counters(gpu_pcie_receive=1.44e10)),
     {"step_copy": 48 << 20, "counters": counters(gpu_pcie_receive=2.73e10)}, felt="slower")


def links(rate, clock=1755.0):
    """Counters of each rank's own device."""
    return lambda rank: {**BASE, ("gpu_link_transmit", f"GPU {rank}"): rate, ("gpu_link_receive", f"GPU {rank}"): rate,
                         ("gpu_sm_frequency", f"GPU {rank}"): clock}


case("D08 NVLink: collectives 4x, link traffic x3", "ranks", "nvlink",
     run("tp", ranks=2, rank_counters=links(2e10)),
     {"rank_counters": links(6.5e10), "mod": every(collective=4)}, felt="slower")
case("D08b collectives 4x, no counters", "ranks", "unknown nvlink network several", run("tp", ranks=4),
     {"mod": every(collective=4)}, felt="slower")
case("D09 disk: long host stalls in some steps, disk counter", "cause", "disk unknown host_slower several",
     run("vllm", n=60, counters={**BASE, ("disk_read_rate", "Host"): 1000000.0}),
     {"counters": {**BASE, ("disk_read_rate", "Host"): 9e8}, "mod": every(pause=900)}, felt="slower")
case("D10 host memory low, host 1.6x", "cause", "host_memory host_slower unknown several",
     run("vllm", host_us=22, counters=BASE),
     {"counters": counters(host_mem_available=6e8), "mod": every(host=1.6)}, felt="slower")
for k in (2, 4, 8):
    case(f"D11 straggler among {k}, 1.5x", "ranks", "straggler gpu_slower", run("tp", n=18, ranks=k),
         {"mod": on_rank(k - 1, kernels=own_kernels(1.5))}, rank=str(k - 1), felt="slower")
    case(f"D11b straggler among {k} in both runs", "ranks", "none straggler",
         run("tp", n=18, ranks=k, mod=on_rank(0, kernels=own_kernels(1.6))), {}, felt="same", not_slower=True)
    case(f"D11c A/A with {k} ranks", "ranks", "none", run("tp", n=18, ranks=k), {})
case("D11d host of rank 1 of 2 slow (host-bound)", "ranks", "straggler host_slower",
     run("tp", n=24, ranks=2, host_us=20), {"mod": on_rank(1, host=1.9)}, rank="1", felt="slower")
case("D11e clock of GPU 1 of 2 low with counters", "ranks", "gpu_clock straggler",
     run("tp", ranks=2, rank_counters=links(2e10)),
     {"rank_counters": lambda rank: links(2e10, 1755.0 if rank == 0 else 1100.0)(rank),
      "mod": on_rank(1, kernels=own_kernels(1.6))}, rank="1", felt="slower")

# Work.
case("E01 batch 16 to 48, shapes", "work", "workload_changed", run("eager", [decode(16)] * 30),
     {"steps": [decode(160, 1200)] * 30}, felt="slower")
case("E02 batch 16 to 160, vllm notes only", "work", "workload_changed", run("vllm_ns", [decode(16)] * 30),
     {"steps": [decode(160, 1200)] * 30}, felt="slower")
case("E03 batch 16 to 160, sglang notes", "work", "workload_changed", run("sglang", [decode(16)] * 30),
     {"steps": [decode(160, 1200)] * 30}, felt="slower")
case("E04 batch 16 to 160, nothing recorded", "work", "workload_changed unknown kernels_changed not_comparable",
     run("cudaonly", [decode(16)] * 30), {"steps": [decode(160, 1200)] * 30})
case("E05 prefill chunk 512 to 2048", "work", "workload_changed", run("vllm", [prefill(512, 1)] * 24),
     {"steps": [prefill(2048, 1)] * 24}, felt="slower")
case("E06 speculation 1 to 4 tokens per sequence", "work", "workload_changed unknown none several kernels_changed",
     run("vllm", [decode(8)] * 30), {"steps": [decode(8, 600, 16)] * 30})
case("E07 smaller batch is faster", "work", "workload_changed", run("vllm", [decode(200, 1200)] * 30),
     {"steps": [decode(20, 600)] * 30}, felt="faster")
case("E08 batch shrinks during run equally in both", "work", "none", run("vllm", [decode(60 - i) for i in range(40)]),
     {})
case("E09 batch varies per step, all kernels 1.3x", "work", "gpu_slower",
     run("vllm", [decode(20 + i * 7 % 30) for i in range(60)]),
     {"steps": [decode(20 + i * 11 % 30) for i in range(60)], "mod": every(kernels={"all": 1.3})}, felt="slower")
case("E10 growing context, more steps in B", "work", "none", run("eager", [decode(32, 500 + i) for i in range(30)]),
     {"steps": [decode(32, 500 + i) for i in range(50)]})
case("E11 mixed continuous batching equal", "work", "none",
     run("packed", [mixed(20, 200) if i % 5 == 2 else decode(20) for i in range(50)]), {})
case("E12 mixed steps 1.5x (kernels), decode equal", "work", "gpu_slower unknown",
     run("vllm", [mixed(20, 400) if i % 3 == 2 else decode(20) for i in range(60)]),
     {"mod": in_phase("mixed", kernels={"all": 1.5})}, felt="slower", phase="mixed prefill")

# Hidden, faster, seen.
case("F01 kernels 1.7x + foreign memory, hidden behind the host", "hidden", "gpu_contention",
     run("vllm", host_us=34, counters=BASE),
     {"counters": counters(gpu_mem_used=7.9e10, gpu_usage=100.0), "mod": every(kernels={"all": 1.7})},
     felt="same", explains=None)
case("F02 clock -30%, hidden behind the host, sglang", "hidden", "gpu_clock", run("sglang", host_us=34, counters=BASE),
     {"counters": counters(gpu_sm_frequency=1228.0), "mod": every(kernels={"all": 1 / 0.7})}, felt="same",
     explains=None)
case("F03 CPU usage up, nothing felt", "hidden", "none", run("vllm", counters=BASE),
     {"counters": counters(host_cpu_usage=70.0)}, seen="cpu_contention")
case("F04 clock -10%, nothing felt (counter only)", "hidden", "none", run("eager", counters=BASE),
     {"counters": counters(gpu_sm_frequency=1580.0)}, seen="gpu_clock")
case("F05 foreign memory up, nothing felt", "hidden", "none", run("sglang", counters=BASE),
     {"counters": counters(gpu_mem_used=7.9e10)})
case("F06 PCIe traffic up, nothing felt", "hidden", "none", run("vgraph", counters=BASE),
     {"counters": counters(gpu_pcie_receive=2e10)}, seen="pcie")
case("F07 kernels 0.7x, clock higher", "hidden", "gpu_clock",
     run("sglang", counters=counters(gpu_sm_frequency=1230.0), mod=every(kernels={"all": 1 / 0.7})),
     {"counters": BASE, "mod": None}, felt="faster")
case("F08 contention gone", "hidden", "gpu_contention gpu_slower",
     run("vllm", counters=counters(gpu_mem_used=7.9e10, gpu_usage=100.0), mod=every(kernels={"all": 1.8})),
     {"counters": BASE, "mod": None}, felt="faster")
case("F09 CPU contention gone", "hidden", "cpu_contention",
     run("vllm", host_us=22, counters=counters(host_cpu_usage=92.0), mod=every(host=1.9)),
     {"counters": BASE, "mod": None}, felt="faster")

# Several at once.
case("G01 clock -20% and pcie copies 2.5x", "several", "several pcie gpu_clock",
     run("vllm", step_copy=16 << 20, counters=counters(gpu_pcie_receive=1.44e10)),
     {"counters": counters(gpu_sm_frequency=1404.0, gpu_pcie_receive=3.2e10),
      "mod": every(kernels={"all": 1.25}, copy=2.0)},
     felt="slower")
case("G02 cpu clock half with attention replaced x6", "several", "cpu_frequency several kernels_changed",
     run("vllm", host_us=15, counters=BASE),
     {"counters": counters(cpu_frequency=1550.0),
      "mod": every(host=2.0, rename=OTHER_ATTENTION, kernels={"attn": 3})},
     felt="slower")
case("G03 sync added 250 us and clock -25%", "several", "several sync_added gpu_clock", run("sglang", counters=BASE),
     {"counters": counters(gpu_sm_frequency=1316.0), "mod": every(waits=1, wait_us=250, kernels={"all": 4 / 3})},
     felt="slower")
case("G04 batch 1.1x and all kernels 1.5x", "several", "gpu_slower", run("vllm", [decode(30)] * 30),
     {"steps": [decode(33)] * 30, "mod": every(kernels={"all": 1.5})}, felt="slower")
case("G05 clock -15% in sizes that explain a third, host pause the rest", "several",
     "several unknown gpu_clock host_slower", run("vllm", counters=BASE),
     {"counters": counters(gpu_sm_frequency=1755 * 0.85), "mod": every(kernels={"all": 1 / 0.85}, pause=260)},
     felt="slower")

# Recordings with holes.
case("H01 counters stop half-way", "robust", "gpu_clock", run("sglang", n=60, counters=BASE, counters_until=0.5),
     {"counters": counters(gpu_sm_frequency=1404.0), "mod": every(kernels={"all": 1.25})}, felt="slower")
case("H02 counters of another time (an hour off)", "robust", "gpu_slower unknown", run("vllm", counters=BASE),
     {"counters": counters(gpu_sm_frequency=1200.0), "counters_shift_ns": 3_600_000_000_000,
      "mod": every(kernels={"all": 1.46})},
     felt="slower")
case("H03 clock offset of B by a year", "robust", "none", run("vllm", counters=BASE),
     {"origin_ns": 1_811_536_000_000_000_000, "shift_us": 3.85e9})
case("H04 five steps each, 1.1x", "robust", "unknown", run("vllm", n=5), {"mod": every(kernels={"all": 1.1}, host=1.1)},
     gate(), no_interval=True, exit="4", reason="too_few")
case("H05 five steps each, 2.5x kernels", "robust", "gpu_slower unknown", run("vllm", n=5),
     {"mod": every(kernels={"all": 2.5})}, gate(), no_interval=True, exit="1 4", confidence="medium low")


def no_device(events, times, rank):
    return [event for event in events if event["cat"] in ("cpu_op", "user_annotation")]


def shuffled(events, times, rank):
    random.Random(5).shuffle(events)
    return events


def other_ids(events, times, rank):
    for event in events:
        if event["cat"] in ("kernel", "gpu_memcpy"):
            event["tid"] = event["args"]["stream"] = 20
        else:
            event["pid"] += 321
            event["tid"] += 321
        if "correlation" in event["args"]:
            event["args"]["correlation"] = event["args"]["correlation"] * 3 + 500000
        if "External id" in event["args"]:
            event["args"]["External id"] += 90000
    return events


def cut_ends(events, times, rank):
    begin = times[0][1] + 0.4 * (times[0][2] - times[0][1])
    end = times[-1][1] + 0.55 * (times[-1][2] - times[-1][1])
    return [event for event in events if begin <= event["ts"] and event["ts"] + event["dur"] <= end]


case("H06 no GPU events, notes, host 1.5x", "robust", "host_slower unknown not_comparable",
     run("vllm", host_us=20, edit=no_device), {"mod": every(host=1.5)})
case("H07 events shuffled, A/A", "robust", "none", run("packed"), {"edit": shuffled})
case("H08 ids, pid and stream renumbered, A/A", "robust", "none", run("eager"), {"edit": other_ids})
for engine in ("eager", "vllm", "cudaonly", "graph"):
    case(f"H09 B cut in the middle of a step, {engine}", "robust", "none", run(engine), {"edit": cut_ends})
case("H10 three warm-up steps 5x at the start of B", "robust", "none unknown host_slower several", run("eager", n=60),
     {"mod": when(lambda i: i < 3, pause=3500)}, median_ratio=1.0)
case("H11 gaps of 50 ms between some steps of B", "robust", "none unknown", run("vllm", n=40),
     {"gap": lambda i: 50000 if i % 10 == 5 else 0}, median_ratio=1.0)
case("H12 idle extra rank in B", "robust", "none", run("tp", n=24, ranks=2), {}, idle_rank=True)
case("H13 A/A bert", "robust", "none", run("bert", [decode(16)] * 24), {})
case("H14 A/A image", "robust", "none", run("image", [decode(32)] * 40), {})
case("H15 image kernels 1.5x, clock -33%", "robust", "gpu_clock", run("image", [decode(32)] * 40, counters=BASE),
     {"counters": counters(gpu_sm_frequency=1170.0), "mod": every(kernels={"all": 1.5})}, felt="slower")
case("H16 bert kernels 1.3x, no counters", "robust", "gpu_slower", run("bert", [decode(16)] * 40),
     {"mod": every(kernels={"all": 1.3})}, felt="slower")
case("H17 spec decode A/A", "robust", "none", run("packed", [decode(8, 600, 4)] * 30), {})
case("H18 --phase decode where only prefill changed", "robust", "none", run("sglang", CYCLE),
     {"mod": in_phase("prefill", pause=4000)}, ("--phase", "decode"), in_phase="decode")
case("H19 --phase prefill where only prefill changed", "robust", "unknown host_slower", run("sglang", CYCLE),
     {"mod": in_phase("prefill", pause=4000)}, ("--phase", "prefill", *gate()), exit="1", in_phase="prefill",
     felt="slower")
case("H20 jump in the middle of B to 1.5x", "robust", "gpu_slower unknown several", run("vllm", n=60),
     {"mod": when(lambda i: i >= 30, kernels={"all": 1.5})}, shape="jump", felt="slower unknown")
case("H21 drift to 1.4x in B", "robust", "gpu_slower unknown several", run("vllm", n=60),
     {"mod": lambda index, step, rank: Change(kernels={"all": 1 + 0.4 * index / 59})}, shape="drift",
     felt="slower unknown")

# Gates, just below and above.
for percent, factor, code in ((5, 1.02, "0"), (5, 1.09, "1"), (10, 1.06, "0"), (10, 1.14, "1"), (20, 1.15, "0"),
                              (20, 1.25, "1")):
    for engine in ("vllm", "eager"):
        case(f"I gate {percent}%, step x{factor}, {engine}", "gate", "gpu_slower host_slower several unknown none",
             run(engine, n=100, s=0.02), {"mod": every(kernels={"all": factor}, host=factor)}, gate(percent),
             exit=code)
case("I gate: phase with 4% of the time does not decide", "gate", "none unknown host_slower",
     run("vllm", [prefill(64, 1) if i == 50 else decode(64, 2000) for i in range(100)] * 2),
     {"mod": in_phase("prefill", pause=2000)}, gate(), exit="0")
case("I gate: faster passes", "gate", "gpu_slower unknown several",
     run("sglang", n=40, mod=every(kernels={"all": 1.4})), {"mod": None}, gate(), exit="0", felt="faster")
case("I gate: noisy cannot be judged", "gate", "unknown none", run("vllm", n=14, s=0.25), {}, gate(), exit="4 0")
for engine in ("packed", "eager", "cudaonly", "graph"):
    case(f"H22 no event after the last step, A/A, {engine}", "robust", "none", run(engine, n=18, tail=False), {})
case("D07d more bytes copied, same rate, no counter", "cause", "workload_changed unknown kernels_changed several",
     run("eager", step_copy=16 << 20), {"step_copy": 48 << 20}, felt="slower")

# Counters of others.
case("K01 clock of another GPU low, own kernels 1.4x", "cause", "gpu_slower gpu_contention unknown",
     run("vllm", counters={**BASE, ("gpu_sm_frequency", "GPU 3"): 1755.0}),
     {"counters": {**BASE, ("gpu_sm_frequency", "GPU 3"): 1200.0}, "mod": every(kernels={"all": 1.4})}, felt="slower")
case("K02 clock of another GPU low, nothing felt", "hidden", "none",
     run("vllm", counters={**BASE, ("gpu_sm_frequency", "GPU 3"): 1755.0}),
     {"counters": {**BASE, ("gpu_sm_frequency", "GPU 3"): 1200.0}})
case("K03 CPU load up, kernels 1.5x (GPU bound): load is not the cause", "cause", "gpu_contention gpu_slower unknown",
     run("sglang", counters=BASE), {"counters": counters(host_cpu_usage=60.0), "mod": every(kernels={"all": 1.5})},
     felt="slower")
case("K04 clock -5% but kernels 1.6x and foreign memory: contention", "cause", "gpu_contention",
     run("vllm", counters=BASE),
     {"counters": counters(gpu_sm_frequency=1667.0, gpu_mem_used=7.9e10, gpu_usage=100.0),
      "mod": every(kernels={"all": 1.6})},
     felt="slower")
case("K05 clock -30%, kernels equal (memory-bound), host 1.5x: not the clock", "cause", "host_slower unknown",
     run("vllm", host_us=22, counters=BASE), {"counters": counters(gpu_sm_frequency=1228.0), "mod": every(host=1.5)},
     felt="slower")
case("K06 CPU clock -50% but only kernels 1.5x", "cause", "gpu_slower gpu_contention unknown",
     run("graph", counters=BASE), {"counters": counters(cpu_frequency=1550.0), "mod": every(kernels={"all": 1.5})},
     felt="slower")

# Doses with many steps.
for factor in (1.05, 1.1):
    case(f"L01 all kernels x{factor}, 200 steps, ar.5, no counters", "dose", "gpu_slower unknown none",
         run("vllm_ns", n=200, noise="ar.5", s=0.03), {"mod": every(kernels={"all": factor * 1.02})}, felt="slower")
    case(f"L02 clock low by {factor}, 200 steps, white", "dose", "gpu_clock",
         run("sglang", n=200, s=0.03, counters=BASE),
         {"counters": counters(gpu_sm_frequency=1755 / factor), "mod": every(kernels={"all": factor})}, felt="slower")
    case(f"L03 host x{factor}, host-bound, CPU clock, 200 steps", "dose", "cpu_frequency",
         run("vllm_ns", n=200, s=0.03, host_us=22, counters=BASE),
         {"counters": counters(cpu_frequency=3100 / factor), "mod": every(host=factor)}, felt="slower")

# The host runs ahead: annotations cover the launching, the device lags.
for engine in ("vllm", "packed", "sglang"):
    case(f"N01 host ahead, A/A, {engine}", "async", "none", run(engine, n=40, ahead=True, counters=BASE), {})
    case(f"N02 host ahead, kernels 1.5x, no counters, {engine}", "async", "gpu_slower", run(engine, n=40, ahead=True),
         {"mod": every(kernels={"all": 1.5})}, felt="slower")
    case(f"N03 host ahead, clock -25%, {engine}", "async", "gpu_clock", run(engine, n=40, ahead=True, counters=BASE),
         {"counters": counters(gpu_sm_frequency=1316.0), "mod": every(kernels={"all": 4 / 3})}, felt="slower")
case("N04 host ahead against waiting per step (kernels equal)", "async", "unknown sync_added host_slower several",
     run("vllm", n=40, ahead=True, counters=BASE), {"ahead": False}, felt="slower")

# What is felt follows the interval.
for factor in (1.005, 1.01, 1.015, 1.02, 1.025, 1.03, 0.97, 0.98, 0.99):
    case(f"O felt at step x{factor}", "felt", "none unknown gpu_slower host_slower several",
         run("vllm_ns", n=200, s=0.004), {"mod": every(kernels={"all": factor}, host=factor)}, follows=True)
case("H23 two layers, eager, A/A", "robust", "none", run("eager2", n=40), {})
case("H24 three layers, packed, A/A", "robust", "none", run("packed3", n=40), {})
case("H25 three layers, packed, kernels 1.5x", "robust", "gpu_slower", run("packed3", n=40),
     {"mod": every(kernels={"all": 1.5})}, felt="slower")

# What the fresh set led to: where its failures begin.
for factor in (1.2, 1.35):
    case(f"P01 straggler among 4, {factor}x", "probe", "straggler", run("tp", n=20, ranks=4),
         {"mod": on_rank(2, kernels=own_kernels(factor))}, rank="2", felt="slower")
for engine in ("sglang", "vllm", "ggml_sampled"):
    case(f"P02 products alone 1.4x, {engine}, counters", "probe", "unknown kernels_changed workload_changed several",
         run(engine, n=40, host_us=2.5, counters=BASE), {"mod": every(kernels={"gemm": 1.4})}, felt="slower")
    case(f"P03 products alone 1.4x, {engine}", "probe", "unknown kernels_changed workload_changed several",
         run(engine, n=40, host_us=2.5), {"mod": every(kernels={"gemm": 1.4})}, felt="slower")
for period_us in (10000.0, 30000.0):
    case(f"P04 clock -25%, a sample per {period_us / 1000:.0f} ms", "probe", "gpu_clock gpu_slower",
         run("sglang", n=70, host_us=2.5, counters=BASE, period_us=period_us),
         {"counters": counters(gpu_sm_frequency=1316.0), "mod": every(kernels={"all": 4 / 3})}, felt="slower")
case("P05 CPU clock -40%, a wait of 60 us added", "probe", "cpu_frequency",
     run("vllm", n=44, host_us=20, counters=BASE),
     {"counters": counters(cpu_frequency=1860.0), "mod": every(host=1 / 0.6, waits=1, wait_us=60)}, felt="slower")
case("P06 CPU clock -40%, a kernel renamed", "probe", "cpu_frequency", run("vllm", n=44, host_us=20, counters=BASE),
     {"counters": counters(cpu_frequency=1860.0),
      "mod": every(host=1 / 0.6, rename={names.VLLM_ROPE: names.SGL_ROPE})}, felt="slower")
case("P07 kernels 1.4x, a small one renamed, no counters", "probe", "gpu_slower", run("vllm", n=44, host_us=2.5),
     {"mod": every(kernels={"all": 1.4}, rename={names.VLLM_ROPE: names.SGL_ROPE})}, felt="slower")
for factor in (1.07, 1.1):
    case(f"P08 copies x{factor}, 200 steps", "probe", "pcie", run("mamba", n=200, s=0.02, step_copy=96 << 20),
         {"mod": every(copy=factor)}, felt="slower")
