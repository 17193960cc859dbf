#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline place as its users type it: by hand, from files, each output, and what it refuses.
command=place
. "$top_srcdir/tests/cli/roofline_fixture.sh"
published=$top_srcdir/results/published
published=$(cd "$published" && pwd)

for name in h200 both; do
    "$plant" $name $name.json || exit 1
done
hand="--flops 4e12 --bytes L1=12e12,L2=6e12,HBM=3e12 --seconds 1"

# row PATTERN OPTIONS...: a row of the table matches.
row() {
    pattern=$1
    shift
    "$roofline" place "$@" | grep -q -e "$pattern"
}

check "by hand" shows 'L2-bound at 67 %' h200.json $hand
check "intensity" shows '1.333' h200.json $hand
check "a name" shows 'stencil: 1 s, 4.000 TFLOP/s, attainable 5.933 TFLOP/s' h200.json $hand --name stencil
check "FMA share" shows 'FP64 FMA 58 %' h200.json $hand --fma-share 0.58
check "sizes" shows '1.074 GB/s' h200.json --bytes HBM=1GiB --seconds 1
# whose AVX2 has 0.5 % more in FMAs alone
genoa=$top_srcdir/results/epyc-genoa-vm/ceilings.json
check "the fastest unit of a mixture" shows '140.0 GFLOP/s  147.7 GFLOP/s' "$genoa" --flops 140e9 --seconds 1
check "and without FMA" shows '  116.4 GFLOP/s' "$genoa" --flops 1e11 --seconds 1 --fma-share 0
check "another type" shows 'FP32' h200.json --flops 1e12 --type fp32 --seconds 1
check "a type without a roof" shows 'no roof: the device has no ceiling of fp16 tensor' \
    h200.json --flops 1e12 --type fp16 --unit tensor --seconds 1
check "a unit without operations by hand" refuses 2 'requires --flops, --bytes or both' \
    h200.json "$published/v100-gpp-nw.json" --force --unit tensor
check "a type, too" refuses 2 'requires --flops' h200.json "$published/v100-gpp-nw.json" --force --type fp32
check "actual traffic without bytes" refuses 2 'requires --flops' \
    h200.json "$published/v100-gpp-nw.json" --force --actual
if command -v script >/dev/null; then
    narrow() {
        script -qec "stty cols 40; '$roofline' place '$published/v100-ceilings.json' \
            '$published/v100-gpp-nw.json' --view shares" /dev/null >narrow.out </dev/null
        "$roofline" place "$published/v100-ceilings.json" "$published/v100-gpp-nw.json" --view shares \
            --width 50 >fifty.out
        tr -d '\r' <narrow.out | cmp - fifty.out
    }
    check "a narrow terminal has the least width" narrow
else
    skip "a narrow terminal has the least width" "no script (util-linux)"
fi
check "a level that is not there" refuses 2 '--bytes: gpu0 has no level L3; there are: L1, shared, L2, HBM' \
    h200.json --bytes L3=1e9 --seconds 1
for number in 0x10 inf nan ' 1' 1e 1e999 '1 2' 1,5 --1; do
    check "'$number' is no number of seconds" refuses 2 "is not a number" \
        h200.json --flops 1e12 --seconds="$number"
done
check "a CPU without HBM" refuses 2 'cpu has no level HBM; there are: L1, L2, L3, DRAM' \
    both.json --device cpu --bytes HBM=1e9 --seconds 1
check "a level without a roof" shows 'no roof: the device has no ceiling of host' \
    h200.json --bytes host=1e9 --seconds 1

h200=$top_srcdir/results/h200/ceilings.json
if [ -f "$h200" ]; then
    check "copies to a GPU" row 'host to GPU .* 55.[0-9]* GB/s .* 7[0-9.]* %' \
        "$h200" --bytes host=4e10r --seconds 1
    check "what helps them" shows 'copy from and to pinned memory' "$h200" --bytes host=4e10r --seconds 1
    check "slow ones" shows 'copy from and to pinned memory' "$h200" --bytes host=1e9r --seconds 1
    check "that are at their roof" shows 'keep data on the GPU' "$h200" --bytes host=5.4e10r --seconds 1
