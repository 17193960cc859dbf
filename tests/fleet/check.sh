#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# configs/slurm/fleet.sh on virtual nodes (cluster.sh), with planted faults: each is named, and nothing else,
# in all of FLEET_RUNS runs. Prints rows as in results/fleet/cluster.md.
#
#     FLEET_RUNS=10 check.sh        exit code 77 and the reason where the machine does not allow it
#
# The measured machine is planted, since two cores cannot be 16 nodes: its rates do not depend on what else
# runs here. The slow node has a CPU quota of 30 %; its rates are lower by the share of time that the kernel
# stopped a loop there for it. Links are real traffic of real ranks, one pair at a time
# (ert-net does so where ranks share CPUs).
here=$(dirname "$(readlink -f "$0")")
cluster=$here/cluster.sh
script=$here/../../configs/slurm/fleet.sh
ERT=${ERT:-$top_builddir/ert/ert}
NET=${NET:-$top_builddir/ert/ext/net/ert-net}
runs=${FLEET_RUNS:-10}
ERT=$(readlink -f "$ERT") NET=$(readlink -f "$NET")
export ERT NET
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# `ert` of a node: the planted machine, with noise of its own, slower where the node has a CPU quota. The
# kernel counts the time that it stops a group's processes, in ns (cgroup 1) or us (2).
cat >"$work/node-ert" <<'SCRIPT'
#!/bin/sh
group=$(sed -n 's/^[0-9]*:\(cpu\|cpu,cpuacct\|\):\(.*ert-fleet-.*\)/\2/p' /proc/self/cgroup | head -n 1)
stopped_us() {
    cat "/sys/fs/cgroup/cpu$group/cpu.stat" "/sys/fs/cgroup$group/cpu.stat" 2>/dev/null |
        awk '$1 == "throttled_time" { print int($2 / 1000) } $1 == "throttled_usec" { print $2 }'
}
slower=0
if [ "$group" ]; then
    begin=$(date +%s%N) before=$(stopped_us) i=0
    while [ $i -lt 200000 ]; do i=$((i + 1)); done
    slower=$(awk -v stopped="$(($(stopped_us) - before))" -v ns="$(($(date +%s%N) - begin))" \
        'BEGIN { printf "%.3f", stopped * 1000 / ns }')
fi
ERT_FAKE=seed=$(date +%N | sed 's/^0*//;s/...$//;s/^$/1/'),slower=$slower
export ERT_FAKE
exec "$ERT" "$@"
SCRIPT
# Of 14 ranks on two cores: pairs, messages of 64 KiB.
cat >"$work/net" <<'SCRIPT'
#!/bin/sh
exec "$NET" --tests pairs --size 64KiB --deadline 20s "$@"
SCRIPT
chmod +x "$work/node-ert" "$work/net"

# inside: what runs in the cluster. N FAULTS: words "slow", "links", "slow-link", "dead", "hang".
cat >"$work/inside" <<'SCRIPT'
#!/bin/sh
n=$1 faults=$2 cluster=$3 work=$4 script=$5
for fault in $faults; do
    case $fault in
    slow) sh "$cluster" slow-node n3 30 ;;
    links) export ERT_NET="$work/net" ;;
    slow-link) sh "$cluster" slow-link n2 n4 10mbit ;;
    dead) sh "$cluster" dead-node "n$((n > 4 ? 5 : 2))" ;;
    hang) sh "$cluster" hang-node "n$((n > 4 ? 7 : 4))" ;;
    esac
done
ERT=$work/node-ert ERT_RESULTS=$work/run
export ERT ERT_RESULTS
exec salloc -Q --no-kill -N"$n" --exclusive sh "$script" --device fake --budget 2s --limit 20s
SCRIPT

# one N FAULTS EXPECTED: whether what is named is what was planted.
one() {
    rm -rf "$work/run"
    begin=$(date +%s)
    "$cluster" up "$1" sh "$work/inside" "$1" "$2" "$cluster" "$work" "$script" >"$work/log" 2>&1 </dev/null
    code=$?
    [ $code -ne 77 ] || { cat "$work/log"; exit 77; }
    seconds=$(($(date +%s) - begin))
    named=$(sed -n 's/^\(bad\|open\)  *\([a-z ]*[a-z]\)  *\(n[0-9]*\( - n[0-9]*\)*\).*/\2 \3/p' \
        "$work"/run/*/report/fleet.txt | sed 's/ - /-/;s/link n4-n2/link n2-n4/' | sort -u | tr '\n' ';')
    [ "$named" = "$3" ] && return
    echo "$1 nodes, $2: named '$named', planted '$3'" >&2
    cat "$work/log" >&2
    return 1
}

# row N FAULTS EXPECTED: all runs. FLEET_ROWS: a pattern of those that are wanted.
row() {
    echo "$1: $2" | grep -q -e "${FLEET_ROWS:-.}" || return 0
    good=0 most=0 i=0
    while [ $i -lt "$runs" ]; do
        i=$((i + 1))
        one "$1" "$2" "$3" && good=$((good + 1))
        [ $seconds -le $most ] || most=$seconds
    done
    echo "| $1 | $2 | $good of $runs | $most s |"
    [ $good -eq "$runs" ] || failed=1
}
failed=0
gone="missing n5;missing n7;"
row 4 "" ""
row 4 slow "slow n3;"
row 4 dead "missing n2;"
row 4 hang "missing n4;"
row 16 "slow dead hang" "${gone}slow n3;"
# Links, by Slurm's plugin for the MPI that ert-net was built with.
case $(ldd "$NET" 2>/dev/null) in
*libmpich*) SLURM_MPI_TYPE=pmi2 ;;
*) SLURM_MPI_TYPE=pmix ;;
esac
export SLURM_MPI_TYPE
if [ -x "$NET" ]; then
    row 4 links ""
    row 4 "links slow-link" "link n2-n4;"
fi
exit $failed
