"""The machine of the third set: its meters, what each fault does to them and to the steps, and usual loads."""
import random

from situations import every, run
from third_noise import moods, together, white
from work import decode, mixed, prefill

CORES = 4
OWN_COPIES = 1.1e10             # 64 MiB per step [bytes/s]
FAST, SLOW = 12.0, 190.0        # time of the host per launch [us]: the device, or the host, is what a step waits for
MILD = together(moods(150, 0.01), white(0.012))
QUIET = white(0.01)

METERS = {
    **{(f"cpu_frequency_{core}", "Host"): 3400.0 for core in range(CORES)},
    ("host_cpu_usage", "Host"): 14.0, ("host_cpu_foreign", "Host"): 4.0, ("process_cpu_usage", "Host"): 103.0,
    ("host_cpu_iowait", "Host"): 0.2, ("procs_running", "Host"): 4.0, ("runq_wait", "Host"): 1200.0,
    ("cpu_pressure", "Host"): 2000.0, ("memory_pressure", "Host"): 15.0, ("io_pressure", "Host"): 300.0,
    ("container_cpu_throttled", "Host"): 0.0, ("host_mem_available", "Host"): 3.3e11, ("swap_in", "Host"): 0.0,
    ("swap_out", "Host"): 0.0, ("major_faults", "Host"): 0.3, ("disk_read", "nvme1n1"): 1.5e6,
    ("disk_util", "nvme1n1"): 1.0, ("disk_await", "nvme1n1"): 0.15, ("net_rx_rate", "ens5"): 6.0e6,
    ("net_drops", "ens5"): 0.0,
    **{(name, f"GPU {gpu}"): value for gpu in (0, 1) for name, value in (
        ("gpu_sm_frequency", 1755.0), ("gpu_mem_frequency", 2619.0), ("gpu_clock_reasons", 0.0), ("gpu_temp", 58.0),
        ("gpu_foreign_usage", 0.3), ("gpu_mem_foreign", 4.0e8), ("pcie_link_width", 16.0), ("pcie_link_speed", 32.0),
        ("gpu_pcie_replays", 0.0), ("gpu_pcie_transmit", 2.0e8))},
    ("gpu_usage", "GPU 0"): 91.0, ("gpu_usage", "GPU 1"): 0.0, ("gpu_power", "GPU 0"): 520.0,
    ("gpu_power", "GPU 1"): 75.0, ("gpu_mem_used", "GPU 0"): 6.6e10, ("gpu_mem_used", "GPU 1"): 4.5e8,
    ("process_gpu_mem_usage", "GPU 0"): 6.55e10, ("gpu_pcie_receive", "GPU 0"): 4.0e8,
    ("gpu_pcie_receive", "GPU 1"): 1.0e6}


EXACT = {"gpu_clock_reasons", "pcie_link_width", "pcie_link_speed"}     # bits and lanes do not wobble


def exact(name, value):
    return (lambda at, rng: value) if name in EXACT else value


METERS = {key: exact(key[0], value) for key, value in METERS.items()}


def meters(gpu=0, **values):
    """The usual meters, some of them with other values; those of a device are of this GPU."""
    found = dict(METERS)
    for name, value in values.items():
        places = [key for key in METERS if key[0] == name]
        here = [key for key in places if key[1] in (f"GPU {gpu}", "Host", "nvme1n1", "ens5")]
        found[here[0] if here else (name, f"GPU {gpu}" if name.startswith("gpu") else "Host")] = exact(name, value)
    return found


def cores_at(mhz, **more):
    return meters(**{f"cpu_frequency_{core}": mhz for core in range(CORES)}, **more)


def late_launches(rng):
    return 0.9 + 0.2 * rng.random() + (6 if rng.random() < 0.01 else 0)


# What a fault of size `dose` is: the second run's meters and how its steps change.
def low_clock(dose, cap=True):
    more = {"gpu_clock_reasons": 4.0, "gpu_power": 380.0} if cap else {}
    return {"counters": meters(gpu_sm_frequency=1755 / dose, **more), "mod": every(kernels={"all": dose})}


