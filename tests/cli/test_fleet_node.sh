#!/bin/sh
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
    python3 - "$top_srcdir/ert/fleet/record.schema.json" out <<'PYTHON'
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

check "a planted node" record 0 '"schema": "ert-node/1"' --host n0007
check "named by --host" grep -q '"host": "n0007"' out
check "its ceilings" grep -q '"name": "DRAM-load", "unit": "byte/s"' out
check "its status" grep -q '"kind": "measure", "status": "ok", "reason": ""' out
check "its CPU" grep -q '"cpu": "planted CPU", "packages": 2' out
if python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    check "by the schema" valid
else
    skip "by the schema" "no python3 with jsonschema 4 (Debian: python3-jsonschema)"
fi
check "named by Slurm, with the job" env SLURMD_NODENAME=n3 SLURM_JOB_ID=77 \
    sh -c '"$1" fleet node --device fake 2>/dev/null | grep -q "\"host\": \"n3\".*\"job\": \"77\""' sh "$ert"
check "a name that is none" answers 2 "--host: 'a b', must be a host's name" "$ert" fleet node --host 'a b'
check "no such device" record 3 '"status": "failed", "reason": "no device' --device fake7
done_testing
