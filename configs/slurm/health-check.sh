#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Checks whether this node is as fast as before. For slurm.conf, as Prolog, Epilog or HealthCheckProgram
# (HealthCheckNodeState=IDLE). Runs `ert fleet node` against a reference, within a hard time limit, and prints
# one line with the result.
#
#   health-check.sh [NORMAL.json]      # ceilings of `ert run --repeat 3` on a healthy node of this model
#
# Exit code 1: a ceiling is slower than before, or the node failed; Slurm
# drains the node of a Prolog or Epilog that ends so. 0: the node is as before, or there is no verdict: the
# time ran out (the line names the check that took it), others disturb the node, or the check cannot run
# here. No node is drained for that. Slurm passes no arguments and no environment: the settings are in
# /etc/ert-check.conf, a file of shell assignments.
#
#   ERT_NORMAL   the reference, unless given as argument
#   ERT          the program (default: ert on the PATH)
#   ERT_WORDS    further options of `ert fleet node`, such as "--device gpu --budget 5s"
#   ERT_LIMIT_S  the hard limit, 20 or more (default 50: Slurm ends a HealthCheckProgram after 60 s)
#   ERT_DRAIN    yes: drain a bad node here, with the reason (default no)
#   ERT_RECORDS  a folder: each record is appended to HOST.ndjson there, for `ert fleet merge`, which uses
#                1000 of a node: begin a new folder now and then
PATH=${PATH:-/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin}
export PATH
conf=${ERT_CHECK_CONF:-/etc/ert-check.conf}
if [ -r "$conf" ]; then
    # shellcheck source=/dev/null
    . "$conf"
fi
ert=${ERT:-ert}
normal=${1:-$ERT_NORMAL}
limit=${ERT_LIMIT_S:-50}
host=${SLURMD_NODENAME:-$(hostname -s)}
unset OMP_PROC_BIND OMP_PLACES OMP_NUM_THREADS GOMP_CPU_AFFINITY KMP_AFFINITY

# say VERDICT TEXT: in the characters that a log, scontrol and NHC take as they are.
say() {
    text=$(printf '%s' "$2" | tr -c '[:alnum:] .,:%/+_-' '?' | cut -c 1-400)
    echo "ert-check: $host: $1${text:+: $text}"
}

no_verdict() {
    say "no verdict" "$1"
    exit 0
}

bad() {
    say bad "$1"
    if [ "$ERT_DRAIN" = yes ]; then
        scontrol update nodename="$host" state=drain reason="ert: $text"
    fi
    exit 1
}

[ -n "$normal" ] || no_verdict "no reference: give NORMAL.json, or ERT_NORMAL in $conf"
[ "$limit" -ge 20 ] 2>/dev/null || no_verdict "ERT_LIMIT_S is '$limit', must be 20 or more"

# The node is told to end, and has a record even so; what does not end is killed.
status=0
# shellcheck disable=SC2086 # several words
record=$(timeout -k 12 $((limit - 14)) "$ert" fleet node --verify "$normal" --host "$host" \
    $ERT_WORDS 2>/dev/null) || status=$?
# "STATUS:REASON", the record's own: ceilings have reasons, too.
found=$(printf '%s\n' "$record" | sed -n 's/.*"kind": *"[a-z]*", *"status": *"\([a-z ]*\)", '\
'*"reason": *"\(\([^"\\]\|\\.\)*\)", *"elapsed_s":.*/\1:\2/p')
reason=${found#*:}

case $record in
'{'*'}') ;;
*) no_verdict "timeout or failure: '$ert fleet node' gave no record within $limit s (exit code $status)" ;;
esac
if [ -n "$ERT_RECORDS" ]; then
    printf '%s\n' "$record" >>"$ERT_RECORDS/$host.ndjson" || say note "no record in $ERT_RECORDS"
fi
case $status:${found%%:*} in
0:*) say ok "" ;;
*:interrupted) no_verdict "timeout: $reason" ;;
1:* | 3:failed) bad "$reason" ;;
4:*) no_verdict "$reason" ;;
*) no_verdict "cannot check: $reason" ;;
esac
