# SPDX-License-Identifier: BSD-3-Clause
"""roofline.json of LBNL's ERT 1.0, 1.1 and later as ceilings, so that old results can be compared and drawn.

https://bitbucket.org/berkeleylab/cs-roofline-toolkit, Python/ert_core.py. It has one device: "gpu0" when ERT
ran on a GPU, else "cpu". GFLOP/s and GB/s are powers of 1000; op "fma" and pattern "update" are those of
ERT's kernel. Levels keep ERT's labels, which count plateaus from the fastest: a GPU's "L1" is the L2 (ERT
1.1.0 bypasses L1), and a cache without a plateau shifts all others. A note of the machine says so, and every
ceiling has low confidence: ERT keeps one number, the best, without samples or interval.
"""

from __future__ import annotations

import datetime
import os
import re
from typing import Any, Optional

from . import Error, Path, load
from .ert_config import cut

_WARNING = "ERT keeps one number, the best, without samples or interval"
_SOURCE = "ERT's label"
_MOST = 1e12  # above any rate of a machine, in G/s; a larger number is a mistake in the file
_LEVELS, _LEVEL_BYTES, _NOTES = 8, 15, 16  # what a ceilings.json may have
# What words in labels and in ERT_PRECISION tell of a peak: type, unit, operation.
_WORDS = {
    **dict.fromkeys(("fp64", "dp", "double"), ("fp64", "", "")),
    **dict.fromkeys(("fp32", "sp", "single", "float"), ("fp32", "", "")),
    **dict.fromkeys(("fp16", "hp", "half"), ("fp16", "", "")),
    **{word: (word, "", "") for word in ("bf16", "tf32", "fp8", "int8")},
    **dict.fromkeys(("tensor", "wmma", "tc"), ("", "tensor", "mma")),
    **dict.fromkeys(("nofma", "no", "add"), ("", "", "add")),
    "fma": ("", "", "fma"),
}

Pair = tuple[str, Optional[float]]  # a label, and its rate in 1/s; null and texts ("n/a") are left out


def _first(text: str, most: Optional[int] = None) -> str:
    """The first bytes of a text, with '?' for control characters."""
    return re.sub("[\0-\x1f\x7f]", "?", text.encode(errors="replace")[:most].decode(errors="ignore"))


def _pairs(part: dict[str, Any], key: str, file: str) -> list[Pair]:
    """part.key.data, which may be absent."""
    where, owner = f"{file}: empirical.{key}", part.get(key)
    if owner is None:
        return []
    if not isinstance(owner, dict) or not isinstance(owner.get("data"), list):
        raise Error(f"{where}.data: must be a list of [label, number]")
    found: list[Pair] = []
    for i, pair in enumerate(owner["data"]):
        at = f"{where}.data[{i}]"
        if not isinstance(pair, list) or len(pair) != 2:
            raise Error(f"{at}: must be [label, number]")
        label, giga = pair
        if not isinstance(label, str):
            raise Error(f"{at}[0]: must be a string")
        if not label:
            raise Error(f"{at}: label '', must have a name")
        is_number = isinstance(giga, (int, float)) and not isinstance(giga, bool)
        if not is_number and giga is not None and not isinstance(giga, str):
            raise Error(f"{at}[1]: must be a number")
        if is_number and not 0 <= giga <= _MOST:
            raise Error(f"{at}[1]: {giga}, must be at {'least 0' if giga < 0 else f'most {_MOST:g}'}")
        found.append((_first(label), giga * 1e9 if is_number else None))
    return found


class _About:
    """empirical.metadata, and that of gbytes and gflops: ERT moves equal values to the first."""

    def __init__(self, empirical: dict[str, Any]):
        owners = (empirical, empirical.get("gbytes"), empirical.get("gflops"))
        objects = [owner.get("metadata") for owner in owners if isinstance(owner, dict)]
        self.all = [one for one in objects if isinstance(one, dict)]

    def get(self, key: str) -> Any:
        return next((one[key] for one in self.all if key in one), None)

    def config(self, key: str) -> str:
        """The first word of a key of CONFIG."""
        config = self.get("CONFIG")
        return _text(config.get(key)) if isinstance(config, dict) else ""

    def created(self) -> str:
        """The latest of TIMESTAMP_DATA, a number or a list."""
        stamps = self.get("TIMESTAMP_DATA")
        found = stamps if isinstance(stamps, list) else [stamps]
        numbers = [one for one in found if isinstance(one, (int, float)) and not isinstance(one, bool)]
        latest = max([0, *numbers])
        at = datetime.datetime.fromtimestamp(int(latest) if latest < 2.5e11 else 0, datetime.timezone.utc)
        return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _text(value: Any) -> str:
    """A text, or the first of a list."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else ""


def _peak(about: _About, label: str) -> tuple[str, str, str]:
    """Type, unit and operation ("": not told) by the label, else by ERT_PRECISION of later versions, else
    fp64: 1.1.0 has only doubles. ERT's kernel of the tensor cores has FP16 operands."""

    def add(text: str, found: tuple[str, str, str]) -> tuple[str, str, str]:
        """The first word of each kind counts: "no FMA" is no FMA."""
        for word in re.split(r"[ _\-/()\[\],.]", text):
            known = _WORDS.get(word.lower(), ("", "", ""))
            found = (found[0] or known[0], found[1] or known[1], found[2] or known[2])
        return found

    found = add(label, ("", "", ""))
    if not found[0]:
        found = add(about.config("ERT_PRECISION"), found)
    if found[1]:
        return found[0] or "fp16", found[1], "mma"
    return found[0] or "fp64", "core", found[2]


