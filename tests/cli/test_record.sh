#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline record: what becomes of the program's streams, exit code and end, and what is kept of it.
command=record
. "$top_srcdir/tests/cli/roofline_fixture.sh"
"$plant" both both.json || exit 1

# record DIR OPTIONS...: its own messages in DIR.err
record() {
    dir=$1
    shift
    "$roofline" record --out "$dir" --ceilings both.json "$@" 2>"$dir.err"
}
has() { grep -q -e "$2" "$1"; }

# ---- the program's own ----
out=$(record own --with time -- sh -c 'echo to out; echo to err >&2; exit 42')
status=$?
check "the exit code is the program's" is $status 42
check "its output is alone on the standard output" is "$out" "to out"
check "its errors are there" has own.err '^to err$'
check "the recording is kept all the same" has own/points.json '"time_s":'
check "with a chart" has own/roofline.svg '<svg'
check "and a page" has own/roofline.html '"sh"'
check "and a summary" has own.err '^sh '
check "arguments may hold anything" is "$(record args --with time -- printf '%s|' 'a
b' '--help' '-x' '')" 'a
b|--help|-x||'
check "a file of the same name is not the program on the PATH" is "$(record path --with time -- echo one)" one

# ---- its time ----
record timed --with time --repeat 4 -- sh -c 'echo >>times; sleep 0.0$(wc -l <times)'
check "it is timed as often as asked" is "$(wc -l <times)" 4
check "which is said, with the range" has timed.err 'timed 4 times: .*ms (.* \.\. '
check "and kept" has timed/points.json '"interval_s"'
check "too short to tell who used the CPUs" unfound has timed/points.json '"cpus_used"'
record untimed --with time --repeat 1 -- sh -c 'echo >>once'
check "once, if asked" is "$(wc -l <once)" 1
check "without an interval" unfound has untimed/points.json '"interval_s"'
rm once
check "what the repetitions print is in a file" is \
    "$(record prints --with time -- echo one) $(cat prints/timed-again.log)" "one one"
check "more than can be kept" answers 2 'repeat' "$roofline" record --repeat 99 -- true
echo 'echo hello' >hello.sh
record script --with time -- sh hello.sh >script.out
check "a script's row has its name" has script/points.json '"name": "hello.sh"'

# ---- its input ----
echo "a line" >line
check "input from a pipe" is "$(echo "a line" | record pipe --with time -- cat)" "a line"
check "input from a file, and what the caller's script goes on with" is \
    "$({ record file --with time -- head -c 2; cat; } <line)" "a line"
check "input without an end" is "$(yes | record yes --with time -- head -n 1)" "y"

# ---- its end ----
check "a program that crashes" gives 139 record crash --with time -- sh -c 'kill -SEGV $$'
check "what was recorded of it says so" has crash/points.json 'ended by signal 11'
check "a program that is not there" answers 2 'no-such-program: cannot be started: No such file' \
    "$roofline" record --out none -- ./no-such-program
check "a program that may not be run" answers 2 'line: cannot be started: Permission denied' \
    "$roofline" record --out none -- ./line
check "and leave no folder" gives 1 test -e none
check "ceilings that are not there: known before it runs" answers 2 'ceilings nowhere.json: No such file' \
    "$roofline" record --ceilings nowhere.json --out none -- touch ran
check "so it does not" gives 1 test -e ran
check "a name with a control character" answers 2 'has a control character' \
    "$roofline" record --out none -- "$(printf 'a\033b')"
# $! of a background job ignores SIGINT: SIGTERM in its place.
"$roofline" record --out ended --with time -- \
    sh -c 'trap "echo once >>once; exit 5" TERM; echo >ready; while :; do sleep 0.05; done' 2>ended.err &
while ! [ -e ready ]; do sleep 0.05; done
check "one recording at a time in a folder" answers 1 'is using this folder' \
    "$roofline" record --out ended -- true
kill -TERM $!
wait $!
check "a signal that ends it: its exit code" is $? 5
check "and it gets it once" is "$(cat once)" once
check "and the time is kept" has ended/points.json '"time_s":'

