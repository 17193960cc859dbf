# SPDX-License-Identifier: BSD-3-Clause
"""Ceilings in the formats of other tools; a format is a function and its row of FORMATS."""

from __future__ import annotations

import csv as tables
import datetime
import io
import json
import math
import re
from typing import Any, Callable, Dict, Iterator, NamedTuple, Sequence

from . import _LISTS, Error, Path, read
from .loaded import draw
from .studies import shown

Entry = Dict[str, Any]
_KINDS = _LISTS["kind"]


class _File(NamedTuple):
    content: Entry
    devices: list[Entry]  # those asked for, each with its `about` of the machine


def _element(series: Entry, i: int) -> Entry:
    """The i-th of the ceilings that a series stands for."""
    one: Entry = {}
    for key, value in series.items():
        value = value[i] if isinstance(value, list) else value
        one[key] = _element(value, i) if isinstance(value, dict) else value
    return one


def _length(series: Entry) -> int:
    values = list(series.values())
    lengths = [len(value) for value in values if isinstance(value, list)]
    return max([1, *lengths, *(_length(value) for value in values if isinstance(value, dict))])


def _ceilings(device: Entry) -> list[Entry]:
    """All of a device, those of series one by one with their names."""
    found = list(device["ceilings"])
    for series in device.get("series") or ():
        for i in range(_length(series)):
            one = _element(series, i)
            ways = f"{one['count']}-warps-ilp-{one['ilp']}" if one.get("ilp") else f"{one['count']}-threads"
            found.append({**one, "name": f"{one['of']}-at-{ways}"})
    return sorted(found, key=lambda one: _KINDS.index(one["kind"]))


def _words(entry: Entry) -> tuple[str, str, str]:
    """What the ceiling is of, how it is used, and by what or to where."""
    first = ("type", "op", "execution_unit") if entry["kind"] == "compute" else ("level", "pattern", "to")
    other = ("", "", "") if entry["kind"] == "compute" else ("from", "of", "")
    of, how, on = (entry.get(key) or entry.get(instead) or "" for key, instead in zip(first, other))
    return of, how, on


def _theory_share(entry: Entry) -> float:
    theory = (entry.get("theory") or {}).get("value")
    return entry["value"] / theory if theory else 0.0


def _csv(file: _File) -> str:
    """all ceilings, one row each, in SI units"""
    out = io.StringIO()
    writer = tables.writer(out, lineterminator="\n")
    writer.writerow(
        "device,kind,name,level or type,pattern or op,on,roof,unit,value,low,high,best,n,valid,clock Hz,"
        "theory,fraction of theory,confidence,warning,share of reads,bytes moved per byte".split(",")
    )

    def number(value: Any) -> str:
        return f"{value:.10g}" if value else ""

    for device in file.devices:
        for one in _ceilings(device):
            at = (one.get("burst") or {}).get("value") or one["value"]
            rates = [share * at for share in one.get("rounds") or [1]]
            best = one.get("best") or (min if one["unit"] == "s" else max)(rates)
            moved = one.get("traffic") or {}
            row = [device["id"], one["kind"], one["name"], *_words(one)]
            row += ["yes" if one.get("roof") or _KINDS.index(one["kind"]) > 1 else "no", one["unit"]]
            row += [f"{value:.10g}" for value in (one["value"], one["low"], one["high"], best)]
            row += [one.get("n_samples") or len(one.get("rounds") or ()), "yes" if device["valid"] else "no"]
            row += [number(one.get("clock_hz")), number((one.get("theory") or {}).get("value"))]
            row += [number(_theory_share(one)), one["confidence"], one.get("warning") or ""]
            row += [f"{moved.get(key):.10g}" if moved else "" for key in ("read_share", "moved_per_byte")]
            writer.writerow([shown(str(cell)) for cell in row])
    return out.getvalue()