else
    skip "copies to a GPU" "no results in this tree"
fi

# HBM of the planted H200: load 4620, copy 4280 GB/s; a quarter written: 1 / (0.5/4620 + 0.5/4280)
check "all read" row 'HBM load .* 4620 GB/s .* 86.6 %' h200.json --bytes HBM=4e12r --seconds 1
echo '{"schema": "ert-points/1", "points": [{"name": "k", "time_s": 1, "values": {"memory_now": 0.9},
    "bytes": [{"level": "HBM", "count": 4e12, "read": 4e12}]}]}' >beside.json
check "under the memory's rate beside the run" row 'HBM load .* 4158 GB/s .* 4620 GB/s .* 96.2 %' \
    h200.json beside.json --view hierarchical
check "half read" row 'HBM copy .* 4280 GB/s .* 93.5 %' h200.json --bytes HBM=2e12w+2e12r --seconds 1
check "three quarters read" row 'HBM 75 % reads .* 4444 GB/s' h200.json --bytes HBM=3e12r+1e12w --seconds 1
check "how it was made" shows 'between copy (50 %) and load (100 %)' \
    h200.json --bytes HBM=3e12r+1e12w --seconds 1
check "not known apart" row 'HBM copy .. load .* 4280 .. 4620 GB/s .* 86.6 .. 93.5 %' \
    h200.json --bytes HBM=4e12 --seconds 1
check "a share for all" shows 'HBM 75 % reads' h200.json --bytes HBM=4e12 --seconds 1 --read-share 0.75
check "the share of the bytes goes before" shows 'HBM load' \
    h200.json --bytes HBM=4e12r --seconds 1 --read-share 0.5
check "a band as CSV" shows ',4.62e+12,4.62e+12,0.8658008658,4.28e+12,0.9345794393,,yes,' \
    h200.json --bytes HBM=4e12 --seconds 1 --view hierarchical --output csv
check "a band as JSON" shows '"value_low":4280000000000' h200.json --bytes HBM=4e12 --seconds 1 --output json
check "r and w once each" refuses 2 'one SIZEr and one SIZEw' h200.json --bytes HBM=1e9r+1e9r
check "no letter" refuses 2 'one SIZEr and one SIZEw' h200.json --bytes HBM=1e9r+1e9
check "nothing behind the plus" refuses 2 'one SIZEr and one SIZEw' h200.json --bytes HBM=1e9r+
check "an exponent's plus" shows '1.000 GB/s' h200.json --bytes HBM=1e+9r --seconds 1
check "a share above 1" refuses 2 --read-share h200.json $hand --read-share 1.5

# Of the recorded Xeon: copies move 3 bytes for 2, in place 1; stores that stream are another code.
xeon=$(cd "$top_srcdir/results/xeon-spr-vm" && pwd)/ceilings.json
check "useful bytes" row 'DRAM copy .. update .* 27.34 .. 56.40 GB/s' $xeon --bytes DRAM=1e9r+1e9w --seconds 1
check "bytes that moved" row 'DRAM copy .* 41.01 GB/s' $xeon --bytes DRAM=2e9r+1e9w --actual --seconds 1
check "a read stream" row 'DRAM load .* 30.23 GB/s .* 99.2 %' $xeon --bytes DRAM=30e9r --seconds 1
check "ordinary stores" row 'DRAM store .* 19.29 GB/s' $xeon --bytes DRAM=1e9w --seconds 1
printf '{"schema": "ert-points/1", "points": [{"name": "a", "time_s": 1,
    "bytes": [{"level": "DRAM", "count": 1e9, "read": 0, "streaming": true}]}]}' >streaming.json
