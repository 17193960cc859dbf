#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every shipped ceilings.json, and what the writer makes, obeys ert/core/ceilings/ceilings.schema.json,
# points analysis/core/points/points.schema.json, what `roofline place` writes
# analysis/ext/json/placement.schema.json, and lines of ert-net ert/ext/fleet/net_record.schema.json; and
# the schemas are not so loose that they accept anything.
. "$top_srcdir/tests/tap.sh"
schema=$top_srcdir/ert/core/ceilings/ceilings.schema.json
if ! python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    echo "1..0 # SKIP no python3 with jsonschema 4 (Debian: python3-jsonschema)"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# valid FILE [SCHEMA]
valid() {
    python3 - "${2:-$schema}" "$1" <<'PYTHON'
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

# described FILE: the schema has a word for each key that the file has of a device.
described() {
    python3 - "$schema" "$1" <<'PYTHON'
import json, sys
schema = json.load(open(sys.argv[1]))
unknown = set()
def look(at, rule, path):
    while "$ref" in rule:
        rule = schema["$defs"][rule["$ref"].split("/")[-1]]
    if isinstance(at, list) and "items" in rule:
        for element in at:
            look(element, rule["items"], path)
    elif isinstance(at, dict) and "properties" in rule:
        for key, value in at.items():
            if key not in rule["properties"]:
                unknown.add(path + "." + key)
            else:
                look(value, rule["properties"][key], path + "." + key)
look(json.load(open(sys.argv[2]))["devices"], schema["properties"]["devices"], "devices")
print(*sorted(unknown), sep="\n")
sys.exit(bool(unknown))
PYTHON
}

# The sed command changes the planted file, and the change makes it invalid.
refuses() {
    sed "$1" "$scratch/h200.json" >"$scratch/bad.json"
    ! cmp -s "$scratch/h200.json" "$scratch/bad.json" && gives 1 valid "$scratch/bad.json"
}

for name in h200 both nasty none kinds; do
    "$top_builddir/tests/unit/plant_ceilings" $name "$scratch/$name.json" || exit 1
    check "planted $name" valid "$scratch/$name.json"
    check "planted $name has no undescribed key" described "$scratch/$name.json"
done
ERT_FAKE=gpus=2,sustained=0.9 "$top_builddir/ert/ert" run --device fake --full \
    --out "$scratch/run" >"$scratch/out" 2>&1
check "what a run wrote" valid "$scratch/run/ceilings.json"
check "what a run wrote has no undescribed key" described "$scratch/run/ceilings.json"
for file in "$top_srcdir"/results/*/ceilings.json "$top_srcdir"/results/published/*-ceilings.json; do
    if [ -e "$file" ]; then
        check "shipped ${file#"$top_srcdir"/}" valid "$file"
        check "shipped ${file#"$top_srcdir"/} has no undescribed key" described "$file"
    fi
done
check "a newer version" refuses 's/"ert-ceilings\/4"/"ert-ceilings\/5"/'
check "no value" refuses 's/"value":/"rate":/'
check "an unknown word" refuses 's/"confidence":\( *\)"high"/"confidence":"total"/'
check "a negative count" refuses 's/"n_samples":\( *\)21/"n_samples":-1/'
check "a wrong type" refuses 's/"roof":\( *\)true/"roof":"yes"/'
check "a bandwidth without a level" refuses 's/"level":"L1",//'
all_described() {
    python3 - "$schema" <<'PYTHON'
import json, sys
bare = []
def look(at, path):
    for key, value in at.get("properties", {}).items() if isinstance(at, dict) else ():
        if path and not value.get("description"):
            bare.append(path + "." + key)
        look(value, path + "." + key)
        look(value.get("items", {}), path + "." + key + "[]")
look(json.load(open(sys.argv[1])), "file")
print(*bare, sep="\n")
sys.exit(bool(bare))
PYTHON
}
check "each property is described" all_described

# The same for the other two schemas.
rejects() {
    sed "$3" "$1" >"$scratch/bad.json"
    ! cmp -s "$1" "$scratch/bad.json" && gives 1 valid "$scratch/bad.json" "$2"
}

points=$top_srcdir/analysis/core/points/points.schema.json
placement=$top_srcdir/analysis/ext/json/placement.schema.json
nw=$top_srcdir/results/published/v100-gpp-nw.json
for file in "$nw" "$top_srcdir"/results/published/v100-8steps.json \
    "$top_srcdir"/results/published/knl-points.json; do
    check "points ${file##*/}" valid "$file" "$points"
