"""The operators of the catalogue in PyTorch, timed as `tactus bench` times its candidates.

Reads one document on standard input:

    {"device": 0, "seconds": 0.3, "limit_seconds": 240, "rows": [
      {"operator": "rms_norm", "shape": "3", "params": {"tokens": 4096, "hidden": 7168},
       "sequences": null, "dtype": "bf16"}]}

and writes one line for each row and rival, as soon as it is known:

    {"operator": "rms_norm", "shape": "3", "rival": "torch_eager", "t_ns": 8211.0, "t_low_ns": ...,
     "t_high_ns": ..., "samples": [...], "how": "graph", "note": "...", "differs": 0.002}
    {"operator": "rms_norm", "shape": "3", "rival": "triton", "skipped": "why"}

`how`: "graph" is one captured CUDA graph with the flush in front and events around the call;
"stream" is launched call by call (pauses of the host are in it). `differs`: the largest difference
from the first rival that ran, relative to the root mean square of its output: one that computes
something else must not go unseen. Exit codes: 0 done, 3 no usable torch (the line {"error": why}
says more). Rows that are not reached within limit_seconds are not mentioned.

One process imports torch and never touches the GPU; what does is a fork for each operator, so that
an error that spoils the CUDA context ends one row and not the run.
"""

import ctypes
import gc
import json
import math
import os
import signal
import sys
import time

os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")  # looking for a GPU must not open it
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # a pool of compilers cannot be forked
# Nothing that an earlier run compiled: the folder of this script goes with the run.
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "compiled"
)

DRY = "--dry" in sys.argv  # without torch: which rows would be asked
NO_TORCH = 3
WARM_UP_SECONDS = 0.04
LARGEST_CHECKED_BYTES = 256 << 20
LARGEST_COMPILED_AHEAD_BYTES = 1 << 30
MOST_CHUNKS_COMPILED = 16  # loops over chunks are unrolled by the compiler
MOST_SCORES = 4e9  # bytes of a softmax that is written out

try:
    import torch
    import torch.nn.functional as F
except Exception as error:  # a broken installation fails in many ways
    if not DRY:
        print(json.dumps({"error": f"{type(error).__name__}: {error}".splitlines()[0]}))
        sys.exit(NO_TORCH)
    torch = None

try:
    import triton
    import triton.language as tl
except Exception:
    triton = None


class Skip(Exception):
    """This rival has no honest form for this row."""


class Case:
    """A row, ready to run: tensors, and functions of them (or a Skip that says why not)."""

    def __init__(
        self, inputs, eager, compiled=None, others=None, prepare=None, note="", in_place=False
    ):
        self.inputs = inputs
        self.rivals = {"torch_eager": eager, "torch_compiled": compiled or eager}
        self.rivals.update(others or {})
        self.prepare = prepare or {}  # rival -> inputs as it wants them, outside the timing
        self.note = note
        self.in_place = in_place  # a second call has other inputs, and so another result


class Maker:
    """Draws the tensors of one row on one device."""

    def __init__(self, device, dtype):
        self.device = device
        self.dtype = dtype

    def normal(self, *shape, dtype=None, scale=1.0, shift=0.0):
        x = torch.randn(shape, device=self.device, dtype=dtype or self.dtype)
        return x if scale == 1.0 and shift == 0.0 else x.mul_(scale).add_(shift)

    def uniform(self, *shape, low=0.0, high=1.0):
        x = torch.rand(shape, device=self.device, dtype=torch.float32)
        return x.mul_(high - low).add_(low)

    def fp8(self, *shape):
        """Codes of e4m3 that are neither NaN nor large, of both signs."""
        bits = torch.randint(0, 256, shape, device=self.device, dtype=torch.uint8)
        return bits.bitwise_and_(0xDF).view(torch.float8_e4m3fn)

    def integers(self, below, *shape, dtype=None):
        return torch.randint(0, below, shape, device=self.device, dtype=dtype or torch.int32)

    def count(self, n, dtype=None):
        return torch.arange(n, device=self.device, dtype=dtype or torch.int32)


OPERATORS = {}


def operator(function):
    OPERATORS[function.__name__] = function
    return function


# ------------------------------------------------------------------------------- small pieces


def normed(x, eps):
    """x over its root mean square, in fp32."""
    x = x.float()
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps)


def silu(x):
    return x * torch.sigmoid(x)


def fnuz_bits(x):
    """The codes of e4m3fnuz by way of e4m3fn, which the hardware converts to: 2x has the same code
    but at both ends (beyond 232 it is 240; there is no negative zero)."""
    bits = (x * 2).clamp(-448.0, 448.0).to(torch.float8_e4m3fn).view(torch.uint8)
    largest = torch.where(x < 0, 0xFF, 0x7F).to(torch.uint8)
    bits = torch.where(x.abs() > 232.0, largest, bits)
    return torch.where(bits == 0x80, torch.zeros_like(bits), bits)


def fnuz(x):
    return x.to(torch.float8_e4m3fnuz)


FNUZ_NOTE = "compiled: e4m3fnuz through e4m3fn, as the hardware has no other"


def bmm32(a, b):
    """A product of bf16 or fp16 that keeps its fp32 sums."""
    return torch.bmm(a, b, out_dtype=torch.float32)


def rotated(x, cos, sin):
    """Neox halves: x [tokens, heads, 2 * half], cos and sin [tokens, half]."""
    half = cos.shape[-1]
    cos, sin = cos[:, None, :], sin[:, None, :]
    first, second = x[..., :half].float(), x[..., half : 2 * half].float()
    turned = torch.cat([first * cos - second * sin, second * cos + first * sin], -1).to(x.dtype)
    if x.shape[-1] == 2 * half:
        return turned
    return torch.cat([turned, x[..., 2 * half :]], -1)


# ------------------------------------------------------------------------------------- norms


