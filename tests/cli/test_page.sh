#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# roofline plot --out FILE.html: the page as text, and, where chromium is installed, in a browser.
command=plot
. "$top_srcdir/tests/cli/roofline_fixture.sh"
data=$top_srcdir/tests/data/page
LC_ALL=C.UTF-8

for name in h200 xeon both nasty none; do
    "$plant" $name $name.json || exit 1
done

# 20,000 points on five digits of intensity and speed, for the limit of symbols.
awk 'BEGIN {
    printf "{\"schema\": \"ert-points/1\", \"points\": ["
    for (i = 0; i < 20000; i++)
        printf "%s{\"name\": \"v%d\", \"time_s\": %g, \"flops\": [{\"type\": \"fp64\", \"unit\": " \
            "\"core\", \"count\": 1e9}], \"bytes\": [{\"level\": \"L2\", \"count\": %d}, " \
            "{\"level\": \"HBM\", \"count\": %d}]}\n", i ? "," : "", i % 40, \
            1e-4 * (1 + i * 7919 % 10007), 1e8 * (2 + i * 104729 % 997), 1e8 * (1 + i * 104729 % 997)
    print "]}" }' >many.json

check "a page" refuses 0 'page.html: 1 device, 0 points' h200.json --out page.html
check "with points" refuses 0 'points.html: 1 device, 9 points' \
    h200.json "$data/points.json" --out points.html
printf '{"schema": "ert-points/1", "elapsed_s": 4, "points": [{"name": "a", "time_s": 1,
    "flops": [{"type": "fp64", "unit": "core", "count": 1e9}],
    "bytes": [{"level": "L2", "count": 1e9}]}]}' >quarter.json
check "of a region of a run" refuses 0 'quarter.html: 1 device' xeon.json quarter.json --out quarter.html
check "whose share is of the run, as the table's" prints '"share":0.25' cat quarter.html
check "of several machines" refuses 0 'two.html: 2 devices' h200.json xeon.json --out two.html
check "of all devices of a file" refuses 0 'both.html: 2 devices' both.json --out both.html
check "of one device" refuses 0 'one.HTML: 1 device' both.json --device cpu --out one.HTML
check "of many points" refuses 0 'the longest 2000 of 20000 points' h200.json many.json --out many.html
check "of a machine with an ugly name" refuses 0 nasty.html nasty.json --out nasty.html
check "nothing to draw" refuses 3 'nothing to draw' none.json --out none.html
check "nor with points" refuses 3 'nothing to draw' none.json "$data/points.json" --out none.html
check "no file was made" test ! -e none.html
check "no ceilings" refuses 2 'no ceilings file' "$data/points.json" --out no.html
check "an unknown device" refuses 2 'there are: gpu0' h200.json --device gpu7 --out no.html
check "a missing profile" refuses 2 no-such.csv h200.json no-such.csv --out no.html
check "text beside a page" refuses 2 '--text' h200.json --out no.html --text
check "no folder for the file" refuses 1 no-such h200.json --out no-such/a.html
if [ -w /dev/full ]; then
    ln -s /dev/full full.html
    check "a full disk" refuses 1 'No space left' h200.json --out full.html
else
    skip "a full disk" "no /dev/full"
fi

# What a browser would fetch or run: tags with addresses, style sheets' url(), addresses in scripts.
# That of SVG's namespace is a name, and nothing is fetched from it.
fetched() {
    grep -noE "(src|href|action|poster|srcset)=[\"'][^\"']*|url\(|@import|[a-z]+://[a-zA-Z0-9./]*" "$1" |
        grep -v 'http://www.w3.org/2000/svg$'
}

scripts() {
    [ "$(grep -c '</script>' "$1")" -eq 2 ]
}

for page in page points two nasty; do
    check "$page: nothing is fetched" unfound fetched $page.html
    check "$page: two scripts end, no text ends one" scripts $page.html
    check "$page: a whole document" prints '</html>' tail -n 1 $page.html
done
check "the policy forbids the network" grep -q "default-src 'none'" page.html
printf '<p>see https://example.org/a.js</p>\n' >bad.html
check "what would be fetched is found" prints 'https://example.org/a.js' fetched bad.html

