# SPDX-License-Identifier: BSD-3-Clause
"""Configurations of LBNL's ERT as presets: python3 test_ert_config.py TOP_SRCDIR."""

import glob
import os
import sys
import tempfile
import unittest

import roofline
from roofline import ert_config

TOP = sys.argv[1]
DATA = os.path.join(TOP, "tests/data/ert/config.")
NERSC = sorted(glob.glob(os.path.join(TOP, "../shared/data/ert/config.cori.nersc.gov.*")))
BAD = (
    ("ERT_FLOPS 1,x\n", "line 1: ERT_FLOPS: '1,x', must be whole"),
    ("ERT_FLOPS 4-2\n", "ERT_FLOPS: '4-2'"),
    ("ERT_FLOPS 0\n", "ERT_FLOPS: '0'"),
    ("ERT_FLOPS\n", "line 1: ERT_FLOPS: ''"),
    ("ERT_FLOPS 1-4097\n", "4096 at most"),
    ("ERT_FLOPS 3,5\n", "must hold a power of two up to 1024"),
    ("#\nERT_MEMORY_MAX 1G\n", "line 2: ERT_MEMORY_MAX: '1G', must be a whole"),
    ("ERT_MEMORY_MAX -1\n", "ERT_MEMORY_MAX: '-1'"),
    ("ERT_ALIGN 48\n", "ERT_ALIGN: '48', must be a power of two"),
    ("ERT_NUM_EXPERIMENTS 0\n", "ERT_NUM_EXPERIMENTS: '0'"),
    ("ERT_OPENMP yes\n", "ERT_OPENMP: 'yes', must be True or False"),
    ("ERT_DRIVER driver2\n", "ERT_DRIVER: 'driver2', must be driver1"),
    ("ERT_KERNEL mine\n", "ERT_KERNEL: 'mine', must be kernel1"),
    ("ERT_PRECISION FP64 FP8\n", "ERT_PRECISION: 'FP64 FP8', must be of FP64"),
    ("ERT_PRECISION\n", "ERT_PRECISION: ''"),
    ("ERT_WSS_MULT 1\n", "ERT_WSS_MULT: '1', must be a number"),
    ("ERT_WSS_MULT 1.1x\n", "ERT_WSS_MULT: '1.1x'"),
    ("ERT_GPU True\nERT_GPU_BLOCKS 8\n", "ERT_BLOCKS_THREADS: no ERT_GPU_BLOCKS times"),
    ("ERT_GPU True\nERT_GPU_BLOCKS 8\nERT_GPU_THREADS 2048\n", "line 3: ERT_GPU_THREADS: '2048', must be at"),
    (
        "ERT_MPI True\nERT_OPENMP True\nERT_MPI_PROCS 2\nERT_OPENMP_THREADS 1-4\nERT_PROCS_THREADS 5\n",
        "ERT_PROCS_THREADS: no ERT_MPI_PROCS times ERT_OPENMP_THREADS",
    ),
    ("ERT_MPI True\nERT_MPI_PROCS 2,65537\n", "ERT_OPENMP_THREADS: 65537, must be at most 65536"),
    ("ERT_MPI True\nERT_MPI_PROCS 1-65\n", "more than 64 in all"),
    ("ERT_HIP True\n", "line 1: ERT_HIP: True"),
    ("# ERT_FLOPS 1\n", "must be a configuration of LBNL's ERT"),
    ('{"schema": "ert-config/2"}\n', "must be a configuration of LBNL's ERT"),
)


