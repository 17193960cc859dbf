#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline export as its users type it, and what the tools that the formats are of say to it.
command=export
. "$top_srcdir/tests/cli/roofline_fixture.sh"

# into FILE OPTIONS...: an export to standard output, into a file.
into() {
    file=$1
    shift
    "$roofline" export "$@" >"$file"
}

# python FILE: runs standard input with the file as its argument.
python() {
    python3 - "$@"
}

csv_has_the_ceilings() {
    python h200.csv <<'PYTHON'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1], newline="")))
assert len(rows) == 10, len(rows)
row = [r for r in rows if r["name"] == "HBM-load"][0]
assert float(row["value"]) == 4.62e12 and row["unit"] == "byte/s" and row["roof"] == "yes"
PYTHON
}

for name in single h200 both nasty none; do
    "$plant" $name $name.json || exit 1
done

check "no words" refuses 2 'takes the format csv and a ceilings file'
check "another format" refuses 2 'takes the format csv' xls h200.json
check "no ceilings" refuses 2 'takes the format csv' csv
check "nothing to export" refuses 3 'no ceilings' csv none.json --out none.csv
check "no file is made" test ! -e none.csv
check "to a file" quiet "$roofline" export csv h200.json --out h200.csv
check "to a folder that is not there" refuses 1 no-such csv h200.json --out no-such/a.csv
check "the same to standard output" into h200.out csv h200.json
check "as in the file" cmp h200.csv h200.out
check "one device" lacks gpu0 "$roofline" export csv both.json --device cpu
check "an unknown one" refuses 2 'there are: gpu0, cpu' csv both.json --device gpu1

# DRAM triad 20 GB/s of 25.6, FP64 FMA 8 GFLOP/s, unknown in theory.
cat >single.csv <<'CSV'
device,kind,name,level or type,pattern or op,on,roof,unit,value,low,high,best,n,valid,clock Hz,theory,\
fraction of theory,confidence,warning,share of reads,bytes moved per byte,moved by
cpu,compute,fp64-fma,fp64,fma,sse2,yes,flop/s,8000000000,7920000000,8040000000,8080000000,21,yes,\
1000000000,,,high,,,,
cpu,memory,DRAM-triad,DRAM,triad,,yes,byte/s,2e+10,1.98e+10,2.01e+10,2.02e+10,21,yes,1000000000,2.56e+10,\
0.78125,high,,0.6666666667,1.333333333,\
"by rule, not counted: write-allocate: a line is read before it is stored to"
CSV
single() { sed -e ':a' -e '/\\$/N; s/\\\n//; ta' single.csv | diff - single.out; }
into single.out csv single.json
check "the columns and their numbers" single
check "a run that was not valid is not exported unseen" refuses 4 '--force exports them' csv nasty.json
check "nothing of it" test "$("$roofline" export csv nasty.json 2>/dev/null | wc -c)" = 0
check "with --force it is marked" prints ',no,' "$roofline" export csv nasty.json --force
if command -v python3 >/dev/null; then
    check "CSV has the ceilings" csv_has_the_ceilings
else
    skip "what Python reads" "no python3"
fi
sed 's/"created": *"/&\\nimport os\\n#/' h200.json >hostile.json
check "lines of code in a ceilings file" answers 2 "a control character in a string" \
    "$roofline" export csv hostile.json

# Results of LBNL's ERT work where ceilings of ours do.
k20x=$top_srcdir/tests/data/ert/roofline-k20x.json
check "ERT's results" prints '1.225 TFLOP/s' "$roofline" import ert-json "$k20x" --out k20x.json
check "with options of profiles" gives 2 quiet "$roofline" import ert-json "$k20x" --list
check "two of them" gives 2 quiet "$roofline" import ert-json "$k20x" "$k20x"
check "no ERT's" answers 2 empirical "$roofline" import ert-json h200.json
check "in a chart" prints 'gpu0: k20x.svg' "$roofline" plot k20x.json --out k20x.svg
if python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    check "in the schema" python "$top_srcdir/ert/core/ceilings/ceilings.schema.json" k20x.json <<'PYTHON'
import json, sys
from jsonschema import Draft202012Validator
Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))
PYTHON
else
    skip "in the schema" "no python3 with jsonschema 4 (Debian: python3-jsonschema)"
fi
done_testing
