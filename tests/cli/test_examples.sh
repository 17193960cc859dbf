#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# examples/: each is right at odd sizes and numbers of threads, finds wrong results, refuses bad input, and
# tells a recorder its steps. No time is looked at.
. "$top_srcdir/tests/tap.sh"
bin=$top_builddir/examples
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-examples-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# right NAME: sizes of one, of less than a vector, of no round number; more threads than rows.
right() {
    for n in 1 3 13 37; do
        for threads in 1 3; do
            lacks WRONG "$bin/$1" --n $n --threads $threads --repeat 1 || return 1
        done
    done
}

# Steps that the check finds wrong when nothing has been computed: all but those that say why they cannot run.
all_wrong() {
    gives 1 "$bin/$1" --n 13 --threads 2 --repeat 0 >out 2>&1 || return 1
    steps=$(grep -c ': ' out) # one line each of the title, of the last error, and of what did not run
    [ $(($(wc -l <out) - steps - 1)) -eq 0 ] && [ "$(grep -c WRONG out)" -ge 2 ] ||
        { cat out; return 1; }
}

# regions NAME: the regions that it names are its steps, each with the work of two calls.
regions() {
    rm -f regions.*
    RFL_REGIONS=$work/regions "$bin/$1" --n 13 --threads 2 --repeat 2 >out || return 1
    awk 'NR > 2 && $3 != "run:" { print $1 }' out >steps
    sort -t "$(printf '\t')" -k 10n regions.* | awk -F '\t' '$8 > 0 && $9 > 0 { print $2 }' | cmp - steps
}

for name in stream stencil smoother gemm toypush; do
    check "$name: right at odd sizes" right $name
    check "$name: the check fails where nothing was computed" all_wrong $name
    check "$name: a region for each step, with its work" regions $name
    check "$name: --help names the steps" prints "steps" "$bin/$name" --help
    check "$name: no size of 0" answers 2 "n" "$bin/$name" --n 0
    check "$name: no unknown option" answers 2 "unknown option" "$bin/$name" --frobnicate
    check "$name: no unknown step" answers 2 "--help" "$bin/$name" --n 1 --step frobnicate
    check "$name: more than the memory is refused" answers 1 "no memory" \
        sh -c "ulimit -v 1000000; exec '$bin/$name' --threads 1 --n $(
            case $name in gemm) echo 20000 ;; stencil | smoother) echo 2000 ;; *) echo 1000000000 ;; esac)"
done

# Several blocks in each direction: deeper than a panel in L1 and a block in L2, more lines than L2 holds.
check "gemm: right in several blocks" lacks WRONG "$bin/gemm" --n 601 --threads 2 --repeat 1
check "stencil: right in several blocks" lacks WRONG "$bin/stencil" --n 131 --threads 2 --repeat 1

# The work by pen, once more by hand: n 10, a call.
work_of() {
    rm -f regions.*
    RFL_REGIONS=$work/regions "$bin/$1" --n 10 --threads 1 --repeat 1 --step "$2" >out || return 1
    awk -F '\t' -v flops="$3" -v bytes="$4" 'NR == 1 && $8 == flops && $9 == bytes { found = 1 }
        { print } END { exit !found }' regions.*
}
check "stream: 2 flops and 24 bytes an element" work_of stream triad 20 240
check "stencil: 7 flops and 16 bytes a cell" work_of stencil naive 7000 16000
check "smoother: 9 flops and 24 bytes a cell, twice" work_of smoother level-0 18000 48000
check "gemm: 2 n^3 flops, 24 n^2 bytes" work_of gemm 1-naive 2000 2400
check "toypush: 82 flops and 152 bytes a particle, 1000 passes" work_of toypush force-after 820000 1520000
check "toypush: 25 flops and 44 bytes" work_of toypush interpolate-before 250000 440000

check "run: refuses an unknown example" answers 2 "NAME: stream" "$top_srcdir/examples/run" frobnicate
check "run: says what an unbuilt folder lacks" answers 2 "not configured" \
    env BUILD=/nonexistent "$top_srcdir/examples/run" stencil
if python3 -c '' 2>/dev/null; then
    check "conv2d: says what it can, and runs where PyTorch is, else not" sh -c "
        python3 '$top_srcdir/examples/conv2d.py' --only none-of-them >out 2>&1
        case \$? in 0) ;; 3) grep -q 'PyTorch' out ;; *) cat out; false ;; esac"
else
    skip "conv2d: says what it can" "no python3"
fi
done_testing
