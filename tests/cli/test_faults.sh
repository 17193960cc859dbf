#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What happens to a run's results when something goes wrong: another run, signals, full disks, little of
# everything, planted faults. After each: the exit code, files that can be read, nothing half-written, and
# words that name cause and place. `make check-slow` runs all of it with few interrupts, `make check-faults`
# with FAULTS_INTERRUPTS=1000 and what takes longer.
# Under nohup, which ignores the signal of a lost terminal, it begins again without that.
if [ -z "$hup_is_default" ] && env --default-signal=HUP true 2>/dev/null; then
    exec env --default-signal=HUP hup_is_default=1 sh "$0" "$@"
fi
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
roofline=$top_builddir/analysis/roofline
interrupts=${FAULTS_INTERRUPTS:-8}
step=${FAULTS_INTERRUPTS:+1}
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-faults-XXXXXX")
trap 'rm -rf "$work"' EXIT
printf '{"schema": "ert-config/2", "timeout_s": 60, "device": "fake0"}' >"$work/slow.json"

fake() {
    "$ert" run --device fake0 "$@"
}

quiet() {
    "$@" >"$work/out" 2>&1
}

with() {
    plant=$1
    shift
    ERT_FAKE=$plant "$@"
}

# says WORDS...: each of them is in the output of what ran last.
says() {
    for words; do
        grep -q -e "$words" "$work/out" || { echo "no '$words'"; cat "$work/out"; return 1; }
    done
}

run_of() {
    sed -n 's/^ *"command": \(.*"\),*$/\1/p' "$1"
}

# readable FOLDER [SET]: nothing half-written is left, what is there can be read, samples and ceilings are of
# one run; SET: and it holds a whole set.
readable() {
    left=$(find "$1" -name '*.tmp*')
    [ -z "$left" ] || { echo "left: $left"; return 1; }
    for file in "$1"/*.json; do
        case $file in
        */samples*) "$ert" fit "$file" >/dev/null || return 1 ;;
        */ceilings*) "$ert" show "$file" >/dev/null || return 1 ;;
        esac
        other=$(echo "$file" | sed 's#/ceilings\([^/]*\)$#/samples\1#')
        [ ! -e "$other" ] || [ "$(run_of "$file")" = "$(run_of "$other")" ] ||
            { echo "$file and $other are of two runs"; return 1; }
    done
    [ $# -eq 1 ] || { [ -s "$1/samples.json" ] && [ -s "$1/ceilings.json" ] && [ -s "$1/roofline.svg" ]; } ||
        { ls -a "$1"; return 1; }
}

# wait_for PATTERN: until a file of that name, $kept, is there; on a busy machine half a minute.
wait_for() {
    for i in $(seq 300); do
        kept=$(echo $1)
        [ ! -e "$kept" ] || return 0
        sleep 0.1
    done
}

# hangs FOLDER [OPTIONS...]: starts a run into $work/FOLDER that does not end, as $pid, and has samples.
hangs() {
    to=$1
    shift
    ERT_FAKE=fault=hang,after=1000 $before \
        "$ert" run --config "$work/slow.json" --out "$work/$to" "$@" >"$work/$to.out" 2>&1 &
    pid=$!
    wait_for "$work/$to/2*${1:+/run-1}/samples.json"
}

# ends FOLDER STATUS PID: the exit code of the run that hangs() started; says() looks at its output.
ends() {
    status=0
    wait "$3" || status=$?
    cp "$work/$1.out" "$work/out"
    [ $status -eq "$2" ] || { echo "exit code $status"; cat "$work/out"; return 1; }
}

# alone FUNCTION...: without folders of tests before.
alone() {
    rm -rf "$work/h"
    before= "$@"
}

# ---- runs into one folder ----

# All at once: each has its own folder, and one is the latest.
ten_at_once() {
    rm -rf "$work/t"
    for i in 1 2 3 4 5 6 7 8 9 10; do
        gives 0 fake --out "$work/t" >"$work/ten$i" 2>&1 || echo "failed" >>"$work/ten$i" &
    done
    wait
    ! grep failed "$work"/ten* && [ "$(ls "$work"/t/2*/ceilings.json | wc -l)" -eq 10 ] &&
        readable "$work/t" set || { ls -l "$work/t"; return 1; }
}

