#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert verify of the planted machine, whose clock wanders or is lower.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-verify-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
wander=clock-wander=0.015

ERT_FAKE=$wander,seed=1000 "$ert" run --device fake --out "$work/run" >"$work/log" 2>&1 ||
    { cat "$work/log" && exit 1; }
ceilings=$work/run/ceilings.json

# again PLANT OPTIONS...: verify under the plant.
again() {
    again_plant=$wander,$1
    shift
    ERT_FAKE=$again_plant "$ert" verify "$@"
}

# lines WORDS PLANT: how many lines of verify hold them.
lines() {
    again "$2" "$ceilings" --all 2>/dev/null | grep -c "$1"
}

check "a clock that wanders is no alarm" again seed=1 "$ceilings"
check "nor a ceiling" is "$(lines SLOWER seed=1)" 0
check "a lower clock fails" gives 1 again seed=1,clock=0.95 "$ceilings"
check "with the clock's change" answers 1 ', clock -' again seed=1,clock=0.95 "$ceilings"
check "5 % of one kernel are found" is "$(lines 'fp64-fma  *SLOWER ' seed=1,slower=fma_fp64:0.05)" 2
check "and nothing else" is "$(lines SLOWER seed=1,slower=fma_fp64:0.05)" 2
ERT_FAKE=$wander,seed=7,clock=0.8 "$ert" run --device fake --out "$work/slow" >"$work/log" 2>&1
check "a slow reference" prints "faster: the reference is of a slower state" \
    again seed=1 "$work/slow/ceilings.json"
# off PLANT: rows whose change is not that of their two rates, beyond the digits.
off() {
    again "$1" "$ceilings" --all 2>/dev/null |
        sed -n 's/.*recorded \(.*\), now \(.*\): \(.*\) %, excl.*/\1 \2 \3/p' |
        awk '$2 == $4 && /\/s/ && ($3 / $1 - 1 - $5 / 100) ^ 2 > 1e-6'
}
check "the change is that of the two rates" empty off seed=5,outliers=0.5
check "JSON has the clock, too" prints '"clock_change":' again seed=1 "$ceilings" --output json

only() { again seed=1 "$ceilings" --only "$@"; }
only L2- --all >"$work/only" 2>&1
check "only some" prints 'fake0  L2-load  ' cat "$work/only"
check "no other" \
    [ "$(grep -c '^fake[0-9] .*recorded' "$work/only")" = "$(grep -c '^fake[0-9]  L2-' "$work/only")" ]
check "none with the name" answers 2 "with 'nosuch' in its name is recorded" only nosuch

# A power limit lowers long runs alone: a lower one is found there, with its watts.
limited() {
    ERT_FAKE=sustained=$1,noise=0.002 "$ert" verify "$work/limit/ceilings.json"
}
ERT_FAKE=sustained=0.9,noise=0.002 "$ert" run --device fake --out "$work/limit" >"$work/log" 2>&1
check "a power limit as before" prints 'fp64-fma (sustained)     same ' limited 0.9
check "a lower one fails" answers 1 'fp64-fma (sustained)     SLOWER ' limited 0.85
check "with its watts" answers 1 ' 100 W, then 100' limited 0.85

# Names in a file select what is measured: each is known, or refused before anything runs.
# named KEY NAME KIND: the first ceiling of a kind, with this name.
named() {
    sed "0,/^ *{\"kind\":\"$3\"/ s/^\( *{\"kind\":\"$3\".*\"$1\":\)\"[^\"]*\"/\1\"$2\"/" \
        "$ceilings" >"$work/named.json" && ! cmp -s "$ceilings" "$work/named.json"
}

for row in "level L9 latency no.level.'L9'" "level _ latency no.level.''" "level L9 memory no.level.'L9'" \
    "kernel chase2 latency no.kernel.'chase2'" "kernel _ compute no.kernel.''" \
    "kernel load compute kernel.'load'.does.not.measure.flop/s" \
    "kernel fma_fp64 memory kernel.'fma_fp64'.does.not.measure.byte/s"; do
    set -- $row
    name=$2
    [ "$name" != _ ] || name=
    for command in verify validate show; do
        [ "$command $1" = "verify kernel" ] || [ "$1" = level ] || continue
        check "$command of a $3 with the $1 '$name'" named "$1" "$name" "$3"
        check "is refused" answers 2 "$(echo "$4" | tr . ' ')" "$ert" $command "$work/named.json"
    done
done
check "a link to a GPU that is not there" grep -q '"to": *"gpu0"' "$top_srcdir/results/h200/ceilings.json"
sed 's/"to": *"gpu0"/"to":"gpu7"/' "$top_srcdir/results/h200/ceilings.json" >"$work/link.json"
check "is refused, too" answers 2 "no device 'gpu7'" "$ert" show "$work/link.json"
check "no clock at all is refused" answers 2 'clock=0, must be above 0' again clock=0 "$ceilings"
done_testing
