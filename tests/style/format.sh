#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The sources are as clang-format 14 writes them (.clang-format; `make format` does it). What has not changed
# since all of them were is not looked at again.
. "$top_srcdir/tests/tap.sh"
stamp=$(cd "$top_builddir" && pwd)/tests/style/format.stamp
cd "$top_srcdir" || exit 1

formatter=
for name in clang-format-14 clang-format; do
    if $name --version 2>/dev/null | grep -q 'version 14\.'; then
        formatter=$name
        break
    fi
done
if [ -z "$formatter" ]; then
    echo "1..0 # SKIP clang-format 14 is not installed (other versions format differently)"
    exit 0
fi

# Some files each: to start it takes longer than to format one.
unformatted() {
    find ert analysis gpp examples tests \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) $changed \
        ! -path ert/core/base/config.h ! -path ert/core/machine/build_info.h -print0 |
        xargs -0 -r -n 40 -P "$(nproc)" "$formatter" --dry-run -Werror 2>&1
}

changed=
if [ -e "$stamp" ] && [ -z "$(find .clang-format tests/style/format.sh -newer "$stamp")" ]; then
    changed="-newer $stamp"
fi
formatted() {
    mkdir -p "${stamp%/*}" && : >"$stamp.new" && empty unformatted && mv "$stamp.new" "$stamp"
}

check "the sources are formatted" formatted
done_testing
