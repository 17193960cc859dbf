#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The sources are as clang-format 14 writes them (.clang-format; `make format` does it).
. "$top_srcdir/tests/tap.sh"
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

unformatted() {
    find ert analysis gpp examples tests \( -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' \) \
        ! -path ert/core/base/config.h ! -path ert/core/machine/build_info.h | sort |
        while read -r file; do
            $formatter "$file" | cmp -s - "$file" || echo "$file"
        done
}

check "the sources are formatted" empty unformatted
done_testing
