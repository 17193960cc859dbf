#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=ert
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --hint=multithread
#SBATCH --time=00:10:00
#SBATCH --output=ert-%j.log

# One whole CPU node (--exclusive and --mem=0), without other jobs.
#
#   sbatch cpu-node.sh [options of ert run]        # other presets: ERT_CONFIG=epyc sbatch ...
#
# NUMA: by default ert has a thread on every core, and each thread's memory in its own node; the section
# `numa` of the preset measures each node from each socket. To measure one socket only:
# NUMA_NODE=0 sbatch cpu-node.sh (numactl keeps threads and memory there).

# The program, its preset, and where results go: one folder per job.
ert=${ERT:-ert}
config=${ERT_CONFIG:-xeon}
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

if [ -n "$NUMA_NODE" ]; then
    step numactl --cpunodebind="$NUMA_NODE" --membind="$NUMA_NODE" \
        "$ert" run --config "$config" --strict --out "$out" "$@"
else
    step "$ert" run --config "$config" --strict --out "$out" "$@"
fi
