#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""conv2d.py: a convolution as cuDNN runs it, over batch, filters, kernel size, type and layout (PyTorch).

After Yang, Kurth, Williams, "Hierarchical Roofline Performance Analysis for Deep Learning Applications"
(arXiv:2009.05257), which used TensorFlow on a V100: a ResNet-like input of 64 channels of 112 x 112, stride 2. Each
configuration is warmed up first, so that cuDNN's autotuning is over; then it is timed without a profiler, and its
kernels are listed once with PyTorch's. The table says what they are: products, transforms of layout (no flops), the
rest. Flops are counted from the algorithm: 2 N K C R S P Q, twice that for both gradients.

    conv2d.py [--full] [--only TEXT] [--out points.json] [--kernels kernels.csv]
    roofline record --nvtx conv2d -- python3 examples/conv2d.py --only k3      # counted, kernel by kernel

Exit codes: 0 done, 1 a result is wrong, 3 no PyTorch or no GPU.
"""

import argparse
import csv
import itertools
import json
import sys

CHANNELS, SIDE, STRIDE = 64, 112, 2

# What one sweeps: the tutorials' axes. The short sweep goes along each of them from one configuration.
BATCHES, FILTERS, KERNELS = (16, 32, 64), (64, 128, 256, 512), (3, 7, 9)
TYPES = {"fp32": ("fp32", "core"), "tf32": ("tf32", "tensor"), "fp16": ("fp16", "tensor"),
         "bf16": ("bf16", "tensor")}
LAYOUTS, PASSES = ("nchw", "nhwc"), ("forward", "backward")
BASE = (16, 64, 3, "fp16", "nchw")

# Kernels by what their names say; the first that fits. A transform has no flops: it moves values into the layout that
# the product wants, or pads and casts them.
KINDS = (
    ("fft", ("fft", "cgemm", "gcgemm", "flip_filter", "transpose_readwrite_alignment")),
    ("transform", ("nchwtonhwc", "nhwctonchw", "nchw2nhwc", "nhwc2nchw", "transpose", "padding", "tensor_transform",
                   "converttensor", "scalepacked", "copy", "cast", "im2col", "cudnn::ops", "fill", "memset",
                   "generatewinogradtiles", "elementwise")),
    ("winograd", ("winograd",)),
    ("product", ("gemm", "conv", "wgrad", "dgrad", "fprop", "xmma", "cutlass", "implicit", "mma", "nvjet")),
)


def kind_of(kernel):
    name = kernel.lower()
    for kind, words in KINDS:
        if any(word in name for word in words):
            return kind
    return "other"


def configurations(full):
    """(batch, filters, kernel, type, layout), each once."""
    if full:
        return list(itertools.product(BATCHES, FILTERS, KERNELS, TYPES, LAYOUTS))
    chosen = [BASE]
    for axis, values in enumerate((BATCHES, FILTERS, KERNELS, TYPES, LAYOUTS)):
        chosen += [BASE[:axis] + (value,) + BASE[axis + 1:] for value in values]
    chosen += [(16, 64, kernel, kind, layout) for kernel in KERNELS for kind in TYPES for layout in LAYOUTS]
    return list(dict.fromkeys(chosen))


def name_of(configuration, direction):
    batch, filters, kernel, kind, layout = configuration
    return f"n{batch}-f{filters}-k{kernel}-{kind}-{layout}-{direction}"


class Case:
    """A configuration on the GPU: its tensors, its call, its counts."""

    def __init__(self, torch, configuration, direction):
        batch, filters, size, kind, layout = configuration
        element = {"fp16": torch.float16, "bf16": torch.bfloat16}.get(kind, torch.float32)
        order = torch.channels_last if layout == "nhwc" else torch.contiguous_format
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
        torch.manual_seed(1)
        self.x = torch.randn(batch, CHANNELS, SIDE, SIDE, device="cuda").to(element).to(memory_format=order)
        self.w = torch.randn(filters, CHANNELS, size, size, device="cuda").to(element).to(memory_format=order)
        self.pad, self.torch, self.direction = size // 2, torch, direction
        self.y = self.forward()
        self.dy = torch.ones_like(self.y)
        products = 2 * self.y.numel() * CHANNELS * size * size
        tensors = self.x.numel() + self.w.numel() + self.y.numel()
        self.flops = products * (2 if direction == "backward" else 1)
        self.bytes = tensors * self.x.element_size() * (2 if direction == "backward" else 1)
        self.tolerance = {"fp32": 1e-4, "tf32": 5e-3, "fp16": 5e-3, "bf16": 4e-2}[kind]

    def forward(self):
        return self.torch.nn.functional.conv2d(self.x, self.w, stride=STRIDE, padding=self.pad)

    def run(self):
        if self.direction == "forward":
            self.y = self.forward()
        else:
            self.dx, self.dw, _ = self.torch.ops.aten.convolution_backward(
                self.dy, self.x, self.w, None, [STRIDE] * 2, [self.pad] * 2, [1, 1], False, [0, 0], 1,
                [True, True, False])

    def error(self):
        """Of an output pixel, or a filter's gradient, beside a sum in FP64, relative to the sum's size."""
        torch = self.torch
        x = torch.nn.functional.pad(self.x.double(), [self.pad] * 4)
        size, worst = self.w.shape[2], 0.0
        if self.direction == "forward":
            for p, q in ((0, 0), (17, 33), (self.y.shape[2] - 1, self.y.shape[3] - 1)):
                window = x[:, :, p * STRIDE:p * STRIDE + size, q * STRIDE:q * STRIDE + size]
                exact = torch.einsum("ncrs,kcrs->nk", window, self.w.double())
                worst = max(worst, ((self.y[:, :, p, q].double() - exact).abs().max() / exact.abs().max()).item())
            return worst
        rows, columns = self.dy.shape[2] * STRIDE, self.dy.shape[3] * STRIDE
        for r, s in ((0, 0), (size - 1, 1)):  # dy is 1: sums of what the filter's element saw
            exact = x[:, :, r:r + rows:STRIDE, s:s + columns:STRIDE].sum(dim=(0, 2, 3))
            worst = max(worst, ((self.dw[0, :, r, s].double() - exact).abs().max() / exact.abs().max()).item())
        for h in (SIDE // 2, SIDE // 2 + 1):  # and of the elements that saw a pixel inside
            first = (h + self.pad) % STRIDE
            exact = self.w.double()[:, :, first::STRIDE, first::STRIDE].sum(dim=(0, 2, 3))
            worst = max(worst, ((self.dx[0, :, h, h].double() - exact).abs().max() / exact.abs().max()).item())
        return worst


def time_of(torch, case, calls):
    """Seconds of a call: the median of five batches between events."""
    times = []
    for _ in range(5):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(calls):
            case.run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e-3 / calls)
    return sorted(times)[2]


def kernels_of(torch, case):
    """(name, seconds) of the kernels of one call, in their order; none where another profiler has CUPTI."""
    from torch.profiler import ProfilerActivity, profile
    with profile(activities=[ProfilerActivity.CUDA]) as profiled:
        case.run()
        torch.cuda.synchronize()
    events = [e for e in profiled.events() if e.device_type.name == "CUDA" and "Sync" not in e.name]
    return [(e.name, (e.device_time if hasattr(e, "device_time") else e.cuda_time) * 1e-6) for e in events]


def measure(torch, configuration, direction, options):
    case = Case(torch, configuration, direction)
    for _ in range(3):  # the first call of a shape tries cuDNN's algorithms
        case.run()
    torch.cuda.synchronize()
    kernels = [] if options.calls_only else kernels_of(torch, case)
    name = name_of(configuration, direction)
    torch.cuda.nvtx.range_push("conv2d")
    torch.cuda.nvtx.range_push(name)
    if options.calls_only:
        case.run()
        time_s = None
    else:
        time_s = time_of(torch, case, options.calls)
    torch.cuda.synchronize()
    torch.cuda.nvtx.range_pop()
    torch.cuda.nvtx.range_pop()
    return case, time_s, kernels


def point_of(name, configuration, case, time_s, kernels):
    kind, unit = TYPES[configuration[3]]
    total = sum(t for _, t in kernels) or float("nan")
    transforms = sum(t for k, t in kernels if kind_of(k) == "transform")
    values = {"kernels": len(kernels)}
    if kernels:
        values["transform_time_fraction"] = transforms / total
    return {"name": name, "run": f"{configuration[3]}-{configuration[4]}", "time_s": time_s, "launches": 1,
            "flops": [{"type": kind, "unit": unit, "count": case.flops,
                       "recipe": "2 N K C R S P Q" + (", of two gradients" if "back" in name else "")}],
            "bytes": [{"level": "HBM", "count": case.bytes, "recipe": "input, filters, output, once"}],
            "values": values}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true", help="all of 288 configurations: some minutes")
    parser.add_argument("--only", default="", help="configurations with this in their name, e.g. k9-fp16")
    parser.add_argument("--calls", type=int, default=10, help="between two events")
    parser.add_argument("--calls-only", action="store_true", help="one call each, not timed: for a profiler")
    parser.add_argument("--out", help="points.json")
    parser.add_argument("--kernels", help="a CSV of all kernels: configuration, kernel, kind, seconds")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("conv2d: PyTorch is not installed (pip install torch)", file=sys.stderr)
        return 3
    if not torch.cuda.is_available():
        print("conv2d: PyTorch sees no GPU", file=sys.stderr)
        return 3
    torch.backends.cudnn.benchmark = True
    print(f"conv2d: {torch.cuda.get_device_name()}, PyTorch {torch.__version__}, "
          f"cuDNN {torch.backends.cudnn.version()}")
    print(f"{'configuration':34} {'time us':>9} {'TFLOP/s':>8} {'kernels':>7} {'transform':>9}  product")
    points, rows, n_wrong = [], [], 0
    for configuration, direction in itertools.product(configurations(options.full), PASSES):
        name = name_of(configuration, direction)
        if options.only not in name:
            continue
        case, time_s, kernels = measure(torch, configuration, direction, options)
        error = case.error()
        verdict = "" if error <= case.tolerance else f"  WRONG: {error:.2g}"
        n_wrong += bool(verdict)
        rows += [(name, kernel, kind_of(kernel), f"{seconds:.4g}") for kernel, seconds in kernels]
        if time_s:
            points.append(point_of(name, configuration, case, time_s, kernels))
            longest = max((k for k in kernels if kind_of(k[0]) != "transform"), key=lambda k: k[1], default=("-", 0))
            share = points[-1]["values"].get("transform_time_fraction", float("nan"))
            print(f"{name:34} {time_s * 1e6:9.1f} {case.flops / time_s / 1e12:8.1f} {len(kernels):7} "
                  f"{100 * share:7.1f} %  {longest[0][:60]}{verdict}", flush=True)
        elif verdict:
            print(f"{name:34}{verdict}")
        del case
    if options.out:
        with open(options.out, "w", encoding="utf-8") as file:
            json.dump({"schema": "ert-points/1", "origin": "conv2d.py: counted from the algorithm",
                       "points": points}, file, indent=1)
    if options.kernels:
        with open(options.kernels, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("configuration", "kernel", "kind", "seconds"), *rows])
    if n_wrong:
        print(f"conv2d: {n_wrong} results are wrong", file=sys.stderr)
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
