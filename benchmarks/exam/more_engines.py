"""More engines: models that do not generate, quantised and adapted models, two streams. And the table of all."""
from dataclasses import dataclass, replace
from typing import Callable

import kernel_names as names
from engines import eager, note_sglang, note_vllm, note_vllm_long, packed, sglang, vllm, vllm_graph
from work import (HEADS, HIDDEN, VOCABULARY, Copy, Kernel, argmax, as_graph, attention_us, blocks, elementwise,
                  on_stream, op, product, product_us, results, small_us)


def image(step, layers=10):
    """A convolutional network with an argmax and an upsampling, as a detector has them."""
    batch = step.sequences
    items = [Copy("HtoD", batch * 3 * 224 * 224 * 4, "aten::copy_")]
    for layer in range(layers):
        channels = 64 << (layer // 3)
        picture, filters = [batch, channels, 56, 56], [channels, channels, 3, 3]
        items += [
            Kernel("conv", names.CONV, 34 + batch * 0.4,
                   (op("aten::conv2d", picture, filters, []), op("aten::cudnn_convolution", picture, filters)),
                   (batch * 4, 2, 1)),
            Kernel("norm", names.BATCH_NORM, 9 + batch * 0.05, (op("aten::batch_norm", picture, *[[channels]] * 4),),
                   (batch * 8, 1, 1)),
            elementwise(replace(step, tokens=batch * 4), "clamp_scalar", "aten::relu_", shape=picture)]
        if layer == 6:
            items.append(Kernel("elem", names.UPSAMPLE, 12.0,
                                (op("aten::upsample_nearest2d", [batch, channels, 28, 28]),), (batch * 8, 1, 1)))
    return [*items, product(batch, 1000, 2048, 1, 0.5), argmax(batch, 5.0, [batch, 1000]), *results(batch)]


def encoder(step, layers=6, query=128):
    """A classifier: all tokens at once, nothing generated."""
    batch, tokens = step.sequences, step.sequences * query
    wide = replace(step, tokens=tokens)
    items = [Copy("HtoD", 8 * tokens, "aten::copy_"),
             Kernel("elem", names.GATHER, small_us(wide), (op("aten::embedding", [30522, 768], [batch, query]),),
                    (tokens, 1, 1))]
    heads = [batch, 12, query, 64]
    for _ in range(layers):
        for columns, inner, which, weight in ((2304, 768, 0, 0.5), (768, 768, 1, 0.3), (3072, 768, 0, 0.7),
                                              (768, 3072, 1, 0.6)):
            items.append(replace(product(tokens, columns, inner, which, weight), ops=(
                op("aten::linear", [batch, query, inner], [columns, inner], [columns]),
                op("aten::addmm", [columns], [tokens, inner], [inner, columns], [], []))))
            if columns == 2304:
                items.append(Kernel("attn", names.FMHA, 24.0, (
                    op("aten::scaled_dot_product_attention", heads, heads, heads, [batch, 1, query, query]),),
                    (2, 12, batch)))
        items.append(Kernel("norm", names.LAYER_NORM, small_us(wide, 0.5),
                            (op("aten::layer_norm", [batch, query, 768], [], [768], [768]),), (tokens, 1, 1)))
    return [*items, product(batch, 2, 768, 1, 0.4),
            Kernel("sample", names.SOFTMAX_SMALL, 2.6,
                   (op("aten::softmax", [batch, 2], [], [], values=("", "-1", "")),)),
            *results(batch)]


def fp8_body(step, size, known):
    """Each product of 8-bit numbers is preceded by its quantisation."""
    tokens, (columns, inner, which, weight) = step.tokens, size
    return [Kernel("quant", names.VLLM_QUANT, small_us(step, 0.9),
                   known(op("_C::dynamic_per_token_scaled_fp8_quant", [tokens, inner], [tokens, inner], [tokens, 1],
                            [])),
                   (tokens, 1, 1)),
            Kernel("gemm", names.CUTLASS_FP8 % (which + 4), 0.6 * product_us(tokens, weight),
                   known(op("_C::cutlass_scaled_mm", [tokens, columns], [tokens, inner], [inner, columns], [tokens, 1],
                            [columns, 1], [])), (blocks(columns, 128), blocks(tokens, 64), 1), "cudaLaunchKernelExC")]


def lora_body(step, size, known):
    """Adapters of rank 16 beside each product."""
    tokens, (columns, inner, which, weight) = step.tokens, size
    return [product(tokens, columns, inner, which, weight, bool(known(0))),
            Kernel("lora", names.LORA_SHRINK, 5 + 0.01 * tokens,
                   known(op("vllm::lora_shrink", [tokens, inner], [4, 16, inner], [1, tokens, 16])),
                   (blocks(tokens, 32) * 8, 1, 4), "cuLaunchKernel"),
            Kernel("lora", names.LORA_EXPAND, 4 + 0.01 * tokens,
                   known(op("vllm::lora_expand", [1, tokens, 16], [4, columns, 16], [tokens, columns])),
                   (blocks(columns, 128), blocks(tokens, 32), 4), "cuLaunchKernel")]


def state_space(step, layers=8):
    """A state-space model: no attention at all."""
    tokens, batch = step.tokens, step.sequences
    items = [Kernel("elem", names.GATHER, small_us(step), (op("aten::embedding", [VOCABULARY, HIDDEN], [tokens]),),
                    (tokens, 4, 1))]
    for _ in range(layers):
        items += [
            Kernel("norm", names.VLLM_NORM, small_us(step, 1.1),
                   (op("_C::fused_add_rms_norm", [tokens, HIDDEN], [tokens, HIDDEN], [HIDDEN], []),), (tokens, 1, 1)),
            product(tokens, 16768, HIDDEN, 0, 1.4),
            Kernel("conv", names.CONV_UPDATE, small_us(step, 1.4), (), (batch, 32, 1), "cuLaunchKernel"),
            Kernel("scan", names.SCAN_UPDATE, 11 + 0.3 * tokens, (), (16, batch, 128), "cuLaunchKernel"),
            product(tokens, HIDDEN, 8192, 1, 1.0)]
    return [*items, product(batch, VOCABULARY, HIDDEN, 0, 2.5), argmax(batch, 6 + batch * 0.1, [batch, VOCABULARY]),
            *results(batch)]


def ggml(step, layers=8):
    """llama.cpp: quantised weights, no framework above the launches."""
    tokens = step.tokens
    vector = names.GGML_VEC % min(tokens, 8) if tokens <= 8 else names.GGML_MAT

    def matrix(weight, columns):
        return [Kernel("quant", names.GGML_QUANT, small_us(step, 0.7), (), (4, tokens, 1)),
                Kernel("gemm", vector, 0.8 * product_us(tokens, weight), (), (columns, 1, 1))]

    norm = Kernel("norm", names.GGML_NORM, small_us(step), (), (tokens, 1, 1))
    add = Kernel("elem", names.GGML_ADD, small_us(step, 0.8), (), (tokens * 4, 1, 1))
    items = []
    for _ in range(layers):
        items += [norm, *matrix(1.0, 6144), Kernel("rope", names.GGML_ROPE, small_us(step, 0.8), (), (tokens, 32, 1)),
                  Kernel("attn", names.GGML_FLASH, attention_us(step), (), (1, 4, HEADS)), *matrix(0.8, 4096), add,
                  norm,
                  *matrix(1.6, 28672), Kernel("act", names.GGML_SILU, small_us(step, 1.2), (), (tokens * 14, 1, 1)),
                  *matrix(1.2, 4096), add]
    return [*items, norm, *matrix(2.5, VOCABULARY), *results(4 * VOCABULARY)]


def ggml_sampled(step):
    """The same with the tokens chosen on the device."""
    return [*ggml(step)[:-2], argmax(step.sequences, 6.0), *results(step.sequences)]


def two_streams(step, layers=6):
    """Two halves of the batch on two streams that overlap; sampling waits for both."""
    half = step.sequences // 2
    part = replace(step, sequences=half, tokens=half, generated=(half, half))
    body = [item for item in vllm(part, layers) if isinstance(item, Kernel)][:-3]
    halves = zip(on_stream(body, 7), on_stream(body, 20))
    tail = [item for item in vllm(step, 0) if isinstance(item, Kernel)][1:]
    return [Copy("HtoD", 4 * step.tokens, "aten::copy_"), *[item for pair in halves for item in pair],
            *[replace(item, joins=True) for item in tail], *results(step.sequences)]


@dataclass(frozen=True)
class Engine:
    program: Callable           # step -> pieces
    note: Callable = None       # step, index -> annotation around the step
    cpu: bool = True            # framework ops are recorded
    amd: bool = False
    stage: Callable = None      # step, rank, number of ranks -> pieces, where ranks do different work


ENGINES = {
    "eager": Engine(eager),
    "packed": Engine(packed),
    "graph": Engine(lambda step: as_graph(eager(step))),
    "vgraph": Engine(vllm_graph, note_vllm_long),
    "cudaonly": Engine(lambda step: packed(step, shapes=False), cpu=False),
    "vllm": Engine(vllm, note_vllm),
    "vllm_ns": Engine(lambda step: vllm(step, shapes=False), note_vllm),
    "vllm_bare": Engine(vllm),
    "vllm_long": Engine(vllm, note_vllm_long),
    "sglang": Engine(sglang, note_sglang),
    "tp": Engine(lambda step: vllm(step, 4, tensor_parallel=True), note_vllm),
    "moe": Engine(lambda step: vllm(step, experts=True), note_vllm),
    "moe_tp": Engine(lambda step: vllm(step, 4, experts=True, tensor_parallel=True), note_vllm),
    "amd": Engine(lambda step: sglang(step, amd=True), note_sglang, amd=True),
    "image": Engine(image),
    "bert": Engine(encoder),
    "fp8": Engine(lambda step: vllm(step, body=fp8_body), note_vllm),
    "lora": Engine(lambda step: vllm(step, body=lora_body), note_vllm),
    "mamba": Engine(state_space),
    "ggml": Engine(ggml, cpu=False),
    "ggml_sampled": Engine(ggml_sampled, cpu=False),
    "streams": Engine(two_streams, note_vllm),
    "profiler": Engine(eager, lambda step, index: f"ProfilerStep#{index + 3}"),
    "ranges": Engine(lambda step: packed(step, shapes=False), lambda step, index: f"forward {index}", cpu=False),
    "eager2": Engine(lambda step: eager(step, 2)),
    "packed3": Engine(lambda step: packed(step, 3)),
    # fewer layers and no shapes: for the many pairs with nothing changed
    "lite_vgraph": Engine(lambda step: as_graph(vllm(step, 3)), note_vllm_long),
    "lite_vllm": Engine(lambda step: vllm(step, 3, False), note_vllm),
    "lite_sglang": Engine(lambda step: sglang(step, 3), note_sglang),
    "lite_moe": Engine(lambda step: vllm(step, 3, False, True), note_vllm),
    "lite_amd": Engine(lambda step: sglang(step, 3, True), note_sglang, amd=True),
    "lite_fp8": Engine(lambda step: vllm(step, 3, False, body=fp8_body), note_vllm),
    "lite_lora": Engine(lambda step: vllm(step, 3, False, body=lora_body), note_vllm),
}
