"""A decode loop like that of an LLM, for trying `tactus record`: eager, or as a CUDA graph.

    record_loop.py eager|graph SECONDS LOG [profile]

Writes a line per step into LOG: when it ended (seconds, monotonic) and how long it took (microseconds).
With `profile` it counts the launches of 20 steps by torch.profiler, and prints them per step.
"""
import sys
import time

import torch

LAYERS, HIDDEN, HEADS, TOKENS, CONTEXT = 16, 2048, 16, 16, 512


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.out = torch.nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.up = torch.nn.Linear(HIDDEN, 8 * HIDDEN, bias=False)
        self.down = torch.nn.Linear(4 * HIDDEN, HIDDEN, bias=False)
        self.norm = torch.nn.RMSNorm(HIDDEN)

    def forward(self, x, keys, values):
        q, _, _ = self.qkv(self.norm(x)).view(TOKENS, 1, 3, HEADS, HIDDEN // HEADS).unbind(2)
        q = q.transpose(1, 2)
        mixed = torch.nn.functional.scaled_dot_product_attention(q, keys, values)
        x = x + self.out(mixed.transpose(1, 2).reshape(TOKENS, HIDDEN))
        gate, up = self.up(self.norm(x)).chunk(2, -1)
        return x + self.down(torch.nn.functional.silu(gate) * up)


def make_step(mode):
    """A function that does one step, without waiting for it; to be called in inference mode."""
    torch.manual_seed(1)
    with torch.device("cuda"):
        layers = [Layer().bfloat16() for _ in range(LAYERS)]
        keys = torch.randn(TOKENS, HEADS, CONTEXT, HIDDEN // HEADS, dtype=torch.bfloat16)
        x = torch.randn(TOKENS, HIDDEN, dtype=torch.bfloat16)

    def forward():
        y = x
        for layer in layers:
            y = layer(y, keys, keys)
        return y

    for _ in range(5):
        forward()
    torch.cuda.synchronize()
    if mode != "graph":
        return forward
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        forward()
    return graph.replay


def main():
    mode, seconds, log = sys.argv[1], float(sys.argv[2]), sys.argv[3]
    with torch.inference_mode():
        step = make_step(mode)
        if "profile" in sys.argv:
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU,
                                                    torch.profiler.ProfilerActivity.CUDA]) as profiler:
                for _ in range(20):
                    step()
                torch.cuda.synchronize()
            names = ("cudaLaunchKernel", "cuLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernelEx", "cudaGraphLaunch")
            counts = {e.key: e.count / 20 for e in profiler.key_averages() if e.key in names}
            print("torch.profiler, launches per step:", counts, "sum", sum(counts.values()), flush=True)
        end = time.monotonic() + seconds
        steps = 0
        with open(log, "w", encoding="utf-8") as out:
            while time.monotonic() < end:
                begin = time.monotonic()
                step()
                torch.cuda.synchronize()
                now = time.monotonic()
                out.write(f"{now:.7f} {(now - begin) * 1e6:.1f}\n")
                steps += 1
        print("steps", steps, flush=True)


if __name__ == "__main__":
    main()
