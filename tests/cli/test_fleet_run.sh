#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert fleet run without Slurm or MPI: this machine alone, planted nodes, and launchers that are scripts.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
for name in SLURM_JOB_ID SLURM_JOB_NODELIST SLURMD_NODENAME PBS_JOBID PBS_NODEFILE; do
    unset $name
done
ERT=$(readlink -f "$top_builddir/ert/ert")
TMPDIR=$work/tmp
plan=$work/plan
export ERT TMPDIR plan
mkdir "$work/bin" "$TMPDIR" || exit 1

# A node: `ert` of the planted machine, and what $plan/HOST says instead, with the words of `ert` as "$@".
cat >"$work/bin/node-ert" <<'SCRIPT'
#!/bin/sh
host=$SLURMD_NODENAME
case "$*" in
*" --host "*) host=${*#* --host } host=${host%% *} ;;
esac
seed=$(echo "$host" | cksum)
ERT_FAKE=seed=$((${seed%% *} % 1000000))
export ERT_FAKE
[ -f "$plan/$host" ] && . "$plan/$host"
exec "$ERT" "$@"
SCRIPT
# srun: each node's command at once. $plan/dead is a node that it cannot reach: the others end with it.
cat >"$work/bin/srun" <<'SCRIPT'
#!/bin/sh
echo "srun $*" >>"$plan/asked"
if [ -f "$plan/fails" ]; then
    echo "srun: error: Unable to create step for job 1: $(cat "$plan/fails")" >&2
    exit 1
fi
while :; do
    case $1 in
    --nodelist=*) list=${1#*=} ;;
    --*) ;;
    *) break ;;
    esac
    shift
done
hosts=$(echo "$list" | awk -F'[][,]' '{
    for (i = 1; i <= NF; i++) {
        if ($i ~ /^n[0-9]*$/ && $i != "n") print $i
        else if ($i ~ /^[0-9]+-[0-9]+$/) {
            split($i, end, "-")
            for (k = end[1]; k <= end[2]; k++) print "n" k
        }
        else if ($i ~ /^[0-9]+$/) print "n" $i
    } }')
dead=$(cat "$plan/dead" 2>/dev/null)
pids=
for host in $hosts; do
    if [ "$host" = "$dead" ]; then
        echo "srun: error: Task launch for StepId=1.0 failed on node $host: No route" >&2
        kill $pids
        exit 1
    fi
    SLURMD_NODENAME=$host "$@" &
    pids="$pids $!"
done
trap 'kill $pids' TERM
for pid in $pids; do
    wait "$pid" || code=$?
done
exit ${code:-0}
SCRIPT
# The others start one node each: as ssh does, by a shell.
cat >"$work/bin/ssh" <<'SCRIPT'
#!/bin/sh
echo "ssh $*" >>"$plan/asked"
while [ "$1" = -o ]; do shift 2; done
shift
exec sh -c "$*"
SCRIPT
for name in mpirun.openmpi mpiexec.hydra; do
    cat >"$work/bin/$name" <<'SCRIPT'
#!/bin/sh
echo "${0##*/} $*" >>"$plan/asked"
while [ "${1##*/}" != node-ert ] && [ "${1##*/}" != ert-net ]; do shift; done
exec "$@"
SCRIPT
done
# ert-net: all pairs of n1 to n6, of which n2 and n5 are slow together; its end does not come to its end.
cat >"$work/bin/ert-net" <<'SCRIPT'
#!/bin/sh
[ -f "$plan/net-slow" ] && cat "$plan/net-slow" && sleep 3
awk 'BEGIN {
    print "{\"schema\":\"ert-net/1\",\"line\":\"run\",\"created\":\"2026-11-23T12:00:00Z\",\"job\":\"\"," \
        "\"tool\":\"2.0.0\",\"mpi\":\"none\",\"hosts\":[\"n1\",\"n2\",\"n3\",\"n4\",\"n5\",\"n6\"]," \
        "\"ranks_per_host\":1,\"memory\":\"host\",\"seed\":1}"
    for (again = 0; again < 2; again++)
        for (i = 1; i <= 6; i++)
            for (k = 1; k <= 6; k++)
                if (i != k && (!again || i == 2 || i == 5)) {
                    slow = i + k == 7 && (i == 2 || i == 5)
                    value = (slow ? 1e8 : 1e9) * (1 + (i * 7 + k * 3) % 11 / 1000)
                    printf "{\"schema\":\"ert-net/1\",\"line\":\"pair\",\"a\":\"n%d\",\"b\":\"n%d\"," \
                        "\"round\":%d,\"test\":\"one-way\",\"size_bytes\":1048576,\"value\":%.0f," \
                        "\"low\":%.0f,\"high\":%.0f,\"unit\":\"byte/s\",\"n\":5,\"repeat\":%d," \
                        "\"state\":\"ok\",\"reason\":\"\"}\n", i, k, k, value, value, value, again
                } }'