check "stores that the profile knows to stream" row 'DRAM store-nt .* 48.91 GB/s' $xeon streaming.json
check "stores that stream" row 'DRAM store-nt .* 48.91 GB/s' $xeon --bytes DRAM=1e9w --streaming --seconds 1

ncu=$(cd "$top_srcdir/tests/data/ncu" && pwd)/h200-full-raw.csv
check "a GPU's profile, a CPU's roofs" refuses 2 'is from a GPU, the ceilings of cpu from a CPU; --force' \
    $xeon "$ncu"
printf '"Kernel Name","Metric Name","Metric Unit","Metric Value"\n"k","dram__bytes.sum","byte","9"\n' \
    >no-cc.csv
check "a stated compute capability" shows 'counts: Nsight Compute, cc 7.0' h200.json no-cc.csv --cc 7.0
check "is a number" refuses 2 '--cc' h200.json no-cc.csv --cc sm_70
check "forced" shows 'warning: the profile is from a GPU, the ceilings from a CPU' $xeon "$ncu" --force
runs=$top_srcdir/../shared/data/cases/ncu-one-metric-per-run.csv
if [ -f "$runs" ]; then # 4 Mflop (1 + 1 + 2 x 1), 100 MB in 1 ms
    check "runs of one metric each are joined" shows 'k: 1 ms, 4.000 GFLOP/s' h200.json "$runs"
    check "and bound" row 'HBM .* 0.04000 .* 100.0 GB/s .* <- bounds' h200.json "$runs"
else
    skip "runs of one metric each" "no ../shared/data/cases beside the checkout"
fi
check "above a roof" shows 'warning: 145.4 % of the HBM roof: these ceilings are not of the device' \
    h200.json --bytes HBM=6.75e12r --seconds 1
check "not so far above" lacks warning "$roofline" place \
    h200.json --bytes HBM=5.5e12r --seconds 1
"$plant" nasty nasty.json
check "a disturbed machine" shows \
    'warning: the ceilings were measured on a disturbed machine: the clock fell' \
    nasty.json --flops 1e9 --seconds 1
check "and as CSV" shows 'measured on a disturbed machine' nasty.json --flops 1e9 --seconds 1 --output csv
check "and as JSON" shows '"valid": false' nasty.json --flops 1e9 --seconds 1 --output json
check "no time" shows 'missing time: no time was given' h200.json --flops 1e12
check "beyond the roof" shows 'which is impossible' h200.json --bytes HBM=9e12 --seconds 1
check "intensities in the wrong order" shows 'warning: HBM moved 3 times the bytes of L2' \
    h200.json --bytes HBM=3e12,L2=1e12 --seconds 1

for view in hierarchical cache-aware time instructions energy; do
    check "view $view" shows ", $view: " h200.json $hand --view $view
done
# 1 / (1 / 59.919e9 + 1 / 7.4751e9 / 2 - 120 / 33.386e12) flop/J
sed 's/"name":"HBM-latency"/"power":{"power_w":120},&/' "$top_srcdir/results/h200/ceilings.json" >watts.json
check "energy with the constant power" row 'HBM, then fp64 .* 12.5 GFLOP/J' \
    watts.json --flops 2e12 --bytes HBM=1e12 --seconds 1 --view energy
check "clock by number" shows 'roofs at 990.0 MHz (as measured: 1.980 GHz)' \
    h200.json $hand --clock 0.99e9
check "both clocks in the table" shows '16.65 TFLOP/s  33.30 TFLOP/s' h200.json $hand --clock 0.99e9
check "concurrency that was not measured" shows 'since not measured by their number' \
    h200.json $hand --concurrency 8

check "markdown" shows '| L1 load | 0.3333 |' h200.json $hand --output markdown
check "markdown has the advice" shows '- L2-bound' h200.json $hand --output markdown
check "CSV" shows 'by hand,,gpu0,1980000000,L2 load,byte/s,0.6666666667,6e+12,8.9e+12' \
    h200.json $hand --view hierarchical --output csv
