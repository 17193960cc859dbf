#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh [SECONDS] [READER]...: libFuzzer over each reader (default all) of tests/fuzz/readers.c, the seconds
# (default 600) divided among them; `make fuzz FUZZ_TIME=600` is the same. Run it in the build folder. Builds
# the fuzzer with clang, AddressSanitizer and UndefinedBehaviorSanitizer in fuzz-build/ beside it, where also
# what it learns (corpus/) and finds (READER-crash-*) goes. What it finds, mended, goes to
# tests/data/corpus/READER by a name that says what it was.
# Exit code: 0 nothing found, 1 findings or no build, 77 no clang with libFuzzer.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-600}
[ $# -gt 0 ] && shift
CC=${FUZZ_CC:-clang}
flags='-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined'

mkdir -p fuzz-build && cd fuzz-build
echo 'int LLVMFuzzerTestOneInput(void); int LLVMFuzzerTestOneInput(void) { return 0; }' >probe.c
if ! $CC -fsanitize=fuzzer,address,undefined probe.c -o probe 2>/dev/null; then
    echo "fuzz: skipped: no clang with libFuzzer here ($CC; Debian: clang, libclang-rt-14-dev, libomp-14-dev)"
    exit 77
fi
rm -f probe probe.c
if ! [ -f Makefile ]; then
    "$top/configure" --without-cuda --without-cairo CC="$CC" CFLAGS="$flags" >configure.log 2>&1 ||
        { tail -n 5 configure.log; exit 1; }
fi
make tests/fuzz/fuzz >make.log 2>&1 || { tail -n 20 make.log; exit 1; }

[ $# -gt 0 ] || set -- $(tests/fuzz/fuzz)
each=$((seconds / $#))
[ $each -gt 0 ] || each=1
status=0
export LSAN_OPTIONS="suppressions=$top/tests/lsan.supp:print_suppressions=0"
for reader; do
    mkdir -p "corpus/$reader"
    seeds=
    for folder in "$top/tests/data/corpus/$reader" "$top/tests/data/${reader%%-*}"; do
        [ -d "$folder" ] && seeds="$seeds $folder"
    done
    found=
    READER=$reader tests/fuzz/fuzz -max_total_time=$each -timeout=20 -rss_limit_mb=4096 -verbosity=1 \
        -max_len=65536 -artifact_prefix="$reader-" "corpus/$reader" $seeds >"$reader.log" 2>&1 || found=yes
    runs=$(sed -n 's/^Done \([0-9]*\) runs in.*/\1/p; s/^#\([0-9]*\).*/\1/p' "$reader.log" | tail -n 1)
    echo "$reader: ${runs:-0} runs in at most $each s${found:+; FOUND: $(grep -E '^SUMMARY|runtime error' \
        "$reader.log" | head -n 1), fuzz-build/$reader.log}"
    [ -z "$found" ] || status=1
done
exit $status
