# SPDX-License-Identifier: BSD-3-Clause
"""One code on several platforms, and on more and more threads; __main__.py has their command lines."""

from __future__ import annotations

import collections
import re
import statistics
from typing import Any, Optional, Sequence

from . import Error, Path, find_program, place, points

Row = dict[str, Any]
PROGRAM = find_program("roofline")
LEAST_GROWTH = 1.05  # smaller growth is within the accuracy of counters and clocks
GOOD_EFFICIENCY = 0.9  # a kernel with this efficiency scales


def shown(text: str) -> str:
    """Text from files and command lines, without characters that act on a terminal."""
    acts = "[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
    return re.sub(acts, lambda found: ascii(found.group())[1:-1], text)


def _with_run(point: Row) -> str:
    return f"{point['name']} [{point['run']}]" if point.get("run") else str(point["name"])


def _fastest(kernels: list[Row]) -> list[Row]:
    """The fastest kernel of each run, named as the run."""
    best: dict[str, Row] = {}
    for kernel in (kernel for kernel in kernels if kernel.get("time_s")):
        run = kernel.get("run") or "all"
        if run not in best or kernel["time_s"] < best[run]["time_s"]:
            best[run] = {**kernel, "name": run}
    return list(best.values())


def _metric(efficiencies: dict[str, Optional[float]]) -> tuple[Optional[float], str]:
    """The harmonic mean, and why it is 0 or undefined, or a warning."""
    lacking = [name for name, value in efficiencies.items() if not value]
    above = [name for name, value in efficiencies.items() if value and value > 1]
    if len(efficiencies) < 2:
        return None, "undefined: 1 platform, at least two are required"
    if lacking:
        return 0.0, f"0 by definition: no efficiency on {lacking[0]}"
    note = f"check: above 100 % on {above[0]}; kept unchanged" if above else ""
    return statistics.harmonic_mean([value or 0 for value in efficiencies.values()]), note


def portability(
    platforms: Sequence[tuple[str, Path, Path]], fastest: bool = False, device: str = "",
    program: Path = PROGRAM,
) -> list[Row]:  # fmt: skip
    """A row per case: its efficiency on each platform, and their harmonic mean.

    Pennycook, Sewall and Lee, "Implications of a metric for performance portability", Future Generation
    Computer Systems 92 (2019), doi:10.1016/j.future.2017.08.007: 0 where a case does not run on a platform,
    undefined for fewer than two. The efficiencies are architectural: the fraction of the binding roof.

    platforms: (name, ceilings, profile); name "": that of the device. fastest: each run is represented by its
    fastest version, whatever its name. device: of ceilings with several.
    """
    options = ["--force", "--concurrency", "all", *(["--device", device] if device else [])]
    placed: dict[str, list[Row]] = {}
    for name, ceilings, profile in platforms:
        found = place(ceilings, profile, options=options, program=program)
        name = name or found["device"].get("name") or found["device"]["id"]
        if name in placed:
            raise Error(f"the platform '{shown(name)}' appears twice")
        placed[name] = _fastest(found["kernels"]) if fastest else found["kernels"]
    # Runs, often names of files or machines, differ between platforms: used only if names repeat.
    repeat = any(len({kernel["name"] for kernel in own}) < len(own) for own in placed.values())
    cases: dict[str, dict[str, Optional[float]]] = {}
    for name, own in placed.items():
        names = [_with_run(kernel) if repeat else kernel["name"] for kernel in own]
        for case, times in collections.Counter(names).items():
            if times > 1:
                raise Error(f"platform '{shown(name)}': '{shown(case)}' appears twice")
        for case, kernel in zip(names, own):
            cases.setdefault(case, dict.fromkeys(placed))[name] = kernel["bound"].get("fraction")
    rows = []
    for case, efficiencies in cases.items():
        mean, note = _metric(efficiencies)
        rows.append({"case": case, "efficiencies": efficiencies, "portability": mean, "note": note})
    return rows