repeat_keeps_its_runs() {
    hangs h --repeat 2
    kill -INT $pid
    ends h 1 $pid && says "interrupted; what was measured is kept" "^files .*/run-1" &&
        readable "$(echo "$work"/h/2*/run-1)" set
}

# What it measured before can be read, and the next run becomes the latest.
killed() {
    hangs h
    kill -9 $pid
    wait $pid 2>/dev/null
    "$ert" fit "$kept" >/dev/null && [ ! -e "$work/h/latest" ] && gives 0 quiet fake --out "$work/h" &&
        readable "$work/h" set && [ -s "$kept" ]
}

# killed_at N: a run over an earlier one that is killed at its N-th rename; what the links lead to is whole.
killed_at() {
    rm -rf "$work/k"
    cp -r "$work/first" "$work/k"
    quiet env SHIM_KILL="$1" LD_PRELOAD="$work/shim.so" \
        "$ert" run --quick --device fake0 --threads 2 --out "$work/k"
    ended=$?
    rm -f "$work"/k/2*/*.tmp*
    readable "$work/k" set
}

killed_at_each_rename() {
    quiet fake --quick --threads 1 --out "$work/first" || return 1
    for n in $(seq 1 "${step:-2}" 30); do
        killed_at "$n" 2>"$work/killed" || { echo "at rename $n"; ls -l "$work/k"; return 1; }
        [ $ended -ne 0 ] || break
    done
    [ "$n" -gt 5 ] && [ "$n" -lt 30 ] || { echo "$n renames"; return 1; }
}

# lockless COMMAND...: into a folder $work/lockless...; goes on, and says what that means. A node alone is no
# fleet: exit code 4.
lockless() {
    quiet env SHIM_NO_LOCKS=1 LD_PRELOAD="$work/shim.so" "$@" || [ $? -eq 4 ] || return 1
    says "/lockless.*: no locks on this file system: another" \
        "into this folder would not be noticed"
}

# ---- a folder that goes ----

removed_folder() {
    hangs h
    rm -rf "$work/h"
    kill -INT $pid
    ends h 1 $pid && says "/h/.* No such file or directory" "L1-load"
}

# ---- signals ----

interrupted() {
    hangs h
    kill -INT $pid
    ends h 1 $pid && says interrupted "L1 [0-9]" && readable "$work/h" set &&
        grep -q '"status": *"interrupted"' "$work/h/samples.json"
}

# A lost terminal: the kernel says so to all of it, and the shell once more.
hung_up() {
    hangs h
    kill -HUP $pid
    for i in 1 2 3 4 5 6 7 8 9; do
        sleep 0.01
        kill -HUP $pid 2>/dev/null
    done
    ends h 1 $pid && says interrupted && readable "$work/h" set
}

goes_on_under_nohup() {
    before=nohup
    hangs h
    kill -HUP $pid
    sleep 0.5
    kill -INT $pid 2>/dev/null || { echo "gone"; cat "$work/h.out"; return 1; }
    ends h 1 $pid && readable "$work/h" set
}

before_anything() {
    ERT_FAKE=fault=hang "$ert" run --config "$work/slow.json" --out "$work/h" >"$work/h.out" 2>&1 &
    pid=$!
    wait_for "$work/h"
    kill -TERM $pid
    ends h 1 $pid && says "interrupted; nothing was measured" && [ -z "$(ls -A "$work/h")" ]
}

# INT, TERM and HUP in turn, at moments that are spread over a run's time. Each must leave a result that can
# be read, or say that nothing was measured. What comes before main() is the system's: no word, and no file.
random_moments() {
    took=60000
    for i in 1 2 3; do # the fastest of three: the machine may be busy
        begin=$(date +%s%N)
        quiet fake --out "$work/h" || return 1
        now=$((($(date +%s%N) - begin) / 1000000))
        [ $now -gt $took ] || took=$now
    done
    finished=0 kept=0 nothing=0 early=0
    for i in $(seq "$interrupts"); do
        rm -rf "$work/h"
        "$ert" run --device fake0 --out "$work/h" >"$work/h.out" 2>&1 &
        pid=$!
        sleep "$(awk -v i="$i" -v n="$interrupts" -v ms="$took" \
            'BEGIN { srand(i); printf "%.4f", (i - rand()) / n * ms / 1000 }')"
        set -- INT TERM HUP
        shift $((i % 3))
        kill -"$1" $pid 2>/dev/null
        status=0
        wait $pid || status=$?
        if [ $status -eq 0 ]; then
            finished=$((finished + 1))
            readable "$work/h" set || return 1
        elif [ $status -gt 128 ] && [ ! -s "$work/h.out" ]; then
            early=$((early + 1))
            [ ! -e "$work/h" ] || { echo "signal $1, run $i: no word, but files"; ls -a "$work/h"; return 1; }
        elif grep -q "interrupted; nothing was measured" "$work/h.out"; then
            nothing=$((nothing + 1))
            [ ! -e "$work/h" ] || readable "$work/h" || return 1
        else
            kept=$((kept + 1))
            [ $status -eq 1 ] && grep -q "interrupted; what was measured is kept" "$work/h.out" &&
                readable "$work/h" set || { echo "run $i, $1: $status"; cat "$work/h.out"; return 1; }
        fi
    done
    echo "# $interrupts interrupts: $kept kept what they had, $nothing had nothing and said so," \
        "$early ended before main(), $finished had finished" >"$work/counts"
}

reader_gone() {
    fake --repeat 3 --out "$work/pipe" 2>"$work/out" | :
    says "standard output: Broken pipe" && readable "$work/pipe/latest/run-3" set &&
        [ -s "$work/pipe/ceilings.json" ]
}

# ---- no space ----

# What no file can hold is on the screen.
small_files() {
    (
        ulimit -f 20
        status=0
        fake --out "$work/small" 2>&1 || status=$?
        echo "exit code $status"
    ) | cat >"$work/out"
    says "File too large" L1-load verdict "exit code 1" &&
        readable "$work/small"
}

full_disk() {
    mkdir -p "$work/full" && mount -t tmpfs -o size=64k tmpfs "$work/full" || return 1
    result=0
    gives 1 quiet "$ert" run --device fake0 --out "$work/full/out" &&
        says "No space left" L1-load verdict || result=1
    umount "$work/full"
    return $result
}

can_mount() {
    [ "$(id -u)" -eq 0 ] && mkdir -p "$work/m" &&
        mount -t tmpfs -o size=64k tmpfs "$work/m" 2>/dev/null && umount "$work/m"
}

full_output() {
    "$ert" run --device fake0 --out "$work/output" >/dev/full 2>"$work/out"
    [ $? -eq 1 ] && says "standard output: No space left" && readable "$work/output" set
}

# planted STATUS WORDS PLANT: a run with this plant in ERT_FAKE ends so, says so, and keeps all else.
planted() {
    gives "$1" quiet with "$3" fake --verbose --out "$work/p" && says "$2" L1-load && readable "$work/p" ||
        return 1
    rm -rf "$work/p"
}

verify_says_first() {
    quiet fake --out "$work/v" || return 1
    gives 1 quiet "$ert" verify "$work/v/ceilings.json" --out "$work/none/samples.json" &&
        says "ceilings: .* the same" "none/samples.json: cannot write: No such file"
}

# ---- little of everything ----

# The cores of this machine, as little of them as gives a ceiling. Exit code 4: others disturb it.
printf '%s' '{"schema": "ert-config/2", "device": "cpu", "kernels": ["load", "fma_fp64"], "rounds": 1,
 "working_set_max_bytes": 1048576, "region_s": 0.0001, "leader_rounds": 1, "points_per_octave": 1,
 "budget_s": 1.5}' >"$work/small.json"
measured() {
    [ "$1" -eq 0 ] || [ "$1" -eq 4 ] || { echo "exit code $1"; cat "$work/out"; return 1; }
    readable "$2" set
}

# ended STATUS FOLDER: an exit code of ours, with a cause, whatever was taken away; what is there can be read.
ended() {
    case $1 in
    0 | 4) readable "$2" set || return 1 ;;
    [123] | 127) tail -n 1 "$work/out" | grep -q ': .' || { cat "$work/out"; return 1; } ;;
    *) echo "exit code $1"; cat "$work/out"; return 1 ;;
    esac
    for file in "$2"/2*/samples.json; do
        [ ! -e "$file" ] || "$ert" fit "$file" >/dev/null || return 1
    done
}

