# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m roofline portability, scaling: the studies as tables; export: ceilings for other tools; points:
profiles of nsys, rocprofv3 and nvprof; ert-config, ert-ceilings: files of LBNL's ERT.

In a wheel that carries the programs, main() is their commands `ert`, `roofline` and `ert-gpp`: each becomes
its program.
"""

from __future__ import annotations

import argparse
import csv
import json
import math
import os
import re
import sys
from typing import Any, Callable, NoReturn, Optional, Sequence

from . import Error, find_program
from .collectives import into
from .ert_ceilings import ceilings
from .ert_config import preset
from .exports import FORMATS, about_formats, export
from .profiles import profiled
from .studies import portability, scaling, shown

Column = tuple[str, Callable[[Any], str]]  # title; the text of a cell for readers


class _Parser(argparse.ArgumentParser):
    def __init__(self, study: str, files: str, purpose: str) -> None:
        super().__init__(f"python3 -m roofline {study}", description=purpose, allow_abbrev=False)
        self.add_argument("files", nargs="*", metavar=files)
        if study in ("portability", "scaling"):
            self.add_argument("--csv", action="store_true", help="write CSV, in SI units and fractions")

    def error(self, message: str) -> NoReturn:
        raise Error(shown(message))


def _percent(digits: int) -> Callable[[Optional[float]], str]:
    return lambda share: "-" if share is None else f"{100 * share:.{digits}f} %"


def _number(unit: str = "", most: int = 0) -> Callable[[Optional[float]], str]:
    """Four digits, with a prefix up to 1000 ** most; "-" for what is not known."""

    def text(value: Optional[float]) -> str:
        if not value or not unit:
            return f"{value:.4g}" if value else "-"
        power = max(-3, min(most, math.floor(math.log10(float(f"{value:.3e}")) / 3)))
        return f"{value / 1000.0**power:.4g} {'num kMGTPE'[power + 3].strip()}{unit}"

    return text


def _write(columns: Sequence[Column], rows: Sequence[Sequence[Any]], as_csv: bool) -> None:
    """As aligned text, or as CSV in SI units."""
    titles = [shown(title) for title, _ in columns]
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(titles)
        for row in rows:
            cells = [f"{cell:.10g}" if isinstance(cell, (int, float)) else cell for cell in row]
            writer.writerow(shown(cell) if cell else "" for cell in cells)
        return
    lines = [titles, *([text(cell) for (_, text), cell in zip(columns, row)] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        aligned = [
            cell.ljust(width) if text is shown else cell.rjust(width)
            for cell, width, (_, text) in zip(line, widths, columns)
        ]
        print("  ".join(aligned).rstrip())


def _platform(word: str) -> tuple[str, str, str]:
    """[NAME=]CEILINGS:PROFILE"""
    head, _, profile = word.partition(":")
    name, is_named, ceilings = head.partition("=")
    if not name or not is_named or "/" in name:
        name, ceilings = "", head
    if not ceilings or not profile:
        raise Error(f"portability: '{shown(word)}', must be [NAME=]CEILINGS:PROFILE")
    return name, ceilings, profile


def _portability(words: Sequence[str]) -> None:
    purpose = "One code on several platforms, as one number."
    parser = _Parser("portability", "[NAME=]CEILINGS:PROFILE", purpose)
    fastest = "versions of one code: represent each run by its fastest version, whatever its name"
    parser.add_argument("--fastest", action="store_true", help=fastest)
    parser.add_argument("--device", metavar="ID", default="", help="of ceilings with several, e.g. gpu0")
    options = parser.parse_intermixed_args(words)
    if not options.files:
        raise Error("portability: give CEILINGS:PROFILE of each platform")
    platforms = [_platform(word) for word in options.files]
    rows = portability(platforms, options.fastest, options.device)
    names = rows[0]["efficiencies"] if rows else ()
    columns: list[Column] = [("case", shown), *((name, _percent(2)) for name in names)]
    columns += [("portability", _percent(2)), ("note", shown)]
    if not options.csv:
        print("architectural efficiency: fraction of the binding roof; harmonic mean over", end=" ")
        print(f"{len(platforms)} platform{'s' if len(platforms) > 1 else ''}\n")
    cells = [[row["case"], *row["efficiencies"].values(), row["portability"], row["note"]] for row in rows]
    _write(columns, cells, options.csv)


def _profile(word: str) -> tuple[float, str]:
    """16:run16.csv: the scale of all points of the file, since most profiles do not record it."""
    found = re.fullmatch("([0-9][^:]*):(.*)", word, re.DOTALL)
    try:
        scale = float(found[1]) if found else None
    except ValueError:
        scale = None
    if not found or scale is None:  # also a file whose name begins with a digit
        return 0, word
    if not 0 < scale <= 1e12:
        raise Error(f"scaling: '{shown(word)}': the scale must be above 0, at most 1e12")
    return scale, found[2]


def _scaling(words: Sequence[str]) -> None:
    parser = _Parser("scaling", "[SCALE:]PROFILE", "How kernels scale over threads or nodes.")
    weak = "the work grows with the scale: a constant time is ideal"
    parser.add_argument("--weak", action="store_true", help=weak)
    parser.add_argument("--only", metavar="TEXT", default="", help="only kernels with this in their name")
    options = parser.parse_intermixed_args(words)
    if not options.files:
        raise Error("scaling: no profile given")
    found = scaling([_profile(word) for word in options.files], options.weak, options.only)
    rows = [row for row in found if row["scale"]]
    texts = {row["kernel"]: row["text"] for row in rows}
    levels = list(dict.fromkeys(level for row in rows for level in row["bytes"]))
    columns: list[Column] = [("kernel", shown), ("scale", "{:.10g}".format), ("time", _number("s"))]
    columns += [("speed-up", _number()), ("efficiency", _percent(1)), ("FLOP/s", _number("FLOP/s", 6))]
    columns += [(f"{level} {what}", _number()) for level in levels for what in ("AI", "traffic")]
    cells: list[list[Any]] = []
    for before, row in zip([None, *rows], rows):
        is_next = before and row["kernel"] == before["kernel"] and not options.csv
        cells.append(["" if is_next else row["kernel"], row["scale"], row["time_s"]])
        cells[-1] += [row["speedup"], row["efficiency"], row["flop_per_s"]]
        cells[-1] += [row[what].get(level) for level in levels for what in ("intensity", "growth")]
    _write(columns, cells, options.csv)
    if not options.csv:
        print("\ntraffic: bytes per operation relative to the smallest scale")
        for kernel, text in texts.items():
            print(shown(f"{kernel}: {text}"))
        if len(rows) < len(found):
            print(f"note: {len(found) - len(rows)} points have no scale")


def _export(words: Sequence[str]) -> None:
    parser = _Parser("export", "FORMAT CEILINGS", "Ceilings in the formats of other tools.")
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n  ".join(["FORMAT is one of:", *about_formats()])
    parser.add_argument("--device", metavar="ID", default="", help="only this device (default: all)")
    force = "also export ceilings of a run that was not valid, marked as such"
    parser.add_argument("--force", action="store_true", help=force)
    out = "write to FILE, completely or not at all (default: print)"
    parser.add_argument("--out", metavar="FILE", help=out)
    options = parser.parse_intermixed_args(words)
    format, *files = options.files or [""]
    if format in FORMATS and len(files) != 1:
        raise Error(f"export {format}: " + ("one file at a time" if files else "no ceilings file given"))
    _put(export(format, "".join(files), options.device, options.force), options.out)


def _nccl(words: Sequence[str]) -> None:
    purpose = "What nccl-tests printed, as ceilings of the first GPU in a ceilings.json."
    parser = _Parser("nccl", "OUTPUT CEILINGS", purpose)
    parser.add_argument("--out", metavar="FILE", help="write to FILE, which may be CEILINGS (default: print)")
    options = parser.parse_intermixed_args(words)
    if len(options.files) != 2:
        raise Error("nccl: give the output of nccl-tests, and a ceilings.json")
    _put(into(*options.files), options.out)


def _points(words: Sequence[str]) -> None:
    purpose = "Profiles of Nsight Systems, rocprofv3, nvprof, and reports of Nsight Compute, as points.json."
    parser = _Parser("points", "FILE", purpose)
    out = "write to FILE, completely or not at all (default: print)"
    parser.add_argument("--out", metavar="FILE", help=out)
    options = parser.parse_intermixed_args(words)
    if not options.files:
        raise Error("points: no profile given")
    _put(json.dumps(profiled(*options.files), indent=1) + "\n", options.out)


def _ert(command: str, purpose: str, make: Callable[[str], Any], words: Sequence[str]) -> None:
    """Of one file of LBNL's ERT one of ours."""
    parser = _Parser(command, "FILE", purpose)
    parser.add_argument("--out", metavar="NEW", help="write to NEW (default: print)")
    options = parser.parse_intermixed_args(words)
    if len(options.files) != 1:
        raise Error(f"{command}: give one file")
    _put(json.dumps(make(options.files[0]), indent=1) + "\n", options.out)


