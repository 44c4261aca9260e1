"""One fault, injected from a process of its own until --seconds have passed or it is killed.

    record_engines_injectors.py cpu|gemm|pcie|pcie_in|disk|memory --seconds 60 [--count N] [--cores 0,1] [--amount X] [--wait]

Prints one JSON line when the fault is at full strength. Changes no setting of the machine. With --wait it imports torch,
prints "waiting" and begins when it reads a line: loading torch takes 10 s, and a process that waits has nothing on the GPU.
"""
import argparse
import json
import mmap
import os
import shutil
import signal
import sys
import tempfile
import time

from record_engines_counters import die_with_parent, read_text

MIB = 1 << 20
GIB = 1 << 30


def say_ready(**facts):
    print(json.dumps({"ready": True, **facts}), flush=True)


def fork_each(count, work):
    """Runs work(index) in `count` children that die with this process; returns their pids."""
    pids, parent = [], os.getpid()
    for index in range(count):
        pid = os.fork()
        if pid == 0:
            die_with_parent(parent)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            try:
                work(index)
            finally:
                os._exit(0)
        pids.append(pid)
    return pids


def wait_for(pids, seconds):
    """Until all are gone or the time is over; then ends those that are left."""
    end = time.monotonic() + seconds
    while pids and time.monotonic() < end:
        time.sleep(0.2)
        pids = [pid for pid in pids if os.waitpid(pid, os.WNOHANG) == (0, 0)]
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


def inject_cpu(options):
    def spin(_):
        if options.cores:
            os.sched_setaffinity(0, options.cores)
        end, x = time.monotonic() + options.seconds, 1
        while time.monotonic() < end:
            for _ in range(200_000):
                x = (x * 1664525 + 1013904223) & 0xFFFFFFFF

    pids = fork_each(options.count, spin)
    time.sleep(0.5)
    say_ready(processes=len(pids), cores=sorted(options.cores))
    wait_for(pids, options.seconds)


def inject_gemm(options):
    """Matrix products one after another; --amount below 1 leaves the GPU alone for the rest of the time."""
    import torch
    size = 8192
    a = torch.randn(size, size, device="cuda", dtype=torch.bfloat16)
    b, c = torch.randn_like(a), torch.empty_like(a)
    torch.matmul(a, b, out=c)
    torch.cuda.synchronize()
    say_ready(size=size, duty=options.amount)
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        began = time.monotonic()
        for _ in range(4):
            torch.matmul(a, b, out=c)
        torch.cuda.synchronize()
        if options.amount < 1:
            time.sleep((time.monotonic() - began) * (1 - options.amount) / options.amount)


def inject_pcie(options):
    """Pinned copies in both directions at once, each on a stream of its own."""
    import torch
    host = [torch.empty(256 * MIB, dtype=torch.uint8).pin_memory() for _ in range(2)]
    device = [torch.empty(256 * MIB, dtype=torch.uint8, device="cuda") for _ in range(2)]
    streams = [torch.cuda.Stream() for _ in range(2)]

    def copy_both(times):
        for _ in range(times):
            with torch.cuda.stream(streams[0]):
                device[0].copy_(host[0], non_blocking=True)
            with torch.cuda.stream(streams[1]):
                host[1].copy_(device[1], non_blocking=True)
        torch.cuda.synchronize()

    copy_both(1)
    began = time.monotonic()
    copy_both(8)
    say_ready(bytes_per_s=int(2 * 8 * 256 * MIB / (time.monotonic() - began)))
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        copy_both(8)


def inject_disk(options):
    """Writers that fsync every 4 MiB and start over after 256 MiB, in a folder that is removed at the end."""
    folder = tempfile.mkdtemp(prefix="record-engines-", dir=options.scratch)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    block = os.urandom(MIB)

    def write(index):
        end = time.monotonic() + options.seconds
        with open(f"{folder}/{index}", "wb", buffering=0) as file:
            while time.monotonic() < end:
                file.seek(0)
                for megabyte in range(256):
                    file.write(block)
                    if megabyte % 4 == 3:
                        os.fsync(file.fileno())
                        if time.monotonic() > end:
                            break

    pids = []
    try:
        pids = fork_each(options.count, write)
        time.sleep(1)
        say_ready(writers=len(pids), folder=folder)
        wait_for(pids, options.seconds)
    finally:
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(folder, ignore_errors=True)


def memory_bytes(field):
    for line in read_text("/proc/meminfo").splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    return 0


def inject_memory(options):
    """Touches --amount of what is available (64 GiB at most), then copies one half onto the other for ever."""
    each = int(min(options.amount * memory_bytes("MemAvailable"), 64 * GIB)) // options.count // (128 * MIB) * (128 * MIB)
    each = max(each, 128 * MIB)
    reserve = memory_bytes("MemTotal") // 10
    chunk = 64 * MIB
    reader, writer = os.pipe()

    def stream(_):
        try:  # if memory runs out, the system should kill this process
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write("1000")
        except OSError:
            pass
        end, touch_end = time.monotonic() + options.seconds, time.monotonic() + 15
        memory = memoryview(mmap.mmap(-1, each))
        filler, touched = b"\x5a" * chunk, 0
        while touched < each and time.monotonic() < touch_end and memory_bytes("MemAvailable") > reserve:
            memory[touched:touched + chunk] = filler
            touched += chunk
        os.write(writer, touched.to_bytes(8, "little"))
        half = touched // chunk // 2 * chunk
        while half and time.monotonic() < end:
            for start in range(0, half, chunk):
                memory[half + start:half + start + chunk] = memory[start:start + chunk]
                if time.monotonic() > end:
                    break

    pids = fork_each(options.count, stream)
    os.close(writer)
    told = b""
    while len(told) < 8 * options.count:
        more = os.read(reader, 8)
        if not more:
            break
        told += more
    touched = sum(int.from_bytes(told[i:i + 8], "little") for i in range(0, len(told), 8))
    say_ready(bytes=touched, processes=len(pids))
    wait_for(pids, options.seconds)


def inject_pcie_in(options):
    """Pinned copies from the host to the GPU, one after another."""
    import torch
    size = 256 * MIB
    host = torch.empty(size, dtype=torch.uint8).pin_memory()
    device = torch.empty(size, dtype=torch.uint8, device="cuda")

    def copy(times):
        for _ in range(times):
            device.copy_(host, non_blocking=True)
        torch.cuda.synchronize()

    copy(1)
    began = time.monotonic()
    copy(8)
    say_ready(bytes_per_s=int(8 * size / (time.monotonic() - began)))
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        copy(8)


INJECTORS = {"cpu": inject_cpu, "gemm": inject_gemm, "pcie": inject_pcie, "pcie_in": inject_pcie_in, "disk": inject_disk, "memory": inject_memory}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=INJECTORS)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--count", type=int, default=1, help="processes")
    parser.add_argument("--cores", type=lambda text: {int(core) for core in text.split(",")}, default=set())
    parser.add_argument("--amount", type=float, default=1.0, help="share of the time or of the memory")
    parser.add_argument("--scratch", default=tempfile.gettempdir())
    parser.add_argument("--wait", action="store_true", help="until a line comes")
    options = parser.parse_args()
    die_with_parent()
    if options.wait:
        import torch  # noqa: F401
        print("waiting", flush=True)
        if not sys.stdin.readline():
            return
    INJECTORS[options.kind](options)


if __name__ == "__main__":
    sys.exit(main())
