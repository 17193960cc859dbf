# SPDX-License-Identifier: BSD-3-Clause
"""Results of LBNL's ERT as ceilings: python3 test_ert_ceilings.py TOP_SRCDIR."""

import glob
import json
import os
import sys
import tempfile
import unittest

import roofline
from roofline import ert_ceilings

TOP = sys.argv[1]
K20X = os.path.join(TOP, "tests/data/ert/roofline-k20x.json")
SHARED = sorted(glob.glob(os.path.join(TOP, "../shared/data/ert/roofline.*.json")))
BAD = (
    ("[]", "contain no number"),
    ("{}", "gbytes.data"),
    ('[["L1"]]', r"gbytes.data\[0\]: must be \[label, number\]"),
    ('[["L1","x"]]', "contain no number"),
    ("[[1,1]]", r"gbytes.data\[0\]\[0\]"),
    ('[["",1]]', "label ''"),
    ('[["L1",-1]]', "-1"),
    ('[["L1",true]]', "must be a number"),
    ('[["L1",1e300]]', r"1e\+300"),
    ('[["L1",2],["L1",1]]', "'L1' appears twice"),
    ('[["a long long label",2],["a",1]]', "'a' appears twice"),
)
# Later versions and forks have a peak per precision and kernel, with any label, and no CONFIG.
PEAKS = (
    ('["FP64 GFLOPs",7],["FP32 GFLOPs",15],["FP16 GFLOPs",29]', "fp64-fma fp32-fma fp16-fma", "cpu"),
    ('["FP32",1]', "fp32-fma", "cpu"),
    ('["SP GFLOPs",1],["DP GFLOPs",2]', "fp32-fma fp64-fma", "cpu"),
    ('["GFLOPs",1]', "fp64-fma", "cpu"),
    ('["TENSOR",9],["HP",1]', "fp16-mma fp16-fma", "gpu0"),
    ('["FP64 Vector GFLOPs FMA",3500],["FP64 Vector GFLOPs",1750]', "fp64-fma fp64-add", "cpu"),
    ('["FP64 Vector GFLOPs",1750],["FP64 Vector GFLOPs FMA",3500]', "fp64-fma fp64-add", "cpu"),
    ('["FP32 no FMA",1],["FP32 (FMA)",2]', "fp32-add fp32-fma", "cpu"),
    ('["a name of far more than fifteen bytes",1]', "fp64-fma", "cpu"),
)


