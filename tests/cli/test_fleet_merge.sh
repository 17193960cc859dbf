#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert fleet merge of generated records: bad nodes are named, sound ones are not, bad input is told. And the
# simulated rates: what is found, and what is called slow that is sound.
. "$top_srcdir/tests/cli/fleet_fixture.sh"

# Five fleets of 40 nodes, n07 bad, without dips: nothing by chance.
fleet >sound
fleet --sample 1 >again
fleet --sample 2 >third
slow_n07() { # FILE
    slow 0.9 '"host":"n07"' <"$1"
}
slow_n07 sound >bad
slow_n07 again >bad-again
slow_n07 third >bad-third

# ---- verdicts ----

check "sound nodes: nothing is found" gives 0 merge sound
check "in words" says 0 'nothing found' merge sound
check "in eight lines at most" test "$(merge sound | wc -l)" -le 8
check "a node that is slow once is a suspect" says 4 '^open suspect  *n07: ' merge bad
check "which is to be measured again" is "$(merge bad --output suspects 2>/dev/null)" n07
check "nor are two measurements a verdict" says 4 \
    '^open suspect  *n07: .*, both times: measure it once more' merge bad bad-again
check "one that repeats is slow" says 1 '^bad  slow  *n07: cpu ceiling-[1-6] is [01.]*[0-9] % slower' \
    merge bad bad-again bad-third
check "each time" says 1 'every time it was measured; 5 more ceilings' merge bad bad-again bad-third
check "and no other" is "$(merge bad bad-again bad-third --output hosts 2>/dev/null)" n07
check "one that does not repeat is not" gives 0 merge bad again
check "but is told" says 0 'transient  *1 node slow once, but not when measured again: n07' merge bad again
check "the false alarms are stated" says 0 '^false alarms: 0.25 sound nodes .* in these 240 comparisons' \
    merge sound
check "records of standard input" says 1 'slow  *n07' \
    sh -c 'cat bad bad-again bad-third | "$0" fleet merge -' "$ert"

# names LAST: n00 to this one, with commas.
names() {
    seq -f n%02.0f -s , 0 "$1"
}

# ---- groups, configuration, nodes that are not there ----

sed 's/"cores":128/"cores":64/' bad >other
head -n 2 other >two
check "two nodes of a hardware are too few" says 4 'few  *only 2 nodes have this hardware' merge two
check "where they were compared with recorded ceilings, they are not" gives 0 merge sound again \
    --expect "$(names 39)"
sed '3s/"kernel":"[^"]*"/"kernel":"6.1-odd"/; 3!s/"kernel":"[^"]*"/"kernel":"6.1"/' sound >kernels
check "another kernel is drift" says 0 "drift  *kernel '6.1-odd' on 1 of 40 nodes, '6.1' on 39: n02" \
    merge kernels
sed '1,4s/"tool":"simulated"/"tool":"0.1"/' sound >versions
check "as is another version of ert" says 0 \
    "drift  *ert '0.1' on 4 of 40 nodes, .*: n00,n01,n02,n03$" merge versions
check "a node without a record is missing" says 1 '^bad  missing  *n40: expected, but it has no record' \
    merge sound --expect "$(names 40)"
names 40 | tr , '\n' >names
check "a list may be a file" says 1 '^bad  missing  *n40: ' merge sound --expect names
check "or standard input" says 1 '^bad  missing  *n40: ' \
    sh -c '"$0" fleet merge sound --expect - <names' "$ert"
check "missing nodes are a list" is "$(merge sound --expect names --output missing 2>/dev/null)" n40
check "one that was not expected is told" says 0 \
    'unexpected  *1 host with records that do not count, since it is not expected: n39' \
    merge sound --expect "$(names 38)"
check "and does not count" says 0 '^39 nodes, 39 records' merge sound --expect "$(names 38)"
sed '5s/"status":"ok","reason":""/"status":"failed","reason":"device lost"/' sound >failed
check "a node whose measurement failed is broken" says 1 \
    '^bad  broken  *n04: its last measurement failed: device lost' merge failed
sed '5s/"status":"ok"/"status":"interrupted"/' sound >late
check "one that was cut short is late" says 1 '^bad  late  *n04: ' merge late

# ---- bad input ----

check "no file" says 2 'files of them' merge
check "a file that is not there" says 2 'nothing: No such file' merge nothing
check "no records" says 4 'no verdict: no record' merge /dev/null
head -c 1000 sound >cut
check "a truncated record is told with file and line" says 4 'bad line  *cut:1:[0-9:]*: ' merge cut
{ cat cut; echo; sed 1d sound; } >cut-more
check "and the others are used" says 4 '^39 nodes, 39 records' merge cut-more
check "a record that came twice counts once" says 0 '^40 nodes, 40 records' merge sound sound
check "and is told" says 0 'duplicate  *n00: two records dated 2026-01-01T00:00:00Z from job 1' \
    merge sound sound
slow 0.5 '"host":"n00"' <sound >other-values
check "unless it is another one" says 4 \
    '^open duplicate  *n00: two different records dated .*: do several nodes have this name' \
    merge sound other-values
sed '1s/"host":"n00"/"host":"a;reboot"/' sound >name
check "a host whose name is a command is no record" says 4 "bad line  *name:1: .*'a;reboot'" merge name
check "an empty host list is refused" says 2 'the list of hosts is empty' merge sound --expect ''
check "one with brackets is told what to do" says 2 "scontrol show hostnames" merge sound --expect 'n[1-5]'
check "an empty list of suspects is empty" is "$(merge sound --output suspects)" ''
if [ -w /dev/full ]; then
    full() { merge sound --output "$1" >/dev/full; }
    check "a full disk is a failure" says 1 'No space left' full text
    check "of JSON, too" says 1 'No space left' full json