# limited LETTER VALUE...: runs with each of these limits, the last of which are too low for any program.
limited() {
    letter=$1
    shift
    for value; do
        rm -rf "$work/l"
        (ulimit -"$letter" "$value" && exec "$ert" run --device fake --out "$work/l") >"$work/out" 2>&1
        ended $? "$work/l" || { echo "ulimit -$letter $value"; return 1; }
    done
}

# By a user who may have one thread; root is under no such limit.
one_thread() {
    cp "$ert" "$work/ert" && chmod 711 "$work"
    set -- prlimit --nproc=1 "$work/ert" bench fma_fp64
    [ "$(id -u)" -ne 0 ] || set -- setpriv --reuid=64321 --regid=64321 --clear-groups "$@"
    quiet "$@"
    [ $? -eq 1 ] && says 'Thread creation failed'
}

# After so many allocations there are no more.
little_memory() {
    for n in 20 200 2000 20000 50000 60000 100000; do
        rm -rf "$work/l"
        quiet env SHIM_MEMORY=$n LD_PRELOAD="$work/shim.so" \
            "$ert" run --device fake --out "$work/l"
        ended $? "$work/l" && says "out of memory" || { echo "after $n allocations"; return 1; }
    done
}

# 160 KiB of stack (Linux: 8 MiB) for every program that makes tables, charts and fits.
small_stack() {
    quiet fake --out "$work/stack" || return 1
    at=$work/stack/ceilings.json
    for words in "$ert fit $work/stack/samples.json" "$ert show --peaks $at" "$ert verify $at" "$ert info" \
        "$ert run --verbose --device fake --out $work/stack/run" "$roofline plot $at --out $work/chart.html" \
        "$roofline plot --device fake0 $at --out $work/chart.svg" "$roofline compare $at $at"; do
        # shellcheck disable=SC2086
        (ulimit -s 160 && exec $words) >"$work/out" 2>&1
        status=$?
        [ $status -eq 0 ] || { echo "$words: exit code $status"; cat "$work/out"; return 1; }
    done
}