check "CSV has what is missing" shows 'missing time: no time was given' \
    h200.json --flops 1e12 --output csv
check "JSON" shows '"schema": "ert-placement/2"' h200.json $hand --output json
check "to a file" quiet "$roofline" place h200.json $hand --out place.txt
check "the file is whole" prints 'L2-bound at 67 %' cat place.txt
check "no folder for the file" refuses 1 no-such h200.json $hand --out no-such/place.txt

v100="$published/v100-ceilings.json $published/v100-gpp-nw.json"
check "points of a file" shows 'GPP nw=6 (V100)' $v100
check "bound by HBM" shows 'HBM-bound at 97 %' $v100 --kernel nw=1
check "one kernel" lacks nw=2 "$roofline" place $v100 --kernel nw=1
check "several files" shows 'STREAM' $v100 "$published/knl-points.json"
check "a file and a point by hand" row '^mine ' $v100 --flops 1e12 --seconds 1 --name mine
check "no such kernel" refuses 2 "no kernel with 'nw=9'" $v100 --kernel nw=9

check "a device of several" shows 'cpu, Intel' both.json --flops 1e9 --device cpu
check "which of several" refuses 2 'choose one with --device; there are: gpu0, cpu' \
    both.json --flops 1e9
check "unknown device" refuses 2 'there are: gpu0, cpu' both.json --flops 1e9 --device gpu3
check "no ceilings" refuses 2 'no ceilings file given'
check "nothing to place" refuses 2 'no profile given' h200.json
check "missing profile" refuses 2 missing.json h200.json missing.json
check "ceilings twice" refuses 2 'contains ceilings, not a profile' h200.json h200.json
: >empty.csv
check "an empty profile" refuses 2 'empty.csv: is empty' h200.json empty.csv
check "empty ceilings" refuses 2 'empty.csv: is empty' empty.csv $hand
check "ceilings from a pipe" sh -c 'cat h200.json |
    "$top_builddir/analysis/roofline" place /dev/stdin --flops 1e9 --bytes HBM=1e9 --seconds 1 |
    grep -q "NVIDIA H200"'
check "points from a pipe" sh -c 'cat "$top_srcdir/results/published/v100-gpp-nw.json" |
    "$top_builddir/analysis/roofline" place h200.json /dev/stdin 2>&1 |
    grep -q "a pipe: points.json must be a file"'
python3 -c 'import json, sys
points = json.load(open(sys.argv[1]))
points["about"] = 70000 * "x"
json.dump(points, open("sorted.json", "w"), sort_keys=True)' \
    "$top_srcdir/results/published/v100-gpp-nw.json" 2>/dev/null &&
    check "points whose schema stands last" refuses 0 'GPP nw=1' h200.json sorted.json
echo '{"a": 1}' >other.json
check "other JSON" refuses 2 'other.json: not a ceilings.json; `ert run` makes one' other.json $hand
check "not a profile" refuses 2 'unrecognised format' h200.json other.json
check "swapped files" refuses 2 'contains points of a profile; give the ceilings first' \
    "$published/v100-gpp-nw.json" h200.json
for kind in svg html; do
    check "drawn as $kind" shows 'L2-bound at 67 %' h200.json $hand --out hand.$kind
    check "with its point ($kind)" prints 'by hand' cat hand.$kind
    check "and by plot ($kind)" quiet "$roofline" plot h200.json $hand --out plot.$kind
    check "the same ($kind)" cmp hand.$kind plot.$kind
