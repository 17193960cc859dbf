# SPDX-License-Identifier: BSD-3-Clause
"""The measured ceilings of a machine, as `ert run` wrote them, and kernels placed under them.

Units are SI: flop/s, byte/s, flop/byte. Nothing is measured here; place() calls the program `roofline`.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from dataclasses import dataclass
from typing import Any, Sequence, Union

__all__ = ["Ceilings", "Device", "Error", "Roof", "place", "read"]

Path = Union[str, "os.PathLike[str]"]


class Error(Exception):
    """A file or a profile that cannot be used; the text says which and why."""


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


# The keys of rates in ert-ceilings/2 end with the unit.
_SUFFIXES = {
    "flop_per_s": "flop/s",
    "op_per_s": "op/s",
    "inst_per_s": "inst/s",
    "bytes_per_s": "byte/s",
}


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


def _number(value: Any, where: str) -> float:
    """A finite number of 0 or above, or Error: NaN would be the lesser of nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Error(f"{where}: {value!r}, must be a number")
    if not (math.isfinite(value) and value >= 0):
        raise Error(f"{where}: {value!r}, must be finite and 0 or above")
    return float(value)


def _roof(entry: dict[str, Any]) -> Roof:
    name = entry["name"]
    suffix = next((suffix for suffix in _SUFFIXES if f"value_{suffix}" in entry), None)
    if suffix is None:
        raise Error(f"{name}: no value in flop/s, op/s, inst/s or byte/s")
    value = _number(entry[f"value_{suffix}"], f"{name}: value_{suffix}")
    bounds = entry[f"interval_{suffix}"]
    if not isinstance(bounds, list) or len(bounds) != 2:
        raise Error(f"{name}: interval_{suffix}: {bounds!r}, must be two numbers")
    low, high = (_number(bound, f"{name}: interval_{suffix}") for bound in bounds)
    if not low * 0.999 <= value <= high * 1.001:
        raise Error(f"{name}: value {value:g} is outside its interval: {low:g} to {high:g}")
    words = {key: entry.get(key) or "" for key in ("level", "pattern", "type", "op", "unit")}
    return Roof(name, value, low, high, _SUFFIXES[suffix], bool(entry.get("roof", True)), **words)


def _device(entry: dict[str, Any]) -> Device:
    return Device(
        entry["id"],
        entry["name"],
        entry["kind"],
        tuple(_roof(roof) for roof in entry["memory"]),
        tuple(_roof(roof) for roof in entry["compute"]),
        bool(entry.get("valid", True)),
    )


def read(path: Path) -> Ceilings:
    """Reads a ceilings.json."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError, RecursionError) as error:
        raise Error(f"{os.fspath(path)}: {error}") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != "ert-ceilings/2":
        raise Error(f"{os.fspath(path)}: schema {schema!r}, must be 'ert-ceilings/2'")
    try:
        return Ceilings(os.fspath(path), tuple(_device(entry) for entry in content["devices"]))
    except Error as error:
        raise Error(f"{os.fspath(path)}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Error(f"{os.fspath(path)}: not as ert writes it: {error!r}") from error


def find_program(name: str) -> str:
    """Where the program of this name is: in this package, when its wheel brought it, else found by PATH."""
    inside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "bin", name)
    return inside if os.path.exists(inside) else name


def place(
    ceilings: Path, *profiles: Path, options: Sequence[str] = (), program: Path = find_program("roofline")
) -> dict[str, Any]:
    """What `roofline place --output json` says of profiles: ert-placement/2, as a dictionary.

    options go on to the program: ["--device", "gpu0"]. Error has what it wrote where it refuses.
    """
    command = [os.fspath(program), "place", "--output", "json", *options, "--"]
    command += [os.fspath(file) for file in (ceilings, *profiles)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Error(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"{command[0]} ended with exit code {done.returncode}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
