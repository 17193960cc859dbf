#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""spread: what several runs of one machine say, as a Markdown table.

Usage: spread.py DEVICE CEILINGS...   (DEVICE: cpu, gpu0)
Per ceiling: the median of the runs' values, (max - min) / median, the median fraction of theory,
and in how many runs the reported interval holds the median of the runs.
"""
import json
import statistics
import sys

LISTS = ("compute", "memory", "latency", "links")


def values_of(device):
    for ceiling in (c for name in LISTS for c in device.get(name, [])):
        unit = next(key[len("value_"):] for key in ceiling if key.startswith("value_"))
        yield ceiling, ceiling["value_" + unit], ceiling["interval_" + unit]


def text_of(value):
    return f"{value * 1e9:.4g} ns" if value < 1 else f"{value / 1e9:.5g}"


def main():
    name, files = sys.argv[1], sys.argv[2:]
    runs = {}
    for file in files:
        with open(file, encoding="utf-8") as text:
            devices = [d for d in json.load(text)["devices"] if d["id"] == name]
        for ceiling, value, interval in values_of(devices[0]):
            runs.setdefault(ceiling["name"], []).append((value, interval, ceiling))
    held = total = 0
    print("| ceiling | median, G/s | spread | of theory | clock, GHz | interval holds it |")
    print("| --- | --- | --- | --- | --- | --- |")
    for ceiling, rows in runs.items():
        middle = statistics.median(value for value, _, _ in rows)
        spread = (max(r[0] for r in rows) - min(r[0] for r in rows)) / middle
        inside = sum(low <= middle <= high for _, (low, high), _ in rows)
        theory = [r[2]["fraction_of_theory"] for r in rows if r[2]["fraction_of_theory"]]
        share = f"{100 * statistics.median(theory):.1f} %" if theory else "-"
        clocks = [r[2]["clock_hz"] for r in rows if r[2]["clock_hz"]]
        clock = f"{statistics.median(clocks) / 1e9:.3f}" if clocks else "-"
        held, total = held + inside, total + len(rows)
        print(f"| {ceiling} | {text_of(middle)} | {100 * spread:.2f} % | {share} | {clock} | "
              f"{inside} of {len(rows)} |")
    print(f"\n{held} of {total} intervals hold the median of the runs.")


main()
