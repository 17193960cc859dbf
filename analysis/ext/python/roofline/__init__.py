# SPDX-License-Identifier: BSD-3-Clause
"""The measured ceilings of a machine, as `ert run` wrote them, and kernels placed under them.

Units are SI: flop/s, byte/s, flop/byte. Nothing is measured here; place() and points() call the program
`roofline`.
"""

from __future__ import annotations

import importlib
import json
import math
import os
import subprocess
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Sequence, Union

__all__ = ["Ceilings", "Device", "Error", "Placement", "Roof", "place", "points", "read"]

Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """A file or a profile that cannot be used; the text says which and why. code: a command's exit code"""

    def __init__(self, text: str, code: int = 2):
        super().__init__(text)
        self.code = code


@dataclass(frozen=True)
class Roof:
    """A ceiling: byte/s of a level and pattern, or flop/s of a type, operation and unit."""

    name: str  # "HBM-load", "fp64-fma"
    value: float  # in the unit of rate; `value_of` of the file says which estimate it is
    low: float  # the value of the next run lies between with 90 % probability
    high: float
    rate: str = ""  # "byte/s", "flop/s"; of integers "op/s", of instructions "inst/s"
    is_best: bool = False  # the roof of its level, or the best unit of its type and operation
    level: str = ""  # of a bandwidth: "HBM"
    pattern: str = ""
    type: str = ""  # of a peak: "fp64"
    op: str = ""
    unit: str = ""


@dataclass(frozen=True)
class Device:
    id: str  # "cpu", "gpu0"
    name: str
    kind: str  # "cpu", "gpu"
    bandwidths: tuple[Roof, ...]
    peaks: tuple[Roof, ...]
    valid: bool = True  # whether the run's conditions allow to use them

    def bandwidth(self, level: str, pattern: str = "") -> float:
        """The level's roof in byte/s, or the bandwidth of a pattern; KeyError without one.

        The roof is for code of whose reads and writes nothing is known: the fastest pattern with ordinary
        stores. place() narrows it for a known share of reads.
        """
        found = [
            roof
            for roof in self.bandwidths
            if roof.level == level and (roof.pattern == pattern if pattern else roof.is_best)
        ]
        return _best(self, "level", f"{level} {pattern}".strip(), found)

    def peak(self, type: str = "fp64", op: str = "fma", unit: str = "") -> float:
        """In flop/s, of integers op/s; KeyError without one.

        unit "": the best of the cores' units, whose name differs from machine to machine ("core" of a GPU,
        "avx512" of a CPU); "tensor" and "amx" multiply matrices.
        """
        found = [
            roof
            for roof in self.peaks
            if (roof.type, roof.op) == (type, op)
            and (roof.unit == unit if unit else roof.unit not in ("tensor", "amx"))
        ]
        return _best(self, "peak", f"{type}-{op}{' of ' if unit else ''}{unit}", found)

    def attainable(self, intensity: float, level: str, type: str = "fp64") -> float:
        """min(peak, bandwidth * intensity) in flop/s, Williams et al., doi:10.1145/1498765.1498785."""
        if math.isnan(intensity) or intensity < 0:
            raise ValueError(f"intensity {intensity}, must be 0 or above")
        return min(self.peak(type), self.bandwidth(level) * intensity)


@dataclass(frozen=True)
class Ceilings:
    path: str
    devices: tuple[Device, ...]

    def device(self, id: str) -> Device:
        for device in self.devices:
            if device.id == id:
                return device
        known = ", ".join(device.id for device in self.devices)
        raise KeyError(f"{self.path}: no device {id}; there are {known}")


def _best(device: Device, what: str, which: str, found: Sequence[Roof]) -> float:
    if not found:
        raise KeyError(f"{device.id}: no {what} {which}")
    return max(roof.value for roof in found)


# What the programs read of a ceiling, in their order; a key with ? may be absent or null.
_CEILING = {
    "kind": str, "name?": str, "value": float, "unit": str, "low": float, "high": float, "level?": str,
    "pattern?": str, "type?": str, "op?": str, "execution_unit?": str, "roof?": bool, "confidence": str,
    "kernel?": str, "n_samples?": float, "best?": float, "runs?": dict,
}  # fmt: skip
# What a kind of them must have.
_NEEDED = {
    "compute": ("name", "type", "op", "kernel"),
    "memory": ("name", "level", "pattern", "kernel"),
}
_LISTS = {
    "kind": (
        *("compute", "memory", "latency", "concurrency", "link", "numa"),
        *("multi_gpu", "network", "collective", "atomic", "loaded"),
    ),
    "unit": ("flop/s", "op/s", "inst/s", "byte/s", "1/s", "s"),
    "confidence": ("high", "medium", "low"),
}
_DEVICE = {"id": str, "valid": bool, "ceilings": list}
_WORDS = {dict: "an object", list: "an array", str: "a string", bool: "true or false", float: "a number"}