else
    skip "a full disk is a failure" "no /dev/full"
fi

# ---- outputs ----

merge bad bad-again bad-third --out out >text 2>err
check "all forms are written" is "$(cd out && echo *.*)" \
    "bad.txt fleet.json fleet.txt missing.txt suspects.txt"
check "the text is the same" cmp text out/fleet.txt
check "the JSON has each node's ceilings" is "$(columns n07 out/fleet.json)" 6

# ---- draining ----

drain() {
    merge bad bad-again bad-third --expect "$(names 41)" --drain 2>/dev/null | grep ^scontrol
}
check "drain prints what drains the slow node, not those that are missing" \
    is "$(drain | sed 's/ceiling-.*//')" "scontrol update nodename=n07 state=drain 'reason=ert: slow: cpu "
check "--drain without the job's own list is refused" says 2 'drain needs --expect' merge sound --drain

# A record may have any name in it, and an administrator may have named anything in --expect.
for name in ALL all localhost gpus; do
    sed "s/\"host\":\"n07\"/\"host\":\"$name\"/" bad bad-again bad-third >named
    drains() {
        merge named --expect "$1" --drain || true
    }
    check "a slow record of $name drains nothing" lacks scontrol drains "$(names 39)"
    [ $name = gpus ] || check "nor if it is expected, since Slurm takes it for other nodes" \
        lacks scontrol drains "$(names 39),$name"
done

# ---- memory: in proportion to what was measured ----

# Each node has a ceiling of a name of its own, and hardware of its own: a table of all would take 1.6 GB.
awk 'BEGIN {
    begin = "{\"schema\":\"ert-node/1\",\"tool\":\"x\",\"created\":\"2026-01-01T00:00:00Z\"," \
        "\"kind\":\"measure\",\"status\":\"ok\",\"warnings\":[],"
    for (i = 0; i < 20000; i++)
        printf "%s\"host\":\"n%d\",\"fingerprint\":{\"cpu\":\"c%d\",\"gpus\":[]},\"ceilings\":[{%s%d\"}]}\n",
            begin, i, i % 3,
            "\"device\":\"cpu\",\"unit\":\"byte/s\",\"value\":1,\"verdict\":\"\",\"name\":\"c", i
    }' >own
small() {
    (ulimit -v 300000 && merge own --out small)
}
if [ -z "$ERT_SANITIZERS" ]; then
    check "20,000 nodes with a ceiling each: a merge needs little memory" says 0 '^20000 nodes' small
    check "and writes little" test "$(cat small/* | wc -c)" -lt 60000000
else
    skip "20,000 nodes with a ceiling each: a merge needs little memory" "a sanitizer takes more"
fi

# ---- links: where ranks share CPUs ----

# latencies SHARES: all pairs of eight hosts, of which m1 and m2 are twice as slow, four times.
latencies() {
    awk -v shares="$1" 'BEGIN {
        head = "{\"schema\":\"ert-net/1\",\"line\":"
        print head "\"run\",\"created\":\"2026-11-21T03:10:00Z\",\"job\":\"\",\"tool\":\"2\"," \
            "\"mpi\":\"M\",\"shares_cpus\":" shares "," \
            "\"seed\":1,\"hosts\":[\"m0\"]}"
        head = head "\"pair\",\"round\":0,\"test\":\"latency\",\"size_bytes\":8,\"unit\":\"s\"," \
            "\"state\":\"ok\",\"n\":3,"
        for (i = 0; i < 8; i++)
            for (j = i + 1; j < 8; j++)
                for (k = 0; k <= (i == 1 && j == 2 ? 3 : 0); k++) {
                    s = (i == 1 && j == 2 ? 44 : 20 + (i * 7 + j * 13) % 11 / 10) / 1e6
                    printf head "\"a\":\"m%d\",\"b\":\"m%d\",\"value\":%.8f,\"low\":%.8f," \
                        "\"high\":%.8f,\"repeat\":%d}\n", i, j, s, s, s, (k > 0)
                }
    }'
}
# named FILE: how many findings name the pair.
named() {
    merge "$1" 2>/dev/null | grep -c 'm1 - m2 is slow'
}
latencies false >net-own
latencies true >net-shared
check "a slow link is a finding" is "$(named net-own)" 1
check "but not of ranks that wait for CPUs" is "$(named net-shared)" 0

# ---- rates: 10,000 nodes, spread 0.5 %, noise 0.2 %, dips; the seed is given, so the numbers are ----

# rate LINE OPTIONS...: the number in the line.
rate() {
    rate_line=$1
    shift
    "$simulate" --rates 1 "$@" | sed -n "s/^ *$rate_line  *\([0-9.]*\).*/\1/p"
}
check "5 % slow in one ceiling is always found" is "$(rate 'called slow' --nodes 10000)" 100.00
check "with at most one sound node of 10,000" test \
    "$(rate 'sound nodes called slow' --nodes 10000 | cut -d. -f1)" -le 1
check "3 % in two ceilings in 95 % at least" test \
    "$(rate 'called slow' --nodes 10000 --bad-by 0.03 --bad-ceilings 2 | cut -d. -f1)" -ge 95
check "a skewed spread has a slow tail" test \
    "$(rate 'sound nodes in a slow tail' --nodes 2000 --spread skewed | cut -d. -f1)" -ge 50
check "whose nodes are not called slow" test \
    "$(rate 'sound nodes called slow' --nodes 2000 --spread skewed | cut -d. -f1)" -le 2
check "more bad ceilings than ceilings" says 2 'must be at most the 5 ceilings' \
    "$simulate" --ceilings 5 --bad-ceilings 6
done_testing