# ---- the folder ----
record again --with time -- true
record again --with time -- true
check "an earlier recording is moved aside" has again.err 'moved to points\.[0-9TZ]*\.json'
check "and kept" ls again/points.*Z.json again/roofline.*Z.svg
mkdir elsewhere
check "without ceilings the recording is kept, and what to do is said" answers 0 'ert run --quick' \
    sh -c 'cd elsewhere && "$1" record --out ../bare --with time -- true' sh "$roofline"
check "points there" has bare/points.json '"true"'
check "a folder that cannot be" answers 1 'cannot make the folder' \
    "$roofline" record --out /dev/null/x -- true
full() { (ulimit -f 16 && exec "$roofline" record --out full --ceilings both.json --with time -- "$@"); }
check "a full disk" answers 1 'cannot write: File too large' full true
check "and the program's exit code" answers 7 'cannot write: File too large' full sh -c 'exit 7'
check "what had room is kept" has full/points.json '"sh"'

stopped() {
    timeout --preserve-status -s INT 1.5 "$roofline" record --out stopped --ceilings both.json --with time \
        --repeat 3 -- sh -c 'echo >>tries; [ $(wc -l <tries) = 1 ] || exec sleep 9'
}
check "what ends a repetition ends the recording" answers 1 'interrupted; what was measured is kept' stopped
check "it has the first run's time" has stopped/points.json '"time_s"'

(
    trap '' HUP
    exec "$roofline" record --out nohup --ceilings both.json --with time --repeat 2 -- sleep 1
) >nohup.out 2>&1 &
sleep 1.5
kill -HUP $!
wait $!
check "a signal that is ignored ends nothing" test $? = 0

# ---- regions of several processes ----
# Each is its words: microseconds, begin, end. 2 s and 1.5 s side by side, then 1 s.
cat >marks <<'END'
#!/bin/sh
for name in loop before; do
    printf 'rfl_region\t%s\t%s\t1\t0\t1\t%s\t5e9\t0\t%s\t%s\n' $name $$ "$1" $(($2 - (${#name} > 4))) "$3"
    printf 'rfl_region\t%s\t%s\t2\t0\t1\t%s\t0\t0\t%s\t%s\n' $name $$ 1 "$2" "$3"
done >"$RFL_REGIONS.$$"
END
chmod +x marks
record marked --with time -- sh -c './marks 2000000 1000000 3000000; ./marks 1000000 10000000 11000000
    ./marks 1500000 2000000 4000000'
check "what several processes marked is one region" is "$(grep -c '"name": "loop"' marked/points.json)" 1
marked() {
    awk -v key="\"$1\":" '/"name": "loop"/ { here = 1 } here && $1 == key { printf "%.12g\n", $2; exit }' \
        marked/points.json
}
check "times side by side are the longest, the others add up" is "$(marked time_s)" 3
check "calls and work are added" is "$(marked launches) $(marked count)" "3 15000000000"
check "threads are the most side by side" is "$(marked threads)" 4
check "regions come as they began" is "$(sed -n 's/.*"name": "\(.*\)",/\1/p' marked/points.json)" "before
loop"
check "the whole run is their total, and no row" has marked/points.json '"elapsed_s":'
check "and it is said" has marked.err 'regions of 3 processes'

# ---- perf ----
# What perf 6.1 prints for its words: each event counts 1000, and 100 ms pass; then the program. PLANT:
# what is wrong. Where a VM has no counters this is all that can be tried.
mkdir bin
cat >bin/perf <<'END'
#!/bin/sh
echo "perf $*" >>"$PLANT_LOG"
out=/dev/stderr all=
case $PLANT in
paranoid)
    echo "Error:
Access to performance monitoring and observability operations is limited.
Consider adjusting /proc/sys/kernel/perf_event_paranoid setting" >&2
    exit 255 ;;
esac
while [ "$1" != -- ]; do
    case $1 in
    -o) out=$2; shift ;;
    -e) events=$2; shift ;;
    -M) events=umc_cas_cmd.rd,umc_cas_cmd.wr; shift ;;
    -a) all=yes ;;
    esac
    shift
done
shift
if [ "$all" ] && [ "$PLANT" = own ]; then
    echo "Consider adjusting /proc/sys/kernel/perf_event_paranoid setting" >&2
    exit 255