def _ceiling(kind: str, name: str, rate: float, unit: str, **more: Any) -> dict[str, Any]:
    return {
        "kind": kind, "name": name, "value": rate, "unit": unit, "low": rate, "high": rate, **more,
        "confidence": "low", "kernel": "kernel1", "warning": _WARNING, "best": rate,
    }  # fmt: skip


def _levels(pairs: list[Pair], notes: list[str], file: str) -> dict[str, float]:
    """Names and rates. The last one is the memory, for which there is always room."""
    found: dict[str, float] = {}
    for i, (label, rate) in enumerate(pairs):
        shown = _first(label, 150)
        if label in found:
            raise Error(f"{file}: empirical.gbytes.data: label '{label}' appears twice")
        if rate is None:
            notes.append(f"level {shown} has no number")
        elif i + 1 < len(pairs) and len(found) + 1 == _LEVELS:
            notes.append(f"level {shown} is left out: there are more than {_LEVELS}")
        else:
            # The label, or its first word ("L2 cache bandwidth"), or "level 3".
            name = label
            if len(label.encode()) > _LEVEL_BYTES:
                name = label.split(" ")[0]
                if not name or len(name.encode()) > _LEVEL_BYTES or name in found:
                    name = f"level {len(found) + 1}"
                notes.append(f'level {name} is ERT\'s "{shown}"')
            found[name] = rate
    return found


def _peaks(pairs: list[Pair], about: _About, notes: list[str]) -> dict[tuple[str, str, str], float]:
    """First those whose labels name an operation. Another one is of FMAs or, if the FMAs of its type have a
    label that says so, without them."""
    found: dict[tuple[str, str, str], float] = {}
    left_out = []
    peaks = [(label, rate, *_peak(about, label)) for label, rate in pairs]
    for is_named in (True, False):
        named = set(found)
        for label, rate, type, unit, op in peaks:
            if bool(op) != is_named:
                continue
            key = type, unit, op or ("add" if (type, unit, "fma") in named else "fma")
            if key in found or rate is None:
                left_out.append(label)
            else:
                found[key] = rate
    if left_out:
        text = "peaks without a number, or of the type and operation of another one, are left out: "
        notes.append(text + cut(", ".join(left_out), 191))
    return found


def ceilings(path: Path) -> dict[str, Any]:
    """ert-ceilings/4. Error names file, path and value; another file, and one without a number, is one."""
    file = os.fspath(path)
    content = load(path)
    empirical = content.get("empirical") if isinstance(content, dict) else None
    if not isinstance(empirical, dict):
        raise Error(f"{file}: empirical: must be an object, as in roofline.json of LBNL's ERT")
    gbytes, gflops = _pairs(empirical, "gbytes", file), _pairs(empirical, "gflops", file)
    about = _About(empirical)
    notes = [
        f"imported from a roofline.json of LBNL's ERT: {_WARNING}",
        'levels have ERT\'s labels, which count plateaus from the fastest: on a GPU its "L1" is the L2',
    ]
    levels = _levels(gbytes, notes, file)
    peaks = _peaks(gflops, about, notes)
    if not levels and not peaks:
        raise Error(f"{file}: empirical.gbytes and empirical.gflops contain no number")
    if len(notes) > _NOTES:
        notes[_NOTES - 1 :] = [f"more than {_NOTES - 1} notes: the rest are not kept"]
    is_gpu = about.config("ERT_GPU") == "True" or any("GPU_BLOCKS" in one for one in about.all)
    is_gpu = is_gpu or any(_peak(about, label)[1] == "tensor" for label, _ in gflops)
    host = _first(_text(about.get("HOSTNAME")), 127)  # a string, or [name, [aliases], [addresses]]
    version = about.get("ERT_VERSION")
    version = _first(version if isinstance(version, str) else "(unknown)", 22)
    device = {
        "id": "gpu0" if is_gpu else "cpu", "kind": "gpu" if is_gpu else "cpu",
        "name": f"{'GPU' if is_gpu else 'CPU'} of {_first(host, 100) or 'unknown host'} (LBNL ERT)",
    }  # fmt: skip
    found = [
        _ceiling(
            "compute", f"{type}-{op}", rate, "op/s" if type.startswith("int") else "flop/s",
            type=type, op=op, execution_unit=unit, roof=True,
        )
        for (type, unit, op), rate in peaks.items()
    ]  # fmt: skip
    found += [
        _ceiling("memory", f"{name}-update", rate, "byte/s", level=name, pattern="update", roof=rate > 0)
        for name, rate in levels.items()
    ]
    about_levels = [
        {"name": name, "kind": "memory" if name == "DRAM" else "cache", "path": "cached", "source": _SOURCE}
        for name in levels
    ]
    return {
        "schema": "ert-ceilings/4", "created": about.created(), "status": "complete", "mode": "LBNL ERT",
        "value_of": "the fastest rate, the only one that ERT keeps",
        "machine": {
            "provenance": {
                "host": host, "tool_version": f"LBNL ERT {version}",
                "compiler": _first(about.config("ERT_CC"), 95),
                "command": f"imported from {_first(file, 400)}",
            },
            "devices": [{**device, "backend": "imported", "levels": about_levels}],
            "notes": [cut(note, 255) for note in notes],
        },
        "devices": [{**device, "valid": False, "warnings": _WARNING, "ceilings": found}],
    }  # fmt: skip
