"""Noise of real machines: one factor per step, made by a function of the number of steps and the seed."""
import math
import random


def together(*kinds):
    """Several at once."""
    def make(count, seed):
        out = [1.0] * count
        for number, kind in enumerate(kinds):
            out = [one * two for one, two in zip(out, kind(count, seed * 31 + number))]
        return out
    return make


def white(spread=0.01):
    def make(count, seed):
        rng = random.Random(seed * 7919 + 5)
        return [math.exp(spread * rng.gauss(0, 1)) for _ in range(count)]
    return make


def moods(ms=200.0, spread=0.03, step_ms=6.0):
    """Levels that fade with a time constant of `ms`."""
    def make(count, seed):
        rng, rho = random.Random(seed * 104729 + 11), math.exp(-step_ms / ms)
        x, out = rng.gauss(0, 1), []
        for _ in range(count):
            out.append(math.exp(spread * x))
            x = rho * x + math.sqrt(1 - rho * rho) * rng.gauss(0, 1)
        return out
    return make


def heavy_tail(share=0.04, shape=2.2):
    """Now and then a step is longer, rarely much longer (Pareto)."""
    def make(count, seed):
        rng = random.Random(seed * 15485863 + 3)
        return [math.exp(0.008 * rng.gauss(0, 1)) * (min(6.0, rng.paretovariate(shape)) if rng.random() < share else 1)
                for _ in range(count)]
    return make


def collections(period=40, longer=0.6):
    """Garbage collection: every so many steps one is longer. Where the first one falls differs per run."""
    def make(count, seed):
        first = random.Random(seed).randrange(period)
        return [1 + longer if i % period == first else 1.0 for i in range(count)]
    return make


def clock_ramp(extra=0.25, steps=12):
    """The first steps are slower, and less and less so."""
    def make(count, seed):
        return [1 + extra * math.exp(-i / steps) for i in range(count)]
    return make


def compilation(first=(14.0, 6.0, 2.5)):
    """The first steps compile and tune."""
    def make(count, seed):
        return [first[i] if i < len(first) else 1.0 for i in range(count)]
    return make


def drift(amount=0.03):
    def make(count, seed):
        return [1 + amount * i / max(1, count - 1) for i in range(count)]
    return make
