#!/bin/sh
# compare-likwid: our CPU ceilings beside Debian's likwid-bench, interleaved in one run: in each
# round all likwid kernels and one short `ert run`; medians over the rounds, ratios of medians.
# Usage: compare-likwid.sh ERT [ROUNDS]   (5; needs likwid-bench, python3; both threads of 2 cores)
set -eu
ert=$1
rounds=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# row, likwid kernel, working set in all, what is read
kernels='fp64-fma peakflops_avx512_fma 32kB MFlops
fp64-add peakflops_avx512 32kB MFlops
L1 load_avx512 32kB MByte
L1 copy_avx512 32kB MByte
L1 triad_avx512_fma 32kB MByte
L1 stream_avx512_fma 32kB MByte
L2 load_avx512 2MB MByte
L2 copy_avx512 2MB MByte
L2 update_avx512 2MB MByte
DRAM load_avx512 2GB MByte
DRAM update_avx512 2GB MByte
DRAM store_mem_avx512 2GB MByte'

round=0
while [ "$round" -lt "$rounds" ]; do
    echo "$kernels" | while read -r row kernel set unit; do
        rate=$(likwid-bench -t "$kernel" -w "S0:$set:2" 2>/dev/null |
            awk -v unit="$unit" '$1 == unit "/s:" { print $2 }')
        [ -n "$rate" ] && echo "$row $kernel $rate" >>"$work/likwid"
    done
    "$ert" run --device cpu --config "$here/compare-likwid.json" --out "$work/$round" >/dev/null 2>&1 || true
    round=$((round + 1))
done

python3 - "$work" "$rounds" <<'PYTHON'
import json, statistics, sys
work, rounds = sys.argv[1], int(sys.argv[2])
likwid, ours, clocks = {}, {}, {}
for line in open(work + "/likwid"):
    row, kernel, rate = line.split()
    likwid.setdefault(row, {}).setdefault(kernel, []).append(float(rate) * 1e6)
for r in range(rounds):
    device = json.load(open(f"{work}/{r}/ceilings.json"))["devices"][0]
    for c in device["compute"] + device["memory"]:
        row = c["name"] if c in device["compute"] else c["level"]
        value = c.get("value_flop_per_s") or c.get("value_bytes_per_s")
        ours.setdefault(row, {}).setdefault(c["name"], []).append(value)
        clocks.setdefault(c["name"], []).append(c["clock_hz"])
print("| ceiling | ert, best row | GB/s or GFLOP/s | likwid-bench, best kernel | GB/s or GFLOP/s | ratio |")
print("| --- | --- | --- | --- | --- | --- |")
for row in likwid:
    if row not in ours:
        continue
    best = max(ours[row], key=lambda k: statistics.median(ours[row][k]))
    peer = max(likwid[row], key=lambda k: statistics.median(likwid[row][k]))
    a, b = statistics.median(ours[row][best]), statistics.median(likwid[row][peer])
    print(f"| {row} | {best} | {a / 1e9:.1f} | {peer} | {b / 1e9:.1f} | {a / b:.3f} |")
for name in sorted(n for n in clocks if n.startswith("L1-2:1")):
    rate, hz = statistics.median(ours["L1"][name]), statistics.median(clocks[name])
    print(f"\n{name}: {rate / 1e9:.1f} GB/s at {hz / 1e9:.3f} GHz held: {rate / hz / 2:.1f} of 192 "
          f"byte per clock and core, {rate / hz / 2 / 192:.3f}")
PYTHON
