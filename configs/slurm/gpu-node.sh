#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=ert
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --gpus-per-node=4
#SBATCH --time=00:15:00
#SBATCH --output=ert-%j.log

# One node with all of its GPUs: ert measures them side by side, their links one after the other, then all
# at once. The number of GPUs is set above; fewer work as well.
#
#   ERT_CONFIG=a100 sbatch --gpus-per-node=8 gpu-node.sh [options of ert run]
#
# NUMA: host links are measured from memory near each GPU, so the job needs all NUMA nodes.

# The program, its preset, and where results go: one folder per job.
ert=${ERT:-ert}
config=${ERT_CONFIG:-h200}
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

# What a later day is compared with: three runs, merged (see node-check.sh).
step "$ert" run --config "$config" --strict --repeat "${ERT_REPEAT:-3}" --out "$out" "$@"