@operator
def rms_norm(p, make, sequences):
    hidden = p["hidden"]
    x, weight = make.normal(p["tokens"], hidden), make.normal(hidden, scale=0.25, shift=1)

    def plain(x, weight):
        return (normed(x, 1e-6) * weight.float()).to(x.dtype)

    def by_triton(x, weight):
        out = torch.empty_like(x)
        block = triton.next_power_of_2(x.shape[1])
        rms_norm_kernel[(x.shape[0],)](
            x, weight, out, x.shape[1], 1e-6, BLOCK=block, num_warps=max(1, min(16, block // 512))
        )
        return out

    return Case(
        [x, weight],
        eager=lambda x, weight: F.rms_norm(x, (hidden,), weight, 1e-6),
        compiled=plain,
        others={"triton": by_triton},
    )


@operator
def fused_add_rms_norm(p, make, sequences):
    rows = (p["tokens"], p["hidden"])
    weight = make.normal(p["hidden"], scale=0.25, shift=1)

    def eager(x, residual, weight):
        residual = x + residual
        return F.rms_norm(residual, (residual.shape[-1],), weight, 1e-6), residual

    def plain(x, residual, weight):
        residual = x + residual
        return (normed(residual, 1e-6) * weight.float()).to(x.dtype), residual

    return Case([make.normal(*rows), make.normal(*rows), weight], eager, plain)


@operator
def gated_rms_norm(p, make, sequences):
    rows = (p["rows"], p["hidden"])

    def plain(x, z, weight):
        return (normed(x, 1e-6) * weight.float() * silu(z.float())).to(x.dtype)

    return Case([make.normal(*rows), make.normal(*rows), make.normal(p["hidden"])], plain)


@operator
def l2_norm(p, make, sequences):
    def plain(x):
        wide = x.float()
        return (wide * torch.rsqrt(wide.square().sum(-1, keepdim=True) + 1e-6)).to(x.dtype)

    return Case([make.normal(p["tokens"], p["hidden"])], plain)


@operator
def layer_norm(p, make, sequences):
    hidden = p["hidden"]
    inputs = [make.normal(p["tokens"], hidden), make.normal(hidden), make.normal(hidden)]
    return Case(inputs, lambda x, weight, bias: F.layer_norm(x, (hidden,), weight, bias, 1e-5))


@operator
def fused_qk_rmsnorm(p, make, sequences):
    heads, kv_heads, width = p["heads"], p["kv_heads"], p["head_dim"]
    hidden = make.normal(p["tokens"], (heads + 2 * kv_heads) * width)

    def plain(hidden, q_weight, k_weight):
        x = hidden.view(hidden.shape[0], heads + 2 * kv_heads, width)
        q = normed(x[:, :heads], 1e-6).to(x.dtype) * q_weight
        k = normed(x[:, heads : heads + kv_heads], 1e-6).to(x.dtype) * k_weight
        return torch.cat([q, k, x[:, heads + kv_heads :]], 1).view(hidden.shape)

    return Case([hidden, make.normal(width), make.normal(width)], plain)


# ------------------------------------------------------------------------------ quantisation


@operator
def fp8_dynamic_per_token_quant(p, make, sequences):
    def plain(to_fp8):
        def quantise(x):
            wide = x.float()
            scale = wide.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 240.0
            return to_fp8((wide * (1.0 / scale)).clamp(-240.0, 240.0)), scale.squeeze(-1)

        return quantise

    x = make.normal(p["tokens"], p["hidden"])
    return Case([x], plain(fnuz), plain(fnuz_bits), note=FNUZ_NOTE)


@operator
def fused_rmsnorm_quant(p, make, sequences):
    rows = (p["tokens"], p["hidden"])

    def plain(to_fp8):
        def quantise(x, residual, weight):
            residual = x + residual
            y = (normed(residual, 1e-5) * weight.float()).to(x.dtype).float()
            scale = y.abs().amax(-1, keepdim=True) / 240.0
            scale = torch.where(scale == 0, torch.ones_like(scale), scale)
            return to_fp8(y / scale), scale, residual

        return quantise

    inputs = [make.normal(*rows), make.normal(*rows), make.normal(p["hidden"])]
    return Case(inputs, plain(fnuz), plain(fnuz_bits), note=FNUZ_NOTE)


@operator
def per_token_group_quant_fp8(p, make, sequences):
    group = p["group_size"]

    def plain(x):
        wide = x.float().view(x.shape[0], -1, group)
        scale = (wide.abs().amax(-1, keepdim=True) / 448.0).clamp(min=1e-10)
        q = (wide / scale).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)
        return q.view(x.shape), scale.squeeze(-1)

    return Case([make.normal(p["tokens"], p["hidden"])], plain)


# ------------------------------------------------------------------- activations, sums, caches


@operator
def silu_and_mul(p, make, sequences):
    half = p["width"] // 2

    def by_triton(x):
        out = torch.empty(x.shape[0], half, device=x.device, dtype=x.dtype)
        block = min(2048, triton.next_power_of_2(half))
        silu_and_mul_kernel[(x.shape[0], triton.cdiv(half, block))](x, out, half, BLOCK=block)
        return out

    return Case(
        [make.normal(p["tokens"], p["width"])],
        eager=lambda x: F.silu(x[:, :half]) * x[:, half:],
        others={"triton": by_triton},
    )


@operator
def moe_sum_reduce(p, make, sequences):
    return Case([make.normal(p["tokens"], p["top_k"], p["hidden"])], lambda x: x.sum(1))


@operator
def causal_conv1d(p, make, sequences):
    channels, tokens, width = p["channels"], p["tokens"], p["width"]

    def by_library(x, weight, bias, state):
        z = torch.cat([state, x[None]], -1)
        return F.silu(F.conv1d(z, weight[:, None, :], bias, groups=channels))[0]

    def plain(x, weight, bias, state):
        z = torch.cat([state[0], x], -1).float()
        y = bias.float()[:, None]
        for k in range(width):
            y = y + weight[:, k : k + 1].float() * z[:, k : k + tokens]
        return F.silu(y.to(x.dtype))

    inputs = [
        make.normal(channels, tokens),
        make.normal(channels, width),
        make.normal(channels),
        make.normal(1, channels, width - 1),
    ]
    return Case(inputs, by_library, plain)


@operator
def reshape_and_cache(p, make, sequences):
    tokens, heads, width, block = p["tokens"], p["heads"], p["head_dim"], p["block_size"]
    cache = (math.ceil(tokens / block), block, heads, width)

    def eager(key, value, slots, key_cache, value_cache):
        key_cache.view(-1, heads, width).index_copy_(0, slots, key)
        value_cache.view(-1, heads, width).index_copy_(0, slots, value)
        return key_cache, value_cache

    inputs = [make.normal(tokens, heads, width), make.normal(tokens, heads, width)]
    inputs += [make.count(tokens, torch.int64), make.normal(*cache), make.normal(*cache)]
    return Case(inputs, eager, note="no negative slots; caches are changed in place")


# --------------------------------------------------------------------------------------- rope


@operator
def fused_qkv_rope(p, make, sequences):
    heads, kv_heads, width, rope = p["heads"], p["kv_heads"], p["head_dim"], p["rope_dim"]

    def plain(qkv, positions):
        x = qkv.view(qkv.shape[0], heads + 2 * kv_heads, width)
        steps = torch.arange(0, rope, 2, device=qkv.device, dtype=torch.float32)
        angles = positions.float()[:, None] * torch.pow(10000.0, -steps / rope)
        cos, sin = angles.cos(), angles.sin()
        q = rotated(x[:, :heads], cos, sin)
        k = rotated(x[:, heads : heads + kv_heads], cos, sin)
        return q, k, x[:, heads + kv_heads :].clone()

    qkv = make.normal(p["tokens"], (heads + 2 * kv_heads) * width)
    return Case([qkv, make.integers(8192, p["tokens"])], plain)


@operator
def mrope(p, make, sequences):
    tokens, heads, kv_heads, width = p["tokens"], p["heads"], p["kv_heads"], p["head_dim"]
    half = p["rope_dim"] // 2
    first, second = half // 4, half // 4 + 3 * half // 8  # 16, 24 and 24 of 64

    def planes(x):
        return torch.cat([x[0, :, :first], x[1, :, first:second], x[2, :, second:]], -1)

    def plain(q, k, cos, sin):
        cos, sin = planes(cos), planes(sin)
        turned_q = rotated(q.view(tokens, heads, width), cos, sin).view(q.shape)
        return turned_q, rotated(k.view(tokens, kv_heads, width), cos, sin).view(k.shape)

    inputs = [make.normal(tokens, heads * width), make.normal(tokens, kv_heads * width)]
    inputs += [make.uniform(3, tokens, half, low=-1), make.uniform(3, tokens, half, low=-1)]
    return Case(inputs, plain)


# ------------------------------------------------------------------------------------ routing


@operator
def moe_topk_gating_softmax(p, make, sequences):
    top = p["top_k"]

    def plain(gating):
        weights, ids = torch.topk(torch.softmax(gating, -1), top, dim=-1)
        return weights, ids.to(torch.int32)

    return Case([make.normal(p["tokens"], p["experts"], dtype=torch.float32)], plain)


@operator
def topk_filter(p, make, sequences):
    top = p["top_k"]

    def plain(logits):
        threshold = torch.topk(logits, top, dim=-1).values[:, -1:]
        return torch.where(logits >= threshold, logits, -math.inf)

    return Case([make.normal(p["tokens"], p["vocabulary"], dtype=torch.float32)], plain)


def sorted_slots(ids, experts):
    """Slots by expert (ascending), the expert of each, and how many there are of each."""
    flat = ids.reshape(-1).long()
    by_expert, order = torch.sort(flat, stable=True)
    counts = torch.zeros(experts, device=ids.device, dtype=torch.int64)
    counts = counts.scatter_add(0, flat, torch.ones_like(flat))
    return order, by_expert, counts


@operator
def moe_count_and_sort(p, make, sequences):
    experts = p["experts"]

    def plain(ids):
        order, _, counts = sorted_slots(ids, experts)
        ends = F.pad(counts.cumsum(0), (1, 0))
        return order.to(torch.int32), counts.to(torch.int32), ends.to(torch.int32)

    return Case([make.integers(experts, p["tokens"], p["top_k"])], plain)


@operator
def moe_align_block_size(p, make, sequences):
    experts, block, slots = p["experts"], p["block_size"], p["tokens"] * p["top_k"]
    used = min(experts, slots)
    blocks = (slots - used) // block + used  # at most

    def plain(ids):
        order, by_expert, counts = sorted_slots(ids, experts)
        padded = (counts + block - 1) // block * block
        ends = padded.cumsum(0)
        rank = torch.arange(slots, device=ids.device) - (counts.cumsum(0) - counts)[by_expert]
        to = (ends - padded)[by_expert] + rank
        sorted_ids = torch.full((blocks * block,), slots, device=ids.device, dtype=torch.int32)
        sorted_ids = sorted_ids.scatter(0, to, order.to(torch.int32))
        first = torch.arange(blocks, device=ids.device) * block
        expert_ids = torch.searchsorted(ends, first, right=True).to(torch.int32)
        return sorted_ids, expert_ids, ends[-1:].to(torch.int32)

    return Case([make.integers(experts, p["tokens"], p["top_k"])], plain)


# ----------------------------------------------------------------------------------- products


@operator
def linear_sigmoid_mul(p, make, sequences):
    tokens, hidden, out = p["tokens"], p["hidden"], p["out"]

    def plain(x, weight, bias, post):
        gate = F.linear(x, weight, bias)
        return (torch.sigmoid(gate.float()) * post.float()).to(x.dtype)

    inputs = [make.normal(tokens, hidden), make.normal(out, hidden, scale=hidden**-0.5)]
    return Case(inputs + [make.normal(out), make.normal(tokens, out)], plain, note="cuBLAS inside")


@operator
def block_scaled_mm(p, make, sequences):
    m, n, k, group_n, group_k = p["m"], p["n"], p["k"], p["group_n"], p["group_k"]

    def plain(a, b, a_scales, b_scales):
        wide = torch.bfloat16
        a = (a.to(wide).view(m, -1, group_k) * a_scales.to(wide)[:, :, None]).view(m, k)
        b = b.to(wide).view(n // group_n, group_n, k // group_k, group_k)
        b = (b * b_scales.to(wide)[:, None, :, None]).view(n, k)
        return torch.mm(a, b.t(), out_dtype=torch.float32)

    def cublas(a, b, a_scales, b_scales):
        kind = F.ScalingType
        return F.scaled_mm(
            a,
            b.t(),
            a_scales,
            kind.BlockWise1x128,
            b_scales.t(),
            kind.BlockWise128x128,
            swizzle_a=F.SwizzleType.NO_SWIZZLE,
            swizzle_b=F.SwizzleType.NO_SWIZZLE,
            output_dtype=torch.float32,
        )

    def column_major(a, b, a_scales, b_scales):
        if group_n != 128 or group_k != 128:
            raise Skip("only scales of 1x128 and 128x128 are supported")
        return [a, b, a_scales.t().contiguous().t(), b_scales]

    inputs = [make.fp8(m, k), make.fp8(n, k)]
    inputs.append(make.uniform(m, k // group_k, low=0.5, high=1.5))
    inputs.append(make.uniform(n // group_n, k // group_k, low=0.5, high=1.5))
    note = "torch_*: dequantised to bf16 first; cublas: scales of a already column by column"
    prepare = {"cublas": column_major}
    return Case(inputs, plain, others={"cublas": cublas}, prepare=prepare, note=note)


def experts_of(x, w1, w2, weights, ids, experts):
    """Grouped products over slots sorted by expert; sums over the slots of a token in fp32."""
    grouped_mm = F.grouped_mm if hasattr(F, "grouped_mm") else torch._grouped_mm
    tokens, top = ids.shape
    order, _, counts = sorted_slots(ids, experts)
    ends = counts.cumsum(0).to(torch.int32)
    gate, up = grouped_mm(x[order // top], w1.transpose(-2, -1), offs=ends).chunk(2, -1)
    t = (silu(gate.float()) * up.float()).to(torch.bfloat16)
    y = grouped_mm(t, w2.transpose(-2, -1), offs=ends)
    place = torch.empty_like(order).scatter(0, order, torch.arange(tokens * top, device=x.device))
    y = y[place].view(tokens, top, -1)
    return (y.float() * weights[:, :, None]).sum(1)


@operator
def fused_moe(p, make, sequences):
    tokens, hidden, inner, experts = p["tokens"], p["hidden"], p["intermediate"], p["experts"]
    inputs = [
        make.normal(tokens, hidden),
        make.normal(experts, 2 * inner, hidden, scale=hidden**-0.5),
        make.normal(experts, hidden, inner, scale=inner**-0.5),
        make.uniform(tokens, p["top_k"]),
        make.integers(experts, tokens, p["top_k"]),
    ]
    note = "grouped_mm; what is between the products is rounded to bf16"
    return Case(inputs, lambda *tensors: experts_of(*tensors, experts), note=note)


@operator
def fp8_blockscale_fused_moe(p, make, sequences):
    tokens, hidden, inner, experts = p["tokens"], p["hidden"], p["intermediate"], p["experts"]

    def wide(w, scales):
        blocks = w.view(experts, scales.shape[1], 128, scales.shape[2], 128).to(torch.bfloat16)
        return (blocks * (0.5 * scales).to(torch.bfloat16)[:, :, None, :, None]).view(w.shape)

    def plain(to_fp8):
        def moe(x, w1, w2, weights, ids, x_scale, w1_scale, w2_scale):
            x = x.view(tokens, -1, 128).to(torch.bfloat16)
            x = (x * (0.5 * x_scale).to(torch.bfloat16)[:, :, None]).view(tokens, hidden)
            return to_fp8(
                experts_of(x, wide(w1, w1_scale), wide(w2, w2_scale), weights, ids, experts)
            )

        return moe

    inputs = [
        make.fp8(tokens, hidden),
        make.fp8(experts, 2 * inner, hidden),
        make.fp8(experts, hidden, inner),
        make.uniform(tokens, p["top_k"]),
        make.integers(experts, tokens, p["top_k"]),
        make.uniform(tokens, hidden // 128, high=1e-2),
        make.uniform(experts, 2 * inner // 128, hidden // 128, high=1e-2),
        make.uniform(experts, hidden // 128, inner // 128, high=1e-2),
    ]
    note = "all weights are dequantised to bf16, then grouped_mm; fnuz read as half of e4m3fn"
    return Case(inputs, plain(fnuz), plain(fnuz_bits), note=note)


# ---------------------------------------------------------------------------------- attention


def attended(q, k, v, causal):
    """Scores written out: q [batch, heads, length, d], k and v with as many or fewer heads."""
    groups = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(groups, 1) if groups > 1 else k
    v = v.repeat_interleave(groups, 1) if groups > 1 else v
    scores = torch.matmul(q, k.transpose(-2, -1)).float() * q.shape[-1] ** -0.5
    if causal:
        seen = torch.ones(q.shape[2], k.shape[2], device=q.device, dtype=torch.bool).tril()
        scores = scores.masked_fill(~seen, -math.inf)
    return torch.matmul(torch.softmax(scores, -1).to(q.dtype), v)


def by_library(backend, q, k, v, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel([getattr(SDPBackend, backend)]):
        return F.scaled_dot_product_attention(
            q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
        )


def attention_case(inputs, scores, view, causal, restore, note=""):
    """`view` makes q, k and v of the inputs, `restore` the output of what attention gives;
    `scores` is how many there are."""

    def plain(*tensors):
        return restore(attended(*view(*tensors), causal))

    def library(backend):
        return lambda *tensors: restore(by_library(backend, *view(*tensors), causal))

    if 4 * scores > MOST_SCORES:
        plain = Skip(f"the scores alone are {4e-9 * scores:.0f} GB")
    others = {"sdpa_flash": library("FLASH_ATTENTION"), "sdpa_cudnn": library("CUDNN_ATTENTION")}
    return Case(inputs, plain, others=others, note=note)


def equal_lengths(sequences):
    if not sequences or len({length for length, _ in sequences}) != 1:
        raise Skip("sequences of different length")
    return sequences[0][0], sum(count for _, count in sequences)


@operator
def attention_forward(p, make, sequences):
    length, batch = equal_lengths(sequences)
    shape = (batch * length, p["heads"], p["head_dim"])

    def view(q, k, v):
        return [x.view(batch, length, *shape[1:]).transpose(1, 2) for x in (q, k, v)]

    inputs = [make.normal(*shape) for _ in range(3)]
    scores = batch * p["heads"] * length * length
    return attention_case(inputs, scores, view, False, lambda o: o.transpose(1, 2).reshape(shape))


@operator
def unified_attention(p, make, sequences):
    length, batch = equal_lengths(sequences)
    heads, kv_heads, width, block = p["heads"], p["kv_heads"], p["head_dim"], p["block_size"]
    pages = math.ceil(length / block)
    row = pages + 2

    def gathered(cache, table):
        x = cache[table[:, :pages]].view(batch, pages * block, kv_heads, width)
        return x[:, :length].transpose(1, 2)

    def view(q, k_cache, v_cache, table):
        q = q.view(batch, length, heads, width).transpose(1, 2)
        return q, gathered(k_cache, table), gathered(v_cache, table)

    cache = (row * batch + 64, block, kv_heads, width)
    table = make.count(row * batch).view(batch, row)
    inputs = [make.normal(batch * length, heads, width), make.normal(*cache), make.normal(*cache)]
    return attention_case(
        inputs + [table],
        batch * heads * length * length,
        view,
        True,
        lambda o: o.transpose(1, 2).reshape(batch * length, heads, width),
        note="pages are gathered first",
    )


@operator
def paged_attention_decode(p, make, sequences):
    batch, length, heads, kv_heads = p["sequences"], p["context"], p["heads"], p["kv_heads"]
    width, block = p["head_dim"], p["block_size"]
    pages = math.ceil(length / block)

    def view(q, k_cache, v_cache, table):
        k = k_cache[table].permute(0, 2, 1, 4, 3, 5).reshape(batch, kv_heads, -1, width)
        v = v_cache[table].permute(0, 2, 1, 4, 3).reshape(batch, kv_heads, -1, width)
        return q.view(batch, heads, 1, width), k[:, :, :length], v[:, :, :length]

    blocks = batch * pages + 16
    inputs = [
        make.normal(batch, heads, width),
        make.normal(blocks, kv_heads, width // 8, block, 8),
        make.normal(blocks, kv_heads, width, block),
        make.count(batch * pages).view(batch, pages),
    ]
    return attention_case(
        inputs,
        batch * heads * length,
        view,
        False,
        lambda o: o.reshape(batch, heads, width),
        note="pages are gathered first",
    )


@operator
def mla_decode_attention(p, make, sequences):
    batch, length, heads, latent = p["batch"], p["context"], p["heads"], p["latent"]
    width = latent + p["rope_dim"]

    def plain(q, kv):
        kv = kv.view(batch, length, width)
        scores = bmm32(q, kv.transpose(1, 2)) * width**-0.5
        return torch.bmm(torch.softmax(scores, -1).to(q.dtype), kv[..., :latent])

    return Case([make.normal(batch, heads, width), make.normal(batch * length, 1, width)], plain)


# ---------------------------------------------------------------------------------- delta rule


def chunked(x, heads, chunk):
    """[1, tokens, h, d] -> [heads, chunks, chunk, d], the tail padded, heads repeated."""
    x = x[0]
    tail = -x.shape[0] % chunk
    if tail:
        x = F.pad(x, (0, 0, 0, 0, 0, tail))
    if x.shape[1] != heads:
        x = x.repeat_interleave(heads // x.shape[1], 1)
    return x.permute(1, 0, 2).reshape(heads, -1, chunk, x.shape[-1]).contiguous()


def unchunked(x, tokens):
    """[heads, chunks, chunk, d] -> [1, tokens, heads, d]"""
    return x.flatten(1, 2)[:, :tokens].transpose(0, 1)[None].contiguous()


def one_batch(p):
    if p["batch"] != 1:
        raise Skip("more than one sequence")


def few_chunks(function, chunks):
    """For the compiler: it unrolls the loop."""
    if chunks <= MOST_CHUNKS_COMPILED:
        return function
    return Skip(f"the compiler would unroll {chunks} chunks")


@operator
def chunk_delta_rule_output(p, make, sequences):
    one_batch(p)
    tokens, chunk, heads, scale = p["tokens"], p["chunk"], p["v_heads"], p["key_dim"] ** -0.5
    chunks = math.ceil(tokens / chunk)

    def plain(q, k, v, h, g):
        q, k, v = [chunked(x, heads, chunk).flatten(0, 1) for x in (q, k, v)]
        g = chunked(g[..., None], heads, chunk).flatten(0, 1)
        h = h[0].transpose(0, 1).flatten(0, 1)
        fall = g - g.transpose(1, 2)
        seen = torch.ones(chunk, chunk, device=q.device, dtype=torch.bool).tril() & (fall <= 0)
        decay = torch.where(seen, fall.clamp(max=0).exp(), 0.0)
        scores = (bmm32(q, k.transpose(1, 2)) * decay).to(q.dtype)
        out = scale * (g.exp() * bmm32(q, h) + bmm32(scores, v))
        return unchunked(out.to(q.dtype).view(heads, chunks, chunk, -1), tokens)

    inputs = [make.normal(1, tokens, p["q_heads"], p["key_dim"]) for _ in range(2)]
    inputs.append(make.normal(1, tokens, heads, p["value_dim"]))
    inputs.append(make.normal(1, chunks, heads, p["key_dim"], p["value_dim"]))
    return Case(inputs + [make.uniform(1, tokens, heads, low=-1, high=0)], plain)


@operator
def chunk_gated_delta_rule_state(p, make, sequences):
    one_batch(p)
    tokens, chunk, heads, states = p["tokens"], p["chunk"], p["v_heads"], p["states"]
    chunks = math.ceil(tokens / chunk)

    def plain(k, w, u, g, pool, index):
        narrow = k.dtype
        k, w, u = [chunked(x, heads, chunk) for x in (k, w, u)]
        g = chunked(g[..., None], heads, chunk)
        row = index.long()
        state = pool[row][0]
        h, fresh = [], []
        for c in range(chunks):
            last = tokens - c * chunk - 1 if c == chunks - 1 else chunk - 1
            end = g[:, c, last : last + 1]
            h.append(state.to(narrow))
            v = u[:, c].float() - bmm32(w[:, c], h[-1])
            fresh.append(v.to(narrow))
            fall = end - g[:, c]
            kept = torch.where(fall <= 0, v * fall.clamp(max=0).exp(), 0.0).to(narrow)
            state = state * end.exp() + bmm32(k[:, c].transpose(1, 2), kept)
        return (
            torch.stack(h)[None],
            unchunked(torch.stack(fresh, 1), tokens),
            pool.index_copy_(0, row, state[None]),
        )

    inputs = [
        make.normal(1, tokens, p["k_heads"], p["key_dim"], scale=0.02),
        make.normal(1, tokens, heads, p["key_dim"], scale=0.02),
        make.normal(1, tokens, heads, p["value_dim"]),
        make.uniform(1, tokens, heads, low=-1, high=0),
        make.normal(states, heads, p["key_dim"], p["value_dim"], dtype=torch.float32),
        make.count(1),
    ]
    note = "a loop over the chunks; states are changed in place"
    return Case(inputs, plain, few_chunks(plain, chunks), note=note, in_place=True)


@operator
def gated_delta_rule_update(p, make, sequences):
    one_batch(p)
    tokens, heads, key_dim = p["tokens"], p["v_heads"], p["key_dim"]
    chunk = min(64, tokens)
    chunks = math.ceil(tokens / chunk)

    def plain(a_log, a, dt_bias, q, k, v, b, pool, index):
        def unit(x):
            x = x.float()
            return x / x.norm(dim=-1, keepdim=True).clamp(min=1e-6)

        q, k = chunked(unit(q), heads, chunk), chunked(unit(k), heads, chunk)
        narrow = v.dtype
        v = chunked(v.float(), heads, chunk)
        beta = chunked(torch.sigmoid(b.float())[..., None], heads, chunk)
        g = -a_log.float().exp() * F.softplus(a.float() + dt_bias.float())
        g = chunked(g[..., None], heads, chunk).cumsum(2)
        # Inside a chunk: e = beta (v - k M) for all tokens at once, by (1 + A)^-1, where A is
        # strictly lower triangular, so that its powers end.
        below = torch.ones(chunk, chunk, device=q.device, dtype=torch.bool).tril(-1)
        fall = g - g.transpose(2, 3)
        decay = torch.where(below, fall.clamp(max=0).exp(), 0.0)
        power = -beta * decay * (k @ k.transpose(2, 3))
        inverse = torch.eye(chunk, device=q.device) + power
        for _ in range(max(0, math.ceil(math.log2(chunk)) - 1) if chunk > 1 else 0):
            power = power @ power
            inverse = inverse + inverse @ power
        u, w = inverse @ (beta * v), inverse @ (beta * g.exp() * k)
        scores = (q @ k.transpose(2, 3)) * (decay + torch.eye(chunk, device=q.device))
        q, row = q * g.exp(), index.long()
        end = g[:, :, -1:]
        k = (k * (end - g).exp()).transpose(2, 3)
        state = pool[row][0]
        out = []
        for c in range(chunks):
            e = u[:, c] - w[:, c] @ state
            out.append(q[:, c] @ state + scores[:, c] @ e)
            state = state * end[:, c].exp() + k[:, c] @ e
        out = unchunked(torch.stack(out, 1) * key_dim**-0.5, tokens).to(narrow)
        return out, pool.index_copy_(0, row, state[None])

    inputs = [
        make.normal(heads, dtype=torch.float32),
        make.normal(1, tokens, heads),
        make.normal(heads),
        make.normal(1, tokens, p["q_heads"], key_dim),
        make.normal(1, tokens, p["q_heads"], key_dim),
        make.normal(1, tokens, heads, p["value_dim"]),
        make.normal(1, tokens, heads),
        make.normal(p["states"], heads, key_dim, p["value_dim"], dtype=torch.float32),
        make.count(1),
    ]
    note = "in chunks of 64, products in fp32; states are changed in place"
    return Case(inputs, plain, few_chunks(plain, chunks), note=note, in_place=True)


# -------------------------------------------------------------------------------------- Triton

if triton is not None:

    @triton.jit
    def rms_norm_kernel(x, weight, out, hidden, eps, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64) * hidden
        at = tl.arange(0, BLOCK)
        there = at < hidden
        value = tl.load(x + row + at, mask=there, other=0.0).to(tl.float32)
        scale = tl.rsqrt(tl.sum(value * value) / hidden + eps)
        value = value * scale * tl.load(weight + at, mask=there, other=0.0).to(tl.float32)
        tl.store(out + row + at, value.to(out.dtype.element_ty), mask=there)

    @triton.jit
    def silu_and_mul_kernel(x, out, half, BLOCK: tl.constexpr):
        row = tl.program_id(0).to(tl.int64)
        at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
        there = at < half
        gate = tl.load(x + row * 2 * half + at, mask=there, other=0.0).to(tl.float32)
        up = tl.load(x + row * 2 * half + half + at, mask=there, other=0.0).to(tl.float32)
        gate = (gate * tl.sigmoid(gate)).to(out.dtype.element_ty).to(tl.float32)
        tl.store(out + row * half + at, (gate * up).to(out.dtype.element_ty), mask=there)


# -------------------------------------------------------------------------------------- timing


def median_interval(samples):
    """Median, and the order statistics that enclose it with 95%; as src/bench/timing/timing.cc."""
    ordered, n = sorted(samples), len(samples)
    median = ordered[n // 2] if n % 2 else (ordered[n // 2 - 1] + ordered[n // 2]) / 2
    rank, below, probability = 0, 0.0, 0.5**n
    if n > 1000:
        rank = int(n / 2 - 0.98 * math.sqrt(n))
    else:
        for i in range(n):
            below += probability
            if below > 0.025:
                rank = i
                break
            probability *= (n - i) / (i + 1)
    if rank == 0:
        return median, ordered[0], ordered[-1]
    return median, ordered[rank - 1], ordered[n - rank]


def enough(samples, spent, seconds):
    if len(samples) >= 1000:
        return True
    if len(samples) < 10:
        return spent > 4 * seconds and len(samples) >= 3
    if spent > seconds:
        return True
    median, low, high = median_interval(samples)
    return high - low <= 0.01 * median


class CannotCapture(Exception):
    pass


class Timer:
    def __init__(self, device, seconds):
        self.seconds = seconds
        cache = torch.cuda.get_device_properties(device).L2_cache_size
        self.other = torch.zeros(max(cache, 1 << 20) // 2, dtype=torch.int32, device="cuda")
        self.largest = torch.zeros((), dtype=torch.int32, device="cuda")

    def flush(self):
        """Fills the cache, twice, with what is only read: lines that the flush had changed would be
        written back in the time of the call that displaces them."""
        torch.amax(self.other, dim=0, out=self.largest)

    def enqueue(self, call, begin, end):
        self.flush()
        begin.record()
        call()
        end.record()

    def steps(self, calls, capture):
        """For each call a function that starts it once, and its two events."""
        steps = []
        pool = torch.cuda.graph_pool_handle() if capture else None  # they never run at once
        for call in calls:
            begin = torch.cuda.Event(enable_timing=True, external=capture)
            end = torch.cuda.Event(enable_timing=True, external=capture)
            if capture:
                graph = torch.cuda.CUDAGraph()
                try:
                    with torch.cuda.graph(graph, pool=pool):
                        self.enqueue(call, begin, end)
                except Exception as error:
                    raise CannotCapture(first_line(error))
                steps.append((graph.replay, begin, end))
            else:
                steps.append((lambda c=call, b=begin, e=end: self.enqueue(c, b, e), begin, end))
        return steps

    def measure(self, calls, capture):
        started = time.monotonic()
        while time.monotonic() - started < WARM_UP_SECONDS:
            for call in calls:
                call()
            torch.cuda.synchronize()
        steps = self.steps(calls, capture)
        for step, _, _ in steps:  # the first start of a graph uploads it
            step()
        torch.cuda.synchronize()
        samples, started = [], time.monotonic()
        while not samples or not enough(samples, time.monotonic() - started, self.seconds):
            for step, _, _ in steps:
                step()
            torch.cuda.synchronize()
            samples += [begin.elapsed_time(end) * 1e6 for _, begin, end in steps]
        return samples


# ----------------------------------------------------------------------------------------- rows

DTYPES = {"bf16": "bfloat16", "fp16": "float16", "fp32": "float32"}


def first_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]


def case_of(row, device):
    if row["operator"] not in OPERATORS:
        raise Skip("no such operator here")
    dtype = getattr(torch, DTYPES.get(row.get("dtype") or "bf16", "bfloat16"))
    make = Maker(device, dtype)
    return OPERATORS[row["operator"]](row["params"], make, row.get("sequences"))


def compiled_function(function):
    import torch._dynamo

    torch._dynamo.reset()  # each shape is compiled for itself, without a limit on their number
    return torch.compile(function, dynamic=False, fullgraph=True)


def difference(got, wanted):
    """Of the first tensor of both, relative to its size; nothing where they cannot be compared."""
    got = got[0] if isinstance(got, (tuple, list)) else got
    wanted = wanted[0] if isinstance(wanted, (tuple, list)) else wanted
    if got.shape != wanted.shape or wanted.numel() * 4 > LARGEST_CHECKED_BYTES:
        return None
    if got.dtype == torch.uint8 and wanted.element_size() == 1:
        got = got.view(wanted.dtype)
    got, wanted = got.float(), wanted.float()
    size = torch.nan_to_num(wanted, posinf=0.0, neginf=0.0).square().mean().sqrt().item()
    gap = torch.nan_to_num(got - wanted).abs().max().item()
    return gap / size if size > 0 else gap


class RowTimer:
    """All rivals of one row, in a process that may use the GPU."""

    def __init__(self, timer, row, answered, uncapturable, tell):
        self.timer = timer
        self.row = row
        self.answered = answered
        self.uncapturable = uncapturable
        self.tell = tell
        self.expected = None

    def answer(self, rival, **fields):
        head = {"operator": self.row["operator"], "shape": self.row["shape"], "rival": rival}
        self.tell({**head, **fields})

    def run(self):
        try:
            case = case_of(self.row, "cuda")
            inputs = [case.inputs, [x.clone() for x in case.inputs]]
        except (Skip, torch.cuda.OutOfMemoryError) as error:
            why = str(error) if isinstance(error, Skip) else "its inputs do not fit into memory"
            return self.answer("torch", skipped=why)
        for rival, function in case.rivals.items():
            if (self.row["shape"], rival) in self.answered:
                continue
            try:
                self.time(rival, function, inputs, case)
            except Skip as error:
                self.answer(rival, skipped=str(error))
            except torch.cuda.OutOfMemoryError as error:
                self.answer(rival, skipped=f"does not fit into memory: {first_line(error)}")
            except CannotCapture:
                raise
            except Exception as error:
                self.answer(rival, skipped=first_line(error))
                if "CUDA error" in str(error):
                    raise  # nothing works in this process any more
            torch.cuda.empty_cache()

    def time(self, rival, function, copies, case):
        if isinstance(function, Skip):
            raise function
        if rival == "triton" and triton is None:
            raise Skip("no triton")
        if rival == "torch_compiled":
            function = compiled_function(function)
        if rival in case.prepare:
            copies = [case.prepare[rival](*inputs) for inputs in copies]
        calls = [lambda inputs=inputs: function(*inputs) for inputs in copies]
        fields = {}
        result = calls[0]()
        torch.cuda.synchronize()
        if self.expected is None:
            self.expected = None if case.in_place else self.kept(result)
        else:
            fields["differs"] = difference(result, self.expected)
        del result
        shape = self.row["shape"]
        capture = not self.uncapturable & {(rival, shape), (rival, None)}
        try:
            samples = self.timer.measure(calls, capture)
        except CannotCapture as error:
            # A graph keeps its own memory: what does not fit says nothing about other shapes.
            only = shape if "out of memory" in str(error) else None
            self.tell({"uncapturable": [rival, only], "why": str(error)})
            raise  # a broken capture spoils the allocator: a new process goes on
        median, low, high = median_interval(samples)
        fields["note"] = case.note
        fields["how"] = "graph" if capture else "stream"
        fields["samples"] = [round(x, 1) for x in samples]
        self.answer(rival, t_ns=median, t_low_ns=low, t_high_ns=high, **fields)

    @staticmethod
    def kept(result):
        result = result[0] if isinstance(result, (tuple, list)) else result
        return result.clone() if result.numel() * 4 <= LARGEST_CHECKED_BYTES else None


# ------------------------------------------------------------------------------------- processes


class Out:
    """Standard output, which is ours alone: what libraries print goes to standard error."""

    def __init__(self):
        self.file = os.fdopen(os.dup(1), "w")
        os.dup2(2, 1)

    def tell(self, message):
        self.file.write(json.dumps(message) + "\n")
        self.file.flush()


def forked(work):
    """Runs `work` in a fork; its process id."""
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: not without its parent
        code = 1
        try:
            code = work() or 0
        except BaseException as error:  # whatever it is, the parent's code must not go on here
            sys.stderr.write(first_line(error) + "\n")
        finally:
            sys.stderr.flush()
            os._exit(code)
    return pid


def ended_well(pid):
    return os.waitpid(pid, 0)[1] == 0


def import_compiler():
    import torch._dynamo  # noqa: F401
    import torch._inductor.compile_fx  # noqa: F401


def can_fork_with_compiler(device):
    """Whether a fork can still use the GPU once the compiler is imported (saves seconds a fork)."""

    def use_gpu():
        torch.cuda.set_device(device)
        torch.zeros(1, device="cuda").sum().item()

    def import_and_fork():
        import_compiler()
        return 0 if ended_well(forked(use_gpu)) else 1

    return ended_well(forked(import_and_fork))


def serve_rows(rows, settings, answered, uncapturable, pipe):
    """Times rows until one of them spoils this process; what it says goes into the pipe."""
    with os.fdopen(pipe, "w") as out:

        def tell(message):
            out.write(json.dumps(message) + "\n")
            out.flush()

        gc.freeze()  # a capture begins with a collection: let it be short
        torch.cuda.set_device(settings["device"])
        timer = Timer(settings["device"], settings["seconds"])
        with torch.no_grad():
            for row in rows:
                if time.monotonic() > settings["deadline"]:
                    return
                try:
                    RowTimer(timer, row, answered, uncapturable, tell).run()
                except CannotCapture:
                    return
                tell({"finished": row["shape"]})
                torch.cuda.empty_cache()


def run_operator(rows, settings, out):
    pending, answered, uncapturable = list(rows), set(), set()
    while pending:
        if time.monotonic() > settings["deadline"]:
            return
        reading, writing = os.pipe()
        pid = forked(lambda: serve_rows(pending, settings, answered, uncapturable, writing))
        os.close(writing)
        progress = False
        with os.fdopen(reading) as lines:
            for line in lines:
                message = json.loads(line)
                if "finished" in message:
                    pending = [row for row in pending if row["shape"] != message["finished"]]
                    progress = True
                elif "uncapturable" in message:
                    uncapturable.add(tuple(message["uncapturable"]))
                    progress = True
                else:
                    answered.add((message["shape"], message["rival"]))
                    out.tell(message)
                    progress = True
        status = os.waitpid(pid, 0)[1]
        if not progress and pending and time.monotonic() <= settings["deadline"]:
            skip(pending.pop(0), f"its process ended with status {status}", out)


def skip(row, why, out):
    head = {"operator": row["operator"], "shape": row["shape"]}
    out.tell({**head, "rival": "torch", "skipped": why})


def compile_ahead(rows, settings):
    """Fills the compiler's cache on all cores, before anything is timed."""
    workers = max(1, min(12, (os.cpu_count() or 2) - 2))

    def compile_share(share):
        torch.cuda.set_device(settings["device"])
        with torch.no_grad():
            for row in share:
                try:
                    shapes = case_of(row, "meta").inputs
                    needed = sum(x.numel() * x.element_size() for x in shapes)
                    if needed > LARGEST_COMPILED_AHEAD_BYTES:
                        continue
                    case = case_of(row, "cuda")
                    if isinstance(case.rivals["torch_compiled"], Skip):
                        continue
                    compiled_function(case.rivals["torch_compiled"])(*case.inputs)
                    torch.cuda.synchronize()
                except Exception as error:  # said again, to the reader, when it is timed
                    if "CUDA error" in str(error):
                        return

    ending = min(settings["deadline"], time.monotonic() + settings["compile_seconds"])
    running = {forked(lambda i=i: compile_share(rows[i::workers])) for i in range(workers)}
    while running and time.monotonic() < ending:
        running -= {pid for pid in running if os.waitpid(pid, os.WNOHANG)[0] == pid}
        time.sleep(0.05)
    for pid in running:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    for folder, _, files in os.walk(os.environ["TORCHINDUCTOR_CACHE_DIR"]):
        for name in files:  # what was tuned while the GPU was busy must be tuned again
            if name.endswith(".best_config"):
                os.remove(os.path.join(folder, name))


def main():
    out = Out()
    document = json.load(sys.stdin)
    rows = document["rows"]
    limit = document.get("limit_seconds") or 1e9
    settings = {
        "device": document.get("device", 0),
        "seconds": document.get("seconds", 0.3),
        "deadline": time.monotonic() + limit,
        "compile_seconds": min(150.0, limit / 3),
    }
    if DRY:
        for row in rows:
            known = row["operator"] in OPERATORS
            skip(row, "a dry run" if known else "no such operator here", out)
        return 0

    def use_gpu():
        torch.cuda.set_device(settings["device"])
        torch.zeros(1, device="cuda").sum().item()

    if not ended_well(forked(use_gpu)):
        out.tell({"error": f"torch {torch.__version__} cannot use GPU {settings['device']}"})
        return NO_TORCH
    if can_fork_with_compiler(settings["device"]):
        import_compiler()
    compile_ahead(rows, settings)
    by_operator = {}
    for row in rows:
        by_operator.setdefault(row["operator"], []).append(row)
    for group in by_operator.values():
        run_operator(group, settings, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
