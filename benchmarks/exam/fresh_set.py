"""The fresh set: situations written after the rules, by someone who did not read them."""
import random

import kernel_names as names
from more_engines import ENGINES
from recording import BASE, counters
from situations import Set, clock_that_follows, every, gate, in_phase, on_rank, own_kernels, run, when
from work import Kernel, decode, mixed, prefill

FRESH = Set(31, 47)
case = FRESH.case

# Counters of other machines: foreign use, pressure, disks, cards.
RICH = {**BASE, ("gpu_foreign_usage", "GPU 0"): 0.4, ("gpu_mem_foreign", "GPU 0"): 4.0e8, ("gpu_power", "GPU 0"): 480.0,
        ("gpu_clock_reasons", "GPU 0"): 0.0, ("pcie_link_width", "GPU 0"): 16.0, ("pcie_link_speed", "GPU 0"): 32.0,
        ("gpu_pcie_replays", "GPU 0"): 0.0, ("host_cpu_foreign", "Host"): 3.0, ("runq_wait", "Host"): 900.0,
        ("procs_running", "Host"): 3.0, ("cpu_pressure", "Host"): 1500.0, ("memory_pressure", "Host"): 10.0,
        ("io_pressure", "Host"): 200.0, ("swap_in", "Host"): 0.0, ("swap_out", "Host"): 0.0,
        ("major_faults", "Host"): 0.2,
        ("container_cpu_throttled", "Host"): 0.0, ("disk_read", "nvme0n1"): 2.0e6, ("disk_util", "nvme0n1"): 1.5,
        ("disk_await", "nvme0n1"): 0.2, ("host_cpu_iowait", "Host"): 0.3, ("net_rx_rate", "eth0"): 4.0e6,
        ("net_drops", "eth0"): 0.0}


def rich(**values):
    return counters(RICH, **values)


def pick(percent):
    return {("gpu_sm_frequency", "GPU 0"): 1755 * (1 - percent / 100)}


def shared_gpu(usage=45.0, memory=1.4e10):
    return rich(gpu_foreign_usage=usage, gpu_mem_foreign=memory, gpu_mem_used=6.17e10 + memory, gpu_usage=100.0)


def busy_host(load=94.0):
    return rich(host_cpu_usage=load, host_cpu_foreign=load - 6, runq_wait=310000.0, procs_running=70.0,
                cpu_pressure=420000.0)


def late_launches(rng):
    return 0.85 + 0.3 * rng.random() + (7 if rng.random() < 0.012 else 0)


CYCLE = [prefill(768, 1) if i % 5 == 2 else decode(28, 480 + 8 * i) for i in range(50)]
SLOWER, FASTER, SAME = {"felt": "slower"}, {"felt": "faster"}, {"felt": "same"}
MEDIUM = {"confidence": "medium low"}

# Every row of the table of what went wrong.
packed_mix = [prefill(900, 3)] + [decode(36, 350)] * 15 + [prefill(900, 3)]
case("R01 15 of 17 passes decode, packed", "table", "none unknown", run("packed", packed_mix), {},
     steps_of=("decode", 15))
case("R02 one step each", "table", "unknown", run("vgraph", n=1), {"mod": every(kernels={"all": 1.2}, host=1.2)},
     gate(), exit="4", no_interval=True, reason="too_few")
case("R03 prefill 3x, decode equal", "table", "gpu_slower unknown", run("eager", CYCLE),
     {"mod": in_phase("prefill", kernels={"all": 3.0})}, gate(), exit="1", phase="prefill", **SLOWER)
case("R04 rank 1 of 2 4x slower, experts", "table", "straggler", run("moe_tp", n=26, ranks=2),
     {"mod": on_rank(1, kernels=own_kernels(4.0))}, rank="1", **SLOWER)
case("R05 two more prefills", "table", "none", run("fp8", [prefill(512, 1)] * 2 + [decode(44)] * 40, counters=RICH),
     {"steps": [decode(44)] * 20 + [prefill(512, 1)] * 4 + [decode(44)] * 20})
link = {rank: {("gpu_link_transmit", f"GPU {rank}"): 3e10, ("gpu_link_receive", f"GPU {rank}"): 3e10}
        for rank in (0, 1)}
case("R06 33% faster, own NVLink x1.5", "table", "gpu_slower host_slower several unknown",
     run("moe_tp", ranks=2, rank_counters=lambda rank: link[rank]),
     {"mod": every(kernels={"all": 0.66}, host=0.66, collective=0.66, each_kernel=None),
      "rank_counters": lambda rank: {key: 1.5 * value for key, value in link[rank].items()}}, **FASTER)
