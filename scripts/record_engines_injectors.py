"""The faults of record_faults_injectors.py for record-engines, and `pcie_in`: copies to the GPU only.

    record_engines_injectors.py cpu|gemm|pcie|pcie_in|disk|memory --seconds 60 [--wait] [...]

With --wait it imports torch, prints "waiting" and begins when it reads a line: loading torch takes
10 s, and a process that waits has nothing on the GPU.
"""
import sys
import time

import record_faults_injectors as injectors
from record_faults_counters import die_with_parent


def inject_pcie_in(options):
    """Pinned copies from the host to the GPU, one after another."""
    import torch
    size = 256 * injectors.MIB
    host = torch.empty(size, dtype=torch.uint8).pin_memory()
    device = torch.empty(size, dtype=torch.uint8, device="cuda")

    def copy(times):
        for _ in range(times):
            device.copy_(host, non_blocking=True)
        torch.cuda.synchronize()

    copy(1)
    began = time.monotonic()
    copy(8)
    injectors.say_ready(bytes_per_s=int(8 * size / (time.monotonic() - began)))
    end = time.monotonic() + options.seconds
    while time.monotonic() < end:
        copy(8)


def main():
    injectors.INJECTORS["pcie_in"] = inject_pcie_in
    if "--wait" in sys.argv:
        sys.argv.remove("--wait")
        die_with_parent()
        import torch  # noqa: F401
        print("waiting", flush=True)
        if not sys.stdin.readline():
            return 0
    return injectors.main()


if __name__ == "__main__":
    sys.exit(main())
