#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The Valgrind tool against work that is counted by hand (tests/valgrind/work.c).
. "$top_srcdir/tests/tap.sh"
tool=$top_builddir/analysis/ext/record/valgrind
roofline=$top_builddir/analysis/roofline
if ! [ -x "$tool/roofline-amd64-linux" ] || ! command -v valgrind >/dev/null; then
    echo "1..0 # SKIP no Valgrind tool was built: it needs Valgrind's libraries for tools (Debian: valgrind)"
    exit 0
fi
if ! grep -qw avx2 /proc/cpuinfo || ! grep -qw fma /proc/cpuinfo; then
    echo "1..0 # SKIP the processor has no AVX2 and FMA"
    exit 0
fi
tool=$(cd "$tool" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
LC_ALL=C
export LC_ALL
unset RFL_REGIONS VALGRIND_OPTS

# Without sanitizers, which Valgrind cannot run; without NVTX, whose work would be counted.
build() {
    $KERNEL_CC -std=gnu11 -Wall -Wextra -Werror -O2 -fno-tree-vectorize -ffp-contract=off -mavx2 -mfma \
        -DRFL_REGION_NO_NVTX -I"$top_srcdir/analysis/ext/region" -o work "$top_srcdir/tests/valgrind/work.c" \
        -pthread
}

# count FILE OPTION... PROGRAM...: runs it under the tool.
count() {
    count_file=$1
    shift
    VALGRIND_LIB=$tool valgrind --tool=roofline --out-file="$count_file" "$@"
}

# counted REGION COLUMN [FILE]: the sum of the region's rows.
counted() {
    awk -F'\t' -v region="$1" -v name="$2" '
        /^#/ { next }
        $1 == "region" { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        $1 == region { sum += $column }
        END { printf "%d\n", sum }' "${3:-counts.txt}"
}

# is WANTED REGION COLUMN [FILE]
is() {
    found=$(counted "$2" "$3" "$4")
    [ "$found" = "$1" ] && return
    echo "$3 of $2 is $found, must be $1"
    return 1
}

# within PERCENT WANTED REGION COLUMN
at_most() {
    counted "$2" "$3" | awk -v most="$1" '{ print; exit !($1 <= most) }'
}

within() {
    counted "$3" "$4" | awk -v percent="$1" -v wanted="$2" '
        { print; exit !($1 >= wanted * (1 - percent / 100) && $1 <= wanted * (1 + percent / 100)) }'
}

check "the programs compile" build
kernels() { count counts.txt ./work kernels >wanted.txt 2>said.txt; }
check "kernels run" kernels
check "there is much to compare" [ "$(wc -l <wanted.txt)" -ge 50 ]
check "every kernel's flops and bytes are exact" \
    empty awk -F '\t' -f "$top_srcdir/tests/valgrind/wrong_counts.awk" wanted.txt counts.txt
check "roofline reads the file" prints "fma_unaligned" "$roofline" import auto counts.txt

check "FMAs round as the CPU's own" prints "$(./work rounds)" count counts.txt ./work rounds

# 1003 doubles in each of three arrays
triad=$((2 * 1003))
count counts.txt ./work threads >said.txt 2>&1
check "two threads: the region of each" is $((2 * triad)) "on thread" fp64_flops_scalar
check "a region of one thread has the work of all" is $((5 * triad)) main fp64_flops_scalar
count counts.%p.txt ./work fork >said.txt 2>&1
child=$(grep -l child counts.[0-9]*.txt) parent=$(grep -L child counts.[0-9]*.txt)
check "of a child only its own threads are rows" [ "$(grep -c '^whole run' "$child")" = 1 ]
check "a child counts what it does" is $((4 * 501)) child fp64_flops_128 "$child"
check "and nothing of its parent's" is 2 "whole run" fp64_flops_scalar "$child"
check "a parent counts what it does" is $triad "whole run" fp64_flops_scalar "$parent"

# A word with a line end and a tab, which are no row.
count counts.txt ./work "$(printf 'a\nb\tc')" >said.txt 2>&1
check "a program's words are one line" prints "whole run" "$roofline" import auto counts.txt
count counts.txt ./work long >said.txt 2>&1
check "a long name is cut as the timer cuts it" is $triad "$(printf '%063d' 0)" fp64_flops_scalar

check "AVX-512 is named" answers 132 "build it for counting with -march=x86-64-v3" \
    count counts.txt ./work evex
check "what was counted before it is kept" is $triad before fp64_flops_scalar
check "but is no count of the run" answers 3 "AVX-512 instructions, which Valgrind does not know" \
    "$roofline" import auto counts.txt
check "nor is it with the counts of a shell around it" \
    answers 3 "counts of a part of the run" "$roofline" record --out evex -- sh -c './work evex; :'
check "of that the time is kept" grep -q '"time_s"' evex/points.json
check "and nothing else" unfound grep '"count":' evex/points.json
check "what is only there, and not run, is no such instruction" ./work unused-evex
count counts.txt ./work unused-evex >said.txt 2>&1
check "and stops nothing" prints "whole run" "$roofline" import auto counts.txt

if grep -qw avx512f /proc/cpuinfo; then
    count counts.txt ./work cpuid >said.txt 2>&1
    check "who chooses by a CPU without AVX-512 is named" grep -q '^# chooses: work$' counts.txt
    check "which its point says" prints "work chooses its code by the CPU" "$roofline" import auto counts.txt
    count counts.txt ./work none >said.txt 2>&1
    check "the dynamic linker does not count" unfound grep -q '^# chooses' counts.txt
fi

# Without marks: functions and innermost loops, by symbols and lines.
loops=$top_srcdir/tests/valgrind/loops.c
$KERNEL_CC -std=gnu11 -O1 -g -fno-tree-vectorize -ffp-contract=off -o loops "$loops" || exit 1
loop() { echo "$1: loop at loops.c:$(grep -n "/\* $1 \*/" "$loops" | cut -d: -f1) [loops]"; }
count counts.txt --by-code=yes ./loops 3 >said.txt 2>&1
N=100003
check "a loop of a function" is $((3 * 2 * N)) "$(loop triad)" fp64_flops_scalar
check "with what it loads" is $((3 * 16 * N)) "$(loop triad)" load_bytes
check "and stores" is $((3 * 8 * N)) "$(loop triad)" store_bytes
check "of nested loops the inner one" is $((3 * 2 * 2 * N)) "$(loop inner)" fp64_flops_scalar
check "beside others of a function" is $((3 * N)) "$(loop main)" fp64_div_flops_scalar
# A product and a sum are 3 cycles each, a division 10, a load 4; those within the first window overlap with
# what was before.
chained() {
    counted "$3" "$4" |
        awk -v all=$(($1 * $2)) '{ print; exit !($1 <= all && $1 >= 0.999 * all) }'
}
check "a chain of a product and a sum" chained 6 $((3 * 2 * N)) "$(loop inner)" chain_cycles
check "of a division" chained 13 $N "$(loop indexed)" chain_cycles
check "indices are no chain of loads" is 0 "$(loop indexed)" chain_loads
check "a list is: four nodes a line" chained 1 $((N / 4)) "$(loop chase)" chain_loads
# The line of its jump back is the compiler's choice.
through_blocks() {
    awk -F'\t' -v wanted=$((6 * N)) '
        $1 == "region" { for (i = 1; i <= NF; i++) if ($i == "chain_cycles") column = i }
        $1 ~ /^blocks/ { sum += $column }
        END { print sum; exit !(sum > 0.99 * wanted && sum < 1.01 * wanted) }' counts.txt
}
check "a chain goes through blocks" through_blocks
check "short ones overlap" at_most $((3 * N / 6)) "$(loop sums)" chain_cycles
check "as do independent elements" at_most $((3 * 2 * N / 6)) "$(loop triad)" chain_cycles
check "all rows of code are the whole run, but for what is negligible" \
    [ "$(awk -F'\t' '$2 == "code" { n += $5 } $1 == "whole run" { all += $5 }
        END { print (n > 0.98 * all && n <= all) }' counts.txt)" = 1 ]
count counts.txt ./loops 3 >said.txt 2>&1
check "without the option there are none" unfound grep -q code: counts.txt

# Of calls only some, for all.
cat >steps.c <<'CODE'
#include <rfl_region.h>
double a[1003], b[1003], c[1003];
int main(void)
{
    for (int step = 0; step < 11; step++) {
        rfl_region_begin("step");
        for (int i = 0; i < 1003; i++)
            a[i] = b[i] + 3.0 * c[i];
        rfl_region_end("step");
    }
    return a[5] > 0;
}
CODE
$KERNEL_CC -std=gnu11 -O1 -ffp-contract=off -fno-tree-vectorize -DRFL_REGION_NO_NVTX \
    -I"$top_srcdir/analysis/ext/region" -o steps steps.c -pthread || exit 1
count counts.txt ./steps >said.txt 2>&1
all=$(counted step instructions)
count counts.txt --window=2 ./steps >said.txt 2>&1
check "the first calls of a region stand for all" is $((11 * triad)) step fp64_flops_scalar
check "as often as it was called" is 11 step calls
check "with their instructions" within 1 "$all" step instructions
check "and nothing else is counted" is 0 "whole run" instructions
check "roofline says so" prints "counted in its first 2 calls only" "$roofline" import auto counts.txt
count counts.txt --window=2 ./loops 1 >said.txt 2>&1
check "a program without regions has none" prints "has no regions" cat said.txt

# In caches of 8 KiB, 64 KiB and 512 KiB, of one kind.
caches="--L1=8192,8,64 --L2=65536,8,64 --L3=524288,16,64"
# Each of 10 passes over three arrays of n doubles: reads two, writes one that it reads first.
for row in "L2 1024" "L3 10240" "DRAM 131072"; do
    set -- $row
    level=$1 n=$2
    count counts.txt $caches ./work triad "$n" 10 >said.txt 2>&1
    check "triad beyond what is before $level: 3 arrays are read" \
        within 5 $((10 * 24 * n)) triad "${level}_read"
    check "and 1 is written back" within 5 $((10 * 8 * n)) triad "${level}_written"
    case $level in
    L2) check "and nothing goes to L3" at_most 512 triad L3_read ;;
    L3) check "and nothing goes to DRAM" within 0 0 triad DRAM_read ;;
    esac
done
check "each line is touched first once" within 15 $((24 * 131072)) "whole run" first_touched
check "and not again in passes" at_most 0 triad first_touched
count counts.txt $caches ./work strided 2000 10 >said.txt 2>&1
check "lines at a power of two apart: out of L2" within 5 $((10 * 2000 * 64)) strided L3_read
check "but in L3, whose sets are hashed" at_most 64000 strided DRAM_read
count counts.txt $caches ./work streamed 131072 10 >said.txt 2>&1
check "streaming stores read two arrays only" within 5 $((10 * 16 * 131072)) triad DRAM_read
check "write one to memory" within 5 $((10 * 8 * 131072)) triad DRAM_written
check "and nothing to L2 but what was dirty before" [ "$(counted triad L2_written)" -le 8192 ]
count counts.txt --L1=8192,8,64 --L2=none --L3=none ./work triad 131072 10 >said.txt 2>&1
check "one cache alone" within 5 $((10 * 24 * 131072)) triad DRAM_read
check "a cache of no whole number of sets is refused" answers 1 "must be SIZE,WAYS,LINE" \
    count counts.txt --L1=1000,3,64 ./work kernels
check "nor is one of more ways than 32 bits count" answers 1 "must be SIZE,WAYS,LINE" \
    count counts.txt --L1=4096,4294967304,64 ./work kernels
check "a file that cannot be written is named" prints "cannot be written" count /nowhere/counts ./work none
done_testing
