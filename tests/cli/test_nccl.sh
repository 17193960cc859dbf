#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert nccl with a planted driver and a planted NCCL (tests/fleet/planted_nccl.c): known rates come out, and
# each fault is named. Planted times are far above this machine's own.
. "$top_srcdir/tests/tap.sh"
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3, which reads the ceilings"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
ert=$top_builddir/ert/ert
mkdir "$scratch/new" "$scratch/old" "$scratch/half"

# plant FOLDER FLAGS...: the library under both names.
plant() {
    folder=$1
    shift
    $CC -shared -fPIC -D_GNU_SOURCE -O1 "$@" -o "$folder/libcuda.so.1" \
        "$top_srcdir/tests/fleet/planted_nccl.c" && ln "$folder/libcuda.so.1" "$folder/libnccl.so.2"
}
check "a planted NCCL compiles" plant "$scratch/new"
check "an old one compiles" plant "$scratch/old" -DPLANTED_OLD
cp "$scratch/new/libcuda.so.1" "$scratch/half" 2>/dev/null
mkdir "$scratch/none"
: >"$scratch/half/libnccl.so.2" # so that those of this machine are not found
: >"$scratch/none/libcuda.so.1"

# nccl FAULTS OPTIONS...: a quick run.
nccl() {
    faults=$1
    shift
    env LD_LIBRARY_PATH="$scratch/new" \
        PLANTED_NCCL="latency=1e-3 bandwidth=1e8 $faults" \
        timeout 120 "$ert" nccl --size 32KiB --time 1ms "$@" 2>&1
}

# ceilings PYTHON: succeeds when the expression holds for `c`, the collectives of ceilings.json by device and
# name, and `missing`, the reasons of what is not measured.
ceilings() {
    python3 - "$scratch/ceilings.json" "$1" <<'PYTHON'
import json, sys
devices = {d["id"]: d for d in json.load(open(sys.argv[1]))["devices"]}
c = {(i, x["name"]): x for i, d in devices.items() for x in d["ceilings"] if x["kind"] == "collective"}
missing = {(i, m["name"]): m["reason"] for i, d in devices.items() for m in d.get("not_measured", [])}
latency, rate = 1e-3, 1e8
def near(x, planted, rate=lambda value: value):
    # A busy machine adds to times, so that the best sample is near, and nothing takes from them.
    best = x["value"] * (min if x["unit"] == "s" else max)(x["rounds"])
    return 0.5 * planted < rate(best) and rate(x["value"]) <= 1.001 * planted
def bus(name, bytes_, at="gpu0", link=rate):
    x = c[at, name]
    return near(x, bytes_ / (latency + bytes_ / link)) \
        and x["unit"] == "byte/s" and len(x["rounds"]) == 15 and x["low"] <= x["value"] <= x["high"]
def took(name, bytes_, at="gpu0"):
    return near(c[at, name], 1 / (latency + bytes_ / rate), lambda value: 1 / value)
held = eval("(" + sys.argv[2] + ")")
if not held:
    print(sys.argv[2])
    for key, x in c.items():
        print(key, x["value"], x["unit"])
    print(missing)
sys.exit(not held)
PYTHON
}

# Four GPUs as the planted ones, of a recorded one.
record() {
    python3 - "$top_srcdir/results/h200/ceilings.json" "$scratch/recorded.json" <<'PYTHON'
import copy, json, sys
file = json.load(open(sys.argv[1]))
def four(devices, change):
    gpu = next(d for d in devices if d["id"] == "gpu0")
    return [change(copy.deepcopy(gpu), i) for i in range(4)]
def known(d, i):
    d["id"], d["gpu"]["ordinal"], d["gpu"]["pci"] = "gpu%d" % i, i, "0000:00:%02x.0" % (6 + i)
    return d
def measured(d, i):
    d["id"] = "gpu%d" % i
    return d
file["machine"]["devices"] = four(file["machine"]["devices"], known)
file["devices"] = four(file["devices"], measured)
json.dump(file, open(sys.argv[2], "w"))
PYTHON
}
check "a host of four GPUs" record

# into FAULTS STATUS OPTIONS...: a run into that.
into() {
    faults=$1 wanted=$2
    shift 2
    cp "$scratch/recorded.json" "$scratch/ceilings.json"
    gives "$wanted" nccl "$faults" --into "$scratch/ceilings.json" "$@" >"$scratch/out"
    status=$?
    cat "$scratch/out"
    return "$status"
}

# The types, where NCCL's and CUDA's headers are: CPPFLAGS=-I... names them.
if echo '#include <nccl.h>' | $CC $CPPFLAGS -E - >/dev/null 2>&1; then
    check "the functions are those of nccl.h" $CC $CPPFLAGS -fsyntax-only \
        "$top_srcdir/tests/fleet/nccl_types.c"
