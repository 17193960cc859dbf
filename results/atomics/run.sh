#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh: atomics, zero-copy and managed memory of a GPU beside a probe, and what ncu counts. ERT: the
# program; OUT: a folder; CUDA_VISIBLE_DEVICES: one idle GPU. Each step has a limit; none stops the next.
set -u
ERT=${ERT:-ert/ert}
out=${OUT:-.}/atomics
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
PATH=$PATH:/usr/local/cuda/bin:$(ls -d /opt/nvidia/nsight-compute/* 2>/dev/null | tail -1)
export PATH
step() { # step SECONDS NAME COMMAND...: output in NAME.txt, one line here
    limit=$1 name=$2
    shift 2
    began=$(date +%s)
    timeout -k 5 "$limit" "$@" >"$out/$name.txt" 2>&1
    echo "$name: exit $?, $(($(date +%s) - began)) s"
}
cat >"$out/config.json" <<'JSON'
{"schema": "ert-config/2", "name": "atomics", "device": "gpu", "sections": ["links", "atomics", "unified"],
 "kernels": ["h2d_pinned", "d2h_pinned", "zero_copy_read", "zero_copy_write",
             "managed_touch", "managed_fetch", "managed_return", "atomic_l2_own", "atomic_l2_few",
             "atomic_l2_one", "atomic_l2_fp32", "atomic_smem_own", "atomic_smem_few", "atomic_smem_one"],
 "rounds": 5, "budget_s": 25}
JSON
step 60 compile nvcc -arch=sm_90 -O2 -o "$out/probe" "$here/probe.cu"
step 60 run1 "$ERT" run --config "$out/config.json" --out "$out/run1"
step 60 probe "$out/probe"
step 60 run2 "$ERT" run --config "$out/config.json" --out "$out/run2"
step 60 verify "$ERT" verify "$out/run1/ceilings.json"
step 60 show "$ERT" show "$out/run1/ceilings.json"
step 90 validate "$ERT" validate "$out/run1/ceilings.json" --out "$out/proof.json"
metrics=smsp__inst_executed_op_global_red.sum,smsp__inst_executed_op_shared_atom.sum
metrics=$metrics,lts__t_sectors_op_red.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum
for kernel in atomic_l2_own atomic_smem_few atomic_smem_one; do
    step 30 "ncu-$kernel" ncu --clock-control none --kernel-name atomic --metrics "$metrics" \
        "$ERT" bench "$kernel" --device gpu0 --passes 4
done
tests=$(dirname "$(dirname "$ERT")")
[ -e "$tests/Makefile" ] && step 120 make-test make -C "$tests" tests/gpu/test_memory_extras
[ -x "$tests/tests/gpu/test_memory_extras" ] && step 90 test "$tests/tests/gpu/test_memory_extras"
for name in compile run1 run2 verify validate make-test; do
    [ -e "$out/$name.txt" ] && { echo "--- $name"; tail -12 "$out/$name.txt" | cut -c1-200; }
done
echo "--- validate, atomics"
grep -E "atomic" "$out/validate.txt" | cut -c1-200
for kernel in atomic_l2_own atomic_smem_few atomic_smem_one; do
    echo "--- ncu $kernel, 4 passes of 256 additions by each thread"
    grep -E "__|ERROR" "$out/ncu-$kernel.txt" | cut -c1-120
done
echo "--- probe"
cat "$out/probe.txt"
echo "--- test"
grep -E "ok|rror|Failure|FAIL" "$out/test.txt" | head -20
python3 - "$out" <<'PY'
import json, sys
out = sys.argv[1]
def read(name):
    try:
        devices = json.load(open(f"{out}/{name}"))["devices"]
    except (OSError, ValueError) as error:
        print(f"{name}: {error}")
        return {}, []
    found = {c.get("pattern") or c["name"]: c for d in devices for c in d["ceilings"]}
    found |= {c["name"]: c for d in devices for c in d["ceilings"]}
    return found, [m for d in devices for m in d.get("not_measured", [])]
first, missing = read("run1/ceilings.json")
second, _ = read("run2/ceilings.json")
proof, _ = read("proof.json")
probe = {}
for line in open(f"{out}/probe.txt"):
    words = line.split()
    if len(words) == 3 and words[2] in ("op/s", "byte/s"):
        probe[words[0]] = float(words[1])
print("ceiling                  run 1    low ..    high    run 2  2/1      probe  1/probe  code and counters")
for name, c in sorted(first.items()):
    other, p = second.get(name, {}).get("value", 0), probe.get(name, 0)
    seen = proof.get(name, {}).get("proof", {})
    print(f"{name:20} {c['value'] / 1e9:9.4g} {c['low'] / 1e9:8.4g} {c['high'] / 1e9:8.4g} {other / 1e9:9.4g}"
          f" {other / c['value']:.3f} {p / 1e9:9.4g} {c['value'] / p if p else 0:7.3f}"
          f"  {seen.get('code', '-'):12} {seen.get('counters', '-')} {seen.get('flops_ratio', '')}"
          f" {seen.get('counters_text', '')[:60]}")
for m in missing:
    print(f"not measured: {m['name']}: {m['reason']}")
PY
