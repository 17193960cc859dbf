#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python3 -m roofline export as its users type it, and what the tools that the formats are of say to it.
command=export
if ! command -v python3 >/dev/null; then
    echo "1..0 # SKIP no python3"
    exit 0
fi
study=$(cd "$top_srcdir" && pwd)/tests/tools/study.sh
. "$top_srcdir/tests/cli/roofline_fixture.sh"
program=$roofline roofline=$study

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

reframe_is_python() {
    python both.py <<'PYTHON'
import ast, sys
tree = ast.parse(open(sys.argv[1]).read())
reference = ast.literal_eval(tree.body[0].value)
assert set(reference) == {"planted:gpu0", "planted:cpu"}, reference
for variables in reference.values():
    for name, (value, lower, upper, unit) in variables.items():
        assert name.isidentifier() and value > 0 and -1 <= lower < 0 < upper, name
        assert unit in ("GB/s", "Gflop/s"), unit
PYTHON
}

# The fields of its docs/gpu_arch_example.md; rates in Tflop/s, the memory's in GB/s.
tracelens_has_its_keys() {
    python tracelens.json both.json <<'PYTHON'
import json, re, sys
arch, file = (json.load(open(name)) for name in sys.argv[1:])
gpu = [device for device in file["devices"] if device["id"] == "gpu0"][0]["ceilings"]
assert set(arch) == {"name", "mem_bw_gbps", "max_achievable_tflops", "_reference"}, arch
assert arch["mem_bw_gbps"] == max(c["value"] for c in gpu if c.get("level") == "HBM" and c.get("roof")) / 1e9
rates, known = arch["max_achievable_tflops"], "(matrix|vector)_(fp64|fp32|tf32|fp16|bf16|fp8|int8)"
assert rates and all(re.fullmatch(known, key) for key in rates), rates
fma = [c["value"] for c in gpu if c["name"] == "fp64-fma"][0]
assert abs(rates["vector_fp64"] - fma / 1e12) < 0.006, (rates, fma)
PYTHON
}

for name in h200 both xeon nasty none; do
    "$plant" $name $name.json || exit 1
done

# Two loads of which the stronger one has twice the latency: a curve of two points, one above the other.
row='"value":1e-7,"low":1e-7,"high":1e-7,"confidence":"high","unit":"s","level":"DRAM"'
row='{"kind":"loaded","name":"DRAM-loaded-load-0","pattern":"loaded-load",'$row
row=$row',"kernel":"loaded_load","aggregate":1e9}'
more=$(printf %s "$row" | sed 's/1e-7/2e-7/g; s/load-0/load-1/; s/1e9/3e9/')
sed 's/{"kind":"latency","name":"DRAM-latency"/'"$row,$more"',&/' \
    "$top_srcdir/results/epyc-genoa-vm/ceilings.json" >loaded.json
curve() {
    "$roofline" export loaded loaded.json | awk -F'"' '/<circle/ { x[++n] = $2; y[n] = $4 }
        END { exit !(n == 2 && x[2] > x[1] && y[2] < y[1]) }'
}
check "loaded latency is a curve" curve
unloaded() {
    "$roofline" export loaded "$top_srcdir/results/h200-x2/full.json" | grep -o '<circle' | wc -l
}
check "a GPU's begins without a load" test "$(unloaded)" = 48
check "without it" refuses 3 'no loaded latencies in the file' loaded h200.json
check "help lists the formats" prints 'prometheus  text format' "$roofline" export --help
check "no format" refuses 2 "no format ''; there are: csv, loaded, prometheus"
check "unknown format" refuses 2 "no format 'xls'; there are: csv" xls h200.json
check "no ceilings" refuses 2 'export csv: no ceilings file given' csv
check "nothing to export" refuses 3 'no ceilings' prometheus none.json
check "nothing is written then" test "$("$roofline" export csv none.json 2>/dev/null | wc -c)" = 0
check "no file either" refuses 3 'no ceilings' csv none.json --out none.csv
check "none" test ! -e none.csv
check "to a file" quiet "$roofline" export csv h200.json --out h200.csv
check "to a folder that is not there" refuses 1 no-such csv h200.json --out no-such/a.csv
check "the same to standard output" into h200.out csv h200.json
check "as in the file" cmp h200.csv h200.out
mkfifo pipe
timeout 20 cat pipe >h200.pipe &
check "into a pipe" quiet "$roofline" export csv h200.json --out pipe
wait
check "which stays one" test -p pipe
check "all of it" cmp h200.csv h200.pipe
full() {
    "$roofline" export csv h200.json 2>full.txt >/dev/full
    [ $? = 1 ] && [ "$(cat full.txt)" = 'roofline: standard output: No space left on device' ]
}
check "a full disk" full

check "a run that was not valid is not exported unseen" refuses 4 '--force exports them' reframe nasty.json
check "nothing of it" test "$("$roofline" export reframe nasty.json 2>/dev/null | wc -c)" = 0
check "with --force it is marked: ReFrame" prints 'is NOT VALID: the clock fell' \
    "$roofline" export reframe nasty.json --force
check "CSV" prints ',no,' "$roofline" export csv nasty.json --force
check "Prometheus" prints 'valid="false"' "$roofline" export prometheus nasty.json --force
for name in h200 both nasty; do
    check "prometheus, $name" into $name.prom prometheus $name.json --force
    if command -v promtool >/dev/null; then
        check "promtool takes it, $name" sh -c "promtool check metrics <$name.prom"
    else
        skip "promtool takes it, $name" "no promtool (Debian: prometheus)"
    fi
done
into both.py reframe both.json
check "CSV has the ceilings" csv_has_the_ceilings
check "references are Python" reframe_is_python
into tracelens.json tracelens both.json --device gpu0
check "TraceLens's keys" tracelens_has_its_keys
check "TraceLens describes one GPU" refuses 2 "0 GPUs in the file, must be 1" tracelens xeon.json
# Text of a ceilings file must not become code of a generated one.
sed 's/"created": *"/&\\nimport os\\n#/' h200.json >hostile.json
into hostile.py reframe hostile.json
check "lines of code in a ceilings file stay a comment" sh -c '! grep -q "^import" hostile.py'
check "and text there" prints 'measured \nimport os\n#2' cat hostile.py

# Results of LBNL's ERT work where ceilings of ours do.
k20x=$top_srcdir/tests/data/ert/roofline-k20x.json
check "ERT's results" "$roofline" ert-ceilings "$k20x" --out k20x.json
check "have its peak" prints '1.225 TFLOP/s' "$top_builddir/ert/ert" show k20x.json
check "two of them" answers 2 'give one file' "$roofline" ert-ceilings "$k20x" "$k20x"
check "no ERT's" answers 2 'h200.json: empirical: must be an object' "$roofline" ert-ceilings h200.json
check "in a chart" prints 'gpu0: k20x.svg' "$program" plot k20x.json --out k20x.svg
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
