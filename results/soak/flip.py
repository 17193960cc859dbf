#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""flip.py ERT CEILINGS N [LIBFLIP]: flips a bit of the data that a running `ert soak` reads, N times, and
counts how often it says so. The ceilings are a CPU's; those of its DRAM are left out: a round of all others
takes seconds. With LIBFLIP (flip.c) they are a GPU's, of them the bandwidths of L2."""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ERT, CEILINGS, N = sys.argv[1], sys.argv[2], int(sys.argv[3])
LIBFLIP = os.path.abspath(sys.argv[4]) if len(sys.argv) > 4 else None
FLIP = os.path.join(tempfile.mkdtemp(), "flip")
HUGE, LARGE = 2 << 20, 8 << 20
PATIENCE_S, OPENING_S = (5, 0.7) if LIBFLIP else (20, 0.5)  # a round; a session with fresh data


def wrong(out):
    """The lines of wrong results; the last line may be torn."""
    with open(out, encoding="utf-8") as file:
        return [line for line in file if '"line":"wrong"' in line and line.endswith("\n")]


def source(pid):
    """Where the source data begin: in the first of two mappings of one size, which may have been joined."""
    maps = []
    with open(f"/proc/{pid}/maps", encoding="utf-8") as file:
        for line in file:
            cells = line.split()
            first, end = (int(word, 16) for word in cells[0].split("-"))
            if len(cells) == 5 and cells[1].startswith("rw") and end - first > LARGE + HUGE:
                maps.append((first, end))
    if not maps:  # between two sessions
        time.sleep(0.1)
        return source(pid)
    first, end = maps[-1]
    if len(maps) < 2 or maps[-2][1] - maps[-2][0] != end - first:
        first = (first + end) // 2
    return (first + HUGE - 1) // HUGE * HUGE


def flip_gpu(which):
    """By the library in the program, in the first MiB of one of its two regions."""
    with open(FLIP + ".new", "w", encoding="utf-8") as file:
        file.write(f"{which} {random.randrange(1 << 23)}")
    os.rename(FLIP + ".new", FLIP)


def flip(pid):
    place = source(pid) + random.randrange(1 << 20)
    memory = os.open(f"/proc/{pid}/mem", os.O_RDWR)
    byte = os.pread(memory, 1, place)[0]
    os.pwrite(memory, bytes([byte ^ 1 << random.randrange(8)]), place)
    os.close(memory)


def main():
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        with open(CEILINGS, encoding="utf-8") as file:
            content = json.load(file)
        device = content["devices"][0]
        device["ceilings"] = [
            one
            for one in device["ceilings"]
            if (one["kind"] == "memory" and one["level"] == "L2" if LIBFLIP else one.get("level") != "DRAM")
        ]
        less, out = os.path.join(folder, "less.json"), os.path.join(folder, "soak.ndjson")
        with open(less, "w", encoding="utf-8") as file:
            json.dump(content, file)
        words = [ERT, "soak", less, "--device", device["id"], "--time", "36000s", "--region", "10ms",
                 "--out", out]
        env = dict(os.environ, FLIP=FLIP, **({"CUDA_INJECTION64_PATH": LIBFLIP} if LIBFLIP else {}))
        with open("flip.log", "w", encoding="utf-8") as log:  # what flip.c says, too
            soak = subprocess.Popen(words, stdout=log, stderr=log, env=env)
        while soak.poll() is None and not (os.path.exists(out) and os.path.getsize(out)):
            time.sleep(0.05)
        found, which, n = 0, 0, 0
        while n < N and soak.poll() is None:
            before, end = len(wrong(out)), time.monotonic() + PATIENCE_S
            flip_gpu(which) if LIBFLIP else flip(soak.pid)
            while len(wrong(out)) == before and time.monotonic() < end and soak.poll() is None:
                time.sleep(0.02)
            if LIBFLIP and found == 0 and len(wrong(out)) == before and which == 0:
                which = 1  # the other region is the one that is read
                continue
            n += 1
            found += len(wrong(out)) > before
            print(f"{found} of {n} so far", file=sys.stderr, flush=True)
            time.sleep(OPENING_S)
        soak.terminate()
        print(f"found {found} of {N}; {len(wrong(out)) - found} more were said; exit code {soak.wait()}")


main()
