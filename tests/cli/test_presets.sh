#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert run --config NAME: presets by name in the build tree and beside an installed program, files, and
# names that are neither. What is in the presets: unit/test_presets.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
unset HWLOC_XMLFILE HWLOC_SYNTHETIC
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# plans PROGRAM NAME: the preset plans something for the planted machine.
plans() {
    prints "points, about" "$1" run --device fake --config "$2" --dry-run
}

for file in "$top_srcdir"/configs/*.json; do
    name=$(basename "$file" .json)
    case $name in
    knl) ;; # pins AVX-512, which the planted machine does not know
    *) check "$name by name" plans "$ert" "$name" ;;
    esac
done
check "a preset by its file" plans "$ert" "$top_srcdir/configs/xeon.json"
cp "$top_srcdir/configs/quick.json" "$work/knl"
check "a file here goes before a preset" plans "$ert" knl
rm "$work/knl"

installed() {
    mkdir -p "$work/usr/bin" "$work/usr/share/ert/configs" &&
        cp "$ert" "$work/usr/bin/ert" &&
        cp "$top_srcdir/configs/xeon.json" "$work/usr/share/ert/configs/site.json" &&
        plans "$work/usr/bin/ert" site
}
check "an installed preset" installed
check "installed presets alone are listed" answers 2 "is neither a file nor a preset; presets: site" \
    "$work/usr/bin/ert" run --device fake --config none

check "an unknown name is a usage error" gives 2 quiet "$ert" run --device fake --config kln
check "and lists the presets" answers 2 "presets: a100, auto," "$ert" run --device fake --config kln
check "a folder is no preset" gives 2 quiet "$ert" run --device fake --config "$work/"
check "a missing file is named" answers 2 "$work/none.json" "$ert" run --device fake \
    --config "$work/none.json"

done_testing
