#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Error rates of `ert verify` on the planted machine, as Markdown tables:
#
#   results/error-rates/table.sh build/ert/ert [VERIFICATIONS [ERT_FAKE ...]]
#
# Each plant is verified VERIFICATIONS times (default 200, seeds 1, 2 ...), every twenty of them against
# another recorded run (seeds 1000, 1001 ...): unchanged, and slower by 2, 3 and 5 %. Counted are
# verifications (exit codes) and ceilings (verdicts). Plants whose clock wanders are a table of their own,
# with a clock that is 5 % lower besides, and all of it twice: by rates alone, which is against a recorded run
# without the clocks of its rounds, and as it is.
ert=$1
times=${2:-200}
[ -x "$ert" ] || { echo "usage: table.sh ERT [VERIFICATIONS [ERT_FAKE ...]]" >&2; exit 2; }
[ $# -ge 2 ] && shift 2 || shift
cpus=noise=0.01,outliers=0.1,cpus=64
[ $# -gt 0 ] || set -- noise=0.002 noise=0.01 noise=0.01,outliers=0.1 $cpus $cpus,steal=0.1 \
    noise=0.02,outliers=0.1 noise=0.05,outliers=0.2 clock-wander=0.015
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT

# count PLANT CHANGE UNRECORDED: exit codes and verdicts; what of the recorded file is left out.
count() {
    : >"$folder/verdicts"
    seed=0
    while [ $seed -lt "$times" ]; do
        if [ $((seed % 20)) -eq 0 ]; then
            ERT_FAKE=$1,seed=$((1000 + seed / 20)) "$ert" run --device fake \
                --out "$folder/run" >"$folder/log" 2>&1
            sed "/$3/d" "$folder/run/ceilings.json" >"$folder/recorded.json"
        fi
        seed=$((seed + 1))
        ERT_FAKE=$1,seed=$seed,$2 "$ert" verify "$folder/recorded.json" \
            --output json 2>/dev/null >>"$folder/verdicts"
        code=$?
        echo "exit $code" >>"$folder/verdicts"
        case $code in
        0 | 1 | 4) ;;
        *) echo "table.sh: seed $seed of $1 ended with $code" >&2 && exit 1 ;;
        esac
    done
}

# row CELLS IS_CLOCK: one of what was counted. Clocks stand behind the ceilings of each verification.
row() {
    for list in ceilings clocks; do
        awk -v list=$list '/"(ceilings|clocks)":/ { here = index($0, list) } /"detectable":/ && here {
            gsub("[^0-9.e+-]", "", $2); print $2 }' "$folder/verdicts" | sort -g >"$folder/$list"
    done
    awk -v cells="$1" -v is_clock="$2" -v folder="$folder" '
        function median(file, values, m) {
            while ((getline values[m + 1] < (folder "/" file)) > 0) m++
            return m ? sprintf("%.2f %%", 100 * values[int((m + 1) / 2)]) : "-"
        }
        /^exit / { exits[$2]++ }
        /"(ceilings|clocks)":/ { list = /ceilings/ ? "ceiling" : "clock" }
        /"verdict":/ {
            n[list]++
            for (word in words) delete words[word]
            split($0, words, "\"")
            verdicts[list, words[4]]++
        }
        END {
            printf "%s %d | %d | %d | %d | %d | %d | %d | %d | %s |", cells, exits[0], exits[1], exits[4],
                n["ceiling"], verdicts["ceiling", "same"], verdicts["ceiling", "slower"],
                verdicts["ceiling", "faster"], verdicts["ceiling", "cannot tell"], median("ceilings")
            if (is_clock)
                printf " %d of %d | %s |", verdicts["clock", "slower"], n["clock"], median("clocks")
            print ""
        }' "$folder/verdicts"
}

columns="exit 0 | exit 1 | exit 4 | ceilings | same | slower | faster | cannot tell | detectable, median |"
steady=
for plant in "$@"; do
    case $plant in *clock-wander*) continue ;; esac
    [ -n "$steady" ] || printf '%s\n' "| planted | slower by | $columns" \
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    steady=yes
    for slower in 0 0.02 0.03 0.05; do
        count "$plant" slower=$slower 'no line'
        row "| \`$plant\` | $(echo "$slower" | awk '{ print 100 * $1 }') % |"
    done
done
wanders=
for plant in "$@"; do
    case $plant in *clock-wander*) ;; *) continue ;; esac
    [ -n "$wanders" ] || printf '%s\n' "${steady:+
}| planted | change | judged | $columns clocks slower | detectable of clocks |" \
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    wanders=yes
    for change in slower=0 slower=0.02 slower=0.03 slower=0.05 clock=0.95; do
        count "$plant" $change rounds_clock_hz
        row "| \`$plant\` | \`$change\` | by rates |" yes
        count "$plant" $change 'no line'
        row "| \`$plant\` | \`$change\` | per cycle |" yes
    done
done
