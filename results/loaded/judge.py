# SPDX-License-Identifier: BSD-3-Clause
"""judge.py CEILINGS [CEILINGS]: loaded latency against what it must equal: with the least load the latency,
with the most the bandwidth; and between two runs of `ert run --config config.json --device DEVICE`."""
import json
import sys

BANDWIDTH = {"loaded-load": "load", "loaded-2to1": "add", "loaded-update": "update"}


def read(path):
    with open(path, encoding="utf-8") as file:
        device = json.load(file)["devices"][0]
    return {one["name"]: one for one in device["ceilings"]}


def percent(a, b):
    return f"{100 * (a / b - 1):+.1f} %"


runs = [read(path) for path in sys.argv[1:]]
rows = [one for one in runs[0].values() if one["kind"] == "loaded"]
print("| level | load | points | least load: latency | most load: bandwidth | repeats differ by |")
print("| --- | --- | ---: | ---: | ---: | ---: |")
for level, pattern in dict.fromkeys((one["level"], one["pattern"]) for one in rows):
    curve = sorted((one for one in rows if (one["level"], one["pattern"]) == (level, pattern)),
                   key=lambda one: one.get("aggregate", 0))  # fmt: skip
    roof = runs[0].get(f"{level}-{BANDWIDTH.get(pattern)}")
    other = runs[-1]
    again = [abs(other[one["name"]]["value"] / one["value"] - 1) for one in curve if one["name"] in other]
    cells = (level, pattern, len(curve), percent(curve[0]["value"], runs[0][f"{level}-latency"]["value"]),
             percent(curve[-1]["aggregate"], roof["value"]) if roof else "-",
             f"{100 * max(again):.1f} %" if len(runs) > 1 and again else "-")  # fmt: skip
    print("| " + " | ".join(map(str, cells)) + " |")