fi
"$@"
status=$?
[ "$out" = /dev/stderr ] || printf '# started on Sat Nov 28 04:42:18 2026\n\n' >>"$out"
for event in $(echo "$events" | sed 's/,umask=[^,]*//g; s/,name=/=/g; s/,/ /g'); do
    count=1000 unit=
    event=${event##*=}
    event=${event%/u}
    case $event in
    duration_time) count=100000000 unit=ns ;;
    task-clock) count=50 unit=msec ;;
    esac
    [ "$PLANT" = unsupported ] && count='<not supported>'
    case $PLANT$event$events in
    watchdogcycles* | busyinst*) count='<not counted>' ;;
    crowded*32*fp64*fp32* | crowded*single*double*single*) count='<not counted>' ;;
    esac
    echo "$count;$unit;$event;1000;100.00;;"
done >>"$out"
exit $status
END
chmod +x bin/perf
PLANT_LOG=$scratch/perf.log
export PLANT_LOG
perf() {
    plant=$1
    shift
    : >perf.log
    (PLANT=$plant PATH=$scratch/bin:$PATH; export PLANT PATH; record "$@")
}
if PATH=$scratch/bin:$PATH "$roofline" record --list | grep -q 'no events are known'; then
    skip "perf" "no events of this CPU are known"
else
    check "perf is there" prints 'perf      yes' env PATH="$scratch/bin:$PATH" "$roofline" record --list
    perf counts counts -- sh -c 'echo seen' >counts.out
    check "it is the default where it works" has counts/points.json '"format": "perf"'
    check "one point of all files" is "$(grep -c '"name"' counts/points.json)" 1
    check "operations" has counts/points.json '"type": "fp64"'
    check "memory of the whole machine" has counts/points.json '"level": "DRAM"'
    check "the time is that of the run alone" has counts/points.json 'without a profiler'
    check "the program's output comes once" is "$(cat counts.out)" seen
    check "and is kept once more" has counts/perf-1.log seen
    check "memory and operations in one run" has perf.log '^perf stat .* -a .*-- perf stat .*-- sh'
    echo "twice" >twice
    perf input input -- cat <twice >input.out
    check "both runs read the same" is "$(cat input.out input/perf-1.log)" "twice
twice"
    printf 'read by the caller\nthe rest\n' >lines
    { read -r first && perf rest rest -- cat >rest.out; } <lines
    check "from where the caller was" is "$(cat rest.out rest/perf-1.log)" "the rest
the rest"
    echo "once" | perf piped piped -- cat >piped.out
    check "the first run reads a pipe" is "$(cat piped.out)" once
    check "and no other" gives 1 test -e piped/perf-1.log
    check "which is said" has piped.err 'input that is no file is read once: not run again under perf'
    check "and the time is kept" has piped/points.json '"format": "record"'
    (sleep 0.2 && echo "late") | perf late late -- cat >late.out
    check "what comes later is input, too" gives 1 test -e late/perf-1.log
    { sleep 2; } | perf idle idle -- true
    check "an idle pipe is none" ls idle/perf-1.log
    : | { sleep 0.2 && perf ended ended -- true; }
    check "nor is one that has ended" ls ended/perf-1.log
    check "--once reads a pipe under the recorder" is "$(echo one | perf single single --once -- cat)" one
    check "and counts" has single/points.json '"type": "fp64"'
    LC_ALL=POSIX perf locale locale -- sh -c 'echo $LC_ALL'
    check "the program has the user's locale" has locale/perf-1.log POSIX
    perf own own -- true
    check "memory that may not be counted is said" \
        has own.err 'memory is not counted: kernel.perf_event_paranoid'
    check "and the rest is" has own/points.json '"type": "fp64"'
    check "no permission: what would change it" answers 3 'setcap cap_perfmon+ep' \
        env PLANT=paranoid PATH="$scratch/bin:$PATH" "$roofline" record --out none --with perf -- true
    check "no counters" answers 3 'no hardware counters here' \
        env PLANT=unsupported PATH="$scratch/bin:$PATH" "$roofline" record --out none --with perf -- true
    perf watchdog watchdog -- true
    check "cycles that find no counter are left out" has watchdog/points.json '"type": "fp64"'
    check "other counters than the machine has free" answers 3 'nmi_watchdog=0' \
        env PLANT=busy PATH="$scratch/bin:$PATH" "$roofline" record --out none --with perf -- true
    case $(grep -c 'fp32\|single' perf.log) in
    0) skip "more events than counters" "this CPU's event counts all types" ;;
    *)
        perf crowded crowded -- true
        check "more events than counters: a run for each type" ls crowded/perf-1.log crowded/perf-2.log
        check "and the counts of both" has crowded/points.json '"type": "fp32"' ;;
    esac
    perf unsupported timed -- true
    check "then the next best is the default" lacks perf cat timed/points.json
    perf once once.d --once -- sh -c 'echo one >>runs'
    check "once is one run" is "$(cat runs)" one
    check "with counts" has once.d/points.json '"type": "fp64"'
    perf none hidden -- sh -c '[ -e ran ] && exit 4; : >ran'
    check "another end under the recorder is said" \
        has hidden.err 'exit code 4, alone with 0: see .*/hidden/perf-1.log'