case("R07 own KV cache larger", "table", "none", run("fp8", n=50, counters=RICH),
     {"counters": rich(gpu_mem_used=7.5e10, process_gpu_mem_usage=7.44e10)}, **SAME)
case("R08 longer context, packed shapes", "table", "workload_changed", run("packed", [decode(40, 500)] * 36),
     {"steps": [decode(40, 4200)] * 36}, **SLOWER)
case("R08 longer context, eager in profiler steps", "table", "workload_changed",
     run("profiler", [decode(24, 700)] * 36), {"steps": [decode(24, 5600)] * 36}, **SLOWER)
case("R08 longer context, long annotation", "table", "workload_changed", run("vllm_long", [decode(40, 500)] * 36,
     counters=RICH), {"steps": [decode(40, 4200)] * 36}, **SLOWER)
case("R09 attention replaced, x3.7, clock -15% that products do not follow", "table", "kernels_changed",
     run("profiler", n=40, counters=BASE), {"counters": {**BASE, **pick(15)}, "mod": every(
         rename={names.FLASH_SPLIT: names.FLASH_OTHER, names.MEAN: "triton_red_fused_mean_3"}, kernels={"attn": 3.7})},
     **SLOWER)
for engine in ("fp8", "lora", "mamba", "ggml", "streams", "profiler"):
    case(f"R10 GPU clock -15%, {engine}", "table", "gpu_clock", run(engine, n=44, host_us=2.0, counters=RICH),
         {"counters": {**RICH, **pick(15)}, "mod": every(kernels={"all": 1 / 0.85})}, explains=(0.6, 1.0), **SLOWER)


def low_of(period):
    return lambda index: index % period < 0.4 * period


# Blocks of ten steps leave too few independent ones for an interval that excludes 1: `unknown` is right as well.
for period, classes, felt in ((5, "gpu_clock", "slower"), (10, "gpu_clock", "slower"),
                              (25, "gpu_clock unknown", "slower unknown")):
    low = low_of(period)
    slow = run("lora", n=100, host_us=2.5, mod=when(low, kernels={"all": 1.5}), seed=47)
    case(f"R11 clock low in 40% of the time, blocks of {period}", "table", classes,
         run("lora", n=100, host_us=2.5, counters=BASE),
         {"mod": slow["mod"], "counters": counters(gpu_sm_frequency=clock_that_follows(slow, low, 1170.0))}, felt=felt)
case("R12 one wait per step added", "table", "sync_added", run("sglang", n=36, counters=RICH),
     {"mod": every(waits=1, wait_us=380)}, **SLOWER)
case("R12 twenty waits per step that drain the queue", "table", "sync_added", run("eager", n=36, host_us=8),
     {"mod": every(waits=20)}, **SLOWER)
case("R13 batch 32 to 34, CPU clock to a third", "table", "cpu_frequency",
     run("sglang", [decode(32)] * 36, host_us=16, counters=RICH),
     {"steps": [decode(34)] * 36, "counters": rich(cpu_frequency=1033.0), "mod": every(host=3.0)}, **SLOWER)
case("R14 every third step 5x", "table", "unknown host_slower several", run("packed", n=45),
     {"mod": when(lambda i: i % 3 == 2, pause=3100)}, gate(), exit="1", shape="some", **SLOWER)
case("R15 kernels 2x: prefill felt, decode hidden", "table", "gpu_contention", run("moe", [
    prefill(2048, 2) if i % 6 == 1 else decode(20) for i in range(54)], host_us=40, counters=RICH),
    {"counters": shared_gpu(), "mod": every(kernels={"all": 2.0})}, phase="prefill", felt="slower same")
case("R16 copies at 0.64 of their bytes/s, no counter", "table", "pcie", run("mamba", n=36, step_copy=80 << 20),
     {"mod": every(copy=1 / 0.64)}, **SLOWER, **MEDIUM)
for one, other in (("ggml", "image"), ("mamba", "bert"), ("lora", "image")):
    case(f"R17 unrelated, {one} and {other}", "table", "not_comparable", run(one, n=20), {"engine": other}, gate(),
         exit="4")
case("R19 two ranks with one pid, host of rank 0 slow", "table", "straggler",
     run("tp", n=30, ranks=2, pid=4242, host_us=18), {"mod": on_rank(0, host=2.2)}, rank="0", ranks=2, **SLOWER)
