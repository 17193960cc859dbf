#!/bin/sh
# ert-gpp study as its users type it: files, exit codes, counters of a planted ncu. Times are never
# asserted.
. "$top_srcdir/tests/tap.sh"
gpp=$top_builddir/gpp/ert-gpp
roofline=$top_builddir/analysis/roofline
plant=$top_builddir/tests/unit/plant_ceilings
data=$(cd "$top_srcdir/tests/data/gpp" && pwd)
schema=$(cd "$top_srcdir/gpp/study" && pwd)/study.schema.json
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
LC_ALL=C
export LC_ALL
"$plant" both both.json && "$plant" h200 h200.json && "$plant" none none.json || exit 1

quiet() {
    "$@" >/dev/null 2>&1
}

# refuses STATUS WORDS OPTIONS...: ends with the exit code and says the words.
refuses() {
    status=$1 words=$2
    shift 2
    answers "$status" "$words" "$gpp" study "$@"
}

# study WORDS OPTIONS...: succeeds once and says the words.
study() {
    words=$1
    shift
    "$gpp" study "$@" >out.txt 2>&1 || { cat out.txt; return 1; }
    prints "$words" cat out.txt
}

holds() {
    file=$1
    shift
    for words; do
        grep -q -e "$words" "$file" || { echo "'$words' is not in $file"; return 1; }
    done
}

# there FOLDER FILES...
there() {
    folder=$1
    shift
    for file; do
        [ -s "$folder/$file" ] || { echo "no $folder/$file"; return 1; }
    done
}

valid() {
    python3 - "$schema" "$1" <<'PYTHON'
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
errors = list(Draft202012Validator(schema).iter_errors(json.load(open(sys.argv[2]))))
for error in errors[:3]:
    print(list(error.absolute_path), error.message[:160])
sys.exit(bool(errors))
PYTHON
}

# rejects SED: the change makes the file invalid.
rejects() {
    sed "$1" cpu/study.json >bad.json
    ! cmp -s cpu/study.json bad.json && gives 1 valid bad.json
}

cpu="--system tiny --device cpu --threads 1 --repeat 2 --version c0,c4,c6"
check "help" prints '--profile-system' "$gpp" study --help
check "a study of a CPU" study 'cpu/index.html' $cpu --ceilings both.json --out cpu
check "its files" there cpu study.json points.json table.md steps.md study.md index.html \
    trajectory-DRAM.svg
check "its table" holds cpu/table.md '| c4 |' 'mix roof %' 'from the formulas, not counted'
check "its steps" holds cpu/steps.md '### c4 to c6' '### The whole way, c0 to c6' \
    'FMA share 45.1 to 55.0 %' 'Changed most: operations per iteration'
check "its page has chart and table" holds cpu/index.html '<svg' '<td>c6</td>' 'default-src .none.'
check "its page loads nothing" unfound grep -n -e 'src=' -e '@import' -e 'url(' cpu/index.html
check "its points are placed" prints 'c6 (tiny nw=2)' \
    "$roofline" place both.json cpu/points.json --device cpu
if python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    check "study.json obeys its schema" valid cpu/study.json
    check "schema: a newer version" rejects 's/ert-gpp-study\/1/ert-gpp-study\/2/'
    check "schema: a negative time" rejects 's/"time_s": /"time_s": -/'
    check "schema: no time" rejects 's/"time_s"/"time_ms"/'
    check "schema: eight energies" rejects 's/"nw": 2/"nw": 8/'
    check "the data obey it too" valid "$data/study-gpu.json"
else
    skip "study.json obeys its schema" "no python3 with jsonschema 4 (Debian: python3-jsonschema)"
fi

# The same reports come from study.json alone.
mkdir again && cp cpu/study.json again/
check "reports are made again" study 'again/index.html' --from again/study.json
for file in points.json table.md steps.md study.md index.html trajectory-DRAM.svg; do
    check "the same $file" cmp cpu/$file again/$file
done
check "into another folder" study 'other/study.json' --from cpu/study.json --out other
check "the same study" cmp cpu/study.json other/study.json
check "an earlier study goes aside" study 'study.json existed: moved to cpu/study.2' $cpu --out cpu
check "without ceilings" holds cpu/study.md 'No ceilings were given' 'No chart: no ceilings were given'
check "without ceilings no share of a roof" unfound grep 'mix roof %' cpu/table.md

