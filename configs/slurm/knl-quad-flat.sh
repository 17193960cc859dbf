#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#SBATCH --job-name=ert
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --exclusive
#SBATCH --mem=0
#SBATCH --constraint=knl,quad,flat
#SBATCH --core-spec=4
#SBATCH --hint=multithread
#SBATCH --time=00:15:00
#SBATCH --output=ert-%j.log

# A Knights Landing node like Cori's, with MCDRAM as memory: NUMA node 1, without cores. Slurm may have to
# reboot the node into this mode. 4 cores are left to the system (--core-spec).
#
#   sbatch knl-quad-flat.sh [options of ert run]
#
# NUMA: do not use numactl. With --membind=1 everything would be in MCDRAM; ert itself places its buffers
# in DDR and in MCDRAM, and reports ceilings of each.

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
