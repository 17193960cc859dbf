#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Slows a CPU really, at random, and writes what `ert verify`, which is not told, says of each.

    cpu.py ERT PLANT_CPU OUT.ndjson N SEED    as root, for the quota (a cgroup, version 1)
    cpu.py table OUT.ndjson.gz...

ERT runs on CPU 0. Kinds: none; quota: of its time; burner: on the same CPU; hog: memory, from CPU 1. How much
slower another program gets is measured just before, without and with the same plant.
"""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import defaultdict

KINDS = ["none", "quota", "burner", "hog"]
LEVELS = [0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5]
GROUP = "/sys/fs/cgroup/cpu/ert-field-trial"
CONFIG = {"schema": "ert-config/2", "name": "field", "device": "cpu", "threads": 1,
          "sections": ["levels", "compute"], "kernels": ["load", "triad", "fma_fp64"]}


def on_cpu0(words, in_group=False):
    first = f"echo $$ >{GROUP}/cgroup.procs; " if in_group else ""
    line = first + 'exec taskset -c 0 "$@"'
    return subprocess.run(["sh", "-c", line, "sh", *words], capture_output=True, text=True, timeout=120)


class Plant:
    def __init__(self, program, kind, level):
        self.process = None
        if kind == "quota":
            os.mkdir(GROUP)
            for name, value in (("period", 10000), ("quota", round(10000 * (1 - level)))):
                with open(f"{GROUP}/cpu.cfs_{name}_us", "w", encoding="utf-8") as file:
                    file.write(str(value))
        elif kind != "none":
            words = [program, {"burner": "burn"}.get(kind, kind), "1" if kind == "hog" else "0", str(level)]
            self.process = subprocess.Popen(words, stdout=subprocess.PIPE)
            self.process.stdout.readline()

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
        elif os.path.exists(GROUP):
            os.rmdir(GROUP)


def trial(ert, program, ceilings, kind, level, dedicated):
    probe = [program, "probe", "0", "0"]
    before = [float(x) for x in on_cpu0(probe).stdout.split()]
    plant = Plant(program, kind, level)
    limited = kind == "quota"
    after = [float(x) for x in on_cpu0(probe, limited).stdout.split()]
    words = [ert, "verify", ceilings, "--all", "--output", "json"] + ["--dedicated"] * dedicated
    done = on_cpu0(words, limited)
    plant.end()
    try:
        rows = [{k: r.get(k) for k in ("name", "verdict", "reason", "change", "detectable")}
                for r in json.loads(done.stdout)["ceilings"]]
    except ValueError:
        rows = []
    return {"kind": kind, "level": level, "dedicated": dedicated, "exit": done.returncode, "rows": rows,
            "fp64": 1 - after[0] / before[0], "memory": 1 - after[1] / before[1],
            **({} if rows else {"error": done.stderr[-300:]})}


def run(ert, program, out, n, seed):
    draw = random.Random(int(seed))
    with tempfile.TemporaryDirectory() as folder, open(out, "w", encoding="utf-8") as lines:
        config = os.path.join(folder, "config.json")
        with open(config, "w", encoding="utf-8") as file:
            json.dump(CONFIG, file)
        for i in range(int(n)):
            if i % 100 == 0:
                on_cpu0([ert, "run", "--config", config, "--out", folder])
            kind = draw.choice(KINDS)
            level = draw.choice(LEVELS) if kind != "none" else 0
            one = trial(ert, program, os.path.join(folder, "ceilings.json"), kind, level, draw.random() < 0.5)
            lines.write(json.dumps(one) + "\n")
            lines.flush()


EDGES = [-1, 0.03, 0.08, 0.15, 0.25, 0.35, 0.45, 1]


def table(paths):
    cells = defaultdict(lambda: defaultdict(int))
    for path in paths:
        with gzip.open(path, "rt") as lines:
            for one in map(json.loads, lines):
                for row in one["rows"]:
                    what = "memory" if row["name"].startswith("DRAM") else "core"
                    true = one["memory"] if what == "memory" else one["fp64"]
                    bin_ = sum(true >= edge for edge in EDGES) - 1
                    who = one["kind"] + (", --dedicated" if one["dedicated"] and what == "memory" else "")
                    cells[what, who, 0 if one["kind"] == "none" else bin_][row["verdict"]] += 1
    words = ["same", "slower", "faster", "cannot tell"]
    print("| ceilings | planted | true slowdown | verdicts | same | slower | faster | cannot tell |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for (what, who, bin_), of in sorted(cells.items()):
        total = sum(of.values())
        low, high = 100 * max(EDGES[bin_], 0), 100 * EDGES[bin_ + 1]
        span = "-" if who.startswith("none") else f"{low:.0f} to {high:.0f} %"
        shares = " | ".join(f"{of[word]}" for word in words)
        print(f"| {what} | {who} | {span} | {total} | {shares} |")


table(sys.argv[2:]) if sys.argv[1] == "table" else run(*sys.argv[1:])