# Prometheus: metric; kind of ceilings, their unit or ""; the number; what it is.
_COMPUTE = "floating-point operations per second"
_METRICS: Sequence[tuple[str, str, str, Callable[[Entry], float], str]] = (
    ("ert_compute_flops", "compute", "flop/s", lambda one: one["value"], f"Measured peak in {_COMPUTE}."),
    ("ert_compute_low_flops", "compute", "flop/s", lambda one: one["low"],
     "Lower end of the 90 % interval of ert_compute_flops."),
    ("ert_compute_high_flops", "compute", "flop/s", lambda one: one["high"],
     "Upper end of the 90 % interval of ert_compute_flops."),
    ("ert_compute_operations_per_second", "compute", "op/s", lambda one: one["value"],
     "Measured peak in integer operations per second."),
    ("ert_compute_instructions_per_second", "compute", "inst/s", lambda one: one["value"],
     "Measured peak in instructions (of GPUs: warp instructions) per second."),
    ("ert_compute_theory_ratio", "compute", "", _theory_share, "Measured peak over the theoretical one."),
    ("ert_memory_bytes_per_second", "memory", "", lambda one: one["value"],
     "Measured bandwidth of a memory level."),
    ("ert_memory_low_bytes_per_second", "memory", "", lambda one: one["low"],
     "Lower end of the 90 % interval of ert_memory_bytes_per_second."),
    ("ert_memory_high_bytes_per_second", "memory", "", lambda one: one["high"],
     "Upper end of the 90 % interval of ert_memory_bytes_per_second."),
    ("ert_memory_theory_ratio", "memory", "", _theory_share, "Measured bandwidth over the theoretical one."),
    ("ert_latency_seconds", "latency", "", lambda one: one["value"],
     "Measured load-to-use latency of a memory level."),
    ("ert_link_bytes_per_second", "link", "", lambda one: one["value"], "Measured bandwidth of a link."),
)  # fmt: skip
# The labels of a kind, with their place in _words().
_LABELS = {
    "compute": (("type", 0), ("op", 1), ("unit", 2)),
    "memory": (("level", 0), ("pattern", 1)),
    "latency": (("level", 0),),
    "link": (("from", 0), ("to", 2), ("pattern", 1)),
}


def _sample(metric: str, labels: Entry, number: str) -> str:
    def escaped(text: Any) -> str:
        return shown(str(text)).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

    words = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
    return f"{metric}{{{words}}} {number}"


def _prometheus(file: _File) -> str:
    """text format 0.0.4 for node_exporter's textfile collector

    https://prometheus.io/docs/instrumenting/exposition_formats/, and /docs/practices/naming/ for the units.
    """
    machine = file.content["machine"].get("provenance") or {}
    lines = [
        "# HELP ert_device_info What was measured, and by which ert; always 1.",
        "# TYPE ert_device_info gauge",
    ]
    for device in file.devices:
        labels = {"device": device["id"], "name": device["about"].get("name") or ""}
        labels.update(host=machine.get("host") or "", version=machine.get("tool_version") or "")
        labels.update(status=file.content.get("status") or "", valid=str(device["valid"]).lower())
        lines.append(_sample("ert_device_info", labels, "1"))
    try:
        created = datetime.datetime.fromisoformat(str(file.content.get("created")).replace("Z", "+00:00"))
        lines += [
            "# HELP ert_measured_timestamp_seconds When the ceilings were measured.",
            "# TYPE ert_measured_timestamp_seconds gauge",
            f"ert_measured_timestamp_seconds {created.timestamp():.0f}",
        ]
    except ValueError:
        pass  # published figures have no date
    for metric, kind, unit, number, about in _METRICS:
        samples = []
        for device in file.devices:
            for one in (one for one in device["ceilings"] if one["kind"] == kind):
                if number(one) > 0 and unit in ("", one["unit"]):
                    labels = {"device": device["id"], "name": one["name"]}
                    labels.update((label, _words(one)[place]) for label, place in _LABELS[kind])
                    if kind == "memory":
                        labels["roof"] = str(bool(one.get("roof"))).lower()
                    samples.append(_sample(metric, labels, f"{number(one):.10g}"))
        if samples:
            lines += [f"# HELP {metric} {about}", f"# TYPE {metric} gauge", *samples]
    return "\n".join([*lines, ""])


def _reference(one: Entry) -> tuple[float, float, float, str]:
    """ReFrame's value, lower and upper (as fractions of it), unit; the bounds rounded outwards to 0.01 %."""
    runs = one.get("runs") or {}
    ends = [one["low"], one["high"]] + ([runs["low"], runs["high"]] if runs.get("n", 0) > 1 else [])
    lower = math.floor((min(ends) / one["value"] - 1) * 1e4 - 1e-6) / 1e4
    upper = math.ceil((max(ends) / one["value"] - 1) * 1e4 + 1e-6) / 1e4
    return one["value"] / 1e9, min(lower, -1e-4), max(upper, 1e-4), "G" + one["unit"].replace("byte", "B")


