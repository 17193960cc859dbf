# SPDX-License-Identifier: BSD-3-Clause
"""A configuration of LBNL's ERT 1.0 or 1.1 (ERT_... keys) as a preset of `ert run`, which measures the same.

It is read as ERT's Python/ert_core.py and ert_utils.py do: a key and words per line, '#' in the first column
for comments, the last of several lines of a key counts. What applies is honoured; what does not is a remark,
which `ert run` prints and samples.json keeps. The kernel is that of ERT's C++ sources; ert/ert-1.1.0.md has
the reasons.
"""

from __future__ import annotations

import os
import re
from typing import Any, Optional

from . import Error, Path

_BLANKS = " \t\r\f\v"
_NUMBER = "(0[xX][0-9a-fA-F]{1,16}|0[0-7]{0,22}|[1-9][0-9]{0,19})[uUlL]*"  # C's, with its suffixes
_MOST = 4096  # numbers of a list
_LAUNCHES, _REMARKS, _REMARK_BYTES = 64, 48, 255  # what a preset may have
_KERNELS = {"FP64": "ert_fp64", "FP32": "ert_fp32", "FP16": "ert_fp16"}
# What compilers make of ERT's loops is a choice of kernel: the vectors' width, and whether two passes are
# done at once, as gcc does from version 8 on at -O3. The flag, the instruction set, whether it is gcc's.
_FLAGS = (
    ("-xMIC-AVX512", "avx512", False),
    ("-xCOMMON-AVX512", "avx512", False),
    ("-qopt-zmm-usage=high", "avx512", False),
    ("-mprefer-vector-width=512", "avx512", True),
    ("-march=knl", "avx512", True),
    ("-xCORE-AVX512", "avx2", False),
    ("-xCORE-AVX2", "avx2", False),
    ("-xHost", "avx2", False),
    ("-march=native", "", True),
)


def cut(text: str, most: int) -> str:
    """The text, in at most so many bytes."""
    whole = text.encode(errors="replace")
    return text if len(whole) <= most else whole[: most - 3].decode(errors="ignore") + "..."


def _whole(text: str) -> int:
    return int(text, 16 if text[:2] in ("0x", "0X") else 8 if text[0] == "0" else 10)


class _File:
    """The keys of a file, and what was asked for and found so far."""

    def __init__(self, path: Path):
        self.name = os.fspath(path)
        try:
            with open(path, encoding="utf-8-sig", errors="replace", newline="\n") as file:
                lines = file.read().split("\n")
        except OSError as error:
            raise Error(f"{self.name}: {error.strerror}") from error
        self.rows: dict[str, tuple[int, str]] = {}  # line, and the words behind the key
        self.repeated: set[str] = set()
        self.used: set[str] = set()
        self.remarks: list[str] = []
        for number, line in enumerate(lines, 1):
            key, *words = re.split(f"[{_BLANKS}]+", line.strip(_BLANKS))
            if line.startswith("#") or not key:
                continue
            if not self.rows and not key.startswith("ERT_"):
                break
            if key in self.rows:
                self.repeated.add(key)
            self.rows[key] = number, " ".join(words)
        if not self.rows:
            raise Error(f"{self.name}: must be a configuration of LBNL's ERT: a first key of ERT_...")

    def get(self, key: str) -> Optional[str]:
        self.used.add(key)
        return self.rows[key][1] if key in self.rows else None

    def wrong(self, key: str, text: str) -> Error:
        line, value = self.rows[key]
        return Error(f"{self.name}: line {line}: {key}: '{value[:80]}', {text}")

    def flag(self, key: str) -> bool:
        value = self.get(key)
        if value not in (None, "True", "False"):
            raise self.wrong(key, "must be True or False")
        return value == "True"

    def numbers(self, key: str) -> list[int]:
        """Numbers above 0, ascending, each once; none without the key."""
        value, found = self.get(key), set[int]()
        for word in [] if value is None else value.split(","):
            of = re.fullmatch(f"{_NUMBER}(?:-{_NUMBER})?", word)
            first, last = (_whole(of[1]), _whole(of[2] or of[1])) if of else (0, 0)
            if 0 < first <= last < 2**31 and last - first < _MOST:
                found.update(range(first, last + 1))
            if not 0 < first <= last < 2**31 or last - first >= _MOST or len(found) > _MOST:
                text = "must be whole numbers above 0 and ranges of them, as in 1,2,6-8, 4096 at most"
                raise self.wrong(key, text)
        return sorted(found)

    def number(self, key: str, default: int, least: int, most: int) -> int:
        value = self.get(key)
        found = re.fullmatch(_NUMBER, value or "")
        if value is not None and not (found and least <= _whole(found[1]) <= most):
            raise self.wrong(key, f"must be a whole number from {least} to {most}")
        return _whole(found[1]) if found else default

    def remark(self, text: str) -> None:
        """As many and as long as a preset may have them."""
        if len(self.remarks) == _REMARKS:
            self.remarks[-1] = f"more than {_REMARKS - 1} remarks: the rest are not kept"
            return
        self.remarks.append(cut(text, _REMARK_BYTES))

    def remark_ignored(self) -> None:
        """One remark for all keys that nothing asked for, as many as it has room for."""
        known, n_more = "", 0
        for key, (line, _) in self.rows.items():
            if key in self.repeated:
                self.remark(f"{key} appears more than once: the last, line {line}, is used")
            if key in self.used:
                continue
            if n_more or len(f"{known}{key}".encode()) + 2 >= 160:
                n_more += 1
            else:
                known += f", {key}" if known else key
        if known or n_more:
            self.remark(f"not applied: {known}" + (f" and {n_more} more" if n_more else ""))


