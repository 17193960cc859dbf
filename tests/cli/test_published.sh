#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The charts of results/published/eight-steps.md are what its script draws; the page shows each of them.
. "$top_srcdir/tests/tap.sh"
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.9"
    exit 0
fi
published=$top_srcdir/results/published
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

unshown() {
    for chart in "$scratch"/*.svg; do
        grep -qF "(eight-steps/${chart##*/})" "$published/eight-steps.md" || echo "${chart##*/}"
    done
}

check "the charts are drawn" python3 "$published/eight-steps.py" "$top_builddir/analysis/roofline" "$scratch"
check "as they are in the tree" diff -r "$published/eight-steps" "$scratch"
check "the page shows all of them" empty unshown
check "the roof of 58 % FMA is among them" grep -q '>FP64 58 % FMA 5.301 TFLOP/s<' "$scratch/trajectory.svg"
theory() {
    prints "fp64-fma         $1" "$top_builddir/ert/ert" show --peaks "$published/v100-8steps-ceilings.json"
}
check "theory at 1.312 GHz" theory 'base    6.717 TFLOP/s'
check "and at 1.53 GHz" theory 'boost   7.834 TFLOP/s'
done_testing
