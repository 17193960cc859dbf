#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The programs as a site installs them, into a folder that stands in for /; and taken away again.
. "$top_srcdir/tests/tap.sh"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
top_builddir=$(cd "$top_builddir" && pwd)

make_in() { make -C "$top_builddir" DESTDIR="$scratch" MAKEFLAGS= "$1"; }
# found FILE PROGRAM WORDS...: the file is there, and the installed program works with it
found() {
    program=$(find "$scratch" -path "*/bin/$2")
    [ -n "$(find "$scratch" -path "*/$1")" ] && shift 2 && "$program" "$@"
}
# Files that no Debian package takes (configs/packages/debian).
unpackaged() {
    patterns=$(sed 's|^usr/||; s|^lib/\*/|lib/|' "$top_srcdir"/configs/packages/debian/*.install)
    cd "$(dirname "$(find "$scratch" -type d -name bin)")" || return
    set -f
    find . ! -type d | sed 's|^\./||' | while read -r file; do
        for pattern in $patterns; do
            case $file in $pattern | $pattern/*) continue 2 ;; esac
        done
        echo "$file"
    done
}
recorder() { found "$1" roofline record --list | grep "^$2 *yes"; }

check "installs" make_in install
check "ert finds its presets" \
    found share/ert/configs/quick.json ert run --dry-run --device fake0 --config quick
check "every file is in a package" empty unpackaged
check "roofline runs" found bin/roofline roofline --version
check "ert-gpp runs" found bin/ert-gpp ert-gpp list
check "the header of regions" found include/rfl_region.h roofline --version
if [ -x "$top_builddir/analysis/ext/record/valgrind/roofline-amd64-linux" ]; then
    check "the tool for Valgrind is found" recorder libexec/roofline/valgrind/roofline-amd64-linux valgrind
else
    skip "the tool for Valgrind" "not built here"
fi
if [ -f "$top_builddir/configs/docs/manuals.stamp" ]; then
    check "manuals" found share/man/man1/ert-fleet-node.1 roofline --version
else
    skip "manuals" "built for another machine"
fi
check "completions" found share/bash-completion/completions/roofline roofline --version
check "schemas" found share/ert/schemas/points.schema.json roofline --version
check "uninstalls" make_in uninstall
check "and leaves nothing" test -z "$(find "$scratch" ! -type d)"
done_testing
