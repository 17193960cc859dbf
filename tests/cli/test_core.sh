#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the core does by itself, with extensions beside it and without: it measures, fits, shows, places
# by hand and by points, and draws. Without extensions it says what it lacks.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert roofline=$top_builddir/analysis/roofline
ert=$(cd "${ert%/*}" && pwd)/ert roofline=$(cd "${roofline%/*}" && pwd)/roofline
points=$(cd "$top_srcdir" && pwd)/results/h200/gpp/points.json
h200=$(cd "$top_srcdir" && pwd)/results/h200/ceilings.json
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
ERT_FAKE=noise=0
export ERT_FAKE
same_ceilings() {
    for file in run/ceilings.json again.json; do
        "$ert" show "$file" | grep -E '^ *(fp64-fma|L1-load|DRAM-load) ' >"${file%%[/.]*}.txt"
    done
    [ "$(wc -l <run.txt)" -ge 3 ] && cmp run.txt again.txt
}

check "the fake machine is measured" gives 0 "$ert" run --device fake0 --out run
check "samples are fitted again" gives 0 "$ert" fit run/samples.json --out again.json
check "to the same ceilings" same_ceilings
check "a kernel is placed by hand" prints '<- bounds' \
    "$roofline" place run/ceilings.json --flops 1e9 --bytes DRAM=1e9r+1e8w --seconds 0.1
check "points.json is placed" prints 'v8' "$roofline" place "$h200" "$points"
check "and drawn" gives 0 "$roofline" plot "$h200" "$points" --out chart.svg
check "with its points" grep -q v8 chart.svg

if "$ert" --help | grep -q '^  verify'; then
    skip "what it lacks is said" "a build with extensions"
else
    check "no profile of other programs" answers 2 'this build reads no other profile' \
        "$roofline" place "$h200" "$top_srcdir/README.md"
    check "no page" answers 3 'this build makes no pages' "$roofline" plot "$h200" --out page.html
    check "no advice" lacks 'what to do' "$roofline" place "$h200" "$points"
    check "one view" answers 2 'there are: hierarchical' "$roofline" place "$h200" "$points" --view time
    check "no JSON" answers 3 'no JSON' "$roofline" place "$h200" "$points" --output json
    echo '{"schema": "ert-config/2", "sections": ["levels", "numa"]}' >numa.json
    check "no section" answers 2 "no section 'numa'; there are: levels, compute" \
        "$ert" run --config numa.json --out none
    check "no mode" answers 3 'this build has no mode for it' "$ert" run --ert-compatible --out none
fi
done_testing
