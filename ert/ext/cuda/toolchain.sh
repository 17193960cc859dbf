#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# toolchain.sh COMPILER [ARCHITECTURES]: what a CUDA compiler can build here, as lines of shell
# assignments for configure. COMPILER: nvcc 11.0 or newer, or a clang that knows CUDA.
# ARCHITECTURES: "70 80" or "70,80"; default: what serves every GPU that the compiler knows.
#
#   cuda_compiler  "nvcc 12.9", "clang 19.1.7"
#   cuda_archs     the architectures that code is built for
#   cuda_gpus      a GPU of each, and its compute capability
#   cuda_host      the host compiler that nvcc was told to use; empty: its own choice
#   cuda_flags     for every .cu file
#   cuda_gencode, gpp_gencode      code for which GPUs
#   cuda_gencode_90a, cuda_gencode_100a   the same of kernels for these (and 10.3) alone; empty: cannot
#   cuda_no_fma    keeps a*b + c two operations
#   cuda_host_only for files without code for GPUs
#
# From the environment: CUDAHOSTCXX, nvcc's host compiler; CUDA_ROOT, the toolkit that clang builds
# with. Exit code 1, and the reason on standard error, when it cannot build.
set -u

compiler=$1
wanted=$(echo "${2-}" | tr ',;' '  ')
here=$(mktemp -d "${TMPDIR:-/tmp}/ert-cuda-XXXXXX") || exit 1
trap 'rm -rf "$here"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# Compute capability of machine code, and GPUs that run it (developer.nvidia.com/cuda/gpus).
gpus='60 P100
61 P40, GTX 10
62 TX2
70 V100, Titan V
72 Xavier
75 T4, RTX 20
80 A100, A30
86 A10, A40, RTX 30
87 Orin
89 L4, L40S, RTX 40
90 H100, H200, GH200
100 B200, GB200
101 Thor (CUDA 12)
103 B300, GB300
110 Thor
120 RTX PRO Blackwell, RTX 50
121 GB10'

# Below 6.0 there is no atomicAdd of doubles, and no FP16 arithmetic below 5.3.
least=60

echo '__global__ void k(double *x) { *x *= *x; } int main() { k<<<1, 1>>>(0); return 0; }' \
    >"$here/t.cu"

# Compiles the file with these flags; what was said is in $here/log.
compiles() {
    "$compiler" "$@" -c "$here/t.cu" -o "$here/t.o" >"$here/log" 2>&1
}

# CUDA 11.0 has no --list-gpu-arch; the help names the values all the same.
nvcc_known() {
    known=$("$compiler" --list-gpu-arch 2>/dev/null) || known=
    case $known in
    *compute_*) ;;
    *) known=$("$compiler" --help 2>/dev/null | tr ", '" '\n\n\n') ;;
    esac
    echo "$known" | sed -n 's/^compute_\([0-9][0-9]*\)$/\1/p' | sort -nu
}

# clang lists none: those of the table for which it and the toolkit's ptxas make code.
clang_known() {
    echo "$gpus" | while read -r arch _; do
        compiles $cuda_flags --cuda-device-only "--cuda-gpu-arch=sm_$arch" && echo "$arch"
    done
}

# Code of one minor version runs on the later ones of its major version, so the least of each is
# enough; and of those that have units of their own: 7.5 tensor cores of INT8 and mma.sync, 8.6
# twice the FP32, 8.9 FP8.
default_archs() {
    echo "$known" | awk -v least="$least" '$1 >= least {
        major = int($1 / 10)
        if (major != last || $1 == 75 || $1 == 86 || $1 == 89) print
        last = major }'
}

is_known() {
    echo "$known" | grep -qx "$1"
}

check_wanted() {
    for arch in $wanted; do
        case $arch in
        *[!0-9]*) fail "architecture '$arch': must be a number like 70 (compute capability 7.0)" ;;
        esac
        [ "$arch" -ge "$least" ] || fail "architecture $arch: must be $least or more"
        is_known "$arch" || fail "$cuda_compiler does not build for sm_$arch; it knows" $known
    done
}

nvcc_setup() {
    version=$("$compiler" --version | sed -n 's/.*release \([0-9]*\.[0-9]*\),.*/\1/p')
    cuda_compiler="nvcc $version"
    [ "${version%%.*}" -ge 11 ] || fail "$compiler is of CUDA $version, must be 11.0 or newer"
    cuda_flags="-O3 -std=c++17 -Wno-deprecated-gpu-targets"
    cuda_flags="$cuda_flags -Xcompiler -Wall,-Wextra,-Wno-missing-field-initializers"
    # For profilers; CUDA 11.8's ptxas ends with a segmentation fault over it (gpp/cuda/poles.cu).
    [ "${version%%.*}" -eq 11 ] || cuda_flags="$cuda_flags -lineinfo"
    cuda_no_fma=-fmad=false
    cuda_host_only=
    nvcc_host
    cuda_flags="$cuda_flags${cuda_host:+ -ccbin $cuda_host}"
    known=$(nvcc_known)
}

