# SPDX-License-Identifier: BSD-3-Clause
"""Tensor operations of one step as Nsight Compute counted them, beside those of roofline's rules.

    counted.py ROOFLINE counted-*.csv.gz

Each file is of models.py's models in the order below, each behind a spin_kernel: `ncu --csv --page raw`,
columns ID, Kernel Name and the sums. Calls of which a kernel was not profiled are left out on both sides,
and so are models whose traces are not here or have another number of kernels.
"""

import csv
import gzip
import json
import os
import re
import subprocess
import sys
from collections import defaultdict

ORDER = {
    "tf32": "resnet50 conv3d mlp-tf32 lstm efficientnet-infer mobilenet-v2",
    "fp16": "resnet18-infer conv1d unet resnet50-amp",
    "bf16": "separable moe compiled gpt-manual vit-b16 convnext",
    "int8": "products",
    "mixed": "products llama llama-decode gpt bert",
}
# Of which kernels ncu counted, by the names of their functions; "mixed": of all.
FEW = re.compile("gemm|nvjet|xmma|conv|cutlass|fmha|flash|sdpa|fprop|dgrad|wgrad|gemv")
MORE = re.compile("gemm|nvjet|xmma|conv|cutlass|fmha|flash|sdpa|fprop|grad|gemv|Kernel2|grouped|imma")
PROFILED = {"tf32": FEW, "bf16": FEW, "fp16": MORE, "int8": MORE, "mixed": re.compile("")}
TYPES = {"float": "fp32", "double": "fp64", "c10::Half": "fp16", "c10::BFloat16": "bf16"}
TYPES.update({"c10::Float8_e4m3fn": "fp8", "signed char": "int8"})
TENSORS = {*TYPES, "bool", "long int", "int", "unsigned char", "TensorList"}
HERE = os.path.dirname(os.path.abspath(__file__))


def function(name):
    plain = name.replace("(anonymous namespace)", "anon").replace("<unnamed>", "anon").removeprefix("void ")
    return re.split(r"[<(]", plain)[0].split("::")[-1]


def point_of(op):
    """The name of an operator's point, as analysis/ext/import/operators.c writes it."""
    text, of, shown = op["name"], "", 0
    for dims, kind in zip(op["args"].get("Input Dims", []), op["args"].get("Input type", [])):
        if shown == 3 or kind not in TENSORS or not dims:
            continue
        of = of or TYPES.get(kind, "")
        shown += 1
        text += f" ({len(dims)})" if isinstance(dims[0], list) else " " + "x".join(map(str, dims))
    return f"{text} {of}".strip()


CLASSES = {"attention": "attention", "convolution": "convolution", "rnn": "recurrent", "mm": "products"}
sums_of_class = defaultdict(lambda: [0.0, 0.0, 0])


def step(kernels):
    """The second of two steps."""
    return kernels[len(kernels) - len(kernels) // 2 :]


def read_trace(roofline, model):
    """Its operators by id, its kernels in order, the points, the calls of each by kernels, and the bytes that
    no kernel copied for it; None without a trace."""
    trace = os.path.join(HERE, f"{model}.json.gz")
    if not os.path.exists(trace):
        return None
    events = json.load(gzip.open(trace))["traceEvents"]
    ops = {e["args"]["External id"]: e for e in events if e.get("cat") == "cpu_op"}
    kernels = sorted((e for e in events if e.get("cat") == "kernel"), key=lambda e: e["ts"])
    command = [roofline, "import", "kineto", "--output", "json", trace]
    points = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["points"]
    calls = defaultdict(set)
    for event in kernels:
        op = ops[event["args"]["External id"]]
        calls[point_of(op)].add(op["args"]["External id"])
    copied = defaultdict(int)
    for event in events:
        op = ops.get(event["args"].get("External id")) if event.get("cat") == "gpu_memcpy" else None
        if op and op["name"] == "aten::copy_":
            copied[point_of(op)] += event["args"]["bytes"]
    return ops, kernels, points, calls, copied


def compare(roofline, model, counted, columns, kind):
    found = read_trace(roofline, model)
    if not found:
        return
    ops, kernels, points, calls, _ = found
    profiled = step([e for e in kernels if PROFILED[kind].search(function(e["name"]))])
    if len(profiled) != len(counted):
        print(f"{model}: {len(counted)} kernels counted, {len(profiled)} in the trace", file=sys.stderr)
        return
    flops = {
        p["name"]: sum(w["count"] for w in p["flops"] if w["unit"] == "tensor")
        / max(1, len(calls[p["name"]]))
        for p in points
    }
    missed = [e for e in kernels if not PROFILED[kind].search(function(e["name"]))]
    skipped = {e["args"]["External id"] for e in missed if re.search("Kernel2|cutlass", function(e["name"]))}
    per_call = defaultdict(float)
    for row, event in zip(counted, profiled):
        per_call[event["args"]["External id"]] += sum(float(row[i].replace(",", "") or 0) for i in columns)
    sums = defaultdict(lambda: [0.0, 0.0, 0])
    for i, n in per_call.items():
        name = point_of(ops[i])
        if i not in skipped and (n or flops.get(name)):
            of = sums[ops[i]["name"].removeprefix("aten::")]
            of[0], of[1], of[2] = of[0] + n, of[1] + flops[name], of[2] + 1
    for op, (n, ours, number) in sorted(sums.items()):
        if (kind == "int8") <= (op == "_int_mm") and not (kind == "mixed" and op == "_int_mm"):
            print(f"| {model} | {op} | {number} | {n:.5g} | {ours:.5g} | {100 * (ours / n - 1):+.2f} % |")
            of = sums_of_class[next((CLASSES[word] for word in CLASSES if word in op), "by a vector")]
            of[:] = of[0] + n, of[1] + ours, of[2] + number


def main():
    for file in sys.argv[2:]:
        kind = re.search(r"counted-(\w+)\.csv", file)[1]
        rows = list(csv.reader(gzip.open(file, "rt")))
        models = []
        for row in rows[2:]:
            if "spin_kernel" in row[1]:
                models.append([])
            elif PROFILED[kind].search(function(row[1])):
                models[-1].append(row)
        columns = [i for i, title in enumerate(rows[0]) if "tensor" in title]
        for model, counted in zip(ORDER[kind].split(), models):
            compare(sys.argv[1], model, counted, columns, kind)
    for name, (n, ours, number) in sorted(sums_of_class.items()):
        print(f"| all | {name} | {number} | {n:.5g} | {ours:.5g} | {100 * (ours / n - 1):+.2f} % |")


if __name__ == "__main__":
    main()
