#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What configure finds out about a CUDA compiler (ert/ext/cuda/toolchain.sh), with programs that
# stand in for nvcc 11.0 to 13.0 and for clang: which architectures, flags and host compiler.
. "$top_srcdir/tests/tap.sh"
script=$top_srcdir/ert/ext/cuda/toolchain.sh
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-toolchain-XXXXXX")
trap 'rm -rf "$work"' EXIT
unset CUDAHOSTCXX CUDA_ROOT

# A stand-in for nvcc: $VERSION, $KNOWN (architectures), $HOSTS (host compilers that it takes; "own"
# is its own choice). Like the real one: 11.0 has no --list-gpu-arch, 13 refuses what it dropped.
cat >"$work/nvcc" <<'NVCC'
#!/bin/sh
case $1 in
--version)
    echo "nvcc: NVIDIA (R) Cuda compiler driver"
    echo "Cuda compilation tools, release $VERSION, V$VERSION.88"
    exit
    ;;
--list-gpu-arch)
    [ "$VERSION" = 11.0 ] && { echo "nvcc fatal   : Unknown option '--list-gpu-arch'" >&2; exit 1; }
    for arch in $KNOWN; do echo "compute_$arch"; done
    exit
    ;;
--help)
    echo "        Allowed values for this option:  'compute_35',"
    for arch in $KNOWN; do printf "'compute_%s','sm_%s'," "$arch" "$arch"; done
    echo "'lto_80'."
    exit
    ;;
esac
host=own
while [ $# -gt 0 ]; do
    case $1 in
    -ccbin) host=$2; shift ;;
    -gencode=*90a*) case $VERSION in 11.*) echo "nvcc fatal: Unsupported gpu" >&2; exit 1 ;; esac ;;
    -gencode=*a) case $VERSION in 13.*) ;; *) echo "nvcc fatal: Unsupported gpu" >&2; exit 1 ;; esac ;;
    -gencode=*)
        arch=${1##*_}
        case " $KNOWN " in *" $arch "*) ;; *) echo "nvcc fatal: Unsupported gpu" >&2; exit 1 ;; esac
        ;;
    esac
    shift
done
case " $HOSTS " in
*" $host "*) ;;
*) echo "#error -- unsupported GNU version! gcc versions later than 11 are not supported!" >&2; exit 1 ;;
esac
NVCC

# A stand-in for clang: $KNOWN is what it and its toolkit make code for.
cat >"$work/clang++" <<'CLANG'
#!/bin/sh
[ "$1" = --version ] && { echo "Debian clang version 19.1.7 (3~deb12u1)"; exit; }
for word in "$@"; do
    case $word in
    --cuda-gpu-arch=sm_*)
        case " $KNOWN " in
        *" ${word#--cuda-gpu-arch=sm_} "*) ;;
        *) echo "clang: error: unsupported CUDA gpu architecture: $word" >&2; exit 1 ;;
        esac
        ;;
    esac
