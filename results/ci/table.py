#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares recordings (series.py) with each other by the real command, and counts: a table in Markdown.

    table.py ROOFLINE series.ndjson.gz [WORKERS]

A check is one `roofline compare BASELINE NOW --fail-below 0.95`, of every recording with every baseline of
its program that it is no part of. A baseline is one recording, or five as one, of five rounds or of a burst:
the medians of their times, from the least to the greatest end of their intervals.
"""
import concurrent.futures
import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from statistics import median

RULES = ("exit code 1", "the next, too", "and verdict `slower`", "below 0.8")


def merged(recordings):
    """Their points, one for each kernel."""
    kernels = defaultdict(list)
    for recording in recordings:
        for point in recording["points"]:
            kernels[point["name"]].append(point)
    ends = {name: [end for one in points for end in one["interval_s"]] for name, points in kernels.items()}
    return [{"name": name, "time_s": median(point["time_s"] for point in points), "flops": [], "bytes": [],
             "interval_s": [min(ends[name]), max(ends[name])]} for name, points in kernels.items()]


def write(folder, name, recordings):
    path = os.path.join(folder, name + ".json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "ert-points/1", "points": merged(recordings)}, file)
    return path


def check(program, baseline, now):
    """What the rules but the second say of a check; the exit code is the command's."""
    done = subprocess.run([program, "compare", baseline, now, "--fail-below", "0.95", "--output", "csv"],
                          capture_output=True, encoding="utf-8", check=False)
    rows = [row for row in csv.DictReader(io.StringIO(done.stdout)) if row["kind"] == "time"]
    is_sure = any(row["fails"] == "yes" and row["verdict"] == "slower" for row in rows)
    is_far = any(float(row["b_low"]) * 0.8 > float(row["a"]) for row in rows)
    return done.returncode == 1, False, is_sure, is_far


def baselines(lines, kind):
    """Lists of recordings: one of a round, also beside a neighbour; five of five rounds; five of a burst."""
    rounds = [line for line in lines if not line["burst"] and line["neighbour"] == (kind == "1, busy")]
    if kind == "5 of a burst":
        bursts = defaultdict(list)
        for line in lines:
            if line["burst"]:
                bursts[line["round"]].append(line)
        return list(bursts.values())
    n = 5 if kind == "5 of rounds" else 1
    return [rounds[first:first + n] for first in range(len(rounds) - n + 1)]


def row(pool, program, folder, bases, others):
    """The cells of a row, and how many baselines have an alarm."""
    counts, totals, n_alarmed = [0] * len(RULES), [0] * len(RULES), 0
    for parts in bases:
        file = write(folder, "baseline", parts)
        said = list(pool.map(lambda now: None if now in parts else check(program, file, now["file"]), others))
        known = [one for one in said if one]
        n_alarmed += any(one[0] for one in known)
        for rule in (0, 2, 3):
            counts[rule] += sum(one[rule] for one in known)
            totals[rule] += len(known)
        both = [one[0] and after[0] for one, after in zip(said, said[1:]) if one and after]
        counts[1] += sum(both)
        totals[1] += len(both)
    shares = [f"{count} ({100 * count / total:.1f} %)" for count, total in zip(counts, totals)]
    return [str(totals[0]), f"{n_alarmed} of {len(bases)}", *shares]


def main():
    program, lines = sys.argv[1], [json.loads(line) for line in gzip.open(sys.argv[2], "rt")]
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    print("| program | baseline | now | planted | checks | baselines with an alarm |", " | ".join(RULES), "|")
    print("| --- " * 4 + "| ---: " * (2 + len(RULES)) + "|")
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for i, line in enumerate(lines):
            line["file"] = write(folder, str(i), [line])
        for kind, now in (("1", "quiet"), ("5 of rounds", "quiet"), ("5 of a burst", "quiet"), ("1", "busy"),
                          ("1, busy", "busy")):
            for name in sorted({line["program"] for line in lines}):
                own = [line for line in lines if line["program"] == name]
                bases = baselines([line for line in own if not line["planted"]], kind)
                for planted in (0, 5, 10, 20):
                    others = [line for line in own if line["planted"] == planted and not line["burst"]
                              and line["neighbour"] == (now == "busy")]
                    cells = row(pool, program, folder, bases, others)
                    print(f"| {name} | {kind} | {now} | {planted} % |", " | ".join(cells), "|", flush=True)


main()
