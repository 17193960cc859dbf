#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What programs that were not written for it are told: results/record/points has their recordings, advice.tsv
# the program, the row and its hint, which a reader with the source found true (results/record/README.md).
. "$top_srcdir/tests/cli/roofline_fixture.sh"
folder=$(cd "$top_srcdir/results/record" && pwd)
ceilings=$folder/ceilings.json

# hints: "PROGRAM ROW HINT" of every recording, as advice.tsv has them.
hints() {
    for file in "$folder"/points/*.json; do
        "$roofline" place --force --output csv "$ceilings" "$file" |
            python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(sys.argv[1], row["kernel"], row["hint"], sep="\t")' "$(basename "$file" .json)"
    done
}

hints >found.tsv
check "each row is told what it deserves" cmp found.tsv "$folder/advice.tsv"

# told HINT: some rows are told it; some are not.
told() {
    grep -q "	.*$1" found.tsv && [ "$(grep -c "	.*$1" found.tsv)" -lt "$(grep -c . found.tsv)" ]
}
sed -n 's/^RULE(CPU[^"]*"\([^"]*\)".*/\1/p' "$top_srcdir/analysis/ext/advice/rules.def" |
    grep -vxF -f "$folder/undeserved.txt" >rules
while read -r hint; do
    check "'$hint' is deserved by one and not by all" told "$hint"
done <rules
# Of the CPUs whose 512-bit FMAs are faster than those of 256.
placed() { "$roofline" place --force "$top_srcdir/results/$1/ceilings.json" "$folder/points/$2.json"; }
check "vectors of 512 bits where they are faster" prints "its vectors have 256 bits" \
    placed xeon-emr-vm eigen-gemm
check "not where they are not" lacks "vectors have 256" placed epyc-genoa-vm eigen-gemm
check "nor to narrower ones, which gain more by 256" lacks "vectors have 256" \
    placed xeon-emr-vm eigen-gemm-sse2
done_testing
