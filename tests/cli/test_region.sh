#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rfl_region.h as programs use it: in C and C++, alone, with a file of sums, and with LIKWID's library; the
# README's example.
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

# field NAME COLUMN [FILE]: of the region's rows.
field() {
    awk -F'\t' -v name="$1" -v column="$2" '$2 == name { print $column }' "${3:-times.txt}"
}

# sums: the files of a program's processes as one, times.txt.
sums() {
    cat sums.* >times.txt && rm sums.*
}

# timed WORD: runs events with a file; of its child as child.txt.
timed() {
    rm -f sums.* child.txt
    RFL_REGIONS=sums ./events "$1" 2>said.txt
    if [ -e child ]; then
        mv "sums.$(cat child)" child.txt
        rm child
    fi
    sums
}

# row WANTED NAME [FILE]: the calls of the thread with the most, threads, flops and bytes of a region.
row() {
    found=$(awk -F'\t' -v name="$2" '
        $2 == name { n++; calls = $6 > calls ? $6 : calls; flops += $8; bytes += $9 }
        END { if (n) print calls, n, flops, bytes }' "${3:-times.txt}")
    [ "$found" = "$1" ] && return
    echo "'$found', expected '$1'"
    return 1
}

# between LOW HIGH NAME: the seconds of a region.
between() {
    field "$3" 7 | awk -v low="$1" -v high="$2" '
        { print; fits = $1 >= 1e6 * low && $1 <= 1e6 * high } END { exit !fits }'
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
    guarded() { RFL_REGIONS=sums ./guarded && sums && row "3 1 6000 72000" triad; }
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
    fortran() { RFL_REGIONS=sums ./triad && sums && row "1 1 2000 24000" triad; }
    check "and its regions are in the file" fortran
else
    skip "the Fortran module" "no gfortran"
fi
if command -v python3 >/dev/null; then
    example python >product.py
    python() { RFL_REGIONS=sums PYTHONPATH=$header PYTHONDONTWRITEBYTECODE=1 python3 "$@"; }
    python_example() { python product.py && sums && row "1 1 2000 2400" product && row "1 1 0 0" sum; }
    check "Python's regions are in the file" python_example
    cat >odd.py <<'END'
import os, threading
from rfl_region import region
again = region("a\tb", flops=1)
with again:
    with again:
        pass
both = threading.Barrier(2)
threads = [threading.Thread(target=region("thread", bytes=2)(both.wait)) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
with region("open"):
    is_child = os.fork() == 0
if is_child:
    print(os.getpid(), file=open("child", "w"))
    for name in "open", "child":
        with region(name):
            pass
    raise SystemExit
os.wait()
END
    python_odd() {
        python odd.py && mv "sums.$(cat child)-py" child.txt && rm child && sums &&
            row "1 1 2 0" 'a?b' && row "1 2 0 4" thread && row "" child
    }
    check "and nest, of threads, not of a child" python_odd
    python_child() {
        row "1 1 0 0" child child.txt && row "1 1 0 0" open child.txt && row "" thread child.txt
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
    awk -F'\t' '{ e[$2] = $11 } END { exit !(e["one"] <= e["two"] && e["two"] + 15e3 < e["outer"]) }' \
    times.txt
check "and all this is right" silent 0 cat said.txt
timed wrong
check "an end without a begin is no region" lacks never "$roofline" import regions times.txt
check "a region that stays open has its row" row "1 1 0 0" open
check "and is said" prints "a begin without an end" "$roofline" import regions times.txt
check "a tab in a name does not break the file" row "2 1 0 0" 'a?b'
timed threads
check "threads: calls of the busiest, work of all" row "201 2 3020 6040" thread
timed pool
check "threads after each other are one" [ "$(field thread 6 | sort -n | tail -n 1)" -ge 100 ]
timed fork
check "a parent keeps its counts after fork" row "7 1 70 140" thread
check "and its child begins anew, in a file of its own" row "3 1 30 60" thread child.txt
timed many
check "many regions" [ "$(wc -l <times.txt)" = 200 ]
unwritable() { RFL_REGIONS=/nowhere/times ./events nest; }
check "a file that cannot be written is named" prints "' cannot be written" unwritable

# Libraries that write down their calls; a program of two files, with a thread and a child.
cat >listener.c <<'END'
#include <stdio.h>
#define CALL(name) int name(const char *region) { return printf("%s %s\n", #name, region); }
#define PLAIN(name) void name(void) { puts(#name); }
CALL(likwid_markerStartRegion) CALL(likwid_markerStopRegion)
PLAIN(likwid_markerInit) PLAIN(likwid_markerThreadInit) PLAIN(likwid_markerClose)
END
cat >first.c <<'END'
#include <rfl_region.h>
#include <sys/wait.h>
void second(void);
static void *run(void *nothing)
{
    rfl_region_begin("on thread");
    rfl_region_end("on thread");
    return nothing;
}
int main(void)
{
    pthread_t thread;
    rfl_region_begin("main");
    second();
    rfl_region_end("main");
    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
    fflush(stdout);
    if (fork() == 0)
        return 0;
    wait(NULL);
    return 0;
}
END
echo '#include <rfl_region.h>
void second(void);
void second(void) { rfl_region_begin("second"); rfl_region_end("second"); }' >second.c
cat >likwid.txt <<'END'
likwid_markerInit
likwid_markerThreadInit
likwid_markerStartRegion main
likwid_markerStartRegion second
likwid_markerStopRegion second
likwid_markerStopRegion main
likwid_markerThreadInit
likwid_markerStartRegion on thread
likwid_markerStopRegion on thread
likwid_markerClose
END
listen() {
    $CC -shared -fPIC -o "$1" listener.c && build listened first.c second.c
}
check "a program of two files, and a library" listen liblikwid.so
heard() { LD_LIBRARY_PATH=. LIKWID_FILEPATH=x ./listened | diff - likwid.txt; }
check "LIKWID hears all once" heard
check "a library that is not there is said" prints 'LIKWID_FILEPATH is set, but there is no liblikwid.so' \
    env LIKWID_FILEPATH=x ./listened
timed threads
check "roofline reads the file" prints thread "$roofline" import regions times.txt
done_testing
