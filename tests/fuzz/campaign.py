#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""campaign.py BUILD [ROUNDS [FIRST [WORD]]]: damaged inputs through every command of the real programs.

Each round damages every example input of this tree by one seed (tests/fuzz/mutant.c) and gives it to each
command that reads such a file; with WORD only those inputs that have it in their name. BUILD is configured
with --enable-sanitizers. A finding is printed with a command line that repeats it: a report of a sanitizer, a
signal, 10 s of processor time, 2 GB of memory, an exit code that the help does not name, a failure without a
word, "nan" or "inf" in an output, JSON or XML that does not parse.
Exit code: 0 no finding, 1 findings.
"""
import glob
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
CPU_LIMIT_S = 10
SLOW_BYTES, SLOW_SHARE = 200_000, 8  # of what is larger, one round in so many
ERT, ROOFLINE = "ert/ert", "analysis/roofline"
CODES = {ERT: 5, ROOFLINE: 4, GPP: 4}  # codes from 0 on that the help names
H200 = "results/h200/ceilings.json"
XEON = "results/xeon-32cpu-vm/ceilings.json"
FAKE = "tests/data/corpus/ceilings/fake.json"
POINTS = "results/h200/gpp/points.json"
RECORDS = "tests/data/corpus/records/nodes.ndjson"
SWITCHES = "tests/data/corpus/switches/site.txt"
FORMATS = ["csv"]
TABLES = ("text", "json", "csv", "markdown")
with open(os.path.join(TOP, "analysis/ext/import/formats.def"), encoding="utf-8") as rows:
    IMPORTED = [name.replace("_", "-") for name in re.findall(r"^RFL_IMPORTER\((\w+)\)", rows.read(), re.M)]
VIEWS = ("hierarchical", "instructions", "summary")

# In a command @ is the damaged file, OUT.EXT a file or folder that it writes, FOLDER that of a fleet which has
# it as the file of a node and of links.
CEILINGS = (
    [f"{ERT} show --peaks @", f"{ROOFLINE} show --theory @",
     f"{ROOFLINE} plot @ --out OUT.svg", f"{ROOFLINE} plot @ --out OUT.html",
     f"{ROOFLINE} plot @ --out OUT.png", f"{ROOFLINE} plot {FAKE} @ --out OUT.html",
     f"{ROOFLINE} plot @ {POINTS} --out OUT.svg",
     f"{ROOFLINE} compare @ {FAKE} --all --output json",
     f"{ROOFLINE} compare {H200} @ --output markdown", f"{ROOFLINE} place @ {POINTS} --force",
     f"{ROOFLINE} portability A=@:{POINTS} B={H200}:{POINTS} --device gpu0",
     f"{ERT} validate @ --only code --out OUT.json", f"{ERT} verify @ --device fake --budget 1ms",
     f"{ERT} fleet node --verify @ --device fake --budget 1ms --measure-if-other",
     f"{GPP} run --system 3x2x5 --version c0 --repeat 1 --ceilings @"]
    + [f"{ROOFLINE} export {form} @" for form in FORMATS]
    + [f"{ROOFLINE} place @ --flops 1e12 --bytes L1=1e12,L2=1e11,HBM=1e10,DRAM=1e10 --seconds 0.1 "
       f"--output {form}" for form in TABLES])
PROFILES = (
    [f"{ROOFLINE} import auto @ --output {form}" for form in ("text", "json", "markdown")]
    + [f"{ROOFLINE} import auto @ --list --out OUT.json"]
    + [f"{ROOFLINE} place --force {device} @ --view {view}" for device in (H200, XEON) for view in VIEWS]
    + [f"{ROOFLINE} place --force {H200} @ --output {form}" for form in TABLES]
    + [f"{ROOFLINE} plot {H200} @ --trajectory --out OUT.svg", f"{ROOFLINE} plot {XEON} @ --out OUT.html",
       f"{ROOFLINE} compare --steps @ --all --output json", f"{ROOFLINE} compare @ {POINTS}",
       f"{ROOFLINE} scaling 1:@ 2:@ --output json", f"{ROOFLINE} scaling --weak @",
       f"{ROOFLINE} portability A={H200}:@ B={H200}:{POINTS} --device gpu0 --fastest",
       f"{ROOFLINE} portability A={H200}:@ B={H200}:{POINTS} --of application --output json"])
FLEETS = ([f"{ERT} fleet merge @ --output {form}" for form in
           ("text", "json", "hosts", "suspects")]
          + [f"{ERT} fleet merge @ {RECORDS} @ --drain --expect n0,n1,n2,n3,n0001",
             f"{ERT} fleet merge @ {RECORDS} --output json --topology {SWITCHES}",
             f"{ERT} fleet merge {RECORDS} @ --out OUT.folder"]
          # The folder of a fleet, with the file as that of a node and of links.
          + [f"{ERT} fleet merge FOLDER --expect n0,n1", f"{ERT} fleet merge FOLDER"])
CONFIGS = ([f"{ERT} run --dry-run --device {device} --config @" for device in ("fake", "cpu")]
           + [f"{ERT} run --device fake --budget 10ms --config @ --out OUT.folder"])

# Which commands read which files.
INPUTS = [
    ("results/*/ceilings.json results/published/*ceilings.json tests/data/corpus/ceilings/*", CEILINGS),
    ("results/*/samples.json tests/data/corpus/samples/*", [f"{ERT} fit @ --out OUT.json"]),
    (" ".join(f"tests/data/{name}/*[!d]" for name in IMPORTED)  # and no README.md
     + " tests/data/points/*.json tests/data/page/*.json tests/data/corpus/points/* "
     "tests/data/corpus/any/* "
     "results/*/gpp/points.json "
     "results/published/*[!s].json results/published/*steps.json results/published/knl-points.json",
     PROFILES),
    ("configs/*.json tests/data/corpus/config/* tests/data/ert/config.?pu", CONFIGS),
    ("tests/data/ert/*.json", [f"{ROOFLINE} import ert-json @ --out OUT.json"]),
    ("tests/data/corpus/efficiencies/*",
     [f"{ROOFLINE} portability @ --output {form}" for form in TABLES]),
    ("tests/data/net/*.ndjson tests/data/corpus/records/*", FLEETS),
    ("tests/data/corpus/switches/*", [f"{ERT} fleet merge tests/data/net/lines.ndjson {RECORDS} --topology @ "
                                      f"--output {form}" for form in ("text", "json")]),
]
BAD_NUMBER = re.compile(rb"(?<![\w.])[-+]?(?:nan|inf|infinity)(?!\w)", re.I)
BAD_IN_PAGE = re.compile(rb"(?<=[:,\[ ])-?(?:nan|inf)(?!\w)")  # its scripts say NaN and Infinity
REPORT = re.compile(rb"(?:ERROR: (?:Address|Leak)Sanitizer|runtime error:|hard rss limit).*")


def fault(program, done, damaged, outputs):
    """What is wrong with a run, or None."""
    report = REPORT.search(done.stderr)
    if report:
        return report.group().decode(errors="replace")
    if done.returncode < 0:
        return f"signal {-done.returncode}"
    if done.returncode >= CODES[program]:
        return f"exit code {done.returncode}"
    if done.returncode in (1, 2) and not done.stderr.strip() and not done.stdout.strip():
        return f"exit code {done.returncode} without a word"
    for name, text in outputs:
        bad = (BAD_IN_PAGE if name.endswith("html") else BAD_NUMBER).search(text)
        if bad and not BAD_NUMBER.search(damaged):
            line = text[max(0, bad.start() - 60):bad.end() + 20].decode(errors="replace")
            return f"{bad.group().decode()} in {name}: {line!r}"
        try:
            if name.endswith("json") and text.strip():
                json.loads(text)
            if name.endswith("svg"):
                xml.etree.ElementTree.fromstring(text)
        except (ValueError, xml.etree.ElementTree.ParseError) as error:
            return f"{name} does not parse: {error}"
    return None


def run(build, command, damaged_file, folder):
    """Runs one command; returns whether it took the file, and what was wrong or None."""
    if "FOLDER" in command:
        os.mkdir(f"{folder}/fleet")
        for name in ("n0.ndjson", "job.net"):
            shutil.copy(damaged_file, f"{folder}/fleet/{name}")
    for word, name in (("@", damaged_file), ("OUT", f"{folder}/out"), ("FOLDER", f"{folder}/fleet")):
        command = command.replace(word, name)
    words = command.split()
    environment = dict(os.environ)
    while "=" in words[0]:
        name, _, environment[name] = words.pop(0).partition("=")
    out = next((word for word in words if word.startswith(f"{folder}/out.")), None)
    try:
        done = subprocess.run([f"{build}/{words[0]}"] + words[1:], cwd=TOP, capture_output=True,
                              timeout=300, stdin=subprocess.DEVNULL, env=environment)
    except subprocess.TimeoutExpired:
        return False, "300 s"
    outputs = []
    is_taken = done.returncode in (0, 1, 4)  # 1 and 4 may be verdicts
    if is_taken:
        form = command.partition("--output ")[2].split(" ")[0]
        outputs.append((form if form in ("json", "html") else "the output", done.stdout))
        if out and os.path.isfile(out):
            with open(out, "rb") as file:
                outputs.append((os.path.basename(out), file.read()))
    for left in glob.glob(f"{folder}/out*"):
        (shutil.rmtree if os.path.isdir(left) else os.unlink)(left)
    with open(damaged_file, "rb") as file:
        return is_taken, fault(words[0], done, file.read(), outputs)


def main():
    build = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    wanted = sys.argv[4] if len(sys.argv) > 4 else ""
    # A program gets SIGXCPU; this one, whose handler it does not inherit, goes on.
    signal.signal(signal.SIGXCPU, lambda *_: None)
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.update(ASAN_OPTIONS="exitcode=99:hard_rss_limit_mb=2000", OMP_NUM_THREADS="1", LC_ALL="C",
                      COLUMNS="100",
                      LSAN_OPTIONS=f"suppressions={TOP}/tests/lsan.supp:print_suppressions=0")
    inputs = [(os.path.relpath(file, TOP), commands) for pattern, commands in INPUTS
              for word in pattern.split() for file in sorted(glob.glob(os.path.join(TOP, word)))
              if not file.endswith(".md") and wanted in file]
    cases = taken = 0
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + rounds):
            for number, (file, commands) in enumerate(inputs):
                if os.path.getsize(f"{TOP}/{file}") > SLOW_BYTES and (seed + number) % SLOW_SHARE:
                    continue
                damaged = f"{folder}/damaged{os.path.splitext(file)[1]}"
                with open(damaged, "wb") as out:
                    subprocess.run([f"{build}/tests/fuzz/mutant", str(seed), f"{TOP}/{file}"],
                                   stdout=out, check=True)
                for command in commands:
                    cases += 1
                    good, wrong = run(build, command, damaged, folder)
                    taken += good
                    if wrong:
                        key = re.sub(r"0x[0-9a-f]+|==\d+==|\d+", "#", wrong)[:80]
                        found[key] = found.get(key, 0) + 1
                        if found[key] <= 3:
                            print(f"seed {seed} {file}: {wrong}\n  tests/fuzz/mutant {seed} {file} "
                                  f">damaged && {command.replace('@', 'damaged')}", flush=True)
            print(f"seed {seed}: {cases} cases, {taken} taken, {sum(found.values())} findings of "
                  f"{len(found)} kinds", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
