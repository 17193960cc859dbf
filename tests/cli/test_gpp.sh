#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The program ert-gpp as its users type it: words, files, exit codes. Times are never asserted.
. "$top_srcdir/tests/cli/roofline_fixture.sh"
gpp=$top_builddir/gpp/ert-gpp

# refuses STATUS WORDS OPTIONS...: ends with the exit code and says the words.
refuses() {
    status=$1 words=$2
    shift 2
    answers "$status" "$words" "$gpp" "$@"
}

check "help" shows '  run ' --help
check "version" shows 'ert-gpp 2.' --version
check "no command" refuses 2 'usage:'
check "unknown command" refuses 2 "no command 'rum'; there are: list, run" rum
check "help of a command" shows '--no-fma' run --help
check "list" shows 'one thread per (n, igp, ig)' list
check "list names sizes" shows '800 x 1385 x 11075, 2' list

check "run" shows 'c0 ' run --system tiny --version c0 --repeat 2
check "run all of the CPU" shows 'c11 ' run --system tiny --repeat 1 --threads 2
check "run with sizes and nw" shows 'nw 6' run --system 5x7x11 --version c2 --nw 6 --repeat 1
check "run with two occupied bands" \
    shows 'occupied 6.9 %' run --system tiny --occupied 2 --version c2 --repeat 1
check "more occupied bands than there are" \
    refuses 2 '--occupied: 30, must be 1 to nbands, 29' run --system tiny --occupied 30
check "run without FMA" shows 'no FMA' run --system tiny --version c6 --no-fma --repeat 1
check "sampled reference" shows '3 sampled rows' \
    run --system tiny --version c1 --repeat 1 --reference sample
check "unknown version" refuses 2 "no version 'c77'; there are: c0" run --version c77
check "version of the other device" refuses 2 'v0 does not run on cpu' \
    run --version v0 --device cpu
check "unknown system" refuses 2 "no system 'si215'; there are: tiny, small" run --system si215
check "unknown device" refuses 2 "--device: 'tpu'" run --device tpu
check "unknown instruction set" refuses 2 "no instruction set 'mmx'" \
    run --system tiny --version c2 --isa mmx
check "size 0" refuses 2 'ngpown: 0, must be 1 to 2147483647' run --system 3x0x5
check "nw 0" refuses 2 '--nw' run --system tiny --nw 0
check "nw 7" refuses 2 '--nw' run --system tiny --nw 7
check "too big: the bytes are said" refuses 3 'bytes needed' run --system 1000x1000000x1000000
check "repeat 0" refuses 2 '--repeat' run --repeat 0

check "points" shows 'c7 ' run --system tiny --version c6,c7 --repeat 2 --out points.json
check "points have their recipe" prints 'analytic (gpp/counts.def)' cat points.json
"$plant" both both.json || exit 1
check "roofline places them" prints 'c7' "$roofline" place both.json points.json --device cpu
check "a table of all" shows 'speed-up' run --system tiny --version c1,c6 --repeat 1
check "one version needs none" lacks speed-up "$gpp" run --system tiny --version c1 --repeat 1
check "the same table from the points" prints 'tiny nw=2' "$roofline" place both.json points.json \
    --device cpu --view summary
check "where and how they were made" prints 'ert-gpp run --system tiny --version c6,c7' cat points.json
check "what else is known of them" prints '"repeats_bit_for_bit": 1' cat points.json
check "steps" prints 'c6 : c7 [tiny nw=2]' "$roofline" compare --steps points.json
# Two at once, as soon as the longer one has its inputs.
"$gpp" run --system small --version c6 --reference none --repeat 1000 >/dev/null &
sees_another() {
    for _ in $(seq 200); do
        "$gpp" run --system tiny --version c6 --repeat 300 --out two.json |
            grep -q 'disturbed: at the same time as pid' && return
    done
    return 1
}
check "another run at the same time is named" sees_another
check "in its points as well" prints 'measured at the same time as pid' cat two.json
kill $! 2>/dev/null
wait $! 2>/dev/null
check "one run for a profiler" shows 'c1 ' run --system tiny --version c1 --once
check "no folder for points" refuses 1 no-such \
    run --system tiny --version c1 --repeat 1 --out no-such/points.json
goes_on_without_folder() {
    "$gpp" run --system tiny --version c1,c6 --repeat 1 --out no-such/points.json >out 2>err
    grep -q '^c6 ' out && grep -q 'no-such/points.json: cannot write' err
}
check "no folder for points: all versions are shown" goes_on_without_folder
if "$gpp" run --system tiny --version v0 --once >/dev/null 2>&1; then
    check "the versions of the GPU" shows 'v8 ' run --system tiny --device gpu0 --version v0,v8 --repeat 1
else
    check "no GPU" gives 3 quiet "$gpp" run --system tiny --version v0
    check "nothing measured" refuses 3 'no version could be measured' run --system tiny --version v0,v8
fi

# fused LIBRARY FUNCTION REGISTER: how many FMAs on such registers the functions of this prefix hold.
fused() {
    objdump -d --no-show-raw-insn "$1" | awk -v name="<$2" -v register="%$3" '
        /^[0-9a-f]+ </ { inside = index($2, name) == 1 }
        inside && /vfn?m(add|sub)[0-9]+pd/ && index($0, register) { n++ }
        END { print n + 0 }'
}

# vectorizes LIBRARY REGISTER: all vector kernels do, c2, c4, c6 on.
vectorizes() {
    for function in written_pair reciprocal_pair c6 c7; do
        n=$(fused "$1" $function "$2")
        [ "$n" -ge 10 ] || echo "$1: $function: $n FMAs on $2 registers"
    done
}

cpu=$top_builddir/gpp/cpu
# Code with sanitizers in it is not vectorized.
if [ -z "$ERT_SANITIZERS" ] && [ -e "$cpu/libavx512_fma.a" ] && command -v objdump >/dev/null &&
    objdump -d "$cpu/libavx512_fma.a" | grep -q '<written_pair'; then
    check "AVX-512 vectorizes" empty vectorizes "$cpu/libavx512_fma.a" zmm
    for function in c8 c9 c10 c11; do
        check "$function has FMAs" test "$(fused "$cpu/libavx512_fma.a" "$function." zmm)" -ge 50
    done
    check "AVX2 vectorizes" empty vectorizes "$cpu/libavx2_fma.a" ymm
    check "no FMA without contraction, AVX-512" test "$(fused "$cpu/libavx512_nofma.a" '' '')" -eq 0
    check "no FMA without contraction, AVX2" test "$(fused "$cpu/libavx2_nofma.a" '' '')" -eq 0
else
    skip "machine code" "no x86 libraries of this compiler, or no objdump"
fi
done_testing
