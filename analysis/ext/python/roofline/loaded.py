# SPDX-License-Identifier: BSD-3-Clause
"""The chart of loaded latency: a dependent load's latency over the bandwidth that others draw meanwhile, a
panel per level, a curve per share of reads; after Mess (Esmaili-Dokht et al., MICRO 2024)."""

from __future__ import annotations

from html import escape
from typing import Any

from . import Error

Row = dict[str, Any]
# The reads of all bytes of each load, as its kernel in ert/ext/sections/kernels.def has it.
SHARES = {"loaded-load": "100 % reads", "loaded-2to1": "67 % reads", "loaded-update": "50 % reads"}
COLOURS = dict(zip(SHARES, ("#0072b2", "#d55e00", "#009e73")))  # Okabe and Ito: for the colour-blind
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 520, 420, 70, 70, 60


def _step(most: float) -> float:
    """A round step of an axis that ends at most: at most eight of them."""
    step = 1.0
    while most / step > 8:
        step *= 2.5 if f"{step:e}"[0] == "2" else 2
    while most / step < 4:
        step /= 2
    return step


def _text(x: float, y: float, text: str, anchor: str = "middle", more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {more}>{escape(text)}</text>'


def _panel(level: str, rows: list[Row], left: float) -> list[str]:
    xs = [row.get("aggregate", 0) / 1e9 for row in rows]
    ys = [row["value"] * 1e9 for row in rows]
    x_most, y_most = 1.08 * max(xs), 1.15 * max(ys)
    wide, high = WIDTH - LEFT - 30, HEIGHT - TOP - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return left + LEFT + x / x_most * wide, TOP + high - y / y_most * high

    out = [_text(left + LEFT, TOP - 14, level, "start", 'font-weight="bold"')]
    for most, is_x in ((x_most, True), (y_most, False)):
        step, value = _step(most), 0.0
        while value <= most:
            x, y = at(value, 0) if is_x else at(0, value)
            end = (x, TOP) if is_x else (left + LEFT + wide, y)
            out.append(f'<path d="M{x:.1f} {y:.1f}L{end[0]:.1f} {end[1]:.1f}" stroke="#ddd"/>')
            out.append(_text(x, y + 18, f"{value:g}") if is_x else _text(x - 6, y + 4, f"{value:g}", "end"))
            value += step
    out.append(_text(left + LEFT + wide / 2, HEIGHT - 18, "Bandwidth that the others draw [GB/s]"))
    turn = f'transform="rotate(-90 {left + 20:.1f} {TOP + high / 2:.1f})"'
    out.append(_text(left + 20, TOP + high / 2, "Latency of a dependent load [ns]", "middle", turn))
    for pattern, share in SHARES.items():
        curve = [row for row in rows if row["pattern"] == pattern]
        points = sorted(at(row.get("aggregate", 0) / 1e9, row["value"] * 1e9) for row in curve)
        colour = COLOURS[pattern]
        if points:
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
            out.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>' for x, y in points]
        row = list(SHARES).index(pattern)
        x, y = left + LEFT + 14, TOP + 18 + 18 * row
        out.append(f'<path d="M{x:.1f} {y - 4:.1f}h22" stroke="{colour}" stroke-width="2"/>')
        out.append(_text(x + 28, y, share, "start"))
    return out


def draw(devices: list[Row]) -> str:
    """An SVG of the first device that has loaded latencies; each device with its `about`."""
    for device in devices:
        rows = [row for row in device["ceilings"] if row["kind"] == "loaded"]
        if rows:
            break
    else:
        raise Error("no loaded latencies in the file: `ert run --full` measures them", code=3)
    levels = list(dict.fromkeys(row["level"] for row in rows))
    title = f"Loaded latency of {device['about'].get('name') or device['id']}"
    title += "" if device["valid"] else " (not valid)"
    width = WIDTH * len(levels)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12">',
        f'<rect width="{width}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, 30, title, "start", 'font-size="18" font-weight="bold"'),
    ]
    for i, level in enumerate(levels):
        out += _panel(level, [row for row in rows if row["level"] == level], i * WIDTH)
    return "\n".join([*out, "</svg>", ""])
