# SPDX-License-Identifier: BSD-3-Clause
"""Profiles that Python reads, as points.json: Nsight Systems, rocprofv3, nvprof, .ncu-rep.

Kernels get their names from `roofline import ncu`, so that `roofline import --join` finds the same kernel in
several files.
"""

from __future__ import annotations

import csv
import gzip
import importlib
import io
import json
import math
import os
import re
import sqlite3
import tempfile
import urllib.parse
import zlib
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Union

from . import Error, Path, _ask, find_program, nvprof
from .rocprof import LANES, derived
from .studies import shown

_NCU = (
    "a report of Nsight Compute, which NVIDIA's module ncu_report reads: `pip install ncu-report`, or set "
    "PYTHONPATH to the folder extras/python of Nsight Compute; or use ncu itself, `ncu --import FILE --csv "
    "--page raw > FILE.csv`"
)
_NSYS = "a report of Nsight Systems: `nsys export --type sqlite FILE` makes the file to give here"
_ROCPD = "a database of rocprofv3: use `--output-format json` or `rocpd convert --output-format csv`"
_UNKNOWN = (
    "no SQLite export or CSV table of Nsight Systems, no JSON or CSV of rocprofv3, no kernel of "
    "nvprof, no .ncu-rep; `roofline import --help` lists what the program reads itself"
)


@dataclass
class _Kernel:
    """The launches of a kernel in a file, summed."""

    launches: float = 0
    time_s: Optional[float] = 0  # None: not known of all
    facts: dict[str, set[float]] = field(default_factory=dict)  # what launches have
    counts: dict[str, tuple[float, int]] = field(default_factory=dict)  # counter: sum, launches that have it


_Kernels = dict[tuple[str, str], _Kernel]  # by full name, and by run
# What a point says if all launches agree: the product of columns of the SQLite export, or of cuda_gpu_trace.
_FACTS = {
    "registers": ("registersPerThread", "Reg/Trd"),
    "blocks": ("gridX gridY gridZ", "GrdX GrdY GrdZ"),
    "threads_per_block": ("blockX blockY blockZ", "BlkX BlkY BlkZ"),
    "static_shared_bytes": ("staticSharedMemory",),
    "dynamic_shared_bytes": ("dynamicSharedMemory",),
}


def _number(value: Any, where: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not 0 <= number < math.inf:
        raise Error(f"{where}: {value!r}, must be a number of at least 0")
    return number


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Error(f"{where}: {value!r}, must be the name of a kernel")
    return shown(value.strip())


def _span(start: Any, end: Any, where: str) -> float:
    span_s = (_number(end, f"{where}: end") - _number(start, f"{where}: start")) / 1e9
    if span_s < 0:
        raise Error(f"{where}: ends at {end}, before its start at {start}")
    return span_s


def _add(kernels: _Kernels, key: tuple[str, str], launches: float, time_s: Optional[float]) -> _Kernel:
    kernel = kernels.setdefault(key, _Kernel())
    kernel.launches += launches
    kernel.time_s = None if kernel.time_s is None or time_s is None else kernel.time_s + time_s
    return kernel


def _add_facts(kernel: _Kernel, row: Mapping[str, Any], where: str) -> None:
    for key, spellings in _FACTS.items():
        for parts in map(str.split, spellings):
            if all(row.get(part) not in (None, "") for part in parts):
                value = math.prod(_number(row[part], f"{where}: {part}") for part in parts)
                kernel.facts.setdefault(key, set()).add(value)


def _asked(format: str, text: str, program: Path) -> dict[str, Any]:
    """What `roofline import` says of a file of this text."""
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "file")
        with open(file, "w", encoding="utf-8", errors="replace", newline="") as out:
            out.write(text)
        try:
            return _ask(program, ["import", "--output", "json", "--", format, file])
        except Error as error:
            raise Error(str(error).replace(f"roofline: {file}: ", "")) from error


