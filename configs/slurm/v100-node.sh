#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=ert
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --constraint=gpu
#SBATCH --gres=gpu:8
#SBATCH --time=00:15:00
#SBATCH --output=ert-%j.log

# A node like Cori's GPU nodes: 8 V100 on two sockets of 20 cores. It takes the whole node, since GPUs of
# other jobs would share the host's memory and the switches on the measured links.
#
#   sbatch v100-node.sh [options of ert run]
#
# NUMA: GPUs 0 to 3 are on one socket, 4 to 7 on the other, so the job needs both.

# The program, its preset, and where results go: one folder per job.
ert=${ERT:-ert}
config=${ERT_CONFIG:-v100}
out=${ERT_RESULTS:-ert-results}/${SLURM_JOB_ID:-local}

# These bind OpenMP's first thread before ert sees the node: it pins its threads itself.
unset OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS GOMP_CPU_AFFINITY KMP_AFFINITY

# One task with every hardware thread and all memory; srun binds neither. Without Slurm: right here.
step() {
    if [ -n "$SLURM_JOB_ID" ] && command -v srun >/dev/null; then
        srun --nodes=1 --ntasks=1 --cpus-per-task="${SLURM_CPUS_ON_NODE:-1}" \
            --cpu-bind=none --mem-bind=none "$@"
    else
        "$@"
    fi
}

mkdir -p "$out" || exit

step "$ert" run --config "$config" --out "$out" "$@"
