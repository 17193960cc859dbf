# SPDX-License-Identifier: BSD-3-Clause
"""What NVIDIA's nccl-tests printed, as ceilings of kind "collective" in a ceilings.json.

Bus bandwidths are nccl-tests' (its doc/PERFORMANCE.md): of all-reduce, the size over the time, times
2 (n - 1) / n. The two numbers of a size, out of place and in place, are the rounds of its ceiling.
"""

from __future__ import annotations

import json
import re
from typing import Any

from . import Error, Path, read
from .studies import shown

_KEPT = "nccl-tests keeps one mean for each size"


def _size(size: int) -> str:
    power = next(power for power in (3, 2, 1, 0) if size % 1024**power == 0 and size >= 1024**power)
    return f"{size >> 10 * power}{('', 'Ki', 'Mi', 'Gi')[power]}B"


def _ceiling(name: str, test: str, n_gpus: int, size: int, rates: list[float]) -> dict[str, Any]:
    value = max(rates)
    return {
        "kind": "collective", "name": name, "value": value, "unit": "byte/s", "low": min(rates), "high": value,
        "of": test, "from": "gpu0", "count": n_gpus, "access_bytes": size, "confidence": "low", "kernel": "nccl-tests", "warning": _KEPT,
        "rounds": [float(f"{rate / value:.5g}") for rate in rates],
    }  # fmt: skip


def parse(text: str) -> tuple[list[dict[str, Any]], list[dict[str, str]]]:
    """The ceilings of nccl-tests' output, and what had wrong data (name, reason). Of 0 byte/s none is made."""
    found, wrong, test, gpus = [], [], "", 0
    for line in text.splitlines():
        begun = re.search(r"Collective test starting: (\w+)_perf", line)
        if begun:
            test, gpus = begun[1].replace("_", "-"), 0
        gpus += bool(re.match(r"#\s+Rank\s+\d+", line))
        cells = line.split()
        # size, count, type, redop, root; then time, algbw, busbw, #wrong: out of place and in place
        if not re.match(r"\s*\d+\s+\d+\s+\w+\s", line) or len(cells) not in (9, 13):
            continue
        if not test or gpus < 2:
            raise Error("nccl-tests: no 'Collective test starting', or fewer than two ranks, before a table")
        name = f"{test}-{gpus}gpus-{_size(int(cells[0]))}"
        rates = [float(rate) * 1e9 for rate in cells[7::4]]
        if any(count != "N/A" and float(count) >= 1 for count in cells[8::4]):
            wrong.append({"name": name, "reason": "nccl-tests found wrong data"})
        elif min(rates) > 0:
            found.append(_ceiling(name, test, gpus, int(cells[0]), rates))
    if not found and not wrong:
        raise Error("nccl-tests: no row of a table")
    return found, wrong


def into(output: Path, ceilings: Path) -> str:
    """The text of the ceilings file with nccl-tests' results in its first GPU, in place of earlier ones."""
    read(ceilings)
    with open(ceilings, encoding="utf-8-sig") as file:
        content = json.load(file)
    try:
        with open(output, encoding="utf-8", errors="replace") as file:
            found, wrong = parse(file.read())
    except OSError as error:
        raise Error(f"{shown(str(output))}: {error.strerror}") from error
    gpus = [device for device in content["devices"] if device.get("kind") == "gpu"]
    if not gpus:
        raise Error(f"{shown(str(ceilings))}: has no GPU")
    names = {one["name"] for one in (*found, *wrong)}
    kept = [one for one in gpus[0]["ceilings"] if one.get("name") not in names]
    gpus[0]["ceilings"] = kept + [{**one, "from": gpus[0]["id"]} for one in found]
    others = [one for one in gpus[0].get("not_measured") or () if one["name"] not in names]
    gpus[0]["not_measured"] = others + wrong
    return json.dumps(content, separators=(",", ":")) + "\n"