def _imported(rows: list[list[str]], program: Path) -> dict[str, Any]:
    """What `roofline import ncu` says of a raw page with these rows."""
    raw = io.StringIO()
    csv.writer(raw, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    return _asked("ncu", raw.getvalue(), program)


def _short(names: list[str], program: Path) -> dict[str, str]:
    """The names of points, by full name."""
    rows = [["ID", "Kernel Name", "gpu__time_duration.sum"], ["", "", "ns"]]
    rows += ([str(i), name, "1"] for i, name in enumerate(names))
    known = _imported(rows, program)["points"]
    if len(known) != len(names):
        raise Error(f"{len(names)} names of kernels are {len(known)} to `roofline import ncu`")
    return {name: point["name"] for name, point in zip(names, known)}


def _points(kernels: _Kernels, source: str, recipe: str, program: Path) -> list[dict[str, Any]]:
    short = _short(list(dict.fromkeys(name for name, _ in kernels)), program)
    has_runs = len({run for _, run in kernels}) > 1
    points = []
    for (name, run), kernel in kernels.items():
        point: dict[str, Any] = {"name": short[name], **({"run": run} if has_runs else {})}
        point.update(source=source, format=recipe.split(":")[0], launches=kernel.launches)
        if kernel.time_s is not None:
            point.update(time_recipe=recipe, time_s=kernel.time_s)
        values = {key: min(found) for key, found in kernel.facts.items() if len(found) == 1}
        point.update({"registers": values.pop("registers")} if "registers" in values else {}, values=values)
        if kernel.counts:
            n_launches = f"{kernel.launches:.0f} launches"
            point.update(derived({
                counter: total if n == kernel.launches else f"in {n} of {n_launches}"
                for counter, (total, n) in kernel.counts.items()
            }))  # fmt: skip
        points.append(point)
    return points


# ---- Nsight Systems ----

_TABLE = "CUPTI_ACTIVITY_KIND_KERNEL"


def _sqlite(file: str) -> tuple[_Kernels, str]:
    """The kernels of an export, as NVIDIA's "SQLite Schema Reference" has it, and what made it."""
    where = f"file:{urllib.parse.quote(os.path.abspath(file))}?mode=ro&immutable=1"
    base = sqlite3.connect(where, uri=True)
    base.text_factory = lambda text: text.decode("utf-8", "replace")
    try:
        tables = {name for name, in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if any(name.startswith("rocpd_") for name in tables):
            raise Error(_ROCPD)
        for table in ("StringIds", _TABLE):
            if table not in tables:
                raise Error(f"no table {table}: no export of Nsight Systems, or of a run without a kernel")
        origin = "Nsight Systems"
        for table in tables & {"META_DATA_EXPORT", "EXPORT_META_DATA"}:
            query = f"SELECT value FROM {table} WHERE name = 'EXPORT_PRODUCT_VERSION'"
            origin += "".join(f" {version}" for version, in base.execute(query))
        gpus = set(base.execute("SELECT name FROM TARGET_INFO_GPU")) if "TARGET_INFO_GPU" in tables else ()
        origin += f", {min(gpus)[0]}" if len(gpus) == 1 else ""  # else nothing says which one is deviceId
        return _sqlite_kernels(base), shown(origin)
    except (sqlite3.Error, ValueError) as error:  # a damaged schema is no UTF-8
        raise Error(str(error)) from error
    finally:
        base.close()


def _sqlite_kernels(base: sqlite3.Connection) -> _Kernels:
    columns = [row[1] for row in base.execute(f"PRAGMA table_info({_TABLE})")]
    for column in ("start", "end", "demangledName"):
        if column not in columns:
            raise Error(f"{_TABLE}: no column '{column}'; there are {', '.join(columns)}")
    names = dict(base.execute("SELECT id, value FROM StringIds"))
    kernels: _Kernels = {}
    for i, cells in enumerate(base.execute(f"SELECT * FROM {_TABLE}")):
        row, where = dict(zip(columns, cells)), f"{_TABLE}, row {i + 1}"
        if row["demangledName"] not in names:
            raise Error(f"{where}: demangledName: {row['demangledName']!r}, not an id of StringIds")
        # globalPid has the process in its bits 24 to 47: NVIDIA, "Common SQLite Examples".
        process = int(_number(row.get("globalPid") or 0, f"{where}: globalPid")) >> 24 & 0xFFFFFF
        run = f"process {process}, device {row.get('deviceId', 0)}"
        key = _name(names[row["demangledName"]], f"{where}: demangledName"), run
        _add_facts(_add(kernels, key, 1, _span(row["start"], row["end"], where)), row, where)
    return kernels


# ---- tables of text ----

# Each kind by titles that no other table has; in those of `nsys stats` a unit follows the title.
_KINDS = {
    "nsys: kern_sum": ("Total Time", "Instances", "Name"),
    "nsys: gpu_trace": ("Duration", "GrdX", "Name"),
    "counters": ("Kernel_Name", "Dispatch_Id", "Counter_Name", "Counter_Value"),
    "trace": ("Kernel_Name", "Start_Timestamp", "End_Timestamp"),
}
_SECONDS = {"ns": 1e-9, "nsec": 1e-9, "us": 1e-6, "usec": 1e-6, "ms": 1e-3, "msec": 1e-3, "s": 1, "sec": 1}
_Row = tuple[str, dict[str, str]]  # where it is; its cells by title


def _table(text: str) -> tuple[str, list[_Row], dict[str, str]]:
    """The kind of a table in a text, its rows, and the units of its titles; other lines are skipped."""
    kind, titles = "", []  # type: str, list[str]
    rows: list[_Row] = []
    units: dict[str, str] = {}
    reader = csv.reader(io.StringIO(text))
    for cells in reader:
        where = f"line {reader.line_num}"
        heads = [re.sub(r"\s*\(\w+\)$", "", cell.strip()) for cell in cells]
        is_one = next((kind for kind, needed in _KINDS.items() if set(needed) <= set(heads)), "")
        if is_one:
            if kind and is_one != kind:
                raise Error(f"{where}: table '{is_one}' after '{kind}': give one of them")
            kind, titles = is_one, heads
            units = {head: cell.strip()[len(head) :].strip(" ()") for head, cell in zip(heads, cells)}
        elif not cells or cells[0].startswith(("Processing [", "Generating ")):
            titles = []
        elif titles and len(cells) != len(titles):
            raise Error(f"{where}: {len(cells)} cells, must be {len(titles)} as in the titles: cut off?")
        elif titles:
            rows.append((where, dict(zip(titles, cells))))
    if kind and not rows:
        raise Error(f"table '{kind}' without a row")
    return kind, rows, units


def _nsys_rows(kind: str, rows: list[_Row], units: dict[str, str]) -> _Kernels:
    """cuda_gpu_kern_sum or cuda_gpu_trace of `nsys stats`; before 2023 gpukernsum and gputrace."""
    title = _KINDS[kind][0]
    if units[title] not in _SECONDS:
        raise Error(f"column '{title}': unit '{units[title]}', must be one of {', '.join(_SECONDS)}")
    kernels: _Kernels = {}
    for where, row in rows:
        if not row.get("GrdX", "1").strip():
            continue  # a copy or a memset
        time_s = _number(row[title], f"{where}: {title}") * _SECONDS[units[title]]
        launches = _number(row.get("Instances", 1), f"{where}: Instances")
        key = _name(row["Name"], f"{where}: Name"), f"device {row.get('Device', '')}"
        _add_facts(_add(kernels, key, launches, time_s), row, where)
    return kernels


# ---- rocprofv3 ----

_Dispatch = tuple[str, str, Optional[float], dict[str, float]]  # kernel, device, seconds, counters


def _rocprof_rows(kind: str, rows: list[_Row]) -> list[_Dispatch]:
    """A kernel_trace.csv or counter_collection.csv."""
    found: dict[str, _Dispatch] = {}
    for where, row in rows:
        begun, ended = row.get("Start_Timestamp"), row.get("End_Timestamp")
        time_s = _span(begun, ended, where) if begun else None
        name = _name(row["Kernel_Name"], f"{where}: Kernel_Name")
        number = f"{row.get('Process_Id')} {row['Dispatch_Id']}" if kind == "counters" else where
        counts = found.setdefault(number, (name, row.get("Agent_Id", ""), time_s, {}))[3]
        if kind == "counters":
            counter = row["Counter_Name"]
            counts[counter] = counts.get(counter, 0) + _number(row["Counter_Value"], f"{where}: {counter}")
    return list(found.values())


def _rocprof_json(content: Any) -> list[_Dispatch]:
    """A results.json, as rocprofv3-schema.json of ROCprofiler-SDK's documentation has it."""
    found: list[_Dispatch] = []
    at = "rocprofiler-sdk-tool"
    try:
        for tool in content["rocprofiler-sdk-tool"]:
            symbols = {one["kernel_id"]: one for one in tool["kernel_symbols"]}
            agents = {one["id"]["handle"]: one for one in tool["agents"]}
            counters = {one["id"]["handle"]: one["name"] for one in tool["counters"]}
            infos: dict[int, Any] = {}
            times: dict[int, float] = {}
            counted: dict[int, dict[str, float]] = {}
            for j, one in enumerate(tool["buffer_records"]["kernel_dispatch"]):
                at, info = f"kernel_dispatch[{j}]", one["dispatch_info"]
                infos[info["dispatch_id"]] = info
                times[info["dispatch_id"]] = _span(one["start_timestamp"], one["end_timestamp"], at)
            for j, one in enumerate(tool["callback_records"]["counter_collection"]):
                at, info = f"counter_collection[{j}]", one["dispatch_data"]["dispatch_info"]
                lanes = agents[info["agent_id"]["handle"]]["wave_front_size"]
                if lanes != LANES:
                    raise Error(f"{at}: waves of {lanes} lanes, must be {LANES}: not a GPU of CDNA")
                infos[info["dispatch_id"]] = info
                counts = counted.setdefault(info["dispatch_id"], {})
                for record in one["records"]:
                    counter = counters[record["counter_id"]["handle"]]
                    counts[counter] = counts.get(counter, 0) + _number(record["value"], f"{at}: {counter}")
            # Of a kernel with counters in some dispatches only these.
            kernels = {infos[number]["kernel_id"] for number in counted}
            for number, info in infos.items():
                at = f"dispatch_id {number}"
                if number in counted or info["kernel_id"] not in kernels:
                    name = _name(symbols[info["kernel_id"]]["formatted_kernel_name"], at)
                    agent = agents[info["agent_id"]["handle"]]["logical_node_type_id"]
                    found.append((name, str(agent), times.get(number), counted.get(number, {})))
    except (KeyError, TypeError, AttributeError) as error:
        raise Error(f"{at}: not as rocprofv3 writes it: {error!r}") from error
    return found


def _rocprof_kernels(dispatches: list[_Dispatch]) -> _Kernels:
    kernels: _Kernels = {}
    is_one = len({device for _, device, _, _ in dispatches}) == 1  # then passes may number it differently
    for name, device, time_s, counts in dispatches:
        kernel = _add(kernels, (name, "" if is_one else f"device {device}"), 1, time_s)
        for counter, count in counts.items():
            total, n = kernel.counts.get(counter, (0, 0))
            kernel.counts[counter] = (total + count, n + 1)
    return kernels


def _joined(passes: dict[str, _Kernels]) -> _Kernels:
    """One program's passes, each with other counters; a time of a pass without counters goes first."""
    joined: _Kernels = {}
    files: dict[tuple[str, str], str] = {}
    for file in sorted(passes, key=lambda file: any(kernel.counts for kernel in passes[file].values())):
        for key, kernel in passes[file].items():
            first, sums = files.setdefault(key, file), joined.setdefault(key, kernel)
            if sums.launches != kernel.launches:
                counts = f"{sums.launches:.0f} launches in {first}, {kernel.launches:.0f} in {file}"
                raise Error(f"{key[0]}: {counts}: must be passes of one program")
            sums.counts = {**kernel.counts, **sums.counts}
    return joined


# ---- Nsight Compute ----


def _ncu_rows(file: str) -> list[list[str]]:
    """The raw page of a report: titles, units, a row for each launch."""
    try:
        module = importlib.import_module("ncu_report")
    except ImportError as error:
        raise Error(_NCU) from error
    launches: list[tuple[str, dict[str, tuple[str, Any]]]] = []
    try:
        report = module.load_report(file)
        for ranged in (report.range_by_idx(i) for i in range(report.num_ranges())):
            for action in (ranged.action_by_idx(i) for i in range(ranged.num_actions())):
                metrics = {name: action.metric_by_name(name) for name in action.metric_names()}
                cells = {name: (one.unit(), one.value()) for name, one in metrics.items() if one.has_value()}
                launches.append((action.name(action.NameBase_DEMANGLED), cells))
    except Exception as error:  # of the module's own kinds
        raise Error(f"ncu_report: {error}") from error
    units = {name: unit for _, cells in launches for name, (unit, _) in cells.items()}
    capability = "device__attribute_compute_capability_"
    rows = [["ID", "Kernel Name", "Device", "CC", *units], ["", "", "", "", *units.values()]]
    for i, (kernel, cells) in enumerate(launches):
        for name, (unit, _) in cells.items():
            if unit != units[name]:
                raise Error(f"launch {i}: {name}: in {unit}, must be in {units[name]} as in others")
        texts = {name: str(value) for name, (_, value) in cells.items()}
        cc = f"{texts.get(capability + 'major', '')}.{texts.get(capability + 'minor', '')}"
        device = texts.get("launch__device_id", "")
        values = (texts.get(name, "") for name in units)
        rows.append([str(i), _name(kernel, f"launch {i}"), device, cc, *values])
    return rows


# ---- any of them ----


def profiled(*files: Path, program: Path = find_program("roofline")) -> dict[str, Any]:
    """The points of files: ert-points/1. Those of rocprofv3 and of nvprof are runs of one program."""
    reports: list[dict[str, Any]] = []
    of_nvprof: list[dict[str, Any]] = []
    passes: dict[str, _Kernels] = {}
    for path in files:
        file = os.fspath(path)
        try:
            one = _read(file, program)
            if isinstance(one, list):
                passes[file] = _rocprof_kernels(one)
            elif one["origin"] == "nvprof":
                nvprof.join(of_nvprof, one["points"])
            else:
                reports.append(one)
        except (Error, OSError) as error:
            text = error.strerror if isinstance(error, OSError) else str(error)
            raise Error(f"{shown(file)}: {text}") from error
    if passes:
        recipe = "rocprofv3: end - start of dispatches"
        found = _points(_joined(passes), ", ".join(passes), recipe, program)
        reports.append({"origin": "rocprofv3", "points": found})
    if of_nvprof:
        made = {"schema": "ert-points/1", "origin": "nvprof", "points": of_nvprof}
        reports.append(_asked("auto", json.dumps(made), program))  # with the program's remarks
    origin = "; ".join(dict.fromkeys(report["origin"] for report in reports))
    points = [point for report in reports for point in report["points"]]
    return {"schema": "ert-points/1", "origin": origin, "points": points}


def _read(file: str, program: Path) -> Union[dict[str, Any], list[_Dispatch]]:
    """The points of a file and their origin, or the dispatches of a pass of rocprofv3."""
    with open(file, "rb") as opened:
        head = opened.read(32)
        if head.startswith(b"NVIDIA Tegra Profiler"):
            raise Error(_NSYS)
        if head.startswith(b"SQLite format 3\0"):
            kernels, origin = _sqlite(file)
            recipe = "nsys: end - start of launches"
            return {"origin": origin, "points": _points(kernels, file, recipe, program)}
        if head.startswith(b"NVR\0"):
            report = _imported(_ncu_rows(file), program)
            return {**report, "points": [{**point, "source": file} for point in report["points"]]}
        data = head + opened.read()
    try:
        data = gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", "replace")
        if text.lstrip().startswith("{"):
            content = json.loads(text)
            if "rocprofiler-sdk-tool" in content:
                return _rocprof_json(content)
            raise Error(_UNKNOWN)
        kind, rows, units = _table(text)
        of_nvprof = [] if kind else nvprof.read(text)
    except (csv.Error, EOFError, RecursionError, ValueError, zlib.error) as error:
        raise Error(str(error)) from error
    if kind in ("counters", "trace"):
        return _rocprof_rows(kind, rows)
    if of_nvprof:
        short = _short(list(dict.fromkeys(point["name"] for point in of_nvprof)), program)
        points = [{**point, "name": short[point["name"]], "source": file} for point in of_nvprof]
        return {"origin": "nvprof", "points": points}
    if not kind:
        raise Error(_UNKNOWN)
    points = _points(_nsys_rows(kind, rows, units), file, kind, program)
    return {"origin": "Nsight Systems", "points": points}