def _backend(file: _File) -> tuple[bool, bool, bool]:
    """Whether it has MPI, OpenMP, a GPU."""
    for key, only in (("ERT_DRIVER", "driver1"), ("ERT_KERNEL", "kernel1")):
        if file.get(key) not in (None, only):
            raise file.wrong(key, f"must be {only}, the only one of ERT 1.1.0")
    has = file.flag("ERT_MPI"), file.flag("ERT_OPENMP"), file.flag("ERT_GPU")
    for key in ("ERT_HIP", "ERT_OCL", "ERT_SYCL"):
        if file.flag(key):
            line = file.rows[key][0]
            raise Error(f"{file.name}: line {line}: {key}: True: only CPUs and CUDA are supported", code=3)
    return has


def _kernels(file: _File) -> list[str]:
    value = file.get("ERT_PRECISION")
    if value is None and file.get("ERT_WSS_MULT") is None:
        file.remark(
            "not applied: the kernel of ERT's C sources (to 2019), as the file has neither ERT_PRECISION nor "
            "ERT_WSS_MULT: that of its C++ sources is measured"
        )
    words = ["FP64"] if value is None else value.split(" ")
    if not set(words) <= set(_KERNELS):
        raise file.wrong("ERT_PRECISION", "must be of FP64, FP32 and FP16")
    return [kernel for word, kernel in _KERNELS.items() if word in words]


def _flops(file: _File) -> list[int]:
    """Without the key as ERT's examples, of CPUs and GPUs."""
    powers = [2**i for i in range(11)]
    found = file.numbers("ERT_FLOPS") if "ERT_FLOPS" in file.rows else powers[:9]
    out, text = [flops for flops in found if flops not in powers], ""
    for flops in out:  # one remark for all: a range has hundreds
        more = f", {flops}" if text else f"{flops}"
        if len(text) + len(more) >= 64:
            text += ", ..."
            break
        text += more
    if out:
        file.remark(f"ERT_FLOPS: {len(out)} left out, no powers of two up to 1024: {text}")
    if len(out) == len(found):
        raise file.wrong("ERT_FLOPS", "must hold a power of two up to 1024")
    return [flops for flops in found if flops in powers]


