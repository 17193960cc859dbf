#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every 97th of the points at which an allocation or a system call can fail;
# `make check-torture` (TORTURE_STEP=1) tries all of them.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-torture-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
if ! python3 -c '' 2>/dev/null || ! ${CC:-cc} --version >/dev/null 2>&1; then
    echo "1..0 # SKIP no python3, or no C compiler"
    exit 0
fi
if nm "$top_builddir/ert/ert" 2>/dev/null | grep -q __asan; then
    echo "1..0 # SKIP the allocator is the sanitizer's"
    exit 0
fi
${CC:-cc} -shared -fPIC -O1 -o "$work/shim.so" "$top_srcdir/tests/cli/fault_shim.c" -ldl || exit 1
python3 "$top_srcdir/tests/torture/torture.py" "$top_builddir" "$top_srcdir" "$work/shim.so" \
    --step "${TORTURE_STEP:-97}"
