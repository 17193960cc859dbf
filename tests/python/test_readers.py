# SPDX-License-Identifier: BSD-3-Clause
"""test_readers.py ERT ROOFLINE LIST_ROOFS FILE...: all that read ceilings give one answer to one question.

For each file: value, interval and roof of every compute and memory ceiling, the roof of every level and the
FMA peak of every type, as the file has them and as the Python package, libroofline, `show` of both programs,
the CSV, Prometheus and JSON lines exports and `place` by hand say; and what they refuse. Prints TAP.
"""

import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

import roofline

ERT, ROOFLINE, LIST_ROOFS = sys.argv[1:4]
EXPORT = (sys.executable, "-m", "roofline", "export")
FACTORS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
MATRIX_UNITS = ("tensor", "amx")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


class Truth:
    """What the file itself says."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        self.path = path
        self.ceilings = {}  # (device, name): (value, low, high, is_roof)
        self.roofs = {}  # (device, level): value
        self.peaks = {}  # (device, type): value
        for device in content["devices"]:
            for entry in device["ceilings"]:
                if entry["kind"] not in ("compute", "memory"):
                    continue
                value, low, high = entry["value"], entry["low"], entry["high"]
                self.ceilings[device["id"], entry["name"]] = (value, low, high, entry.get("roof", False))
                if "level" in entry and entry.get("roof"):
                    self.roofs[device["id"], entry["level"]] = value
                if entry.get("op") == "fma" and entry["execution_unit"] not in MATRIX_UNITS:
                    at = device["id"], entry["type"]
                    self.peaks[at] = max(value, self.peaks.get(at, 0))

    def names(self, device):
        return [name for of, name in self.ceilings if of == device]


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


def compare(what, expected, found, tolerance=1e-9):
    """The differences between two dictionaries of numbers or tuples of them."""
    problems = [f"{what}: not there: {key}" for key in expected.keys() - found.keys()]
    problems += [f"{what}: unknown: {key}" for key in found.keys() - expected.keys()]
    for key in expected.keys() & found.keys():
        pair = [value if isinstance(value, tuple) else (value,) for value in (expected[key], found[key])]
        if not all(near(a, b, tolerance) for a, b in zip(*pair)):
            problems.append(f"{what}: {key}: {found[key]}, the file says {expected[key]}")
    return problems


def by_python(truth):
    read = roofline.read(truth.path)
    found, levels, peaks = {}, {}, {}
    for device in read.devices:
        for roof in device.bandwidths + device.peaks:
            found[device.id, roof.name] = (roof.value, roof.low, roof.high, roof.is_best)
            if roof.level:
                levels[device.id, roof.level] = device.bandwidth(roof.level)
            elif (device.id, roof.type) in truth.peaks:
                peaks[device.id, roof.type] = device.peak(roof.type)
    return (compare("ceilings", truth.ceilings, found) + compare("levels", truth.roofs, levels)
            + compare("peaks", truth.peaks, peaks))


def by_library(truth):
    found, levels, peaks = {}, {}, {}
    for line in run(LIST_ROOFS, truth.path).splitlines():
        device, name, *numbers = line.split("\t")
        numbers = tuple(float(number) for number in numbers)
        if name.startswith("bandwidth "):
            levels[device, name[len("bandwidth "):]] = numbers
        elif not name.startswith("peak "):
            found[device, name] = numbers
        elif (device, name[len("peak "):]) in truth.peaks:
            peaks[device, name[len("peak "):]] = numbers
    # The rate of instructions is no peak of operations, and the library has peaks alone.
    expected = {key: values for key, values in truth.ceilings.items() if key[1] != "inst-issue"}
    return (compare("ceilings", expected, found) + compare("levels", truth.roofs, levels)
            + compare("peaks", truth.peaks, peaks))


def by_csv(truth):
    found = {}
    for row in csv.DictReader(io.StringIO(run(*EXPORT, "csv", "--force", truth.path))):
        if row["kind"] in ("compute", "memory"):
            found[row["device"], row["name"]] = (
                float(row["value"]), float(row["low"]), float(row["high"]), row["roof"] == "yes")
    return compare("ceilings", truth.ceilings, found)


def by_prometheus(truth):
    parts = {}
    pattern = re.compile(r'ert_(?:compute|memory)_(low_|high_)?(?:flops|bytes_per_second'
                         r'|operations_per_second|instructions_per_second)'
                         r'\{device="([^"]+)",name="([^"]+)"(.*)\} (\S+)$')
    for line in run(*EXPORT, "prometheus", "--force", truth.path).splitlines():
        match = pattern.match(line)
        if match:
            which, device, name, labels, value = match.groups()
            part = parts.setdefault((device, name), {})
            part[which or "value"] = float(value)
            part["roof"] = 'roof="false"' not in labels
    found = {key: part["value"] for key, part in parts.items()}
    problems = compare("values", {key: values[0] for key, values in truth.ceilings.items()}, found, 1e-8)
    both = {key: (part["low_"], part["high_"]) for key, part in parts.items() if "low_" in part}
    problems += compare("intervals", {key: truth.ceilings[key][1:3] for key in both}, both, 1e-8)
    return problems + [f"roof: {key}" for key, part in parts.items()
                       if key in truth.ceilings and part["roof"] != truth.ceilings[key][3] and "-" in key[1]
                       and (key[0], key[1].split("-")[0]) in truth.roofs]


def rate(text):
    number, unit = text.split()
    return float(number) * FACTORS[unit[0] if unit[0] in "kMGTP" and len(unit) > 2 else ""]


def by_show(program):
    def read(truth):
        found, device = {}, None
        for line in run(program, "show", truth.path).splitlines():
            if re.match(r"\S+: ", line):
                device = line.split(":")[0]
            cells = re.split(r"\s{2,}", line.strip())
            if len(cells) > 3 and (device, cells[0]) in truth.ceilings and " .. " in cells[2]:
                low, high = cells[2].split(" .. ")
                unit = high.split()[1]
                low = low if " " in low else f"{low} {unit}"
                found[device, cells[0]] = (rate(cells[1]), rate(low), rate(high))
        expected = {key: values[:3] for key, values in truth.ceilings.items()}
        return compare("ceilings", expected, found, 6e-3)  # what is shown has four digits, and "0.9" has one

    return read


def by_place(truth):
    problems = []
    for (device, level), value in truth.roofs.items():
        placed = json.loads(run(ROOFLINE, "place", "--output", "json", "--device", device, "--bytes",
                                f"{level}=1e9", "--seconds", "1", "--flops", "1", truth.path))
        row = next(row for row in placed["kernels"][0]["rows"] if row["unit"] == "byte/s")
        problems += compare(f"{device} {level}", {"roof": value}, {"roof": row["value"]})
    for (device, name), value in truth.peaks.items():
        placed = json.loads(run(ROOFLINE, "place", "--output", "json", "--device", device, "--type", name,
                                "--fma-share", "1", "--flops", "1e9", "--seconds", "1", truth.path))
        row = next(row for row in placed["kernels"][0]["rows"] if row["roof"].endswith("FMA"))
        problems += compare(f"{device} {name}", {"peak": value}, {"peak": row["value"]})
    return problems


READERS = {
    "the Python package": by_python,
    "libroofline": by_library,
    "ert show": by_show(ERT),
    "CSV": by_csv,
    "Prometheus": by_prometheus,
    "place by hand": by_place,
}


# Changes of one member of the first memory or compute ceiling, of its device, or of the file.
GONE, TURNED, TWICE, DOUBLED = "gone", "turned", "twice", "doubled"
CHANGES = [
    ("memory", key, value)
    for key, values in {
        "value": (None, "7", True, -1, 0, 1e30, [], GONE),
        "low": (None, "7", [], 1e30, GONE),
        "high": (None, 1, GONE),
        "unit": (None, "GB/s", GONE),
        "best": (-1, "7"),
        "runs": ([], {"n": "7"}, {"low": -1}),
        "level": (None, 7, "", "L9", "DRAM", GONE),
        "roof": ("yes", 1, TURNED),
        "rounds": (DOUBLED,),
        "pattern": ({}, GONE),
        "name": (7, GONE),
        "kind": (None, "roof", GONE),
        "confidence": ("none", 7, GONE),
        "n_samples": ("7",),
        "kernel": (None, GONE),
    }.items()
    for value in values
] + [
    ("compute", "value", 1), ("compute", "low", None), ("compute", "type", []), ("compute", "op", GONE),
    ("compute", "execution_unit", 7), ("compute", "roof", "yes"), ("", "valid", None), ("", "valid", GONE),
    ("", "id", "none"), ("", "ceilings", {}), ("", "ceilings", GONE), ("", "ceilings", [7]),
    ("", "ceilings", TWICE),
]


def cause(call, path):
    """What a reader says against a file, without its own name, the file's and the path's first part."""
    try:
        call()
    except (RuntimeError, roofline.Error) as error:
        return str(error).split(path + ": ")[-1]
    return "accepted"


def refusals(source):
    """The changes of a file that some reader accepts, or refuses with another cause."""
    problems = []
    with open(source, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "ceilings.json")
        for kind, key, value in CHANGES:
            content = json.loads(text)
            device = content["devices"][0]
            entry = next(c for c in device["ceilings"] if c["kind"] == kind) if kind else device
            old = entry.pop(key, None)
            if value != GONE:
                entry[key] = (not old if value == TURNED else old + old[:1] if value == TWICE
                              else [2 * number for number in old] if value == DOUBLED else value)
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
            causes = {
                "ert show": cause(lambda: run(ERT, "show", path), path),
                "libroofline": cause(lambda: run(LIST_ROOFS, path), path),
                "Python": cause(lambda: roofline.read(path), path),
            }
            if "accepted" in causes.values() or len(set(causes.values())) > 1:
                problems.append(f"{kind} {key} = {value!r}: {causes}")
    return problems


def main():
    number = failed = 0
    for path in sys.argv[4:]:
        truth = Truth(path)
        label = "/".join(path.split("/")[-2:])
        for name, reader in READERS.items():
            number += 1
            try:
                problems = reader(truth)
            except Exception as error:  # whatever a reader raises is its answer
                problems = [f"{type(error).__name__}: {error}"]
            for problem in problems[:5]:
                print(f"# {problem}")
            failed += bool(problems)
            word = "not ok" if problems else "ok"
            print(f"{word} {number} - {label}: {len(truth.ceilings)} ceilings by {name}")
    problems = refusals(sys.argv[4])
    for problem in problems:
        print(f"# {problem}")
    number, failed = number + 1, failed + bool(problems)
    word = "not ok" if problems else "ok"
    print(f"{word} {number} - {len(CHANGES)} changed files are refused for one cause by all")
    print(f"1..{number}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