no_sys() {
    unshare -rm sh -c 'mount -t tmpfs none /sys && exec "$@"' sh \
        "$ert" run --config "$work/small.json" --out "$work/bare" >"$work/out" 2>&1
    measured $? "$work/bare"
}

# The same files in a locale whose decimal point is a comma.
decimal_comma() {
    for locale in C de_DE.UTF-8; do
        with noise=0.01 env LOCPATH="$work" LC_ALL=$locale "$ert" run --device fake0 --out "$work/$locale" \
            >"$work/out" 2>&1 || return 1
        { "$ert" show "$work/$locale/ceilings.json" && cat "$work/$locale/roofline.svg"; } |
            sed 's/20[0-9][0-9]-[0-9T:Z-]*//' >"$work/show-$locale"
    done
    readable "$work/de_DE.UTF-8" set && cmp "$work/show-C" "$work/show-de_DE.UTF-8"
}

clock_set_back() {
    for run in 1 2; do
        quiet env SHIM_CLOCK=1 LD_PRELOAD="$work/shim.so" "$ert" run --device fake0 --out "$work/clock" ||
            return 1
    done
    readable "$work/clock" set && [ "$(ls "$work"/clock/2*/ceilings.json | wc -l)" -eq 2 ]
}

suspended() {
    "$ert" run --config "$work/small.json" --out "$work/stop" >"$work/out" 2>&1 &
    pid=$!
    wait_for "$work/stop"
    for i in 1 2 3; do
        kill -STOP $pid
        sleep 0.3
        kill -CONT $pid
        sleep 0.2
    done 2>/dev/null
    status=0
    wait $pid || status=$?
    measured $status "$work/stop"
}

busy_neighbour() {
    "$ert" run --device cpu --quick --out "$work/busy" >"$work/out" 2>&1 &
    pid=$!
    wait_for "$work/busy"
    neighbours=
    for i in $(seq $((2 * $(nproc)))); do
        timeout 20 sh -c 'while :; do :; done' &
        neighbours="$neighbours $!"
    done
    sleep 6
    # shellcheck disable=SC2086
    kill $neighbours
    status=0
    wait $pid || status=$?
    measured $status "$work/busy" && says "other programs"
}

