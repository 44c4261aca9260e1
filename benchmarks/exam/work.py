"""What a step works on, what it launches, and how long each piece takes [us]."""
from dataclasses import dataclass, replace

import kernel_names as names

HIDDEN, HEAD, HEADS, VOCABULARY = 4096, 128, 32, 128256


@dataclass(frozen=True)
class Step:
    phase: str
    sequences: int
    tokens: int
    context: int            # tokens that a sequence attends to
    generated: tuple        # sequences, tokens
    prompt: tuple           # sequences, tokens
    longest: int            # new tokens of the longest sequence
    rng: object = None      # draws of this step: the load of experts


@dataclass(frozen=True)
class Kernel:
    family: str
    name: str
    us: float
    ops: tuple = ()         # (name, shapes, values), the outermost first
    grid: tuple = (1, 1, 1)
    api: str = "cudaLaunchKernel"
    elements: int = 0       # of a collective
    stream: int = 7
    joins: bool = False     # waits for all streams


@dataclass(frozen=True)
class Copy:
    direction: str          # HtoD or DtoH
    bytes: int
    op: str


@dataclass(frozen=True)
class Wait:
    us: float = 0           # longer than the device needs, as when another thread is waited for


@dataclass(frozen=True)
class Graph:
    kernels: tuple


def decode(sequences=32, context=600, drafted=1):
    tokens = sequences * drafted
    return Step("decode", sequences, tokens, context, (sequences, tokens), (0, 0), drafted)


def prefill(tokens=1024, sequences=2, cached=0):
    each = tokens // sequences
    return Step("prefill", sequences, tokens, each + cached, (0, 0), (sequences, tokens), each)


def mixed(sequences=24, chunk=256, prompts=1, context=600):
    return Step("mixed", sequences + prompts, sequences + chunk, context, (sequences, sequences), (prompts, chunk),
                chunk // prompts)


def blocks(count, size):
    return -(-count // size)


def product_us(tokens, weight=1.0):
    return (14 + 0.06 * tokens) * weight


def attention_us(step):
    generated = 0 if step.phase == "prefill" else step.generated[1]
    keys = step.context if step.phase == "prefill" else step.prompt[1]
    return 4 + 2e-4 * generated * step.context + 4e-5 * step.prompt[1] * keys


def small_us(step, weight=1.0):
    """A kernel that reads the hidden state once."""
    return (2.2 + 0.004 * step.tokens) * weight


def op(name, *shapes, values=None):
    return name, list(shapes), list(values) if values else [""] * len(shapes)


def product(rows, columns, inner, which, weight, shapes=True, name=None):
    tile = 32 if rows <= 64 else 128
    ops = (op("aten::linear", [rows, inner], [columns, inner], []), op("aten::t", [columns, inner]),
           op("aten::mm", [rows, inner], [inner, columns])) if shapes else ()
    return Kernel("gemm", name or names.product(rows, which), product_us(rows, weight), ops,
                  (blocks(columns, 128), blocks(rows, tile), 1), "cuLaunchKernelEx")


def elementwise(step, functor="CUDAFunctor_add", name="aten::add", weight=1.0, shape=None):
    shape = shape or [step.tokens, HIDDEN]
    return Kernel("elem", names.elementwise(functor), small_us(step, weight), (op(name, shape, shape),),
                  (max(1, step.tokens * HIDDEN // 1024), 1, 1))


def results(sequences):
    """The tokens go to the host, which waits for them."""
    return [Copy("DtoH", 8 * sequences, "aten::to"), Wait()]


def argmax(rows, us, shape=None):
    ops = (op("aten::argmax", shape, [], [], values=("", "-1", "False")),) if shape else ()
    return Kernel("sample", names.ARGMAX, us, ops, (rows, 1, 1))


def on_stream(items, stream):
    return [replace(item, stream=stream) if isinstance(item, Kernel) else item for item in items]


def as_graph(items):
    """Everything but copies and waits in one graph launch."""
    before = [item for item in items if isinstance(item, Copy) and item.direction == "HtoD"]
    kernels = tuple(item for item in items if isinstance(item, Kernel))
    after = [item for item in items if not isinstance(item, Kernel) and item not in before]
    return [*before, Graph(kernels), *after]
