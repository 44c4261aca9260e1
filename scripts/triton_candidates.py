"""Two Triton kernels as candidates of `tactus bench`; scripts/try-triton times them by both clocks."""
import triton
import triton.language as tl


@triton.jit
def normed_rows(x, weight, out, hidden, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < hidden
    value = tl.load(x + row * hidden + at, mask=inside, other=0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value) / hidden + eps)
    factor = tl.load(weight + at, mask=inside, other=0).to(tl.float32)
    tl.store(out + row * hidden + at, (value * scale * factor).to(out.dtype.element_ty), mask=inside)


@triton.jit
def softmax_rows(x, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=-float("inf")).to(tl.float32)
    power = tl.exp(value - tl.max(value))
    tl.store(out + row * columns + at, (power / tl.sum(power)).to(out.dtype.element_ty), mask=inside)


def warps(block):
    return max(1, min(16, block // 512))


def rms_norm(x, weight, eps, out):
    hidden = x.shape[-1]
    block = triton.next_power_of_2(hidden)
    normed_rows[(x.numel() // hidden,)](x, weight, out, hidden, eps, BLOCK=block, num_warps=warps(block))


def softmax(x, out):
    columns = x.shape[-1]
    block = triton.next_power_of_2(columns)
    softmax_rows[(x.numel() // columns,)](x, out, columns, BLOCK=block, num_warps=warps(block))