case("R20 new kernel, gone kernel", "table", "kernels_changed", run("fp8", n=36, host_us=3), {"mod": every(
    drop=frozenset([names.VLLM_ROPE]), add=(Kernel("elem", names.TRITON_NEW, 75, (), (64, 1, 1)),) * 5)},
    new_and_gone=True, **SLOWER)
case("R21 product replaced by another name, x1.4", "table", "kernels_changed", run("lora", n=36, host_us=2.5),
     {
      "mod": every(rename={names.product(32, 0): names.XMMA},
                   each_kernel=lambda kernel: 1.4 if kernel.name == names.XMMA else 1)},
     **SLOWER)
case("R21 attention replaced, same time", "table", "kernels_changed none", run("moe", n=36),
     {"mod": every(rename={names.FLASH_HOPPER: names.FLASH_OTHER})})
case("R22 fewer decode steps per prefill", "table", "none", run("fp8", ([prefill(768, 2)] + [decode()] * 10) * 8,
     host_us=3, counters=RICH), {"steps": ([prefill(768, 2)] + [decode()] * 4) * 14})
no_own_memory = {key: value for key, value in BASE.items() if key[0] != "process_gpu_mem_usage"}
case("R24 another batch, nothing recorded, memory up", "table", "workload_changed unknown",
     run("ggml", [decode(16)] * 36, host_us=3, counters=no_own_memory),
     {"steps": [decode(48, 1400)] * 36, "counters": counters(no_own_memory, gpu_mem_used=7.3e10)})

# Clocks.
for percent in (4, 8, 12, 22):
    case(f"C01 GPU clock -{percent}%, 70 steps, ar.3", "clock", "gpu_clock",
         run("fp8", n=70, noise="ar.3", host_us=2.5, counters=RICH),
         {"counters": {**RICH, **pick(percent)}, "mod": every(kernels={"all": 1 / (1 - percent / 100)})}, **SLOWER)
case("C02 memory clock to half, kernels 2x", "clock", "gpu_clock", run("lora", n=40, host_us=2.5, counters=RICH),
     {"counters": rich(gpu_mem_frequency=1310.0), "mod": every(kernels={"all": 1.95})}, **SLOWER)
case("C03 power cap: clock -18%, reason and power said", "clock", "gpu_clock",
     run("ggml", n=40, host_us=3, counters=RICH),
     {"counters": rich(gpu_sm_frequency=1440.0, gpu_clock_reasons=4.0, gpu_power=350.0),
      "mod": every(kernels={"all": 1755 / 1440})}, **SLOWER)
case("C04 clock back from -20%", "clock", "gpu_clock", run("streams", n=40, host_us=2.0, counters={**RICH, **pick(20)},
     mod=every(kernels={"all": 1.25})), {"counters": RICH, "mod": None}, **FASTER)
case("C05 CPU clock back from half", "clock", "cpu_frequency", run("lora", n=40, host_us=20,
     counters=rich(cpu_frequency=1550.0), mod=every(host=2.0)), {"counters": RICH, "mod": None}, **FASTER)

# Causes in engines that the first set does not have.
for engine in ("fp8", "lora", "mamba", "ggml", "streams", "profiler", "ranges"):
    fast = {"host_us": 2.0}
    case(f"D01 GPU shared, 1.5x, {engine}", "cause", "gpu_contention", run(engine, n=34, counters=RICH, **fast),
         {"counters": shared_gpu(), "mod": every(kernels={"all": 1.5})}, **SLOWER)
    case(f"D02 kernels 1.35x, no counters, {engine}", "cause", "gpu_slower", run(engine, n=34, **fast),
         {"mod": every(kernels={"all": 1.35})}, **SLOWER, **MEDIUM)
    case(f"D03 CPU clock -45%, {engine}", "cause", "cpu_frequency", run(engine, n=34, host_us=24, counters=RICH),
         {"counters": rich(cpu_frequency=1705.0), "mod": every(host=1 / 0.55)}, **SLOWER)
    case(f"D04 host shared, {engine}", "cause", "cpu_contention", run(engine, n=34, host_us=24, counters=RICH),
         {"counters": busy_host(), "mod": every(host=1.7, each_launch=late_launches)}, **SLOWER)
    case(f"D05 host 1.6x, no counters, {engine}", "cause", "host_slower", run(engine, n=34, host_us=24),
         {"mod": every(host=1.6)}, **SLOWER, **MEDIUM)