[ -f "$plan/net-fails" ] && echo "MPI_Init: no network" >&2 && exit 5
echo '{"schema":"ert-net/1","line":"end","status":"complete","elapsed_s":1}'
echo $$ >"$plan/pid"
exec sleep 100
SCRIPT
chmod +x "$work"/bin/*
PATH=$work/bin:$PATH

# fleet WORDS...: a run of the planted machine in a new folder; what it printed is in $work/log.
fleet() {
    rm -rf "$work/run"
    again --out "$work/run" "$@"
}
again() {
    "$ERT" fleet run --ert "$work/bin/node-ert" --device fake --budget 2s --net none "$@" >"$work/log" 2>&1
}
plant() { # HOST COMMAND: nothing is planted before
    rm -rf "$plan"
    mkdir "$plan"
    [ $# -eq 0 ] || echo "$2" >"$plan/$1"
}
records() { # hosts with a record, each once
    sed -n 's/.*"host": *"\([^"]*\)".*/\1/p' "${1:-$work/run/records.ndjson}" | sort -u | tr '\n' ' '
}
named() { # hosts of findings
    sed -n 's/^\(bad\|open\)  *[a-z ]*  \(n[0-9]*\):.*/\2/p' "$work/run/fleet.txt" | sort -u | tr '\n' ' '
}
gone() { # the node that wrote its number; its parent may need a moment to see that it has ended
    for _ in $(seq 50); do
        case $(ps -o stat= -p "$(cat "$plan/pid")") in
        "" | Z*) return 0 ;;
        esac
        sleep 0.1
    done
    return 1
}
# is STATUS RECORDS NAMED COMMAND...: the exit code, whose records came, and who is named.
is() {
    wanted=$1 hosts=$2 findings=$3
    shift 3
    gives "$wanted" "$@" && [ "$(records)" = "$hosts" ] && [ "$(named)" = "$findings" ] && return
    echo "records: $(records), not $hosts; named: $(named), not $findings"
    cat "$work/log" "$work/run/launcher.log"
    return 1
}
says() {
    grep -q -- "$1" "$work/log" && return
    cat "$work/log"
    return 1
}
all="n1 n2 n3 n4 "

plant
check "nodes by the command itself: nothing is found" is 0 "$all" "" fleet --launcher local --hosts 'n[1-4]'
check "the report is there" test -s "$work/run/fleet.json" -a -s "$work/run/fleet.csv"
check "a second run there is refused" gives 2 again --launcher local --hosts n1 --out "$work/run"
check "and says what to do" says "--resume"

plant n3 'ERT_FAKE=$ERT_FAKE,slower=0.1'
check "a slow node is named alone" is 1 "n1 n2 n3 n4 n5 n6 n7 n8 " "n3 " \
    fleet --launcher local --hosts 'n[1-8]'
check "and was measured again" says "measuring again: n3"
check "twice" test "$(grep -c '"host": "n3"' "$work/run/records.ndjson")" -eq 3