class Results(unittest.TestCase):
    def made(self, gbytes="[]", gflops="[]", metadata="{}"):
        """The whole, what the package reads of it, and its notes behind the first two."""
        empirical = f'"gbytes": {{"data": {gbytes}}}, "gflops": {{"data": {gflops}}}, "metadata": {metadata}'
        return self.whole(f'{{"empirical": {{{empirical}}}}}')

    def whole(self, text):
        with tempfile.TemporaryDirectory() as folder:
            old, new = os.path.join(folder, "result.json"), os.path.join(folder, "ceilings.json")
            with open(old, "w", encoding="utf-8") as file:
                file.write(text)
            content = ert_ceilings.ceilings(old)
            with open(new, "w", encoding="utf-8") as file:
                json.dump(content, file)
            return content, roofline.read(new).devices[0], content["machine"]["notes"][2:]

    def test_a_gpu(self):
        content = ert_ceilings.ceilings(K20X)
        device = content["devices"][0]
        found = {one["name"]: one["value"] for one in device["ceilings"]}
        self.assertEqual((device["id"], device["kind"], device["valid"]), ("gpu0", "gpu", False))
        self.assertEqual(list(found), ["fp64-fma", "L1-update", "DRAM-update"])
        for value, known in zip(found.values(), (1225.48e9, 559.14e9, 160.66e9)):
            self.assertAlmostEqual(value / known, 1, 12)
        self.assertEqual({one["confidence"] for one in device["ceilings"]}, {"low"})
        # TIMESTAMP_DATA 1444719848.91 of gbytes: it differs from that of gflops
        self.assertEqual(content["created"], "2015-10-13T07:04:08Z")
        provenance = content["machine"]["provenance"]
        self.assertEqual((provenance["tool_version"], provenance["compiler"]), ("LBNL ERT 1.1.0", "nvcc"))
        self.assertEqual(provenance["host"], "titan-login.example")
        self.assertIn('"L1" is the L2', content["machine"]["notes"][1])

    def test_bad_files_are_named(self):
        for gbytes, words in BAD:
            text = f'{{"empirical":{{"gbytes":{{"data":{gbytes}}}}}}}'
            with self.subTest(gbytes), self.assertRaisesRegex(roofline.Error, "result.json: .*" + words):
                self.whole(text)
        for text in ("", "{}", "[1]", '{"empirical":3}', '{"empirical":{}}', '{"spec":{}}', "{"):
            with self.subTest(text), self.assertRaisesRegex(roofline.Error, "result.json: "):
                self.whole(text)

    def test_peaks_by_their_labels(self):
        for gflops, names, id in PEAKS:
            device = self.made(gflops=f"[{gflops}]")[1]
            self.assertEqual((" ".join(peak.name for peak in device.peaks), device.id), (names, id))
        device = self.made(gflops='[["GFLOPs",1]]', metadata='{"CONFIG": {"ERT_PRECISION": ["TENSOR"]}}')[1]
        self.assertEqual((device.peaks[0].name, device.peaks[0].unit), ("fp16-mma", "tensor"))
        self.assertEqual(self.made(gflops='[["DP",1]]', metadata='{"GPU_BLOCKS": 224}')[1].id, "gpu0")

    def test_a_bad_number_costs_its_level(self):
        _, device, notes = self.made('[["L1",null],["DRAM",5]]', '[["FP64","n/a"],["FP32",2]]')
        names = [roof.name for roof in device.bandwidths + device.peaks]
        self.assertEqual(names, ["DRAM-update", "fp32-fma"])
        self.assertEqual(notes[0], "level L1 has no number")
        self.assertTrue(notes[1].endswith("left out: FP64"), notes)

    def test_the_memory_is_not_left_out(self):
        _, device, notes = self.made(json.dumps([[label, 1] for label in "abcdefghi"]))
        self.assertEqual([roof.level for roof in device.bandwidths], list("abcdefgi"))
        self.assertEqual(notes, ["level h is left out: there are more than 8"])

    def test_what_is_left_out_is_named(self):
        labels = ("L2 cache bandwidth", "a very long label", "a still longer label", "the memory")
        gbytes = json.dumps([[label, 1] for label in labels])
        _, device, notes = self.made(gbytes, '[["GFLOPs",7],["other",5]]')
        self.assertEqual([peak.value for peak in device.peaks], [7e9])
        self.assertEqual([roof.level for roof in device.bandwidths], ["L2", "a", "level 3", "the memory"])
        self.assertEqual(notes[0], 'level L2 is ERT\'s "L2 cache bandwidth"')
        self.assertTrue(notes[3].endswith("left out: other"), notes)

    def test_much_is_cut(self):
        labels = [[f"L{i}", None] for i in range(20)]
        peaks = json.dumps([["x" * 300, "n/a"]] * 2)
        content, _, notes = self.made(json.dumps([*labels, ["DRAM", 1]]), peaks)
        self.assertEqual((len(notes), notes[-1]), (14, "more than 15 notes: the rest are not kept"))
        self.assertLessEqual(max(map(len, content["machine"]["notes"])), 255)

    @unittest.skipUnless(SHARED, "no shared data")
    def test_published(self):
        found = {os.path.basename(name).split(".")[1]: ert_ceilings.ceilings(name) for name in SHARED}
        rates = {name: made["devices"][0]["ceilings"] for name, made in found.items()}
        self.assertEqual(len(rates["edison"]), 5)
        self.assertAlmostEqual(rates["p100"][0]["value"], 288.33e9)
        self.assertEqual(found["titan"]["devices"][0]["id"], "gpu0")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