def shared_gpu(dose, memory=1.1e10):
    return {"counters": meters(gpu_foreign_usage=100 * (1 - 1 / dose), gpu_mem_foreign=memory,
                               gpu_mem_used=6.59e10 + memory, gpu_usage=100.0), "mod": every(kernels={"all": dose})}


def slow_cores(dose):
    return {"counters": cores_at(3400 / dose), "mod": every(host=dose)}


def shared_cores(dose):
    waiting = 1 - 1 / dose      # the share of time in which a thread has no core
    return {"counters": meters(host_cpu_usage=97.0, host_cpu_foreign=86.0, runq_wait=1e6 * waiting,
                               cpu_pressure=min(9.5e5, 1.2e6 * waiting), procs_running=70.0,
                               process_cpu_usage=103 / dose),
            "mod": every(host=dose / 1.06, each_launch=late_launches)}


def throttled_group(dose):
    """The quota of the container is used up: pauses, and nobody else on the machine."""
    waiting = 1 - 1 / dose
    return {"counters": meters(container_cpu_throttled=1e6 * waiting, process_cpu_usage=103 / dose,
                               cpu_pressure=1e6 * waiting),
            "mod": every(each_launch=lambda rng: 1 + 20 * (dose - 1) * (rng.random() < 0.05))}


def swapping(dose):
    waiting = 1 - 1 / dose
    return {"counters": meters(host_mem_available=2.5e8, swap_in=48000.0, swap_out=52000.0, major_faults=11000.0,
                               memory_pressure=min(9.5e5, 1.1e6 * waiting), process_cpu_usage=103 / dose),
            "mod": every(host=dose)}


def busy_disk(waiting):
    return meters(disk_read=3.1e9, disk_util=99.0, disk_await=35.0, io_pressure=1e6 * waiting,
                  host_cpu_iowait=100 * waiting / CORES)


def slow_disk(pause_us, step_us):
    return {"counters": busy_disk(min(0.95, 1.1 * pause_us / (pause_us + step_us))), "mod": every(pause=pause_us)}


def narrow_link(factor):
    return {"counters": meters(pcie_link_width=16.0 / factor, gpu_pcie_receive=0.75 * OWN_COPIES),
            "mod": every(copy=factor)}


def foreign_copies(factor):
    return {"counters": meters(gpu_pcie_receive=4.8e10), "mod": every(copy=factor)}


def serving(count, batch=24, seed=7, prompts=6, tokens=(512, 1536), chunked=False):
    """Requests that come and go: the batch wanders, now and then a prompt."""
    rng, steps, size = random.Random(seed), [], batch
    for _ in range(count):
        size = max(batch - 4, min(batch + 4, size + rng.choice((-1, 0, 0, 1))))
        if rng.random() < 1 / prompts:
            new = rng.choice(tokens)
            steps.append(mixed(size, new) if chunked else prefill(new, 1))
        else:
            steps.append(decode(size, 600))
    return steps


def load_of(engine, n):
    """What such an engine does all day."""
    if engine == "embed":
        return [prefill(2048, 16)] * n
    if engine in ("vlm", "sgl", "trtllm", "trtllm_nvtx"):
        return [prefill(1024, 1) if i % 8 == 5 else decode(24, 600) for i in range(n)]
    if engine.startswith("chunked"):
        return [mixed(20, 512) if i % 6 == 3 else decode(20, 700) for i in range(n)]
    if engine == "spec":
        return [decode(12, 700, 4)] * n
    if engine == "whisper":
        return [prefill(32, 8) if i % 20 == 0 else decode(8, 60) for i in range(n)]
    return [decode(32, 600)] * n


def usual(engine, n=80, noise=MILD, counters=True, host_us=FAST, **more):
    """A run of this engine on this machine; meters at 100 Hz."""
    more.setdefault("steps", load_of(engine, n))
    return run(engine, noise=noise, host_us=host_us, post_us=500.0, counters=METERS if counters else None,
               **{"period_us": 10000.0, **more})
