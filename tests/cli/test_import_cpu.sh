#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Profiles of CPU tools as their users import and place them.
command=
. "$top_srcdir/tests/cli/roofline_fixture.sh"
data=$(cd "$top_srcdir/tests/data" && pwd)
ceilings=$(cd "$top_srcdir/results" && pwd)/xeon-spr-vm/ceilings.json

# recognized FORMAT FILE: the format is found, and the same points come when it is named.
recognized() {
    "$roofline" import auto --output json "$data/$2" >auto.json &&
        "$roofline" import "$1" --output json "$data/$2" >named.json &&
        cmp auto.json named.json && grep -q "\"format\": \"$1\"" auto.json
}

# lists_all: the help names every format.
lists_all() {
    "$roofline" import --help >help.txt
    for format in likwid likwid-csv perf papi sde vtune advisor nersc valgrind regions; do
        grep -q "^  $format " help.txt || echo "$format is not in the help"
    done
}

check "the help names every format" empty lists_all
for row in likwid:likwid/marker-2t.txt likwid-csv:likwid/marker-2t.csv perf:perf/skylake.csv \
    perf:perf/zen3.csv perf:perf/zen5.csv \
    papi:papi/rank_000000.json sde:sde/stream.txt vtune:vtune/stream-2018.csv \
    advisor:advisor/survey.csv nersc:nersc/data.txt valgrind:valgrind/two-threads.txt \
    regions:regions/times.txt; do
    check "${row#*:} is recognized" recognized "${row%%:*}" "${row#*:}"
done
check "a region is picked" refuses 0 dot-2 import auto --kernel dot "$data/likwid/marker-2t.csv"
check "another format has nothing in it" refuses 2 'no kernel or region' \
    import likwid "$data/likwid/marker-2t.csv"
check "functions of SDE" refuses 0 'triad<double>' import sde --list "$data/sde/functions.txt"
check "SDE counted no FMA in STREAM: the roof without FMA" refuses 0 'FP64 no FMA' \
    place "$ceilings" "$data/sde/stream.txt"
check "a region of likwid is placed" refuses 0 'of roof' \
    place "$ceilings" "$data/likwid/marker-2t.txt"
check "what perf did not count: on Intel" refuses 0 'perf stat -a -e uncore_imc/cas_count_read/' \
    place "$ceilings" "$data/perf/software.csv"
sed 's/"GenuineIntel"/"AuthenticAMD"/; s/"family": 6,/"family": 26,/; s/"model": 167,/"model": 2,/' \
    "$ceilings" >amd.json
check "and on AMD" refuses 0 'perf stat -a -e umc_cas_cmd.rd,umc_cas_cmd.wr' \
    place amd.json "$data/perf/software.csv"
printf '     1.00,5,,instructions:u,3,100.00,,\n' >interval.csv
check "perf stat -I is refused" refuses 2 'perf stat -I' import auto interval.csv
done_testing
