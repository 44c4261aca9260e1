"""Engines: what one step of each launches. Every function returns the pieces in order of launch."""
from dataclasses import replace

import kernel_names as names
from work import (HEAD, HEADS, HIDDEN, VOCABULARY, Copy, Kernel, argmax, as_graph, attention_us, blocks,
                  elementwise, op, product, product_us, results, small_us)


def eager(step, layers=6):
    """transformers, eager: batch and query length are two dimensions."""
    batch, query, tokens, keys = step.sequences, step.tokens // step.sequences, step.tokens, step.context
    hidden = [batch, query, HIDDEN]
    items = [Kernel("elem", names.GATHER, small_us(step),
                    (op("aten::embedding", [VOCABULARY, HIDDEN], [batch, query]),), (tokens, 4, 1))]
    flash = names.FLASH_SPLIT if query == 1 else names.FLASH_TORCH
    causal = str(query > 1)
    attention_ops = (
        op("aten::scaled_dot_product_attention", [batch, HEADS, query, HEAD], [batch, HEADS, keys, HEAD],
           [batch, HEADS, keys, HEAD], [], [], [], [], values=("", "", "", "", "0.", causal, "")),
        op("aten::_flash_attention_forward", [batch, query, HEADS, HEAD], [batch, keys, HEADS, HEAD],
           [batch, keys, HEADS, HEAD], [], [], [], [], [], [], [],
           values=("", "", "", "", "", str(query), str(keys), "0.", causal, "False")))
    for _ in range(layers):
        items += [
            Kernel("norm", names.MEAN, small_us(step, 1.3),
                   (op("aten::mean", hidden, [], [], [], values=("", "[-1]", "True", "")),), (blocks(tokens, 4), 1, 1)),
            elementwise(step, "BinaryFunctor", "aten::mul", shape=hidden),
            replace(product(tokens, 6144, HIDDEN, 0, 1.0), ops=(
                op("aten::linear", hidden, [6144, HIDDEN], []), op("aten::matmul", hidden, [HIDDEN, 6144]),
                op("aten::mm", [tokens, HIDDEN], [HIDDEN, 6144]))),
            Kernel("elem", names.CAT, 3 + batch * keys * 1e-4, (op("aten::cat", [], [], values=("", "2")),),
                   (batch * 8, 2, 1)),
            Kernel("attn", flash, attention_us(step), attention_ops, (blocks(query, 128), batch, HEADS)),
            product(tokens, HIDDEN, HIDDEN, 1, 0.8), elementwise(step),
            product(tokens, 28672, HIDDEN, 0, 1.6), elementwise(step, "BinaryFunctor", "aten::mul"),
            product(tokens, HIDDEN, 14336, 1, 1.2), elementwise(step)]
    return [*items, product(batch, VOCABULARY, HIDDEN, 0, 2.5), argmax(batch, 6 + batch * 0.1, [batch, VOCABULARY]),
            *results(batch)]


def packed(step, layers=6, shapes=True):
    """Continuous batching in one packed row: the same attention kernel for prefill and decode, logits everywhere."""
    batch, tokens = step.sequences, step.tokens
    keys = step.generated[0] * step.context + step.prompt[1]

    def known(*ops):
        return ops if shapes else ()

    def triton(family, name, weight, grid, *dims):
        return Kernel(family, name, small_us(step, weight), known(op(name, *dims)), grid, "cuLaunchKernel")

    attention = op("flash_attn::_flash_attn_varlen_forward", [tokens, HEADS, HEAD], [keys, 8, HEAD], [keys, 8, HEAD],
                   [batch + 1], [batch + 1], [], [], [], [], [], [], [], [], [], [],
                   values=("", "", "", "", "", str(step.longest), str(step.context), "0.", "0.08838834764831845",
                           "True", "-1", "-1", "0.", "", "False"))
    items = [Kernel("elem", names.GATHER, small_us(step),
                    known(op("aten::embedding", [VOCABULARY, HIDDEN], [1, tokens])), (tokens, 4, 1))]
    for _ in range(layers):
        items += [
            triton("norm", names.TRITON_NORM % 0, 1.2, (tokens, 1, 1), [1, tokens, HIDDEN], [HIDDEN]),
            product(tokens, 6144, HIDDEN, 0, 1.0, shapes),
            Kernel("kv", names.INDEX_COPY, small_us(step, 0.8),
                   known(op("aten::index_copy_", [65536, 8, HEAD], [], [tokens], [tokens, 8, HEAD],
                            values=("", "0", "", ""))), (tokens * 2, 1, 1)),
            Kernel("attn", names.FLASH_PACKED, attention_us(step), known(attention),
                   (blocks(step.longest, 128), batch, HEADS)),
            product(tokens, HIDDEN, HIDDEN, 1, 0.8, shapes),
            triton("norm", names.TRITON_NORM % 1, 1.2, (tokens, 1, 1), [1, tokens, HIDDEN], [HIDDEN]),
            product(tokens, 28672, HIDDEN, 0, 1.6, shapes),
            triton("act", names.TRITON_SILU, 1.5, (tokens * 14, 1, 1), [1, tokens, 28672]),
            product(tokens, HIDDEN, 14336, 1, 1.2, shapes)]
    return [*items, product(tokens, VOCABULARY, HIDDEN, 0, 2.5, shapes),
            argmax(tokens, 6 + tokens * 0.05, [1, tokens, VOCABULARY] if shapes else None), *results(tokens)]


