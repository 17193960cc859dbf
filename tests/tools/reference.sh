#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reference.sh BUILD OUT: the reference pages of the programs of a build folder, from what it has of their
# --help: OUT/ert/reference.md and so on, that of ert-net where it was built. `make reference` writes those of
# this tree; tests/style/reference.sh says when they are out of date.
set -u
[ $# -eq 2 ] || { echo "usage: reference.sh BUILD OUT" >&2; exit 2; }

page() {
    mkdir -p "$2/$3" || exit 1
    {
        printf '# %s: commands and options\n\n' "$4"
        echo "Made by tests/tools/reference.sh from what \`$4 --help\` prints."
        awk '/^== / { printf "%s\n## %s\n\n```\n", n++ ? "```\n" : "", substr($0, 4); next }
             { print }
             END { print "```" }' "$1/docs/help/$4"
    } >"$2/$3/reference.md"
}

page "$1" "$2" ert ert
page "$1" "$2" analysis roofline
page "$1" "$2" gpp ert-gpp
[ ! -f "$1/docs/help/ert-net" ] || page "$1" "$2" ert/net ert-net
