#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The commands of README.md and of the pages that it leads to do what they say: each line of their code
# blocks that starts with build/ or the Python package is run, in this order, with this build's programs and a
# folder of its own.
. "$top_srcdir/tests/tap.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-readme-XXXXXX")
trap 'rm -rf "$work"' EXIT

sed -n -e 's|^build/\([^#]*\).*|\1|p' -e '/^python3 -m roofline /p' \
    "$top_srcdir/README.md" "$top_srcdir/ert/ert-1.1.0.md" |
    sed "s|/tmp/ert-try|$work/try|g" >"$work/lines"

works() {
    case $1 in
    python3*) line="PYTHONPATH=analysis/ext/python PYTHONDONTWRITEBYTECODE=1 $1 && echo written" ;;
    *) line="\"$top_builddir\"/$1" ;;
    esac
    (cd "$top_srcdir" && eval "$line" </dev/null >"$work/out" 2>&1) || { cat "$work/out"; return 1; }
    [ -s "$work/out" ]
}

check "the pages have commands" test "$(wc -l <"$work/lines")" -ge 15
check "README.md has 900 words or less, besides its Python" \
    test "$(sed '/^```python/,/^```/d' "$top_srcdir/README.md" | wc -w)" -le 900
while read -r line; do
    check "$(echo "$line" | sed 's|/tmp/[^ ]*/|DIR/|g')" works "$line"
done <"$work/lines"
# Its ten lines of Python and its line of jq read peaks and bandwidths.
sed -n '/^```python/,/^```/{/^```/!p;}' "$top_srcdir/README.md" >"$work/read.py"
jq_line=$(sed -n 's/^jq /jq /p' "$top_srcdir/README.md")
reads() { (cd "$top_srcdir" && eval "$1"); }
if command -v python3 >/dev/null; then
    check "Python reads a bandwidth" prints "HBM load 4" reads "python3 $work/read.py"
    check "and a peak" prints "fp64 fma core 33385820000000 flop/s" reads "python3 $work/read.py"
else
    skip "Python reads a bandwidth" "no python3"
fi
if command -v jq >/dev/null; then
    check "jq reads them, too" prints '["fp64-fma",33385820000000,"flop/s"]' reads "$jq_line"
else
    skip "jq reads them, too" "no jq"
fi
check "the chart it draws again is the same" cmp "$work/try/roofline.svg" "$work/try/again.svg"
done_testing