def vllm(step, layers=6, shapes=True, experts=False, tensor_parallel=False, body=None):
    """vLLM with FlashAttention 3. `body(step, known)` replaces the products of a layer."""
    batch, tokens = step.sequences, step.tokens

    def known(*ops):
        return ops if shapes else ()

    items = [Copy("HtoD", 4 * tokens, "aten::copy_"),
             Kernel("elem", names.GATHER, small_us(step), known(op("aten::embedding", [VOCABULARY, HIDDEN], [tokens])),
                    (tokens, 4, 1))]
    norm = Kernel("norm", names.VLLM_NORM, small_us(step, 1.1),
                  known(op("_C::fused_add_rms_norm", [tokens, HIDDEN], [tokens, HIDDEN], [HIDDEN], [],
                           values=("", "", "", "1e-05"))), (tokens, 1, 1))
    rope = Kernel("rope", names.VLLM_ROPE, small_us(step),
                  known(op("_C::rotary_embedding", [tokens], [tokens, HIDDEN], [tokens, 1024], [], [131072, HEAD], [],
                           values=("", "", "", "128", "", "True"))), (tokens, 1, 1))
    store = Kernel("kv", names.VLLM_CACHE, small_us(step, 0.9),
                   known(op("_C_cache_ops::reshape_and_cache_flash", [tokens, 8, HEAD], [tokens, 8, HEAD],
                            [32768, 16, 8, HEAD], [32768, 16, 8, HEAD], [tokens], [], [], [])), (tokens, 1, 1))
    attention = Kernel("attn", names.FLASH_HOPPER, attention_us(step), known(
        op("vllm::unified_attention_with_output", [tokens, HEADS, HEAD], [tokens, 8, HEAD], [tokens, 8, HEAD],
           [tokens, HEADS, HEAD], [], [], []),
        op("_vllm_fa3_C::fwd", [tokens, HEADS, HEAD], [32768, 16, 8, HEAD], [32768, 16, 8, HEAD], [], [], [],
           [tokens, HEADS, HEAD], [batch + 1], [], [], [], [batch], [batch, 256])), (132, 1, 1))
    act = Kernel("act", names.VLLM_ACT, small_us(step, 1.3),
                 known(op("_C::silu_and_mul", [tokens, 14336], [tokens, 28672])), (tokens, 1, 1))
    reduce = [all_reduce(tokens, known)] if tensor_parallel else []
    sizes = ((6144, HIDDEN, 0, 1.0), (HIDDEN, HIDDEN, 1, 0.8), (28672, HIDDEN, 0, 1.6), (HIDDEN, 14336, 1, 1.2))
    for _ in range(layers):
        qkv, out, up, down = (body(step, size, known) if body else [product(tokens, *size, shapes)] for size in sizes)
        feed_forward = mixture(step, known, shapes) if experts else [*up, act, *down]
        items += [norm, *qkv, rope, store, attention, *out, *reduce, norm, *feed_forward, *reduce]
    rows = tokens if step.phase == "decode" else batch
    return [*items, product(rows, VOCABULARY, HIDDEN, 0, 2.5, shapes),
            Kernel("sample", names.SOFTMAX, 5 + batch * 0.15,
                   known(op("aten::softmax", [batch, VOCABULARY], [], [], values=("", "-1", ""))), (batch, 1, 1)),
            argmax(batch, 6 + batch * 0.1, [batch, VOCABULARY] if shapes else None), *results(batch)]


