#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# All that read ceilings give one answer to one question: over every committed result, the published figures,
# and a new run of the fake machine. Their values and intervals are of real machines, unlike the planted ones.
. "$top_srcdir/tests/tap.sh"
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.9"
    exit 0
fi
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-readers-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$top_srcdir/analysis/ext/python
export PYTHONDONTWRITEBYTECODE PYTHONPATH
"$top_builddir/ert/ert" run --device fake --quick --out "$work/fake" >"$work/log" 2>&1 ||
    { cat "$work/log" && exit 1; }
# As other programs write it again: keys by name, so that "schema" comes last.
python3 -c 'import json, sys
json.dump(json.load(open(sys.argv[1])), open(sys.argv[2], "w"), sort_keys=True)' \
    "$top_srcdir/results/h200/ceilings.json" "$work/sorted.json"
"$top_builddir/ert/ert" run --device fake --ert-compatible --out "$work/ert-mode" >"$work/log" 2>&1 ||
    [ $? -eq 4 ] || { cat "$work/log" && exit 1; }
python3 "$top_srcdir/tests/python/test_readers.py" "$top_builddir/ert/ert" \
    "$top_builddir/analysis/roofline" "$top_builddir/tests/cli/list_roofs" \
    "$top_srcdir"/results/*/ceilings.json "$top_srcdir"/results/published/*ceilings.json \
    "$work/fake/ceilings.json" "$work/sorted.json" "$work"/ert-mode/ceilings*.json
