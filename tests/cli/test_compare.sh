#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline compare as its users type it. Noise must be no change: two runs of the fake machine with
# different seeds; and a fall of 3 % planted in one of them must be found.
command=compare
. "$top_srcdir/tests/cli/roofline_fixture.sh"
ert=$top_builddir/ert/ert

# A run of the fake machine with noise and a seed of its own, everything measured.
fake_run() {
    printf '{"schema": "ert-config/2", "seed": %s, "sections": ["levels", "compute", "latency", %s}' \
        "$1" '"links"]' >seed.json
    ERT_FAKE=noise=0.005 "$ert" run --device fake --config seed.json --out "run$1" >run.log 2>&1 ||
        { cat run.log && exit 1; }
}

# fall NAME FACTOR FILE: the ceilings of that name with their interval, times a factor.
fall() {
    awk -v name="\"name\":\"$1\"" -v factor="$2" '
        index($0, name) {
            line = $0
            out = ""
            while (match(line, /"(value|low|high)":[0-9.e+]+/)) {
                begin = index(substr(line, RSTART), ":") + RSTART
                out = out substr(line, 1, begin - 1) sprintf("%.15g", substr(line, begin) * factor)
                line = substr(line, RSTART + RLENGTH)
            }
            $0 = out line
        }
        { print }' "$3"
}

# Rows of the CSV with a change: neither "same" nor "cannot tell".
changes() {
    "$roofline" compare "$@" --output csv >changes.csv &&
        awk 'NR > 1 && !/,(same|cannot tell),no,/' changes.csv
}

points() {
    printf '{"schema": "ert-points/1", "points": [{"name": "v0", "time_s": %s, "flops": %s, %s}]}\n' \
        "$1" '[{"type": "fp64", "count": 4e12}]' '"bytes": [{"level": "HBM", "count": 1e12}]'
}

fake_run 1
fake_run 2
fall L2-load 0.97 run2/ceilings.json >fallen.json
fall L2-load 0.97 fallen.json >further.json
points 2 >slow.json
points 1.5 >fast.json
"$plant" h200 h200.json && "$plant" nasty nasty.json && "$plant" both both.json || exit 1
echo "no profile" >text.txt

check "other seeds are other numbers" gives 1 quiet cmp run1/ceilings.json run2/ceilings.json
check "noise is no change" empty changes run1/ceilings.json run2/ceilings.json
check "a fall of 3 % is found" prints 'fake0,memory,L2-load' changes run1/ceilings.json fallen.json
check "on both devices" prints 'fake1,memory,L2-load' changes run1/ceilings.json fallen.json
other_changes() {
    changes "$@" >other.csv && awk '!/,slower,/' other.csv
}
check "and nothing else" empty other_changes run1/ceilings.json fallen.json
check "in words" refuses 0 '2 slower' run1/ceilings.json fallen.json
check "a wide margin hides it" empty changes run1/ceilings.json fallen.json --margin 0.05
check "the gate passes noise" refuses 0 'same' run1/ceilings.json run2/ceilings.json --fail-below 0.98
check "the gate names a fall" refuses 1 'fake0 L2-load 0.9' run1/ceilings.json further.json \
    --fail-below 0.98
check "the gate lets it pass below" refuses 0 'slower' run1/ceilings.json further.json --fail-below 0.9
check "only what was not touched" refuses 0 'HBM-load' run1/ceilings.json further.json \
    --fail-below 0.98 --only fake1/HBM
check "nothing of that name" refuses 2 "nothing has 'L9'" run1/ceilings.json run2/ceilings.json --only L9

check "other machines: what differs" refuses 3 'gpu0: model' h200.json nasty.json
check "and that nothing is in both" refuses 3 'nothing is in both' h200.json nasty.json
for time in 1 1.1; do
    echo '{"schema": "ert-points/1", "points": [{"name": "a", "format": "record", "time_s": '$time',
        "flops": [], "bytes": [], "interval_s": [0.7, 1.5]}]}' >noisy$time.json
done
check "a gate that can judge nothing" refuses 4 'too large to tell' \
    noisy1.json noisy1.1.json --fail-below 0.98
check "a device more" refuses 0 'cpu: only in B, with 9 ceilings' h200.json both.json
sed 's/"time_s": [^,]*,//' slow.json >untimed.json
check "points without times have their counts in both" refuses 0 'same' untimed.json untimed.json
check "points: faster" refuses 0 '2.667 TFLOP/s' slow.json fast.json
check "points: the gate" refuses 1 'v0 time 0.75' fast.json slow.json --fail-below 0.98
for share in 0.1 0.2; do
    sed "s/\"time_s\"/\"values\": {\"system_share\": $share, \"share\": $share}, &/" slow.json \
        >share-$share.json
done
check "a value" prints 'v0,value,share,' "$roofline" compare share-0.1.json share-0.2.json --output csv
check "not one that differs by chance" unfound \
    sh -c "'$roofline' compare share-0.1.json share-0.2.json --all | grep system_share"
check "markdown" refuses 0 '| v0 | time | 2 s | 1.5 s | 0.7500 | -25.0 % | faster |' slow.json fast.json \
    --output markdown

check "mixed kinds" refuses 2 'h200.json has ceilings and slow.json has points' h200.json slow.json
check "one file" refuses 2 '1 files given' h200.json
printf '{"schema": "ert-points/1", "points": [%s, %s, %s]}\n' \
    '{"name": "v0", "run": "r", "time_s": 2, "flops": [{"type": "fp64", "count": 4e12, "fma_share": 0}]}' \
    '{"name": "v1", "run": "r", "time_s": 1, "flops": [{"type": "fp64", "count": 4e12, "fma_share": 0}]}' \
    '{"name": "v2", "run": "r", "time_s": 1, "flops": [{"type": "fp64", "count": 4e12, "fma_share": 0}]}' \
    >steps.json
check "steps" refuses 0 'v0 : v1 [r]' steps.json --steps
check "their factors" refuses 0 '2.00 times as fast: 1.00 (operations) x 1.00 (FMA share) x 2.00' \
    steps.json --steps
check "what stays the same is left out" unfound \
    sh -c "'$roofline' compare steps.json --steps | grep operations.*same"
check "but not a step's time" prints 'v1 : v2 [r]' "$roofline" compare steps.json --steps
check "all of it" refuses 0 'operations' steps.json --steps --all
check "a step that is slower" refuses 1 'v1 : v2 [r] time' steps.json --steps --fail-below 1.5
check "steps of ceilings" refuses 2 'h200.json has ceilings; --steps takes points' h200.json --steps
check "steps of two files" refuses 2 'one with --steps' steps.json slow.json --steps
check "no profile" refuses 2 'text.txt' slow.json text.txt
check "missing file" refuses 2 'missing.json' h200.json missing.json
check "a margin above 1" refuses 2 'margin' h200.json both.json --margin 3
check "a gate of 0" refuses 2 'fail-below' h200.json both.json --fail-below 0
done_testing
