"""Engines of the third set. Kernels are as long as those of large models: a decode step takes some milliseconds."""
from dataclasses import replace

import kernel_names as names
import third_names as more
from engines import all_reduce, note_sglang, note_vllm, note_vllm_long, sglang, vllm
from more_engines import ENGINES, Engine
from work import (HEAD, HEADS, HIDDEN, VOCABULARY, Copy, Graph, Kernel, argmax, as_graph, attention_us, blocks,
                  elementwise, op, prefill, product, product_us, results, small_us)

PACE = 10.0     # one layer here stands for ten
SIZES = ((6144, HIDDEN, 0, 1.0), (HIDDEN, HIDDEN, 1, 0.8), (28672, HIDDEN, 0, 1.6), (HIDDEN, 14336, 1, 1.2))


def slower(item, factor=PACE):
    if isinstance(item, Kernel):
        return replace(item, us=item.us * factor)
    return Graph(tuple(slower(kernel, factor) for kernel in item.kernels)) if isinstance(item, Graph) else item


def paced(program, factor=PACE):
    return lambda step: [slower(item, factor) for item in program(step)]


def plain(family, name, us, grid, api="cudaLaunchKernel"):
    """A kernel that no framework op stands above."""
    return Kernel(family, name, us, (), grid, api)


def trtllm(step, layers=4):
    """TensorRT-LLM: prompts and generated tokens of one step go through different attention kernels."""
    tokens, batch = step.tokens, step.sequences
    gemm = more.TRT_GEMM % (32 if tokens <= 64 else 128 if tokens <= 512 else 256)

    def matrix(weight, columns):
        return plain("gemm", gemm, product_us(tokens, weight), (blocks(columns, 64), blocks(tokens, 128), 1),
                     "cuLaunchKernelEx")

    attention = []
    if step.prompt[0]:
        attention.append(plain("attn", more.TRT_CONTEXT, 4 + 4e-5 * step.prompt[1] * step.longest,
                               (blocks(step.longest, 64), HEADS, step.prompt[0]), "cuLaunchKernelEx"))
    if step.generated[0]:
        attention.append(plain("attn", more.TRT_MMHA, 4 + 2e-4 * step.generated[1] * step.context,
                               (HEADS, step.generated[0], 1)))
    norm = plain("norm", more.TRT_NORM, small_us(step, 1.1), (tokens, 1, 1))
    items = [Copy("HtoD", 8 * tokens, "")]
    for _ in range(layers):
        items += [norm, matrix(1.0, 6144),
                  plain("rope", more.TRT_ROPE, small_us(step, 1.2), (blocks(tokens, 8), HEADS, 1)), *attention,
                  matrix(0.8, HIDDEN), norm, matrix(1.6, 28672),
                  plain("act", more.TRT_ACT, small_us(step, 1.3), (tokens, 1, 1)), matrix(1.2, HIDDEN)]
    return [*items, norm, plain("gemm", gemm, product_us(batch, 2.5), (blocks(VOCABULARY, 64), blocks(batch, 128), 1)),
            plain("sample", more.TRT_PENALTY, 5.0, (batch, 1, 1)), plain("sample", more.TRT_TOPK, 6.0, (batch, 1, 1)),
            *results(batch)]


