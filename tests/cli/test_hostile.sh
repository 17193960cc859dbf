#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Hostile texts in all that is read, against all that is written: hostile.py says how.
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
python3 "$top_srcdir/tests/cli/hostile.py" "$top_builddir/ert/ert" "$top_builddir/analysis/roofline" \
    "$top_builddir/tests/unit/plant_ceilings" "$top_srcdir"
