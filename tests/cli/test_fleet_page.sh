#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert fleet merge --page: a page that fetches nothing and runs nothing that a record says; its numbers; and,
# where chromium is installed, the page in a browser.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
simulate=$(dirname "$ert")/../tests/fleet/fleet_simulate
scratch=$(mktemp -d "${TMPDIR:-/tmp}/ert-page-XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# 30 nodes, n07 slower by 10 % in all, n11 of another kernel; a processor whose name would be a script.
hostile='</script><img src=x onerror=window.ran=1><!--'
fleet() {
    "$simulate" --nodes 30 --ceilings 6 --dips 0 --bad-share 0 "$@" |
        sed "s|Simulated CPU|$hostile|g" | awk '
            /"host": *"n07"/ {
                out = ""
                while (match($0, /"(value|low|high)": *[0-9.e+]+/)) {
                    key = text = substr($0, RSTART, RLENGTH)
                    sub(/.*: */, "", text)
                    sub(/:.*/, ":", key)
                    out = out substr($0, 1, RSTART - 1) key text * 0.9
                    $0 = substr($0, RSTART + RLENGTH)
                }
                $0 = out $0
            }
            /"host": *"n11"/ { sub(/"kernel": *"[^"]*"/, "\"kernel\":\"6.0-other\"") }
            { print }' OFMT=%.10g CONVFMT=%.10g
}
fleet >records
fleet --sample 1 >>records
fleet --sample 2 >>records
# All pairs of eight hosts, of which m1 and m2 are slow with each other; and a host that would be a tag.
pairs() {
    i=0
    while [ $i -lt 8 ]; do
        j=$((i + 1))
        while [ $j -lt 8 ]; do
            value=$((10000000000 + (i * 7 + j * 13) % 11 * 10000000))
            [ $i = 1 ] && [ $j = 2 ] && value=2000000000
            b=m$j
            [ $j = 7 ] && b='<b onclick=x>'
            printf '{"schema":"ert-net/1","line":"pair","a":"m%s","b":"%s","round":0,' $i "$b"
            printf '"test":"one-way","size_bytes":1048576,"unit":"byte/s","n":3,'
            printf '"value":%s,"low":%s,"high":%s,' $value $value $value
            printf '"repeat":0,"state":"ok"}\n'
            j=$((j + 1))
        done
        i=$((i + 1))
    done
}
pairs >net

write_page() { "$ert" fleet merge records net --page fleet.html >said 2>&1; test $? -eq 1; }
check "the page is written" write_page
check "and the pair is named" grep -q 'm1 - m2 is slow' said
check "it is one document" sh -c "head -1 fleet.html | grep -qx '<!DOCTYPE html>' &&
    tail -1 fleet.html | grep -qx '</html>'"
check "with its own two scripts" test "$(grep -c '</script>' fleet.html)" = 2
check "no record's text is markup" sh -c "! grep -n '<img\|<b onclick' fleet.html"
# Without its data, in which a record may say anything, and the name of SVG.
no_fetch() {
    ! sed -e '/id="data">/,/<\/script>/d' -e 's|http://www.w3.org/2000/svg||' fleet.html |
        grep -n 'https\?:\|src=\|href=\|url(\|@import'
}
check "nothing is fetched" no_fetch
check "the same as a form" sh -c "'$ert' fleet merge records net --output html 2>/dev/null | cmp - fleet.html"
check "a folder that is not there is an error" gives 1 "$ert" fleet merge records --page no/folder/x.html

# numbers: the slow node's change, in 0.01 %, at its place of the table.
numbers() {
    python3 - <<'PYTHON'
import base64, json, re, struct
text = open("fleet.html").read()
data = json.loads(re.search(r'id="data">(.*?)</script>', text, re.S).group(1))
raw = base64.b64decode(data["change"])
change = struct.unpack("<%dh" % (len(raw) // 2), raw)
n = len(data["hosts"])
assert n == 30 and len(data["columns"]) == 6 and len(change) == 180
slow = [change[c * n + data["hosts"].index("n07")] for c in range(6)]
assert all(-1200 < c < -800 for c in slow), slow
assert max(abs(c) for i, c in enumerate(change) if i % n != 7) < 400
assert "onerror" in data["groups"][0]["name"]
assert len(base64.b64decode(data["pairs"]["tests"][0]["change"])) == 2 * 28
PYTHON
}
if command -v python3 >/dev/null; then
    check "the numbers are those of the records" numbers
else
    skip "the numbers are those of the records" "no python3"
fi

browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && browser=$name && break
done

# browse FILE WIDTH: the document after its scripts ran.
browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$scratch/profile" --window-size="$2,1000" \
        --virtual-time-budget=60000 --dump-dom "file://$scratch/$1" 2>/dev/null
}

if [ -z "$browser" ]; then
    skip "in a browser" "no chromium (Debian: chromium)"
    done_testing
    exit
fi
printf '<body><script>document.body.append("it " + "runs")</script></body>\n' >try.html
if ! browse try.html 1200 | grep -q 'it runs'; then
    skip "in a browser" "$browser does not run here"
    done_testing
    exit
fi

awk -v before="$top_srcdir/tests/cli/page_errors.js" -v after="$top_srcdir/tests/cli/fleet_page_probe.js" '
    function put(file,    line) {
        print "<script>"
        while ((getline line < file) > 0)
            print line
        print "</script>"
    }
    $0 == "</body>" { put(after) }
    { print }
    $0 == "<body>" { put(before) }' fleet.html >probe.html
for width in 1400 500; do
    probe() {
        browse probe.html $width >dom
        grep -q 'probe ended' dom
    }
    check "$width wide: the page runs" probe
    sed -n '/<pre id="probe">/,/<\/pre>/p' dom | sed 's/.*<pre id="probe">//' | grep '^ok \|^FAIL ' >results
    while read -r result name; do
        check "$width wide: $name" test "$result" = ok
    done <results
done
done_testing
