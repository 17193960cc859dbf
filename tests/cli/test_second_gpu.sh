#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Another GPU vendor is one file and one line: tests/backend/second_gpu.c plants two, of which SECOND_GPU says
# who is there; ert_second is `ert` with them.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/tests/backend/ert_second
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-second-XXXXXX")
trap 'rm -rf "$work"' EXIT

with() {
    SECOND_GPU=$1
    export SECOND_GPU
    shift
    "$@"
}

measures() {
    "$ert" run --device "$1" --quick --out "$work/$2" >"$work/out" 2>&1 || { cat "$work/out"; return 1; }
}

info() {
    "$ert" info "$@" >"$work/info" && cat "$work/info"
}

check "a backend is listed" with "hip" prints "a planted GPU of another vendor" "$ert" list
check "and why another has no GPU" with "hip" prints "SECOND_GPU is 'hip'" "$ert" list
check "its GPU is gpu0 where it is alone" with "hip" prints "gpu0: planted hip GPU" info --device gpu0
check "with what its vendor publishes" with "hip" prints "8 units x 625 FMA x 2 flop" info --device gpu
check "and the memory's peak by clock and bus" with "hip" prints "2 transfers x 4096 bit" info --device gpu
check "but nothing of NVIDIA's" with "hip" lacks "compute capability" info --device gpu
check "no GPU anywhere: the first backend's reason" with "" \
    answers 3 "no device 'gpu' on this machine: no " "$ert" info --device gpu

check "a run measures it" with "hip" measures gpu one
check "at the planted rates" prints "FP64 10.00 TFLOP/s" cat "$work/out"
check "its own throttle reason is named" prints "planted haze" cat "$work/one/ceilings.json"
check "what it has no kernel for says so" prints "this backend has load and fma_fp64" \
    cat "$work/one/ceilings.json"
check "no machine code of its own, no profiler: said" with "hip" \
    answers 3 "no profiler of its backend" "$ert" validate "$work/one/ceilings.json"
check "a capability of NVIDIA's is still one" answers 2 "no compute capability" \
    "$ert" validate --code-for gfx942

both="hip xe"
check "two backends: each GPU says whose it is" with "$both" prints "gpu0-hip: planted hip GPU" info
check "the second one too" prints "gpu0-xe: planted xe GPU" cat "$work/info"
check "by which it is chosen" with "$both" lacks "planted hip GPU" info --device gpu0-xe
check "a name that both would have is of none" with "$both" answers 3 "gpu0-hip, gpu0-xe" \
    "$ert" run --device gpu0 --quick --out "$work/none"
check "a run measures both" with "$both" measures gpu two
check "each has its ceilings" prints "gpu0-xe HBM-load" with "$both" \
    "$ert" verify --all "$work/two/ceilings.json"
check "and its chart" test -s "$work/two/latest/roofline-gpu0-xe.svg"
check "one alone is verified by its name" with "$both" prints "gpu0-xe" \
    "$ert" verify --device gpu0-xe "$work/two/ceilings.json"
done_testing