done
CLANG
printf '#!/bin/sh\necho "gcc (Debian 12.2.0) 12.2.0"\n' >"$work/gcc"
for name in 12 11; do printf '#!/bin/sh\n' >"$work/g++-$name"; done
chmod +x "$work"/*

old="50 52 53 60 61 62 70 72 75 80"
PATH=$work:$PATH
HOSTS=own
export VERSION KNOWN HOSTS PATH

# nvcc VERSION KNOWN: the compiler that stands there from now on.
nvcc() {
    VERSION=$1 KNOWN=$2
    compiler=$work/nvcc
}

# found NAME VALUE [ARCHITECTURES]: what the script says of a name.
found() {
    sh "$script" "$compiler" "${3-}" >"$work/out" 2>"$work/err" ||
        { cat "$work/err"; return 1; }
    (eval "$(cat "$work/out")"
     eval "value=\$$1"
     [ "$value" = "$2" ] || { echo "$1 is '$value', must be '$2'"; exit 1; })
}

# has NAME WORD: the same, as one word of several; lacks: not.
has() {
    sh "$script" "$compiler" "${3-}" >"$work/out" && grep "^$1=.*[' ]$2[' ]" "$work/out"
}
lacks() {
    sh "$script" "$compiler" "${3-}" >"$work/out" && ! grep "^$1=.*$2" "$work/out"
}

# refuses TEXT [ARCHITECTURES]: fails and says why.
refuses() {
    ! sh "$script" "$compiler" "${2-}" >"$work/out" 2>"$work/err" && ! [ -s "$work/out" ] &&
        grep -q -e "$1" "$work/err" || { cat "$work/err"; return 1; }
}

nvcc 11.0 "$old"
check "11.0: version" found cuda_compiler "nvcc 11.0"
check "11.0: architectures" found cuda_archs "60 70 75 80"
check "11.0: GPUs by name" found cuda_gpus "6.0 P100; 7.0 V100, Titan V; 7.5 T4, RTX 20; 8.0 A100, A30"
check "11.0: no wgmma" found cuda_gencode_90a ""
check "11.0: what was dropped is not said aloud" has cuda_flags -Wno-deprecated-gpu-targets
nvcc 11.8 "35 37 $old 86 87 89 90"
check "11.8: architectures" found cuda_archs "60 70 75 80 86 89 90"
check "11.8: no wgmma" found cuda_gencode_90a ""
check "11.8: no lines, over which its ptxas crashes" lacks cuda_flags -lineinfo
check "11.8: code" has cuda_gencode -gencode=arch=compute_70,code=sm_70
check "11.8: PTX of the newest" has cuda_gencode -gencode=arch=compute_90,code=compute_90
check "11.8: GPP only for full-rate FP64" lacks gpp_gencode code=sm_75
check "11.8: GPP's code" has gpp_gencode -gencode=arch=compute_70,code=sm_70
check "11.8: GPP's PTX" has gpp_gencode -gencode=arch=compute_60,code=compute_60
nvcc 12.0 "$old 86 87 89 90"
check "12.0: architectures" found cuda_archs "60 70 75 80 86 89 90"
check "12.0: lines for profilers" has cuda_flags -lineinfo
check "12.0: wgmma" found cuda_gencode_90a -gencode=arch=compute_90a,code=sm_90a
check "12.0: wgmma only with 9.0" found cuda_gencode_90a "" "70 80"
nvcc 12.8 "$old 86 87 89 90 100 101 120"
check "12.8: architectures" found cuda_archs "60 70 75 80 86 89 90 100 120"
check "12.8: one architecture" found cuda_archs 70 70
check "12.8: a list with commas" found cuda_archs "70 90" 70,90
check "12.8: one GPU" found cuda_gpus "7.0 V100, Titan V" 70
check "12.8: capability 12.0" found cuda_gpus "12.0 RTX PRO Blackwell, RTX 50" 120
nvcc 13.0 "75 80 86 87 88 89 90 100 103 110 120 121"
check "13.0: architectures" found cuda_archs "75 80 86 89 90 100 110 120"
b200=-gencode=arch=compute_100a,code=sm_100a b300=-gencode=arch=compute_103a,code=sm_103a
check "13.0: tcgen05 for both" found cuda_gencode_100a "$b200 $b300"
check "13.0: tcgen05 for one" found cuda_gencode_100a "$b300" "90 103"
check "13.0: tcgen05 only with 10.x" found cuda_gencode_100a "" "90 120"
check "13.0: no V100" refuses "nvcc 13.0 does not build for sm_70; it knows 75 80 86" 70
check "13.0: no code for what has none" lacks cuda_gencode sm_70

check "what is no architecture" refuses "architecture '9.0': must be a number like 70" 9.0
check "too old an architecture" refuses "architecture 53: must be 60 or more" 53
nvcc 10.2 "$old"
check "too old a CUDA" refuses "is of CUDA 10.2, must be 11.0 or newer"
compiler=$work/gcc
check "no CUDA compiler" refuses "neither nvcc nor clang"
compiler=$work/none
check "no such program" refuses "neither nvcc nor clang"

# gcc 12 with CUDA 11: an older g++ where there is one, else a reason.
nvcc 11.8 "$old"
check "its own host compiler" found cuda_host ""
HOSTS=g++-11
check "an older host compiler" found cuda_host g++-11
check "which the flags name" has cuda_flags "-ccbin g++-11"
HOSTS=none
check "no host compiler that it takes" refuses "CUDAHOSTCXX=.*gcc versions later than 11"
HOSTS=own CUDAHOSTCXX=g++-12
export CUDAHOSTCXX
check "one that was named and does not do" refuses "nvcc 11.8 with host compiler g++-12: .*later than 11"
unset CUDAHOSTCXX

compiler=$work/clang++ KNOWN="60 70 75 80 86 89 90 90a" CUDA_ROOT=/opt/cuda-12
export CUDA_ROOT
check "clang: version" found cuda_compiler "clang 19.1.7"
check "clang: architectures" found cuda_archs "60 70 75 80 86 89 90"
check "clang: code" has cuda_gencode --cuda-gpu-arch=sm_70
check "clang: wgmma" found cuda_gencode_90a --cuda-gpu-arch=sm_90a
check "clang: toolkit" has cuda_flags --cuda-path=/opt/cuda-12
check "clang: no FMA" found cuda_no_fma -ffp-contract=off
check "clang: an architecture that it lacks" refuses "clang 19.1.7 does not build for sm_100" 100
KNOWN=
check "clang: no toolkit" refuses "builds no CUDA code with the toolkit /opt/cuda-12:"

# An MPI compiler by its name, as in the help of configure: that one, not the first on the PATH.
named_mpi() {
    source=$(readlink -f "$top_srcdir")
    mkdir -p "$work/configured"
    printf '#!/bin/sh\nexit 1\n' >"$work/configured/other-mpicc"
    chmod +x "$work/configured/other-mpicc"
    (cd "$work/configured" && PATH=${PATH#"$work:"}:. "$source/configure" --without-valgrind \
        --with-mpi=other-mpicc)
}
check "the MPI compiler that is named" \
    answers 1 "--with-mpi given, but other-mpicc builds no program" named_mpi
done_testing
