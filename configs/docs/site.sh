#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh SOURCES BUILD OUT: OUT/source, what the site is made of: the tree's Markdown and charts under the
# paths that their links name, the reference pages of this build, and a gallery of the charts.
set -eu
sources=$1 out=$3/source
build=$(cd "$2" && pwd)
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$sources"
tests=$(find tests -name data -prune -o -name '*.md' -print)
for file in ./*.md $tests configs/docs/*.css $(find ert analysis gpp examples configs results \
    -name '*.md' -o -name '*.svg' -o -name roofline.html); do
    mkdir -p "$out/${file%/*}"
    cp "$file" "$out/$file"
done

# reference FOLDER PROGRAM: the options page, from what each of its commands prints for --help.
reference() {
    {
        printf '# %s: commands and options\n\n' "$2"
        if ! [ -f "$build/configs/docs/help/$2" ]; then # ert-net: the navigation names its page all the same
            echo "The build that made this site has no $2: configure found no MPI."
            return
        fi
        awk '/^== / { printf "%s\n## %s\n\n```\n", n++ ? "```\n" : "", substr($0, 4); next }
             { print }
             END { print "```" }' "$build/configs/docs/help/$2"
    } >"$out/$1/reference.md"
}
reference ert ert
reference analysis roofline
reference gpp ert-gpp
reference ert/ext/net ert-net

# gallery CHART...: each chart under the title of the page beside or above it.
gallery() {
    local chart page folder last=
    for chart; do
        folder=${chart%/*} page=$folder/README.md
        while ! [ -f "$page" ]; do
            folder=${folder%/*} page=$folder/README.md
        done
        [ "$page" = "$last" ] || printf '\n## [%s](%s)\n' "$(sed -n '1s/^# //p' "$page")" "$page"
        last=$page
        printf '\n%s' "${chart#results/}"
        [ ! -f "${chart%.svg}.html" ] || printf ' ([to zoom and pick from](%s))' "${chart%.svg}.html"
        printf '\n\n![%s](%s)\n' "${chart#results/}" "$chart"
    done
}
{
    echo "# Charts"
    echo
    echo "Of the machines and codes under [results](results/README.md), as \`roofline plot\` drew them."
    gallery $(find results -name '*.svg' | LC_ALL=C sort)
} >"$out/gallery.md"
