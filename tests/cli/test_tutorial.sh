#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The commands of the tutorials do what they say: blocks marked `sh run` are run in their order, one shell
# each, with this build's programs and a folder of their own. Links lead somewhere. No time is looked at.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-tutorial-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/try"

# blocks FOLDER: those of a folder's tutorial, a file each.
blocks() {
    mkdir -p "$work/blocks/$1"
    awk -v folder="$work/blocks/$1" '
        /^```sh run$/ { n++; inside = 1; next }
        /^```/ { inside = 0 }
        inside { printf "%s\n", $0 > sprintf("%s/%02d.sh", folder, n) }' "$top_srcdir/$1/tutorial.md"
    sed -i "s|/tmp/ert-try|$work/try|g; s|build/\([a-z]*/\)|$top_builddir/\1|g" "$work/blocks/$1"/*.sh
}

works() {
    (cd "$top_srcdir" && sh -e "$1" </dev/null >"$work/out" 2>&1) || {
        cat "$1" "$work/out"
        return 1
    }
    [ -s "$work/out" ]
}

# links FOLDER: the local files that its tutorial points at and that are not there.
links() {
    sed 's/](/\n](/g' "$top_srcdir/$1/tutorial.md" | sed -n 's/^](\([^):]*\)).*/\1/p' | while read -r file; do
        [ -e "$top_srcdir/$1/$file" ] || echo "$file"
    done
}

# tutorial FOLDER FEWEST FILE...: its blocks, at least so many, and what they make.
tutorial() {
    folder=$1
    fewest=$2
    shift 2
    blocks "$folder"
    check "$folder: it has blocks to run" test "$(ls "$work/blocks/$folder" | wc -l)" -ge "$fewest"
    for block in "$work/blocks/$folder"/*.sh; do
        first=$(head -n 1 "$block" | cut -d ' ' -f 1-3 | sed 's|.*/||')
        if grep -q python3 "$block" && ! command -v python3 >/dev/null; then
            skip "$folder: block $(basename "$block" .sh)" "no python3"
            continue
        fi
        check "$folder: block $(basename "$block" .sh): $first" works "$block"
    done
    for file; do
        check "$folder: makes $file" test -s "$work/try/$file"
    done
    check "$folder: its links lead to files" empty links "$folder"
    check "README leads to it" grep -q "$folder/" "$top_srcdir/README.md"
}

tutorial gpp 8 machine/ceilings.json points.json trajectory-DRAM.svg mine.svg mine.html hand.svg nw.json \
    nw-c7.svg
tutorial examples 4 stencil/points.json before/points.json after/roofline.html both.html
same() {
    [ "$("$work/try/mine")" = "$("$work/try/mine2")" ] && ! cmp -s "$work/try/mine.c" "$work/try/mine2.c"
}
check "examples: the improvement has the same result" same
done_testing