case("D06 cgroup throttled: pauses", "cause", "cpu_contention", run("lora", n=60, host_us=12, counters=RICH),
     {"counters": rich(container_cpu_throttled=260000.0, runq_wait=180000.0),
      "mod": every(host=1.2, each_launch=lambda rng: 40 if rng.random() < 0.008 else 1)}, **SLOWER)
case("D07 swapping", "cause", "host_memory", run("vllm", n=60, host_us=20, counters=RICH),
     {"counters": rich(host_mem_available=3.0e8, swap_in=52000.0, swap_out=61000.0, major_faults=9000.0,
                       memory_pressure=480000.0), "mod": every(host=1.7)}, **SLOWER)
disk_busy = {**RICH, ("disk_read", "nvme0n1"): 2.9e9, ("disk_util", "nvme0n1"): 99.0, ("disk_await", "nvme0n1"): 40.0,
             ("io_pressure", "Host"): 610000.0, ("host_cpu_iowait", "Host"): 11.0}
case("D08 disk: 800 us per step", "cause", "disk", run("sglang", n=60, counters=RICH),
     {"counters": disk_busy, "mod": every(pause=800)}, **SLOWER)
case("D09 disk: 6 ms in every eighth step", "cause", "disk unknown host_slower",
     run("fp8", n=64, host_us=3, counters=RICH), {"counters": disk_busy, "mod": when(lambda i: i % 8 == 5, pause=6000)},
     shape="some", **SLOWER)
case("D10 link trained down to 4 lanes", "cause", "pcie",
     run("fp8", n=40, host_us=3, step_copy=48 << 20, counters=RICH),
     {"counters": rich(pcie_link_width=4.0), "mod": every(copy=3.6)}, **SLOWER)
case("D11 replays on the link", "cause", "pcie", run("mamba", n=40, step_copy=48 << 20, counters=RICH),
     {"counters": rich(gpu_pcie_replays=900.0), "mod": every(copy=1.9)}, **SLOWER)
case("D12 foreign PCIe traffic", "cause", "pcie",
     run("profiler", n=40, step_copy=48 << 20, counters=rich(gpu_pcie_receive=2.4e10)),
     {"counters": rich(gpu_pcie_receive=4.6e10), "mod": every(copy=2.0)}, **SLOWER)
for engine, family in (("fp8", "quant"), ("lora", "lora"), ("mamba", "scan"), ("ggml", "gemm")):
    case(f"D13 one family 2.5x: {family}", "cause", "unknown kernels_changed workload_changed several",
         run(engine, n=40, host_us=2.5, counters=RICH), {"mod": every(kernels={family: 2.5})}, **SLOWER)
case("D14 CPU load up, but kernels 1.4x", "cause", "gpu_contention gpu_slower unknown", run("lora", n=40, host_us=2.5,
     counters=RICH), {"counters": rich(host_cpu_usage=64.0, host_cpu_foreign=58.0), "mod": every(kernels={"all": 1.4})},
     **SLOWER)
case("D15 disk busy, but kernels 1.4x", "cause", "gpu_contention gpu_slower unknown", run("ggml", n=40, host_us=3,
     counters=RICH), {"counters": disk_busy, "mod": every(kernels={"all": 1.4})}, **SLOWER)
case("D16 clock -4%, foreign use, kernels 1.7x", "cause", "gpu_contention",
     run("fp8", n=40, host_us=2.5, counters=RICH),
     {"counters": {**shared_gpu(), **pick(4)}, "mod": every(kernels={"all": 1.7})}, **SLOWER)
case("D17 contention gone", "cause", "gpu_contention", run("lora", n=40, host_us=2.5, counters=shared_gpu(),
     mod=every(kernels={"all": 1.6})), {"counters": RICH, "mod": None}, **FASTER)
case("D18 swapping gone", "cause", "host_memory", run("vllm", n=60, host_us=20, counters=rich(
    host_mem_available=3.0e8, swap_in=52000.0, swap_out=61000.0, major_faults=9000.0, memory_pressure=480000.0),
    mod=every(host=1.7)), {"counters": RICH, "mod": None}, **FASTER)


# Ranks.
def links(rate, **more):
    return lambda rank: {**{("gpu_link_transmit", f"GPU {rank}"): rate, ("gpu_link_receive", f"GPU {rank}"): rate,
                            ("gpu_sm_frequency", f"GPU {rank}"): 1755.0}, **more}


