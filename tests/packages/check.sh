#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# check.sh ARCHIVE [KIND...]: builds, lints, installs and tests what configs/packages describes, from the
# archive of `make dist`: debian, wheel, easybuild, container, rpm; cuda only where it is named. `make
# check-packages` calls it in the build folder, where packages/ gets what was built and the logs.
#
# It needs root and Debian's mmdebstrap; each kind says what else. All is done in roots of an empty Debian 12
# (of PACKAGES_MIRROR, if it is set) under TMPDIR: mounts and processes are in namespaces that end with this
# command, then the roots are removed. The Debian packages' build runs the whole test suite;
# DEB_BUILD_OPTIONS=nocheck does not.
# One row each, PASS, FAIL or SKIP with its reason; the last line counts.
here=$(cd "$(dirname "$0")" && pwd)

count() {
    passed=0 failed=0 skipped=0
    while IFS= read -r line; do
        echo "$line"
        case $line in
        "PASS "*) passed=$((passed + 1)) ;;
        "FAIL "*) failed=$((failed + 1)) ;;
        "SKIP "*) skipped=$((skipped + 1)) ;;
        esac
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
}

if [ -z "${PACKAGES_WORK:-}" ]; then
    PACKAGES_WORK=$(mktemp -d) || exit 1
    export PACKAGES_WORK
    trap 'rm -rf --one-file-system "$PACKAGES_WORK"' EXIT
    trap 'exit 130' INT TERM
    if [ "$(id -u)" -ne 0 ]; then
        echo "SKIP packages: needs root to make roots"
    elif ! command -v mmdebstrap >/dev/null; then
        echo "SKIP packages: no mmdebstrap (Debian: mmdebstrap)"
    elif ! unshare --mount --pid --fork true 2>/dev/null; then
        echo "SKIP packages: the kernel lets nobody make namespaces here"
    else
        unshare --mount --pid --fork --kill-child --mount-proc sh "$0" "$@"
    fi | count
    exit
fi

archive=$(readlink -f "$1")
shift
kind=packages
. "$here/root.sh"
try "an empty Debian 12" mmdebstrap --variant=minbase bookworm "$work/base.tar" $mirror || exit
try "a root to build in" build_root || exit
[ $# -gt 0 ] || set -- debian wheel easybuild container rpm
for kind in "$@"; do
    (. "$here/$kind.sh")
done