# The numbers of the page are those of the files, bit for bit.
same_numbers() {
    python3 - "$@" <<'PYTHON'
import json, re, sys

page = open(sys.argv[1], encoding="utf-8").read()
text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1)
assert not re.search("[<>&]", text)
data = json.loads(text)
machine = data["machines"][0]
device = json.load(open(sys.argv[2]))["devices"][0]
for ours, theirs in (("bandwidths", "memory"), ("peaks", "compute")):
    ceilings = [c for c in device["ceilings"] if c["kind"] == theirs]
    assert len(machine[ours]) == len(ceilings) > 0
    for a, b in zip(machine[ours], ceilings):
        assert (a["name"], a["value"]) == (b["name"], b["value"]), (a, b)
        assert a.get("theory", 0) == b.get("theory", {}).get("value", 0), (a, b)
for a, kernel, b in zip(data["points"], machine["kernels"], json.load(open(sys.argv[3]))["points"]):
    flops = sum(row["count"] for row in b["flops"])
    assert a["name"] == kernel["name"] == b["name"]
    assert kernel.get("flop_per_s") == (flops / b["time_s"] if "time_s" in b and flops else None)
    rows = {row["level"]: row for row in kernel["rows"] if "level" in row}
    for x, y in zip(a["bytes"], b["bytes"]):
        assert (x["level"], x["count"]) == (y["level"], y["count"])
        assert rows[x["level"]].get("intensity", 0) == flops / y["count"]
assert len(data["points"]) == 9
PYTHON
}
if command -v python3 >/dev/null; then
    check "the numbers are those of the files" same_numbers points.html h200.json "$data/points.json"
else
    skip "the numbers are those of the files" "no python3"
fi

browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && browser=$name && break
done

# browse PAGE: the document after its scripts ran, and on stderr what they said.
browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$scratch/profile" --window-size=1200,1000 \
        --virtual-time-budget=60000 --dump-dom "file://$scratch/$1" 2>/dev/null
}

# The page with the two scripts of the test in it: a copy, for pages hold no code for tests.
with_probe() {
    awk -v before="$top_srcdir/tests/cli/page_errors.js" -v after="$top_srcdir/tests/cli/page_probe.js" '
        function put(file,    line) {
            print "<script>"
            while ((getline line < file) > 0)
                print line
            print "</script>"
        }
        $0 == "</body>" { put(after) }
        { print }
        $0 == "<body>" { put(before) }' "$1.html" >"probe-$1.html"
    for _ in 1 2 3; do # on a busy machine the browser may end before the probe
        browse "probe-$1.html" >"$1.dom"
        grep -q '^probe ended' "$1.dom" && return # not in the script's own text
    done
    return 1
}

if [ -z "$browser" ]; then
    skip "in a browser" "no chromium (Debian: chromium)"
    done_testing
    exit
fi
printf '<body><script>document.body.append("it " + "runs")</script></body>\n' >try.html
if ! browse try.html | grep -q 'it runs'; then
    skip "in a browser" "$browser does not run here"
    done_testing
    exit
fi
for page in page points two nasty many; do
    check "$page: the browser runs the probe to its end" with_probe $page
    sed -n -e 's/^ok //p' "$page.dom" >"$page.ok"
    while read -r row; do
        check "$page: $row" true
    done <"$page.ok"
    check "$page: nothing failed in the browser" empty sed -n 's/^FAIL //p' "$page.dom"
done
# Real files: nw=4 under the machine with its levels, and no warning of points that are under their own.
results=$(cd "$top_srcdir" && pwd)/results
text() {
    "$roofline" plot "$@" --out real.html >/dev/null && browse real.html | sed -n 's/^<\/script><header>//p'
}
check "two machine files of a GPU" prints '65.4 %' text "$results"/published/v100-*.json
check "which were published, not measured" prints 'published 2020-01-01' text "$results"/published/v100-*.json
apart() {
    turin=$results/epyc-turin-vm
    text "$results/h200/ceilings.json" "$results/h200/gpp/points.json" "$turin/ceilings.json" \
        "$turin/examples/stencil/points.json" >apart.txt
    grep -q 'EPYC' apart.txt && ! grep -o '.*meaningless' apart.txt
}
check "a GPU and a CPU with their points" apart
done_testing