# Slurm
slurm() {
    SLURM_JOB_ID=17 SLURM_JOB_NODELIST=n[1-4] "$@"
}
plant
check "srun: found by its job, with its nodes" is 0 "$all" "" slurm fleet
asks() {
    cat "$plan/asked"
    for words in "$@"; do
        grep -q -e "$words" "$plan/asked" || { echo "no $words"; return 1; }
    done
}
check "srun: one task a node, nothing bound, and no node ends the others" asks "--nodes=4 --ntasks=4" \
    "--nodelist=n\[1-4\]" "--ntasks-per-node=1" "--kill-on-bad-exit=0" "--no-kill" "--cpu-bind=none"
check "srun: started once" test "$(grep -c srun "$plan/asked")" -eq 1
plant dead n2
check "srun: a dead node ends all others, which are launched again" is 1 "n1 n3 n4 " "n2 " slurm fleet
check "srun: its words are the reason" says "n2: not reached: srun: error: Task launch"
plant n3 'exit 9'
check "srun: a node without ert" is 1 "n1 n2 n4 " "n3 " slurm fleet
check "srun: its exit code" says "n3: srun ended with exit code 9"
plant fails "Required node not available"
check "srun fails at once" gives 1 slurm fleet
check "srun fails at once: its words" says "before any node answered: srun: error: Unable to create step"
check "and it can be resumed" test -s "$work/run/hosts"
plant
check "a number of hosts other than the job's" is 0 "n2 n3 n4 " "" slurm fleet --hosts 'n[2-4]'

# Deadlines. A node that hangs leaves nothing behind.
plant n3 'echo "ert-begin n3 1"; echo $$ >"$plan/pid"; exec sleep 100'
check "a node that begins and hangs" is 1 "n1 n2 n4 " "n3 " slurm fleet --deadline 2s
check "is late" says "late *n3: began, but sent no record within 2 s"
check "and is not tried again" test "$(grep -c srun "$plan/asked")" -eq 1
check "and was ended" gone
plant n3 'exec sleep 100'
check "a node that never answers" is 1 "n1 n2 n4 " "n3 " fleet --launcher local --hosts 'n[1-4]' --answer 1s
check "says so" says "missing *n3: no answer within 1 s"

# What nodes print
plant n2 'echo "Module gcc/12 loaded"; printf "\033]0;x\377\n"; echo "ert-part zz 1 2"; echo "ert-begin n9 1"'
check "lines of others are no record" is 0 "$all" "" slurm fleet
check "and are counted" says "4 lines of the nodes' output are not from"
check "and act on no terminal" gives 1 grep -q "$(printf '\033')" "$work/log"
# For as long as it may: nothing of it may keep the others waiting, nor end up in a file.
plant n2 'trap "" TERM; exec yes "$(printf %099d 0)"'
check "a node that prints without an end" is 1 "n1 n3 n4 " "n2 " \
    fleet --launcher local --hosts 'n[1-4]' --answer 2s
check "of which 16 MiB are kept" test "$(stat -c %s "$work/run/launcher.log")" -lt 20000000
plant n2 '"$ERT" "$@" | sed 3d; exit'
check "a record with a part missing" is 1 "n1 n3 n4 " "n2 " slurm fleet
plant n2 '"$ERT" "$@" | sed "3s/.\$/~/"; exit'
check "a record with a wrong byte" is 1 "n1 n3 n4 " "n2 " slurm fleet
plant n2 'SLURMD_NODENAME=other'
check "a record under another name is kept" is 0 "n1 n2 n3 n4 other " "" slurm fleet
plant n2 'ERT_FAKE=fault=alloc'
check "a node whose measurement fails" is 1 "$all" "n2 " slurm fleet

