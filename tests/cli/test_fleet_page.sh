#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of `ert fleet merge` fetches nothing and runs nothing that a record says; its data; and, where
# chromium is installed, the page in a browser.
. "$top_srcdir/tests/cli/fleet_fixture.sh"

# 40 nodes, n07 slower by 10 % in all, n11 of another kernel; a processor whose name would be a script.
hostile='</script><img src=x onerror=window.ran=1><!--'
for sample in 0 1 2; do
    fleet --sample $sample
done | sed -e "s|Simulated CPU|$hostile|g" -e '/"host": "n11"/s/"kernel": "[^"]*"/"kernel": "6.0-other"/' |
    slow 0.9 '"host": "n07"' >records
# All pairs of eight hosts, of which n01 and n02 are slow with each other; and a host that would be a tag.
pairs() {
    i=0
    while [ $i -lt 8 ]; do
        j=$((i + 1))
        while [ $j -lt 8 ]; do
            value=$((10000000000 + (i * 7 + j * 13) % 11 * 10000000))
            [ $i = 1 ] && [ $j = 2 ] && value=2000000000
            b=n0$j
            [ $j = 7 ] && b='<b onclick=x>'
            printf '{"schema":"ert-net/1","line":"pair","a":"n0%s","b":"%s","round":0,' $i "$b"
            printf '"test":"one-way","size_bytes":1048576,"unit":"byte/s","n":3,'
            printf '"value":%s,"low":%s,"high":%s,' $value $value $value
            printf '"repeat":0,"state":"ok"}\n'
            j=$((j + 1))
        done
        i=$((i + 1))
    done
}
pairs >net

# The switches of half of the nodes.
for rack in 0 1; do
    echo "leaf$rack $(seq -f "n$rack%g" -s ' ' 0 9)"
done >switches

write_page() {
    gives 1 merge records net --expect "$(seq -s , -f n%02.0f 0 40)" --topology switches \
        --output html >fleet.html 2>said
}
check "the page is written" write_page
check "the slow pair is in it" grep -q "n01 - n02 is slow" fleet.html
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

# The page's data are fleet.json, but for how '<' is written.
same_data() {
    merge records net --expect "$(seq -s , -f n%02.0f 0 40)" --topology switches --output json \
        >fleet.json 2>said
    python3 - <<'PYTHON'
import json, re
data = json.loads(re.search(r'id="data">(.*?)</script>', open("fleet.html").read(), re.S).group(1))
assert data == json.load(open("fleet.json"))
slow = next(node for node in data["nodes"] if node["host"] == "n07")
assert len(slow["changes"]) == 6 and all(-0.12 < change < -0.08 for change in slow["changes"]), slow
assert slow["switch"] == "leaf0" and "onerror" in data["groups"][0]["name"]
PYTHON
}
if command -v python3 >/dev/null; then
    check "its data are fleet.json" same_data
else
    skip "its data are fleet.json" "no python3"
fi

browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null && browser=$name && break
done

# browse FILE WIDTH: the document after its scripts ran.
browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$work/profile" --window-size="$2,1000" \
        --virtual-time-budget=60000 --dump-dom "file://$work/$1" 2>/dev/null
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