fi

planted() {
    plant=$1
    shift
    : >perf.log
    (PLANT=$plant PATH=$scratch/bin:$PATH; export PLANT PATH; "$@")
}
# ---- valgrind ----
if "$roofline" record --list | grep -q '^valgrind *yes'; then
    "$roofline" record --out grind --ceilings both.json --with valgrind -- \
        sh -c 'cd /; for i in 1 2; do awk "BEGIN { while (i++ < 999) x += .5; print x }"; done; exit 3' \
        >grind.out 2>grind.err
    check "valgrind: the exit code" is $? 3
    check "the output" is "$(cat grind.out)" "499.5
499.5"
    check "each process writes its counts" is "$(($(ls grind/valgrind | wc -l) >= 3))" 1
    check "of which one point is made" is "$(grep -c '"name"' grind/points.json)" 1
    check "with operations" has grind/points.json '"type": "fp64"'
    check "and L1" has grind/points.json '"level": "L1"'
    check "what one process counted is not missing" lacks '"what": "operations"' cat grind/points.json
    (unset OMP_WAIT_POLICY && record waits --with valgrind -- sh -c 'echo "$OMP_WAIT_POLICY"' >waits.out)
    check "threads of OpenMP do not spin there" is "$(cat waits.out waits/valgrind.log)" "
passive"
    # A program with a region, below one without.
    cat >region.c <<'END'
#include <rfl_region.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    volatile double x = argc;
    rfl_region_begin("loop");
    for (int i = 0; i < 999; i++)
        x = x * 2;
    rfl_region_end("loop");
    return argc > 9 ? atoi(argv[1]) : 0;
}
END
    $CC -std=gnu11 -DRFL_REGION_NO_NVTX -I"$top_srcdir/analysis/ext/region" -o region region.c -ldl || exit 1
    record below --with valgrind -- sh -c './region; :'
    check "beside a region the whole run is no row" is "$(grep -c '"name"' below/points.json)" 1
    check "nor lost are the widths of its operations" has below/points.json '"fp64_scalar_flops": 999'
    record below --with valgrind --kernel loop -- sh -c './region; :'
    check "a region of one of the processes" has below/points.json '"fp64_scalar_flops": 999'
    record below --with valgrind --kernel whole -- sh -c './region; :'
    check "the whole run for whom asks" has below/points.json '"launches": 2'
    check "no region of the name" answers 2 "no region has 'nosuch' in its name" \
        "$roofline" record --out below --with valgrind --kernel nosuch -- ./region
    # A program that works for a given time does less of it under Valgrind, as `openssl speed` does.
    cat >clocked.c <<'CODE'
