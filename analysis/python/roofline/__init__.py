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
    value: float  # the median, in byte/s or flop/s
    low: float  # of the interval that the median has
    high: float
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

    def bandwidth(self, level: str) -> float:
        """Of the level's best pattern, in byte/s; KeyError without one."""
        return _best(self, "level", level, [roof for roof in self.bandwidths if roof.level == level])

    def peak(self, type: str = "fp64", op: str = "fma", unit: str = "core") -> float:
        """In flop/s; KeyError without one."""
        found = [roof for roof in self.peaks if (roof.type, roof.op, roof.unit) == (type, op, unit)]
        return _best(self, "peak", f"{type}-{op} of {unit}", found)

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


def _roof(entry: dict[str, Any], unit: str) -> Roof:
    low, high = entry[f"interval_{unit}"]
    words = {key: entry.get(key) or "" for key in ("level", "pattern", "type", "op", "unit")}
    return Roof(entry["name"], entry[f"value_{unit}"], low, high, **words)


def _device(entry: dict[str, Any]) -> Device:
    return Device(
        entry["id"],
        entry["name"],
        entry["kind"],
        tuple(_roof(roof, "bytes_per_s") for roof in entry["memory"]),
        tuple(_roof(roof, "flop_per_s") for roof in entry["compute"]),
    )


def read(path: Path) -> Ceilings:
    """Reads a ceilings.json."""
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError) as error:
        raise Error(f"{os.fspath(path)}: {error}") from error
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema != "ert-ceilings/2":
        raise Error(f"{os.fspath(path)}: schema {schema!r}, must be 'ert-ceilings/2'")
    try:
        return Ceilings(os.fspath(path), tuple(_device(entry) for entry in content["devices"]))
    except (KeyError, TypeError, ValueError) as error:
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
    command = [os.fspath(program), "place", "--output", "json", *options, os.fspath(ceilings)]
    command += [os.fspath(profile) for profile in profiles]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Error(f"{command[0]}: {error.strerror}") from error
    if done.returncode != 0:
        raise Error(done.stderr.strip() or f"{command[0]} ended with exit code {done.returncode}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result
