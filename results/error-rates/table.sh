#!/bin/sh
# Error rates of `ert verify` on the planted machine, as a Markdown table:
#
#   results/error-rates/table.sh build/ert/ert [VERIFICATIONS [ERT_FAKE ...]]
#
# Each plant is verified VERIFICATIONS times (default 200, seeds 1, 2 ...), every twenty of them against
# another recorded run (seeds 1000, 1001 ...): unchanged, and slower by 2, 3 and 5 %. Counted are
# verifications (exit codes) and ceilings (verdicts).
ert=$1
times=${2:-200}
[ -x "$ert" ] || { echo "usage: table.sh ERT [VERIFICATIONS [ERT_FAKE ...]]" >&2; exit 2; }
[ $# -ge 2 ] && shift 2 || shift
cpus=noise=0.01,outliers=0.1,cpus=64
[ $# -gt 0 ] || set -- noise=0.002 noise=0.01 noise=0.01,outliers=0.1 $cpus $cpus,steal=0.1 \
    noise=0.02,outliers=0.1 noise=0.05,outliers=0.2
folder=$(mktemp -d) || exit 3
trap 'rm -rf "$folder"' EXIT

echo "| planted | slower by | exit 0 | exit 1 | exit 4 | ceilings | same | slower | faster" \
    "| cannot tell | detectable, median |"
echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
for plant in "$@"; do
    for slower in 0 0.02 0.03 0.05; do
        : >"$folder/verdicts"
        seed=0
        while [ $seed -lt "$times" ]; do
            [ $((seed % 20)) -ne 0 ] ||
                ERT_FAKE=$plant,seed=$((1000 + seed / 20)) "$ert" run --device fake \
                    --out "$folder/run" >"$folder/log" 2>&1
            seed=$((seed + 1))
            ERT_FAKE=$plant,seed=$seed,slower=$slower "$ert" verify "$folder/run/ceilings.json" \
                --output json 2>/dev/null >>"$folder/verdicts"
            code=$?
            echo "exit $code" >>"$folder/verdicts"
            case $code in
            0 | 1 | 4) ;;
            *) echo "table.sh: seed $seed of $plant ended with $code" >&2 && exit 1 ;;
            esac
        done
        grep -o '"detectable":[^,]*' "$folder/verdicts" | tr -d '"a-z:\t ' | sort -g >"$folder/detectable"
        awk -v plant="$plant" -v slower="$slower" -v file="$folder/detectable" '
            /^exit / { exits[$2]++ }
            /"verdict":/ {
                n++
                for (word in words) delete words[word]
                split($0, words, "\"")
                verdicts[words[4]]++
            }
            END {
                while ((getline line < file) > 0) values[++m] = line
                printf "| `%s` | %g %% | %d | %d | %d | %d | %d | %d | %d | %d | %.2f %% |\n", plant,
                    100 * slower, exits[0], exits[1], exits[4], n, verdicts["same"], verdicts["slower"],
                    verdicts["faster"], verdicts["cannot tell"], 100 * values[int((m + 1) / 2)]
            }' "$folder/verdicts"
    done
done