def cards(rate, drops=0.0):
    return lambda rank: {("ib_rx_rate", "mlx5_0:1"): rate, ("ib_tx_rate", "mlx5_0:1"): rate,
                         ("net_drops", "eth0"): drops, ("gpu_sm_frequency", f"GPU {rank}"): 1755.0}


OFFSETS = (0.0, 731000.0, -250000.0)
case("E01 offset clocks of ranks, nothing changed", "ranks", "none", run("tp", n=30, ranks=3, shift_us=1e6,
     rank_shift_us=OFFSETS), {"rank_shift_us": OFFSETS[::-1]}, ranks=3, **SAME)
case("E02 offset clocks, rank 2 of 3 1.8x", "ranks", "straggler", run("tp", n=30, ranks=3, shift_us=1e6,
     rank_shift_us=OFFSETS), {"mod": on_rank(2, kernels=own_kernels(1.8))}, rank="2", **SLOWER)
case("E03 straggler among 6, 1.4x", "ranks", "straggler", run("tp", n=16, ranks=6),
     {"mod": on_rank(3, kernels=own_kernels(1.4))}, rank="3", **SLOWER)
case("E04 straggler gone", "ranks", "straggler", run("tp", n=24, ranks=3, mod=on_rank(1, kernels=own_kernels(1.7))),
     {"mod": None}, rank="1", **FASTER)
case("E05 straggler was rank 0 and is rank 2: job the same", "ranks", "none straggler", run("tp", n=24, ranks=3,
     mod=on_rank(0, kernels=own_kernels(1.6))), {"mod": on_rank(2, kernels=own_kernels(1.6))}, **SAME)
case("E06 NVLink shared: collectives 5x, links x2.6", "ranks", "nvlink", run("moe_tp", n=30, ranks=2,
     rank_counters=links(1.8e10)), {"rank_counters": links(4.7e10), "mod": every(collective=5.0)}, **SLOWER)
case("E07 network shared: collectives 6x, cards x2.5", "ranks", "network", run("tp", n=30, ranks=4,
     rank_counters=cards(3e9)), {"rank_counters": cards(7.5e9), "mod": every(collective=6.0)}, **SLOWER)
case("E08 collectives 5x, no counters", "ranks", "unknown nvlink network several", run("moe_tp", n=30, ranks=2),
     {"mod": every(collective=5.0)}, **SLOWER)
case("E09 clock of GPU 2 of 3 -35%", "ranks", "gpu_clock straggler",
     run("tp", n=30, ranks=3, rank_counters=links(2e10)),
     {
      "rank_counters": lambda rank: {**links(2e10)(rank),
                                     ("gpu_sm_frequency", f"GPU {rank}"): 1140.0 if rank == 2 else 1755.0},
      "mod": on_rank(2, kernels=own_kernels(1755 / 1140))}, rank="2", **SLOWER)
case("E10 all ranks: kernels 1.5x, no counters", "ranks", "gpu_slower", run("tp", n=30, ranks=2),
     {"mod": every(kernels=own_kernels(1.5))}, **SLOWER)
case("E11 rank numbers not in the files, nothing changed", "ranks", "none", run("tp", n=30, ranks=2, tagged=False), {},
     ranks=2, **SAME)
case("E12 gate: one rank's host 1.5x", "ranks", "straggler", run("tp", n=40, ranks=2, host_us=18),
     {"mod": on_rank(1, host=1.5)}, gate(), exit="1", rank="1", **SLOWER)

# Work.
case("F01 chunk of prompts 192 to 640 in mixed steps", "work", "workload_changed", run("vllm", [mixed(24, 192)] * 36),
     {"steps": [mixed(24, 640)] * 36}, **SLOWER)
case("F02 prefix cache hits: 1024 tokens to 256 + 768 cached", "work", "workload_changed", run("vllm_long", [
    prefill(1024, 1)] * 30), {"steps": [prefill(256, 1, 768)] * 30}, **FASTER)
case("F03 prefix cache lost", "work", "workload_changed", run("vllm_long", [prefill(256, 1, 768)] * 30),
     {"steps": [prefill(1024, 1)] * 30}, **SLOWER)
case("F04 adapters switched on", "work", "kernels_changed", run("vllm", n=36), {"engine": "lora"}, **SLOWER)
case("F05 adapters switched off", "work", "kernels_changed", run("lora", n=36), {"engine": "vllm"}, **FASTER)
case("F06 8-bit products instead of 16-bit", "work", "kernels_changed", run("vllm", n=36, host_us=2.5),
     {"engine": "fp8"})
