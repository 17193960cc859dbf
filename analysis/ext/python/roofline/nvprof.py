# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of nvprof, which NVIDIA has ended: CSV of metrics and of times, and the summary for the screen.

Metrics are averages over the invocations of a kernel, with --print-gpu-trace of one launch a row; times come
from runs without metrics, in other files or other tables of the same file. What metrics count:
https://docs.nvidia.com/cuda/archive/11.0/profiler-users-guide/ ("Metrics Reference"). flop_count_* counts an
FMA as 2, and of half-precision pairs both numbers; *_fma counts it as 1. shared_*_transactions are left out:
their size goes with the GPU, and nvprof does not print it. achieved_occupancy is of 64 warps on all GPUs that
nvprof counts on (cc 3.0 to 7.2).
"""

from __future__ import annotations

import csv
import math
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any, Iterator, Optional

from . import Error
from .studies import shown

_Point = dict[str, Any]
_Recipe = tuple[str, dict[str, int]]  # its text; weights of metrics, 0: if there, it tells FMAs or reads
_GPU = "GPU activities"


def _flops(name: str) -> list[_Recipe]:
    parts = {f"{name}_add": 1, f"{name}_mul": 1, f"{name}_fma": 2}
    return [(name, {name: 1, f"{name}_fma": 0}), (f"{name}_{{add + mul + 2 fma}}", parts)]


def _bytes(text: str, names: str, others: str = "") -> _Recipe:
    weights = {**dict.fromkeys(names.split(), 32), **dict.fromkeys(others.split(), 0)}
    return f"{text}_transactions x 32 B", {f"{name}_transactions": n for name, n in weights.items()}


# Of each quantity the first recipe is taken whose metrics are all there.
_QUANTITIES: dict[str, list[_Recipe]] = {
    "fp64 flops": _flops("flop_count_dp"),
    "fp32 flops": _flops("flop_count_sp"),
    "fp16 flops": _flops("flop_count_hp"),
    "L1 bytes": [
        _bytes("(gld + gst + local + atomic)", "gld gst local_load local_store atomic"),
        _bytes("(gld + gst)", "gld gst", "local_load local_store"),
    ],
    "L2 bytes": [_bytes("l2_{read,write}", "l2_read l2_write")],
    "HBM bytes": [
        _bytes("dram_{read,write}", "dram_read dram_write"),
        ("dram_read_bytes + dram_write_bytes", {"dram_read_bytes": 1, "dram_write_bytes": 1}),
    ],
    "host bytes": [_bytes("sysmem_{read,write}", "sysmem_read sysmem_write")],
    "instructions": [("inst_executed", {"inst_executed": 1})],
    "warps per SM": [("achieved_occupancy x 64", {"achieved_occupancy": 64})],
}
_EXPECTED = ("L1 bytes", "L2 bytes", "HBM bytes")  # their absence is always said
_METRICS = {name for recipes in _QUANTITIES.values() for _, weights in recipes for name in weights}
_TENSOR = "nvprof has no count of them; ncu's sm__inst_executed_pipe_tensor.sum does on cc 7.0"
_SIGNS = {  # metrics above 0: what the kernel then has, and what counts it
    "tensor_*_utilization": ("tensor operations", _TENSOR),
    "inst_fp_64": ("fp64 flops", "flop_count_dp counts them"),
    "inst_fp_32": ("fp32 flops", "flop_count_sp counts them"),
    "inst_fp_16": ("fp16 flops", "flop_count_hp counts them"),
    "dram_*_throughput": ("HBM bytes", "dram_read_transactions and dram_write_transactions count them"),
}
_NUMBER = r"([+-]?([0-9]+\.?[0-9]*|\.[0-9]+)|[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?)([eE][+-]?[0-9]+)?"
_SECONDS = {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


@dataclass
class _Kernel:
    time_s: float = 0
    calls: float = 0  # of this time
    launches: float = 0  # that were counted
    sums: dict[str, tuple[float, int]] = field(default_factory=dict)  # of metrics, with the last row
    absent: dict[str, str] = field(default_factory=dict)  # metrics without a sum, and why
    above: dict[str, str] = field(default_factory=dict)  # signs above 0, and how they are named


def _cell(text: str, row: int) -> tuple[float, str]:
    """A number, or 0 and why there is none."""
    value = float(text.replace(",", "")) if re.fullmatch(_NUMBER, text) else math.nan
    if value >= 2**63:
        return 0, f"{text}: the counter overflowed, or went below 0"
    if math.isnan(value) and re.fullmatch("(?=.*[.,])(?=.*[0-9])[0-9.,]*", text):
        raise Error(f"row {row}: '{text}' is not a number; rerun the tool with LC_ALL=C")
    return (value, "") if value >= 0 else (0, f"'{text}'" if text else "no value")


def _kind(cells: list[str]) -> Optional[str]:
    """Of the table that such titles begin, "" for one that is not read; None: they are no titles."""
    titles = set(cells)
    if {"Kernel", "Metric Name", "Invocations", "Avg"} <= titles:
        return "metrics"
    if "Name" in titles and ({"Time", "Calls"} <= titles or "Duration" in titles):
        return "times"
    if "Kernel" not in titles:
        return None
    is_read = any(fnmatchcase(title, name) for title in titles for name in (*_METRICS, *_SIGNS))
    return "launches" if is_read and "Device" in titles and "Invocations" not in titles else ""


def _rows(text: str) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Rows of tables: the table's kind, the row's number, its cells by title, and the unit of its times."""
    kind, type, unit, titles, n_runs = "", "", "", [], 0  # type: str, str, Optional[str], list[str], int
    for number, line in enumerate(map(shown, re.split("\r*\n", text)), 1):
        cells = [cell.strip(" ") for cell in next(csv.reader([line], skipinitialspace=True), [""])]
        begun, screen = _kind(cells), re.match(" *(?:([^0-9 ].*?): +)?([0-9].*)", line)
        if line.startswith("=="):
            kind = ""
        elif "Time(%)" in line and " Calls " in line:
            kind, type = "screen", _GPU
        elif kind == "screen":  # the first row of a type has it before it
            type, words = (screen[1] or type, screen[2].split(None, 6)) if screen else (type, [])
            if len(words) == 7:  # else the program's own output
                unit = words[1].lstrip("0123456789.,")
                row = {"Time": words[1][: len(words[1]) - len(unit)], "Unit": unit, "Calls": words[2]}
                yield "times", number, {"Name": words[6], "Type": type, **row}
        elif begun is not None:
            kind, titles, unit = begun, cells, None
            n_runs += kind == "launches"
        elif kind and len(cells) != len(titles) and len(cells) > 1:
            raise Error(f"row {number}: {len(cells)} columns, must be {len(titles)}")
        elif kind and len(cells) == len(titles):
            row = {"Run": str(n_runs), "Unit": unit or "", **dict(zip(titles, cells))}
            if kind == "times" and "Time" not in row:
                row.update(Time=row["Duration"], Calls="1")
            if kind == "times" and unit is None:
                unit = row["Time"]
                continue
            for title, cell in row.items() if kind == "launches" and not row["Kernel"] else ():
                if title in _METRICS and cell:  # 1 KB may be 1024 bytes
                    raise Error(f"row {number}: {title} in '{cell}', must have no unit")
            yield kind, number, row


