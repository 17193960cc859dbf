#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Who may end the program: nothing in libroofline, and nothing that runs between a run's regions.
. "$top_srcdir/tests/tap.sh"
library=$top_builddir/analysis/ext/lib/libroofline.a
cd "$top_builddir" || exit 1

# Prints "OBJECT: SYMBOL" for each undefined symbol of the objects or library that matches the pattern.
calls() {
    pattern=$1
    shift
    nm -A -u "$@" 2>/dev/null | awk -v pattern="^($pattern)\$" '
        { symbol = $NF; sub(/@.*/, "", symbol) }
        symbol ~ pattern { sub(/: *[Uwv].*/, ""); print $0 ": " symbol }'
}

# Everything by which C code ends a process; an assertion of ours is a mistake that no input can cause.
ends='_?exit|_Exit|quick_exit|abort|errx?|verrx?|error|error_at_line|longjmp|raise|kill'
allocator='ert_x(calloc|realloc|grow|strdup|printf)'

if [ -f "$library" ] && command -v nm >/dev/null; then
    check "libroofline has symbols to look at" prints roofline.o calls calloc "$library"
    check "libroofline never ends its user's process" empty calls "$ends" "$library"
    check "libroofline does not allocate with ert_x..." empty calls "$allocator|checked" "$library"
    check "nor does what runs while samples are in memory only" empty calls "$allocator" \
        $(find ert/core ert/fake ert/ext/cuda ert/ext/ert110 ert/ext/isa ert/ext/sections -name '*.o' |
            grep -E -e '/(backend|stats|cuda|fake|isa)/' \
                -e '/(device_run|levels|run|samples|kernels|cpu|multi_gpu)\.o$')
    check "statistics and verdicts allocate nothing, so that they cannot lack memory" empty calls \
        "$allocator|malloc|calloc|realloc" \
        $(find ert/core/stats ert/ext/ert110 -name '*.o' | grep -E '/(stats|differ|bands)\.o$')
else
    skip "who may end the program" "no nm, or no library"
fi
done_testing
