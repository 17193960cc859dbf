#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The core is built without extensions (./configure --disable-extensions), and does what it says, with
# sanitizers.
. "$top_srcdir/tests/tap.sh"
source=$(cd "$top_srcdir" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
if [ -e "$source/config.status" ]; then
    echo "1..0 # SKIP the tree itself is configured, so that no other folder can be"
    exit 0
fi
configure_core() {
    cd "$scratch" &&
        "$source/configure" -q --disable-extensions --enable-sanitizers --without-cuda CFLAGS=-O1
}
check "it is configured" configure_core
check "it is built" make -s -C "$scratch" -j"$(nproc)" ert/ert analysis/roofline
check "its tests pass" env top_srcdir="$source" top_builddir="$scratch" sh -c \
    'rows=$(sh "$top_srcdir/tests/cli/test_core.sh"); echo "$rows"; ! echo "$rows" | grep -q "^not ok"'
check "it has no command of an extension" lacks verify "$scratch/ert/ert" --help
done_testing