#include <stdio.h>
#include <sys/resource.h>
int main(void)
{
    struct rusage used;
    volatile double sum = 0;
    do
        for (int i = 0; i < 1000; i++)
            sum += 1e-3 * i;
    while (getrusage(RUSAGE_SELF, &used) == 0 && used.ru_utime.tv_sec * 1e6 + used.ru_utime.tv_usec < 5e5);
    return sum < 0;
}
CODE
    $CC -O2 -o clocked clocked.c
    check "less work than was timed is no count of it" answers 3 'is less work' \
        "$roofline" record --out timed-out -- ./clocked
    check "also if valgrind is asked for" answers 3 'is less work' \
        "$roofline" record --out timed-out --with valgrind -- ./clocked
    check "then the time is kept" has timed-out/points.json '"time_s"'
    check "and nothing else" unfound has timed-out/points.json '"count":'
    # Rows of loops without marks; their times are parts of the whole run's.
    $CC -std=gnu11 -O1 -g -o loops "$top_srcdir/tests/valgrind/loops.c" || exit 1
    record loops.dir --with valgrind -- ./loops 600
    for loop in touch triad inner main; do
        check "a row of the loop in $loop" has loops.dir/points.json "\"$loop: loop at loops.c:"
    done
    check "what the system does for one is told" \
        prints 'fewer page faults, less I/O: touch: loop' cat loops.dir.err
    check "beside the whole run" has loops.dir/points.json '"name": "loops"'
    check "of which they are parts" is "$(grep -c '"part_of_run"' loops.dir/points.json)" 4
    check "that the total does not count twice" prints '100 % of the run' cat loops.dir.err
    record short.dir --with valgrind -- ./loops 1
    check "of a short program nothing is sampled" is "$(grep -c '"name"' short.dir/points.json)" 1
    record other.dir -- sh -c '[ -z "$VALGRIND_LIB" ] && echo some words || echo other words' >said.words
    check "other words than when it was timed are said" has other.dir.err 'printed other words'
    record same.dir -- sh -c 'echo took $$ ms' >said.words
    check "other numbers are not" lacks 'printed other words' cat same.dir.err
    cat >sums.py <<'END'
from rfl_region import region
with region("sums"):
    x = 0.5
    for i in range(1000):
        x += i
END
    python_record() {
        PYTHONPATH=$(cd "$top_srcdir/analysis/ext/region" && pwd) PYTHONDONTWRITEBYTECODE=1 \
            record python.dir -- python3 sums.py
    }
    python_record
    check "regions of Python are counted" prints '"count": 1000,' cat python.dir/points.json
    # Another end under valgrind is other work, too.
    check "nor is what ended otherwise" answers 3 'ended with exit code 3, alone with 0' \
        "$roofline" record --out timed-out -- sh -c '[ -z "$VALGRIND_LIB" ] || exit 3'
    printf '#!/bin/sh\nexit 1\n' >bin/valgrind
    chmod +x bin/valgrind
    check "no counts" answers 1 'wrote nothing' \
        planted none "$roofline" record --out grind --with valgrind -- true
    check "the time is kept" has grind/points.json '"time_s"'
    rm bin/valgrind
else
    skip "valgrind" "$("$roofline" record --list | sed -n 's/^valgrind: //p')"
fi

# ---- parallel jobs ----
check "a rank does not record itself" answers 2 'is one of 2 processes of a job: start the launcher' \
    env PMI_SIZE=2 "$roofline" record --out rank -- true
printf '#!/bin/sh\necho "$OMPI_MCA_mca_base_env_list"\n' >bin/mpiexec
chmod +x bin/mpiexec
check "a launcher takes all that is set to other hosts" \
    prints 'RFL_REGIONS;CUDA_INJECTION64_PATH;RFL_LAUNCHES' \
    env PATH="$scratch/bin:$PATH" "$roofline" record --out launched -- mpiexec
rm bin/mpiexec

# ---- words ----
check "options of GPUs for a program without" answers 0 'time records no GPU: --top, --launches and --nvtx' \
    "$roofline" record --out words --with time --top 150 -- true
check "which recorders there are" prints 'time      yes' "$roofline" record --list
check "an unknown one" answers 2 "unknown recorder 'gprof'" "$roofline" record --with gprof -- true
check "no program" answers 2 'no program' "$roofline" record --
check "words before --" answers 2 "'./a.out' stands before '--'" "$roofline" record ./a.out
# A folder of others' files is left alone.
mkdir theirs && echo mine >theirs/ncu.csv
check "a folder with other files" \
    answers 2 'give a new or an empty folder' "$roofline" record --out theirs -- true
check "is left alone" is "$(cat theirs/*)" mine
"$roofline" record --with time --out again -- true >/dev/null 2>&1
check "a recording's own is taken again" \
    answers 0 again/points.json "$roofline" record --with time --out again -- true
done_testing
