#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python3 -m roofline scaling as its users type it.
command=scaling
. "$top_srcdir/tests/cli/studies_fixture.sh"

# points TIME BYTES MORE: a file with one kernel.
points() {
    printf '{"schema": "ert-points/1", "points": [{"name": "spmv", "time_s": %s, %s' "$1" "$3"
    printf '"flops": [{"type": "fp64", "count": 8e9}],\n"bytes": [{"level": "DRAM", "count": %s}]}]}\n' \
        "$2"
}

points 8 1e9 '' >one.json
points 4 2e9 '' >four.json
points 4 2e9 '"scale": 4, ' >scaled.json
points 8 1e9 '"threads": 1, ' >threads.json
cp four.json 4four.json

check "speed-up 2, efficiency 50 %" says 0 '4   4 s         2      50.0 %' 1:one.json 4:four.json
check "the traffic that grows" says 0 '50.0 % efficient at 4 against 1; DRAM traffic per operation' \
    1:one.json 4:four.json
check "scales of the files" says 0 '50.0 % efficient at 4 against 1' scaled.json threads.json
check "weak" says 0 '200.0 % efficient' 1:one.json 4:four.json --weak
check "csv" says 0 'spmv,4,4,2,0.5,2000000000,4,2' 1:one.json 4:four.json --csv
check "only what is named" says 2 'none of 0 points has a scale' 1:one.json 4:four.json --only gemv
check "no scale" says 2 'none of 1 points has a scale' one.json
check "a name that begins with a digit" says 2 'none of 1 points' 4four.json
check "a scale of 0" says 2 'must be above 0' 0:one.json
check "what acts is shown" says 2 "'0:\\x1b[2J': the scale must be" "0:$(printf '\033')[2J"
check "a scale twice" says 2 "'spmv' appears twice at the scale 4" 4:one.json 4:four.json
check "its help" says 0 '--only TEXT' --help
check "nothing" says 2 'no profile given'
check "missing file" says 2 'missing.json' 4:missing.json
done_testing
