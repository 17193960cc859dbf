#!/bin/sh
# The commands of gpp/tutorial.md do what it says: its blocks marked `sh run` are run in their order, one
# shell each, with this build's programs and a folder of its own. Links lead somewhere. No time is looked at.
. "$top_srcdir/tests/tap.sh"
page=$top_srcdir/gpp/tutorial.md
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-tutorial-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/try" "$work/blocks"

awk -v folder="$work/blocks" '
    /^```sh run$/ { n++; inside = 1; next }
    /^```/ { inside = 0 }
    inside { printf "%s\n", $0 > sprintf("%s/%02d.sh", folder, n) }' "$page"
sed -i "s|/tmp/ert-try|$work/try|g; s|build/\([a-z]*/\)|$top_builddir/\1|g" "$work"/blocks/*.sh

works() {
    (cd "$top_srcdir" && sh -e "$1" </dev/null >"$work/out" 2>&1) || {
        cat "$1" "$work/out"
        return 1
    }
    [ -s "$work/out" ]
}

# links: the local files that it points at and that are not there.
links() {
    sed 's/](/\n](/g' "$page" | sed -n 's/^](\([^):]*\)).*/\1/p' | while read -r file; do
        [ -e "$top_srcdir/gpp/$file" ] || echo "$file"
    done
}

check "it has blocks to run" test "$(ls "$work/blocks" | wc -l)" -ge 8
for block in "$work"/blocks/*.sh; do
    check "block $(basename "$block" .sh): $(head -n 1 "$block" | cut -d ' ' -f 1-3 | sed 's|.*/||')" \
        works "$block"
done
for file in machine/ceilings.json points.json trajectory-DRAM.svg mine.svg mine.html hand.svg nw.json \
    nw-c7.svg; do
    check "makes $file" test -s "$work/try/$file"
done
check "its links lead to files" empty links
check "README leads to it" grep -q 'gpp/tutorial.md' "$top_srcdir/README.md"
done_testing
