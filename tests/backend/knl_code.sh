#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The AVX-512F kernels are Knights Landing's too: the machine code that ships, and that of -march=knl,
# holds nothing beyond AVX-512F and CD (and AVX2, FMA). Free emulators know no AVX-512, so the code itself
# is looked at, by two means: the assembler takes every vector instruction again with these sets
# alone, and no EVEX instruction works on 128 or 256 bits, which would be AVX-512VL.
. "$top_srcdir/tests/tap.sh"
kernels=$top_builddir/ert/core/backend/cpu/libavx512_a-isa_vectors.o
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

if [ ! -f "$kernels" ]; then
    echo "1..0 # SKIP this build has no AVX-512F kernels"
    exit 0
fi
for tool in objdump as; do
    command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool on this machine"; exit 0; }
done

# "mnemonic operands" of the vector instructions of an object, as the assembler reads them.
vectors() {
    objdump -d --no-show-raw-insn "$1" |
        awk -F '\t' 'NF > 1 { sub(/ *#.*/, "", $2); sub(/<.*>/, "", $2); print $2 }' |
        grep -E '^([{]evex[}] )?[vk][a-z]+' | sort -u
}

# assembles FILE SETS: whether an assembler that knows these sets alone takes each line.
assembles() {
    as --64 "-march=generic64+sse4.2+$2" -o "$work/again.o" "$1" 2>"$work/as" || {
        sed -n '2,8p' "$work/as"
        return 1
    }
}

# EVEX (first byte 62) on less than 512 bits: bits 6 and 5 of its fourth byte; with bit 4, rounding, a
# register form is 512 bits wide whatever they say. Scalar instructions have no width.
narrow() {
    objdump -d --wide "$1" | awk -F '\t' '
        BEGIN { digits = "0123456789abcdef" }
        NF > 2 && $2 ~ /^62 / {
            split($2, byte, " ")
            high = index(digits, substr(byte[4], 1, 1)) - 1
            rounds = high % 2 && $3 !~ /\(/
            if (int(high / 2) % 4 < 2 && !rounds && $3 !~ /^v[a-z0-9]*(s[sd]|si|si[lq])[ \t]/ &&
                $3 !~ /^v(mov[dq]|cvtu?si2s[sd][lq]?|extractps|insertps)[ \t]/)
                print $3
        }' | sort | uniq -c
}

# is_knl OBJECT: holds 512-bit code, and nothing beyond.
is_knl() {
    vectors "$1" >"$work/code.s"
    grep -q '%zmm' "$work/code.s" || { echo "no 512-bit instruction in $1"; return 1; }
    assembles "$work/code.s" avx2+fma+avx512cd && empty narrow "$1"
}

check "ert's kernels" is_knl "$kernels"
gcc=$(echo __GNUC__ | $KERNEL_CC -E -P -)
for kind in fma nofma; do
    if [ "$gcc" -lt 14 ]; then
        check "GPP's kernels, $kind" is_knl "$top_builddir/gpp/cpu/libavx512_$kind"_a-isa_avx512.o
    else
        skip "GPP's kernels, $kind" "gcc $gcc adds AVX-512VL: they are not run without it"
    fi
done

# -march=knl allows the compiler more (ER, PF), and gcc 15 does not know it any more.
for_knl() {
    $KERNEL_CC -std=gnu11 $ERT_CPPFLAGS -I"$top_srcdir" -I"$top_builddir" -O2 -march=knl -DISA_AVX512 \
        -ffp-contract=off -Wno-psabi -c "$top_srcdir/$1" -o "$work/knl.o" &&
        is_knl "$work/knl.o"
}
echo 'int knl;' >"$work/knl.c"
if $KERNEL_CC -march=knl -c "$work/knl.c" -o "$work/knl.o" 2>/dev/null; then
    check "ert's kernels with -march=knl" for_knl ert/core/backend/cpu/isa_vectors.c
    check "GPP's kernels with -march=knl" for_knl gpp/cpu/isa_avx512.c
else
    skip "kernels with -march=knl" "this compiler does not know it"
fi

# Lesser sets hold no EVEX at all; each extension is an object of its own, picked by its feature.
evex() {
    objdump -d --wide "$1" | awk -F '\t' 'NF > 2 && $2 ~ /^62 / { print $3 }' | head -3
}
for isa in avx2 sse2 scalar_fma scalar_sse2; do
    for object in "$top_builddir/ert/core/backend/cpu/lib${isa}_a-"*.o; do
        check "no AVX-512 in $(basename "$object")" empty evex "$object"
    done
done
for isa in avx512vnni avx512fp16 avx512bf16 amx; do
    for object in "$top_builddir/ert/core/backend/cpu/lib${isa}_a-"*.o; do
        [ -f "$object" ] || continue
        vectors "$object" >"$work/code.s"
        objdump -d --no-show-raw-insn "$object" |
            awk -F '\t' '$2 ~ /^t(dp|ile)/ { print $2 }' >>"$work/code.s"
        check "$isa needs its own object" gives 1 assembles "$work/code.s" avx2+fma+avx512cd
    done
done

# What must be found is found.
if $CC -mavx512vl -mavx512dq -c -x c - -o "$work/wide.o" 2>/dev/null <<'C'; then
typedef long long v4 __attribute__((vector_size(32)));
v4 f(v4 a, v4 b)
{
    v4 c;
    __asm__("vpmullq %2, %1, %0" : "=v"(c) : "v"(a), "v"(b));
    __asm__("vmovdqa64 %%ymm17, %0" : "=v"(c) : : "ymm17");
    return c;
}
C
    check "AVX-512VL is found" prints "vmovdqa64" narrow "$work/wide.o"
    vectors "$work/wide.o" >"$work/code.s"
    check "AVX-512DQ is found" gives 1 assembles "$work/code.s" avx2+fma+avx512cd
fi
done_testing