# Interrupted, and resumed
interrupted() {
    : >"$plan/asked"
    "$ERT" fleet run --ert "$work/bin/node-ert" --device fake --budget 2s --out "$work/run" --launcher local \
        --hosts 'n[1-4]' >"$work/log" 2>&1 &
    for _ in $(seq 300); do
        [ "$(records)" = "n1 n3 n4 " ] && [ -f "$plan/pid" ] && break
        sleep 0.1
    done
    kill -"$1" $!
    status=0
    wait $! || status=$?
    [ $status -eq 1 ] && says "interrupted; .*--resume $work/run" && [ "$(records)" = "n1 n3 n4 " ] &&
        gone
}
for signal in TERM INT; do
    rm -rf "$work/run"
    plant n2 'echo $$ >"$plan/pid"; exec sleep 100'
    # A shell's background process ignores INT, and its children would not either.
    check "$signal keeps what came, and ends the nodes" interrupted $signal
    [ $signal = TERM ] || break
    plant
    check "$signal: resumed: what is left" is 0 "$all" "" again --launcher local --resume "$work/run"
    check "$signal: each once" test "$(grep -c ert-node "$work/run/records.ndjson")" -eq 4
done
plant
sed -i '/"host": "n3"/d' "$work/run/records.ndjson"
printf '{"schema":"ert-node/1","tool":"x","host":"n3","crea' >>"$work/run/records.ndjson"
check "a cut line does not run into the next" is 4 "$all" "" again --launcher local --resume "$work/run"
check "the record behind it is read" says "4 nodes, 4 records"
sed -i '1i {"schema":"ert-node/1","host":"n' "$work/run/records.ndjson"
check "nor is what stands behind one measured again" is 4 "$all" "" \
    again --launcher local --resume "$work/run"
check "each once" says "4 nodes, 4 records"
sed -i '/"host": "n[34]"/d' "$work/run/records.ndjson"
: >"$plan/asked"
resumed_in_part() {
    SLURM_JOB_ID=18 SLURM_JOB_NODELIST='n[2-3]' again --resume "$work/run"
}
check "resume: in a job that has other nodes" is 1 "n1 n2 n3 " "n4 " resumed_in_part
check "resume: of which its own are launched" grep -q -e --nodelist=n3 "$plan/asked"
check "resume: no such folder" gives 2 again --launcher local --resume "$work/none"
check "resume: and none is made" gives 1 test -e "$work/none"
check "resume: with other hosts" gives 2 again --launcher local --resume "$work/run" --hosts n1
at_once() {
    rm -rf "$work/run"
    plant n1 'touch "$plan/at"; sleep 3'
    again --launcher local --hosts n1 --out "$work/run" &
    for _ in $(seq 100); do
        [ -f "$plan/at" ] && break
        sleep 0.1
    done
    answers 1 "another run is using this folder" "$ERT" fleet run --launcher local --resume "$work/run"
    result=$?
    wait
    return $result
}
check "two runs in one folder" at_once

# Started by a daemon that ignores its children, and by one that has closed all streams
by_daemon() {
    rm -rf "$work/run"
    plant
    timeout -s KILL 100 env "$@" "$ERT" fleet run --ert "$work/bin/node-ert" --device fake --budget 2s \
        --net none --launcher local --hosts 'n[1-4]' --out "$work/run" ${topology:+--topology "$topology"}
}
check "SIGCHLD is ignored: it ends" is 0 "$all" "" by_daemon --ignore-signal=CHLD
closed() {
    by_daemon <&- >&- 2>&-
    [ $? -eq 1 ] && [ "$(records)" = "$all" ] &&
        gives 1 grep '^nodes:' "$work/run/records.ndjson" "$work/run/launcher.log"
}
check "no streams: what would be printed is in no file" closed

mkfifo "$work/fifo"
piped() {
    echo 's1 n[1-4]' >"$work/fifo" &
    topology=$work/fifo is 0 "$all" "" by_daemon
}
check "a topology from a pipe, which can be read once" piped