check "energies, both contractions" study 'nw.csv' --system tiny --device cpu --threads 1 --repeat 1 \
    --version c2,c6 --nw 1,3-4 --fma both --ceilings both.json --out nw
check "a row each" test "$(grep -c '"version"' nw/study.json)" -eq 12
check "tables over energies" holds nw/study.md '## Over the number of energies' '| 4 | no |' \
    'nw-c6.svg'
check "charts over energies" there nw nw-c2.svg nw-c6.svg
check "efficiencies of each" test "$(grep -c '^FMA nw=\|^no FMA nw=' nw/nw.csv)" -eq 6
printf 'case,GPU (fraction)\nno FMA nw=3,0.5\n' >gpu.csv
check "roofline portability joins them" prints 'no FMA nw=3 ' "$roofline" portability nw/nw.csv gpu.csv

# A stand-in for ncu: the table's rows of the versions that it is to run, up to v1, which fails.
mkdir bin
cat >bin/ncu <<'NCU'
#!/bin/sh
[ "$1" = --query-metrics ] && { echo 'smsp__issue_active      # of cycles'; exit 0; }
[ -n "$REFUSED" ] && { echo "==ERROR== ERR_NVGPUCTRPERM - no permission" >&2; exit 1; }
echo "$*" >>"$NCU_LOG"
while [ "$1" != --version ]; do shift; done
begun=
for version in $(echo "$2" | tr , ' '); do
    [ $version = v1 ] && { echo "==ERROR== The application returned an error code (11)."; exit 1; }
    grep -q "gpp_$version<" "$NCU_TABLE" || continue
    [ -n "$begun" ] || grep -v '^"[0-9]' "$NCU_TABLE"
    begun=yes
    grep "gpp_$version<" "$NCU_TABLE"
done
[ -n "$begun" ] || echo "==WARNING== No kernels were profiled." >&2
NCU
chmod +x bin/ncu
NCU_LOG=$scratch/log NCU_TABLE=$data/ncu.csv
export NCU_LOG NCU_TABLE

under_ncu() {
    words=$1
    shift
    PATH=$scratch/bin:$PATH study "$words" --from "$data/study-gpu.json" --ceilings h200.json "$@"
}

check "counters by ncu" under_ncu 'counted by Nsight Compute' --counters ncu --out gpu
check "all versions in one process" holds log 'run --version v0,v1,v5,v10 --system'
check "what it did not reach alone, one launch of each" holds log \
    'run --version v5 --system 800x1385x11075 --nw 2 --seed 1 --device gpu0 --once --reference none'
check "clocks and caches as in the timed runs" holds log '--clock-control none --cache-control none'
check "metrics that ncu knows" holds log ',smsp__issue_active.avg.per_cycle_active '
check "and no others" unfound grep smsp__average log
check "operations as in the table" holds gpu/table.md '^| v0 .* 172.3 | counted | -1.2 |' \
    '^| v5 .* 84.0 | counted |' '^| v10 .* 36.0 | formulas | - |'
check "hits by time" holds gpu/table.md '^| v5 .* 62.0 | 82.0 |'
check "a version that ncu could not run" holds gpu/table.md 'v1, .*counters: ncu: ==ERROR== The app'
check "a version without launches" holds gpu/table.md 'v10, .*No kernels were profiled'
check "a chart per level" there gpu trajectory-L1.svg trajectory-L2.svg trajectory-HBM.svg \
    ncu-fma.csv
check "a step to one that was not counted is by formulas" holds gpu/steps.md \
    'iteration 174.4 to 138.6, -20.5 %, from the formulas'
check "counted points are placed" prints 'v5 (si214 nw=2)' "$roofline" place h200.json gpu/points.json
check "the table kept by ncu serves again" study 'ncu-fma.csv' --from "$data/study-gpu.json" \
    --counters gpu/ncu-fma.csv --ceilings h200.json --out table
check "with the same numbers" holds table/table.md '^| v0 .* 172.3 | counted | -1.2 |'
check "all of a table made apart" study 'counted by' --from "$data/study-gpu.json" \
    --counters "$data/ncu.csv" --out apart
check "both steps are explained" holds apart/steps.md '### v0 to v1' \
    'operations per iteration 172.3 to 137.0, -20.5 %)' 'The step follows the operations' \
    'FP64 instructions per iteration 109.2 to 91.5' \
    'share of the roof go .*warps per SM 24 to 32'
