#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Says of trials (trial.py) how often each rule found what was planted: tables in Markdown, and a chart.

    table.py [--svg FILE] card*.ndjson.gz

The true slowdown of a trial is the probe's, another program's, with the same plant on the same card; of FP64
by the line through all levels (Theil and Sen's, since one SM that got three of the probe's blocks makes a
point an outlier).
"""
import gzip
import json
import math
import sys
from statistics import median

NAMES = {"fp64": "fp64-fma", "hbm": "HBM-load", "pulse": "HBM-load", "l2": "L2-load", "link": "h2d-pinned"}
EDGES = [0.1, 0.6, 0.85, 1.2, 1.7, 2.3, 2.8, 3.5, 4.5, 6, 9, 30]
LEAST_S = 0.12  # a plant that ran for less began when the rates were measured already


def wilson(k, n):
    """The 95 % interval of a share, in percent."""
    if not n:
        return 0, 100
    z, p = 1.96, k / n
    middle, half = p + z * z / 2 / n, z * math.sqrt(p * (1 - p) / n + z * z / 4 / n / n)
    return max(0, 100 * (middle - half) / (1 + z * z / n)), 100 * (middle + half) / (1 + z * z / n)


def slope(points):
    """Theil and Sen's line through (x, y)."""
    slopes = [(d - b) / (c - a) for i, (a, b) in enumerate(points) for c, d in points[i + 1:] if c > a]
    m = median(slopes)
    return m, median(y - m * x for x, y in points)


def truths(lines):
    kinds = {d["probe"] for d in lines if "probe" in d} - {"none"}
    base = {k: max(d[k] for d in lines if d.get("probe") == "none") for k in kinds}
    of = {k: [(d["level"], 100 * (1 - d[k] / base[k])) for d in lines if d.get("probe") == k] for k in kinds}
    true = {(k, x): y for k in kinds for x, y in of[k]}
    line = slope(of["fp64"]) if "fp64" in kinds else None
    return true | {("fp64", x): line[1] + line[0] * x for x, _ in of.get("fp64", [])}


def rules(card, name, row):
    """Whether each rule calls this rate bad."""
    drop = -100 * row["change"]
    least = 1905e9 if "H100" in card and name == "HBM-load" else 0
    return {"ert verify": row["verdict"] == "slower", "5 % (SuperBench)": drop > 5,
            "10 % (gpu-fryer, Megatron)": drop > 10, "DCGM": row["now"] < least}


trials, all_of, disturbed, uneven, none, absent, seconds = [], [], [], [], [], 0, []
arguments = sys.argv[1:]
svg = arguments[1] if arguments[:1] == ["--svg"] else None
for path in arguments[2 if svg else 0:]:
    lines = [json.loads(line) for line in gzip.open(path, "rt")]
    card = lines[0]["card"]
    true_of = truths(lines)
    for d in lines:
        if not d.get("rows"):
            continue
        if d["kind"] == "all":
            all_of += [(card, r) for r in d["rows"]]
            continue
        if d["kind"] == "none":
            none += [(card, r) for r in d["rows"]]
            seconds.append(d["s"])
            continue
        name = NAMES[d["kind"]]
        row = [r for r in d["rows"] if r["name"] == name][0]
        if d.get("plant_s", 0) < LEAST_S:
            absent += 1
        elif d["kind"] == "pulse":
            disturbed.append(row)
        elif d["kind"] == "fp64" and ("card0" in path or "card1" in path):
            uneven.append(row)
        else:
            trials.append((true_of[d["kind"], d["level"]], rules(card, name, row), d["kind"]))

NAMED = list(trials[0][1])


