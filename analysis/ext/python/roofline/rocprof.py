# SPDX-License-Identifier: BSD-3-Clause
"""What counters of AMD's rocprofv3 say of a kernel: operations by type, bytes by level.

The formulas are those of ROCm Compute Profiler: its documentation, "FLOP counting conventions", and its
tables "Roofline Calculation Data", 0400_roofline.yaml in src/rocprof_compute_soc/analysis_configs, of gfx90a
(MI200), gfx942 (MI300) and gfx950 (MI350). An instruction counts for all 64 lanes of a wave, masked or not; a
packed one counts as one of its type; a transcendental operation is 1, an FMA 2.
"""

from __future__ import annotations

from typing import Any, Iterator, Mapping, Sequence, Union

from . import Error

# ROCm Compute Profiler's own test, a copy of 8 MiB on an MI300X (tests/workloads/dispatch_0/MI300X_A1): 65536
# TCP_TCC_READ_REQ, and 8 MiB of reads at HBM.
_MI300_L2 = "L2 bytes: 64 a request by AMD's formula; reads of a copy on an MI300X had 128 a request"
LANES = 64  # of a wave of CDNA; other GPUs have no counters of these names
_VALU = (("fp64", "F64"), ("fp32", "F32"), ("fp16", "F16"))
_MFMA = (*_VALU, ("bf16", "BF16"), ("fp8", "F8"), ("int8", "I8"))  # in units of 512 operations
_OPTIONAL = "fp8 tensor flops"  # MI200 has no such counter

# The weight of a counter in operations or bytes, its name, and whether it counts FMAs or reads.
_Terms = Sequence[tuple[int, str, bool]]
_L2 = (("READ", True), ("WRITE", False), ("ATOMIC_WITH_RET", False), ("ATOMIC_WITHOUT_RET", False))


def _hbm(port: str, *others: tuple[int, str, bool]) -> _Terms:
    """Requests have 64 bytes (reads) or 32 (writes), but for those among them that another counter has."""
    reads = ((64, f"TCC_{port}_RDREQ_sum", True), (32 - 64, f"TCC_{port}_RDREQ_32B_sum", True))
    writes = ((32, f"TCC_{port}_WRREQ_sum", False), (64 - 32, f"TCC_{port}_WRREQ_64B_sum", False))
    return (*reads, *others, *writes)


def _recipes() -> Iterator[tuple[str, dict[str, Any], str, Sequence[_Terms]]]:
    """The point's list, the entry there, its name where it is missing, and its terms, in each spelling."""
    for kind, suffix in _VALU:
        valu = [
            (LANES * (2 if what == "FMA" else 1), f"SQ_INSTS_VALU_{what}_{suffix}", what == "FMA")
            for what in ("ADD", "MUL", "TRANS", "FMA")
        ]
        yield "flops", {"type": kind, "unit": "core"}, f"{kind} flops", [valu]
    for kind, suffix in _MFMA:
        mfma = [(512, f"SQ_INSTS_VALU_MFMA_MOPS_{suffix}", True)]
        yield "flops", {"type": kind, "unit": "tensor"}, f"{kind} tensor flops", [mfma]
    yield "bytes", {"level": "L1"}, "L1 bytes", [[(64, "TCP_TOTAL_CACHE_ACCESSES_sum", False)]]
    l2 = [(64, f"TCP_TCC_{what}_REQ_sum", is_read) for what, is_read in _L2]
    yield "bytes", {"level": "L2"}, "L2 bytes", [l2]
    mi300 = _hbm("EA0", (128 - 64, "TCC_BUBBLE_sum", True))
    yield "bytes", {"level": "HBM"}, "HBM bytes", [_hbm("EA"), mi300]


def derived(counts: Mapping[str, Union[float, str]]) -> dict[str, list[Any]]:
    """A point's lists "flops", "bytes", "missing" and "warnings". counts: sums, or why not."""
    found: dict[str, list[Any]] = {"flops": [], "bytes": [], "missing": [], "warnings": []}
    for key, entry, what, spellings in _recipes():
        terms = max(spellings, key=lambda terms: sum(name in counts for _, name, _ in terms))
        absent = [name for _, name, _ in terms if name not in counts]
        reasons = [f"{name}: {counts[name]}" for _, name, _ in terms if isinstance(counts.get(name), str)]
        if absent and what != _OPTIONAL:
            found["missing"].append({"what": what, "reason": "not collected: " + ", ".join(absent)})
        elif reasons:
            found["missing"].append({"what": what, "reason": reasons[0]})
        if absent or reasons:
            continue
        values = [(weight, float(counts[name]), mark) for weight, name, mark in terms]
        total = sum(weight * value for weight, value, _ in values)
        marked = sum(weight * value for weight, value, mark in values if mark)
        if not 0 <= marked <= total:
            counted = ", ".join(f"{name} is {float(counts[name]):.10g}" for _, name, _ in terms)
            raise Error(f"{what}: {total:.10g}, of these reads {marked:.10g}, must be at least 0: {counted}")
        more: dict[str, Any] = {"count": total}
        more["recipe"] = " ".join(f"{'-' if n < 0 else '+'} {abs(n)} {name}" for n, name, _ in terms)[2:]
        if key == "flops" and total > 0:
            n_fma = sum(value for _, value, mark in values if mark)
            more["fma_share"] = n_fma / sum(value for _, value, _ in values)
        elif key == "bytes":
            more.update({"of": "actual"}, **({"read": marked} if len(terms) > 1 else {}))
        if total > 0 or key == "bytes":
            found[key].append({**entry, **more})
    if "TCC_EA0_RDREQ_sum" in counts:
        found["warnings"].append(_MI300_L2)
    return found
