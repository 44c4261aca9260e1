"""The interval that the tool's own is held against: Welch's t on logarithms of autocorrelated steps."""
import math


def _beta_fraction(a, b, x):
    """Continued fraction of the incomplete beta function (Lentz)."""
    tiny = 1e-30
    c, d = 1.0, 1 / ((1 - (a + b) * x / (a + 1)) or tiny)
    total = d
    for m in range(1, 300):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / ((1 + term * d) or tiny)
            c = (1 + term / c) or tiny
            total *= c * d
        if abs(c * d - 1) < 1e-12:
            break
    return total


def _beta(a, b, x):
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _beta_fraction(a, b, x) / a
    return 1 - front * _beta_fraction(b, a, 1 - x) / b


def t_quantile(freedom, p=0.975):
    low, high = 0.0, 1e4
    for _ in range(100):
        middle = (low + high) / 2
        if 1 - 0.5 * _beta(freedom / 2, 0.5, freedom / (freedom + middle * middle)) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def side(times):
    """Mean of the logarithms, its variance, effective number of steps."""
    x, n = [math.log(value) for value in times], len(times)
    mean = sum(x) / n
    squares = sum((value - mean) ** 2 for value in x)
    if squares <= 0:
        return mean, 0.0, n
    r1 = sum((x[i] - mean) * (x[i + 1] - mean) for i in range(n - 1)) / squares
    r = min(0.98, max(0.0, (n * r1 + 1) / (n - 4)))
    effective = n * (1 - r) / (1 + r)
    c = max(0.25, 1 - (n / effective - 1) / (n - 1))
    return mean, squares / (n - 1) / (c * effective), effective


def interval(a, b):
    """(ratio, low, high) of b over a, or None: too few or too noisy."""
    if min(len(a), len(b)) < 6:
        return None
    (mean_a, var_a, n_a), (mean_b, var_b, n_b) = side(a), side(b)
    if min(n_a, n_b) < 4:
        return None
    half, variance = 0.0, var_a + var_b
    if variance > 0:
        freedom = variance ** 2 / (var_a ** 2 / (n_a - 1) + var_b ** 2 / (n_b - 1))
        half = t_quantile(freedom) * math.sqrt(variance)
    change = mean_b - mean_a
    return math.exp(change), math.exp(change - half), math.exp(change + half)
