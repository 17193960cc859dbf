# SPDX-License-Identifier: BSD-3-Clause
"""Draws the charts of eight-steps.md again from the files of this folder; needs nothing but Python 3.9.

    python3 results/published/eight-steps.py [ROOFLINE [FOLDER]]

ROOFLINE is the program (default: the installed one), FOLDER where the charts go (default: eight-steps).
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CEILINGS, POINTS = (os.path.join(HERE, "v100-8steps" + end) for end in ("-ceilings.json", ".json"))
ROOFLINES = {
    "machine": ["--title", "V100, FP64 at 1.312 GHz"],
    "trajectory": [POINTS, "--level", "HBM", "--trajectory", "--title", "GPP on V100: v4 and v8 at HBM"],
    "v8": [POINTS, "--kernel", "v8", "--title", "GPP on V100: v8 at L2 and HBM"],
}
SYSTEMS = {"si214": "#0072b2", "si510": "#b35900"}
LEFT, RIGHT, TOP, BOTTOM = 92, 932, 92, 500
REGISTERS_OF_A_QUARTER = 16384  # of an SM of V100


class Chart:
    """A frame with a vertical axis from 0 to `most`, and groups of bars."""

    def __init__(self, title, subtitle, unit, most, step):
        self.most = most
        self.parts = [
            '<svg xmlns="http://www.w3.org/2000/svg" role="img" width="960" height="580" '
            'viewBox="0 0 960 580"\n     font-family="Helvetica, Arial, \'Liberation Sans\', '
            "'DejaVu Sans', sans-serif\">",
            f"<title>{title}</title>",
            '<rect width="960" height="580" fill="#ffffff"/>',
        ]
        self.text(28, 36, title, size=21, weight="bold")
        self.text(28, 58, subtitle, size=13.5, fill="#444444")
        for i in range(round(most / step) + 1):
            self.line(LEFT, RIGHT, i * step, "#dddddd")
            self.text(LEFT - 8, self.y(i * step) + 5, f"{i * step:g}", anchor="end")
        self.parts.append(f'<g transform="rotate(-90 28 {(TOP + BOTTOM) // 2})">')
        self.text(28, (TOP + BOTTOM) // 2, unit, anchor="middle")
        self.parts.append("</g>")

    def y(self, value):
        return BOTTOM - (BOTTOM - TOP) * value / self.most

    def text(self, x, y, words, size=14.0, anchor="start", fill="#111111", weight="normal"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{fill}" '
            f'font-weight="{weight}">{words}</text>'
        )

    def line(self, x1, x2, value, colour="#111111", dash="none"):
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{self.y(value):.1f}" x2="{x2:.1f}" y2="{self.y(value):.1f}" '
            f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"/>'
        )

    def roof(self, value, words, dash):
        self.line(LEFT, RIGHT, value, dash=dash)
        self.text(RIGHT - 4, self.y(value) - 6, words, size=13, anchor="end")

    def bars(self, groups, form):
        """A group for each (name, values): a bar for each system, or one for both."""
        wide = (RIGHT - LEFT) / len(groups)
        systems = SYSTEMS if len(groups[0][1]) > 1 else {"si214 and si510": "#777777"}
        start = 0.1 if len(systems) > 1 else 0.31
        for i, (name, values) in enumerate(groups):
            for j, (value, colour) in enumerate(zip(values, systems.values())):
                x = LEFT + wide * i + wide * (start + 0.4 * j)
                self.parts.append(
                    f'<rect x="{x:.1f}" y="{self.y(value):.1f}" width="{0.38 * wide:.1f}" '
                    f'height="{BOTTOM - self.y(value):.1f}" fill="{colour}"/>'
                )
                self.text(x + 0.19 * wide, self.y(value) - 4, form.format(value), 11, "middle")
            self.text(LEFT + wide * (i + 0.5), BOTTOM + 20, name, anchor="middle")
        for j, (system, colour) in enumerate(systems.items()):
            self.parts.append(f'<rect x="{28 + 90 * j}" y="546" width="12" height="12" fill="{colour}"/>')
            self.text(46 + 90 * j, 557, system)

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join([*self.parts, "</svg>\n"]))


def warps(registers):
    """Warps per SM that the registers allow: a quarter gives each warp units of 256."""
    return 4 * (REGISTERS_OF_A_QUARTER // (-(-registers * 32 // 256) * 256))


def main(roofline="roofline", folder=os.path.join(HERE, "eight-steps")):
    for name, words in ROOFLINES.items():
        out = os.path.join(folder, name + ".svg")
        subprocess.run([roofline, "plot", CEILINGS, *words, "--out", out], check=True)

    with open(POINTS, encoding="utf-8") as file:
        of = {(p["name"], p["run"]): p for p in json.load(file)["points"]}
    with open(CEILINGS, encoding="utf-8") as file:
        fma = next(c["value"] for c in json.load(file)["devices"][0]["ceilings"] if c["name"] == "fp64-fma")
    share = of["v8", "si214"]["flops"][0]["fma_share"]
    names = [f"v{i}" for i in range(9)]
    table = [(name, [of[name, system] for system in SYSTEMS]) for name in names]

    def relative(key):
        return [(name, [key(p) / key(of["v0", p["run"]]) for p in both]) for name, both in table]

    def flops(point):
        return point["flops"][0]["count"]

    source = "V100, arXiv:2008.11326, table I"
    chart = Chart("Time of each version", source, "time / time of v0", 1.1, 0.1)
    chart.bars(relative(lambda point: point["time_s"]), "{:.2f}")
    chart.write(os.path.join(folder, "time.svg"))

    rates = source + ": time x rate"
    chart = Chart("Operations of each version", rates, "FP64 operations / those of v0", 1.1, 0.1)
    chart.bars(relative(flops), "{:.2f}")
    chart.write(os.path.join(folder, "operations.svg"))

    chart = Chart("Performance of each version", source, "FP64 performance [TFLOP/s]", 8, 2)
    chart.bars([(name, [flops(p) / p["time_s"] / 1e12 for p in both]) for name, both in table], "{:.3f}")
    chart.roof(fma / 1e12, f"FMA {fma / 1e12:.2f} TFLOP/s", "none")
    mix = fma * (1 + share) / 2
    chart.roof(mix / 1e12, f"{100 * share:.0f} % FMA {mix / 1e12:.2f} TFLOP/s", "3 3")
    chart.write(os.path.join(folder, "performance.svg"))

    groups = [(f"{n} ({both[0]['registers']:.0f})", [both[0]["warps_per_sm"]]) for n, both in table]
    registers = source + "; registers per thread in brackets"
    chart = Chart("Warps per SM of each version", registers, "warps per SM", 18, 2)
    chart.bars(groups, "{:.0f}")
    for name, both in table:
        if warps(both[0]["registers"]) != both[0]["warps_per_sm"]:
            sys.exit(f"{name}: the registers allow another number of warps")
    chart.write(os.path.join(folder, "warps.svg"))


main(*sys.argv[1:])