done
"$top_builddir/gpp/ert-gpp" run --system tiny --version c1,c6 --repeat 1 --threads 1 \
    --out "$scratch/points.json" >"$scratch/out" 2>&1
check "points of ert-gpp" valid "$scratch/points.json" "$points"
check "points: a value in words" rejects "$scratch/points.json" "$points" \
    's/"repeat": 1/"repeat": "one"/'
check "points: a newer version" rejects "$nw" "$points" 's/ert-points\/1/ert-points\/2/'
check "points: negative bytes" rejects "$nw" "$points" 's/"count": /"count": -/'
check "points: no level" rejects "$nw" "$points" 's/"level"/"cache"/'
check "points: a negative time of the run" rejects "$nw" "$points" \
    's/"schema"/"elapsed_s": -1, "schema"/'
check "points: no name" rejects "$nw" "$points" 's/"name"/"title"/'

net=$top_srcdir/ert/ext/fleet/net_record.schema.json
while read -r line; do
    n=$((n + 1))
    printf '%s\n' "$line" >"$scratch/line.json"
    check "ert-net: line $n" valid "$scratch/line.json" "$net"
done <"$top_srcdir/tests/data/net/lines.ndjson"
sed -n 2p "$top_srcdir/tests/data/net/lines.ndjson" >"$scratch/line.json"
check "ert-net: ok without a value" rejects "$scratch/line.json" "$net" 's/1.5e-06/0/'
check "ert-net: an unknown test" rejects "$scratch/line.json" "$net" 's/"latency"/"ping"/'

fleet=$top_srcdir/ert/ext/fleet/fleet.schema.json
ert=$top_builddir/ert/ert
simulate=$(dirname "$ert")/../tests/fleet/fleet_simulate
"$simulate" --nodes 50 >"$scratch/records"
"$simulate" --nodes 50 --sample 1 >"$scratch/again"
{ cat "$scratch/records" "$scratch/again" && echo cut; } |
    "$ert" fleet merge - --expect "$(seq -f n%02.0f -s , 0 49),n99" --output json \
        >"$scratch/fleet.json" 2>"$scratch/out"
check "a fleet" valid "$scratch/fleet.json" "$fleet"
"$ert" fleet merge /dev/null --output json >"$scratch/empty.json" 2>"$scratch/out"
check "a fleet of nothing" valid "$scratch/empty.json" "$fleet"
check "a fleet: a newer version" rejects "$scratch/fleet.json" "$fleet" 's/ert-fleet\/1/ert-fleet\/2/'
check "a fleet: an unknown verdict" rejects "$scratch/fleet.json" "$fleet" 's/"missing"/"gone"/'
check "a fleet: a negative value" rejects "$scratch/fleet.json" "$fleet" 's/"values":\[/"values":[-/'

for view in hierarchical cache-aware time instructions energy; do
    "$top_builddir/analysis/roofline" place "$top_srcdir/results/published/v100-ceilings.json" \
        "$nw" --view $view --output json >"$scratch/$view.json"
    check "placement $view" valid "$scratch/$view.json" "$placement"
done
knl=$top_srcdir/results/published/knl
"$top_builddir/analysis/roofline" place "$knl-ceilings.json" "$knl-points.json" --output json \
    --bytes host=1e9 --type fp8 --flops 7 >"$scratch/unknown.json"
check "placement of what no roof fits" valid "$scratch/unknown.json" "$placement"
full=$scratch/hierarchical.json
check "placement: an unknown unit" rejects "$full" "$placement" 's/"byte\/s"/"GB\/s"/'
check "placement: no advice" rejects "$full" "$placement" 's/"advice"/"hint"/'
check "placement: a negative rate" rejects "$full" "$placement" 's/"reached":\( *\)/"reached":\1-/'
done_testing
