#!/usr/bin/python3
"""Top 20 GPU kernels of a Kineto trace, with json and pandas.

usage: pandas_top.py TRACE.json[.gz]

The rival a PyTorch user writes first: the answer is the same as
`tactus kernels --top 20`, so the benchmark compares time only.
"""

import gzip
import json
import sys

import pandas as pd


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: pandas_top.py TRACE.json[.gz]")
    path = sys.argv[1]
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rb") as f:
        events = json.load(f)["traceEvents"]

    # Filter before building the frame: kernels are a small part of the events,
    # and a frame of them all would have one column per key ever seen.
    kernels = pd.DataFrame(
        [
            (e["name"], e["dur"])
            for e in events
            if e.get("cat") == "kernel" and e.get("ph") == "X"
        ],
        columns=["name", "dur"],
    ).astype({"dur": float})  # for a trace without kernels

    by_name = kernels.groupby("name")["dur"]
    top = by_name.agg(count="count", total_us="sum", mean_us="mean")
    # Not a lambda inside agg(): that would run in Python once per name.
    top["p99_us"] = by_name.quantile(0.99)
    top = top.reset_index().sort_values(
        ["total_us", "name"], ascending=[False, True]
    )
    top.head(20).to_csv(sys.stdout, index=False, float_format="%.3f")


if __name__ == "__main__":
    main()
