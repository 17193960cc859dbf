#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Records two examples again and again, as they are and slower on purpose: a line of JSON per recording.

    series.py BUILD ROUND [--neighbour | --burst] >> series.ndjson

A round is four recordings of the time: of each program one as it is, and one whose loops run more often, by
5, 10 or 20 % in turn. --neighbour: beside them another program computes at random, half of the time.
--burst: five recordings of each program as it is, one at once after the other, as of a baseline.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

# Options and repetitions: below 0.3 s a run, four kernels of one thread and two of two.
PROGRAMS = {
    "stencil": (["--n", "64", "--threads", "1"], 20),
    "stream": (["--n", "1000000", "--threads", "2"], 100),
}
PLANTED = (5, 10, 20)


def record(build, folder, name, percent):
    words, repeat = PROGRAMS[name]
    command = [f"{build}/examples/{name}", *words, "--repeat", str(repeat * (100 + percent) // 100)]
    words = [f"{build}/analysis/roofline", "record", "--with", "time", "--out", folder, "--", *command]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    with open(f"{folder}/points.json", encoding="utf-8") as file:
        points = json.load(file)["points"]
    return [{"name": point["name"], "time_s": float(f"{point['time_s']:.6g}"),
             "interval_s": [float(f"{end:.6g}") for end in point["interval_s"]],
             **({"warning": point["warnings"][0]} if "warnings" in point else {})} for point in points]


def neighbour(seed):
    """Bursts of 0.1 to 1 s, and pauses as long."""
    random.seed(seed)
    while True:
        end = time.monotonic() + random.uniform(0.1, 1)
        while time.monotonic() < end:
            pass
        time.sleep(random.uniform(0.1, 1))


def main():
    build, turn = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    beside, is_burst = (sys.argv[3:] == [word] for word in ("--neighbour", "--burst"))
    other = os.fork() if beside else None
    if other == 0:
        neighbour(turn)
    try:
        for name in PROGRAMS:
            for percent in [0] * 5 if is_burst else (0, PLANTED[turn % len(PLANTED)]):
                with tempfile.TemporaryDirectory() as folder:
                    points = record(build, folder, name, percent)
                print(json.dumps({"round": turn, "neighbour": beside, "burst": is_burst, "program": name,
                                  "planted": percent, "points": points}), flush=True)
    finally:
        if other:
            os.kill(other, 9)


main()
