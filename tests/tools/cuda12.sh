#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# cuda12.sh [ARCHITECTURE]...: machine code for GPUs that nvcc 13 no longer builds for (default 70, the
# V100), made and checked on a machine without a GPU and without CUDA 12. Run it in the build folder.
#
#   1. cuda12/toolkit: the parts of CUDA 12.9 that PyPI has (headers, runtime, ptxas, libdevice), a
#      fatbinary (CUDA 13's), and a cuobjdump that knows cc 5.0 to 12.0 (12.8, in triton). Clang 19 is
#      the compiler; Debian 12 has it.
#   2. cuda12/sm_NN: ert and ert-gpp built for that architecture alone.
#   3. The tables of both, on standard output and in cuda12/sm_NN.txt: ert's kernels against their
#      claims (ert validate --code-for), and what GPP's hold.
#
# NVCC=PROGRAM [CUDAHOSTCXX=PROGRAM]: with this compiler in place of clang, for instance a site's
# nvcc 12; then steps 2 and 3 only, with the cuobjdump on the PATH where there is no toolkit.
# Exit code 0: every kernel holds its claim; 1: one does not, or there is no build; 3: something is
# missing that only you can install. Needs the network once, 1 GB of disk and some minutes.
set -eu

top=$(cd "$(dirname "$0")/../.." && pwd)
here=$(pwd)/cuda12
toolkit=$here/toolkit
clang=clang++-19

say() {
    echo "cuda12.sh: $*" >&2
}

# Debian's packages, where that needs no password.
install_packages() {
    missing=
    command -v "$clang" >/dev/null || missing="$missing clang-19"
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing="$missing python3-venv"
    [ -n "$missing" ] || return 0
    say "installing$missing"
    as_root=
    [ "$(id -u)" -eq 0 ] || as_root="sudo -n"
    { $as_root apt-get update && $as_root apt-get install -y --no-install-recommends $missing; } \
        </dev/null >"$here/apt.log" 2>&1 && return
    say "missing; as administrator: apt-get update && apt-get install$missing"
    exit 3
}

# clang 19 asks for images in words that fatbinary 13 no longer knows.
write_fatbinary() {
    cat >"$toolkit/bin/fatbinary" <<'WRAPPER'
#!/bin/sh
for word in "$@"; do
    shift
    case $word in
    --image=profile=sm_*) set -- "$@" "--image3=kind=elf,sm=${word#--image=profile=sm_}" ;;
    --image=profile=compute_*) set -- "$@" "--image3=kind=ptx,sm=${word#--image=profile=compute_}" ;;
    *) set -- "$@" "$word" ;;
    esac
done
WRAPPER
    echo "exec '$1/cu13/bin/fatbinary' \"\$@\"" >>"$toolkit/bin/fatbinary"
    chmod +x "$toolkit/bin/fatbinary"
}

