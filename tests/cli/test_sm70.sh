#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Machine code for the V100 (cc 7.0), where `make check-sm70` has fetched what makes it: FP64 loops of
# the claimed length, accesses of the claimed width, no spills (kernels.def).
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT || exit 1

# A tree that is configured in place, with stand-ins for all that is built: `configure` beside it refuses, as
# autoconf's does, and a copy's does not.
plant_tree() {
    mkdir -p "$work/tree/tests/tools" "$work/bin"
    cp "$top_srcdir/tests/tools/cuda12.sh" "$work/tree/tests/tools/"
    : >"$work/tree/config.status"
    printf '#!/bin/sh\necho "source directory already configured" >&2\nexit 1\n' >"$work/tree/configure"
    printf 'distdir:\n\tmkdir -p $(distdir)\n\tcp copy $(distdir)/configure\n' >"$work/tree/Makefile"
    cat >"$work/tree/copy" <<'CONFIGURE'
#!/bin/sh
mkdir -p ert/ext/cuda gpp/cuda
: >ert/ext/cuda/build.h; : >gpp/cuda/paper.fmao; : >gpp/cuda/paper.nofmao
printf '#!/bin/sh\necho planted kernels agree\n' >ert/ert
printf 'ert/core/machine/build_info.h ert/ert gpp/ert-gpp lib/ert/ert-cuda.so:\n' >Makefile
chmod +x ert/ert
CONFIGURE
    printf '#!/bin/sh\necho "release 12.0"\n' >"$work/bin/cuobjdump"
    chmod +x "$work/tree/configure" "$work/tree/copy" "$work/bin/cuobjdump"
}

builds_in_place() {
    (cd "$work/tree" && PATH=$work/bin:$PATH NVCC=nvcc &&
        export PATH NVCC && prints "planted kernels agree" sh tests/tools/cuda12.sh 70)
}

plant_tree
check "sources that are configured in place are copied" builds_in_place
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
