# SPDX-License-Identifier: BSD-3-Clause
"""Writes results/atlas/README.md: the machines of results/, and the published ones, a row each.

    PYTHONPATH=analysis/ext/python python3 results/atlas/atlas.py >results/atlas/README.md
    PYTHONPATH=analysis/ext/python python3 results/atlas/atlas.py models >ert/cli/models.def

The latter is what `ert run` says of other GPUs of a model: of each ceiling least, median and most.
"""
import glob
import json
import os
import statistics
import sys
from collections import defaultdict

import roofline

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCES = {
    "v100-ceilings": "published: nersc-roofline",
    "v100-8steps-ceilings": "published: arXiv:2008.11326",
    "knl-ceilings": "published: nersc-roofline",
}
MATRIX = [("bf16", "wgmma", "tensor"), ("bf16", "mma", "tensor"), ("bf16", "amx", "amx")]
HEAD = """# atlas: machines side by side

What `ert run` attained on each machine of results/, and what others published of theirs (results/published).
Rates are those of the whole device: vectors or CUDA cores for FP64 and FP32, matrix units for BF16;
bandwidths are roofs of their level, the fastest pattern with ordinary stores. `of theory`: FP64 FMA as a
share of what cores, units and the held clock allow, where the tables know the device. Burst: a rate of
milliseconds, of a run before there were sustained ones, which a card at its power limit does not hold. Not
valid: the run itself says so. `atlas.py` writes this page.
"""


def rate(value):
    for factor, unit in ((1e12, "T"), (1e9, "G")):
        if value >= factor:
            return f"{value / factor:.4g} {unit}"
    return ""


def peak(device, *wanted):
    for kind, op, unit in wanted:
        try:
            return rate(device.peak(kind, op, unit))
        except KeyError:
            continue
    return ""


def bandwidth(device, *levels):
    for level in levels:
        try:
            return rate(device.bandwidth(level))
        except KeyError:
            continue
    return ""


def theory(content, device):
    entry = next(e for e in content["devices"] if e["id"] == device.id)
    found = [c for c in entry["ceilings"] if (c.get("type"), c.get("op")) == ("fp64", "fma") and c.get("roof")]
    shares = [c["value"] / c["theory"]["value"] for c in found if "theory" in c]
    return f"{100 * max(shares):.1f} %" if shares else ""


def rows(path, folder, source):
    content = json.load(open(path, encoding="utf-8"))
    for device in roofline.read(path).devices:
        last = bandwidth(device, "L3", "MCDRAM") if device.kind == "cpu" else ""
        entry = next(e for e in content["devices"] if e["id"] == device.id)
        is_burst = device.kind == "gpu" and not source and not any("sustained" in c for c in entry["ceilings"])
        yield device.kind, (
            folder,
            device.name + ("" if device.valid else " (not valid)"),
            peak(device, ("fp64", "fma", "")),
            peak(device, ("fp32", "fma", "")),
            peak(device, *MATRIX) + (" (burst)" if is_burst else ""),
            bandwidth(device, "L1"),
            bandwidth(device, "L2"),
            last,
            bandwidth(device, "HBM", "DRAM"),
            theory(content, device),
            source or content["created"][:10],
        )


CEILINGS = ("fp64-fma", "fp32-fma", "L2-load", "HBM-load")
MODELS = """/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * models.def: what GPUs of a model attained, of results/ (results/atlas/atlas.py models):
 *     ERT_MODEL(name, how many, ceiling, least, median, most)
 */
"""


def models():
    found = defaultdict(list)
    for path in sorted(glob.glob(os.path.join(HERE, "*", "ceilings.json"))):
        content = json.load(open(path, encoding="utf-8"))
        about = {one["id"]: one for one in content["machine"]["devices"]}
        for device in (one for one in content["devices"] if about[one["id"]]["kind"] == "gpu"):
            for one in device["ceilings"]:
                if one["name"] in CEILINGS and one["kind"] in ("compute", "memory"):
                    found[about[device["id"]]["name"], one["name"]].append(one["value"])
    print(MODELS, end="")
    for (name, ceiling), values in sorted(found.items(), key=lambda x: (x[0][0], CEILINGS.index(x[0][1]))):
        numbers = ", ".join(f"{v:.4g}" for v in (min(values), statistics.median(values), max(values)))
        if len(values) > 1:
            print(f'ERT_MODEL("{name}", {len(values)}, "{ceiling}", {numbers})')


def main():
    found = []
    for path in sorted(glob.glob(os.path.join(HERE, "*", "ceilings.json"))):
        found += rows(path, os.path.basename(os.path.dirname(path)), "")
    for name, source in SOURCES.items():
        found += rows(os.path.join(HERE, "published", name + ".json"), "published", source)
    print(HEAD)
    for kind, title in (("gpu", "GPUs"), ("cpu", "CPUs")):
        last = "L3, MCDRAM" if kind == "cpu" else ""
        rates = ("FP64", "FP32", "BF16", "L1", "L2", last, "memory", "of theory")
        titles = ("results/", "device", *rates, "from")
        keep = [i for i, text in enumerate(titles) if text]
        print(f"## {title}\n\nRates in flop/s and byte/s.\n")
        print("| " + " | ".join(titles[i] for i in keep) + " |")
        print("|" + "".join(" --- |" if i < 2 or i == len(titles) - 1 else " ---: |" for i in keep))
        for row in (row for of, row in found if of == kind):
            print("| " + " | ".join(row[i] for i in keep) + " |")
        print()


if sys.argv[1:] == ["models"]:
    models()
else:
    main()