done
check "an unknown format" refuses 2 "no format 'tau'" h200.json missing.json --format tau
cat >versions.json <<'END'
{"schema": "ert-points/1", "origin": "by hand", "points": [
 {"name": "v0", "run": "a", "time_s": 4, "interval_s": [3.8, 4.2],
  "flops": [{"type": "fp64", "unit": "core", "count": 8e12, "fma_share": 0.6}],
  "bytes": [{"level": "HBM", "count": 4e12}]},
 {"name": "v0", "run": "b", "time_s": 9, "bytes": [{"level": "L2", "count": 1e12}]},
 {"name": "v1", "run": "a", "time_s": 2, "bytes": [{"level": "HBM", "count": 4e12}]},
 {"name": "v2", "run": "a", "time_s": 1,
  "flops": [{"type": "fp64", "unit": "core", "count": 4e12, "fma_share": 0}]}]}
END
summary() {
    "$roofline" place h200.json versions.json --view summary "$@"
}
check "a summary" prints 'kernel  run  time  +- %  speed-up  step' summary
check "its head" prints 'counts: by hand' summary
check "the first version" row '^v0 *a *4 s *5.0 *1.00 *- *2.000 TFLOP/s *8e+12 *60.0 *2 ' \
    h200.json versions.json --view summary
check "the second of its run" row '^v1 *a *2 s *- *2.00 *2.00 *- .*  HBM *43.3$' \
    h200.json versions.json --view summary
check "the last of it" row '^v2 *a *1 s *- *4.00 *2.00 *4.000 TFLOP/s ' h200.json versions.json --view summary
check "a run of its own" row '^v0 *b *9 s *- *1.00 *- ' h200.json versions.json --view summary
check "as Markdown" prints '| v2 | a | 1 s | - | 4.00 | 2.00 |' summary --output markdown
check "as CSV" prints 'v2,a,1,,4,2,' summary --output csv
check "as JSON, as any view" prints '"schema": "ert-placement/2"' summary --output json
library=$top_srcdir/results/h200/library-ceilings.json
if [ -f "$library" ]; then
    check "a product is held against the library's, too" prints "best matrix product has 687.5 TFLOP/s" \
        "$roofline" place "$library" --flops 6e14 --type bf16 --unit tensor --seconds 1
    check "other code is not" lacks "matrix product" \
        "$roofline" place "$library" --flops 6e13 --type fp32 --seconds 1
fi
check "a bad view" refuses 2 cache-aware h200.json $hand --view polar
check "a bad clock" refuses 2 "--clock: 'fast', must be code, sweep or a number above 0" \
    h200.json $hand --clock fast
check "a clock of 0" refuses 2 --clock h200.json $hand --clock 0
check "a bad concurrency" refuses 2 'code, all or a number' h200.json $hand --concurrency few
check "bytes of no level" refuses 2 "'1e9', must be LEVEL=SIZE" h200.json --bytes 1e9
check "bytes of no size" refuses 2 'must be LEVEL=SIZE' h200.json --bytes L2=
check "bytes that are no size" refuses 2 "'lots': not a size" h200.json --bytes L2=lots
check "bytes twice" refuses 2 'L2 appears twice' h200.json --bytes L2=1,L2=2
check "a comma too many" refuses 2 'must be LEVEL=SIZE' h200.json --bytes L2=1,
check "a share above 1" refuses 2 --fma-share h200.json $hand --fma-share 1.5
check "beyond a band's both ends" shows '635.6 .. 699.4 %' "$top_srcdir/results/h200/ceilings.json" \
    --flops 4e12 --bytes HBM=3e13 --seconds 1
check "a file's ending is the form" gives 0 "$roofline" place h200.json --flops 1e12 --out form.CSV
check "CSV" grep -q '^kernel,' form.CSV
check "a long type" refuses 2 'longer than any' h200.json --flops 1 --type fp64fp64fp64
check "by hand of nothing" refuses 2 'requires --flops, --bytes or both' h200.json --seconds 1

if [ -w /dev/full ]; then
    full_output() {
        "$roofline" place h200.json $hand >/dev/full
    }
    check "a full disk" gives 1 quiet full_output
else
    skip "a full disk" "no /dev/full"
fi
done_testing
