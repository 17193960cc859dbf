#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python3 -m roofline portability as its users type it.
command=portability
. "$top_srcdir/tests/cli/studies_fixture.sh"

# point NAME TIME HBM_BYTES: 1e10 operations of FP64, all FMA.
point() {
    printf '{"name": "%s", "time_s": %s, "bytes": [{"level": "%s", "count": %s}],\n' \
        "$1" "$2" "$3" "$4"
    printf '"flops": [{"type": "fp64", "unit": "core", "count": 1e10, "fma_share": 1}]}\n'
}

points() {
    printf '{"schema": "ert-points/1", "points": ['
    cat
    printf ']}\n'
}

mkdir gpu cpu
"$plant" h200 gpu/h200.json && "$plant" xeon cpu/xeon.json && "$plant" both both.json || exit 1
# The planted H200 loads 4.62 TB/s from HBM, the Xeon updates 49 GB/s of DRAM: 4.62e12 and 4.9e10
# bytes take a second there at best. v0 takes 2 s and 4 s, so 50 % and 25 %: 2 / (2 + 4) = 33.33 %.
{ point v0 2 HBM 4.62e12 && echo , && point v8 1 HBM 3.696e12; } | points >gpu/points.json
{ point v0 4 DRAM 4.9e10 && echo , && point c5 8 DRAM 4.9e10; } | points >cpu/points.json
both() {
    study H200=gpu/h200.json:gpu/points.json Xeon=cpu/xeon.json:cpu/points.json "$@"
}
pair=gpu/h200.json:gpu/points.json

# The efficiencies of results/published/gpp-portability.csv follow from published counts.
data=$top_srcdir/results/published
published() {
    study "V100=$data/v100-ceilings.json:$data/v100-gpp-nw.json" \
        "KNL=$data/knl-ceilings.json:$data/knl-points.json" --csv |
        awk -F, '/nw=[2-5]/ { printf "%.2f %%    ", 100 * $2 }'
}
check "published efficiencies, from counts" prints '91.50 %    76.70 %    65.44 %    65.07 %' published
check "one platform" says 0 'undefined: 1 platform' "$pair"
{ point v0 0.5 HBM 4.62e12; } | points >gpu/fast.json
check "above 1 is said" says 0 'above 100 % on gpu' gpu=gpu/h200.json:gpu/fast.json \
    cpu=cpu/xeon.json:cpu/points.json
check "architectural" says 0 '33.33 %' "gpu=$pair" cpu=cpu/xeon.json:cpu/points.json
check "of the binding roof" says 0 '80.00 %' "gpu=$pair" cpu=cpu/xeon.json:cpu/points.json
check "a case that one lacks" says 0 '0 by definition: no efficiency on cpu' "gpu=$pair" \
    cpu=cpu/xeon.json:cpu/points.json
check "named by the device" says 0 'NVIDIA H200' "$pair" cpu=cpu/xeon.json:cpu/points.json
# With all in one run, v8 stands for it on the GPU (80 %), v0 on the CPU (25 %): 2 / (1 / 0.8 + 4).
for folder in gpu cpu; do
    sed 's/"time_s"/"run": "nw=2", "time_s"/' $folder/points.json >$folder/run.json
done
check "the fastest of each run" says 0 '38.10 %' --fastest gpu=gpu/h200.json:gpu/run.json \
    cpu=cpu/xeon.json:cpu/run.json
check "under the run's name" says 0 'nw=2 ' --fastest gpu=gpu/h200.json:gpu/run.json \
    cpu=cpu/xeon.json:cpu/run.json
check "csv has fractions" prints 'v0,0.5,0.25,0.3333333333' both --csv

check "nothing" says 2 'of each platform'
check "several devices" says 2 'choose one with --device' both.json:cpu/points.json "$pair"
check "unknown device" says 2 'there are: gpu0' "$pair" --device gpu7
check "a platform twice" says 2 'appears twice' "$pair" "$pair"
check "no ceilings" says 2 'must be [NAME=]CEILINGS:PROFILE' "$pair" B=:cpu/points.json
check "no profile" says 2 'must be [NAME=]CEILINGS:PROFILE' "$pair" gpu/h200.json:
check "missing file" says 2 'missing.csv' gpu/h200.json:missing.csv
check "no pair" says 2 'must be [NAME=]CEILINGS:PROFILE' table.csv
done_testing