def _typed(value: Any, where: str, kind: type) -> Any:
    """The value if it is of this kind, a number from 0 to 1e24; else Error, in the programs' words."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    found = type(0.0 if is_number else value)
    if found is not kind:
        word = json.dumps(value) if value is None or found is bool else _WORDS[found]
        raise Error(f"{where}: {word}, must be {_WORDS[kind]}")
    if is_number and not 0 <= value <= 1e24:
        raise Error(f"{where}: {value:g}, must be at {'least 0' if value < 0 else 'most 1e+24'}")
    return value


def _member(entry: dict[str, Any], where: str, key: str, kind: type) -> Any:
    if key not in entry:
        raise Error(f"{where}.{key}: missing")
    return _typed(entry[key], f"{where}.{key}", kind)


def _check(entry: Any, where: str, kinds: dict[str, type]) -> None:
    _typed(entry, where, dict)
    for key, kind in kinds.items():
        if not key.endswith("?") or entry.get(key[:-1]) is not None:
            _member(entry, where, key.rstrip("?"), kind)


def _group(entry: dict[str, Any], key: str) -> dict[str, Any]:
    group = entry.get(key)
    return group if isinstance(group, dict) else {}


def _roof(entry: dict[str, Any], where: str, are_rates: bool) -> Roof:
    name, unit, value = entry["name"], entry["unit"], float(entry["value"])
    low, high = float(entry["low"]), float(entry["high"])
    burst = _group(entry, "burst")
    at, least, most = (
        (burst["value"], burst["low"], burst["high"]) if burst.get("value") else (value, low, high)
    )
    # Shares of that rate; files of /3 have rates.
    rounds = [number * (1 if are_rates else at) for number in entry.get("rounds") or ()] or [at]
    agree = (
        ("value", value, "its interval", low, high),
        ("burst", at, "its interval", least, most),
        ("burst", at, "its rounds", min(rounds), max(rounds)),
    )
    # In ERT's mode the value is the mean of a level's sets, and the interval that of one.
    for what, number, of, first, last in () if _group(entry, "launch").get("trials") else agree:
        if not first * 0.999 <= number <= last * 1.001:
            raise Error(f"{where}: {name}: {what} is {number:g}, outside {of}: {first:g} to {last:g}")
    words = {key: entry.get(key) or "" for key in ("level", "pattern", "type", "op")}
    words["unit"] = entry.get("execution_unit") or ""
    return Roof(name, value, low, high, unit, bool(entry.get("roof")), **words)


def _ceilings(entries: list[Any], where: str, are_rates: bool) -> dict[str, tuple[Roof, ...]]:
    """The compute and memory ceilings."""
    found: dict[str, list[Roof]] = {"compute": [], "memory": []}
    for i, entry in enumerate(entries):
        at = f"{where}.ceilings[{i}]"
        _check(entry, at, _CEILING)
        for key, words in _LISTS.items():
            if entry[key] not in words:
                raise Error(f"{at}.{key}: '{entry[key]}', must be one of {', '.join(words)}")
        for key, number in _group(entry, "runs").items():
            _typed(number, f"{at}.runs.{key}", float)
        for key in _NEEDED.get(entry["kind"], ()):
            if entry.get(key) is None:
                raise Error(f"{at}.{key}: missing")
        if entry["kind"] in found:
            found[entry["kind"]].append(_roof(entry, at, are_rates))
    return {kind: tuple(roofs) for kind, roofs in found.items()}


def _device(entry: dict[str, Any], where: str, content: dict[str, Any]) -> Device:
    _check(entry, where, _DEVICE)
    about = next((about for about in content["machine"]["devices"] if about["id"] == entry["id"]), None)
    if about is None:
        raise Error(f"{where}.id: '{entry['id']}' is no device of the machine")
    roofs = _ceilings(entry["ceilings"], where, content["schema"] == "ert-ceilings/3")
    memory, compute = roofs["memory"], roofs["compute"]
    # Published figures may have no levels, and labels of ERT's mode are none.
    levels = [] if content.get("mode") else [level["name"] for level in about.get("levels", ())]
    for roof in memory if levels else ():
        if roof.level not in levels:
            raise Error(f"{entry['id']}: {roof.name}: no level '{roof.level}' in the device")
        if not roof.name.startswith(roof.level + "-"):
            raise Error(f"{entry['id']}: {roof.name}: level '{roof.level}' is not that of its name")
    names = [roof.name for roof in compute + memory]
    for roof in () if content.get("mode") else memory:
        beside = [other for other in memory if other.level == roof.level]
        # Streaming stores are comparable only with code that uses them.
        fastest = max(beside, key=lambda other: (not other.pattern.endswith("-nt"), other.value))
        if roof.is_best != (roof is fastest and roof.value > 0):
            word, is_not = ("true", "not ") if roof.is_best else ("false", "")
            raise Error(
                f"{where}: roof: {word}, but {roof.name} is {is_not}the fastest of {roof.level}"
            )
    for i, name in enumerate(() if content.get("mode") else names):
        if name in names[:i]:
            raise Error(f"{where}: {name} appears twice")
    return Device(entry["id"], about.get("name", ""), about["kind"], memory, compute, entry["valid"])


def _no_number(word: str) -> float:
    raise ValueError(f"{word}: not a JSON value")


def load(path: Path) -> Any:
    """The content of a JSON file."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file, parse_constant=_no_number)
    except (OSError, ValueError, RecursionError) as error:
        raise Error(f"{os.fspath(path)}: {error}") from error


