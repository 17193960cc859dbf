#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=ert
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --constraint=knl,quad,cache
#SBATCH --core-spec=4
#SBATCH --hint=multithread
#SBATCH --time=00:15:00
#SBATCH --output=ert-%j.log

# A Knights Landing node like Cori's: 68 cores, MCDRAM as a cache of 96 GiB of DDR. 4 cores are left to the
# system (--core-spec), as in the runs of the published rooflines: 64 are measured.
#
#   sbatch knl-quad-cache.sh [options of ert run]
#
# NUMA: there is only one node. MCDRAM is the level MCDRAM, and sets of 40 GiB exceed it and reach DDR.

# The program, its preset, and where results go: one folder per job.
ert=${ERT:-ert}
config=${ERT_CONFIG:-knl}
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