def _relate(name: str, path: dict[float, Row], weak: bool) -> list[Row]:
    """The rows of a kernel, the least scale first, each with a sentence about all."""
    flops = {scale: sum(work["count"] for work in point["flops"]) for scale, point in path.items()}
    moved = {scale: {at["level"]: at["count"] for at in point["bytes"]} for scale, point in path.items()}
    first, last = min(path), max(path)
    rows: list[Row] = []
    for scale in sorted(path):
        time_s, before_s = path[scale].get("time_s"), path[first].get("time_s")
        speedup = before_s / time_s * (scale / first if weak else 1) if time_s and before_s else None
        # Bytes per operation relative to the least scale; without operations (strong scaling) bytes.
        more = flops[scale] / flops[first] if flops[scale] and flops[first] else None if weak else 1
        rows.append({
            "kernel": name, "scale": scale, "time_s": time_s, "speedup": speedup,
            "efficiency": speedup and speedup / (scale / first),
            "flop_per_s": flops[scale] / time_s if time_s and flops[scale] else None, "bytes": moved[scale],
            "intensity": {level: flops[scale] / count for level, count in moved[scale].items()
                          if count and flops[scale]},
            "growth": {level: count / moved[first][level] / more
                       for level, count in moved[scale].items() if more and moved[first].get(level)},
        })  # fmt: skip
    text = _judge(rows[0], rows[-1], flops[last] / flops[first] if flops[first] else 1, weak)
    return [{**row, "text": text} for row in rows]


def _judge(first: Row, last: Row, more_work: float, weak: bool) -> str:
    """How well the kernel scales, and whether its traffic explains it."""
    growths: dict[str, float] = last["growth"]
    level = max(growths, key=lambda level: growths[level], default="")
    if first is last:
        text = f"only one scale ({first['scale']:g}): nothing to compare"
    elif last["efficiency"]:
        text = f"{100 * last['efficiency']:.1f} % efficient at {last['scale']:g} against {first['scale']:g}"
    else:
        text = f"no time at {last['scale']:g} or {first['scale']:g}, so no speed-up"
    if growths.get(level, 0) > LEAST_GROWTH:
        per = " per operation" if more_work else ""
        text += f"; {level} traffic{per} grows most, {growths[level]:.2f} times: "
        text += "shared or divided caches hold less of the data"
    elif last["efficiency"] and last["efficiency"] < GOOD_EFFICIENCY:
        text += "; no traffic grows: a shared roof, serial parts, imbalance or waiting"
    if not weak and more_work > LEAST_GROWTH:
        text += f"; operations grow {more_work:.2f} times: redundant work, or weak scaling (--weak)"
    return text


def scaling(
    profiles: Sequence[tuple[float, Path]], weak: bool = False, only: str = "", program: Path = PROGRAM
) -> list[Row]:
    """A row per kernel and scale: speed-up, efficiency, intensity and growth of traffic by level, a sentence.

    Ibrahim, Williams and Oliker, "Performance Analysis of GPU Programming Models Using the Roofline Scaling
    Trajectories", 2019: the ideal path is straight up; a code that moves more bytes per operation bends left.

    profiles: (scale, file); scale 0: that of its points, else their threads; a point without either is a row
    without a scale, at the end. weak: the work grows with the scale, so that a constant time is ideal.
    only: kernels with this in their name.
    """
    found: list[tuple[float, Row]] = []
    for scale, file in profiles:
        read = points(file, options=["--kernel", only] if only else [], program=program)["points"]
        found += [
            (scale or point.get("scale") or point.get("threads") or 0, point)
            for point in read
            if only in point["name"]  # points.json is read whole
        ]
    if not any(scale for scale, _ in found):
        raise Error(f"none of {len(found)} points has a scale (threads, nodes)")
    counts = collections.Counter((point["name"], scale) for scale, point in found if scale)
    doubled = {name for (name, _), times in counts.items() if times > 1}
    paths: dict[str, dict[float, Row]] = {}
    for scale, point in (pair for pair in found if pair[0]):
        name = _with_run(point) if point["name"] in doubled else point["name"]
        if scale in paths.setdefault(name, {}):
            raise Error(f"'{shown(name)}' appears twice at the scale {scale:g}")
        paths[name][scale] = point
    rows = [row for name, path in paths.items() for row in _relate(name, path, weak)]
    return rows + [{"kernel": point["name"], "scale": None} for scale, point in found if not scale]
