#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Profiles as their users import and place them: every example of every format, and what CPU tools tell.
command=
. "$top_srcdir/tests/cli/roofline_fixture.sh"
data=$(cd "$top_srcdir/tests/data" && pwd)
ceilings=$(cd "$top_srcdir/results" && pwd)/xeon-spr-vm/ceilings.json
formats=$(sed -n 's/^RFL_IMPORTER(\(.*\))/\1/p' "$top_srcdir/analysis/ext/import/formats.def" | tr _ -)

# recognized FORMAT FILE: the format is found, and the same points come when it is named.
recognized() {
    "$roofline" import auto --output json "$2" >auto.json &&
        "$roofline" import "$1" --output json "$2" >named.json &&
        cmp auto.json named.json && grep -q "\"format\": \"$1\"" auto.json
}

"$roofline" import --help >help.txt
for format in $formats; do
    check "$format is in the help" grep -q "^  $format " help.txt
    for file in "$data/$format"/*; do
        case $file in *.md) ;; *) check "${file#"$data/"} is recognized" recognized "$format" "$file" ;; esac
    done
done
check "a region is picked" refuses 0 dot-2 import auto --kernel dot "$data/likwid-csv/marker-2t.csv"
check "another format has nothing in it" refuses 2 'no kernel or region' \
    import likwid "$data/likwid-csv/marker-2t.csv"
check "functions of SDE" refuses 0 'triad<double>' import sde --list "$data/sde/functions.txt"
check "SDE counted no FMA in STREAM: the roof without FMA" refuses 0 'FP64 no FMA' \
    place "$ceilings" "$data/sde/stream.txt"
check "a region of likwid is placed" refuses 0 'of roof' \
    place "$ceilings" "$data/likwid/marker-2t.txt"
check "what perf did not count: on Intel" refuses 0 'uncore_imc/cas_count_read/,uncore_imc/cas_count_write/' \
    place "$ceilings" "$data/perf/software.csv"
sed 's/"GenuineIntel"/"AuthenticAMD"/; s/"family":6,/"family":26,/; s/"model":167,/"model":2,/' \
    "$ceilings" >amd.json
check "and on AMD" refuses 0 'umc_cas_cmd.rd,umc_cas_cmd.wr' \
    place amd.json "$data/perf/software.csv"
printf '     1.00,5,,instructions:u,3,100.00,,\n' >interval.csv
check "perf stat -I is refused" refuses 2 'perf stat -I' import auto interval.csv
done_testing
