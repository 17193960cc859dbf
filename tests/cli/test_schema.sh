#!/bin/sh
# Every shipped ceilings.json, and what the writer makes, obeys ert/ceilings/ceilings.schema.json;
# and the schema is not so loose that it accepts anything.
. "$top_srcdir/tests/tap.sh"
schema=$top_srcdir/ert/ceilings/ceilings.schema.json
if ! python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null; then
    echo "1..0 # SKIP no python3 with jsonschema 4 (Debian: python3-jsonschema)"
    exit 0
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

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

# The sed command changes the planted file, and the change makes it invalid.
refuses() {
    sed "$1" "$scratch/h200.json" >"$scratch/bad.json"
    ! cmp -s "$scratch/h200.json" "$scratch/bad.json" && gives 1 valid "$scratch/bad.json"
}

for name in h200 both nasty none; do
    "$top_builddir/tests/unit/plant_ceilings" $name "$scratch/$name.json" || exit 1
    check "planted $name" valid "$scratch/$name.json"
done
for file in "$top_srcdir"/results/*/ceilings.json; do
    if [ -e "$file" ]; then
        check "shipped ${file#"$top_srcdir"/}" valid "$file"
    fi
done
check "a newer version" refuses 's/"ert-ceilings\/1"/"ert-ceilings\/2"/'
check "a value of another unit" refuses 's/"value_flop_per_s"/"value_gflop_per_s"/'
check "an unknown word" refuses 's/"confidence":\( *\)"high"/"confidence":"total"/'
check "a negative count" refuses 's/"n_samples":\( *\)21/"n_samples":-1/'
check "a wrong type" refuses 's/"roof":\( *\)true/"roof":"yes"/'
done_testing
