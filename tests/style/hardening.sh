#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What configure's hardening leaves in the programs, and that the measured loops are free of it.
. "$top_srcdir/tests/tap.sh"
cd "$top_builddir" || exit 1
if [ -z "$ERT_HARDENING" ]; then
    echo "1..0 # SKIP built with --disable-hardening or sanitizers, or the compiler has none of it"
    exit 0
fi
if ! command -v readelf >/dev/null || ! command -v nm >/dev/null; then
    echo "1..0 # SKIP no readelf and nm (Debian: binutils)"
    exit 0
fi

# shows OPTION PROGRAM PATTERN: whether a line of what readelf prints matches.
shows() {
    readelf -W "$1" "$2" | grep -Eq "$3"
}

# Objects from before the last configure may be without it: nothing says of them how they were built.
old=$(find ert analysis gpp -name '*.o' ! -newer config.status | head -n 1)

# calls PROGRAM FLAG SYMBOL NAME: what code that was built with the flag cannot do without.
calls() {
    case $ERT_HARDENING in
    *"$2"*) ;;
    *) return ;;
    esac
    if [ -n "$old" ]; then
        skip "$1 $4" "$old is older than the configuration (make clean)"
    else
        check "$1 $4" prints "$3" nm -u "$1"
    fi
}

for program in ert/ert analysis/roofline gpp/ert-gpp; do
    check "$program is position independent" shows -h "$program" 'Type: +DYN'
    check "$program resolves its symbols at the start" shows -d "$program" 'BIND_NOW|Flags:.*NOW'
    check "$program has relocations that become read-only" shows -l "$program" GNU_RELRO
    check "$program has a stack that does not run" shows -l "$program" 'GNU_STACK.* RW +'
    calls "$program" -D_FORTIFY_SOURCE _chk "calls fortified libc"
    calls "$program" -fstack-protector __stack_chk_fail "guards its stack"
done

# Guards in a kernel would be measured with it. Some compilers (Ubuntu's) set them by themselves.
guards_by_itself() {
    echo 'int f(char *); int g(void) { char text[64]; return f(text); }' |
        $CC -O2 -x c -S -o - - | grep -q __stack_chk
}

guarded_kernels() {
    nm -A -u $ERT_KERNELS | grep -E '__stack_chk|_chk$'
}

if guards_by_itself; then
    skip "kernels are built without guards" "$CC sets them by itself"
else
    check "there are kernels to look at" prints '' nm $ERT_KERNELS
    check "kernels are built without guards" unfound guarded_kernels
fi
done_testing