case("F07 batch 12 to 140, state-space model", "work", "workload_changed", run("mamba", [decode(12)] * 36),
     {"steps": [decode(140)] * 36}, **SLOWER)
case("F08 batch 120 to 30, profiler steps", "work", "workload_changed", run("profiler", [decode(120, 900)] * 36),
     {"steps": [decode(30, 900)] * 36}, **FASTER)
case("F09 batch 20 to 90, adapters", "work", "workload_changed", run("lora", [decode(20)] * 36, counters=RICH),
     {"steps": [decode(90, 900)] * 36, "counters": rich(gpu_mem_used=7.1e10, process_gpu_mem_usage=7.05e10)}, **SLOWER)
case("F10 drafts of 5 in both", "work", "none", run("packed", [decode(12, 700, 5)] * 40), {}, **SAME)
case("F11 batch varies, same mix", "work", "none", run("lora", [decode(16 + (i * 5) % 24) for i in range(72)]),
     {"steps": [decode(16 + (i * 7) % 24) for i in range(72)]}, **SAME)
case("F12 batch varies, clock -20%", "work", "gpu_clock", run("fp8", [decode(16 + (i * 5) % 24) for i in range(72)],
     host_us=2.5, counters=RICH), {"steps": [decode(16 + (i * 7) % 24) for i in range(72)],
                                   "counters": {**RICH, **pick(20)}, "mod": every(kernels={"all": 1.25})}, **SLOWER)
case("F13 chunked prefill equal", "work", "none",
     run("packed", [mixed(16, 128) if i % 3 else decode(16) for i in range(60)]), {}, **SAME)
case("F14 more bytes copied per step", "work", "workload_changed unknown several",
     run("mamba", n=36, step_copy=16 << 20, counters=RICH), {"step_copy": 64 << 20}, **SLOWER)
case("F15 context grows alike, runs of 40 and 70 steps", "work", "none",
     run("profiler", [decode(24, 600 + 2 * i) for i in range(40)]),
     {"steps": [decode(24, 600 + 2 * i) for i in range(70)]}, **SAME)

# Hidden, seen, not felt.
case("G01 GPU shared, hidden behind the host", "hidden", "gpu_contention", run("fp8", n=40, host_us=30, counters=RICH),
     {"counters": shared_gpu(), "mod": every(kernels={"all": 1.8})}, felt="same", explains=None)
case("G02 clock -28%, hidden behind the host", "hidden", "gpu_clock", run("mamba", n=40, host_us=40, counters=RICH),
     {"counters": {**RICH, **pick(28)}, "mod": every(kernels={"all": 1 / 0.72})}, felt="same", explains=None)
for title, values, seen in (
        ("host load", {"host_cpu_usage": 72.0, "host_cpu_foreign": 66.0}, "cpu_contention"),
        ("clock counter", {"gpu_sm_frequency": 1545.0}, "gpu_clock"),
        ("swap", {"swap_in": 52000.0, "swap_out": 61000.0, "memory_pressure": 400000.0}, "host_memory"),
        ("foreign use of the GPU", {"gpu_foreign_usage": 40.0, "gpu_mem_foreign": 1.2e10}, "gpu_contention"),
        ("PCIe traffic", {"gpu_pcie_receive": 2.2e10}, "pcie")):
    case(f"G03 {title} moved, nothing felt", "hidden", "none", run("lora", n=60, counters=RICH),
         {"counters": rich(**values)}, seen=seen, **SAME)
case("G04 disk busy, nothing felt", "hidden", "none", run("fp8", n=60, counters=RICH), {"counters": disk_busy},
     seen="disk", **SAME)
case("G05 network busy, nothing felt", "hidden", "none", run("sglang", n=60, counters=RICH),
     {"counters": {**RICH, ("net_rx_rate", "eth0"): 1.1e9}}, seen="network", **SAME)
case("G06 warmer, more power, same clock", "hidden", "none", run("ggml", n=60, counters=RICH),
     {"counters": rich(gpu_temp=79.0, gpu_power=560.0)}, **SAME)
case("G07 power cap said, same clock", "hidden", "none", run("mamba", n=60, counters=RICH),
     {"counters": rich(gpu_clock_reasons=4.0)}, **SAME)
case("G08 idle CPU clock moves, device bound", "hidden", "none", run("lora", n=60, host_us=2.5, counters=RICH),
     {"counters": rich(cpu_frequency=2480.0)}, seen="cpu_frequency", **SAME)

