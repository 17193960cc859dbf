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
# A list of 1e7 lines from L3, half of them from DRAM, in 4 s; then with a latency of 1 us under load.
cat >list.json <<'END'
{"schema": "ert-points/1", "points": [{"name": "list", "format": "valgrind", "time_s": 4, "threads": 1,
 "flops": [{"type": "fp64", "unit": "scalar", "count": 1e6, "recipe": "x"}], "instructions": 4e9,
 "bytes": [{"level": "L1", "count": 1e9, "read": 1e9}, {"level": "L2", "count": 6.4e8, "read": 6.4e8},
           {"level": "L3", "count": 6.4e8, "read": 6.4e8}, {"level": "DRAM", "count": 3.2e8, "read": 3.2e8}],
 "values": {"chain_loads": 1e7}}]}
END
row='"name":"DRAM-loaded-load-0","value":1e-6,"low":1e-6,"high":1e-6,"confidence":"high","unit":"s"'
row='{"kind":"loaded",'$row',"level":"DRAM","pattern":"loaded-load","kernel":"loaded_load","aggregate":'
loaded() {
    sed 's/{"kind":"latency","name":"DRAM-latency"/'"$row$1"'},&/' \
        "$top_srcdir/results/epyc-genoa-vm/ceilings.json" >loaded.json
    "$roofline" place --force loaded.json list.json --output json
}
check "a load that it does not cause" lacks "latencies add up" loaded 1e9
check "the load that it causes" prints "latencies add up to 100 % of the time" loaded 5e7
# How often a byte comes is known of a whole program; a part finds bytes that others touched before.
rereads() {
    cat >sweep.json <<END
{"schema": "ert-points/1", "elapsed_s": $1, "points": [{"name": "sweep", "format": "valgrind", "time_s": 4,
 "threads": 2, "flops": [{"type": "fp64", "unit": "avx512", "count": 1e9, "recipe": "x"}],
 "instructions": 4e9, "bytes": [{"level": "DRAM", "count": 1.2e11, "read": 1.2e11}],
 "values": {"first_touched_bytes": 1e10}}]}
END
    "$roofline" place --force "$top_srcdir/results/epyc-genoa-vm/ceilings.json" sweep.json --output json
}
check "a program reads each byte often" prints "each byte that it touches comes 12 times" rereads 4
check "of a part that is not known" lacks "each byte that it touches" rereads 8
done_testing