def _add_metrics(kernel: _Kernel, kind: str, number: int, row: dict[str, str]) -> None:
    """Adds a launch, or the average of a metric."""
    kernel.launches += kind == "launches"
    for metric, text in row.items() if kind == "launches" else [(row["Metric Name"], row["Avg"])]:
        for glob in (glob for glob in _SIGNS if fnmatchcase(metric, glob) and re.search("[1-9]", text)):
            kernel.above.setdefault(glob, metric if kind == "launches" else glob)
        if metric in _METRICS:
            n, why = _cell(row.get("Invocations", "1"), number)
            value, why_not = _cell(text, number)
            kernel.sums[metric] = kernel.sums.get(metric, (0, 0))[0] + n * value, number
            if why or why_not:
                kernel.absent.setdefault(metric, f"row {number}: {metric}: {why or why_not}")
            kernel.launches = max(kernel.launches, n)


def _add_time(kernel: _Kernel, number: int, row: dict[str, str]) -> None:
    if row["Unit"] not in _SECONDS:
        raise Error(f"row {number}: time in '{row['Unit']}', must be s, ms, us or ns")
    values = [_cell(row.get(title, ""), number) for title in ("Time", "Calls")]
    for _, why in values:
        if not re.fullmatch("(?i)|no value|'(-|n/a|[+-]?nan.*)'", why):
            raise Error(f"row {number}: time or Calls: {why}, must be a finite number, 0 or more")
    kernel.time_s += values[0][0] * _SECONDS[row["Unit"]]
    kernel.calls += values[1][0]


def _put_time(point: _Point, time_s: float, timed: float, counted: float) -> None:
    """The time that the counted launches would have taken."""
    point.update(time_s=time_s, time_recipe="nvprof, GPU activities")
    if timed != counted and timed > 0 and counted > 0:
        point["time_s"] *= counted / timed
        said = f"timed in {timed:.0f} launches and counted in {counted:.0f}: the time is scaled"
        point["warnings"].append(said)


