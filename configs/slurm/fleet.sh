#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All nodes of a job: which are slow, broken or missing. Each node writes its record into a folder that all
# nodes share; suspects are measured twice more, since a moment's disturbance does not repeat.
#
#   sbatch --nodes=64 fleet.sh [OPTIONS of ert fleet node]     # --device cpu, --verify NORMAL.json ...
#
#   ERT           the program (default: ert on the PATH)
#   ERT_NET       ert-net, which measures the links (default: they are not measured); its MPI by
#                 SLURM_MPI_TYPE
#   ERT_RESULTS   where the folder of the job is made (default: ert-results); to be seen by all nodes
#
#SBATCH --ntasks-per-node=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --no-kill
#SBATCH --time=20
#SBATCH --output=ert-%j.log
ert=${ERT:-ert}
folder=${ERT_RESULTS:-ert-results}/${SLURM_JOB_ID:-fleet}
mkdir -p "$folder" || exit 1
scontrol show hostnames "$SLURM_JOB_NODELIST" >"$folder/nodes" || exit 1

# on HOSTS N OPTIONS...: on N nodes, a list or a file of them. A node that fails or hangs ends no other.
on() {
    hosts=$1 n=$2
    shift 2
    srun --nodelist="$hosts" --nodes="$n" --ntasks-per-node=1 --cpu-bind=none --mem-bind=none --time=10 \
        --kill-on-bad-exit=0 --no-kill "$ert" fleet node --into "$folder" "$@"
}

# again WHICH: "$folder/again" lists the nodes to be measured again; whether there are any.
again() {
    "$ert" fleet merge "$folder" --expect "$folder/nodes" --output "$1" >"$folder/again" 2>/dev/null
    [ -s "$folder/again" ]
}

on "$folder/nodes" "$(wc -l <"$folder/nodes")" "$@"
# Slurm ends a step on all nodes if it cannot reach one of them: then a step of its own for each.
if again missing; then
    while read -r host; do
        on "$host" 1 "$@" </dev/null &
    done <"$folder/again"
    wait
fi
for _ in 1 2; do
    again suspects || break
    on "$folder/again" "$(wc -l <"$folder/again")" "$@"
done
if [ -n "$ERT_NET" ]; then
    for seed in 1 2 3; do # a slow link is slow in all runs, whose rounds have other pairs at once
        srun --ntasks-per-node=1 --kill-on-bad-exit=0 "$ERT_NET" --seed "$seed" --out "$folder/job.net"
    done
fi
exec "$ert" fleet merge "$folder" --expect "$folder/nodes" --out "$folder/report"