def _ert_config(words: Sequence[str]) -> None:
    purpose = "A configuration of LBNL's ERT as a preset, with which `ert run --config` measures the same."
    _ert("ert-config", purpose, preset, words)


def _ert_ceilings(words: Sequence[str]) -> None:
    _ert("ert-ceilings", "roofline.json of LBNL's ERT as a ceilings.json.", ceilings, words)


def _put(text: str, out: Optional[str]) -> None:
    """To a file, completely or not at all, or a pipe or device, which stays one; None: to standard output."""
    if not out:
        sys.stdout.write(text)
        return
    target = os.path.realpath(out)
    new = f"{target}.{os.getpid()}" if os.path.isfile(target) or not os.path.exists(target) else ""
    try:
        with open(new or target, "w", encoding="utf-8") as file:
            file.write(text)
        if new:
            os.replace(new, target)
    except OSError as error:
        raise Error(f"{shown(out)}: {error.strerror}", code=1) from error
    finally:
        if new and os.path.exists(new):
            os.unlink(new)


def study(words: Sequence[str]) -> int:
    """Runs a command; returns the exit code: 2 for wrong usage or input."""
    studies = {
        "portability": _portability,
        "scaling": _scaling,
        "export": _export,
        "nccl": _nccl,
        "points": _points,
        "ert-config": _ert_config,
        "ert-ceilings": _ert_ceilings,
    }
    usage = f"usage: python3 -m roofline {'|'.join(studies)} FILE...; with --help its options"
    try:
        if words and words[0] in studies:
            studies[words[0]](words[1:])
        elif words and words[0] in ("-h", "--help"):
            print(usage)
        else:
            raise Error(usage)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the end flushes once more
        if not isinstance(error, BrokenPipeError):
            print(f"roofline: standard output: {error.strerror}", file=sys.stderr)
        return 1
    except Error as error:
        text = shown(str(error))
        print(text if text.startswith("roofline: ") else f"roofline: {text}", file=sys.stderr)
        return error.code
    return 0


def main() -> None:
    path = find_program(os.path.basename(sys.argv[0]))
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(study(sys.argv[1:]))
