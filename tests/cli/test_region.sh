#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rfl_region.h as programs use it: in C and C++, alone and with the timer; the README's example.
. "$top_srcdir/tests/tap.sh"
header=$top_srcdir/analysis/ext/region
roofline=$top_builddir/analysis/roofline
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
LC_ALL=C
export LC_ALL
unset RFL_REGIONS

# build NAME FLAGS... FILE: without a warning; NVTX would make the outcome depend on the machine.
build() {
    build_name=$1
    shift
    $CC -O1 -Wall -Wextra -Wpedantic -Wshadow -Wmissing-prototypes -Werror -DRFL_REGION_NO_NVTX -I"$header" \
        -o "$build_name" "$@" -pthread
}

# field NAME COLUMN [FILE]: of the region's row.
field() {
    awk -F'\t' -v name="$1" -v column="$2" '$1 == name { print $column }' "${3:-times.txt}"
}

# timed WORD: runs events with the timer; its file is times.txt, what it said is said.txt.
timed() {
    rm -f times.txt*
    RFL_REGIONS=times.txt ./events "$1" 2>said.txt
}

# row WANTED NAME [FILE]: calls, threads, flops and bytes of a region.
row() {
    found=$(awk -F'\t' -v name="$2" '$1 == name { print $2, $3, $5, $6 }' "${3:-times.txt}")
    [ "$found" = "$1" ] && return
    echo "'$found', expected '$1'"
    return 1
}

# between LOW HIGH NAME: the seconds of a region.
between() {
    field "$3" 4 | awk -v low="$1" -v high="$2" '{ print; fits = $1 >= low && $1 <= high } END { exit !fits }'
}

# example LANGUAGE: the README's.
example() {
    sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$header/README.md" | sed '/^```/d'
}

example c >example.c
check "the README's example compiles" build example example.c
check "and runs" gives 0 ./example
for standard in gnu99 c11 gnu17; do
    echo '#include <rfl_region.h>
int main(void) { rfl_region_begin("a"); rfl_region_end("a"); return 0; }' >small.c
    check "the header compiles as $standard" build small -std=$standard small.c
done
check "the test's program compiles" build events -std=gnu11 "$top_srcdir/tests/region/events.c"
if echo 'int main() {}' | ${CXX:-c++} -fsyntax-only -x c++ - 2>/dev/null; then
    sed 's/rfl_region_begin("triad");/rfl_region triad("triad");/; s/rfl_region_end("triad");//' \
        example.c >example.cc
    build_cxx() {
        ${CXX:-c++} -Wall -Wextra -Werror -DRFL_REGION_NO_NVTX -I"$header" -o guarded example.cc
    }
    check "a C++ guard compiles" build_cxx
    guarded() { RFL_REGIONS=times.txt ./guarded && row "3 1 6000 72000" triad; }
    check "and ends its region with the block" guarded
else
    skip "a C++ guard" "no C++ compiler"
fi
if command -v gfortran >/dev/null; then
    example fortran >triad.f90
    build_fortran() {
        $CC -c -Wall -Wextra -Werror -DRFL_REGION_NO_NVTX -I"$header" \
            "$header/rfl_region_fortran.c" &&
            gfortran -Wall -Wextra -Werror -o triad "$header/rfl_region.f90" triad.f90 rfl_region_fortran.o
    }
    check "the Fortran module compiles" build_fortran
    fortran() { RFL_REGIONS=times.txt ./triad && row "1 1 2000 24000" triad; }
    check "and its regions are in the file" fortran
else
    skip "the Fortran module" "no gfortran"
fi
if command -v python3 >/dev/null; then
    example python >product.py
    python() { RFL_REGIONS=times.txt PYTHONPATH=$header PYTHONDONTWRITEBYTECODE=1 python3 "$@"; }
    python_example() { python product.py && row "1 1 2000 2400" product && row "1 1 0 0" sum; }
    check "Python's regions are in the file" python_example
    cat >odd.py <<'END'
import os, threading
from rfl_region import region
again = region("a\tb", flops=1)
with again:
    with again:
        pass
threads = [threading.Thread(target=region("thread", bytes=2)(lambda: None)) for _ in range(2)]
for thread in threads:
    thread.start()
    thread.join()
with region("open"):
    is_child = os.fork() == 0
if is_child:
    for name in "open", "child":
        with region(name):
            pass
    raise SystemExit
os.wait()
END
    python_odd() {
        python odd.py && row "1 1 2 0" 'a?b' && row "1 2 0 4" thread && [ -z "$(field child 2)" ]
    }
    check "and nest, of threads, not of a child" python_odd
    python_child() {
        row "1 1 0 0" child "$(ls times.txt.*)" && row "1 1 0 0" open "$(ls times.txt.*)" &&
            [ -z "$(field thread 2 times.txt.*)" ]
    }
    check "whose file is its own" python_child
    check "roofline reads Python's file" prints thread "$roofline" import regions times.txt
else
    skip "the Python module" "no python3"
fi
check "without a listener nothing is said or written" silent 0 ./events wrong
timed nest
check "regions nest in themselves" row "1 1 0 0" outer
check "from their first begin to their last end" between 0.06 30 outer
check "names are told by their letters" row "1 1 0 0" two
check "regions overlap" between 0.02 30 one
check "an end before others ends that region" \
    awk '{ s[$1] = $4 } END { exit !(s["one"] <= s["two"] && s["two"] + 0.015 < s["outer"]) }' times.txt
check "and all this is right" silent 0 cat said.txt
timed wrong
check "an end without a begin is said once" [ "$(grep -c never said.txt)" = 1 ]
check "and is no region" [ -z "$(field never 1)" ]
check "a region that stays open has its row" row "1 1 0 0" open
check "a tab in a name does not break the file" row "2 1 0 0" 'a?b'
timed threads
check "threads: calls of the busiest, work of all" row "201 2 3020 6040" thread
timed pool
check "threads after each other are one" [ "$(field thread 2)" -ge 100 ]
timed fork
check "a parent keeps its counts after fork" row "7 1 70 140" thread
check "and its child begins anew, in a file of its own" row "3 1 30 60" thread "$(ls times.txt.*)"
timed fork-locked
check "a child does not wait for its parent's threads" row "3 1 30 60" thread "$(ls times.txt.*)"
# The next write comes when a thousand times the last one's time has passed: soon, unless the machine is busy.
killed() {
    timed endless &
    for i in $(seq 300); do
        sleep 0.1
        [ "$(field loop 2 2>/dev/null || echo 0)" -ge 2 ] 2>/dev/null && break
    done
    kill -9 "$(cat process)"
    wait
    [ "$(field loop 2)" -ge 2 ]
}
check "a killed program leaves more than its first call" killed
timed many
check "any number of regions" [ "$(wc -l <times.txt)" = 201 ]
per_process() { RFL_REGIONS=t.%p.txt ./events nest && ls t.[0-9]*.txt; }
check "%p is the process" per_process
unwritable() { RFL_REGIONS=/nowhere/times ./events nest; }
check "a file that cannot be written is named" prints "'/nowhere/times' cannot be written" unwritable
timed threads
check "roofline reads the file" prints thread "$roofline" import regions times.txt
done_testing
