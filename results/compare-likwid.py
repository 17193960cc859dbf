#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""compare-likwid: our CPU kernels beside Debian's likwid-bench, row by row, interleaved.

Usage: compare-likwid.py ERT OUT.json [--threads 1,2] [--isa avx512,avx2] [--level L1,L2,L3,DRAM,-]
                         [--kernel load,...] [--alternations 25] [--under PROGRAM]
       compare-likwid.py --table OUT.json...

A row is a kernel, a level, an instruction set and a number of threads. Both programs get the same
set and a region of the same length, in turns; of both the same quantile of all alternations counts
(90 %, since disturbance is one-sided; "best / best" compares the fastest of each). Our two ways
that are fastest in a trial before take part in every alternation, and the faster one counts, as in
a sweep. Regions are short against what a hypervisor takes away at a time. Both count useful bytes:
likwid knows no write-allocate either, and its `stream` is our triad (its `triad` has four arrays).
likwid-bench sleeps for a second before it works; LIKWID_PRELOAD may name a library that shortens
its sleeps. Its cycles are of the TSC, whose clock is the median of what all its runs find. --under:
what each group of rows is run under, such as a lock.
"""
import argparse, json, os, re, statistics, subprocess, sys

QUANTILE = 0.9
PRELOAD = os.environ.get("LIKWID_PRELOAD", "")
CLOCKS = []
REGION_S = {"L1": 0.003, "L2": 0.003, "L3": 0.01, "DRAM": 0.05, "-": 0.003}
PER_THREAD_KIB = {"L1": 16, "L2": 768, "L3": 12 << 10, "DRAM": 512 << 10, "-": 16}
# ours, likwid's; {isa} is replaced
MEMORY = [("load", "load_{isa}"), ("store", "store_{isa}"), ("copy", "copy_{isa}"),
          ("update", "update_{isa}"), ("triad", "stream_{isa}_fma")]
COMPUTE = [("fma_fp64", "peakflops_{isa}_fma"), ("add_fp64 mul_fp64 addmul_fp64", "peakflops_{isa}")]
GROUP = 4


def quantile(values):
    values = sorted(values)
    return values[min(len(values) - 1, int(QUANTILE * len(values)))]


class Row:
    def __init__(self, ours, peer, level, isa, threads):
        self.kernels, self.level, self.isa, self.threads = ours.split(), level, isa, threads
        self.peer = peer.format(isa=isa)
        share = threads if level != "DRAM" else 1
        self.set_bytes = PER_THREAD_KIB[level] * 1024 * share
        self.rates, self.peer_rates = {}, []  # ours: by kernel and variant

    def ours(self, ert, kernel, variant, time_s):
        command = [ert, "bench", kernel, "--threads", str(self.threads), "--variant", variant,
                   "--time", f"{time_s * 1000:g}ms", "--json"]
        if self.level != "-":
            command += ["--set", str(self.set_bytes)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        region = json.loads(text)
        return (region["bytes"] if self.level != "-" else region["flops"]) / region["time_s"]

    def choose(self, ert):
        trials = {}
        for kernel in self.kernels:
            said = subprocess.run([ert, "bench", kernel, "--variant", "?"], capture_output=True,
                                  text=True).stderr
            for variant in re.findall(r"'([^']*)'", said):
                if variant.split()[0] == self.isa:
                    trials[kernel, variant] = []
        for _ in range(1 if len(trials) == 1 else 3 if self.level == "DRAM" else 9):
            for choice, rates in trials.items():
                rates.append(self.ours(ert, *choice, REGION_S[self.level]))
        best = sorted(trials, key=lambda choice: quantile(trials[choice]))[-2:]
        self.rates = {choice: [] for choice in best}
        self.iterations = 10 if self.level == "-" else 1
        rate = self.peers()
        work = rate * statistics.median(CLOCKS) * REGION_S[self.level]
        self.iterations = max(1, round(work / self.last_volume * self.iterations))

    def peers(self):
        size = f"S0:{self.set_bytes // 1000}kB:{self.threads}"
        text = subprocess.run(["likwid-bench", "-t", self.peer, "-w", size, "-i",
                               str(self.iterations)], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True,
                              env=dict(os.environ, LD_PRELOAD=PRELOAD)).stdout
        what = r"Data volume \(Byte\)" if self.level != "-" else "Number of Flops"
        number = lambda word: float(re.search(word + r":\s+([\d.]+)", text)[1])
        CLOCKS.append(number("Cycle Clock"))
        self.last_volume = number(what)
        return self.last_volume / number("Cycles")  # per cycle of the TSC


def measure(ert, rows, alternations):
    """Of two that alternate, either begins every other time."""
    for row in rows:
        row.choose(ert)
    for i in range(alternations):
        for row in rows:
            for turn in (i % 2, (i + 1) % 2):
                if turn:
                    for choice, rates in row.rates.items():
                        rates.append(row.ours(ert, *choice, REGION_S[row.level]))
                else:
                    row.peer_rates.append(row.peers())


def to_json(row):
    clock_hz = statistics.median(CLOCKS)
    row.peer_rates = [rate * clock_hz for rate in row.peer_rates]
    choice = max(row.rates, key=lambda choice: quantile(row.rates[choice]))
    rates = row.rates[choice]
    rate, peer = quantile(rates), quantile(row.peer_rates)
    return {"kernel": choice[0], "variant": choice[1], "likwid": row.peer,
            "level": row.level, "isa": row.isa, "threads": row.threads,
            "set_bytes": row.set_bytes, "rate_per_s": rate, "likwid_rate_per_s": peer,
            "ratio": rate / peer, "best_ratio": max(rates) / max(row.peer_rates),
            "rates_per_s": rates, "likwid_rates_per_s": row.peer_rates}


def table(rows):
    print("| threads | level | kernel, way | G/s | likwid-bench | G/s | ratio | best / best |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for r in rows:
        way = r["variant"] + (", again" if r.get("again") else "")
        print(f"| {r['threads']} | {r['level']} | {r['kernel']}, {way} | "
              f"{r['rate_per_s'] / 1e9:.1f} | {r['likwid']} | "
              f"{r['likwid_rate_per_s'] / 1e9:.1f} | {r['ratio']:.3f} | {r['best_ratio']:.3f} |")
    for name in ("ratio", "best_ratio"):
        ratios = sorted(r[name] for r in rows)
        print(f"\n{name}: {sum(r >= 0.97 for r in ratios)} of {len(ratios)} rows at 0.97 or more, "
              f"{sum(r < 0.93 for r in ratios)} below 0.93; least {ratios[0]:.3f}, middle "
              f"{ratios[len(ratios) // 2]:.3f}")


def main():
    if sys.argv[1] == "--table":
        table([r for name in sys.argv[2:] for r in json.load(open(name))])
        return
    parser = argparse.ArgumentParser()
    parser.add_argument("ert")
    parser.add_argument("out")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--isa", default="avx512,avx2")
    parser.add_argument("--level", default="-,L1,L2,L3,DRAM")
    parser.add_argument("--alternations", type=int, default=25)
    parser.add_argument("--kernel", default="load,store,copy,update,triad,fma_fp64,add_fp64")
    parser.add_argument("--under", default="")
    parser.add_argument("--group", type=int, default=-1, help=argparse.SUPPRESS)
    a = parser.parse_args()
    rows = []
    for level in a.level.split(","):
        for isa in a.isa.split(","):
            for threads in a.threads.split(","):
                rows += [Row(ours, peer.replace("{isa}", "avx") if isa == "avx2" else peer, level,
                             isa, int(threads))
                         for ours, peer in (COMPUTE if level == "-" else MEMORY)]
    rows = [r for r in rows if r.kernels[0] in a.kernel.split(",")]
    dram = [r for r in rows if r.level == "DRAM"]
    fast = [r for r in rows if r.level != "DRAM"]
    groups = [fast[i:i + GROUP] for i in range(0, len(fast), GROUP)] + [[r] for r in dram]
    if a.group >= 0:
        measure(a.ert, groups[a.group], a.alternations)
        json.dump([to_json(row) for row in groups[a.group]], sys.stdout)
        return
    done = []
    for i in range(len(groups)):
        command = ([a.under] if a.under else []) + [sys.executable, os.path.abspath(__file__)]
        command += sys.argv[1:] + ["--group", str(i)]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        done += json.loads(result.stdout)
        with open(a.out, "w") as out:
            json.dump(done, out, indent=1)
    table(done)


main()
