#!/bin/sh
# Machine code for the V100 (cc 7.0), where `make check-sm70` has fetched what makes it: FP64 loops of
# the claimed length, accesses of the claimed width, no spills (claims.def).
. "$top_srcdir/tests/tap.sh"
if ! [ -x "$top_builddir/cuda12/toolkit/bin/fatbinary" ]; then
    skip "machine code for sm_70" "no CUDA 12 in this build; make check-sm70 fetches it"
    done_testing
    exit
fi

makes_tables() {
    (cd "$top_builddir" && gives 0 sh "$top_srcdir/tests/tools/cuda12.sh" 70)
}

holds() {
    grep -q -e "$1" "$top_builddir/cuda12/sm_70.txt"
}

check "every kernel holds its claim" makes_tables
check "256 FMAs of FP64" holds "fma_fp64 .* 256 FMA in 8 chains, 2[56]. instr.* agrees"
check "256 additions of FP64" holds "add_fp64 .* 256 add in 8 chains, 2[56]. instr.* agrees"
check "256 multiplications of FP64" holds "mul_fp64 .* 256 multiply in 8 chains, 2[56]. instr.* agrees"
check "loads of 16 byte" holds "load  *bypass-l1 .* load of 16 byte, .* agrees"
check "GPP's kernels" holds "v0  *nofma "
done_testing
