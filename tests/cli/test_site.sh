#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The hooks for sites of configs/: Slurm's, NHC's and ReFrame's, on the planted machine. A node fails for what
# is slower, and never for want of time.
. "$top_srcdir/tests/tap.sh"
top_srcdir=$(cd "$top_srcdir" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ERT=$(cd "$top_builddir" && pwd)/ert/ert
unset SLURM_JOB_ID ERT_NORMAL ERT_WORDS ERT_LIMIT_S ERT_DRAIN ERT_RECORDS
SLURMD_NODENAME=n3 ERT_CHECK_CONF=$work/none
export ERT SLURMD_NODENAME ERT_CHECK_CONF
cd "$work" || exit 1

"$ERT" run --device fake --quick --out normal >log 2>&1 || { cat log; exit 1; }
normal=normal/ceilings.json
hook=$top_srcdir/configs/slurm/health-check.sh

# scontrol that only writes down what it is asked for; a node's program that does as it is told.
printf '#!/bin/sh\necho "$*" >>"%s/asked"\n' "$work" >bin/scontrol
cat >bin/stub <<'STUB'
#!/bin/sh
printf '%s\n' "$STUB_RECORD"
exit "${STUB_EXIT:-0}"
STUB
chmod +x bin/scontrol bin/stub
PATH=$work/bin:$PATH

# stub EXIT STATUS REASON: the hook with a node that ends so.
stub() {
    STUB_EXIT=$1 ERT=stub STUB_RECORD='{"schema": "ert-node/1", "job": "[1]", "kind": "verify", '\
'"status": "'$2'", "reason": "'$3'", "elapsed_s": 1, "ceilings": [{"reason": "other"}]}' sh "$hook" "$normal"
}

# drains EXIT COMMAND...: with its exit code and a reason for Slurm; leaves: with 0 and none.
drains() {
    rm -f asked
    gives 1 env ERT_DRAIN=yes "$@" && cat asked
}
leaves() {
    rm -f asked
    gives 0 env ERT_DRAIN=yes "$@" && [ ! -e asked ]
}
slow() {
    ERT_FAKE=slower=load:0.1 sh "$hook" "$normal"
}
drained_for() {
    drains env "$1" sh "$hook" "$normal" | grep -qF "update nodename=n3 state=drain reason=ert: $2"
}

check "Slurm: a node as it was" prints "ert-check: n3: ok" sh "$hook" "$normal"
check "Slurm: is let alone" leaves sh "$hook" "$normal"
check "Slurm: a slower one fails" answers 1 "ert-check: n3: bad: " slow
check "Slurm: is drained where the site wants it" drained_for ERT_FAKE=slower=load:0.1 ""
check "Slurm: a device that is gone" drained_for ERT_FAKE=gpus=0 "no device ?fake1? on this machine"
check "Slurm: wrong results" drained_for ERT_FAKE=fault=nan,kernel=triad "fake0: triad"
unless_told() {
    rm -f asked
    slow | grep bad && [ ! -e asked ]
}
check "Slurm: drains no node unless told" unless_told
check "Slurm: a disturbed node is no bad one" leaves env ERT_FAKE=noise=0.3 sh "$hook" "$normal"
check "Slurm: and that is said" prints "n3: no verdict: " env ERT_FAKE=noise=0.3 sh "$hook" "$normal"
check "Slurm: time that ran out names the check" prints \
    "n3: no verdict: timeout: interrupted" stub 1 interrupted interrupted
check "Slurm: no record at all" prints "n3: no verdict: timeout or failure: ?false fleet node?" \
    env ERT=false sh "$hook" "$normal"
check "Slurm: half a record" prints "timeout or failure" env ERT=stub STUB_RECORD='{"schema": "ert-no' \
    sh "$hook" "$normal"
check "Slurm: neither drains" leaves env ERT=false sh "$hook" "$normal"
check "Slurm: no reference" prints "no reference" sh "$hook"
check "Slurm: a reference that is not there" prints "no verdict: cannot check: none.json" sh "$hook" none.json
check "Slurm: a limit that is none" prints "must be 20 or more" env ERT_LIMIT_S=5 sh "$hook" "$normal"
check "Slurm: settings of a file" sh -c 'echo "ERT_NORMAL=$1" >conf && ERT_CHECK_CONF=./conf sh "$2" |
    grep -q "n3: ok"' sh "$normal" "$hook"
check "Slurm: no PATH" env -u PATH "$(command -v sh)" "$hook" "$normal"
injects() {
    stub 1 failed "a'; touch pwned; \$(touch pwned) \`touch pwned\` | x" | grep -q "bad: a??" &&
        [ ! -e pwned ]
}
check "Slurm: a reason is only a text" injects
check "Slurm: records are collected" sh -c 'mkdir kept && ERT_RECORDS=kept sh "$1" "$2" && ERT_RECORDS=kept \
    sh "$1" "$2" && [ "$(grep -c ert-node/1 kept/n3.ndjson)" -eq 2 ]' sh "$hook" "$normal"

# NHC's conventions: functions log and die, TIMEOUT. ERT_NHC is the program of a checkout, for all of it.
if command -v bash >/dev/null; then
    cat >nhc.sh <<'NHC'
TIMEOUT=${NHC_TIMEOUT:-60}
log() { echo "log: $*"; }
die() { shift; echo "die: $*"; exit 1; }
. "$1"
check_ert_node "$2"
echo "returns $?"
NHC
    nhc="bash $work/nhc.sh $top_srcdir/configs/nhc/ert.nhc"
    check "NHC: a node as it was" prints "returns 0" $nhc "$normal"
    check "NHC: a slower one" answers 1 "die: check_ert_node:  ert-check: n3: bad: " \
        env ERT_FAKE=slower=load:0.1 $nhc "$normal"
    check "NHC: no time" prints "log: check_ert_node:  ert-check: n3: no verdict" env ERT=false $nhc "$normal"
    check "NHC: a watchdog that is too short" prints "ERT_LIMIT_S is ?10?, must be 20" \
        env NHC_TIMEOUT=15 $nhc "$normal"
    check "NHC: no script" prints "set ERT_CHECK" env ERT_CHECK=none $nhc "$normal"
else
    skip "NHC" "no bash"
fi
nhc=${ERT_NHC:-$(command -v nhc)}
if [ -n "$nhc" ]; then
    printf '* || export TIMEOUT=60\n* || check_ert_node %s/%s\n' "$work" "$normal" >nhc.conf
    mkdir scripts && ln -s "$top_srcdir/configs/nhc/ert.nhc" scripts/
    cp "$(dirname "$nhc")"/scripts/common.nhc /etc/nhc/scripts/common.nhc scripts/ 2>/dev/null
    # run_nhc PLANT
    run_nhc() {
        env "ERT_FAKE=$1" bash "$nhc" -c nhc.conf -l - -t 60 -v MARK_OFFLINE=0 NHC_RM=slurm \
            "INCDIR=$work/scripts"
    }
    check "NHC itself: a node as it was" prints "n3: ok" run_nhc seed=3
    check "NHC itself: a slower one" answers 1 "Health check failed:  check_ert_node:  ert-check: n3: bad" \
        run_nhc slower=load:0.1
else
    skip "NHC itself" "no nhc on the PATH (github.com/mej/nhc; or ERT_NHC)"
fi

if command -v reframe >/dev/null; then
    # reframe_says CODE WORDS PLANT
    reframe_says() {
        answers "$1" "$2" env ERT_FAKE="$3" TMPDIR="$work" PATH="$(dirname "$ERT"):$PATH" \
            reframe -c "$top_srcdir/configs/reframe/ert_node.py" --prefix "$work/reframe" -r \
            --performance-report -S ert_node_check.normal="$work/$normal"
    }
    check "ReFrame: a node as it was" reframe_says 0 PASSED "seed=3"
    check "ReFrame: its figures" reframe_says 0 n3_fake0_fp64-fma "seed=3"
    check "ReFrame: a slower one" reframe_says 1 "n3: fake0 L1-load is slower" slower=load:0.1
else
    skip "ReFrame" "no reframe on the PATH (PyPI: reframe-hpc)"
fi
done_testing