def _put_counts(point: _Point, kernel: _Kernel, missing: dict[str, str]) -> None:
    """What the metrics of a kernel say, and what they lack."""
    known = {metric: n for metric, (n, _) in kernel.sums.items() if metric not in kernel.absent}
    zeros, others = [], []
    for what, recipes in _QUANTITIES.items():
        name, _, key = what.partition(" ")
        lacks = [[metric for metric, weight in one.items() if weight and metric not in known]
                 for _, one in recipes]  # fmt: skip
        there = [len(one.keys() & kernel.sums.keys()) for _, one in recipes]
        best = lacks.index([]) if [] in lacks else there.index(max(there))
        text, weights = recipes[best]
        if lacks[best]:
            if what in _EXPECTED or there[best]:
                missing[what] = kernel.absent.get(lacks[best][0], f"no metric {lacks[best][0]}")
            elif key == "flops":
                others.append(name)
            continue
        total = sum(weight * known.get(metric, 0) for metric, weight in weights.items())
        entry: _Point = {"count": total, "recipe": text}
        if key == "flops":
            zeros.append(text)
            for fma in (metric for metric in weights if metric.endswith("_fma") and metric in known):
                if known[fma] > total - known[fma]:
                    said = f"{fma}: {known[fma]:g}, more than there are operations ({total:g})"
                    point["warnings"].append(f"row {kernel.sums[fma][1]}: {said}")
                elif total > 0:
                    entry["fma_share"] = known[fma] / (total - known[fma])
            point["flops"] += [{"type": name, "unit": "core", **entry}] if total > 0 else []
        elif key == "bytes":
            read, written = (
                sum(known.get(metric, 0) for metric in weights if re.search(way, metric))
                for way in ("gld|load|read", "gst|store|write")
            )
            if read + written > 0:
                entry["read"] = read if read + written == total else read / (read + written) * total
            point["bytes"] += [{"level": name, "of": "actual", **entry}] if total > 0 else []
            if not total and what in _EXPECTED:
                missing[what] = f"0 bytes were counted: {text}"
        else:
            point["warps_per_sm" if key else what] = total / (kernel.launches if key else 1)
    if zeros and others and not point["flops"]:
        missing["operations"] = f"0 by {', '.join(zeros)}; no metrics of {', '.join(others)}"
    has = [f"{one['type']} flops" for one in point["flops"]]
    has += [f"{one['level']} bytes" for one in point["bytes"]]
    for glob, (what, hint) in _SIGNS.items():
        if glob in kernel.above and what not in has:
            missing.setdefault(what, f"{kernel.above[glob]} is above 0: {hint}")


def read(text: str) -> list[_Point]:
    """The points of a file, with full names; none of one that is not nvprof's, or has no kernel."""
    kernels: dict[tuple[str, str], _Kernel] = {}
    for kind, number, row in _rows(text):
        # Older versions append the correlation ID, "kernel(int) [212]"; "[CUDA memcpy HtoD]" is no kernel.
        name = re.sub(r" \[[0-9\]]*$", "", row["Name"]) if kind == "times" else row["Kernel"]
        if name[:1] in ("", "[") or row.get("Type", _GPU) != _GPU:
            continue
        n, device = int(row["Run"]) if kind == "launches" else 1, row.get("Device", "")
        kernel = None
        while not kernel or kind == "metrics" and row["Metric Name"] in kernel.sums:  # of another process
            run = ", ".join([device] * (device != "") + [f"run {n}"] * (n > 1))
            kernel, n = kernels.setdefault((name, run), _Kernel()), n + 1
        if kind == "times":
            _add_time(kernel, number, row)
        else:
            _add_metrics(kernel, kind, number, row)
    if not kernels and "ERR_NVGPUCTRPERM" in text:
        raise Error("the user was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM)")
    has_runs = len({run for _, run in kernels}) > 1
    points = []
    for (name, run), kernel in kernels.items():
        point: _Point = {"name": name, "run": run if has_runs else "", "format": "nvprof", "time_s": 0}
        point.update(launches=kernel.launches or kernel.calls, flops=[], bytes=[], warnings=[])
        missing: dict[str, str] = {}
        if kernel.time_s > 0:
            _put_time(point, kernel.time_s, kernel.calls, point["launches"])
        else:
            missing["time"] = "metrics come without times: also give a file of a run without --metrics"
        if kernel.launches:
            _put_counts(point, kernel, missing)
        point["missing"] = [{"what": what, "reason": reason} for what, reason in missing.items()]
        points.append(point)
    return points


def join(earlier: list[_Point], later: list[_Point]) -> None:
    """Adds the points of a further file; one of time alone and one of counts alone become one."""
    named: dict[str, list[_Point]] = {}
    for point in earlier:
        named.setdefault(point["name"], []).append(point)
    for point in later:
        for other in named.get(point["name"], ()):
            both, runs = (other, point), {other["run"], point["run"]} - {""}
            parts = {(one["time_s"] > 0, bool(one["flops"] or one["bytes"])): one for one in both}
            if len(runs) < 2 and parts.keys() == {(True, False), (False, True)}:
                times, joined = parts[True, False], {**parts[False, True], "run": other["run"]}
                joined["source"] = f"{other['source']}, {point['source']}"
                joined["missing"] = [one for one in joined["missing"] if one["what"] != "time"]
                _put_time(joined, times["time_s"], times["launches"], joined["launches"])
                other.update(joined)
                break
        else:
            earlier.append(point)