# Two runs on this machine's cores: each says who the other one was, whoever began first.
# And of what else measures here meanwhile, such as another test.
two_at_once() {
    "$ert" run --device cpu --full --out "$work/one" >"$work/one.out" 2>&1 &
    pid=$!
    wait_for "$work/one"
    sleep 0.2
    "$ert" run --config "$work/small.json" --out "$work/two" >"$work/out" 2>&1 &
    second=$!
    status=0
    wait $second || status=$?
    measured $status "$work/two" &&
        grep -q "\"warnings\": .*other runs of ert measured this device, too: .*pid $pid (user" \
            "$work/two/ceilings.json" &&
        tr -s '\n ' '  ' <"$work/out" | grep -q "do not measure a device with two runs" || return 1
    wait_for "$work/one/2*/samples.json" # before its first checkpoint an interrupt keeps nothing
    kill -INT $pid
    wait $pid
    "$ert" fit "$work/one/samples.json" --out "$work/one.json" >/dev/null
    for file in one/ceilings.json one.json; do
        grep -q "other runs of ert measured this device, too: .*pid $second (user" "$work/$file" ||
            { echo "$file"; cat "$work/one.out"; return 1; }
    done
}

check "ten runs into one folder at once: all are kept" ten_at_once
check "--repeat says where what it measured is" alone repeat_keeps_its_runs
check "a run that is killed: what it left can be read" alone killed
check "a folder that is removed: its ceilings are on the screen" alone removed_folder
if [ -z "$ERT_SANITIZERS" ] &&
    ${CC:-cc} -shared -fPIC -o "$work/shim.so" "$top_srcdir/tests/cli/fault_shim.c" -ldl; then
    check "killed at each rename: the links lead to a whole set" killed_at_each_rename
    check "a file system without locks is noted" lockless "$roofline" record --with time \
        --out "$work/lockless-record" -- true
    check "a clock that is set back" clock_set_back
    check "memory that ends" little_memory
else
    skip "killed at each rename; no locks; a clock set back; memory that ends" \
        "nothing can be preloaded in this build"
fi
check "Ctrl-C keeps what was measured" alone interrupted
check "a lost terminal keeps what was measured" alone hung_up
check "nohup goes on when the terminal is lost" alone goes_on_under_nohup
check "interrupted before the first sample: said, and no file" alone before_anything
check "$interrupts interrupts at random moments" alone random_moments
cat "$work/counts"
check "a reader that is gone costs no run" reader_gone
check "a limit on file sizes fails, and the results are on the screen" small_files
if can_mount; then
    check "a full disk fails, and the ceilings are on the screen" full_disk
else
    skip "a full disk" "no tmpfs can be mounted"
fi
if [ -w /dev/full ]; then
    check "a full standard output fails, and the files are there" full_output
else
    skip "a full standard output" "no /dev/full"
fi
printf '{"schema": "ert-config/2", "timeout_s": 0.1, "device": "fake0"}' >"$work/short.json"
hangs_shortly() {
    ERT_FAKE=fault=hang,after=1000 gives 1 quiet "$ert" run --config "$work/short.json" --out "$work/p" &&
        says "did not finish within 0.1 s" "L1 [0-9]" && readable "$work/p" set && rm -rf "$work/p"
}
check "a region that hangs is an error" hangs_shortly
check "a NaN is an error" planted 1 "element 17 of the result is nan" fault=nan,kernel=triad
check "a fallen clock is not valid" planted 4 "the clock fell" fault=clock,after=300
check "a failing allocation is an error" planted 1 "allocating .* bytes failed" fault=alloc,kernel=copy
check "a lost device is an error" planted 1 "does not answer" fault=gone,after=500
check "verify says what it found where its samples cannot be written" verify_says_first
if [ -z "$ERT_SANITIZERS" ]; then
    check "few descriptors" limited n 16 8 6 5 4 3
    check "a small stack" small_stack
else
    skip "few descriptors, a small stack" "sanitizers need more"
fi
if [ "$(nproc)" -gt 1 ] && { [ "$(id -u)" -ne 0 ] || setpriv --reuid=64321 true 2>/dev/null; }; then
    check "a system that gives no threads" one_thread
else
    skip "a system that gives no threads" "one CPU, or root that cannot be another user"
fi
if unshare -rm true 2>/dev/null; then
    check "no /sys" no_sys
else
    skip "no /sys" "no namespace can be made"
fi
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" >/dev/null 2>&1; then
    check "a locale with a decimal comma" decimal_comma
else
    skip "a locale with a decimal comma" "localedef has no sources (package locales)"
fi
check "a run that is stopped and continued" suspended
check "runs that measure at once know of each other" two_at_once
if [ -n "$FAULTS_INTERRUPTS" ]; then
    check "a busy neighbour that comes and goes" busy_neighbour
fi
done_testing