# Several at once.
case("H01 clock, copies and a wait, a third each", "several", "several", run("sglang", n=44, step_copy=16 << 20,
     counters=RICH), {"counters": rich(gpu_sm_frequency=1755 / 1.4, gpu_pcie_receive=4e10),
                      "mod": every(kernels={"all": 1.4}, copy=1.75, waits=1, wait_us=250)}, **SLOWER)
case("H02 clock explains two thirds, a pause the rest", "several", "gpu_clock", run("lora", n=44, host_us=2.5,
     counters=RICH), {"counters": {**RICH, **pick(30)}, "mod": every(kernels={"all": 1 / 0.7}, pause=170)},
     explains=(0.5, 0.85), **SLOWER)
case("H03 batch +8%, kernels 1.4x", "several", "gpu_slower", run("fp8", [decode(50)] * 40, host_us=2.5),
     {"steps": [decode(54)] * 40, "mod": every(kernels={"all": 1.4})}, **SLOWER)
case("H04 CPU clock -40%, adapters' kernels renamed", "several", "cpu_frequency several", run("lora", n=40, host_us=18,
     counters=RICH), {"counters": rich(cpu_frequency=1860.0), "mod": every(
         host=1 / 0.6, rename={names.LORA_SHRINK: "_lora_shrink_kernel_v2"})}, **SLOWER)
case("H05 host shared and clock -20%, host bound", "several", "cpu_contention",
     run("vllm", n=44, host_us=24, counters=RICH),
     {"counters": {**busy_host(), **pick(20)},
      "mod": every(host=1.8, each_launch=late_launches, kernels={"all": 1.25})}, **SLOWER)


# Recordings with holes.
def lose(share):
    def edit(events, times, rank):
        rng = random.Random(77)
        return [event for event in events if rng.random() >= share]
    return edit


def cut_ends(events, times, rank):
    begin = times[0][1] + 0.6 * (times[0][2] - times[0][1])
    end = times[-1][1] + 0.3 * (times[-1][2] - times[-1][1])
    return [event for event in events if begin <= event["ts"] and event["ts"] + event["dur"] <= end]


def other_ids(events, times, rank):
    for event in events:
        device = event["cat"] in ("kernel", "gpu_memcpy")
        event["pid"], event["tid"] = (event["pid"], event["tid"] + 33) if device else (99001, 99007)
        for key, shift in (("correlation", 7_000_000), ("External id", 50_000), ("stream", 33)):
            if key in event["args"]:
                event["args"][key] += shift
    return events


for engine in ("fp8", "lora", "mamba", "ggml", "streams", "profiler", "ranges"):
    case(f"I01 nothing changed, {engine}", "robust", "none", run(engine, n=40, s=0.02), {}, **SAME)
for engine in ("lora", "mamba", "ggml", "ranges"):
    case(f"I02 ends cut, {engine}", "robust", "none", run(engine, n=40), {"edit": cut_ends}, **SAME)
for engine in ("fp8", "streams", "ggml"):
    case(f"I03 other ids, {engine}", "robust", "none", run(engine, n=40), {"edit": other_ids}, **SAME)
case("I04 0.5% of events lost", "robust", "none unknown", run("lora", n=60), {"edit": lose(0.005)}, felt="same unknown")
case("I05 counters on one side only, kernels 1.4x", "robust", "gpu_slower unknown", run("fp8", n=40, host_us=2.5,
     counters=RICH), {"counters": None, "mod": every(kernels={"all": 1.4})}, **SLOWER)
case("I06 counters every 20 ms, clock -25%", "robust", "gpu_clock gpu_slower",
     run("lora", n=60, host_us=2.5, counters=RICH, period_us=20000.0),
     {"counters": {**RICH, **pick(25)}, "mod": every(kernels={"all": 4 / 3})}, **SLOWER)
case("I07 counters of the day before", "robust", "gpu_slower unknown", run("ggml", n=40, host_us=3, counters=RICH),
     {"counters": {**RICH, **pick(30)}, "counters_shift_ns": -86_400_000_000_000, "mod": every(kernels={"all": 1.43})},
     **SLOWER)
case("I08 two warm-up steps 6x", "robust", "none unknown host_slower several", run("lora", n=60),
     {"mod": when(lambda i: i < 2, pause=5000)}, median_ratio=1.0)
case("I09 the other run is 300 days later", "robust", "none", run("streams", n=40, counters=RICH),
     {"origin_ns": 1_806_000_000_000_000_000, "shift_us": 2.0e9}, **SAME)
