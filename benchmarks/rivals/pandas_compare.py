#!/usr/bin/python3
"""The table of the classic comparison of two *_perf_data.csv files, with pandas and scipy.

usage: pandas_compare.py NORMAL.csv ABNORMAL.csv NORMAL_PID ABNORMAL_PID OUT.csv

What one would write who knows pandas: one groupby a side, tests row by row. Where scipy is not
there, the tests are done with numpy (and the t-test by integrating its density).
"""

import math
import sys

import numpy as np
import pandas as pd

try:
    from scipy import stats
except ImportError:
    stats = None

KEYS = ["function_name", "metric_name", "device"]


def read_side(path, pid):
    columns = KEYS + ["cycle", "pid", "beta_pct", "mu_pct"]
    # The default reading of numbers is not exact and makes ties of what is none.
    rows = pd.read_csv(path, usecols=columns, float_precision="round_trip")
    rows = rows[rows["pid"] == pid].dropna(subset=["function_name", "metric_name"])
    rows = rows.assign(
        device=rows["device"].fillna("N/A"), mu_pct=rows["mu_pct"].fillna(0.0)
    )
    rows["log_mu"] = np.log1p(rows["mu_pct"])
    groups = rows.groupby(KEYS, sort=True)
    table = groups.agg(
        n=("cycle", "nunique"),
        beta=("beta_pct", "mean"),
        beta_std=("beta_pct", "std"),
        mu=("mu_pct", "mean"),
        mu_std=("mu_pct", "std"),
        log_mu=("log_mu", "mean"),
        log_mu_std=("log_mu", "std"),
        betas=("beta_pct", list),
        mus=("mu_pct", list),
    )
    numbers = [c for c in table.columns if c not in ("betas", "mus")]
    table[numbers] = table[numbers].fillna(0.0)
    # A constant series has no deviation, whatever rounding says.
    for values, std in (("betas", "beta_std"), ("mus", "mu_std"), ("mus", "log_mu_std")):
        table.loc[[min(v) == max(v) for v in table[values]], std] = 0.0
    return table


def student_two_sided(t, freedom):
    """By Simpson's rule on the density, where there is no scipy."""
    if math.isinf(t):
        return 0.0
    angle = math.atan2(abs(t), math.sqrt(freedom))
    x = np.linspace(0.0, angle, 20001)
    y = np.cos(x) ** (freedom - 1)
    step = x[1] - x[0]
    area = step / 3 * (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum())
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2))
    return max(0.0, 1.0 - 2.0 * area * scale / math.sqrt(math.pi))


def welch(m1, s1, n1, m2, s2, n2):
    if n1 <= 1 or n2 <= 1:
        return 1.0
    v1, v2 = s1 * s1 / n1, s2 * s2 / n2
    if v1 + v2 == 0:
        return math.nan if m1 == m2 else 0.0
    t = (m1 - m2) / math.sqrt(v1 + v2)
    freedom = (v1 + v2) ** 2 / (v1 * v1 / (n1 - 1) + v2 * v2 / (n2 - 1))
    return 2 * stats.t.sf(abs(t), freedom) if stats else student_two_sided(t, freedom)


def exact_chance(at_most, few, more):
    """P(U <= at_most) without ties: partitions into at most `few` parts up to `more`."""
    counts = np.zeros(at_most + 1)
    counts[0] = 1.0
    for i in range(1, few + 1):
        for start in range(min(i, at_most + 1)):
            counts[start::i] = np.cumsum(counts[start::i])
        if more + i <= at_most:
            counts[more + i :] -= counts[: -(more + i)].copy()
    return counts.sum() / math.comb(few + more, few)


def mann_whitney(a, b):
    if len(a) <= 1 or len(b) <= 1:
        return 1.0
    if stats:
        return stats.mannwhitneyu(a, b, alternative="two-sided").pvalue
    n1, n2 = len(a), len(b)
    n = n1 + n2
    values, where, ties = np.unique(
        np.concatenate([a, b]), return_inverse=True, return_counts=True
    )
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[where]
    u = ranks[:n1].sum() - n1 * (n1 + 1) / 2
    u = max(u, n1 * n2 - u)
    if len(values) == n and min(n1, n2) <= 8:
        return min(1.0, 2 * exact_chance(int(n1 * n2 - u), min(n1, n2), max(n1, n2)))
    variance = n1 * n2 / 12 * ((n + 1) - (ties**3 - ties).sum() / (n * (n - 1)))
    if variance <= 0:
        return 1.0
    z = (u - n1 * n2 / 2 - 0.5) / math.sqrt(variance)
    return min(1.0, math.erfc(z / math.sqrt(2)))


def z_score(normal, std, abnormal):
    return np.where(std > 1e-9, (abnormal - normal) / std.where(std > 1e-9, 1.0), 0.0)


def main():
    if len(sys.argv) != 6:
        sys.exit("usage: pandas_compare.py NORMAL.csv ABNORMAL.csv NORMAL_PID ABNORMAL_PID OUT.csv")
    normal = read_side(sys.argv[1], int(sys.argv[3]))
    abnormal = read_side(sys.argv[2], int(sys.argv[4]))
    both = normal.join(abnormal, how="outer", lsuffix="_1", rsuffix="_2")
    for side in ("_1", "_2"):
        for column in ("betas", "mus"):
            name = column + side
            both[name] = [v if isinstance(v, list) else [] for v in both[name]]
    both = both.fillna(0.0)
    if sys.argv[3] == sys.argv[4]:
        first, second = "normal", "abnormal"
    else:
        first, second = f"normal_pid_{sys.argv[3]}", f"abnormal_pid_{sys.argv[4]}"

    def tests(quantity, values):
        rows = both[
            [f"{quantity}_1", f"{quantity}_std_1", "n_1", f"{quantity}_2", f"{quantity}_std_2", "n_2"]
        ]
        t_test = [welch(*row) for row in rows.itertuples(index=False, name=None)]
        u_test = [mann_whitney(a, b) for a, b in zip(both[values + "_1"], both[values + "_2"])]
        return t_test, u_test

    out = pd.DataFrame(index=both.index)
    beta_change = both["beta_2"] - both["beta_1"]
    beta_z = z_score(both["beta_1"], both["beta_std_1"], both["beta_2"])
    log_z = z_score(both["log_mu_1"], both["log_mu_std_1"], both["log_mu_2"])
    out["Suspicion Score"] = beta_change.abs() * (np.abs(beta_z) + np.abs(log_z))
    out[f"β_{first}(%)"], out[f"β_{second}(%)"] = both["beta_1"], both["beta_2"]
    out["Δβ(%)"], out["Z-Score(β)"] = beta_change, beta_z
    out["p-value(β)"], out["U-test p(β)"] = tests("beta", "betas")
    out[f"μ_{first}"], out[f"μ_{second}"] = both["mu_1"], both["mu_2"]
    out["Δμ"] = both["mu_2"] - both["mu_1"]
    out["Z-Score(μ)"] = z_score(both["mu_1"], both["mu_std_1"], both["mu_2"])
    out["Z-Score(log_μ)"] = log_z
    out["p-value(μ)"], out["U-test p(μ)"] = tests("mu", "mus")
    out = out.reset_index().rename(
        columns={"function_name": "Function Name", "metric_name": "Metric Name", "device": "Device"}
    )
    out = out.sort_values(
        ["Suspicion Score", "Function Name", "Metric Name", "Device"],
        ascending=[False, True, True, True],
    )
    out.to_csv(sys.argv[5], index=False, float_format="%.6f")


if __name__ == "__main__":
    main()
