#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Error rates of `ert verify` on the planted machine, as a Markdown table; needs jq:
#
#   results/error-rates/table.sh build/ert/ert [VERIFICATIONS [ERT_FAKE ...]]
#
# Each plant is verified VERIFICATIONS times (default 200, seeds 1, 2 ...), every twenty of them against
# another recorded run (seeds 1000, 1001 ...): unchanged, and slower by 2, 3 and 5 %; where the clock wanders,
# also with a clock that is 5 % lower. Counted are verifications (exit codes) and ceilings (verdicts); of
# those called the same also how many are wrong: slower by more than what the verdict excludes.
ert=$1
times=${2:-200}
[ -x "$ert" ] || { echo "usage: table.sh ERT [VERIFICATIONS [ERT_FAKE ...]]" >&2; exit 2; }
[ $# -ge 2 ] && shift 2 || shift
cpus=noise=0.01,outliers=0.1,cpus=64
[ $# -gt 0 ] || set -- noise=0.002 noise=0.01 noise=0.01,outliers=0.1 $cpus $cpus,steal=0.1 \
    noise=0.02,outliers=0.1 noise=0.05,outliers=0.2 clock-wander=0.015
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT

# count PLANT CHANGE: exit codes and verdicts.
count() {
    : >"$folder/verdicts"
    : >"$folder/codes"
    seed=0
    while [ $seed -lt "$times" ]; do
        [ $((seed % 20)) -ne 0 ] ||
            ERT_FAKE=$1,seed=$((1000 + seed / 20)) "$ert" run --device fake --out "$folder/run" \
                >"$folder/log" 2>&1
        seed=$((seed + 1))
        ERT_FAKE=$1,seed=$seed,$2 "$ert" verify "$folder/run/ceilings.json" --output json 2>/dev/null \
            >>"$folder/verdicts"
        code=$?
        echo "exit $code" >>"$folder/codes"
        case $code in
        0 | 1 | 4) ;;
        *) echo "table.sh: seed $seed of $1 ended with $code" >&2 && exit 1 ;;
        esac
    done
}

# row PLANT CHANGE: one of what was counted.
row() {
    slower=0
    case $2 in slower=*) slower=${2#slower=} ;; esac
    jq -nr --rawfile codes "$folder/codes" --argjson slower "$slower" \
        --arg cells "| \`$1\` | \`$2\` |" '
        def number($verdict): [.[] | select(.verdict == $verdict)] | length;
        [inputs.ceilings[]] | (map(.detectable) | sort) as $detectable
        | [[["0", "1", "4"][] as $code | $codes | [scan("exit " + $code)] | length][],
           length, number("same"),
           ([.[] | select(.verdict == "same" and .excluded < $slower)] | length),
           number("slower"), number("faster"), number("cannot tell"),
           "\($detectable[length / 2 | floor] * 10000 | round / 100) %"]
        | $cells + " " + (map(tostring) | join(" | ")) + " |"' "$folder/verdicts"
}

columns="exit 0 | exit 1 | exit 4 | ceilings | same | of these wrong | slower | faster | cannot tell"
printf '%s\n' "| planted | change | $columns | detectable, median |" \
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for plant in "$@"; do
    changes="slower=0 slower=0.02 slower=0.03 slower=0.05"
    case $plant in *clock-wander*) changes="$changes clock=0.95" ;; esac
    for change in $changes; do
        count "$plant" $change
        row "$plant" $change
    done
done
