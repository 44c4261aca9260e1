"""Samples counters of the GPU and the host into NAME.counters.csv.gz until SIGTERM.

    record_engines_counters.py --pid PID --out X.counters.csv.gz --seconds 60 [--hz 20] [--gpu 0]

Rows are `timestamp_ns,counter,device,value` with wall-clock nanoseconds; rates are over the interval
that ends at the timestamp. A source that is absent here leaves its counters out: none are invented.
"""
import argparse
import ctypes
import gzip
import os
import signal
import sys
import threading
import time

HOST = "Host"
SECTOR_BYTES = 512
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def die_with_parent(parent=int(os.environ.get("RECORD_ENGINES_PARENT", 0))):
    """The kernel kills this process when its parent ends, whatever way that happens."""
    PR_SET_PDEATHSIG = 1
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):
        pass
    if parent and os.getppid() != parent:  # it ended before the call above
        os._exit(1)


def read_text(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


class Nvml:
    """The few NVML calls a sample needs. `available` is false where there is no driver."""

    class Memory(ctypes.Structure):
        _fields_ = [(name, ctypes.c_ulonglong) for name in ("total", "free", "used")]

    class Utilization(ctypes.Structure):
        _fields_ = [("gpu", ctypes.c_uint), ("memory", ctypes.c_uint)]

    class Process(ctypes.Structure):  # nvmlProcessInfo_v2_t, which the _v3 call fills
        _fields_ = [("pid", ctypes.c_uint), ("used", ctypes.c_ulonglong),
                    ("gpu_instance", ctypes.c_uint), ("compute_instance", ctypes.c_uint)]

    SM_CLOCK, MEMORY_CLOCK = 1, 2
    PCIE_TRANSMIT, PCIE_RECEIVE = 0, 1
    NOT_AVAILABLE = 2**64 - 1
    PCIE_UNIT_BYTES = 1000  # NVML answers in KB/s

    def __init__(self, index):
        self.device = ctypes.c_void_p()
        self.refused = set()
        try:
            self.library = ctypes.CDLL("libnvidia-ml.so.1")
            self.available = (self.library.nvmlInit_v2() == 0 and self.library.nvmlDeviceGetHandleByIndex_v2(
                ctypes.c_uint(index), ctypes.byref(self.device)) == 0)
        except (OSError, AttributeError):
            self.available = False

    def ask(self, function, answer, *arguments):
        """`answer` filled by NVML, or None; a call that once failed is not tried again."""
        key = (function, arguments)
        if key in self.refused:
            return None
        call = getattr(self.library, function, None)
        if call is None or call(self.device, *map(ctypes.c_uint, arguments), ctypes.byref(answer)) != 0:
            self.refused.add(key)
            return None
        return answer

    def number(self, function, *arguments, kind=ctypes.c_uint):
        answer = self.ask(function, kind(), *arguments)
        return None if answer is None else answer.value

    def process_memory(self, own_pid):
        """Bytes of (own, other) processes, and how many others there are."""
        count = ctypes.c_uint(64)
        processes = (self.Process * count.value)()
        call = getattr(self.library, "nvmlDeviceGetComputeRunningProcesses_v3", None)
        if call is None or call(self.device, ctypes.byref(count), processes) != 0:
            return None
        own = foreign = others = 0
        for process in processes[:count.value]:
            used = 0 if process.used == self.NOT_AVAILABLE else process.used
            if process.pid == own_pid:
                own += used
            else:
                foreign += used
                others += 1
        return own, foreign, others

    def sample(self, own_pid):
        values = {
            "gpu_sm_frequency": self.number("nvmlDeviceGetClockInfo", self.SM_CLOCK),
            "gpu_mem_frequency": self.number("nvmlDeviceGetClockInfo", self.MEMORY_CLOCK),
            "gpu_temp": self.number("nvmlDeviceGetTemperature", 0),
            "gpu_clock_reasons": self.number("nvmlDeviceGetCurrentClocksThrottleReasons", kind=ctypes.c_ulonglong),
        }
        usage = self.ask("nvmlDeviceGetUtilizationRates", self.Utilization())
        if usage:
            values |= {"gpu_usage": usage.gpu, "gpu_mem_usage": usage.memory}
        power_mw = self.number("nvmlDeviceGetPowerUsage")
        if power_mw is not None:
            values["gpu_power"] = power_mw / 1000
        memory = self.ask("nvmlDeviceGetMemoryInfo", self.Memory())
        if memory:
            values["gpu_mem_used"] = memory.used
        processes = self.process_memory(own_pid)
        if processes:
            values |= dict(zip(("process_gpu_mem_usage", "gpu_mem_foreign_used", "gpu_foreign_processes"), processes))
        return {name: value for name, value in values.items() if value is not None}


class HostTotals:
    """Ever-growing totals of /proc; two of them, apart in time, make rates."""

    def __init__(self, pid):
        self.time_ns = time.time_ns()
        self.steady_s = time.monotonic()
        self.ticks, self.context_switches, self.running = self.cpu()
        self.process_ticks = self.process_cpu(pid)
        # "run_ns wait_ns slices" of the main thread, which launches the kernels
        schedule = read_text(f"/proc/{pid}/task/{pid}/schedstat").split()
        self.wait_ns = int(schedule[1]) if len(schedule) == 3 else None
        self.disk = self.disks()
        self.net = self.networks()
        self.pressure = {kind: self.stalled_us(kind) for kind in ("cpu", "memory", "io")}

    @staticmethod
    def cpu():
        # "cpu  user nice system idle iowait irq softirq steal guest guest_nice"; guests are in user and nice
        ticks, switches, running = None, None, None
        for line in read_text("/proc/stat").splitlines():
            words = line.split()
            if words[0] == "cpu":
                ticks = [int(word) for word in words[1:9]]
            elif words[0] == "ctxt":
                switches = int(words[1])
            elif words[0] == "procs_running":
                running = int(words[1])
        return ticks, switches, running

    @staticmethod
    def process_cpu(pid):
        after_name = read_text(f"/proc/{pid}/stat").rpartition(")")[2].split()
        return int(after_name[11]) + int(after_name[12]) if len(after_name) > 12 else None

    @staticmethod
    def disks():
        """Bytes read, bytes written and busy ms, summed over whole disks."""
        try:
            whole = {name for name in os.listdir("/sys/block") if not name.startswith(("loop", "ram", "zram", "dm-", "md"))}
        except OSError:
            return None
        rows = [line.split() for line in read_text("/proc/diskstats").splitlines()]
        rows = [row for row in rows if len(row) > 12 and row[2] in whole]
        if not rows:
            return None
        return (sum(int(row[5]) for row in rows) * SECTOR_BYTES, sum(int(row[9]) for row in rows) * SECTOR_BYTES,
                max(int(row[12]) for row in rows))

    @staticmethod
    def networks():
        received = sent = 0
        rows = [line.partition(":") for line in read_text("/proc/net/dev").splitlines() if ":" in line]
        for name, _, numbers in rows:
            if name.strip() != "lo":
                words = numbers.split()
                received, sent = received + int(words[0]), sent + int(words[8])
        return (received, sent) if rows else None

    @staticmethod
    def stalled_us(kind):
        # "some avg10=0.00 avg60=0.00 avg300=0.00 total=12345"
        first = read_text(f"/proc/pressure/{kind}").partition("\n")[0]
        return int(first.rpartition("total=")[2]) if "total=" in first else None


def host_rates(before, after):
    seconds = after.steady_s - before.steady_s
    values = {}
    if before.ticks and after.ticks:
        spent = [b - a for a, b in zip(before.ticks, after.ticks)]
        total = sum(spent)
        if total > 0:
            idle, waiting, stolen = spent[3], spent[4], spent[7] if len(spent) > 7 else 0
            values["host_cpu_usage"] = 100 * (total - idle - waiting) / total
            values["host_cpu_iowait_usage"] = 100 * waiting / total
            values["host_cpu_steal_usage"] = 100 * stolen / total
    if before.process_ticks is not None and after.process_ticks is not None:
        values["process_cpu_usage"] = 100 * (after.process_ticks - before.process_ticks) / TICKS_PER_S / seconds
    if before.wait_ns is not None and after.wait_ns is not None:
        values["process_runq_wait_usage"] = 100 * (after.wait_ns - before.wait_ns) / 1e9 / seconds
    if before.context_switches is not None:
        values["host_context_switch_rate"] = (after.context_switches - before.context_switches) / seconds
    if before.disk and after.disk:
        values["disk_read_rate"] = (after.disk[0] - before.disk[0]) / seconds
        values["disk_write_rate"] = (after.disk[1] - before.disk[1]) / seconds
        values["disk_io_usage"] = (after.disk[2] - before.disk[2]) / 10 / seconds
    if before.net and after.net:
        values["net_rx_rate"] = (after.net[0] - before.net[0]) / seconds
        values["net_tx_rate"] = (after.net[1] - before.net[1]) / seconds
    for kind, stalled in after.pressure.items():
        if stalled is not None and before.pressure[kind] is not None:
            values[f"host_{kind}_pressure_usage"] = (stalled - before.pressure[kind]) / 1e4 / seconds
    return values


def host_levels(pid, running):
    values = {}
    memory = {line.partition(":")[0]: int(line.split()[1]) * 1024
              for line in read_text("/proc/meminfo").splitlines() if line.endswith("kB")}
    if "MemAvailable" in memory:
        values["host_mem_available"] = memory["MemAvailable"]
        values["host_mem_usage"] = 100 * (1 - memory["MemAvailable"] / memory["MemTotal"])
    load = read_text("/proc/loadavg").split()
    if load:
        values["host_load_average"] = float(load[0])
    if running is not None:
        values["host_procs_running"] = running
    pages = read_text(f"/proc/{pid}/statm").split()
    if len(pages) > 1:
        values["process_mem_rss"] = int(pages[1]) * PAGE_BYTES
    return values


def mean_cpu_mhz():
    base = "/sys/devices/system/cpu"
    khz = [read_text(f"{base}/cpu{core}/cpufreq/scaling_cur_freq") for core in range(os.cpu_count())]
    mhz = [int(value) / 1000 for value in khz if value.strip().isdigit()]
    if not mhz:
        mhz = [float(line.partition(":")[2]) for line in read_text("/proc/cpuinfo").splitlines() if line.startswith("cpu MHz")]
    return sum(mhz) / len(mhz) if mhz else None


class Sampler:
    def __init__(self, pid, gpu, period_s):
        self.pid, self.gpu_name, self.period_s = pid, f"GPU {gpu}", period_s
        self.nvml = Nvml(gpu)
        self.rows = []
        self.stop = threading.Event()

    def add(self, time_ns, device, values):
        self.rows += [(time_ns, name, device, value) for name, value in values.items()]

    def sample_pcie(self):
        # Each call watches the link for 20 ms, so it has its own thread.
        while not self.stop.is_set():
            began = time.monotonic()
            for name, direction in (("gpu_pcie_transmit", Nvml.PCIE_TRANSMIT), ("gpu_pcie_receive", Nvml.PCIE_RECEIVE)):
                value = self.nvml.number("nvmlDeviceGetPcieThroughput", direction)
                if value is not None:
                    self.add(time.time_ns(), self.gpu_name, {name: value * Nvml.PCIE_UNIT_BYTES})
            self.stop.wait(max(0.001, self.period_s - (time.monotonic() - began)))

    def run(self, deadline_s):
        if self.nvml.available:
            threading.Thread(target=self.sample_pcie, daemon=True).start()
        before, tick = HostTotals(self.pid), 0
        print("ready", flush=True)
        next_s = time.monotonic() + self.period_s
        while not self.stop.wait(max(0, next_s - time.monotonic())) and time.monotonic() < deadline_s:
            if self.nvml.available:
                self.add(time.time_ns(), self.gpu_name, self.nvml.sample(self.pid))
            after = HostTotals(self.pid)
            values = host_rates(before, after) | host_levels(self.pid, after.running)
            if tick % 4 == 0:  # reading it may interrupt every core
                mhz = mean_cpu_mhz()
                values |= {"cpu_frequency": mhz} if mhz else {}
            self.add(after.time_ns, HOST, values)
            before, tick = after, tick + 1
            next_s = max(next_s + self.period_s, time.monotonic())
        self.stop.set()

    def write(self, path):
        part = path + ".part"
        with gzip.open(part, "wt", newline="\n") as file:
            file.write("timestamp_ns,counter,device,value\n")
            for time_ns, name, device, value in sorted(self.rows, key=lambda row: row[0]):
                file.write(f"{time_ns},{name},{device},{value if isinstance(value, int) else round(value, 6)}\n")
        os.replace(part, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pid", type=int, required=True, help="the process whose own use is counted separately")
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--hz", type=float, default=20)
    parser.add_argument("--gpu", type=int, default=0)
    options = parser.parse_args()
    die_with_parent()
    sampler = Sampler(options.pid, options.gpu, 1 / options.hz)
    signal.signal(signal.SIGTERM, lambda *_: sampler.stop.set())
    sampler.run(time.monotonic() + options.seconds)
    sampler.write(options.out)
    print(len(sampler.rows), flush=True)


if __name__ == "__main__":
    sys.exit(main())
