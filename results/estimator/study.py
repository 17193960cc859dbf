#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""study: estimators of a ceiling's rate, compared on recorded samples.

Usage: study.py RUNS...     each a folder of samples files of one machine: RUN*.json[.gz], or one file
For each machine and estimator, over the points that all its runs measured at least 5 times:
  range    (max - min) / median of the runs' estimates: median over the points, and 90 % of them
  bias     the median estimate against the undisturbed rate (below), median over the points
  planted  how far one sample that is 10 % too fast lifts the estimate: median, and 90 %
A file alone is cut into two runs of neighbouring samples. The undisturbed rate of a point is the
half-sample mode of the upper half of all samples of all runs: tens of samples, so that its own noise
is small, and no candidate is favoured by the choice of n.
"""
import glob
import gzip
import json
import math
import os
import statistics
import sys


def quantile(x, q):
    x = sorted(x)
    at = q * (len(x) - 1)
    i = int(at)
    return x[i] if i + 1 >= len(x) else x[i] + (at - i) * (x[i + 1] - x[i])


def half_sample_mode(x):
    """Robertson and Cryer 1974: the densest half, again and again."""
    x = sorted(x)
    while len(x) > 3:
        k = (len(x) + 1) // 2
        i = min(range(len(x) - k + 1), key=lambda i: x[i + k - 1] - x[i])
        x = x[i:i + k]
    if len(x) == 3:
        low, high = x[1] - x[0], x[2] - x[1]
        x = x[:2] if low < high else x[1:] if high < low else [x[1]]
    return sum(x) / len(x)


def cluster(x, factor=3.0):
    """The fastest k samples that agree as well as `factor` times the best agreement of any k."""
    x = sorted(x)
    k = max(2, (len(x) + 3) // 4)
    widths = [x[i + k - 1] - x[i] for i in range(len(x) - k + 1)]
    least = sorted(widths)[len(widths) // 4]
    best = max(i for i, w in enumerate(widths) if w <= factor * least)
    return statistics.median(x[best:best + k])


def upper_mean(x):
    """The mean of the samples between the 70 % and the 95 % quantile: no single one decides."""
    x = sorted(x)
    n = len(x)
    low, high = 0.70 * n, 0.95 * n
    total = weight = 0
    for i, value in enumerate(x):
        w = max(0, min(i + 1, high) - max(i, low))
        total += w * value
        weight += w
    return total / weight


def not_the_first(x, share=0.75):
    """What ert/core/stats/stats.c does."""
    return sorted(x)[max(0, min(len(x) - 2, math.ceil(share * len(x)) - 1))]


ESTIMATORS = {
    "median": statistics.median,
    "75 % quantile": lambda x: quantile(x, 0.75),
    "90 % quantile": lambda x: quantile(x, 0.90),
    "maximum": max,
    "half-sample mode": half_sample_mode,
    "fastest cluster": cluster,
    "**75 %, not the first**": not_the_first,
    "90 %, not the first": lambda x: not_the_first(x, 0.9),
    "upper mean": upper_mean,
}


def points_of(file):
    opener = gzip.open if file.endswith(".gz") else open
    with opener(file, "rt", encoding="utf-8") as text:
        record = json.load(text)
    for device in record["devices"]:
        for p in device["points"]:
            if p["status"] != "measured" or p["section"] not in ("levels", "compute"):
                continue
            key = (device["device"], p["section"], p["kernel"], p["path"], p["requested_bytes"],
                   p["variant"]["name"])
            s = p["samples"]
            rate = s.get("rate_per_s") or s.get("rate") or [n / t for n, t in zip(s["passes"], s["time_s"])]
            yield key, rate


def runs_of(place):
    """key -> a list of runs, each a list of rates."""
    files = sorted(glob.glob(os.path.join(place, "*.json*"))) if os.path.isdir(place) else [place]
    points = {}
    for file in files:
        for key, rate in points_of(file):
            points.setdefault(key, []).append(rate)
    if len(files) > 1:
        return {k: r for k, r in points.items()
                if len(r) == len(files) and min(map(len, r)) >= 5}
    cut = {}
    for key, (rate,) in points.items():
        size = len(rate) // 2
        if size >= 7:
            cut[key] = [rate[:size], rate[size:2 * size]]
    return cut


def study(place):
    points = runs_of(place)
    n = statistics.median([len(r) for runs in points.values() for r in runs])
    print(f"\n{place}: {len(points)} points, {len(next(iter(points.values())))} runs of "
          f"{n:g} samples\n")
    print("| estimator | range | 90 % below | bias | worst tenth | planted | 90 % below |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, estimate in ESTIMATORS.items():
        ranges, biases, lifts = [], [], []
        for runs in points.values():
            values = [estimate(run) for run in runs]
            middle = statistics.median(values)
            every = sorted(x for run in runs for x in run)
            truth = half_sample_mode(every[len(every) // 2:])
            ranges.append((max(values) - min(values)) / middle)
            biases.append(middle / truth - 1)
            for run in runs:
                fast = run[1:] + [1.1 * truth]
                lifts.append(estimate(fast) / estimate(run[1:] + [truth]) - 1)
        print(f"| {name} | {100 * statistics.median(ranges):.2f} % | "
              f"{100 * quantile(ranges, 0.9):.2f} % | {100 * statistics.median(biases):+.2f} % | "
              f"{100 * quantile(biases, 0.1):+.2f} % | "
              f"{100 * statistics.median(lifts):.2f} % | {100 * quantile(lifts, 0.9):.2f} % |")


for each in sys.argv[1:]:
    study(each)