case("I10 four steps each, 3x", "robust", "gpu_slower unknown", run("fp8", n=4, host_us=2.5),
     {"mod": every(kernels={"all": 3.0})}, gate(), exit="1 4", no_interval=True, **MEDIUM)
case("I11 jump to 1.6x after 40 of 70 steps", "robust", "gpu_slower unknown several", run("lora", n=70, host_us=2.5),
     {"mod": when(lambda i: i >= 40, kernels={"all": 1.6})}, shape="jump", felt="slower unknown")
case("I12 pauses between some steps", "robust", "none unknown", run("fp8", n=50),
     {"gap": lambda i: 80000 if i in (9, 23, 31) else 0}, median_ratio=1.0)
case("I13 --phase decode, only prefill 2x", "robust", "none", run("lora", CYCLE),
     {"mod": in_phase("prefill", kernels={"all": 2.0})}, ("--phase", "decode"), in_phase="decode", **SAME)

# Gates.
for percent, factor, code in ((3, 1.01, "0"), (3, 1.06, "1"), (8, 1.05, "0"), (8, 1.12, "1"), (15, 1.11, "0"),
                              (15, 1.19, "1"), (25, 1.2, "0"), (25, 1.31, "1")):
    for engine in ("fp8", "ranges"):
        case(f"J01 gate {percent}%, step x{factor}, {engine}", "gate", "gpu_slower host_slower several unknown none",
             run(engine, n=110, s=0.02), {"mod": every(kernels={"all": factor}, host=factor)}, gate(percent), exit=code)
case("J02 gate 5%, step x1.05: cannot be judged", "gate", "gpu_slower host_slower several unknown none",
     run("lora", n=30, s=0.05), {"mod": every(kernels={"all": 1.05}, host=1.05)}, gate(), exit="4")
case("J03 gate: decode equal, prefill 1.5x has a third of the time", "gate", "gpu_slower unknown", run("mamba", [
    prefill(1024, 2) if i % 4 == 0 else decode(32) for i in range(80)]),
    {"mod": in_phase("prefill", kernels={"all": 1.5})}, gate(), exit="1", phase="prefill", **SLOWER)
case("J04 gate: faster", "gate", "gpu_slower host_slower several unknown", run("ggml", n=60),
     {"mod": every(kernels={"all": 0.8}, host=0.8)}, gate(), exit="0", **FASTER)

# Small doses, many steps.
for dose in (1.05, 1.10):
    for noise, n in (("white", 200), ("ar.5", 240)):
        many = {"n": n, "noise": noise, "s": 0.025}
        title = f"x{dose}, {n} steps, {noise}"
        case(f"K01 clock, {title}", "dose", "gpu_clock",
             run("fp8", host_us=2.0, counters=RICH, period_us=2000.0, **many),
             {"counters": rich(gpu_sm_frequency=1755 / dose), "mod": every(kernels={"all": dose})}, **SLOWER)
        case(f"K02 kernels, no counters, {title}", "dose", "gpu_slower", run("ranges", host_us=2.0, **many),
             {"mod": every(kernels={"all": dose})}, **SLOWER)
        case(f"K03 CPU clock, {title}", "dose", "cpu_frequency",
             run("ggml", host_us=16, counters=RICH, period_us=2000.0, **many),
             {"counters": rich(cpu_frequency=3100 / dose), "mod": every(host=dose)}, **SLOWER)
        case(f"K04 copies, no counter, {title}", "dose", "pcie",
             run("streams", host_us=2.0, step_copy=96 << 20, **many), {"mod": every(copy=1 + 1.4 * (dose - 1))},
             **SLOWER)

# The host runs ahead.
for engine in ("fp8", "lora", "ggml"):
    ahead = {"n": 44, "ahead": True, "host_us": 2.5}
    case(f"L01 host ahead, nothing changed, {engine}", "ahead", "none", run(engine, counters=RICH, **ahead), {}, **SAME)
    case(f"L02 host ahead, kernels 1.4x, {engine}", "ahead", "gpu_slower", run(engine, **ahead),
         {"mod": every(kernels={"all": 1.4})}, **SLOWER)
    case(f"L03 host ahead, GPU shared, {engine}", "ahead", "gpu_contention", run(engine, counters=RICH, **ahead),
         {"counters": shared_gpu(), "mod": every(kernels={"all": 1.6})}, **SLOWER)

assert {c.normal["engine"] for c in FRESH.cases} <= set(ENGINES)
