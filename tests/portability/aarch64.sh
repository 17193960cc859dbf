#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# aarch64.sh SOURCE: builds for aarch64 by cross compilation and runs the C tests, and the shell tests that
# measure nothing, under qemu-user: with NEON alone all of them, then the kernels and their machine code with
# SVE registers of 128, 256 and 512 bits. `make check-aarch64` calls it in the build folder.
#
# Debian's packages: gcc-aarch64-linux-gnu qemu-user-static mmdebstrap. The libraries come into a folder that
# mmdebstrap fills (aarch64/root, once, 180 MB; or AARCH64_ROOT, with libgomp1 and the -dev packages of libc6,
# libhwloc, libcjson and libcmocka). Where the kernel does not hand programs of aarch64 to qemu, the tests run
# in a user namespace that does (Linux 6.7). AARCH64_TESTS: these instead of all. The last line counts.
set -eu
source=$(cd "$1" && pwd)
mkdir -p aarch64
cd aarch64
here=$(pwd)
root=${AARCH64_ROOT:-$here/root}
triplet=aarch64-linux-gnu
passed=0 failed=0 skipped=0

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ "$failed" -eq 0 ]
    exit
}

skip() {
    echo "check-aarch64: skipped: $*"
    skipped=$((skipped + 1))
    finish
}

qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64) || skip "no qemu-aarch64 (qemu-user-static)"
for program in $triplet-gcc $triplet-objdump; do
    command -v $program >/dev/null || skip "no $program (gcc-aarch64-linux-gnu)"
done
if ! [ -d "$root" ]; then
    command -v mmdebstrap >/dev/null || skip "no AARCH64_ROOT and no mmdebstrap to make one"
    mmdebstrap --quiet --variant=extract --architectures=arm64 \
        --include=libc6-dev,libgomp1,libhwloc-dev,libcjson-dev,libcmocka-dev \
        "${AARCH64_SUITE:-bookworm}" "$root.new" >root.log 2>&1 ||
        { rm -rf "$root.new"; skip "mmdebstrap failed, see $here/root.log"; }
    mv "$root.new" "$root"
fi

PKG_CONFIG_LIBDIR=$root/usr/lib/$triplet/pkgconfig:$root/usr/share/pkgconfig
PKG_CONFIG_SYSROOT_DIR=$root
export PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

# step NAME COMMAND...: with its output in NAME.log.
step() {
    log=$1.log
    shift
    "$@" >"$log" 2>&1 && return
    tail -n 20 "$log"
    echo "check-aarch64: failed: $* ($here/$log)"
    failed=$((failed + 1))
    finish
}

mkdir -p build
cd build
here=$(pwd)
[ -f Makefile ] || step configure "$source/configure" --host=$triplet --enable-werror \
    --without-cuda --without-cairo --without-mpi --without-valgrind \
    CC="${AARCH64_CC:-$triplet-gcc} --sysroot=$root"
step make make -j"$(nproc)"
step make-tests make -j"$(nproc)" check TESTS=

# Programs of aarch64 start others by name, disassemblers too: the kernel knows qemu, and objdump is the
# cross compiler's.
mkdir -p tools
ln -sf "$(command -v $triplet-objdump)" tools/objdump
QEMU_LD_PREFIX=$root
PATH=$here/tools:$PATH
export QEMU_LD_PREFIX PATH
magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
cat >in-namespace <<NAMESPACE
mount -t binfmt_misc none /proc/sys/fs/binfmt_misc &&
    echo ':qemu-aarch64:M::$magic:$mask:$qemu:OF' >/proc/sys/fs/binfmt_misc/register && exec "\$@"
NAMESPACE
within=
if ! ert/ert --version >version.log 2>&1; then
    within="unshare -rm sh $here/in-namespace"
    $within true >version.log 2>&1 ||
        skip "the kernel starts no qemu for aarch64, nor may a user namespace make it ($here/version.log)"
    step version $within ert/ert --version
fi

# run CPU TESTS...: qemu's name of a CPU, whose instruction sets /proc/cpuinfo would have. Tests are counted
# by automake's totals.
run() {
    QEMU_CPU=$1
    export QEMU_CPU
    shift
    case $QEMU_CPU in
    *sve=off*) sets="fp asimd atomics asimdhp asimddp" ;;
    *) sets="fp asimd atomics asimdhp asimddp sve" ;;
    esac
    mkdir -p "$root/proc"
    printf 'Features\t: %s\n' "$sets" >"$root/proc/cpuinfo"
    rm -f tests/*/*.log tests/*/*.trs
    $within make -j"$(nproc)" check TESTS="$*" >"check-$QEMU_CPU.log" 2>&1 || true
    grep -E '^(FAIL|XPASS|ERROR): ' "check-$QEMU_CPU.log" || true
    counts=$(awk '/^# (PASS|XFAIL): /        { passed += $3 }
                  /^# (FAIL|XPASS|ERROR): / { failed += $3 }
                  /^# SKIP: /               { skipped += $3 }
                  END { print passed + 0, failed + (passed + failed == 0), skipped + 0 }' \
        "check-$QEMU_CPU.log")
    echo "$QEMU_CPU: $counts (passed, failed, skipped)"
    set -- $counts
    passed=$((passed + $1)) failed=$((failed + $2)) skipped=$((skipped + $3))
}

kernels="tests/backend/test_code tests/backend/test_cpu tests/backend/test_cpu_kernels
    tests/backend/test_cpu_memory tests/backend/test_cpu_compute"
texts="tests/cli/test_main.sh tests/cli/test_info.sh tests/cli/test_place.sh tests/cli/test_import.sh"
if [ -z "${AARCH64_TESTS:-}" ]; then
    AARCH64_TESTS="$(make -s print-unit-tests) $texts"
    lengths="16 32 64"
fi
run max,sve=off $AARCH64_TESTS
for bytes in ${lengths:-}; do
    run max,sve-default-vector-length=$bytes $kernels
done
finish
