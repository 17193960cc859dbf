#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks whether this node is as fast as before. Run it in a batch script, before the job's own steps:
#
#   ./node-check.sh NORMAL.json || exit        # ceilings of `ert run --repeat 3` on a healthy node
#
# Exit codes: 0 the node passes, or cannot be judged in these conditions (reported after a second
# attempt; the job continues); 1 it fails: a ceiling is not as recorded; 2 or 3 the check could not
# run. Takes seconds on a GPU node. ERT_RETRY_S: seconds before the second attempt (default 30).

ert=${ERT:-ert}
[ $# -ge 1 ] || { echo "usage: node-check.sh NORMAL.json [options of ert verify]" >&2; exit 2; }
unset OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS GOMP_CPU_AFFINITY KMP_AFFINITY

step() {
    if [ -n "$SLURM_JOB_ID" ] && command -v srun >/dev/null; then
        srun --nodes=1 --ntasks=1 --cpus-per-task="${SLURM_CPUS_ON_NODE:-1}" \
            --cpu-bind=none --mem-bind=none "$@"
    else
        "$@"
    fi
}

status=0
step "$ert" verify --strict "$@" || status=$?
if [ $status -eq 4 ]; then
    echo "node-check: $(hostname) is disturbed, see above: retrying in ${ERT_RETRY_S:-30} s" >&2
    sleep "${ERT_RETRY_S:-30}"
    status=0
    step "$ert" verify --strict "$@" || status=$?
fi
case $status in
0) ;;
1) echo "node-check: $(hostname) is not as in $1: ask for it to be drained" >&2 ;;
4)
    echo "node-check: cannot judge $(hostname): it is disturbed, see above. Is the node shared," \
        "or does a process of an earlier job still run?" >&2
    status=0
    ;;
*) echo "node-check: the check did not run (exit code $status)" >&2 ;;
esac
exit $status