def _reframe(file: _File) -> str:
    """performance references for ReFrame tests (Python)

    Attribute `reference`, https://reframe-hpc.readthedocs.io/en/stable/regression_test_api.html: system and
    partition are the host and the device; with `ert run --repeat` the bounds hold all runs.
    """
    machine = file.content["machine"].get("provenance") or {}
    origin = f"{file.content.get('created')} by ert {machine.get('tool_version')}"
    lines = [
        f"# ReFrame references from ceilings measured {origin}.",
        "# Keys are HOST:DEVICE: rename them to SYSTEM:PARTITION of your configuration.",
        "# Bounds are the measured intervals, as fractions of the value.",
        *(
            f"# {device['id']} is NOT VALID: {device.get('warnings')}"
            for device in file.devices
            if not device["valid"]
        ),
        "reference = {",
    ]
    for device in file.devices:
        lines.append(f"    {ascii(str(machine.get('host') or '') + ':' + device['id'])}: {{")
        for one in device["ceilings"]:
            if one["value"] > 0 and (one["kind"] == "memory" or one["kind"] == "compute" and one.get("roof")):
                value, lower, upper, unit = _reference(one)
                name = re.sub("[^A-Za-z0-9]", "_", one["name"])
                lines.append(f"        '{name}': ({value:.6g}, {lower:.4f}, {upper:.4f}, '{unit}'),")
        lines.append("    },")
    return "\n".join([*map(shown, lines), "}", ""])


def _tracelens(file: _File) -> str:
    """a GPU's architecture file of AMD's TraceLens, --gpu_arch_json_path (JSON)

    Its fields: https://github.com/AMD-AGI/TraceLens, docs/gpu_arch_example.md. A tensor core's products are
    "matrix", a core's FMA "vector". Products of FP32 run on the cores, unless PyTorch may use TF32 for them.
    """
    devices = [device for device in file.devices if device["about"]["kind"] == "gpu"]
    if len(devices) != 1:
        raise Error(f"tracelens: {len(devices)} GPUs in the file, must be 1: --device chooses", code=2)
    device, rates = devices[0], dict[str, float]()
    for one in (one for one in device["ceilings"] if one["kind"] == "compute"):
        unit = {"tensor": "matrix", "core": "vector"}.get(one.get("execution_unit") or "")
        if unit and one["type"] != "int32" and one["op"].split("-")[0] in ("fma", "mma", "wgmma", "tcgen05"):
            name = f"{unit}_{one['type'].split('-')[0]}"
            rates[name] = max(rates.get(name, 0), round(one["value"] / 1e12, 2))
    if "vector_fp32" in rates:
        rates.setdefault("matrix_fp32", rates["vector_fp32"])
    memory = [one for one in device["ceilings"] if one["kind"] == "memory" and one.get("roof")]
    result = {
        "name": device["about"].get("name") or device["id"],
        "mem_bw_gbps": round(memory[-1]["value"] / 1e9, 1) if memory else 0,
        "max_achievable_tflops": rates,
        "_reference": f"measured by ert, {file.content.get('created')}",
    }
    return json.dumps(result, indent=4) + "\n"


def _loaded(file: _File) -> str:
    """the chart of latency over the bandwidth that others draw (SVG)"""
    return draw(file.devices)


FORMATS: dict[str, tuple[Callable[[_File], str], str]] = {
    "csv": (_csv, ".csv"),
    "loaded": (_loaded, ".svg"),
    "prometheus": (_prometheus, ".prom"),
    "reframe": (_reframe, ".py"),
    "tracelens": (_tracelens, ".json"),
}


def about_formats() -> Iterator[str]:
    for name, (write, suffix) in FORMATS.items():
        yield f"{name:12}{str(write.__doc__).splitlines()[0]} ({suffix})"


def export(format: str, path: Path, device: str = "", force: bool = False) -> str:
    """A ceilings file in a format of FORMATS. device: only this one. force: also what is not valid."""
    if format not in FORMATS:
        raise Error(f"no format '{shown(format)}'; there are: {', '.join(FORMATS)}")
    read(path)  # refuses what the programs refuse
    with open(path, encoding="utf-8-sig") as file:
        content = json.load(file)
    abouts = {about["id"]: about for about in content["machine"]["devices"]}
    devices = [{**one, "about": abouts[one["id"]]} for one in content["devices"] if device in ("", one["id"])]
    if not devices and device:
        raise Error(f"no device '{shown(device)}'; there are: {', '.join(abouts)}")
    if not any(one["kind"] in ("compute", "memory", "loaded") for found in devices for one in found["ceilings"]):
        raise Error(f"{device or 'the file'} has no ceilings", code=3)
    for found in devices:
        if not found["valid"] and not force:
            why = f"{found['id']} are not valid: {shown(found.get('warnings') or '')}"
            raise Error(f"the ceilings of {why}; --force exports them", code=4)
    return FORMATS[format][0](_File(content, devices))
