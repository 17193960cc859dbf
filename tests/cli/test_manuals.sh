#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Options, as the parser, --help, the manual and the completion know them: the same of every command. And the
# manuals themselves.
. "$top_srcdir/tests/tap.sh"
docs=$top_builddir/configs/docs
if ! [ -f "$docs/manuals.stamp" ]; then
    echo "1..0 # SKIP manuals are made by running the programs, which are built for another machine"
    exit 0
fi

program_of() {
    case $1 in
    ert) echo "$top_builddir/ert/ert" ;;
    roofline) echo "$top_builddir/analysis/roofline" ;;
    ert-gpp) echo "$top_builddir/gpp/ert-gpp" ;;
    ert-net) echo "$top_builddir/ert/ext/net/ert-net" ;;
    esac
}

# What the parser knows: an unknown option is answered with all that there are.
parsed() {
    "$program" $words --zz 2>&1 | sed -n "s/.*unknown option '--zz'; known options: //p" | tr -d ' ' |
        tr , '\n' | grep -v '^none$' | sort -u
}
helped() {
    awk -v page="== $command" '/^== /{on = 2 * ($0 == page)} /^$/ && on{on--} on == 1 && /^  --/{print $1}' \
        "$docs/help/${program##*/}" | sort
}
in_manual() {
    sed -n 's/^\.It Fl \\-\([^ ]*\).*/--\1/p' "$docs/man/man1/$(echo "$command" | tr ' ' -).1" |
        sed 's/\\-/-/g' | sort
}
# --help itself is a row of ert-net's alone.
same_everywhere() {
    local known place other
    known=$(parsed | grep -v '^--help$')
    for place in helped in_manual; do
        other=$($place | grep -v '^--help$')
        [ "$known" = "$other" ] || { echo "$place:" $other "; parsed:" $known; return 1; }
    done
}
for command in $(cat "$docs"/help/* | sed -n '/^== /{N;/COMMAND/d;s/^== //;s/\n.*//;s/ /%/g;p;}'); do
    command=$(echo "$command" | tr % ' ')
    program=$(program_of "${command%% *}") words=
    case $command in *" "*) words=${command#* } ;; esac
    check "$command: parser, help and manual agree" same_everywhere
done
check "there are commands" test "$tap_count" -ge 2

# Each page that another one names is there.
references() {
    cat "$docs"/man/man*/* | sed -n 's/^\.\(It \)*Xr \([^ ]*\) \([0-9]\).*/\2.\3/p' | sort -u |
        while read -r page; do
            [ -f "$docs/man/man${page##*.}/$page" ] || echo "$page is named and not there"
        done
}
# lint: what mandoc says, but that our pages are not installed.
lint() {
    mandoc -Tlint "$docs"/man/man*/* "$top_srcdir/analysis/ext/lib/libroofline.3" |
        grep -v 'referenced manual not found'
}
check "manuals name pages that are there" empty references
if command -v mandoc >/dev/null; then
    check "mandoc finds nothing to say" unfound lint
else
    skip "mandoc -Tlint" "no mandoc (Debian: mandoc)"
fi

# Each key of each schema is in its manual.
keys() {
    python3 - "$1" "$2" <<'PYTHON'
import json, re, sys
page = open(sys.argv[2]).read().replace("\\-", "-")
names = set(re.split(r"[.\[\]]+", " ".join(re.findall(r"^\.It (.*)", page, re.M)).replace(" ", ".")))
def look(at):
    if isinstance(at, dict):
        for key, value in at.items():
            if key == "properties":
                for name in value:
                    if name not in names:
                        print(name, "is not in", sys.argv[2])
            look(value)
    elif isinstance(at, list):
        for value in at:
            look(value)
look(json.load(open(sys.argv[1])))
PYTHON
}
for schema in $(find "$top_srcdir/ert" "$top_srcdir/analysis" -name "*.schema.json"); do
    page=$(sed -n 's,^ *"title": "\([a-z-]*\)/.*,\1,p' "$schema").5
    if command -v python3 >/dev/null; then
        check "$page has each key" empty keys "$schema" "$docs/man/man5/$page"
    else
        skip "$page has each key" "no python3"
    fi
done
done_testing
