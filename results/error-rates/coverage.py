#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How often a run's intervals hold the values of other runs of the same machine.

usage: coverage.py ERT SAMPLES...   samples.json of two or more runs; `ert fit` is run on each

For each device and kind of ceiling: half of the interval's width and the difference between two runs, both
relative to the value, the share of differences that the interval holds (promised: 90 %), and the share of
ceilings that are at most 10 % wide to either side.
"""
import json
import statistics
import subprocess
import sys
import tempfile


def fit(ert, samples):
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        subprocess.run([ert, "fit", samples, "--out", out.name], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(out.name, encoding="utf-8") as file:
            return json.load(file)["devices"]


def main():
    runs = [fit(sys.argv[1], name) for name in sys.argv[2:]]
    print("| device | ceilings | half width, median | difference: median | 9 in 10 below | held | narrow |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for i, device in enumerate(runs[0]):
        for kind in ("compute", "memory"):
            lists = [{c["name"]: c for c in run[i]["ceilings"] if c["kind"] == kind} for run in runs]
            halves = [(c["high"] - c["low"]) / 2 / c["value"] for own in lists for c in own.values()]
            pairs = [(c, other[name]["value"]) for own in lists for other in lists if other is not own
                     for name, c in own.items() if name in other]
            if not pairs:
                continue
            apart = sorted(abs(value / c["value"] - 1) for c, value in pairs)
            held = sum(c["low"] <= value <= c["high"] for c, value in pairs) / len(pairs)
            narrow = sum(half <= 0.1 for half in halves) / len(halves)
            print(f"| {device.get('id', i)} | {kind} | {100 * statistics.median(halves):.2f} % | "
                  f"{100 * statistics.median(apart):.2f} % | {100 * apart[int(0.9 * len(apart))]:.2f} % | "
                  f"{100 * held:.0f} % | {100 * narrow:.0f} % |")


main()