def all_reduce(tokens, known):
    return Kernel("coll", names.ALL_REDUCE, 8 + 0.02 * tokens,
                  known(op("c10d::allreduce_", [[tokens, HIDDEN]], [], [], [], []),
                        op("record_param_comms", [[tokens, HIDDEN]], *[[]] * 9)), (16, 1, 1), "cudaLaunchKernelExC",
                  elements=tokens * HIDDEN)


def mixture(step, known, shapes):
    """Experts: their load differs per layer and step."""
    tokens = step.tokens
    load = 1 + 0.25 * (step.rng.random() - 0.5) if step.rng else 1.0
    fused = known(op("vllm::outplace_fused_experts", [tokens, HIDDEN], [64, 2816, HIDDEN], [64, HIDDEN, 1408],
                     [tokens, 8], [tokens, 8]))
    return [product(tokens, 64, HIDDEN, 1, 0.3, shapes, names.MOE_GATE),
            Kernel("moe", names.VLLM_TOPK, 3.5,
                   known(op("_moe_C::topk_softmax", [tokens, 8], [tokens, 8], [tokens, 8], [tokens, 64])),
                   (blocks(tokens, 4), 1, 1)),
            Kernel("moe", names.VLLM_ALIGN, 4.5,
                   known(op("_moe_C::moe_align_block_size", [tokens, 8], [], [], [tokens * 8], [64], [1]))),
            *[Kernel("moe", names.FUSED_MOE, (us + 0.09 * tokens) * load, fused, (64 * 11, 1, 1), "cuLaunchKernel")
              for us in (26, 17)],
            Kernel("act", names.VLLM_ACT, small_us(step, 1.3),
                   known(op("_C::silu_and_mul", [tokens * 8, 1408], [tokens * 8, 2816])), (tokens * 8, 1, 1))]


def sglang(step, layers=6, amd=False):
    """SGLang without shapes."""
    batch, tokens = step.sequences, step.tokens
    launch = "hipLaunchKernel" if amd else "cudaLaunchKernel"
    module = "hipExtModuleLaunchKernel" if amd else "cuLaunchKernelEx"
    name = names.product_amd if amd else names.product
    if amd:
        attention = names.AITER_DECODE if step.phase == "decode" else names.CK_PREFILL
    else:
        attention = names.INFER_DECODE if step.phase == "decode" else names.INFER_PREFILL
    norm = Kernel("norm", names.AITER_NORM if amd else names.INFER_NORM, small_us(step, 1.1), (), (tokens, 1, 1),
                  launch)

    def matrix(which, weight, columns):
        return Kernel("gemm", name(tokens, which), product_us(tokens, weight), (),
                      (columns, blocks(tokens, 32), 1), module)

    items = [Copy("HtoD", 8 * batch, "aten::copy_")]
    for _ in range(layers):
        items += [norm, matrix(0, 1.0, 48), Kernel("rope", names.SGL_ROPE, small_us(step), (), (tokens, 1, 1), launch),
                  Kernel("kv", names.SGL_STORE, small_us(step, 0.9), (), (blocks(tokens, 4), 1, 1), launch),
                  Kernel("attn", attention, attention_us(step), (), (batch, 8, 1), launch), matrix(1, 0.8, 32), norm,
                  matrix(0, 1.6, 224), Kernel("act", names.HIP_ACT if amd else names.INFER_ACT, small_us(step, 1.3), (),
                                              (tokens, 1, 1), launch), matrix(1, 1.2, 32)]
    return [*items, Kernel("gemm", name(tokens, 0), 45 + batch * 0.1, (), (1002, blocks(batch, 32), 1), module),
            replace(argmax(batch, 6 + batch * 0.1), api=launch), *results(batch)]


def note_vllm(step, index):
    (prompts, prompt), (sequences, generated) = step.prompt, step.generated
    return f"execute_context_{prompts}({prompt})_generation_{sequences}({generated})"


def note_vllm_long(step, index):
    (prompts, prompt), (sequences, generated) = step.prompt, step.generated
    keys = prompts * step.context if step.phase == "prefill" else prompt
    past = sequences * step.context
    return (f"execute_{step.tokens}_context_{prompts}(sq{prompt}sk{keys}sqsq{prompt ** 2}sqsk{prompt * keys})"
            f"_generation_{sequences}(sq{generated}sk{past}sqsq{generated}sqsk{past})")


def note_sglang(step, index):
    if step.phase == "decode":
        return f"step[DECODE bs={step.sequences}]"
    return f"step[EXTEND bs={step.sequences} toks={step.tokens}]"


def vllm_graph(step, layers=6):
    return as_graph(vllm(step, layers)) if step.phase == "decode" else vllm(step, layers)
