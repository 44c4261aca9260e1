#!/usr/bin/env python3
"""Writes the log of a vLLM server that does not exist, as fast as such a server would, for scripts/draw-grafana.

    scripts/draw_grafana_log.py LOG SECONDS slow|busy STORY

Both serve a number of requests that goes up and down, and a step takes as long as its requests need, with noise of 1%.
STORY is how many seconds the following takes; what comes then is as its end.

Steps of `slow` take longer than that three times: 1.4 times for a second at 15% of the time, which is too short for an alert;
1.5 times from 30% to 38%; and 1.6 times from 85% to the end. The server `busy` is sound. From 50% to 75% it has three times
as many requests, so its steps take longer for a good reason.
"""
import math
import random
import sys
import time


def requests(kind, part):
    wave = 24 + 12 * math.sin(part * 6 * math.pi)
    if kind == "busy":
        wave *= 1.5 if 0.50 < part < 0.75 else 0.5
    return round(wave)


def slowdown(kind, part, story):
    if kind != "slow":
        return 1.0
    if part > 0.85:
        return 1.6
    if 0.30 < part < 0.38:
        return 1.5
    return 1.4 if 0.15 < part < 0.15 + 1 / story else 1.0


def main():
    path, total, kind, story = sys.argv[1], float(sys.argv[2]), sys.argv[3], float(sys.argv[4])
    dice = random.Random(kind)
    begin = time.time()
    step = 0
    with open(path, "w", buffering=1) as log:
        while (now := time.time() - begin) < total:
            # At first, all numbers of requests that will come: they are learnt then.
            part = now / story if step >= 400 else step % 100 / 100
            batch = requests(kind, part)
            took = (14 + 0.16 * batch) * dice.gauss(1, 0.01) * (slowdown(kind, part, story) if step >= 400 else 1)
            time.sleep(took / 1000)
            log.write(f"INFO 11-17 06:00:00 core.py:1] Iteration({step}): 0 context requests, 0 context tokens, "
                      f"{batch} generation requests, {batch} generation tokens, iteration elapsed time: {took:.2f} ms\n")
            step += 1


if __name__ == "__main__":
    main()
