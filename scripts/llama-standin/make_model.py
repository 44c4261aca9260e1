#!/usr/bin/env python3
"""Writes a model file of the llama architecture whose weights are all zero: a GGUF file with holes, so it needs no disk.

    make_model.py OUT.gguf [--hidden 2048] [--layers 16] [--heads 16] [--kv-heads 4] [--ff 5632] [--type q4_0]

What an engine does with it has the shape of the real thing; only its answers mean nothing.
"""
import argparse
import struct

ALIGNMENT = 32
TYPES = {"f32": (0, 1, 4), "f16": (1, 1, 2), "q4_0": (2, 32, 18), "q8_0": (8, 32, 34)}  # number, elements, bytes
FILE_TYPES = {"f16": 1, "q4_0": 2, "q8_0": 7}
U32, F32, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5  # kinds of values
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of tokens


def text(value):
    value = value.encode()
    return struct.pack("<Q", len(value)) + value


def pack(kind, value):
    if kind == STRING:
        return text(value)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f", BOOL: "<?"}[kind], value)


def entry(key, kind, value):
    return text(key) + struct.pack("<I", kind) + pack(kind, value)


def array(key, kind, values):
    packed = b"".join(pack(kind, value) for value in values)
    return text(key) + struct.pack("<IIQ", ARRAY, kind, len(values)) + packed


def vocabulary():
    """A small one as SentencePiece has it: three control tokens, all bytes, and words of letters."""
    tokens = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]
    tokens += [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    letters = "abcdefghijklmnopqrstuvwxyz"
    tokens += [("\u2581", NORMAL)] + [(letter, NORMAL) for letter in letters]
    tokens += [("\u2581" + a + b, NORMAL) for a in letters for b in letters]
    while len(tokens) % 64:  # engines like sizes that divide well
        tokens.append((f"\u2581word{len(tokens)}", NORMAL))
    return tokens


def tensors(options):
    hidden, ff = options.hidden, options.ff
    kv = hidden // options.heads * options.kv_heads
    weight = options.type
    yield "token_embd.weight", weight, (hidden, options.vocabulary)
    for layer in range(options.layers):
        for name, kind, shape in [
                ("attn_norm", "f32", (hidden,)), ("attn_q", weight, (hidden, hidden)), ("attn_k", weight, (hidden, kv)),
                ("attn_v", weight, (hidden, kv)), ("attn_output", weight, (hidden, hidden)), ("ffn_norm", "f32", (hidden,)),
                ("ffn_gate", weight, (hidden, ff)), ("ffn_up", weight, (hidden, ff)), ("ffn_down", weight, (ff, hidden))]:
            yield f"blk.{layer}.{name}.weight", kind, shape
    yield "output_norm.weight", "f32", (hidden,)
    yield "output.weight", weight, (hidden, options.vocabulary)


def size_of(kind, shape):
    _, elements, size = TYPES[kind]
    count = 1
    for length in shape:
        count *= length
    if shape[0] % elements:
        raise SystemExit(f"{shape[0]} elements are not whole blocks of {kind}")
    return count // elements * size


def up(size):
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    for name, value in [("hidden", 2048), ("layers", 16), ("heads", 16), ("kv-heads", 4), ("ff", 5632), ("context", 8192)]:
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--type", choices=FILE_TYPES, default="q4_0")
    options = parser.parse_args()
    tokens = vocabulary()
    options.vocabulary = len(tokens)
    head = options.hidden // options.heads
    entries = [
        entry("general.architecture", STRING, "llama"), entry("general.name", STRING, "zeros"),
        entry("general.alignment", U32, ALIGNMENT), entry("general.file_type", U32, FILE_TYPES[options.type]),
        entry("llama.context_length", U32, options.context), entry("llama.embedding_length", U32, options.hidden),
        entry("llama.block_count", U32, options.layers), entry("llama.feed_forward_length", U32, options.ff),
        entry("llama.attention.head_count", U32, options.heads),
        entry("llama.attention.head_count_kv", U32, options.kv_heads),
        entry("llama.attention.layer_norm_rms_epsilon", F32, 1e-5), entry("llama.rope.dimension_count", U32, head),
        entry("llama.vocab_size", U32, options.vocabulary), entry("tokenizer.ggml.model", STRING, "llama"),
        array("tokenizer.ggml.tokens", STRING, [token for token, _ in tokens]),
        array("tokenizer.ggml.scores", F32, [-float(i) for i in range(len(tokens))]),
        array("tokenizer.ggml.token_type", I32, [kind for _, kind in tokens]),
        entry("tokenizer.ggml.unknown_token_id", U32, 0), entry("tokenizer.ggml.bos_token_id", U32, 1),
        entry("tokenizer.ggml.eos_token_id", U32, 2), entry("tokenizer.ggml.add_bos_token", BOOL, True)]
    infos, place = [], 0
    for name, kind, shape in tensors(options):
        dims = b"".join(struct.pack("<Q", length) for length in shape)
        infos.append(text(name) + struct.pack("<I", len(shape)) + dims + struct.pack("<IQ", TYPES[kind][0], place))
        place += up(size_of(kind, shape))
    with open(options.out, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries)) + b"".join(entries) + b"".join(infos))
        file.truncate(up(file.tell()) + place)


if __name__ == "__main__":
    main()
