#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# MCDRAM beside DRAM, as on Knights Landing: measured, drawn and verified on the planted machine. What is
# discovered and planned of Knights Landing itself: unit/test_knl and test_knl_plan.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
place=$(mktemp -d) || exit 1
trap 'rm -rf "$place"' EXIT

# Nothing is measured by a file: its instruction sets are not this processor's.
HWLOC_XMLFILE=$top_srcdir/tests/data/topologies/knl-7210.xml
export HWLOC_XMLFILE
check "nothing is measured by a file" gives 3 "$ert" run --device cpu --quick --out "$place/out"
check "and nothing written" test ! -e "$place/out"
unset HWLOC_XMLFILE

ERT_FAKE=mcdram=1
export ERT_FAKE
check "MCDRAM is measured" gives 0 quiet "$ert" run --device fake0 --repeat 2 --out "$place/fake"
check "MCDRAM is a ceiling" prints "MCDRAM-load" "$ert" show "$place/fake/ceilings.json"
check "MCDRAM is drawn" grep -q "MCDRAM" "$place/fake/roofline.svg"
check "both are verified" gives 0 quiet "$ert" verify "$place/fake/ceilings.json"
check "one by one" prints "MCDRAM-latency" "$ert" verify "$place/fake/ceilings.json" --all
check "DRAM's roof beside it" prints "DRAM-load" "$ert" show "$place/fake/ceilings.json"
done_testing