class Configurations(unittest.TestCase):
    def read(self, text):
        with tempfile.NamedTemporaryFile("w", prefix="ert-lbnl-") as file:
            file.write(text)
            file.flush()
            return ert_config.preset(file.name)

    def has_remark(self, made, *words):
        self.assertTrue(any(all(word in one for word in words) for one in made["remarks"]), words)

    def test_a_cpu(self):
        made = ert_config.preset(DATA + "cpu")
        known = {
            "name": "config.cpu", "device": "cpu", "sections": ["ert110"], "kernels": ["ert_fp64"],
            "isa": "avx2", "mixed_flops_per_element": [1, 2, 4, 16], "rounds": 3, "budget_s": 0,
            "ert110_memory_bytes": 16777216, "ert110_set_min": 16, "ert110_trials_min": 2,
            "ert110_is_aligned": 1, "ert110_at_once": 1, "ert110_align_bytes": 32,
            "ert110_launches": [{"threads": 4}, {"threads": 8}],  # 1x4 1x8 2x2 2x4 4x1 4x2
        }  # fmt: skip
        self.assertEqual({key: made[key] for key in known}, known)
        self.has_remark(made, "ERT_MPI:", "one process")
        self.has_remark(made, "not applied:", "ERT_RUN", "ERT_FLAVOUR")
        self.has_remark(made, "ERT_MEMORY_MAX appears more than once", "line 31")
        self.has_remark(made, "ERT_FLOPS: 2 left out", ": 5, 6")
        self.has_remark(made, "not applied: the kernel of ERT's C sources", "neither ERT_PRECISION")
        self.assertNotIn("ERT_FLOPS", made["remarks"][-1])

    def test_a_gpu(self):
        made = ert_config.preset(DATA + "gpu")
        shapes = [(one["blocks"], one["threads"]) for one in made["ert110_launches"]]
        self.assertEqual(shapes, [(16, 256), (32, 128), (32, 256), (64, 64), (64, 128)])
        self.assertEqual((made["device"], made["kernels"]), ("gpu", ["ert_fp64", "ert_fp32"]))
        self.assertEqual((made["ert110_growth"], made["ert110_set_min"]), (1.3, 128))

    def test_numbers_are_as_in_c(self):
        text = "ERT_MEMORY_MAX 0x100000UL\nERT_WORKING_SET_MIN 010\nERT_ALIGN 1\nERT_TRIALS_MIN 7u\n"
        made = self.read(text)
        numbers = [made["ert110_" + key] for key in ("memory_bytes", "set_min", "align_bytes", "trials_min")]
        self.assertEqual(numbers, [1 << 20, 8, 8, 7])

    def test_nothing_is_dropped_for_want_of_place(self):
        self.has_remark(self.read("ERT_FLOPS 1-1024\n"), "ERT_FLOPS: 1013 left out", ": 3, 5, 6, 7, 9")
        cut = self.read("ERT_FLOPS 1,1000-1023\n")
        self.has_remark(cut, "ERT_FLOPS: 24 left out", ": 1000, 1001,", ", 1008, 1009, ...")
        long = "ERT_SPEC_GBYTES_L%d_OF_A_LONG_NAME_THAT_IS_OF_NO_USE"
        made = self.read("".join(long % i + " 1\n" for i in range(1, 5)) + "ERT_SPEC_X 1\n")
        self.has_remark(made, "not applied: ERT_SPEC_GBYTES_L1", long[-31:] + " and 2 more")
        made = self.read("".join(f"ERT_X{i}{'y' * 300} 1\n" * 2 for i in range(60)))
        self.assertEqual((len(made["remarks"]), max(map(len, made["remarks"]))), (48, 255))
        self.assertEqual(made["remarks"][-1], "more than 47 remarks: the rest are not kept")

    def test_bad_lines_are_named(self):
        for text, words in BAD:
            with self.subTest(text), self.assertRaises(roofline.Error) as found:
                self.read(text)
            self.assertIn(words, str(found.exception))
            self.assertIn("ert-lbnl-", str(found.exception))
            self.assertEqual(found.exception.code, 3 if "HIP" in text else 2)
        self.assertRaisesRegex(roofline.Error, "no-such: No such file", ert_config.preset, "no-such")

    @unittest.skipUnless(NERSC, "no shared data")
    def test_nersc_s_own(self):
        made = {name.rsplit(".", 1)[1]: ert_config.preset(name) for name in NERSC}
        counts = {name: (len(one["ert110_launches"]), one.get("isa", "")) for name, one in made.items()}
        self.assertEqual(counts, {"hsw": (1, "avx2"), "knl": (1, "avx512"), "volta": (5, "")})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
