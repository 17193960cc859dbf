#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline plot with profiled points, and all kinds of files.
command=plot
. "$top_srcdir/tests/cli/roofline_fixture.sh"
cp "$top_srcdir/tests/data/points/gpp-v100.json" "$scratch/gpp.json" || exit 1

# starts FILE BYTES: a file begins with these.
starts() {
    [ "$(head -c "${#2}" "$1" | tr -d '\000')" = "$2" ]
}

# again FILE: the same words give the same bytes, a second later.
again() {
    cp "$1" before && sleep 1.1 && quiet "$roofline" plot h200.json gpp.json --out "$1" &&
        cmp before "$1"
}

# drawn TEXT FILE...: the chart of the files and options has the text.
drawn() {
    text=$1 && shift
    quiet "$roofline" plot "$@" --out drawn.svg && grep -qF -e "$text" drawn.svg
}

# undrawn TEXT FILE...: it lacks the text.
undrawn() {
    text=$1 && shift
    quiet "$roofline" plot "$@" --out drawn.svg && ! grep -qF -e "$text" drawn.svg
}

for name in h200 xeon both; do
    "$plant" $name $name.json || exit 1
done
real=$top_srcdir/results/h200/ceilings.json
sed '/"name": *"HBM-load"/s/"low": *[0-9]*/"low": 2e12/' "$real" >wide.json
cat >bars.json <<'POINTS'
{"schema": "ert-points/1", "points": [{"name": "a", "time_s": 1, "interval_s": [0.5, 2], "flops": [
 {"type": "fp64", "unit": "core", "count": 1e12, "fma_share": 1}],
 "bytes": [{"level": "HBM", "count": 1e12}]},
 {"name": "copies", "time_s": 1, "bytes": [{"level": "HBM", "count": 1e12}]}]}
POINTS
sed 's/"interval_s": \[0.5, 2\], //' bars.json >plain.json

# areas N FILE...: how many intervals are drawn; lines_more N FILE FILE: how many lines the first has more.
areas() {
    n=$1 && shift
    quiet "$roofline" plot "$@" --out drawn.svg && [ "$(grep -c 'polygon.*opacity' drawn.svg)" -eq "$n" ]
}
lines_more() {
    quiet "$roofline" plot "$real" "$2" --out a.svg && quiet "$roofline" plot "$real" "$3" --out b.svg &&
        [ $(($(grep -c '<line' a.svg) - $(grep -c '<line' b.svg))) -eq "$1" ]
}

check "points of a GPU under a CPU" refuses 2 'is from a GPU, the ceilings of cpu from a CPU' \
    "$top_srcdir/results/epyc-genoa-vm/ceilings.json" "$top_srcdir/results/h200/gpp/points.json" --out a.svg
check "or by force" drawn 'v0 at L1' "$top_srcdir/results/epyc-genoa-vm/ceilings.json" \
    "$top_srcdir/results/h200/gpp/points.json" --force
# 221.05e9 instructions of 0.3667 s, and 392.86e9 bytes of HBM in sectors of 32
study="$top_srcdir/results/h200/ceilings.json $top_srcdir/results/h200/gpp/points.json"
check "instructions" drawn 'v0 at HBM 18.01 inst/txn, 602.8 Ginst/s' $study --view instructions
check "and their roofs" drawn 'HBM load 147.5 Gtxn/s' $study --view instructions
check "cache-aware" drawn 'v0 at the cores 1.829 FLOP/byte' $study --view cache-aware
turin=$top_srcdir/results/epyc-turin-vm
check "points of fewer threads than the roofs" \
    drawn ', roofs of 2 threads, a point of 1' "$turin/ceilings.json" "$turin/examples/stencil/points.json"
check "of a GPU it is not said" undrawn ', roofs of ' "$real" "$top_srcdir/results/h200/gpp/points.json"
# a bound of 1e12 / 4.72e12 s
check "time" drawn 'a at the bound 0.2119 s, 1.000 s' "$real" bars.json --view time
check "time is of points" refuses 2 'of points: none is given' "$real" --view time --out a.svg
check "a level is of points" refuses 2 "level is of points" "$real" --level L2 --out a.svg
check "a name is of points" refuses 2 "kernel is of points" "$real" --kernel L2 --out a.svg
check "energy" drawn 'FP64 FMA 59.92 GFLOP/J' $study --view energy
check "a point without energy" drawn '0 of 17 points: the others lack a time or counts' $study --view energy
check "points" drawn 'points at HBM' h200.json gpp.json
check "the mix of the points" drawn 'FP64 58 % FMA 26.31 TFLOP/s' h200.json gpp.json
check "points without bytes are counted" \
    drawn 'points: the others lack a time or counts' h200.json gpp.json
check "and named, with the reason" shows 'gpu0: not drawn, no operations: copies' "$real" bars.json \
    --out a.svg
eight=$top_srcdir/results/published/v100-8steps
check "the roof of a mix is none of the ceilings" lacks 'more ceilings' "$roofline" plot \
    "$eight-ceilings.json" "$eight.json" --out a.svg
check "a close interval is in its line" areas 0 "$real" --type fp64
check "a wide one is an area" areas 1 wide.json --type fp64
check "reads of unknown share: the bound is an area" areas 1 "$real" plain.json
check "an interval of time is a bar with two ends" lines_more 3 bars.json plain.json
check "profiles and ceilings in any order" drawn '>v4<' gpp.json h200.json
check "the device that has the levels" shows 'gpu0: a.svg' both.json gpp.json --out a.svg
check "one file for one device" test -e a.svg -a ! -e a-cpu.svg
check "the longest" drawn 'The longest 1 of ' h200.json gpp.json --points 1
check "too many points" refuses 2 '101' h200.json gpp.json --points 101 --out a.svg
check "one level" drawn 'points at HBM' h200.json gpp.json --level HBM
check "no such level" refuses 2 'there are: L1, shared, L2, HBM' h200.json gpp.json --level L3 \
    --out a.svg
check "a type" drawn 'FP32 FMA 65.20' h200.json --type fp32
check "all of it: tensor, FMA and no FMA" drawn 'BF16 tensor 891.9 TFLOP/s' "$real" --type bf16
check "and no other" undrawn 'FP64 FMA' "$real" --type bf16
check "operations of integers" drawn 'Performance [OP/s]' "$real" --type int8
check "by default as high as the summary of a run" drawn 'BF16 tensor 891.9 TFLOP/s' "$real"
sed 's/"type": "fp64"/"type": "bf16"/; s/"unit": "core"/"unit": "tensor"/' bars.json >bf16.json
check "the unit that a point names" drawn 'BF16 tensor' "$real" bf16.json
check "without the others" undrawn 'FP64 FMA' "$real" bf16.json
check "no such type" refuses 2 'there are: fp64, fp32, all' h200.json --type fp8 --out a.svg
check "a trajectory" drawn 'si214' h200.json gpp.json --trajectory
check "a title" drawn 'Eight steps' h200.json gpp.json --trajectory --title 'Eight steps'
check "one kernel" undrawn 'v0' h200.json gpp.json --kernel v4
check "no such kernel" refuses 2 "no point with 'v99' in its name" h200.json gpp.json --kernel v99 \
    --out a.svg
check "over its runs" drawn '>v4<' h200.json gpp.json --kernel v4 --over-runs
check "two machines" refuses 2 'a second ceilings file: a chart has one machine' h200.json xeon.json \
    --out b.svg
check "no file for it" refuses 2 'no --out FILE.svg' h200.json
check "no ceilings" refuses 2 'none of the 2 files' gpp.json gpp.json --out a.svg
check "no profile" refuses 2 'unrecognised format' h200.json "$top_srcdir/configure.ac" --out a.svg

check "an unknown extension" refuses 2 'must be one of .svg, .png, .pdf, .html' h200.json --out a.jpg
check "no extension" refuses 2 "extension ''" h200.json --out a
check "SVG" shows 'gpu0: c.svg' h200.json gpp.json --out c.svg
check "SVG is the same again" again c.svg
if quiet "$roofline" plot h200.json --out try.png; then
    check "PNG" shows 'gpu0: c.png' h200.json gpp.json --out c.png
    check "PNG is PNG" test "$(od -An -tx1 -N8 c.png | tr -d ' ')" = 89504e470d0a1a0a
    check "PNG is 1920 wide" test "$(od -An -tx1 -j16 -N4 c.png | tr -d ' ')" = 00000780
    check "PNG is the same again" again c.png
    check "PDF" shows 'gpu0: c.pdf' h200.json gpp.json --out c.pdf
    check "PDF is PDF" starts c.pdf '%PDF-1.'
    check "PDF is the same again" again c.pdf
    check "a file per device" shows 'cpu: d-cpu.pdf' both.json --out d.pdf
else
    check "no Cairo is told" refuses 3 airo h200.json --out try.png
    skip "PNG and PDF" "built without Cairo"
fi
done_testing
