# SPDX-License-Identifier: BSD-3-Clause
# fleet_fixture: what the tests of `ert fleet merge` share; sourced. They run in a folder of their own, $work.
. "$top_srcdir/tests/tap.sh"
ert=$(cd "$top_builddir" && pwd)/ert/ert
simulate=$(dirname "$ert")/../tests/fleet/fleet_simulate
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-fleet-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

merge() {
    "$ert" fleet merge "$@"
}

# says STATUS PATTERN COMMAND...: as answers, with a regular expression that one line matches.
says() {
    says_status=$1 says_pattern=$2
    shift 2
    answers "$says_status" '' "$@" || return 1
    echo "$tap_text" | grep -q -e "$says_pattern" && return
    echo "no line matches '$says_pattern': $tap_text"
    return 1
}

# fleet OPTIONS...: records of 40 nodes without dips, none bad; later options take the place of these.
fleet() {
    "$simulate" --nodes 40 --ceilings 6 --dips 0 --bad-share 0 "$@"
}

# slow SHARE [PATTERN]: the records (of lines with the text), all ceilings slower.
slow() {
    awk -v share="$1" -v text="$2" '
        text == "" || index($0, text) {
            out = ""
            while (match($0, /"(value|low|high)":[0-9.e+]+/)) {
                key = substr($0, RSTART, RLENGTH)
                sub(/:.*/, ":", key)
                number = substr($0, RSTART + length(key), RLENGTH - length(key)) * share
                out = out substr($0, 1, RSTART - 1) key number
                $0 = substr($0, RSTART + RLENGTH)
            }
            $0 = out $0
        }
        { print }' OFMT=%.10g CONVFMT=%.10g
}

# columns HOST FILE: how many ceilings a node has in a fleet.json.
columns() {
    grep "\"host\":\"$1\"" "$2" | grep -o '"columns":\[[^]]*' | tr ',' '\n' | wc -l | tr -d ' '
}