# Full file systems
full() {
    rm -rf "$work/run" "$TMPDIR"/*
    mkdir "$work/run"
    echo "n[1-4]" >"$work/run/hosts"
    ln -s /dev/full "$work/run/records.ndjson"
    plant
    gives 1 again --launcher local --resume "$work/run" &&
        says "records.ndjson: cannot write: No space left" &&
        [ "$(records "$TMPDIR"/ert-fleet-*)" = "$all" ]
}
check "a full file system: the records are elsewhere, and it says where" full
nowhere() {
    TMPDIR=$work/none
    "$ERT" fleet run --ert "$work/bin/node-ert" --device fake --budget 2s --launcher local \
        --resume "$work/run" >"$work/out" 2>"$work/log"
    [ $? -eq 1 ] && [ "$(records "$work/out")" = "$all" ] && return
    cat "$work/log" "$work/out"
    return 1
}
check "or on standard output" nowhere
TMPDIR=$work/tmp
to_full() {
    rm -rf "$work/run"
    gives 1 "$ERT" fleet run --ert "$work/bin/node-ert" --device fake --budget 2s --launcher local \
        --hosts 'n[1-4]' --out "$work/run" >/dev/full 2>"$work/log" &&
        says "standard output" && [ "$(records)" = "$all" ]
}
check "standard output is full: the records are kept" to_full

# Other launchers
for launcher in ssh mpirun mpiexec; do
    plant dead n9
    check "$launcher: a process a node" is 0 "$all" "" fleet --launcher $launcher --hosts 'n[1-4]' --fanout 2
    check "$launcher: four" test "$(wc -l <"$plan/asked")" -eq 4
done
check "ssh: words that the node refuses" is 1 "" "n1 " fleet --launcher ssh --hosts n1 -- "--host=a'b c"
check "ssh: and that reach it as they were" grep -q "a'b c" "$work/run/launcher.log"
plant
printf 'n2\nn2\nn1\n' >"$work/nodes"
pbs() {
    PBS_JOBID=5 PBS_NODEFILE=$work/nodes "$@"
}
check "PBS: a file with a line for each CPU" is 4 "n1 n2 " "" pbs fleet
printf '\r\nn2\r\nn1\r\n\r\n' >"$work/nodes"
check "PBS: with empty lines, and lines that end with CR LF" is 4 "n1 n2 " "" pbs fleet

# Links
plant
check "links: the slow one is named, though ert-net does not end" is 1 "n1 n2 n3 n4 n5 n6 " "" \
    fleet --launcher mpirun --hosts 'n[1-6]' --net ert-net
check "links: each way" test "$(grep -c '^bad *link *n[25] - n[25] is slow' "$work/run/fleet.txt")" -eq 2
check "links: and it alone" test "$(grep -c -e '^bad' -e '^open' "$work/run/fleet.txt")" -eq 2
check "links: ert-net was ended" gone
sed -n '$p' "$work/run/records.ndjson" >>"$work/run/records.ndjson"
printf '{"schema":"ert-net/1","line":"run","cre' >>"$work/run/net.ndjson"
check "links: resumed" gives 1 again --launcher mpirun --resume "$work/run" --net ert-net
check "links: a cut line does not run into the next" test "$(grep -c '"line":"run","created.*}$' \
    "$work/run/net.ndjson")" -eq 2
check "links: the bad ones are reported before notes" test "$(grep -n -m 1 '^note' "$work/run/fleet.txt" |
    cut -d: -f1)" -gt "$(grep -n '^bad' "$work/run/fleet.txt" | tail -n 1 | cut -d: -f1)"
check "links: one process for all" asks "mpirun.openmpi -np 6 --host n1,n2,n3,n4,n5,n6"
check "links: none wanted" is 0 "n1 n2 n3 n4 n5 n6 " "" fleet --launcher mpirun --hosts 'n[1-6]'
check "links: not by ssh" is 0 "$all" "" fleet --launcher ssh --hosts 'n[1-4]' --net ert-net
check "links: and says so" says "links: not measured: this launcher cannot start MPI programs"
plant
printf '{"schema":"ert-net/1","line":"pair","a":"n1","b":"end","round":1,"test":"one-way","size_bytes":8,' \
    >"$plan/net-slow"
printf '"value":1,"low":1,"high":1,"unit":"byte/s","n":5,"repeat":0,"state":"ok","reason":""}\n' \
    >>"$plan/net-slow"
check "links: a host by the name of end is none" is 1 "n1 n2 n3 n4 n5 n6 " "" \
    fleet --launcher mpirun --hosts 'n[1-6]' --net ert-net
check "links: all came" test "$(grep -c '"pair"' "$work/run/net.ndjson")" -eq 41
plant net-fails yes
check "links: ert-net fails" gives 1 fleet --launcher mpirun --hosts 'n[1-6]' --net ert-net
check "links: its words" says "ended with exit code 5 before all links were measured: MPI_Init: no network"
check "links: what came is kept" test "$(grep -c '"pair"' "$work/run/net.ndjson")" -eq 40

# Fewer files may be open than there are nodes: the last one begins at once, and takes longer than an answer.
plant n40 '"$ERT" "$@" | { read -r line; echo "$line"; sleep 9; cat; }; exit'
few_files() {
    ulimit -n 64
    fleet --launcher local --hosts 'n[1-40]' --fanout 100 --answer 6s
}
check "more nodes than files" gives 0 few_files
check "all have a record" says "^40 nodes"

# What is refused
refused() {
    words=$1 status=$2
    shift 2
    gives "$status" fleet "$@" && says "$words"
}
check "no job and no launcher" refused "not in a job" 2
check "a topology that cannot be read" refused "nowhere: cannot read: No such file" 2 \
    --launcher local --hosts n1 --topology nowhere
check "and no node was launched" gives 1 test -e "$work/run/records.ndjson"
check "no such launcher" refused "there are: srun, mpirun, mpiexec, ssh, local" 2 --launcher qsub
check "no hosts" refused "no hosts: give --hosts" 2 --launcher ssh
check "an empty list of hosts" refused "empty" 2 --launcher local --hosts ""
check "a list that is none" refused "n\[1-" 2 --launcher local --hosts "n[1-"
check "an empty list of the job" env SLURM_JOB_ID=1 SLURM_JOB_NODELIST= \
    sh -c '"$0" fleet run --out "$1"; [ $? -eq 2 ]' "$ERT" "$work/empty"
absent() {
    PATH=/nowhere answers 3 "srun is not installed" \
        "$ERT" fleet run --launcher srun --hosts n1 --out "$work/absent"
}
check "the launcher is not installed" absent

# The job script
check "a job script" "$ERT" fleet run --sbatch "$work/job" --nodes 4 --time 20min --budget 3s -- --device fake
script() {
    cat "$work/job"
    sh -n "$work/job" && for words in "#SBATCH --nodes=4" "#SBATCH --time=20" "--no-kill" \
        "--signal=B:TERM@60" "fleet run '--budget' '3s' '--' '--device' 'fake'"; do
        grep -q -- "$words" "$work/job" || { echo "no $words"; return 1; }
    done
}
check "asks for its nodes, and runs this" script
says_script() { # PATTERN WORDS...
    pattern=$1
    shift
    "$ERT" fleet run --sbatch - "$@" | grep -q -- "$pattern"
}
check "its time is in whole minutes" says_script "#SBATCH --time=11$" --nodes 4 --time 11min
check "at least what was asked for" says_script "#SBATCH --time=12$" --nodes 4 --time 661s
check "words for the nodes stay" says_script "'--' '--device' 'cpu' '--time' '5'$" \
    --nodes 2 -- --device cpu --time 5
check "a job script's hosts are a list" answers 2 "is not a host name" \
    "$ERT" fleet run --sbatch - --hosts 'n1 --account=x'
check "a job script needs a number of nodes" answers 2 "--nodes" "$ERT" fleet run --sbatch -
runs_script() {
    rm -rf "$work/job.d"
    mkdir "$work/job.d"
    plant
    "$ERT" fleet run --sbatch="$work/job" --hosts 'n[1-4]' --device fake --budget=2s \
        --ert "$work/bin/node-ert" --net none || return 1
    sed -i "s|exec '$work/bin/node-ert'|exec '$ERT'|" "$work/job"
    (cd "$work/job.d" && slurm sh "$work/job" && [ "$(records ert-fleet-17/records.ndjson)" = "$all" ])
}
check "the script runs" runs_script
done_testing