def _launches(file: _File, has_mpi: bool, has_openmp: bool, is_gpu: bool) -> list[dict[str, int]]:
    """Pairs of two lists whose product a third allows (all, where that is absent). On a CPU, processes times
    threads of each, which here are all threads of one process; on a GPU blocks and their threads."""
    keys = ("ERT_MPI_PROCS", "ERT_OPENMP_THREADS", "ERT_PROCS_THREADS")
    asked = (has_mpi, has_openmp, has_mpi and has_openmp)
    if is_gpu:
        keys, asked = ("ERT_GPU_BLOCKS", "ERT_GPU_THREADS", "ERT_BLOCKS_THREADS"), (True, True, True)
    first, second, allowed = [file.numbers(key) if does else [] for key, does in zip(keys, asked)]
    if not is_gpu:
        first, second = first or [1], second or [1]
    found: list[dict[str, int]] = []
    products = set(allowed)
    for a, b in ((a, b) for a in first for b in second if not products or a * b in products):
        if is_gpu and b > 1024:
            raise file.wrong("ERT_GPU_THREADS", "must be at most 1024 per block")
        if not is_gpu and a * b > 65536:
            text = f"ERT_MPI_PROCS times ERT_OPENMP_THREADS: {a * b}, must be at most 65536"
            raise Error(f"{file.name}: {text} (ERT_PROCS_THREADS chooses)")
        launch = {"blocks": a, "threads": b} if is_gpu else {"threads": a * b}
        if is_gpu or launch not in found:
            found.append(launch)
        if len(found) > _LAUNCHES:
            what = "blocks and threads" if is_gpu else "processes times threads"
            raise Error(f"{file.name}: {what}: more than {_LAUNCHES} in all")
    if has_mpi and not is_gpu:
        file.remark("ERT_MPI: one process: ranks times threads of each are threads here")
    if not found:
        raise Error(f"{file.name}: {keys[2]}: no {keys[0]} times {keys[1]} is among them")
    return found


def _numbers(file: _File) -> dict[str, Any]:
    found = {
        "rounds": file.number("ERT_NUM_EXPERIMENTS", 1, 1, 1000),
        "ert110_memory_bytes": file.number("ERT_MEMORY_MAX", 2**30, 8, 2**46),
        "ert110_set_min": file.number("ERT_WORKING_SET_MIN", 1, 1, 2**40),
        "ert110_trials_min": file.number("ERT_TRIALS_MIN", 1, 1, 2**40),
    }
    align = file.number("ERT_ALIGN", 64, 1, 4096)
    if align & (align - 1):
        raise file.wrong("ERT_ALIGN", "must be a power of two")
    # Below an element's size the parts are the same: of whole elements.
    found["ert110_align_bytes"] = max(align, 8)
    growth = file.get("ERT_WSS_MULT") or "1.1"
    is_number = re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", growth)
    if file.get("ERT_WSS_MULT") == "" or not is_number or not 1.001 <= float(growth) <= 16:
        raise file.wrong("ERT_WSS_MULT", "must be a number from 1.001 to 16")
    return {**found, "ert110_growth": float(growth)}


def _compiler(file: _File, is_gpu: bool) -> dict[str, Any]:
    value = file.get("ERT_CFLAGS") or ""
    if is_gpu:
        return {}
    is_intel = "-DERT_INTEL" in value
    given = ((isa, is_gcc) for flag, isa, is_gcc in _FLAGS if flag in value)
    isa, is_gcc = next(given, ("", not is_intel))
    file.remark(
        f"ERT_CFLAGS: taken for {'gcc' if is_gcc else 'Intel'}'s: vectors of {isa or 'avx2, else the best'}, "
        f"{'two passes' if is_gcc else 'one pass'} at once (--isa, ert110_at_once)"
    )
    return {"isa": isa, "ert110_is_aligned": int(is_intel), "ert110_at_once": 2 if is_gcc else 1}


def preset(path: Path) -> dict[str, Any]:
    """ert-config/2. Error names file, line, key, value and limit; code 3 for HIP, OpenCL and SYCL."""
    file = _File(path)
    has_mpi, has_openmp, is_gpu = _backend(file)
    kernels, flops = _kernels(file), _flops(file)
    launches, numbers = _launches(file, has_mpi, has_openmp, is_gpu), _numbers(file)
    compiler = _compiler(file, is_gpu)
    file.remark_ignored()
    name = os.path.basename(file.name).encode(errors="replace")[:63].decode(errors="ignore")
    # As configs/ert-1.1.0.json: no limit of time, and a region ends at 2 ms where ERT's would be longer.
    return {
        "schema": "ert-config/2", "name": name, "comment": "made of a configuration of LBNL's ERT",
        "device": "gpu" if is_gpu else "cpu", "sections": ["ert110"], "kernels": kernels,
        "mixed_flops_per_element": flops, "region_s": 0.002, "leader_rounds": 0, "sustained_s": 0,
        "budget_s": 0, **numbers, **compiler, "ert110_launches": launches, "remarks": file.remarks,
    }  # fmt: skip
