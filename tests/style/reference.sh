#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The reference pages are what the programs' --help prints now (`make reference` writes them).
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-reference-XXXXXX")
trap 'rm -rf "$work"' EXIT

check "the pages are made" sh "$top_srcdir/tests/tools/reference.sh" "$top_builddir" "$work"
for page in ert analysis gpp; do
    check "$page/reference.md has the options of today (else: make reference)" \
        diff "$top_srcdir/$page/reference.md" "$work/$page/reference.md"
    check "$page/reference.md has every command" test "$(grep -c '^## ' "$work/$page/reference.md")" -ge 4
done
if [ -f "$work/ert/net/reference.md" ]; then
    check "ert/net/reference.md has the options of today (else: make reference)" \
        diff "$top_srcdir/ert/net/reference.md" "$work/ert/net/reference.md"
else
    skip "ert/net/reference.md" "built without MPI"
fi
done_testing