def tell(title, of, named):
    """Prints the table of these trials; returns (true slowdown, trials, found by each rule) of its rows."""
    curve = []
    print("\n| true slowdown of %s | trials | " % title + " | ".join(named) + " |")
    print("| --- | --- |" + " --- |" * len(named))
    for low, high in zip(EDGES, EDGES[1:]):
        here = [t for t in of if low <= t[0] < high]
        found = [sum(t[1][rule] for t in here) for rule in named]
        if here:
            curve.append((median(t[0] for t in here), len(here), found))
            print("| %.2g to %.2g %% | %d | %s |" % (low, high, len(here), " | ".join(
                "%d %% (%.0f .. %.0f)" % (round(100 * k / len(here)), *wilson(k, len(here))) for k in found)))
    for least in (3, 5):
        here = [t for t in of if t[0] >= least]
        k = sum(t[1]["ert verify"] for t in here)
        print("\n%g %% or more: %d of %d found (95 %%: %.1f to %.1f %%)" % (least, k, len(here),
                                                                  *wilson(k, len(here))))
    return curve


curves = [tell(title, [t for t in trials if t[2] in of], named)
          for title, of, named in (("FP64 and HBM", ("fp64", "hbm"), NAMED), ("L2", ("l2",), NAMED[:-1]),
                                   ("copies from the host", ("link",), NAMED[:-1]))
          if any(t[2] in of for t in trials)]


def words(rows):
    return ", ".join("%d %s" % (sum(r["verdict"] == w for r in rows), w)
                     for w in ("same", "slower", "faster", "cannot tell"))


print("\n%d trials; %d more whose plant began too late\n" % (len(trials), absent))
for text, rows in (("nothing planted, H200, all ceilings", [r for c, r in all_of if "H200" in c]),
                   ("nothing planted, H200, one ceiling", [r for c, r in none if "H200" in c]),
                   ("nothing planted, H100, all ceilings", [r for c, r in all_of if "H100" in c]),
                   ("nothing planted, H100, one ceiling", [r for c, r in none if "H100" in c]),
                   ("pulses", disturbed), ("FP64 with restarts every 20 ms", uneven)):
    print("- %s: %d verdicts: %s" % (text, len(rows), words(rows)))
print("- a verification of one ceiling takes %.1f s in the median" % median(seconds))
if svg:
    colours = ["#0b5394", "#e69138", "#888888", "#bbbbbb"]
    width, height, left, top = 660, 360, 60, 20

    def x(v):
        return left + (width - left - 170) * math.log(v / 0.2) / math.log(25 / 0.2)

    def y(v):
        return top + (height - top - 50) * (1 - v / 100)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" '
           'font-size="12">' % (width, height), '<rect width="100%" height="100%" fill="white"/>']
    for v in (0, 25, 50, 75, 100):
        out.append('<path d="M%g %gH%g" stroke="#dddddd"/><text x="%g" y="%g" text-anchor="end">%d %%</text>'
                   % (left, y(v), x(25), left - 6, y(v) + 4, v))
    for v in (0.2, 0.5, 1, 2, 3, 5, 10, 20):
        out.append('<text x="%g" y="%g" text-anchor="middle">%g</text>' % (x(v), height - 32, v))
    out.append('<text x="%g" y="%g" text-anchor="middle">true slowdown, percent</text>'
               % ((left + x(25)) / 2, height - 12))
    ends = []
    for i in reversed(range(len(NAMED))):
        points = [(x(t), y(100 * k[i] / n)) for t, n, k in curves[0]]
        for t, n, k in curves[0]:
            a, b = wilson(k[i], n)
            out.append('<path d="M%g %gV%g" stroke="%s" stroke-opacity="0.4" stroke-width="3"/>'
                       % (x(t), y(a), y(b), colours[i]))
        out.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>'
                   % (" ".join("%.1f,%.1f" % p for p in points), colours[i]))
        ends.append((points[-1][1], i))
    last = -1e9
    for at, i in sorted(ends):
        last = max(at + 4, last + 15)
        out.append('<text x="%g" y="%g" fill="%s">%s</text>' % (x(25) + 4, last, colours[i], NAMED[i]))
    open(svg, "w").write("\n".join(out + ["</svg>", ""]))