# The wheels' parts as a toolkit, links into the virtual environment.
link_toolkit() {
    parts=$(echo "$here"/venv/lib/python3*/site-packages/nvidia)
    rm -rf "$toolkit"
    mkdir -p "$toolkit/bin" "$toolkit/include" "$toolkit/lib64"
    for part in cuda_cccl cuda_runtime cuda_nvcc; do
        cp -rsf "$parts/$part/include/." "$toolkit/include/"
    done
    cp -rs "$parts/cuda_nvcc/nvvm" "$toolkit/nvvm"
    ln -s "$parts"/cuda_runtime/lib/*.a "$toolkit/lib64/"
    ln -s "$parts/cuda_nvcc/bin/ptxas" "$toolkit/bin/"
    for tool in cuobjdump nvdisasm; do
        ln -s "${parts%/nvidia}/triton/backends/nvidia/bin/$tool" "$toolkit/bin/"
    done
    write_fatbinary "$parts"
}

make_toolkit() {
    [ -x "$toolkit/bin/fatbinary" ] && return
    say "fetching CUDA 12.9 into $here (log: $here/pip.log)"
    rm -rf "$here/venv"
    python3 -m venv "$here/venv"
    "$here/venv/bin/pip" install --no-deps nvidia-cuda-nvcc-cu12==12.9.86 \
        nvidia-cuda-runtime-cu12==12.9.79 nvidia-cuda-cccl-cu12==12.9.27 \
        nvidia-cuda-nvcc==13.0.88 triton==3.5.0 >"$here/pip.log" 2>&1 ||
        { tail -n 3 "$here/pip.log" >&2; say "pip failed: is there a network?"; exit 3; }
    link_toolkit
}

# Sources that are configured in place cannot be configured elsewhere: a copy of them can.
find_sources() {
    sources=$top
    [ -f "$top/config.status" ] || return 0
    sources=$here/sources
    (cd "$top" && make distdir distdir=cuda12/sources) >"$here/sources.log" 2>&1 ||
        { tail -n 5 "$here/sources.log" >&2; exit 1; }
}

# build FOLDER ARCHITECTURE
build() {
    mkdir -p "$1"
    say "building for sm_$2 with $NVCC (log: $1/build.log)"
    (
        cd "$1"
        [ -f Makefile ] || "$sources/configure" --without-cairo --with-cuda-arch="$2" NVCC="$NVCC" \
            ${path:+--with-cuda-path="$path"}
        make ert/core/machine/build_info.h && make ert/ert gpp/ert-gpp lib/ert/ert-cuda.so
    ) >"$1/build.log" 2>&1 || { tail -n 5 "$1/build.log" >&2; exit 1; }
}

# The versions whose kernels an object file holds.
gpp_versions() {
    cuobjdump -arch "sm_$2" -sass "$1" | sed -n 's/.*Function : .*gpp_\(v[0-9]*\)ILi2E.*/\1/p' | sort -V
}

# FP64 instructions of one of GPP's kernels, whole and not only its loop, of the case of two energies;
# "of" is how the file was compiled: fmao or nofmao.
gpp_row() {
    version=$4
    name="gpp_${version}ILi2E"
    cuobjdump -arch "sm_$3" -sass "$1" | awk -v name="$name" -v version="$version" -v of="${2%o}" \
        -v registers="$(cuobjdump -arch "sm_$3" -res-usage "$1" 2>&1 | grep -A1 "$name" |
            sed -n 's/.*REG:\([0-9]*\).*/\1/p')" '
        /Function : /      { inside = index($0, name) }
        inside && /DFMA /  { fma++ }
        inside && /DADD /  { add++ }
        inside && /DMUL /  { mul++ }
        inside && /MUFU/   { mufu++ }
        inside && / (LDL|STL)[. ]/ { spill++ }
        END { printf "  %-8s  %-5s  %9d  %4d  %4d  %4d  %4d  %8d\n", version, of, registers,
                     fma, add, mul, mufu, spill }'
}

# tables FOLDER ARCHITECTURE: fails when code is not what its claim says.
tables() {
    capability=${2%?}.${2#"${2%?}"}
    echo "sm_$2: $(sed -n 's/^#define ERT_BUILD_NVCC "\(.*\)"/\1/p' "$1/ert/ext/cuda/build.h")," \
        "$(cuobjdump --version | sed -n 's/.*\(release [0-9.]*\).*/cuobjdump \1/p')"
    echo
    verdict=0
    "$1/ert/ert" validate --code-for "$capability" || verdict=1
    echo
    echo "  GPP, two energies: instructions of the whole kernel"
    echo
    echo "  version   FMA    registers  DFMA  DADD  DMUL  MUFU  LDL+STL"
    for object in fmao nofmao; do
        for file in "$1"/gpp/cuda/*.$object; do
            for version in $(gpp_versions "$file" "$2"); do
                gpp_row "$file" $object "$2" "$version"
            done
        done
    done
    return $verdict
}

mkdir -p "$here"
path=
if [ -z "${NVCC-}" ]; then
    install_packages
    make_toolkit
    NVCC=$clang path=$toolkit
fi
[ -d "$toolkit/bin" ] && PATH=$toolkit/bin:$PATH
export PATH
if ! command -v cuobjdump >/dev/null; then
    say "no cuobjdump on the PATH"
    exit 3
fi
find_sources
status=0
for arch in ${*:-70}; do
    build "$here/sm_$arch" "$arch"
    tables "$here/sm_$arch" "$arch" >"$here/sm_$arch.txt" || status=1
    cat "$here/sm_$arch.txt"
done
exit $status
