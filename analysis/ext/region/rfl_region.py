# SPDX-License-Identifier: BSD-3-Clause
"""Regions of a Python program, as rfl_region.h has them for C: one file, to copy or to install.

    from rfl_region import region

    with region("step", flops=2 * n**3, bytes=24 * n**2):
        ...

With RFL_REGIONS=FILE set, their sums are written to FILE.PID-py when the program ends. Under `roofline
record` what they compute and move is counted by our Valgrind tool, with Python's own instructions. They are NVTX ranges
where PyTorch with CUDA, or the package nvtx, is loaded already. A GPU works on while Python goes on: a region
that shall have the time of its kernels must wait for them (torch.cuda.synchronize()) before it ends. Work is
the author's count per call: floating-point operations, and bytes that must come from and go to memory.
"""

import atexit
import functools
import os
import sys
import threading
import time

_BEGIN, _END = 1, 2  # requests of rfl_region.h
_file = os.environ.get("RFL_REGIONS")
_slots = {}  # (process, thread, name) -> _Slot
_blanks = {code: "?" for code in range(32)}  # a line of the file is a region


class _Slot:
    def __init__(self):
        self.depth = self.calls = self.begun_us = self.sum_us = self.first_us = self.last_us = 0
        self.flops = self.bytes = 0.0


def _now_us():
    return time.time_ns() // 1000


def _slot_of(name):
    return _slots.setdefault((os.getpid(), threading.get_ident(), name[:63].translate(_blanks)), _Slot())


def _nvtx():
    """Functions that push and pop a range, of what is loaded."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return torch.cuda.nvtx.range_push, torch.cuda.nvtx.range_pop
    nvtx = sys.modules.get("nvtx")
    if nvtx is not None:
        return nvtx.push_range, nvtx.pop_range
    return None


def _find_tool():
    """The function that sends requests to our Valgrind tool, of a library that `roofline record` preloads."""
    if "libroofline-sampler" not in os.environ.get("LD_PRELOAD", ""):
        return None
    import ctypes

    request = getattr(ctypes.CDLL(None), "rfl_sampler_request", None)
    if request is not None:
        request.restype = ctypes.c_ulong
        request.argtypes = ctypes.c_ulong, ctypes.c_char_p
    return request if request is not None and request(0, b"") else None


_tool = _find_tool()


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
        if _file:
            slot = _slot_of(self.name)
            slot.depth += 1
            if slot.depth == 1:
                slot.calls += 1
                slot.begun_us = _now_us()
                slot.first_us = slot.first_us or slot.begun_us
        if _tool:
            _tool(_BEGIN, self.name.encode())
        return self

    def __exit__(self, *_):
        if _tool:
            _tool(_END, self.name.encode())
        now_us = _now_us()
        slot = _slot_of(self.name) if _file else None
        if slot and slot.depth:  # a child of fork() began it nowhere
            slot.depth -= 1
            slot.flops += self.flops
            slot.bytes += self.bytes
            if slot.depth == 0:
                slot.sum_us += now_us - slot.begun_us
                slot.last_us = now_us
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
    file = f"{_file}.{os.getpid()}-py"  # extensions in C have rfl_region.h's file
    rows = [(key, slot) for key, slot in list(_slots.items()) if key[0] == os.getpid()]
    try:
        with open(file, "w", encoding="utf-8") as text:
            for (process, thread, name), slot in rows:
                text.write(f"rfl_region\t{name}\t{process}\t{thread:x}\t{slot.depth}\t{slot.calls}\t"
                           f"{slot.sum_us}\t{slot.flops:.17g}\t{slot.bytes:.17g}\t{slot.first_us}\t{slot.last_us}\n")
    except OSError as error:
        print(f"rfl_region: '{file}' cannot be written: {error.strerror}", file=sys.stderr)


if _file:
    atexit.register(_write)
