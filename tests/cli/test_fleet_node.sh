#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `ert fleet node`: one record whatever happens, and the exit code that goes with it.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SLURMD_NODENAME SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID

# record STATUS WORDS ARGUMENTS...: the exit code, one line on stdout, and the words in it.
record() {
    tap_expected=$1 words=$2
    shift 2
    gives "$tap_expected" "$ert" fleet node --device fake "$@" >out 2>err || { cat out err; return 1; }
    [ "$(wc -l <out)" -eq 1 ] || { echo "lines: $(wc -l <out)"; return 1; }
    grep -qF -e "$words" out || { echo "'$words' is not in: $(cut -c 1-600 out)"; return 1; }
}

valid() {
    python3 - "$top_srcdir/ert/ext/fleet/record.schema.json" out <<'PYTHON'
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
errors = [list(error.absolute_path) + [error.message[:160]]
          for error in Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2])))]
print(*errors[:3], sep="\n")
sys.exit(bool(errors))
PYTHON
}

valid_or_skipped() {
    python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null || return 0
    valid
}

check "a planted node" record 0 '"schema":"ert-node/1"' --host n0007
check "named by --host" grep -q '"host":"n0007"' out
check "its ceilings" grep -q '"name":"DRAM-load","unit":"byte/s"' out
check "its status" grep -q '"kind":"measure","status":"ok","reason":""' out
check "its CPU" grep -q '"cpu":"planted CPU","packages":2' out
if python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    check "by the schema" valid
else
    skip "by the schema" "no python3 with jsonschema 4 (Debian: python3-jsonschema)"
fi
check "named by Slurm, with the job" env SLURMD_NODENAME=n3 SLURM_JOB_ID=77 \
    sh -c '"$1" fleet node --device fake 2>/dev/null | grep -q "\"host\":\"n3\".*\"job\":\"77\""' sh "$ert"
check "a name that is none" answers 2 "--host: 'a b', must be a host's name" "$ert" fleet node --host 'a b'
check "no such device" record 3 '"status":"failed","reason":"no device' --device fake7
check "a preset" record 0 '"status":"ok"' --config bandwidth
check "no such preset" record 2 '"status":"not valid","reason":"--config: '"'nonsense' is neither" \
    --config nonsense

# What hangs is waited for by the clock, 20 s and 10 s: beside all that follows.
"$ert" run --device fake --quick --out normal >log 2>&1 || { cat log; exit 1; }
mkfifo never
# hang NAME COMMAND...: starts it; hung NAME STATUS WORDS: its exit code, one line on stdout, the words in it.
hang() {
    hang_name=$1
    shift
    { status=0; "$@" >"$hang_name.out" 2>/dev/null || status=$?; echo $status >"$hang_name.status"; } &
}
hung() {
    [ "$(cat "$1.status")" -eq "$2" ] && [ "$(wc -l <"$1.out")" -eq 1 ] && grep -qF -e "$3" "$1.out" ||
        { cat "$1.status" "$1.out"; return 1; }
}
hang device env ERT_FAKE=fault=hang,after=50 \
    "$ert" fleet node --device all --verify normal/ceilings.json

# Against what is normal. fails NUMBER WORDS PLANT OPTIONS...
against() {
    fails_with=$1 fails_words=$2 ERT_FAKE=$3
    shift 3
    export ERT_FAKE
    record "$fails_with" "$fails_words" --verify normal/ceilings.json --device all "$@"
    fails_result=$?
    unset ERT_FAKE
    return $fails_result
}
count() {
    grep -o "$1" out | wc -l
}
check "verified" against 0 '"kind":"verify","status":"ok","reason":""' seed=3
check "with verdicts" test "$(count '"verdict":"same"')" -ge 40
check "by the schema, too" valid_or_skipped
check "a slower ceiling: the measuring is ok, the exit code says it" \
    against 1 '"status":"ok","reason":"' slower=load:0.1
check "its verdict" grep -q '"name":"DRAM-load",.*"verdict":"slower"' out
check "a lower clock" against 1 '"clock_hz":1800000000' clock=0.9
check "a device that is gone" against 1 '"status":"failed","reason":"no device '"'fake1'" gpus=0
check "a wrong result" against 1 'the result is nan' fault=nan,kernel=triad
check "is a missing ceiling" grep -q '"name":"L1-triad",.*"value":0,.*"verdict":"missing"' out
check "a device that dies" against 1 '"status":"failed","reason":"fake0: ' fault=gone,after=50
check "a disturbed node" against 4 '"status":"not valid","reason":"no verdict' noise=0.3

# References that are none, and another model.
echo '{"schema": "ert-ceilings/4"' >cut.json
typo() {
    ERT_FAKE= "$ert" fleet node --device fake --config nonsense --host n1 --into typo 2>/dev/null
    "$ert" fleet merge typo --expect n1 --drain
}
check "an administrator's mistake is open, and drains no node" answers 4 "open not valid    n1: " typo
check "the node is to be measured again" test "$("$ert" fleet merge typo --output suspects 2>/dev/null)" = n1
check "a reference of other devices" answers 3 '"status":"not valid","reason":"no device' \
    "$ert" fleet node --verify "$top_srcdir/results/h200-x4/ceilings.json"
check "no reference" record 2 '"reason":"none.json: cannot read: No such file' --verify none.json
check "a reference that was cut" record 2 '"reason":"cut.json:1:28: ' --verify cut.json
check "another device than is recorded" record 2 '"reason":"no ceiling of a device' \
    --verify normal/ceilings.json --device fake7
sed 's/planted GPU/another GPU/' normal/ceilings.json >other.json
check "another model" record 2 "\"reason\":\"fake1: the recorded device is 'another GPU'" \
    --verify other.json --device all
check "one of both" answers 2 "--verify and --config: give one" "$ert" fleet node --verify x --config y

# Interrupted: by a limit, and by a signal.
long='--device cpu --config full --budget 100s'
limited() {
    gives 124 timeout -k 10 1 "$ert" fleet node $long >out 2>err
    grep -q '"status":"interrupted","reason":"interrupted"' out && [ "$(wc -l <out)" -eq 1 ]
}
check "a limit" limited
stopped() {
    "$ert" fleet node $long >out 2>err &
    sleep 1
    kill -TERM $!
    gives 1 wait $! && [ "$(wc -l <out)" -eq 1 ] &&
        grep -q '"status":"interrupted","reason":"interrupted"' out
}
check "a signal" stopped
unwritten() {
    "$ert" fleet node --device fake >/dev/full
}
check "a full disk" answers 1 "standard output: " unwritten
wait
check "a device that hangs" hung device 1 'did not finish within 20 s'
done_testing
