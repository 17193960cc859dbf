#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rates.sh SIMULATE: what ert fleet merge finds in generated fleets whose truth is known: the tables of
# README.md. 20 fleets per row; of 10,000 nodes 15 s.
simulate=${1:-build/tests/fleet/fleet_simulate} # make check builds it
runs=${RUNS:-20}

# row FIRST-CELLS OPTIONS...: a row of a table.
row() {
    cells=$1
    shift
    "$simulate" --rates "$runs" "$@" | awk -v cells="$cells" '
        /^limit/ { limit = $5 }
        /^ceilings with/ { heavy = $6 }
        /^suspects/ { first = $5 }
        /^sound nodes called/ { wrong = $5; most = $NF; sub(/\)/, "", most) }
        /^sound nodes in/ { tail = $7 }
        /^  called/ { found = $3 }
        /^  in a/ { as_tail = $5 }
        END { printf "| %s | %s | %s | %s (%s) | %s | %s | %s | %s |\n", cells, limit, first, wrong, most,
                     tail, found, as_tail, heavy }'
}

# head FIRST-CELLS RULE: the head of one.
head() {
    printf '\n| %s | limit %% | suspects | sound called slow (most) | sound in tail | bad found %% ' "$1"
    printf '| as tail %% | columns with tail |\n|%s --: | --: | --: | --: | --: | --: | --: |\n' "$2"
}

echo "### The limit: 10,000 nodes, 20 ceilings, spread normal 0.5 %, suspects measured twice more"
head "false alarms accepted | bad by | in ceilings" ' --: | --: | --: |'
for alarms in 0.05 0.25 1; do
    for bad in '0.02 1' '0.03 1' '0.03 2' '0.03 4' '0.04 1' '0.05 1'; do
        set -- $bad
        row "$alarms | $1 | $2" --nodes 10000 --false-alarms $alarms --bad-by $1 --bad-ceilings $2
    done
done

printf '\n### The spread: 20 ceilings, bad by 5 %% in one, suspects measured twice more\n'
head "nodes | spread" ' --: | --- |'
for nodes in 200 1000 10000; do
    for spread in normal t5 skewed; do
        row "$nodes | $spread" --nodes $nodes --spread $spread
    done
done

printf '\n### Measuring again: 10,000 nodes, 20 ceilings, spread normal, bad by 4 %% in one\n'
head "times more" ' --: |'
for repeats in 2 3; do
    row "$repeats" --nodes 10000 --bad-by 0.04 --repeats $repeats
done

printf '\n### Few nodes: 20 ceilings, spread normal, each fourth node bad in one, suspects measured twice\n'
head "nodes | bad by" ' --: | --: |'
for nodes in 4 8 16 32 64 128; do
    for bad in 0.05 0.1 0.3; do
        row "$nodes | $bad" --nodes $nodes --bad-share 0.25 --bad-by $bad
    done
done
