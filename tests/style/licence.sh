#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every source file names its licence (SPDX) in its first line, scripts in their second.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 1

# What was generated (config.h.in, build_info.h, *.inc of the pages) is not in git; tests/data is of others.
sources() {
    echo configure.ac Makefile.am quickstart .ci/run examples/run configs/nhc/ert.nhc | tr ' ' '\n'
    find ert analysis gpp examples configs tests results -path tests/data -prune -o -type f \( \
        -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' -o -name '*.def' -o -name '*.js' \
        -o -name '*.css' -o -name '*.sh' -o -name '*.py' -o -name '*.mk' -o -name '*.awk' -o -name '*.f90' \
        -o -name '*.in' \) ! -name 'config.h*' ! -name build_info.h ! -name 'page_*.inc' ! -name '*~' -print
}

unlicensed() {
    sources | xargs awk 'FNR == 1 && NR > 1 && !named { print file }
        FNR == 1 { file = FILENAME; named = 0 }
        FNR <= 2 && /SPDX-License-Identifier: BSD-3-Clause/ { named = 1 }
        END { if (!named) print file }'
}

check "there are sources" test "$(sources | wc -l)" -gt 500
check "every source file names its licence" empty unlicensed
done_testing
