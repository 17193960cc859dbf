#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The site: mkdocs has no warning, every link leads somewhere, nothing is fetched from elsewhere, each page of
# the tree is there.
. "$top_srcdir/tests/tap.sh"
if ! command -v mkdocs >/dev/null; then
    echo "1..0 # SKIP no mkdocs (Debian: mkdocs)"
    exit 0
elif ! [ -f "$top_builddir/configs/docs/manuals.stamp" ]; then
    echo "1..0 # SKIP the reference pages are made by running the programs, built for another machine"
    exit 0
elif ! [ -f "$top_srcdir/results/h100/README.md" ]; then
    echo "1..0 # SKIP a release does not have all results"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

unbuilt() {
    (cd "$top_srcdir" && git ls-files '*.md' 2>/dev/null | grep -v tests/data) | while read -r page; do
        page=${page%.md}
        [ "${page##*/}" != README ] || page=${page%README}index
        [ -f "$scratch/html/$page.html" ] || echo "$page.html is not there"
    done
}
# planted STATUS LINK: what links.py says of it.
planted() {
    mkdir -p "$scratch/planted"
    echo "<a href='$2'>x</a><p id='here'>" >"$scratch/planted/a.html"
    gives "$1" python3 "$top_srcdir/configs/docs/links.py" "$scratch/planted"
}

check "the sources are gathered" \
    sh "$top_srcdir/configs/docs/site.sh" "$top_srcdir" "$top_builddir" "$scratch"
cp "$top_srcdir/configs/docs/mkdocs.yml" "$scratch"
check "mkdocs builds it without a warning" mkdocs build -q --strict -f "$scratch/mkdocs.yml"
check "every link leads somewhere" python3 "$top_srcdir/configs/docs/links.py" "$scratch/html"
check "each page of the tree is there" empty unbuilt
check "a file that is not there is found" planted 1 missing.html
check "a place that is not there is found" planted 1 '#there'
check "a place that is there is one" planted 0 '#here'
done_testing
