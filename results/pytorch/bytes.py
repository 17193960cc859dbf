# SPDX-License-Identifier: BSD-3-Clause
"""Bytes of one step as Nsight Compute counted them, beside those of roofline's rules.

    models.py's models, each behind a spin_kernel, all kernels, in files bytes-N.csv.gz:
    ncu --clock-control none --cache-control none --profile-from-start off --csv --page raw \\
        --print-units base --metrics lts__t_sectors_srcunit_tex.sum,dram__bytes.sum \\
        python3 models.py ncu x MODEL...
    bytes.py ROOFLINE bytes-1.csv.gz MODEL... [bytes-2.csv.gz MODEL...]

A rule's bytes are compulsory: what the operands need once. L2 serves them to the SMs, so that it never counts
fewer; memory may, for what L2 still holds.
"""

import csv
import gzip
import sys
from collections import defaultdict

from counted import point_of, read_trace, step

SECTOR = 32
METRICS = ("lts__t_sectors_srcunit_tex.sum", "dram__bytes.sum")


def compare(roofline, model, rows, columns):
    found = read_trace(roofline, model)
    if not found:
        return
    ops, kernels, points, calls, copied = found
    kernels = step(kernels)
    if len(kernels) != len(rows):
        print(f"{model}: {len(rows)} kernels counted, {len(kernels)} in the trace", file=sys.stderr)
        return
    rule = {
        p["name"]: (max((b["count"] for b in p["bytes"]), default=0) - 2 * copied[p["name"]])
        / max(1, len(calls[p["name"]]))
        for p in points
    }
    per_call = defaultdict(lambda: [0.0, 0.0])
    for row, event in zip(rows, kernels):
        for i, factor in enumerate((SECTOR, 1)):
            number = float(row[columns[i]].replace(",", "") or 0)
            per_call[event["args"]["External id"]][i] += factor * number
    sums = defaultdict(lambda: [0.0, 0.0, 0.0, 0])
    for call, counted in per_call.items():
        name = point_of(ops[call])
        if rule.get(name):
            of = sums[ops[call]["name"].removeprefix("aten::")]
            of[:] = of[0] + counted[0], of[1] + counted[1], of[2] + rule[name], of[3] + 1
    for op, (l2, memory, ours, n) in sorted(sums.items()):
        print(f"| {model} | {op} | {n} | {l2:.4g} | {memory:.4g} | {ours:.4g} | {ours / l2:.3f} |")


def main():
    roofline, models, file = sys.argv[1], [], None
    words = [*sys.argv[2:], ".csv.gz"]
    print("| model | operator | calls | L2 to SMs | memory | rule | rule / L2 |")
    print("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for word in words:
        if not word.endswith(".csv.gz"):
            models.append(word)
            continue
        if file:
            lines = list(csv.reader(line for line in gzip.open(file, "rt") if line.startswith('"')))
            head = lines[0]
            columns = [next(i for i, title in enumerate(head) if part in title) for part in METRICS]
            kernel = head.index("Kernel Name")
            groups = []
            for row in lines[2:]:
                if "spin_kernel" in row[kernel]:
                    groups.append([])
                else:
                    groups[-1].append(row)
            for model, rows in zip(models, groups):
                compare(roofline, model, rows, columns)
        file, models = word, []


main()
