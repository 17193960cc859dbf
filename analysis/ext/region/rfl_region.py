# SPDX-License-Identifier: BSD-3-Clause
"""Regions of a Python program, as rfl_region.h has them for C: one file, to copy or to install.

    from rfl_region import region

    with region("step", flops=2 * n**3, bytes=24 * n**2):
        ...

With RFL_REGIONS=FILE set, their times are written there at exit (%p: the process and "-py"). They are NVTX
ranges where PyTorch with CUDA, or the package nvtx, is loaded already. A GPU works on while Python goes on: a region that
shall have the time of its kernels must wait for them (torch.cuda.synchronize()) before it ends. Work is the
author's count per call: floating-point operations, and bytes that must come from and go to memory.
"""

import atexit
import functools
import os
import sys
import threading
import time

_pattern = os.environ.get("RFL_REGIONS")
_first_process = os.getpid()
_mine = threading.local()
_lock = threading.Lock()
_threads = []  # a dict per thread: name -> _Region
_blanks = {code: "?" for code in range(32)}  # a line of the file is a region


class _Region:
    def __init__(self):
        self.depth = self.calls = self.begun_ns = self.sum_ns = self.first_ns = self.last_ns = 0
        self.flops = self.bytes = 0.0


def _of_thread(name):
    if getattr(_mine, "regions", None) is None:
        _mine.regions = {}
        with _lock:
            _threads.append(_mine.regions)
    return _mine.regions.setdefault(name[:63].translate(_blanks), _Region())


def _nvtx():
    """Functions that push and pop a range, of what is loaded."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop
    nvtx = sys.modules.get("nvtx")
    if nvtx is not None:
        return nvtx.push_range, nvtx.pop_range
    return None


class region:
    """A region for a with statement, or around a function: @region("name")."""

    def __init__(self, name, flops=0.0, bytes=0.0):
        self.name, self.flops, self.bytes = name, flops, bytes
        self.pops = []  # one object can be entered again inside itself

    def __enter__(self):
        nvtx = _nvtx()
        if nvtx:
            nvtx[0](self.name)
        self.pops.append(nvtx)
        if _pattern:
            slot = _of_thread(self.name)
            slot.depth += 1
            if slot.depth == 1:
                slot.begun_ns = time.perf_counter_ns()
                slot.first_ns = slot.first_ns or slot.begun_ns
        return self

    def __exit__(self, *_):
        now_ns = time.perf_counter_ns()
        slot = _of_thread(self.name) if _pattern else None
        if slot and slot.depth:  # a child of fork() began it nowhere
            slot.depth -= 1
            slot.flops += self.flops
            slot.bytes += self.bytes
            if slot.depth == 0:
                slot.sum_ns += now_ns - slot.begun_ns
                slot.last_ns = now_ns
                slot.calls += 1
        nvtx = self.pops.pop()
        if nvtx:
            nvtx[1]()

    def __call__(self, function):
        @functools.wraps(function)
        def inside(*args, **named):
            with region(self.name, self.flops, self.bytes):
                return function(*args, **named)

        return inside


def _write():
    names = dict.fromkeys(name for regions in _threads for name in regions)
    if not names:
        return
    pid = os.getpid()
    file = _pattern.replace("%p", f"{pid}-py")  # extensions in C have rfl_region.h's file
    if file == _pattern and pid != _first_process:
        file += f".{pid}"
    now_ns = time.perf_counter_ns()
    try:
        with open(file + ".new", "w", encoding="utf-8") as text:
            text.write("region\tcalls\tthreads\tseconds\tflops\tbytes\tbegun\tended\n")
            for name in names:
                slots = [regions[name] for regions in _threads if name in regions]
                calls = max(slot.calls + (slot.depth > 0) for slot in slots)
                longest_ns = max(slot.sum_ns + (now_ns - slot.begun_ns) * (slot.depth > 0) for slot in slots)
                flops, moved = sum(slot.flops for slot in slots), sum(slot.bytes for slot in slots)
                first_ns = min(slot.first_ns for slot in slots)
                last_ns = max(now_ns if slot.depth else slot.last_ns for slot in slots)
                text.write(f"{name}\t{calls}\t{len(slots)}\t{1e-9 * longest_ns:.9f}\t{flops:.17g}\t"
                           f"{moved:.17g}\t{1e-9 * first_ns:.9f}\t{1e-9 * last_ns:.9f}\n")
        os.replace(file + ".new", file)
    except OSError as error:
        print(f"rfl_region: '{file}' cannot be written: {error.strerror}", file=sys.stderr)


def _forget():
    global _lock
    _lock = threading.Lock()  # one that another thread of the parent held is held for ever
    _threads.clear()
    _mine.regions = None


if _pattern:
    atexit.register(_write)
    os.register_at_fork(after_in_child=_forget)
