#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A virtual Slurm cluster on one Linux machine, for tests of what runs on many nodes.
#
#     cluster.sh up N [COMMAND...]        nodes n1 to nN; runs the command (default: sh), then all is gone
# and within that command:
#     cluster.sh slow-node NODE PERCENT   a CPU quota: so much of one CPU for all its processes
#     cluster.sh slow-link A B RATE       between these two alone: a cable of this rate (tc tbf)
#     cluster.sh dead-node NODE           its slurmd and all else on it end, and its network with it
#     cluster.sh hang-node NODE           all of its processes stop; its network still answers
#     cluster.sh on NODE COMMAND...       as ssh does, in place of it: the words go to a shell there
#
# The command runs in namespaces of its own (mounts, network, host name, processes) without a way out to any
# other network; each node is a set of namespaces within, with a veth cable to one bridge. Files are in a
# /run of the cluster's own, /etc/hosts is another file there. So the kernel removes everything when the first
# process ends, also after SIGKILL; CPU quotas alone are files of the machine, removed at the end, or by the
# next cluster. Exit code 77 and one line with the reason where the machine does not allow it.
#
# Debian: slurmctld slurmd slurm-client openmpi-bin libopenmpi-dev libpmix-dev iproute2 (slurmd's PMIx plugin
# loads libpmix.so, which the -dev package has). No munge: all nodes are this machine.
network=10.77
home=/run/fleet
self=$(readlink -f "$0")

fail() {
    echo "cluster.sh: $*" >&2
    exit 1
}

cannot() {
    echo "cluster.sh: skipped: $*" >&2
    exit 77
}

address() { # of a node by its number
    echo "$network.$(($1 / 250)).$(($1 % 250 + 1))"
}

init_of() { # the first process of a node
    cat "$home/$1.init" 2>/dev/null || fail "no node $1"
}

# The folder of the machine's CPU cgroups, of either version.
quotas() {
    for folder in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
        [ -w "$folder/cgroup.procs" ] && echo "$folder" && return
    done
    return 1
}

