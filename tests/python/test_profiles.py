# SPDX-License-Identifier: BSD-3-Clause
"""test_profiles.py ROOFLINE NCU_CSV: what the package reads of nsys, rocprofv3, nvprof and ncu_report."""

import contextlib
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from types import SimpleNamespace

from roofline import __main__, profiles
from roofline.rocprof import derived

PROGRAM, NCU = sys.argv[1:3]
COLUMNS = "start end deviceId globalPid demangledName registersPerThread " + " ".join(
    f"{what}{axis}" for what in ("grid", "block") for axis in "XYZ"
)
# As nsys 2024.7 writes it (github.com/hal-lab-u-tokyo/PolyFHE, profile/data/phantom); the rows are made up.
KERN_SUM = """Generating SQLite file ./report20.sqlite from ./report20.nsys-rep
Processing [./report20.sqlite] with [reports/cuda_gpu_kern_sum.py]...
Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name
60.0,300001,5,60000.2,60001.0,59000,61000,557.1,"product(unsigned int)"
40.0,200002,10,20000.2,20002.0,19000,21000,198.7,"ns::sum<double>(double *, int)"

"""
TRACE = """Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Device,Name
1,2.5,3,,,,,,,,A100 (0),[CUDA memcpy HtoD]
5,1.5,4,2,3,1,64,1,1,24,A100 (0),"void k<float>(float*)"
9,1.25,5,2,3,1,64,1,1,24,A100 (0),"void k<float>(float*)"
"""
# A copy of 8 MiB in ROCm Compute Profiler (MIT licence): tests/workloads/dispatch_0/MI200/pmc_perf.csv
HBM = {"EA_RDREQ": 131080, "EA_RDREQ_32B": 0, "EA_WRREQ": 131072, "EA_WRREQ_64B": 131072}
L2 = {"READ": 131072, "WRITE": 131072, "ATOMIC_WITH_RET": 0, "ATOMIC_WITHOUT_RET": 0}
# As nvprof prints them: averages of metrics, and a row for each launch.
AVERAGES = ("==1== Metric result:\n"
            '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"\n')
LAUNCHES = "==1== Profiling result:\nDevice,Context,Stream,Kernel,Correlation_ID,{}\n,,,,,{}\n"


def averages(*rows):
    """A table of metrics of k; each row: invocations, metric, average."""
    return AVERAGES + "".join(f'"d","k",{n},"{metric}","",1,1,{average}\n' for n, metric, average in rows)


def counters(counts, dispatches=(1,)):
    """A counter_collection.csv of vecCopy."""
    rows = (f'{i},1,"vecCopy(double*, int)",{name},{n}\n' for i in dispatches for name, n in counts.items())
    return "Dispatch_Id,Agent_Id,Kernel_Name,Counter_Name,Counter_Value\n" + "".join(rows)


def results(records, kernel=7):
    """A results.json of one dispatch, with members of ROCprofiler-SDK's rocprofv3-schema.json."""
    info = {"kernel_id": kernel, "dispatch_id": 3, "agent_id": {"handle": 9}}
    counted = [{"counter_id": {"handle": i}, "value": n} for i, (_, n) in enumerate(records)]
    dispatch = {"dispatch_info": info, "start_timestamp": 1000, "end_timestamp": 3500}
    return json.dumps({"rocprofiler-sdk-tool": [{
        "kernel_symbols": [{"kernel_id": 7, "formatted_kernel_name": "void f<float>(float*)"}],
        "agents": [{"id": {"handle": 9}, "logical_node_type_id": 0, "wave_front_size": 64}],
        "counters": [{"id": {"handle": i}, "name": name} for i, (name, _) in enumerate(records)],
        "callback_records": {"counter_collection": [{"dispatch_data": dispatch, "records": counted}]},
        "buffer_records": {"kernel_dispatch": [dispatch]}}]})  # fmt: skip


def imported(*words):
    command = [PROGRAM, "import", "--output", "json", *words]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


class Profiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(NCU, encoding="utf-8") as file:
            rows = csv.reader(line for line in file if line.startswith('"'))
            self.titles, self.units, *self.launches = rows

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
        return path

    def export(self, name, rows, names, columns=COLUMNS):
        path = os.path.join(self.folder, name)
        columns = columns.split()
        with contextlib.closing(sqlite3.connect(path)) as base:
            base.execute(f"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL ({', '.join(map(repr, columns))})")
            base.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)")
            base.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
            marks = ", ".join("?" for _ in columns)
            base.executemany(f"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ({marks})", rows)
            base.commit()
        return path

    def read(self, *files):
        return profiles.profiled(*files, program=PROGRAM)["points"]

    def test_nsys_has_the_times_and_ncu_the_counts(self):
        names = sorted({launch[self.titles.index("Kernel Name")] for launch in self.launches})
        rows = [(100, 1100 + i, 0, 5 << 24, i, 32, 2, 3, 4, 64, 1, 1) for i in range(len(names))] * 2
        points = profiles.profiled(self.export("a.sqlite", rows, names), program=PROGRAM)
        joined = imported("--join", "auto", self.write("nsys.json", json.dumps(points)), NCU)["points"]
        self.assertEqual(len(joined), len(names))
        for i, point in enumerate(joined):
            self.assertAlmostEqual(point["time_s"], 2e-9 * (1000 + i), 15)
            self.assertIn("HBM", [one["level"] for one in point["bytes"]])
            self.assertEqual((point["launches"], point["registers"], point["values"]["blocks"]), (2, 32, 24))

    def test_nsys_by_device_and_as_tables(self):
        rows = [(0, 10, device, 5 << 24, 0, 32 + device, *(1,) * 6) for device in (0, 1, 1)]
        found = self.read(self.export("a.sqlite", rows, ["void k<(int)2>(int)"]))
        self.assertEqual({one["name"] for one in found}, {"k<(int)2>"})
        self.assertEqual({one["run"]: one["launches"] for one in found},
                         {"process 5, device 0": 1, "process 5, device 1": 2})
        found = self.read(self.write("sum.csv", KERN_SUM))
        expected = {"product": (5, 300001), "ns::sum<double>": (10, 200002)}
        times = {one["name"]: (one["launches"], round(one["time_s"] * 1e9)) for one in found}
        self.assertEqual(times, expected)
        (one,) = self.read(self.write("trace.csv", ("\ufeff" + TRACE).encode("utf-16-le")))
        self.assertEqual((one["name"], one["launches"], one["registers"]), ("k<float>", 2, 24))
        self.assertEqual(one["time_s"], 2.75e-6)

    def test_rocprofv3(self):
        hbm = {f"TCC_{name}_sum": n for name, n in HBM.items()}
        l2 = {f"TCP_TCC_{name}_REQ_sum": n for name, n in L2.items()}
        l2["TCC_EA_WRREQ_64B_sum"] = hbm.pop("TCC_EA_WRREQ_64B_sum")  # in another pass
        passes = [self.write(f"{i}.csv", counters(one)) for i, one in enumerate((hbm, l2))]
        (point,) = self.read(*passes)
        self.assertEqual([(one["level"], one["count"], one["read"]) for one in point["bytes"]],
                         [("L2", 2 << 23, 1 << 23), ("HBM", (2 << 23) + 512, (1 << 23) + 512)])
        lack = {"what": "fp64 tensor flops", "reason": "not collected: SQ_INSTS_VALU_MFMA_MOPS_F64"}
        self.assertTrue(lack in point["missing"] and "time_s" not in point)
        trace = 'Kernel_Name,Agent_Id,Start_Timestamp,End_Timestamp\n"vecCopy(double*, int)",4,100,20260\n'
        self.assertAlmostEqual(self.read(*passes, self.write("t.csv", trace))[0]["time_s"], 20.16e-6, 12)
        flops = [(f"SQ_INSTS_VALU_{what}_F32", n) for n, what in enumerate(("ADD", "MUL", "TRANS", "FMA"), 1)]
        flops += [("SQ_INSTS_VALU_MFMA_MOPS_BF16", 5)] * 2  # of two instances
        (point,) = self.read(self.write("results.json", results(flops)))
        found = [(one["type"], one["unit"], one["count"], one["fma_share"]) for one in point["flops"]]
        self.assertEqual(found, [("fp32", "core", 64 * 14, 0.4), ("bf16", "tensor", 5120, 1)])
        self.assertEqual((point["name"], point["time_s"]), ("f<float>", 2.5e-6))
        names = ("EA0_RDREQ", "EA0_RDREQ_32B", "BUBBLE", "EA0_WRREQ", "EA0_WRREQ_64B")
        (hbm,) = derived({f"TCC_{name}_sum": n for name, n in zip(names, (10, 3, 2, 4, 1))})["bytes"]
        self.assertEqual((hbm["read"], hbm["count"]), (3 * 32 + 5 * 64 + 2 * 128, 672 + 3 * 32 + 64))

    def test_a_report_by_ncu_report(self):
        def action(cells):  # with the functions of NVIDIA's module that are called
            metrics = {
                title: SimpleNamespace(unit=unit.strip, value=cell.strip, has_value=lambda: True)
                for title, unit, cell in zip(self.titles, self.units, cells)
            }
            name = cells[self.titles.index("Kernel Name")]
            return SimpleNamespace(NameBase_DEMANGLED=0, name=lambda _: name, metric_by_name=metrics.get,
                                   metric_names=lambda: self.titles[11:])  # fmt: skip

        file = self.write("r.ncu-rep", b"NVR\0" + b"\0" * 60)
        self.refused(file, "pip install ncu-report")
        actions = [action(cells) for cells in self.launches]
        ranged = SimpleNamespace(num_actions=lambda: len(actions), action_by_idx=lambda i: actions[i])
        report = SimpleNamespace(num_ranges=lambda: 1, range_by_idx=lambda _: ranged)
        sys.modules["ncu_report"] = SimpleNamespace(load_report=lambda _: report)
        self.addCleanup(sys.modules.pop, "ncu_report")
        expected = imported("ncu", NCU)["points"]
        self.assertEqual(self.read(file), [{**point, "source": file} for point in expected])

    def nvprof(self, *words):
        """The points, by name and run, of files of tests/data/nvprof, or of texts."""
        folder = os.path.join(os.path.dirname(NCU), "..", "nvprof")
        files = [self.write(f"{i}.txt", word) if "\n" in word else os.path.join(folder, word)
                 for i, word in enumerate(words)]
        return {f"{one['name']} {one.get('run', '')}".strip(): one for one in self.read(*files)}

    def test_nvprof_counts(self):
        points = self.nvprof("metrics.csv")
        one, other = points["k<int=4>"], points["other"]
        self.assertEqual([(work["count"], work["fma_share"]) for work in one["flops"]], [(3000, 1200 / 1800)])
        found = [(level["level"], level["count"] / 96, level["read"] / 96) for level in one["bytes"]]
        self.assertEqual(found, [("L1", 150, 100), ("L2", 80, 60), ("HBM", 20, 10)])
        self.assertEqual((one["launches"], one["warps_per_sm"], one["format"]), (3, 16, "nvprof"))
        self.assertIn("without --metrics", self.reasons(one)["time"])
        self.assertEqual([(work["count"], work["fma_share"]) for work in other["flops"]], [(100, 35 / 65)])
        self.assertEqual(self.reasons(other)["HBM bytes"], "no metric dram_write_transactions")
        one = self.nvprof("metrics-trace.csv")["k<int=4>"]  # launches of 900 and 1100 operations
        self.assertEqual((one["launches"], one["flops"][0]["count"], one["warps_per_sm"]), (2, 2000, 16))
        self.assertEqual((one["bytes"][0]["count"], one["bytes"][0]["read"]), (50 * 32, 40 * 32))

    def reasons(self, point):
        return {one["what"]: one["reason"] for one in point["missing"]}

    def test_nvprof_times(self):
        for files in (("metrics.csv", "times-summary.csv"), ("times-summary.csv", "metrics.csv")):
            points = self.nvprof(*files)
            one = points["k<int=4>"]
            self.assertEqual((len(points), one["time_s"], one["flops"][0]["count"]), (2, 6e-3, 3000))
            self.assertFalse(one.keys() & {"missing", "warnings"})
            self.assertRegex(one["source"], f"{files[0]}, .*{files[1]}")
        one = self.nvprof("times-trace.csv", "metrics.csv")["k<int=4>"]
        self.assertEqual((one["time_s"], one["launches"]), (6e-3, 3))
        self.assertIn("timed in 2 launches and counted in 3", one["warnings"][0])
        for file in ("times-old.csv", "times-screen.txt"):
            points = self.nvprof(file)
            self.assertEqual({name: (one["time_s"], one["launches"]) for name, one in points.items()},
                             {"k<int=4>": (6e-3, 3), "other": (1.5e-3, 1)})
        one = self.nvprof("======== Profiling result:\nStart,Duration,Grid Size,Device,Name\nms,us,,,\n"
                          '1.0,5.0,(1 1 1),0,"k(int) [9]"\n2.0,7.0,(1 1 1),0,"k(int) [10]"\n')["k"]
        self.assertAlmostEqual(one["time_s"], 12e-6, 12)
        one = self.nvprof("======== Profiling result:\nTime(%) Time Calls Avg Min Max Name\n"
                          " 49.52 9.00ms 101 92.68us 92.31us 94.31us dct(float*, int)\n")["dct"]
        self.assertEqual((round(one["time_s"], 12), one["launches"]), (9e-3, 101))

    def test_nvprof_of_processes(self):
        points = self.nvprof(averages((2, "flop_count_dp", 5)) + averages((2, "flop_count_dp", 7))
                             + averages((2, "dram_read_bytes", 3), (2, "dram_write_bytes", 1)))
        counts = {run: [one["count"] for one in (*point["flops"], *point["bytes"])]
                  for run, point in points.items()}
        self.assertEqual(counts, {"k d": [10, 8], "k d, run 2": [14]})
        table = LAUNCHES.format("flop_count_dp", "") + "d,1,7,k,1,{}\nd,1,7,k,2,7\n"
        points = self.nvprof(table.format(4) + table.format("x"))
        self.assertEqual(points["k d"]["flops"][0]["count"], 11)
        self.assertIn("'x'", self.reasons(points["k d, run 2"])["fp64 flops"])

    def test_nvprof_odd_cells(self):
        one = self.nvprof(averages((1, "flop_count_dp", 5), (1, "flop_count_dp_fma", 5)))["k"]
        self.assertTrue("fma_share" not in one["flops"][0] and one["flops"][0]["count"] == 5)
        self.assertIn("row 4: flop_count_dp_fma: 5, more than there are operations (5)", one["warnings"])
        one = self.nvprof(averages(
            (2, "flop_count_dp", "5%"), (2, "flop_count_sp", 5), (2, "dram_read_throughput", "7.5GB/s"),
            (2, "tensor_precision_fu_utilization", "Mid (5)"), (2, "inst_fp_16", "0")))["k"]  # fmt: skip
        self.assertEqual([(flops["type"], flops["count"]) for flops in one["flops"]], [("fp32", 10)])
        reasons = self.reasons(one)
        self.assertEqual(reasons["fp64 flops"], "row 3: flop_count_dp: '5%'")
        self.assertIn("tensor_*_utilization is above 0", reasons["tensor operations"])
        self.assertTrue("HBM bytes" in reasons and "fp16 flops" not in reasons)
        one = self.nvprof(averages(
            (1, "flop_count_dp", 0), (1, "gld_transactions", 0), (1, "gst_transactions", 0),
            (1, "inst_executed", 9), (1, "sysmem_read_transactions", "1e19")))["k"]  # fmt: skip
        self.assertEqual(self.reasons(one)["operations"], "0 by flop_count_dp; no metrics of fp32, fp16")
        self.assertIn("0 bytes were counted: (gld + gst)", self.reasons(one)["L1 bytes"])
        self.assertIn("overflowed", self.reasons(one)["host bytes"])
        self.assertEqual(one["instructions"], 9)

    def refused(self, path, text):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(__main__.study(["points", path]), 2)
        self.assertRegex(said.getvalue(), "^roofline: .*" + os.path.basename(path) + ": [^\n]*\n$")
        self.assertIn(text, said.getvalue())

    def test_refused(self):
        with open(self.export("whole", [(0, 10, 0)], ["k"], "start end demangledName"), "rb") as file:
            cut = file.read()[:5000]
        for i, (content, text) in enumerate((
            (cut, "malformed"),
            (b"NVIDIA Tegra Profiler Report 1.", "nsys export --type sqlite"),
            (b"", "no SQLite export"),
            (KERN_SUM.replace("Total Time (ns)", "Total Time (fortnight)"), "unit 'fortnight'"),
            (KERN_SUM[:-60], "line 5: 5 cells, must be 9"),
            (KERN_SUM.replace("300001", "-1"), "line 4: Total Time: '-1'"),
            (KERN_SUM + TRACE, "table 'nsys: gpu_trace' after 'nsys: kern_sum'"),
            (counters({"TCC_HIT_sum": "nan"}), "line 2: TCC_HIT_sum: 'nan'"),
            (results([])[:-9], "Expecting"),
            ('{"rocprofiler-sdk-tool":' + "[" * 99999, "recursion"),
            (results([], kernel=8), "dispatch_id 3: not as rocprofv3 writes it: KeyError(8)"),
            ('{"rocprofiler-sdk-tool": [{}]}', "KeyError('kernel_symbols')"),
            ("{}", "no JSON or CSV of rocprofv3"),
            (AVERAGES + '"d","k",2,"flop_count_dp"\n', "row 3: 4 columns, must be 8"),
            (averages((1, "flop_count_dp", '"1.234,5"')), "row 3: '1.234,5' is not a number; rerun the tool"),
            ('"Time(%)","Time","Calls","Name"\n%,weeks,,\n50,1,1,"k"\n', "row 3: time in 'weeks'"),
            ('"Time(%)","Time","Calls","Name"\n%,s,,\n50,x,1,"k"\n', "row 3: time or Calls: 'x'"),
            ("==1== Warning: ERR_NVGPUCTRPERM\n==1== Profiling result:\n", "not allowed"),
            ("==1== NVPROF is profiling process 1\nresult 1, 2\n", "no kernel of nvprof"),
            (LAUNCHES.format("ipc", "") + "d,1,7,k,1,0.5\n", "no kernel of nvprof"),
            (LAUNCHES.format("dram_read_bytes", "KB"), "dram_read_bytes in 'KB', must have no unit"),
        )):  # fmt: skip
            self.refused(self.write(f"{i}.txt", content), text)
        for i, (columns, cells, text) in enumerate((
            ("start demangledName", (0, 0), "no column 'end'; there are start, demangledName"),
            ("start end demangledName", (0, 10, 7), "row 1: demangledName: 7, not an id of StringIds"),
            ("start end demangledName", (10, 0, 0), "row 1: ends at 0, before its start at 10"),
            ("start end demangledName", ("x", 0, 0), "row 1: start: 'x', must be a number"),
        )):  # fmt: skip
            self.refused(self.export(f"{i}.sqlite", [cells], ["k"], columns), text)
        passes = [self.write(f"{n}.csv", counters(HBM, range(n))) for n in (1, 2)]
        with self.assertRaisesRegex(profiles.Error, "1 launches in .*, 2 in .*: must be passes of one"):
            self.read(*passes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
