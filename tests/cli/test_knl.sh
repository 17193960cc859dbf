#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert info on Knights Landing in its modes (unit/knl.h): what a user of such a
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

check "flat: both memories" info quad-flat-7210 "n_cores 64" "n_pus 256" \
    "kind DRAM, size_bytes 96 GiB, n_cores 64" "os_index 1, kind MCDRAM, size_bytes 16 GiB, n_cores 64" \
    "L2 cache 1 MiB 32" "MCDRAM memory 16 GiB 1"
check "cache: MCDRAM is a cache" info quad-cache-7250 "n_cores 68" "n_pus 272" \
    "MSC cache 16 GiB 1 16 GiB 64 B cached, hwloc, memory-side"
check "hybrid: MCDRAM is both" info quad-hybrid-7250 "MSC cache 8 GiB" "MCDRAM memory 8 GiB"
check "SNC-4: uneven quarters" info snc4-flat-7250 "os_index 5, kind MCDRAM, size_bytes 4 GiB, n_cores 18" \
    "os_index 3, kind DRAM, size_bytes 24 GiB, n_cores 16"

for file in "$place"/*.xml; do
    check "$(basename "$file") fits 100 columns" empty wide "$file"
done

# Nothing is measured by a file: its instruction sets are not this processor's.
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