def read(path: Path) -> Ceilings:
    """Reads a ceilings.json. What it uses of the file it checks as the programs do."""
    content = load(path)
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema not in ("ert-ceilings/4", "ert-ceilings/3"):
        raise Error(f"{os.fspath(path)}: schema {schema!r}, must be 'ert-ceilings/4'")
    try:
        _check(content, "", {"machine": dict, "devices": list})
        devices = tuple(
            _device(entry, f"devices[{i}]", content)
            for i, entry in enumerate(content["devices"])
        )
        return Ceilings(os.fspath(path), devices)
    except Error as error:
        raise Error(f"{os.fspath(path)}: {str(error).lstrip('.')}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Error(f"{os.fspath(path)}: not as ert writes it: {error!r}") from error


def find_program(name: str) -> str:
    """Where the program of this name is: in this package, when its wheel brought it, else found by PATH."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "bin", name)
    return inside if os.path.exists(inside) else name


def _run(program: Path, words: Sequence[Path]) -> str:
    """What the program writes; Error has what it wrote where it refuses."""
    command = [os.fspath(word) for word in (program, *words)]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", check=False,
            close_fds=False,  # a profile may be a pipe of the shell, <(...)
        )  # fmt: skip
    except OSError as error:
        raise Error(f"{command[0]}: {error.strerror}; the program must be in PATH") from error
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"{command[0]} ended with exit code {done.returncode}")
    return done.stdout


def _ask(program: Path, words: Sequence[Path]) -> dict[str, Any]:
    """The same in JSON."""
    result: dict[str, Any] = json.loads(_run(program, words))
    return result


_COLUMNS = (
    *("name", "time_s", "share", "flop_per_s", "bound", "of_roof", "of_roof_low", "of_roof_high"),
    *("headroom_s", "hint"),
)


class Placement(Dict[str, Any]):
    """ert-placement/2, as `roofline place --output json` writes it, with a table; in notebooks a chart."""

    def __init__(self, content: dict[str, Any], files: Sequence[Path], program: Path):
        super().__init__(content)
        self._files, self._program = files, program

    def rows(self) -> list[dict[str, Any]]:
        """The kernels, the longest first: seconds, flop/s, shares of 1; None where nothing is known."""
        rows = []
        for kernel in self["kernels"]:
            bound = kernel.get("bound") or {}
            of_roof = (bound.get(key) for key in ("name", "fraction", "fraction_low", "fraction_high"))
            known = (kernel.get(key) for key in ("name", "time_s", "share", "flop_per_s"))
            rows.append(dict(zip(_COLUMNS, (*known, *of_roof, kernel.get("headroom_s"), kernel.get("hint")))))
        return sorted(rows, key=lambda row: -(row["time_s"] or 0))

    def table(self) -> Any:
        """The rows as a pandas.DataFrame; without pandas as they are."""
        try:
            pandas = importlib.import_module("pandas")
        except ImportError:
            return self.rows()
        return pandas.DataFrame(self.rows(), columns=_COLUMNS)

    def svg(self) -> str:
        """The chart of `roofline plot`."""
        with tempfile.TemporaryDirectory() as folder:
            chart = os.path.join(folder, "chart.svg")
            _run(self._program, ["plot", "--out", chart, "--", *self._files])
            with open(chart, encoding="utf-8") as file:
                return file.read()

    def _repr_svg_(self) -> str:
        return self.svg()


def place(
    ceilings: Path, *profiles: Path, options: Sequence[str] = (), program: Path = find_program("roofline")
) -> Placement:
    """What `roofline place --output json` says of profiles: ert-placement/2, as a dictionary.

    options go on to the program: ["--device", "gpu0"]. Error has what it wrote where it refuses.
    """
    content = _ask(program, ["place", "--output", "json", *options, "--", ceilings, *profiles])
    return Placement(content, (ceilings, *profiles), program)


def points(
    *profiles: Path, options: Sequence[str] = (), program: Path = find_program("roofline")
) -> dict[str, Any]:
    """What `roofline import auto --output json` reads in profiles: ert-points/1. Otherwise as place()."""
    return _ask(program, ["import", "--output", "json", *options, "--", "auto", *profiles])
