#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants real slowdowns on a GPU at random, and writes what `ert verify`, which is not told, says of each.

    trial.py ERT PLANT.SO PROBE OUT.ndjson SECONDS SEED [LEAST [KINDS]]     KINDS: as l2,link

A reference run first; then probe's rates with each plant; then trials, until SECONDS have passed since the
start: kind and level are drawn from SEED; with LEAST one in six has nothing planted, and the others at
least that. A line of OUT is a probe, a trial, or (kind "all") a verification of all ceilings with nothing
planted. CUDA_VISIBLE_DEVICES chooses the card.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import time

ert, plant, probe, out, seconds, seed = sys.argv[1:7]
least = float(sys.argv[7]) if len(sys.argv) > 7 else 0
kinds = sys.argv[8].split(",") if len(sys.argv) > 8 else ["fp64", "hbm"]
LEVELS = [0.002, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.07, 0.1, 0.2]
DRAWN = [0, *(x for x in LEVELS if x >= least)] if least else [0] * 6 + LEVELS
CEILINGS = {"fp64": "fp64-fma", "hbm": "HBM-load", "pulse": "HBM-load", "l2": "L2-load", "link": "h2d-pinned"}
begin = time.monotonic()
folder = tempfile.mkdtemp()
log = os.path.join(folder, "plant.log")
lines = open(out, "w")


def write(**line):
    line["at_s"] = round(time.monotonic() - begin, 2)
    lines.write(json.dumps(line) + "\n")
    lines.flush()


def planted(kind, rate):
    env = dict(os.environ, CUDA_MODULE_LOADING="EAGER", PLANT_LOG=log)
    if os.path.exists(log):
        os.unlink(log)
    if rate:
        env.update(CUDA_INJECTION64_PATH=plant, PLANT="%s:%g" % (kind, rate))
    return env


def taken():
    """Seconds and rate of the plant, by its own count."""
    try:
        words = open(log).read().split(None, 2)
        return {"plant_s": float(words[0]), "taken": float(words[1]), "cuda": words[2].strip()}
    except (OSError, IndexError):
        return {}


def verify(only, env):
    argv = [ert, "verify", "--device", "gpu0", "--output", "json"]
    argv += (["--only", only] if only else []) + [os.path.join(folder, "ceilings.json")]
    from_s = time.monotonic()
    try:
        done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=40)
    except subprocess.TimeoutExpired:
        return {"exit": "timeout"}
    keys = ("name", "verdict", "reason", "recorded", "now", "change", "detectable", "excluded",
            "clock_change")
    try:
        rows = [{k: r.get(k) for k in keys} for r in json.loads(done.stdout)["ceilings"]]
    except ValueError:
        return {"exit": done.returncode, "error": done.stderr[-300:]}
    return {"exit": done.returncode, "s": round(time.monotonic() - from_s, 2), "rows": rows}


def probed(kind, level, rate):
    done = subprocess.run([probe], env=planted(kind, rate), capture_output=True, text=True, timeout=60)
    words = done.stdout.split()
    rates = {name: float(word) for name, word in zip(("fp64", "hbm", "l2", "link"), words)}
    write(probe=kind, level=level, **rates, **taken())


done = subprocess.run([ert, "run", "--device", "gpu0", "--out", folder], capture_output=True, text=True)
values = {}
for device in json.load(open(os.path.join(folder, "ceilings.json")))["devices"]:
    for ceiling in device["ceilings"]:
        values[ceiling["name"]] = ceiling["value"]
    name = device["name"]
uuid = subprocess.run(["nvidia-smi", "--query-gpu=uuid", "--format=csv,noheader", "-i",
                       os.environ.get("CUDA_VISIBLE_DEVICES", "0")], capture_output=True, text=True)
write(card=name, uuid=uuid.stdout.strip(), run_exit=done.returncode, seed=seed,
      values={k: values[k] for k in set(CEILINGS.values())})
for kind in ("none", *kinds, "none"):
    for level in [0] if kind == "none" else LEVELS:
        probed(kind, level, level * values.get(CEILINGS.get(kind), 0))
draw = random.Random(seed)
n = 0
while time.monotonic() - begin < float(seconds):
    if n % 20 == 10:
        write(kind="all", level=0, **verify(None, planted("", 0)))
    kind = draw.choice(kinds * 4 + ["pulse"])
    level = draw.choice(DRAWN)
    result = verify(CEILINGS[kind], planted(kind, level * values[CEILINGS[kind]]))
    write(kind=kind if level else "none", level=level, **result, **taken())
    n += 1