else
    skip "the functions are those of nccl.h" "no nccl.h, or no cuda_runtime.h"
fi

# Known answers.
check "four GPUs are measured" into "slow=2-1,1e7" 0
check "an all-reduce carries 2 (n - 1) / n of its size" ceilings \
    'bus("all-reduce-4gpus-32KiB", 1.5 * 32768) and bus("all-reduce-4gpus-4KiB", 1.5 * 4096)'
check "of the least size the time counts" ceilings 'took("all-reduce-4gpus-8B", 12)'
check "every two GPUs, both ways; one way is slow" ceilings \
    'all(bus("send-recv-to-gpu%d-32KiB" % b, 32768, "gpu%d" % a, 1e7 if (a, b) == (2, 1) else rate)
         for a in range(4) for b in range(4) if a != b)'
check "and no more" ceilings 'len(c) == 5 + 24'
check "a ceiling says between which GPUs, and by what" ceilings \
    '(lambda x: x["from"] == "gpu2" and x["to"] == "gpu1")(c["gpu2", "send-recv-to-gpu1-8B"]) and
     (lambda x: x["count"] == 4 and x["kernel"] == "nccl" and "NCCL 2.29.7" in json.dumps(x))(
         c["gpu0", "all-reduce-4gpus-8B"])'
check "ert show lists them" prints "all-reduce-4gpus-32KiB" "$ert" show "$scratch/ceilings.json"
check "measured again, they take the place of those there" gives 0 nccl "gpus=4" --gpus 2 \
    --into "$scratch/ceilings.json"
check "  all of them" ceilings '("gpu0", "all-reduce-4gpus-32KiB") not in c and len(c) == 5 + 4'
check "an older NCCL's version is read" prints "NCCL 2.8.4," nccl "gpus=2 version=2804"

# Faults: each is named.
check "a wrong copy is seen" answers 1 "wrong data on GPU" nccl "gpus=2 wrong=send-recv"
check "a wrong sum" into "wrong=all-reduce" 1
check "  is no ceiling, and all others are" ceilings \
    '"wrong data" in missing["gpu0", "all-reduce-4gpus-32KiB"] and
     bus("send-recv-to-gpu1-32KiB", 32768) and ("gpu0", "all-reduce-4gpus-512B") in c'
check "measured again, the reasons go" gives 0 nccl "gpus=2" --into "$scratch/ceilings.json"
check "  all of them" ceilings 'not any("all-reduce" in name for _, name in missing)'
check "a hang is ended by its deadline" \
    answers 1 "all-reduce, GPUs 0-1, 4 KiB: not done within 1 s; no ceiling" \
    nccl "hang=all-reduce gpus=2" --deadline 1s --into "$scratch/ceilings.json"
check "  and the file is as before" ceilings 'bus("send-recv-to-gpu1-32KiB", 32768)'
check "NCCL's own failure" \
    answers 1 "all-reduce, GPUs 0-1, 4 KiB: all-reduce: NCCL error 3, a planted failure" \
    nccl "gpus=2 fail=all-reduce"
check "a start that fails" answers 1 "ncclCommInitRank: NCCL error 2" nccl "gpus=2 no-init"
check "a start that hangs" answers 1 "the start of NCCL: not done within 1 s" \
    nccl "gpus=2 hang-init" --deadline 1s
check "no memory" answers 1 "32768 bytes on GPU 0: CUDA error 2, CUDA_ERROR_OUT_OF_MEMORY" \
    nccl "gpus=2 no-memory"

# What is not there.
check "no driver" answers 3 "libcuda.so.1" env LD_LIBRARY_PATH="$scratch/none" "$ert" nccl
check "no NCCL" answers 3 "libnccl.so.2" env LD_LIBRARY_PATH="$scratch/half" "$ert" nccl
check "an old NCCL" answers 3 "has no ncclSend: NCCL 2.7 or newer is needed" \
    env LD_LIBRARY_PATH="$scratch/old" "$ert" nccl
check "no GPU" answers 3 "CUDA's driver shows no GPU" nccl gpus=0
check "one GPU" answers 3 "CUDA shows one GPU" nccl gpus=1
check "fewer than are asked for" answers 3 "--gpus: 3, CUDA shows 2" nccl gpus=2 --gpus 3
check "more than are measured" answers 3 "17 GPUs, at most 16" nccl gpus=17
check "a size that is no multiple of 8" answers 2 "must be a multiple of 8" nccl "" --size 1028
check "no time for a result" answers 2 "must be at least 10 times --time, 2 s" \
    nccl gpus=2 --time 2s --deadline 2s
check "another host's ceilings are left alone" answers 2 "the file has no GPU at 0000:00:0a.0" \
    nccl gpus=5 --into "$scratch/ceilings.json"
done_testing
