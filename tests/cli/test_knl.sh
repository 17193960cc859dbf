#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert info and ert run --dry-run on Knights Landing in its modes (unit/knl.h): what a user of such a
# node reads. The numbers are tested in unit/test_knl and test_knl_plan.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
unset HWLOC_SYNTHETIC
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT
"$top_builddir/tests/unit/plant_knl" "$place" || exit 1

# info NAME WORDS...: each of the words stands in the machine's info, runs of blanks as one.
info() {
    text=$(HWLOC_XMLFILE="$place/$1.xml" "$ert" info --device cpu) || return 1
    holds "$@"
}

# plan NAME WORDS...: the same of its plan.
plan() {
    # A build for another architecture has no kernels to plan for this one.
    [ "$(uname -m)" = x86_64 ] || return 0
    text=$(HWLOC_XMLFILE="$place/$1.xml" "$ert" run --dry-run --device cpu --full) || return 1
    holds "$@"
}

holds() {
    text=$(echo "$text" | tr -s ' ')
    shift
    for words; do
        case $text in
        *"$words"*) ;;
        *)
            echo "'$words' is not in: $text"
            return 1
            ;;
        esac
    done
}

wide() {
    HWLOC_XMLFILE=$1 "$ert" info --device cpu | awk 'length > 100'
}

check "flat: both memories" info quad-flat-7210 "64 cores, 256 PUs (4 per core)" \
    "1 x DRAM, 96 GiB, local to 64 cores (P#0)" "1 x MCDRAM, 16 GiB, local to 64 cores (P#1)" \
    "cluster Quadrant, memory Flat" "L2 cache 1 MiB 32" "MCDRAM memory 16 GiB 1" \
    "fp64-fma avx 2.253 TFLOP/s 64 cores x 2 units x 8 lanes x 2 flop x 1.100 GHz"
check "cache: MCDRAM is a cache" info quad-cache-7250 "68 cores, 272 PUs" \
    "cluster Quadrant, memory Cache" "MCDRAM cache 16 GiB 1 16 GiB 64 B cached, hwloc, memory-side"
check "hybrid: MCDRAM is both" info quad-hybrid-7250 "MCDRAM-cache cache 8 GiB" \
    "MCDRAM memory 8 GiB" "memory Hybrid50"
check "SNC-4: uneven quarters" info snc4-flat-7250 "cluster SNC4" \
    "2 x MCDRAM, 4 GiB each, local to 18 cores (P#4,5)" \
    "2 x DRAM, 24 GiB each, local to 16 cores (P#2,3)"

check "flat: the plan" plan quad-flat-7210 "threads: 64 on 64 cores of 256 hardware threads" \
    "load cached 124 points, sets of 128 KiB to 128 MiB, avx512" \
    "sets of 128 MiB, avx512 ascending x4, in MCDRAM" \
    "chase cached 1 point, sets of 4 MiB, 1 thread, in MCDRAM" \
    "package 0 in MCDRAM of node 1"
check "cache: the plan" plan quad-cache-7250 "threads: 68 on 68 cores of 272 hardware threads" \
    "sets of 136 KiB to 24 GiB"
check "SNC-4: the plan" plan snc4-flat-7290 "threads: 72 on 72 cores of 288 hardware threads" \
    "sets of 144 MiB, avx512 ascending x4, in MCDRAM" "package 0 in MCDRAM of node 7"
check "SNC-2: the plan" plan snc2-flat-7210 "ascending x4, in MCDRAM"
# A real one, of which hwloc knew neither memory kinds nor sizes.
cp "$top_srcdir/tests/data/topologies/knl-7210.xml" "$place/real-7210.xml"
check "no memory is guessed" plan real-7210 "threads: 64 on 64 cores of 256 hardware threads" \
    "load cached 124 points, sets of 128 KiB to 128 MiB, avx512"
for file in "$place"/*.xml; do
    check "$(basename "$file") fits 100 columns" empty wide "$file"
done

# The plan may be of a file, a measurement not: its instruction sets are not this processor's.
HWLOC_XMLFILE=$place/quad-flat-7210.xml
export HWLOC_XMLFILE
check "nothing is measured by a file" gives 3 "$ert" run --device cpu --quick --out "$place/out"
check "and nothing written" test ! -e "$place/out"
unset HWLOC_XMLFILE

# The planted machine with MCDRAM beside DRAM: both are ceilings, and are verified where they are.
ERT_FAKE=mcdram=1
export ERT_FAKE
quiet() {
    "$@" >/dev/null 2>&1
}
check "MCDRAM is measured" gives 0 quiet "$ert" run --device fake0 --repeat 2 --out "$place/fake"
check "MCDRAM is a ceiling" prints "MCDRAM-load" "$ert" show "$place/fake/ceilings.json"
check "MCDRAM is drawn" grep -q "MCDRAM" "$place/fake/roofline.svg"
check "both are verified" gives 0 quiet "$ert" verify "$place/fake/ceilings.json"
check "one by one" prints "MCDRAM-latency" "$ert" verify "$place/fake/ceilings.json" --all
check "DRAM's roof beside it" prints "DRAM-load" "$ert" show "$place/fake/ceilings.json"
done_testing
