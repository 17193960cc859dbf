# SPDX-License-Identifier: BSD-3-Clause
"""The Python package on planted ceilings: python3 test_roofline.py PLANT ROOFLINE POINTS ERT."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import roofline
from roofline import collectives, studies

PLANT, PROGRAM, POINTS, SHOW = sys.argv[1:5]


def ceiling(content):
    """The first memory ceiling."""
    return next(c for c in content["devices"][0]["ceilings"] if c["kind"] == "memory")


class Package(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "h200.json")
        subprocess.run([PLANT, "h200", self.file], check=True)

    def write(self, text):
        path = os.path.join(self.folder.name, "written.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_attainable(self):
        gpu = roofline.read(self.file).device("gpu0")
        self.assertAlmostEqual(gpu.attainable(0.5, "HBM"), 2310e9)
        self.assertAlmostEqual(gpu.attainable(1000, "HBM"), 33300e9)
        self.assertEqual(gpu.attainable(0, "HBM"), 0)

    def test_what_is_not_there(self):
        ceilings = roofline.read(self.file)
        self.assertRaisesRegex(KeyError, "no device gpu7; there are gpu0", ceilings.device, "gpu7")
        gpu = ceilings.device("gpu0")
        self.assertRaisesRegex(KeyError, "no level MCDRAM", gpu.bandwidth, "MCDRAM")
        self.assertRaisesRegex(KeyError, "no peak fp8-fma", gpu.peak, "fp8")
        for intensity in (-1, float("nan")):
            self.assertRaises(ValueError, gpu.attainable, intensity, "HBM")

    def test_every_kind_is_known(self):
        subprocess.run([PLANT, "kinds", self.file], check=True)
        self.assertEqual(roofline.read(self.file).device("cpu").peak("fp64"), 8e9)

    def test_bad_files(self):
        self.assertRaisesRegex(roofline.Error, "no-such.json", roofline.read, "no-such.json")
        for text, words in (
            ("{", "Expecting"),
            ("[]", "schema None"),
            ('{"schema": "ert-ceilings/9"}', "ert-ceilings/9"),
            ('{"schema": "ert-ceilings/4", "machine": {}}', "devices: missing"),
            ("[" * 100000, "recursion|depth"),
            ('{"schema": "ert-ceilings/4", "machine": {}, "devices": [7]}', r"devices\[0\]: a number"),
            ('{"schema": NaN}', "NaN: not a JSON value"),
        ):
            self.assertRaisesRegex(roofline.Error, words, roofline.read, self.write(text))

    def test_a_value_that_is_no_interval(self):
        with open(self.file, encoding="utf-8") as file:
            content = json.load(file)
        ceiling(content)["low"] = [1]
        path = self.write(json.dumps(content))
        self.assertRaisesRegex(roofline.Error, "an array, must be a number", roofline.read, path)

    def test_numbers_that_are_none(self):
        """NaN was the lesser of nothing: the full peak was attainable at any intensity."""
        for value in ("NaN", "Infinity", "-1", "true", '"7"', "[1]"):
            with open(self.file, encoding="utf-8") as file:
                content = json.load(file)
            ceiling(content)["value"] = json.loads(value)
            path = self.write(json.dumps(content))
            self.assertRaisesRegex(roofline.Error, "value: |not a JSON", roofline.read, path)

    def test_a_value_outside_its_interval(self):
        with open(self.file, encoding="utf-8") as file:
            content = json.load(file)
        ceiling(content)["value"] *= 2
        path = self.write(json.dumps(content))
        self.assertRaisesRegex(roofline.Error, "outside its interval", roofline.read, path)

    def test_place(self):
        placed = roofline.place(self.file, POINTS, program=PROGRAM)
        self.assertEqual(placed["schema"], "ert-placement/2")
        self.assertEqual(placed["kernels"][0]["bound"]["name"], "FP64 FMA 58 %")

    def test_points(self):
        points = roofline.points(POINTS, program=PROGRAM)
        self.assertEqual(points["schema"], "ert-points/1")
        self.assertRaisesRegex(roofline.Error, "no-such.csv", roofline.points, "no-such.csv", program=PROGRAM)

    def test_studies(self):
        first, second = studies.portability(
            [("", self.file, POINTS), ("again", self.file, POINTS)], program=PROGRAM
        )[:2]
        efficiency = first["efficiencies"]["NVIDIA H200"]
        self.assertAlmostEqual(first["portability"], efficiency)
        self.assertNotEqual(first["case"], second["case"])
        rows = studies.scaling([(1, POINTS), (2, POINTS)], only=first["case"], program=PROGRAM)
        self.assertEqual([(row["scale"], row["efficiency"]) for row in rows], [(1, 1), (2, 0.5)])
        self.assertIn("no traffic grows", rows[0]["text"])

    def test_a_placement_has_rows_and_a_chart(self):
        placed = roofline.place(self.file, POINTS, program=PROGRAM)
        rows = placed.rows()
        self.assertEqual(len(rows), len(placed["kernels"]))
        self.assertEqual(rows, sorted(rows, key=lambda row: -(row["time_s"] or 0)))
        self.assertEqual(rows[0]["bound"], "FP64 FMA 58 %")
        self.assertEqual(rows[0]["of_roof"], placed["kernels"][0]["bound"]["fraction"])
        self.assertEqual(len(placed.table()), len(rows))
        self.assertIn("<svg", placed.svg()[:200])

    def test_what_nccl_tests_printed(self):
        output = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/nccl-tests/a100.txt")
        written = self.write(collectives.into(output, self.file))
        again = self.write(collectives.into(output, written))  # in place of the first
        gpu = json.load(open(again, encoding="utf-8"))["devices"][0]
        found = [one for one in gpu["ceilings"] if one["kind"] == "collective"]
        self.assertEqual([one["name"] for one in found], ["all-reduce-8gpus-10GiB"])
        self.assertEqual((found[0]["value"], found[0]["low"], found[0]["count"]), (232.20e9, 232.13e9, 8))
        self.assertIn({"name": "all-reduce-8gpus-1MiB", "reason": "nccl-tests found wrong data"}, gpu["not_measured"])
        shown = subprocess.run([SHOW, "show", again], capture_output=True, text=True, check=True).stdout
        self.assertIn("all-reduce-8gpus-10GiB", shown)
        self.assertEqual(len(gpu["ceilings"]), len(json.load(open(self.file))["devices"][0]["ceilings"]) + 1)
        self.assertRaisesRegex(roofline.Error, "no row of a table", collectives.parse, "# nothing")

    def test_place_refused(self):
        with self.assertRaisesRegex(roofline.Error, "no-such.json"):
            roofline.place("no-such.json", POINTS, program=PROGRAM)
        with self.assertRaisesRegex(roofline.Error, "--help: "):  # a file, not an option
            roofline.place("--help", POINTS, program=PROGRAM)
        with self.assertRaisesRegex(roofline.Error, "no-such-program"):
            roofline.place(self.file, program="no-such-program")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
