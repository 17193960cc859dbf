#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the programs print and draw for the files of results and of other tools is as in tests/data/golden.
# After a change that is meant, `make golden` records it anew; read the diff before you commit it.
. "$top_srcdir/tests/tap.sh"
golden=$top_srcdir/tests/data/golden
now=$(mktemp -d) || exit 1
trap 'rm -rf "$now"' EXIT
sh "$top_srcdir/tests/tools/golden.sh" "$top_builddir" "$now" >"$now.log" 2>&1 || { cat "$now.log"; exit 1; }
rm -f "$now.log"

# same NAME: an archive of `make dist` lacks some results, and their records.
same() {
    diff -u "$golden/$1" "$now/$1" | head -n 20 >"$now/diff"
    [ ! -s "$now/diff" ] || { cat "$now/diff"; return 1; }
}
for file in "$now"/*; do
    name=${file##*/}
    check "$name" same "$name"
done
if [ -e "$top_srcdir/.git" ]; then
    ls "$golden" >"$now/names"
    missing() {
        ls "$now" | grep -vxF -e diff -e names -f "$now/names" | sed 's/$/: no record: run make golden/'
        ls "$now" | grep -vxF -f - "$now/names" | sed 's/$/: a record of nothing: run make golden/'
    }
    check "no record is missing" empty missing
fi
done_testing
