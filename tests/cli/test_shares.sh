#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What `roofline place` prints first: kernels by their share of the time, in the width that there is.
command=place
. "$top_srcdir/tests/cli/roofline_fixture.sh"
for name in h200 nasty; do
    "$plant" $name $name.json || exit 1
done
step=$(cd "$top_srcdir/tests/data/points" && pwd)/training-step.json

# row PATTERN OPTIONS...: a row of the table matches.
row() {
    pattern=$1
    shift
    "$roofline" place h200.json "$step" "$@" | tr -s ' ' | grep -q -e "$pattern"
}

# fits COLUMNS OPTIONS...: no line is wider, and some come near.
fits() {
    columns=$1
    shift
    "$roofline" place h200.json "$step" --width "$columns" "$@" >out || return 1
    awk -v most="$columns" '{ if (length > widest) widest = length }
        END { print widest; exit !(widest <= most && widest > most - 25) }' out
}

# 25 GB, of which 60 % are read, in 7.9 ms; of 37.1 ms that the GPU worked.
check "the longest first" \
    row '^bn_bw_1C11_kernel_new 7.9 ms 21.3 % 53 1.100 TFLOP/s HBM 7[0-9.]* % 2\.[0-9]* ms better'
check "no operations: bytes" row 'clamp_sc.* 2.3 ms 6.2 % 49 3913 GB/s HBM '
check "all that fit a screen" lacks '4 more' "$roofline" place h200.json "$step"
check "the total is the last" row '^total 35.48 ms 95.6 % 537 '
check "as many as asked for" row '^11 more' --top 3
check "all of them" lacks 'more    ' "$roofline" place h200.json "$step" --top 14
check "what it covers" shows 'the table covers 95.6 % of the 37.1 ms in which gpu0 worked, 58 % of the run' \
    h200.json "$step"
sed 's/"elapsed_s": 0.0612/"elapsed_s": 0.02/' "$step" >overlap.json
check "and that launches overlap" shows "177 % of the run's 20 ms: launches overlap" h200.json overlap.json
check "the state of the ceilings" shows 'ceilings: planted, 2026-11-21, valid' h200.json "$step"
check "and of bad ones" shows 'warning: the ceilings were measured on a disturbed machine: the clock fell' \
    nasty.json --force "$step"
check "instances of a template differ" row '^vector.*CUDAFunctor_ad.* 1.25 ms'
check "and kernels that differ behind 40 letters" row '^sm90.*\.\.tilesize64x64'
check "names in full" \
    row '^void cudnn::bn_bw_1C11_kernel_new<__half, float, float2, (int)512' --full-names
check "a warning that many share, once" \
    shows '5 of 14 kernels: warning: L2 moved 3e+03 times the bytes of L1: most likely the kernel loads by' \
    h200.json "$step"
for columns in 60 80 100 132 200; do
    check "$columns columns" fits $columns
done
check "without room beside, advice stands below" \
    shows 'move fewer bytes: block, fuse: vec' h200.json "$step" --width 90
check "Markdown" shows '| bn_bw_1C11_kernel_new | 7.9 ms | 21.3 % | 53 |' h200.json "$step" --output markdown
check "CSV in SI units" shows ',gpu0,0.0079,0.2129380054,53,1.1e+12,HBM,' h200.json "$step" --output csv
check "CSV has all kernels in full" prints 15 sh -c "'$roofline' place h200.json '$step' --output csv | wc -l"
check "JSON has share and headroom" shows '"share":0.21293800' h200.json "$step" --output json
check "details on request" shows '= HBM-bound at 7' h200.json "$step" --view hierarchical
printf '{"schema": "ert-points/1", "points": [{"name": "a"}, {"name": "b"}]}' >bare.json
check "no share without a time" prints 'total - -' sh -c "'$roofline' place h200.json bare.json | tr -s ' '"
check "one kernel: its details" shows '<- bounds' h200.json --flops 1e12 --bytes HBM=1e12 --seconds 1
check "a table too narrow" refuses 2 --width h200.json "$step" --width 20
check "an empty table" refuses 2 --top h200.json "$step" --top 0

# A kernel that has a remark twice is one kernel.
twice=$(printf '{"what": "int32 operations", "reason": "%s integer instructions are left out"}, ' 1e+07 2e+07)
printf '{"schema": "ert-points/1", "points": [{"name": "a", "time_s": 1, "missing": [%s]}, {"name": "b"}]}' \
    "${twice%, }" >twice.json
check "a remark counts kernels" shows '1 of 2 kernels: missing int32' h200.json twice.json

# More than 120 % of a roof is said once, with the worst of it.
"$roofline" place h200.json "$step" --output json >placed.json
sed 's/"time_s": 0.0079,/"time_s": 0.00079,/; s/"time_s": 0.0061,/"time_s": 0.00061,/' "$step" >fast.json
check "above a roof" shows '2 of 14 kernels: ' h200.json fast.json
check "and why" shows 'of the HBM roof: these ceilings are not of the device' h200.json fast.json
check "no headroom there" \
    prints ' - exceeds its roof' sh -c "'$roofline' place h200.json fast.json | tr -s ' '"

# The points of a placement can be read where points can.
check "a placement is placed" shows '95.6 % of the 37.1 ms' h200.json placed.json
check "and drawn" prints 'gpu0: p.svg' "$roofline" plot h200.json placed.json --out p.svg
done_testing
