#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline import as its users type it: formats, forms of output, errors.
command=
. "$top_srcdir/tests/cli/roofline_fixture.sh"
data=$top_srcdir/tests/data

long=$data/ncu/h200-long.csv
check "the format is recognized" shows '18.87 Mflop, 80 % FMA' import auto "$long"
check "recipes are below" shows 'L2: lts__t_sectors_srcunit_tex.sum x 32 B' import ncu "$long"
check "each launch" shows 'fma_k<double, 64> #1' import ncu "$long" --list
check "one kernel" shows 'half2_k' import ncu "$long" --kernel half2
check "not the others" lacks fma_k "$roofline" import ncu "$long" --kernel half2
check "failed launches" shows '1 of 3 launches failed' import auto "$data/ncu/failed.csv"
check "markdown" shows '| --- | ---: |' import auto "$long" --output markdown
check "json" shows '"ert-points/1"' import auto "$long" --output json
check "points.json" shows 'fma_k' import auto "$long" --out points.json
check "points.json reads back" shows '18.87 Mflop' import auto points.json
trace=$data/kineto/h200-conv3d.json
gzip -c "$trace" >trace.json.gz
check "a trace of PyTorch" shows '14.50 Gflop' import auto "$trace"
check "the same of gzip's" shows '14.50 Gflop' import auto trace.json.gz
check "placed" shows 'cudnn_convolution' place "$top_srcdir/results/h200/ceilings.json" trace.json.gz
head -c 100000 "$trace" >cut.json
check "a trace that ends early" refuses 2 'cut.json: ends within an event, at byte' import auto cut.json
gzip -c cut.json >cut.json.gz
check "also gzip's" refuses 2 'cut.json.gz: ends within an event' import auto cut.json.gz
gzip -c "$long" | head -c 880 >cut.csv.gz
check "gzip's own that ends early" refuses 2 'cut.csv.gz: gzip cannot unpack' import auto cut.csv.gz
gzip -c "$long" | head -c 20 >cut.csv.gz
check "before anything was unpacked" refuses 2 'cut.csv.gz: gzip cannot unpack' import auto cut.csv.gz
{
    printf '{"schema": "ert-points/1", "points": ['
    for i in 1 2 3 4 5 6 7 8 9 10 11; do
        printf '%s{"name": "k", "run": "%d", "time_s": 1, "flops": [{"type": "t%d", "count": 1}]}' \
            "$comma" $i $i
        comma=,
    done
    printf ']}'
} >types.json
check "a column for each type" shows 't11' import auto types.json
sed 's/"flops": \[{"type"/"bytes": [{"level"/g' types.json >levels.json
check "a column for each level" shows '| t11 |' import auto levels.json --output markdown
# 60 times an "e" with an accent, of two bytes.
accents=$(printf '%060d' 0 | sed "s/0/$(printf '\\303\\251')/g")
printf '{"schema": "ert-points/1", "points": [{"name": "%s", "time_s": 1}]}' "$accents" >accents.json
check "a long name" shows 'missing' import auto accents.json
check "is cut between characters" lacks xc3 "$roofline" import auto accents.json
check "help lists the formats" shows 'ncu --csv --page raw' import --help
printf 'NVR\0\2\0' >report.ncu-rep
mkdir bin
printf '#!/bin/sh\n[ "$*" = "--import report.ncu-rep --csv --page raw --print-units base" ] && cat "%s"\n' \
    "$long" >bin/ncu
chmod +x bin/ncu
with_ncu() {
    PATH=$scratch/bin:$PATH "$roofline" import "$@"
}
check "a report, by ncu" prints '18.87 Mflop, 80 % FMA' with_ncu auto report.ncu-rep
check "and by the format's name" prints '18.87 Mflop' with_ncu ncu report.ncu-rep
printf '#!/bin/sh\necho "==ERROR== Failed to load report file"; exit 1\n' >bin/ncu
check "a report that ncu refuses" answers 2 'Failed to load report file' with_ncu auto report.ncu-rep
printf '#!/bin/sh\necho "==ERROR== No"\n' >bin/ncu
check "what ncu made of one is refused as text" answers 2 'no launch; ncu says: No' \
    with_ncu auto report.ncu-rep
piped() {
    cat report.ncu-rep | "$roofline" import ncu /dev/stdin
}
check "a report from a pipe" answers 2 'Nsight Compute: `python3 -m roofline points FILE' piped
ls "$(command -v ncu)" /opt/nvidia/nsight-compute/*/ncu /usr/local/cuda*/bin/ncu >ncus 2>/dev/null
if [ -s ncus ]; then
    skip "a report without ncu" "ncu is installed"
else
    check "a report without ncu" refuses 2 'ncu --import report.ncu-rep --csv --page raw' \
        import auto report.ncu-rep
    check "which Python may read" refuses 2 'python3 -m roofline points report.ncu-rep' \
        import auto report.ncu-rep
fi
ert=$data/ert/roofline-k20x.json
words="json: results of LBNL's ERT: \`python3 -m roofline ert-ceilings"
{ printf '\357\273\277'; cat "$ert"; } >bom.json
check "results of LBNL's ERT" refuses 2 "unrecognised format: ${words#json: }" import auto "$ert"
check "in a chart" refuses 2 "$words" plot "$ert" --out ert.svg
check "in a page" refuses 2 "$words" plot bom.json --out ert.html
check "beside others" refuses 2 "$words" compare "$ert" "$ert"
check "and to place under" refuses 2 "$words" place bom.json --flops 1e9 --bytes DRAM=1e9 --seconds 1
printf '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","k","%s","inst","9"\n' \
    sm__inst_executed_pipe_tensor.sum >no-cc.csv
check "a stated compute capability" shows '4.608 kflop' import auto no-cc.csv --cc 7.0
check "a pipe" shows '18.87 Mflop' import auto /dev/stdin <"$long"
printf '==PROF== Connected to process 1 (/a.out)\n==WARNING== No kernels were profiled.\n' >none.txt
check "ncu without a kernel" refuses 2 'no kernel was profiled' import auto none.txt
sed 1d none.txt >warning.txt
check "of which only the warning is left" refuses 2 'no kernel was profiled' import auto warning.txt
for file in "$data"/nvprof/*.csv "$data"/nvprof/*.txt; do
    words="${file##*/}: unrecognised format: a profile of nvprof: \`python3 -m roofline points FILE"
    check "nvprof: ${file##*/}" refuses 2 "$words" place "$top_srcdir/results/h200/ceilings.json" "$file"
done
check "no words" refuses 2 'takes a format' import
check "no file" refuses 2 'takes a format' import ncu
check "unknown format" refuses 2 "no format 'excel'; there are: ncu" import excel "$long"
check "the wrong format" refuses 2 'no block of dynamic counts' import sde "$long"
check "no such file" refuses 2 'no-such.csv' import auto no-such.csv
check "no output for a bad file" refuses 2 'no-such.csv' import auto "$long" no-such.csv \
    --out never.json
check "nothing was written" test ! -e never.json
check "ranks that are tools, too" gives 2 quiet "$roofline" import auto --ranks --join \
    "$top_srcdir/tests/data/perf/skylake.csv"
done_testing