# Each nvcc takes host compilers up to a version of its time: 11.0 gcc 9, 11.8 gcc 11, 12.0 gcc 12,
# 12.4 gcc 13, 12.8 gcc 14, 13.0 gcc 15. A newer one: an older one that is there too.
nvcc_host() {
    cuda_host=${CUDAHOSTCXX-}
    compiles ${cuda_host:+-ccbin "$cuda_host"} && return
    cp "$here/log" "$here/first"
    [ -z "$cuda_host" ] || fail "$cuda_compiler with host compiler $cuda_host:" \
        "$(grep -i error "$here/first" | head -n 1)"
    for cuda_host in g++-15 g++-14 g++-13 g++-12 g++-11 g++-10 g++-9 g++-8; do
        command -v "$cuda_host" >/dev/null && compiles -ccbin "$cuda_host" && return
    done
    fail "$cuda_compiler does not work with this machine's host compiler, nor with a g++-15 to g++-8;" \
        "install an older one and name it with CUDAHOSTCXX=... It said:" \
        "$(grep -i error "$here/first" | head -n 1)"
}

clang_setup() {
    cuda_compiler="clang $("$compiler" --version | sed -n 's/.*clang version \([0-9.]*\).*/\1/p')"
    cuda_flags="-x cuda ${CUDA_ROOT:+--cuda-path=$CUDA_ROOT} -Wno-unknown-cuda-version"
    cuda_flags="$cuda_flags -Wno-unused-command-line-argument -Wno-deprecated-declarations -Wno-pass-failed"
    cuda_flags="$cuda_flags -Wall -Wextra -Wno-missing-braces"
    cuda_flags="$cuda_flags -Wno-missing-field-initializers -O3 -std=c++17 -gline-tables-only"
    cuda_no_fma=-ffp-contract=off
    cuda_host_only=--cuda-host-only
    cuda_host=
    known=$(clang_known)
    [ -n "$known" ] || fail "$cuda_compiler builds no CUDA code with the toolkit ${CUDA_ROOT:-it found}:" \
        "$(grep -i error "$here/log" | head -n 1)"
    first=$(echo "$known" | head -n 1)
    compiles $cuda_flags "--cuda-gpu-arch=sm_$first" || fail "$cuda_compiler:" \
        "$(grep -i error "$here/log" | head -n 1)"
}

# Machine code, and what a driver compiles for GPUs to come.
nvcc_code() { echo "-gencode=arch=compute_$1,code=sm_$1"; }
nvcc_ptx() { echo "-gencode=arch=compute_$1,code=compute_$1"; }
clang_code() { echo "--cuda-gpu-arch=sm_$1"; }
# There is no PTX alone: with the code.
clang_ptx() { echo "--cuda-gpu-arch=sm_$1 --no-cuda-include-ptx=all --cuda-include-ptx=sm_$1"; }

case $("$compiler" --version 2>/dev/null) in
*"clang version"*) kind=clang ;;
*"Cuda compilation tools"*) kind=nvcc ;;
*) fail "$compiler is no CUDA compiler: neither nvcc nor clang" ;;
esac
${kind}_setup
check_wanted
cuda_archs=$(echo ${wanted:-$(default_archs)})
[ -n "$cuda_archs" ] || fail "$cuda_compiler names no architecture of $least or more; give them"

# GPP's many kernels are compiled for GPUs with full-rate FP64; the driver compiles them for others
# from the first architecture's PTX.
cuda_gencode=
gpp_gencode=$(${kind}_ptx "${cuda_archs%% *}")
cuda_gpus=
for arch in $cuda_archs; do
    cuda_gencode="$cuda_gencode $(${kind}_code "$arch")"
    case $arch in
    60 | 70 | 80 | 90 | 100) gpp_gencode="$gpp_gencode $(${kind}_code "$arch")" ;;
    esac
    name=$(echo "$gpus" | sed -n "s/^$arch //p")
    cuda_gpus="$cuda_gpus${cuda_gpus:+; }${arch%?}.${arch#"${arch%?}"} ${name:-GPUs of their time}"
done
cuda_gencode="$cuda_gencode $(${kind}_ptx "${cuda_archs##* }")"

# wgmma is an instruction of sm_90a only (CUDA 12), tcgen05 of sm_100a and sm_103a (CUDA 12.8, 12.9): code
# for it when it is to be built for GPUs of its major version at all.
own_code() {
    for arch in "$@"; do
        code=$(${kind}_code "$arch")
        if compiles $cuda_flags $code; then echo "$code"; fi
    done
}
cuda_gencode_90a= cuda_gencode_100a=
case " $cuda_archs " in *" 90 "*) cuda_gencode_90a=$(own_code 90a) ;; esac
case " $cuda_archs " in
*" 100 "*) cuda_gencode_100a=$(echo $(own_code 100a 103a)) ;;
*" 103 "*) cuda_gencode_100a=$(own_code 103a) ;;
esac

for name in cuda_compiler cuda_archs cuda_gpus cuda_host cuda_flags cuda_gencode gpp_gencode \
    cuda_gencode_90a cuda_gencode_100a cuda_no_fma cuda_host_only; do
    eval "value=\$$name"
    echo "$name='$value'"
done
