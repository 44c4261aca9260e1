"""A server and its load in one process: continuous batching of transformers on a GPU, with requests that never stop.

    serve_loop.py SECONDS LOG [--model dense|moe] [--batch 20] [--every 6]

The model has random weights and nothing is downloaded. `--batch` requests are served at a time; every `--every` steps
one ends and another comes, so that a step in so many holds a prompt. A line per step goes into LOG: when it ended
(seconds, monotonic), how long it took (microseconds), tokens and sequences. SIGTERM ends it.
"""
import argparse
import signal
import sys
import time

sys.dont_write_bytecode = True
from record_engines_worker import BatchEngine  # noqa: E402

PROMPTS = (64, 128, 96, 192)  # tokens, in turns


def prompt_of(number, vocab):
    return [(number * 7919 + place * 104729) % vocab for place in range(PROMPTS[number % len(PROMPTS)])]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seconds", type=float)
    parser.add_argument("log")
    parser.add_argument("--model", choices=("dense", "moe"), default="dense")
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--every", type=int, default=6, help="steps between two requests")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    engine = BatchEngine(mixture=options.model == "moe")
    vocab = engine.sizes["vocab_size"]
    life = options.batch * options.every  # tokens of a request, so that the batch stays
    # The first requests have different ages, as if the server had been running for long.
    for number in range(options.batch):
        engine.add(prompt_of(number, vocab), life - number * options.every)
    steps, served, came = 0, 0, options.batch
    end = time.monotonic() + options.seconds
    with open(options.log, "w", encoding="utf-8") as out, engine.torch.no_grad():
        while time.monotonic() < end:
            step = engine.step()
            if step is None:
                raise RuntimeError(f"no batch could be prepared after {steps} steps")
            _, tokens, sequences, _, ns = step
            out.write(f"{time.monotonic():.7f} {ns / 1e3:.1f} {tokens} {sequences}\n")
            steps += 1
            if steps % options.every == 0:
                engine.add(prompt_of(came, vocab), life)
                came += 1
            if steps % (100 * options.every) == 0:
                while (result := engine.manager.get_result(timeout=0.001)) is not None:
                    if result.error:
                        raise RuntimeError(f"request {result.request_id} failed: {result.error}")
                    served += 1
    print("steps", steps, "served", served, flush=True)


if __name__ == "__main__":
    main()