def xla(step, layers=4, unrolled=True):
    """JAX: fusions with numbers. A prompt is another program with numbers of its own."""
    tokens, batch = step.tokens, step.sequences
    base = 400 if step.phase == "prefill" else 0
    items = []
    for layer in range(layers):
        first = base + (12 * layer if unrolled else 0)
        for place, weight in enumerate((1.0, 0.8, 1.6, 1.2)):
            number = first + 3 * place
            items.append(plain("norm" if place in (0, 2) else "elem",
                               (more.XLA_REDUCE if place in (0, 2) else more.XLA_LOOP) % number, small_us(step, 1.4),
                               (max(1, tokens // 4), 1, 1), "cuLaunchKernel"))
            items.append(plain("gemm", more.XLA_DOT % (number + 1), product_us(tokens, weight),
                               (blocks(tokens, 64) * 48, 1, 1), "cuLaunchKernel"))
            if place == 0:
                items.append(plain("attn", more.XLA_ATTENTION % (number + 2), attention_us(step),
                                   (blocks(step.longest, 128), HEADS, batch), "cuLaunchKernelEx"))
    return [*items, plain("gemm", more.XLA_DOT % (base + 300), product_us(batch, 2.5), (1002, 1, 1), "cuLaunchKernel"),
            plain("sample", more.XLA_SAMPLE, 6 + batch * 0.1, (batch, 1, 1), "cuLaunchKernel"), *results(batch)]


def onnx(step, layers=4):
    """ONNX Runtime: one kernel per node, logits go to the host."""
    tokens, batch = step.tokens, step.sequences
    gemm = more.ORT_GEMM % (64 if tokens <= 64 else 256)
    norm = plain("norm", more.ORT_NORM, small_us(step, 1.1), (tokens, 1, 1))
    rope = plain("rope", more.ORT_ROPE, small_us(step), (tokens, 1, HEADS))

    def matrix(weight, columns):
        return plain("gemm", gemm, product_us(tokens, weight), (blocks(columns, 64), blocks(tokens, 64), 1))

    items = [Copy("HtoD", 16 * tokens, ""), plain("elem", more.ORT_GATHER, small_us(step), (tokens * 8, 1, 1))]
    for _ in range(layers):
        items += [norm, matrix(0.6, 4096), matrix(0.3, 1024), matrix(0.3, 1024), rope, rope,
                  plain("attn", more.ORT_FLASH, attention_us(step), (1, 4, batch * HEADS)), matrix(0.8, 4096), norm,
                  matrix(0.8, 14336), plain("act", more.ORT_SIGMOID, small_us(step), (tokens * 14, 1, 1)),
                  plain("elem", more.ORT_MUL, small_us(step), (tokens * 14, 1, 1)), matrix(0.8, 14336),
                  matrix(1.2, 4096)]
    return [*items, matrix(2.5, VOCABULARY), plain("sample", more.ORT_TOPK, 9.0, (batch, 1, 1)), *results(40 * batch)]


def encoder_layers(tokens, batch, layers, weight=0.35, width=1280):
    """Layers of a picture or sound encoder, with shapes."""
    wide = replace(prefill(max(tokens, 2), 1), tokens=tokens)
    rows = [batch, tokens // batch]
    items = []
    for _ in range(layers):
        items.append(Kernel("norm", names.LAYER_NORM, small_us(wide, 0.5),
                            (op("aten::layer_norm", [*rows, width], [], [width], [width]),), (tokens, 1, 1)))
        for columns, inner, which in ((3 * width, width, 0), (width, width, 1), (4 * width, width, 0),
                                      (width, 4 * width, 1)):
            items.append(replace(product(tokens, columns, inner, which, weight), ops=(
                op("aten::linear", [*rows, inner], [columns, inner], [columns]),
                op("aten::addmm", [columns], [tokens, inner], [inner, columns], [], []))))
            if columns == 3 * width:
                heads = [batch, 20, tokens // batch, 64]
                items.append(Kernel("attn", names.FMHA, 10 + 3e-6 * tokens * tokens / batch, (
                    op("aten::scaled_dot_product_attention", heads, heads, heads),), (4, 20, batch)))
            if columns == 4 * width:
                items.append(elementwise(wide, more.GELU, "aten::gelu", 0.8, [*rows, columns]))
    return items


def embedder(step, layers=4):
    """An embedding server: texts go through once, the mean of each comes out."""
    batch, tokens = step.sequences, step.tokens
    return [Copy("HtoD", 8 * tokens, "aten::copy_"), *encoder_layers(tokens, batch, layers),
            Kernel("elem", names.MEAN, 4 + 0.01 * tokens,
                   (op("aten::mean", [batch, tokens // batch, 1280], [], [], []),), (batch, 1, 1)),
            *results(batch * 640)]


def pictures_first(step):
    """A vision-language model: the encoder runs in front of prompts that have pictures."""
    if not step.prompt[0]:
        return vllm(step, 4)
    patches = 576 * step.prompt[0]
    return [Kernel("conv", more.PATCHES, 30.0, (op("aten::conv2d", [step.prompt[0], 3, 336, 336], [1280, 3, 14, 14]),),
                   (72, 10, 1)), *encoder_layers(patches, step.prompt[0], 3), *vllm(step, 4)]


def whisper(step, layers=3):
    """Encoder and decoder: the sound goes through the encoder once, every decoder layer attends to it."""
    batch, tokens = step.sequences, step.tokens
    sound = encoder_layers(1500 * batch, batch, 2) if step.prompt[0] else []
    hidden, query = [batch, tokens // batch, 1280], tokens // batch
    items = []
    for _ in range(layers):
        for keys in (step.context, 1500):
            heads = [batch, 20, query, 64]
            items += [Kernel("norm", names.LAYER_NORM, small_us(step),
                             (op("aten::layer_norm", hidden, [], [1280], [1280]),), (tokens, 1, 1)),
                      replace(product(tokens, 3840, 1280, 0, 0.5), ops=(
                          op("aten::linear", hidden, [3840, 1280], [3840]),
                          op("aten::addmm", [3840], [tokens, 1280], [1280, 3840], [], []))),
                      Kernel("attn", names.FMHA, 4 + 1e-4 * tokens * keys, (
                          op("aten::scaled_dot_product_attention", heads, [batch, 20, keys, 64],
                             [batch, 20, keys, 64]),), (1, 20, batch))]
        items += [product(tokens, 5120, 1280, 0, 0.6), elementwise(step, more.GELU, "aten::gelu", 0.8),
                  product(tokens, 1280, 5120, 1, 0.6)]
    return [*sound, *items, product(tokens, 51866, 1280, 0, 1.2), argmax(batch, 6.0, [batch, 51866]), *results(batch)]


def marlin_body(step, size, known):
    """4-bit weights: one kernel per product, whatever its shape."""
    tokens, (columns, inner, _, weight) = step.tokens, size
    return [Kernel("gemm", more.MARLIN, 0.5 * product_us(tokens, weight),
                   known(op("_C::gptq_marlin_gemm", [tokens, inner], [], [inner // 16, columns * 2], [],
                            [inner // 128, columns], [], [], [], [1024], [], [], [])), (132, 1, 1))]


def deep_gemm_body(step, size, known):
    tokens, (columns, inner, _, weight) = step.tokens, size
    return [Kernel("quant", more.GROUP_QUANT, small_us(step, 0.9),
                   known(op("sgl_kernel::sgl_per_token_group_quant_8bit", [tokens, inner], [tokens, inner])),
                   (tokens, 1, 1)),
            Kernel("gemm", more.DEEP_GEMM % columns, 0.6 * product_us(tokens, weight), (), (132, 1, 1),
                   "cuLaunchKernelEx")]


def drafted(step, drafts=3):
    """Speculative decoding: a draft of one layer runs some times, then the model checks all drafts at once."""
    if not step.generated[0]:
        return vllm(step, 4)
    one = replace(step, tokens=step.sequences, generated=(step.sequences, step.sequences), longest=1)
    small = [slower(item, 0.3) for item in vllm(one, 1, False) if isinstance(item, Kernel)][1:]
    draft = [item for item in small if item.family != "sample"]
    tree = plain("elem", more.TREE, 4.0, (step.sequences, 1, 1))
    return [*[item for _ in range(drafts) for item in draft], tree, *vllm(step, 4)]


def recommender(step, tables=3):
    """Tables, an interaction and a small network: no layers that repeat, no tokens."""
    batch = step.sequences * 64
    items = [Copy("HtoD", batch * 400, "aten::copy_")]
    for table in range(tables):
        items.append(Kernel("elem", more.BAGS, 9 + batch * 0.004,
                            (op("fbgemm::split_embedding_codegen_lookup", [1000000 * (table + 1), 128], [batch * 20]),),
                            (batch * 4, 1, 1)))
    for rows, inner, which, weight in ((512, 13, 0, 0.4), (128, 512, 1, 0.4), (1024, 480, 0, 0.9), (512, 1024, 1, 0.7),
                                       (1, 512, 1, 0.3)):
        if rows == 1024:
            items.append(Kernel("elem", more.INTERACTION, 7 + batch * 0.003, (), (batch, 1, 1), "cuLaunchKernel"))
        items += [replace(product(batch, rows, inner, which, weight), us=(10 + 0.008 * batch) * weight, ops=(
            op("aten::linear", [batch, inner], [rows, inner], [rows]),
            op("aten::addmm", [rows], [batch, inner], [inner, rows], [], []))),
            elementwise(replace(step, tokens=batch // 64), "clamp_scalar", "aten::relu_", 0.7, [batch, rows])]
    return [*items, *results(batch // 2)]


def recurrent(step, layers=4):
    """Linear attention (RWKV): a state, and another kernel for prompts."""
    tokens = step.tokens
    kernel = more.RECURRENT if step.phase == "decode" else more.CHUNK
    items = [Kernel("elem", names.GATHER, small_us(step), (op("aten::embedding", [VOCABULARY, HIDDEN], [tokens]),),
                    (tokens, 4, 1))]
    for _ in range(layers):
        items += [Kernel("norm", names.LAYER_NORM, small_us(step),
                         (op("aten::layer_norm", [tokens, HIDDEN], [], [HIDDEN]),), (tokens, 1, 1)),
                  plain("elem", more.TOKEN_SHIFT, small_us(step), (tokens * 4, 1, 1), "cuLaunchKernel"),
                  product(tokens, 4 * HIDDEN, HIDDEN, 0, 1.4),
                  plain("scan", kernel, 9 + 0.25 * tokens, (2, step.sequences, HEADS), "cuLaunchKernel"),
                  product(tokens, HIDDEN, HIDDEN, 1, 0.8), product(tokens, 14336, HIDDEN, 0, 1.0),
                  elementwise(step, "BinaryFunctor", "aten::mul"), product(tokens, HIDDEN, 14336, 1, 1.0)]
    batch = step.sequences
    return [*items, product(batch, VOCABULARY, HIDDEN, 0, 2.5), argmax(batch, 6 + batch * 0.1, [batch, VOCABULARY]),
            *results(batch)]


def denoiser(step, layers=4):
    """A diffusion transformer: the same pass some thirty times, nothing generated token by token."""
    batch = max(1, step.sequences // 8)
    rows = 1024 * batch
    return [Copy("HtoD", 64, "aten::copy_"), *[slower(item, 0.25) for item in encoder_layers(rows, batch, layers)],
            Kernel("norm", more.GROUP_NORM, 9.0, (op("aten::group_norm", [batch, 16, 64, 64], [], [16], [16]),),
                   (batch * 16, 1, 1)),
            elementwise(step, "CUDAFunctor_add", "aten::add", 1.5, [batch, 16, 64, 64]), *results(64)]


def no_shapes(*_):
    return ()


def exchange(tokens, us, name=more.SEND_RECV):
    return Kernel("coll", name, us, (), (16, 1, 1), "cudaLaunchKernelExC", elements=max(1, tokens) * HIDDEN)


def stage(step, rank, world):
    """Pipeline stages: the first half of the layers, then the second one and the sampling."""
    kernels = [item for item in vllm(step, 2, False) if isinstance(item, Kernel)]
    body, head = kernels[1:-3], kernels[-3:]
    hidden, tokens = exchange(step.tokens, 6 + 0.02 * step.tokens), exchange(step.sequences, 5.0)
    mine = [*kernels[:1], *body, hidden, tokens] if rank == 0 else [hidden, *body, *head, tokens]
    return [Copy("HtoD", 4 * step.tokens, "aten::copy_"), *mine, *results(step.sequences)]


def experts_apart(step, layers=3):
    """Expert parallel: tokens travel to the ranks of their experts and back."""
    tokens = step.tokens
    load = 1 + 0.2 * (step.rng.random() - 0.5) if step.rng else 1.0
    body = [item for item in vllm(step, 1, False) if isinstance(item, Kernel)]
    attention, head = body[1:-6], body[-3:]
    there = exchange(tokens * 8, 9 + 0.05 * tokens)
    items = [Copy("HtoD", 4 * tokens, "aten::copy_"), body[0]]
    for _ in range(layers):
        items += [*attention, product(tokens, 64, HIDDEN, 1, 0.3, False, names.MOE_GATE), there,
                  plain("moe", more.PERMUTE, small_us(step, 1.2), (tokens * 8, 1, 1)),
                  plain("moe", more.GROUPED, (30 + 0.1 * tokens) * load, (132, 1, 1)),
                  plain("act", names.VLLM_ACT, small_us(step, 1.3), (tokens * 8, 1, 1)),
                  plain("moe", more.GROUPED, (18 + 0.1 * tokens) * load, (132, 1, 1)), there]
    return [*items, *head, *results(step.sequences)]


def tensor_parallel_trt(step):
    items, out = trtllm(step, 3), []
    for item in items:
        out.append(item)
        if isinstance(item, Kernel) and item.family == "gemm" and item.us in (product_us(step.tokens, 0.8),
                                                                               product_us(step.tokens, 1.2)):
            out.append(all_reduce(step.tokens, no_shapes))
    return out


def in_forward(step, index):
    return "TrtGptModelInflightBatching::forwardAsync"


THIRD_ENGINES = {
    "trtllm": Engine(paced(trtllm), cpu=False),
    "trtllm_nvtx": Engine(paced(trtllm), in_forward, cpu=False),
    "trtllm_graph": Engine(lambda step: as_graph(paced(trtllm)(step)), cpu=False),
    "trtllm_tp": Engine(paced(tensor_parallel_trt), cpu=False),
    "xla": Engine(paced(xla), cpu=False),
    "xla_scan": Engine(paced(lambda step: xla(step, unrolled=False)), cpu=False),
    "xla_graph": Engine(lambda step: as_graph(paced(xla)(step)), cpu=False),
    "onnx": Engine(paced(onnx), cpu=False),
    "embed": Engine(paced(embedder)),
    "vlm": Engine(paced(pictures_first), note_vllm),
    "whisper": Engine(paced(whisper)),
    "marlin": Engine(paced(lambda step: vllm(step, 4, body=marlin_body)), note_vllm),
    "deepgemm": Engine(paced(lambda step: vllm(step, 4, False, body=deep_gemm_body)), note_vllm_long),
    "spec": Engine(paced(drafted), note_vllm),
    "recommender": Engine(paced(recommender)),
    "recommender_steps": Engine(paced(recommender), lambda step, index: f"ProfilerStep#{index + 10}"),
    "rwkv": Engine(paced(recurrent)),
    "denoise": Engine(paced(denoiser)),
    "tiny2": Engine(paced(lambda step: vllm(step, 2, False), 16.0), note_vllm),
    "tiny3": Engine(paced(lambda step: vllm(step, 3), 14.0)),
    "chunked": Engine(paced(lambda step: vllm(step, 4, False)), note_vllm),
    "chunked_bare": Engine(paced(lambda step: vllm(step, 4))),
    "sgl": Engine(paced(lambda step: sglang(step, 4)), note_sglang),
    "pipeline": Engine(paced(lambda step: stage(step, 0, 2)), note_vllm,
                       stage=lambda step, rank, world: [slower(item) for item in stage(step, rank, world)]),
    "experts": Engine(paced(experts_apart), note_vllm),
}
ENGINES.update(THIRD_ENGINES)