check "a version that is not in it" holds apart/table.md 'v10, .*ncu.csv: no launch of gpp_v10<2>'
check "a smaller problem stands in" under_ncu 'counted by' --counters ncu --out small \
    --profile-system 400x1385x11075
check "its caches are emptied" holds log '--cache-control all'
check "and it is said" holds small/table.md 'Counted at 400x1385x11075 with cold caches'
REFUSED=yes
export REFUSED
check "refused counters" under_ncu 'v0' --counters ncu --out refused
check "say how to get them" holds refused/table.md 'NVreg_RestrictProfilingToAdminUsers'
check "and leave the formulas" holds refused/table.md '^| v0 .* 174.4 |'
unset REFUSED

sed 's/"6,/"six,/; s/147,253,200,000/many/' "$data/ncu.csv" >damaged.csv
check "a damaged table is told" study 'v0' --from "$data/study-gpu.json" --counters damaged.csv \
    --out damaged
check "with its place" holds damaged/table.md 'damaged.csv: row 8: .*dadd'
check "no ncu" refuses 2 'none/ncu: not a program' --from "$data/study-gpu.json" --ncu none/ncu --out x
check "no such table" refuses 2 'no.csv: no such file' --from "$data/study-gpu.json" \
    --counters no.csv --out x
check "ncu and a CPU" refuses 2 'ncu counts on GPUs only' $cpu --counters ncu --out x
check "profiled sizes" refuses 2 "no system 'big'" --from "$data/study-gpu.json" --counters ncu \
    --profile-system big --out x

check "no folder said" refuses 2 'no --out DIR' $cpu
check "no ceilings" refuses 2 'none-such.json' $cpu --ceilings none-such.json --out x
check "ceilings of another kind" refuses 3 'the ceilings have no CPU' $cpu --ceilings h200.json --out x
check "energies: 7" refuses 2 "--nw: '7', must be numbers of 1 to 6" $cpu --nw 7 --out x
check "energies: a range backwards" refuses 2 "'4-2'" $cpu --nw 4-2 --out x
check "energies: an end" refuses 2 "'1-'" $cpu --nw 1- --out x
check "energies: nothing behind a comma" refuses 2 "'1,'" $cpu --nw 1, --out x
check "contraction twice" refuses 2 'must be one of them' $cpu --no-fma --fma on --out x
check "an unknown contraction" refuses 2 '--fma' $cpu --fma maybe --out x
check "unknown version" refuses 2 "no version 'c77'" --version c77 --out x
check "from and a version" refuses 2 '--from: the file says' --from cpu/study.json --version c0
check "from no study" refuses 2 'both.json: schema' --from both.json
check "from nothing" refuses 2 'nothing.json' --from nothing.json
: >plain
check "more than the memory" refuses 3 'study: 64000032000000 bytes needed' --version c0 \
    --system 1000000x1000000x1000000 --out huge
check "leaves no folder" [ ! -e huge ]
check "a file where the folder should be" refuses 1 'plain' $cpu --out plain/x
sed 's/"version": "c4"/"version": "c99"/' again/study.json >unknown.json
check "an unknown version in a study" refuses 2 "rows[1].version: no version 'c99'" --from unknown.json
sed 's/"flops_per_iteration": [^,]*/"flops_per_iteration": 0/' again/study.json >empty.json
check "no operations in a study" refuses 2 'rows[0].formulas.flops_per_iteration: 0, must be above 0' \
    --from empty.json
sed 's/"nw": 2,/"nw": 9,/' again/study.json >nine.json
check "nine energies in a study" refuses 2 'nw: 9, must be 1 to 6' --from nine.json
head -c 900 again/study.json >cut.json
check "a cut study" refuses 2 "cut.json:" --from cut.json
if "$gpp" list | grep -q 'cuda *available'; then
    check "a study of the GPU" study 'index.html' --system tiny --device gpu0 --version v0,v8 \
        --repeat 2 --counters none --out real
else
    check "no GPU" refuses 3 'no version could be measured' --device gpu0 --system tiny --out none
    check "its reasons are kept" holds none/study.json '"failed"'
fi
check "one launch for a profiler" prints 'c1 ' "$gpp" run --system tiny --version c1 --once
done_testing