# Those of clusters whose first process is gone.
remove_quotas() {
    folder=$(quotas) || return 0
    for group in "$folder"/ert-fleet-*-*; do
        owner=${group#*/ert-fleet-}
        [ -d "$group" ] && ! kill -0 "${owner%%-*}" 2>/dev/null && rmdir "$group"
    done
    return 0
}

# Outside: checks what there is, and gives all of it to new namespaces.
up() {
    for program in slurmctld slurmd srun scontrol ip tc unshare nsenter setpriv; do
        command -v $program >/dev/null || cannot "$program is not installed"
    done
    user=
    [ "$(id -u)" -eq 0 ] || user="--user --map-root-user"
    # shellcheck disable=SC2086
    unshare $user --mount --net --uts --pid --fork true 2>/dev/null ||
        cannot "namespaces are not allowed here"
    remove_quotas
    # shellcheck disable=SC2086
    # It ends with this shell, however that ends, and its first process with it; it lets no SIGTERM through.
    FLEET_OWNER=$$ setpriv --pdeathsig KILL unshare $user --mount --net --uts --pid --fork \
        --kill-child --mount-proc sh "$self" inside "$@" &
    inner=$!
    trap 'kill -KILL $inner' INT TERM HUP
    while :; do # a trapped signal ends wait, not the cluster
        wait $inner
        code=$?
        kill -0 $inner 2>/dev/null || break
    done
    FLEET_OWNER=0
    for group in "$(quotas)"/ert-fleet-$$-*; do
        # the kernel needs a moment to see that the last process is gone
        for _ in 1 2 3 4 5 6 7 8 9 10; do
            [ ! -d "$group" ] || rmdir "$group" 2>/dev/null || sleep 0.1
        done
    done
    exit "$code"
}

write_hosts() {
    echo "127.0.0.1 localhost"
    echo "$network.255.254 head"
    for i in $(seq "$1"); do
        echo "$(address "$i") n$i"
    done
}

write_conf() {
    cat <<CONF
ClusterName=fleet
SlurmctldHost=head
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$home/state
SlurmdSpoolDir=$home/%n
SlurmctldPidFile=$home/slurmctld.pid
SlurmdPidFile=$home/%n.pid
SlurmctldLogFile=$home/slurmctld.log
SlurmdLogFile=$home/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerType=sched/builtin
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
MessageTimeout=5
SlurmdTimeout=300
TreeWidth=64
CONF
    for i in $(seq "$1"); do
        echo "NodeName=n$i NodeAddr=$(address "$i") CPUs=2 State=UNKNOWN"
    done
    echo "PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

# One node: in namespaces of its own; its first process waits for the cable, then runs slurmd.
start_node() {
    name=n$1
    mkdir -p "$home/$name"
    mkfifo "$home/$name.go"
    unshare --mount --net --uts --pid --fork --kill-child --mount-proc sh -c '
        hostname "$1" && mount --bind "$2/$1" "$2/local" && mount -t tmpfs tmpfs /dev/shm &&
            ip link set lo up && read -r _ <"$2/$1.go" && exec slurmd -D -N "$1" >/dev/null 2>&1' \
        node "$name" "$home" &
    outer=$!
    init=
    for _ in $(seq 500); do
        init=$(cat "/proc/$outer/task/$outer/children" 2>/dev/null) && [ -n "$init" ] && break
        sleep 0.01
    done
    init=${init%% *}
    [ -n "$init" ] || fail "$name does not start"
    echo "$init" >"$home/$name.init"
    # unshare makes the namespaces before it forks, so they are the child's from its beginning.
    ip link add "$name" type veth peer name eth0 netns "$init" || fail "no cable for $name"
    ip link set "$name" master bridge up
    nsenter -t "$init" --net ip address add "$(address "$1")/16" dev eth0
    nsenter -t "$init" --net ip link set eth0 up
    echo go >"$home/$name.go"
}

wait_for_nodes() {
    for _ in $(seq 600); do
        [ "$(sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -eq "$1" ] && return
        sleep 0.1
    done
    sinfo -N >&2
    tail -n 3 "$home"/*.log >&2
    fail "not all nodes came up within 60 s"
}

inside() {
    n=$1
    shift
    mount -t tmpfs tmpfs /run && mkdir -p "$home/state" "$home/local" || fail "no /run of its own"
    write_hosts "$n" >"$home/hosts"
    write_conf "$n" >"$home/slurm.conf"
    # Files that all nodes would write by the same name in /tmp: a folder that is another one on each node.
    echo "PMIxCliTmpDirBase=$home/local" >"$home/mpi.conf"
    export TMPDIR="$home/local"
    mount --bind "$home/hosts" /etc/hosts || fail "no /etc/hosts of its own"
    hostname head
    ip link set lo up
    # Without an address of its own a bridge takes the lowest of its ends: it would change as nodes come and
    # die, and others would send to the old one for half a minute.
    ip link add bridge address 02:00:00:00:00:01 type bridge || fail "this kernel has no bridges"
    ip address add "$network.255.254/16" dev bridge
    ip link set bridge up
    export SLURM_CONF="$home/slurm.conf" SLURM_MPI_TYPE="${SLURM_MPI_TYPE:-pmix}"
    # Open MPI: TCP within the cluster's network, processes of more than there are CPUs, as this user. It must
    # not yield between polls: on a busy machine it gets the core back milliseconds later; ert-net sleeps.
    export OMPI_MCA_btl=self,tcp OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=0
    export OMPI_MCA_btl_tcp_if_include="$network.0.0/16" OMPI_MCA_oob_tcp_if_include="$network.0.0/16"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    # MPICH on UCX takes the nodes, which have one kernel, for one machine with one memory.
    export UCX_TLS=tcp UCX_NET_DEVICES=eth0
    slurmctld -D >/dev/null 2>&1 &
    for i in $(seq "$n"); do
        start_node "$i"
    done
    wait_for_nodes "$n"
    "${@:-sh}"
}

slow_node() {
    folder=$(quotas) || cannot "no CPU cgroups that may be changed"
    group=$folder/ert-fleet-$FLEET_OWNER-$1
    mkdir -p "$group" || cannot "no CPU cgroups that may be changed"
    if [ -e "$group/cpu.cfs_quota_us" ]; then
        echo "$(($2 * 1000))" >"$group/cpu.cfs_quota_us"
    else
        echo +cpu >"$folder/cgroup.subtree_control" 2>/dev/null
        [ -e "$group/cpu.max" ] || cannot "no CPU quota in $folder"
        echo "$(($2 * 1000)) 100000" >"$group/cpu.max"
    fi
    echo "$group" >"$home/$1.group" # of what "on" starts there
    # Among all else that runs here a group is one process of no priority; the quota alone should bound it.
    echo 262144 >"$group/cpu.shares" 2>/dev/null || echo 10000 >"$group/cpu.weight"
    on_all "$1" >"$home/$1.quota"
    while read -r pid; do
        echo "$pid" >"$group/cgroup.procs" 2>/dev/null
    done <"$home/$1.quota"
    return 0
}

# The processes of a node, as numbers of the whole cluster: those in its namespace of processes.
on_all() {
    space=$(readlink "/proc/$(init_of "$1")/ns/pid") || fail "$1 is dead"
    for process in /proc/[0-9]*; do
        [ "$(readlink "$process/ns/pid" 2>/dev/null)" = "$space" ] && echo "${process#/proc/}"
    done
}

# A cable of its own between the two, which their packets to each other take. No filter is needed, which few
# kernels have all of.
slow_link() {
    a=$(init_of "$1")
    b=$(init_of "$2")
    ip link add slow type veth peer name slow2 || fail "no slow cable"
    ip link set slow netns "$a" name "to-$2"
    ip link set slow2 netns "$b" name "to-$1"
    for end in "$a $2" "$b $1"; do
        pid=${end% *} peer=${end#* }
        nsenter -t "$pid" --net ip link set "to-$peer" up
        nsenter -t "$pid" --net tc qdisc add dev "to-$peer" root tbf rate "$3" burst 64kb latency 20ms ||
            fail "tc: no tbf"
    done
    for end in "$a $1 $2" "$b $2 $1"; do
        set -- $end
        nsenter -t "$1" --net ip route add "$(address "${3#n}")/32" dev "to-$3" src "$(address "${2#n}")"
    done
}

on() {
    while [ "${1#-}" != "$1" ]; do # options of ssh, as MPICH's launcher gives them
        shift
    done
    pid=$(init_of "$1") || exit 1
    [ ! -e "$home/$1.hung" ] || exec sleep 1000 # a stopped sshd answers nobody
    [ ! -e "$home/$1.group" ] || echo $$ >"$(cat "$home/$1.group")/cgroup.procs"
    shift
    exec nsenter -t "$pid" --mount --net --uts --pid -- sh -c "$*"
}

case ${1-} in
up)
    [ "${2:-0}" -ge 1 ] && [ "$2" -le 1000 ] || fail "up N: 1 to 1000 nodes"
    shift
    up "$@"
    ;;
inside)
    shift
    inside "$@"
    ;;
slow-node) slow_node "$2" "$3" ;;
slow-link) slow_link "$2" "$3" "$4" ;;
dead-node) kill -KILL "$(init_of "$2")" ;;
hang-node)
    touch "$home/$2.hung"
    on_all "$2" | xargs kill -STOP
    ;;
on)
    shift
    on "$@"
    ;;
*) fail "up, slow-node, slow-link, dead-node, hang-node or on; see the head of $0" ;;
esac
