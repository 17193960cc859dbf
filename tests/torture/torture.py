#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""torture.py BUILD SOURCE SHIM [--step N] [--only NAME]: the n-th allocation and the n-th system call fail.

Each command below runs over small files; then once for every n (or every N-th n) with its n-th allocation
failing (fault_shim.c), and its n-th system call failing (strace's injection). Each time it must end in its
own time with either what the undisturbed run printed and wrote, byte for byte, and its exit code, or with
exit code 1, a line that says so, and none of the files that the undisturbed run wrote unless whole. Prints
TAP: a row per command and kind of fault.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

# Calls that a program makes for its files, and the error that each gets. Memory is the shim's; calls that
# never fail, and those of threads and time, are left out.
CALLS = {
    "openat": "EIO", "read": "EIO", "pread64": "EIO", "write": "ENOSPC", "newfstatat": "EIO",
    "fstat": "EIO", "lseek": "EIO", "fsync": "EIO", "rename": "EIO", "unlink": "EIO", "mkdir": "EIO",
    "getdents64": "EIO", "ftruncate": "EIO", "pipe2": "EMFILE",
}
# Ends of the run that the dynamic loader decides, before main().
LOADER = re.compile(rb"error while loading shared libraries|cannot (map|allocate|create)|ELF load command")


def prepare(build, source, folder):
    """The commands by name: words, and the files that each writes; with their input in the folder."""
    ert, roofline, simulate = (os.path.join(build, *path) for path in (
        ("ert", "ert"), ("analysis", "roofline"), ("tests", "fleet", "fleet_simulate")))

    def make(*words, out=None):
        done = subprocess.run(words, cwd=folder, capture_output=True, check=False)
        if out:
            with open(os.path.join(folder, out), "ab") as file:
                file.write(done.stdout)
        return done

    small = os.path.join(folder, "small.json")
    with open(small, "w", encoding="utf-8") as file:
        file.write('{"schema": "ert-config/2", "device": "fake0", "sections": ["compute", "levels"], '
                   '"rounds": 2, "leader_rounds": 0, "sustained_s": 0, '
                   '"kernels": ["load", "triad", "fma_fp64"], "points_per_octave": 2}')
    if make(ert, "run", "--config", small, "--out", "run").returncode != 0:
        make(ert, "run", "--device", "fake0", "--quick", "--out", "run")
    # A fleet of twelve nodes and their links, of which one is slow and was measured once.
    net = os.path.join(source, "tests", "data", "net", "lines.ndjson")
    fleet = os.path.join(folder, "fleet")
    os.mkdir(fleet)
    for sample in "0", "1":
        make(simulate, "--nodes", "12", "--ceilings", "3", "--bad-share", "0.1", "--bad-by",
             "0.3", "--sample", sample, out="records")
    for line in open(os.path.join(folder, "records"), encoding="utf-8"):
        with open(os.path.join(fleet, json.loads(line)["host"] + ".ndjson"), "a", encoding="utf-8") as file:
            file.write(line)
    with open(os.path.join(fleet, "job.net"), "w", encoding="utf-8") as file:
        file.writelines(line for line in open(net, encoding="utf-8") if "timeout" not in line)
    published = os.path.join(source, "results", "published")
    v100 = os.path.join(published, "v100-ceilings.json")
    ceilings = os.path.join(folder, "run", "ceilings.json")
    shutil.copytree(os.path.join(folder, "run"), os.path.join(folder, "before", "run"),
                    symlinks=True)
    data = os.path.join(source, "tests", "data")
    profile = os.path.join(data, "points", "gpp-v100.json")
    perf = os.path.join(data, "perf", min(name for name in os.listdir(os.path.join(data, "perf"))
                                          if name.endswith(".csv")))
    return {
        "run": [ert, "run", "--config", small, "--out", "run"],
        "fit": [ert, "fit", os.path.join(folder, "run", "samples.json"), "--out", "fit.json"],
        "merge": [ert, "fleet", "merge", fleet, "--out", "report"],
        "verify": [ert, "verify", ceilings, "--device", "fake", "--output", "json"],
        "place": [roofline, "place", v100, profile, "--output", "json"],
        "import": [roofline, "import", "auto", perf, "--out", "imported.json"],
        "plot": [roofline, "plot", v100, profile, "--out", "chart.svg"],
        "page": [roofline, "plot", v100, profile, "--out", "page.html"],
    }


def files_of(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            whole = os.path.join(path, name)
            with open(whole, "rb") as file:
                found[os.path.relpath(whole, folder)] = file.read()
    return found


class Case:
    def __init__(self, name, words, shim, before=None):
        """before: a folder that the command's working folder is a copy of."""
        self.name, self.words, self.shim, self.before = name, words, shim, before
        self.expected = self.run({})

    def run(self, environment, before=()):
        with tempfile.TemporaryDirectory(prefix="torture-") as folder:
            if self.before:
                shutil.copytree(self.before, folder, symlinks=True, dirs_exist_ok=True)
            env = dict(os.environ, LC_ALL="C", HOME=folder, SOURCE_DATE_EPOCH="1", **environment)
            try:
                done = subprocess.run([*before, *self.words], cwd=folder, capture_output=True, env=env,
                                      timeout=60, check=False, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return "hangs", b"", b"", {}
            return done.returncode, done.stdout, done.stderr, files_of(folder)

    def judge(self, result):
        """What is wrong with a result; "" nothing."""
        status, out, err, files = result
        if self.before:
            return self.judge_set(result)
        if status == "hangs" or status < 0 or status >= 128:
            return f"ends with {status}: {err[-300:]!r}"
        if status == 127 and LOADER.search(err):
            return ""
        if b"AddressSanitizer" in err or b"runtime error" in err:
            return f"sanitizer: {err[:600]!r}"
        is_same = (status, out, files) == (self.expected[0], self.expected[1], self.expected[3])
        if is_same:
            return ""
        if status in (0, 4) and self.name == "verify":
            return self.judge_verdicts(out)
        if status not in (1, 2, 3):
            return f"exit code {status}, but not the same output: {err[-300:]!r}"
        if not err.strip():
            return f"exit code {status} without a word"
        for name, content in files.items():
            if self.expected[3].get(name) != content:
                return f"exit code {status}, and {name} is left behind, not whole"
        return ""

    def judge_set(self, result):
        """Of a run into a folder that holds another one: that is kept, and the new set is whole."""
        status, _, err, files = result
        old = files_of(self.before)
        kept = sum(content in files.values() for content in old.values())
        halves = [name for name in files if ".tmp" in name]
        if status == "hangs" or status < 0 or status >= 126:
            is_loader = status == 127 and LOADER.search(err)
            return "" if is_loader else f"ends with {status}: {err[-300:]!r}"
        if kept < len(old):
            return f"exit code {status}, and the earlier results are gone: {sorted(files)}: {err[-300:]!r}"
        latest = [files.get(os.path.join("run", name))
                  for name in ("samples.json", "ceilings.json", "roofline.svg")]
        if status in (0, 4) and (halves or None in latest or latest[1] in old.values()):
            return f"exit code {status}, and the results are not all there: {sorted(files)}: {err[-300:]!r}"
        return "" if err.strip() else f"exit code {status} without a word"

    def judge_verdicts(self, out):
        """A case that lacked memory while it was measured has no verdict; the others keep theirs."""
        before, now = (
            {row["device"] + row["name"]: row for row in json.loads(text)["ceilings"]}
            for text in (self.expected[1], out)
        )
        if before.keys() != now.keys():
            return "other ceilings are judged"
        for name, row in now.items():
            if row["verdict"] not in (before[name]["verdict"], "cannot tell"):
                return f"{name} is {row['verdict']}, was {before[name]['verdict']}: {row}"
        return ""

    def allocation(self, n):
        return self.judge(self.run({"LD_PRELOAD": self.shim, "SHIM_FAIL": str(n)}))

    def count_allocations(self):
        with tempfile.NamedTemporaryFile() as count:
            self.run({"LD_PRELOAD": self.shim, "SHIM_COUNT": count.name})
            return int(count.read() or 0)

    def traced(self, *inject):
        trace = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + ",".join(CALLS))
        return (*trace, *inject)

    def count_calls(self):
        """How often each call happens."""
        with tempfile.NamedTemporaryFile() as log:
            self.run({}, ("strace", "-f", "-qq", "-o", log.name, "-e", "trace=" + ",".join(CALLS)))
            text = log.read().decode("utf-8", "replace")
        return {call: len(re.findall(rf"\b{call}\(", text)) for call in CALLS}

    def call(self, at):
        call, n = at
        return self.judge(self.run({}, self.traced("-e", f"inject={call}:error={CALLS[call]}:when={n}")))


def torture(pool, number, case, what, points, function):
    findings = [(point, text) for point, text in zip(points, pool.map(function, points)) if text]
    for point, text in findings[:20]:
        print(f"# {case.name}: {what} {point}: {text}")
    print(f"{'not ok' if findings else 'ok'} {number} - {case.name}: {len(points)} {what}s fail", flush=True)
    return len(findings)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("source")
    parser.add_argument("shim")
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--only")
    options = parser.parse_args()
    has_strace = shutil.which("strace") and \
        subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], check=False).returncode == 0
    number = n_points = n_findings = 0
    with tempfile.TemporaryDirectory(prefix="torture-") as folder, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        commands = prepare(os.path.abspath(options.build), os.path.abspath(options.source), folder)
        for name, words in commands.items():
            if options.only and name != options.only:
                continue
            # Of a run only its calls: what it measures meanwhile are the faults of test_faults.
            before = os.path.join(folder, "before") if name == "run" else None
            case = Case(name, words, os.path.abspath(options.shim), before)
            number += 1
            if case.expected[0] not in (0, 4) or not before and case.run({})[:2] != case.expected[:2]:
                print(f"not ok {number} - {name}: does not run, or not twice alike: {case.expected[:3]}")
                n_findings += 1
                continue
            points = [] if before else range(1, case.count_allocations() + 1, options.step)
            n_points += len(points)
            n_findings += torture(pool, number, case, "allocation", points, case.allocation)
            number += 1
            if not has_strace:
                print(f"ok {number} - {name}: system calls fail # SKIP no strace")
                continue
            points = [(call, n) for call, most in case.count_calls().items() for n in range(1, most + 1)]
            points = points[:: options.step]
            n_points += len(points)
            n_findings += torture(pool, number, case, "call", points, case.call)
    print(f"1..{number}")
    print(f"# {n_points} points, {n_findings} findings")
    return n_findings > 0


if __name__ == "__main__":
    sys.exit(main())
