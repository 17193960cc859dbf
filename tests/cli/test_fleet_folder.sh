#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The shared folder of a fleet: nodes write into it whatever happens to them, the merge reads it, and what a
# hostile node leaves there harms no other node.
. "$top_srcdir/tests/cli/fleet_fixture.sh"
unset SLURMD_NODENAME SLURM_JOB_ID PBS_JOBID LSB_JOBID FLUX_JOB_ID

node() { # HOST OPTIONS...
    node_host=$1
    shift
    "$ert" fleet node --device fake --host "$node_host" --into run "$@"
}

# ---- nodes ----

check "a node writes its record" gives 0 node n1
check "into its own file" is "$(ls run)" n1.ndjson
check "and not to stdout" is "$(node n2 2>/dev/null)" ''
check "measured again it has a further line" gives 0 node n1
check "of another second" is "$(grep -o '"created":"[^"]*"' run/n1.ndjson | sort -u | wc -l | tr -d ' ')" 2
for host in n3 n4; do node $host >/dev/null 2>&1; done
check "the merge reads the folder" says 0 '^4 nodes, 5 records' merge run
check "a node that is missing is named" says 1 '^bad  missing  *n5: ' merge run --expect n1,n2,n3,n4,n5
check "with what to do" says 1 \
    "^srun --ntasks-per-node=1 --cpu-bind=none .* --nodelist=n5 ert fleet node --into 'run'$" \
    merge run --expect n1,n2,n3,n4,n5
check "it is not among the bad" is "$(merge run --expect n1,n2,n3,n4,n5 --output hosts 2>/dev/null)" ''
check "a list of others is asked about" says 1 '^open unexpected .*no other has any: is --expect right' \
    merge run --expect m1,m2
check "run, it is there" gives 0 node n5
check "and nothing is found" says 0 '^nothing found' merge run --expect n1,n2,n3,n4,n5
mkfifo never
killed() {
    "$ert" fleet node --host n6 --into run --verify never >/dev/null 2>&1 &
    for _ in $(seq 100); do
        [ -s run/n6.ndjson ] && break
        sleep 0.1
    done
    kill -KILL $!
    wait $! 2>/dev/null
    says 1 '^bad  late  *n6: its last measurement was cut short: it began, and neither ended' merge run
}
check "a node that is killed is late" killed
check "and is measured again" says 0 'nothing found\|^note' sh -c \
    '"$0" fleet node --device fake --host n6 --into run >/dev/null 2>&1; "$0" fleet merge run' "$ert"
printf '{"schema":"ert-node/1","host":"n2' >>run/n2.ndjson
check "a line that was cut runs into no other" gives 0 node n2
check "and the others count" says 4 '^6 nodes' merge run
check "a folder that cannot be made" says 1 'cannot make the folder' node n1 --into /dev/null/x
check "nor does a name become a path" says 2 "must be a host's name" node ../n1
rm -rf run

# ---- hostile nodes ----

# 24 sound nodes n00 to n23, measured three times: each a file. Their simulated date is of the past.
mkdir run
for sample in 0 1 2; do
    fleet --nodes 24 --sample $sample
done >all
for n in $(seq 0 23); do
    host=$(printf n%02d "$n")
    grep "\"host\":\"$host\"" all >"run/$host.ndjson"
done
hosts=$(ls run | sed 's/\..*//' | tr '\n' ',' | sed 's/,$//')
check "sound nodes have no findings" says 0 '^nothing found' merge run --expect "$hosts"

# hostile: a merge with drains, which ends in its time; what it says is in $work/said.
hostile() {
    timeout 60 "$ert" fleet merge run --expect "$hosts" --drain --out report >said 2>&1
    hostile_status=$?
    [ $hostile_status -ne 124 ] || echo "the merge took longer than a minute"
    [ $hostile_status -le 4 ] && ! grep -q Sanitizer said
}
# finds PATTERN: a line of the report matches.
finds() {
    grep -q -e "$1" said && return
    cat said
    return 1
}
# harms HOST...: which nodes are named in bad or open findings, beside these; and none of others is drained.
harmless() {
    named=$(sed -n 's/^\(bad\|open\) .* \(n[0-9][0-9]\): .*/\2/p' report/fleet.txt | sort -u)
    drained=$(sed -n 's/^scontrol update nodename=\([^ ]*\) .*/\1/p' said)
    for host in $named $drained; do
        case " $* " in
        *" $host "*) ;;
        *)
            echo "$host is named or drained:"
            cat said
            return 1
            ;;
        esac
    done
    # whoever was sound has the values that it had
    sound=$(for n in $(seq -w 0 19); do columns "n$n" report/fleet.json; done | grep -c '^6$')
    [ "$sound" -ge 16 ] || { echo "$sound sound nodes" && return 1; }
}
# as HOST NAME: its records, of another host, and slow or broken.
as() {
    sed "s/\"host\":\"$1\"/\"host\":\"$2\"/" | slow 0.5
}

# A node of the name ALL, and of a NodeSet.
for name in ALL all n localhost; do
    as n23 "$name" <run/n23.ndjson >"run/$name.ndjson"
done
check "nodes named ALL: the merge ends" hostile
check "they are told" finds 'unexpected  *4 hosts with records that do not count.*ALL,all'
check "and nobody is named or drained" harmless
hosts_before=$hosts
hosts=$hosts,ALL,all,localhost
check "also if they are expected" hostile
check "they are told" finds '^bad  slow  *ALL: '
check "but words that Slurm takes for other nodes are not drained" gives 1 grep -q '^scontrol' said
hosts=$hosts_before
rm -f run/ALL.ndjson run/all.ndjson run/n.ndjson run/localhost.ndjson

# A node that says of others that they are slow and broken, and of itself that it is another.
cp run/n20.ndjson n20
misnamed() {
    as n20 n01 <n20
    sed 's/"host":"n20"/"host":"n02"/; s/"status":"ok"/"status":"failed"/' n20
}
misnamed >run/n20.ndjson
check "a node that misnames itself: the merge ends" hostile
check "it is told" finds 'foreign  *.*n20.ndjson:1: a record of host n01, which is not used'
check "it has no record itself" finds '^bad  missing  *n20: '
check "whom it names is not" harmless n20
cp n20 run/n20.ndjson
cp n20 run/n99.ndjson
check "a file of a host that is not of the job" hostile
check "is told" finds 'unexpected  *1 host .*: n99'
check "and not read" harmless
rm run/n99.ndjson
# net lines of a node are not ert-net's
printf '{"schema":"ert-net/1","line":"pair","a":"n01","b":"n02","round":1,"test":"one-way",%s\n' \
    '"size_bytes":8,"value":1,"low":1,"high":1,'\
'"unit":"byte/s","n":5,"repeat":0,"state":"timeout","reason":"x"}' >net
cat n20 net >run/n20.ndjson
check "links that a node tells: the merge ends" hostile
check "are told" finds "open bad line  *.*n20.ndjson:4: schema 'ert-net/1', must be ert-node/1"
check "and not judged" harmless
cat n20 net >run/job.net
cp n20 run/n20.ndjson
check "nodes that ert-net tells: the merge ends" hostile
check "are told, too" finds "open bad line  *.*job.net:1: schema 'ert-node/1', must be ert-net/1"
rm run/job.net
cp n20 "run/n 20.ndjson"
check "a file whose name is no host's: the merge ends" hostile
check "is told" finds "open bad line  *run/n 20.ndjson: not read: 'n 20' is not a host's name"
check "and nobody is named" harmless
rm "run/n 20.ndjson"

# A node that floods: many lines, many records, many ceilings, a long line, a huge file, none that is a file.
flooded() { # NAME PATTERN: what is in run/n21.ndjson
    check "$1: the merge ends" hostile
    check "$1: it is told" finds "$2"
    check "$1: no other node is" harmless n21
    rm -f run/n21.ndjson
}
cp run/n21.ndjson n21
line=$(head -n 1 n21)
echo "$line" | awk '{
    for (i = 0; i < 1500; i++) {
        line = $0
        date = sprintf("2026-01-%02dT%02d:%02d:00Z", i / 1440 + 2, i / 60 % 24, i % 60)
        sub(/2026-01-01T00:00:00Z/, date, line)
        print line
    } }' >run/n21.ndjson
flooded "1,500 records" 'open bad line  *n21: more than 1000 records; the others are not used'
awk 'BEGIN { for (i = 0; i < 100000; i++) print "{}" }' >run/n21.ndjson
flooded "100,000 lines that are none" 'bad line  *.*n21.ndjson: 10 bad lines; the others are not read'
yes "$line" | head -n 3000 >run/n21.ndjson
flooded "3,000 times the same" 'bad line  *.*n21.ndjson: more than 2000 lines'
echo "$line" | awk '{
    text = "\"ceilings\":["
    for (i = 0; i < 5000; i++)
        text = text (i ? "," : "") "{\"device\":\"cpu\",\"name\":\"c" i "\",\"unit\":\"byte/s\"," \
            "\"value\":1,\"verdict\":\"\"}"
    sub(/"ceilings":\[.*\],"warnings"/, text "],\"warnings\"")
    print }' >run/n21.ndjson
flooded "5,000 ceilings" 'n21.ndjson:1: ceilings: 5000 elements, at most 4096'
head -c 2000000 /dev/zero | tr '\0' '[' >run/n21.ndjson
flooded "one long line" 'n21.ndjson:1: a line of 2000000 bytes, at most 1048576'
head -c 20000000 /dev/zero | tr '\0' '0' >run/n21.ndjson
flooded "20 MB" 'n21.ndjson: 20000000 bytes, at most 16777216'
mkfifo run/n21.ndjson
flooded "a pipe that nobody writes" 'n21.ndjson: must be a regular file'
ln -s /dev/zero run/n21.ndjson
flooded "a link to a device" 'n21.ndjson: cannot read: '
mkdir run/n21.ndjson
check "a folder: the merge ends" hostile
check "a folder: it is told" finds 'n21.ndjson: must be a regular file'
check "a folder: no other node is" harmless n21
rmdir run/n21.ndjson
# Ceilings that no other node has, and in each line others: the report does not grow with nodes x ceilings.
awk 'BEGIN {
    for (r = 0; r < 20; r++) {
        printf "{\"schema\":\"ert-node/1\",\"tool\":\"x\",\"host\":\"n21\","
        printf "\"created\":\"2026-01-02T00:00:%02dZ\",\"job\":\"1\",\"kind\":\"measure\",", r
        printf "\"status\":\"ok\",\"fingerprint\":{\"gpus\":[]},\"ceilings\":["
        for (i = 0; i < 4000; i++)
            printf "%s{\"device\":\"cpu\",\"name\":\"c%d-%d\",\"unit\":\"byte/s\",\"value\":1,%s",
                i ? "," : "", r, i, "\"verdict\":\"\"}"
        print "],\"warnings\":[]}"
    } }' >run/n21.ndjson
check "80,000 ceilings of its own: the merge ends" hostile
check "80,000 ceilings of its own: they count" is "$(columns n21 report/fleet.json)" 80000
check "80,000 ceilings of its own: no other node is named" harmless n21
check "80,000 ceilings of its own: fleet.json is in proportion" \
    test "$(wc -c <report/fleet.json)" -lt 30000000
cp n21 run/n21.ndjson

# A node that lies about time, which nothing depends on, and about numbers.
cp run/n22.ndjson n22
sed '1s/2026-01-01/9999-12-31/; 2s/2026-01-01/1970-01-01/' n22 >run/n22.ndjson
check "dates of the far past and future: the merge ends" hostile
check "dates of the far past and future: are not believed" \
    is "$(grep -o '"created":"[^"]*"' report/fleet.json | head -n 1)" '"created":"2026-01-01T00:02:00Z"'
check "nor do they name anybody" harmless n22
for change in 's/"elapsed_s":[0-9.e+]*/"elapsed_s":1e300/' 's/"value":[0-9.]*/"value":1e300/' \
    's/"error":[0-9.]*/"error":1e999/' 's/"value":[0-9.e+]*/"value":1e-200/' \
    's/"value":[0-9.e+]*/"value":5e12/' 's/"clock_hz":[0-9.]*/"clock_hz":1e300/'; do
    sed "$change" n22 >run/n22.ndjson
    check "$change: the merge ends" hostile
    check "$change: is told" finds 'bad line  *.*n22.ndjson:1:\|inconsistent  *n22: '
    check "$change: nobody else is named" harmless n22
done
sed 's/ceiling-2/ceiling-1/' n22 >run/n22.ndjson
check "a ceiling twice in a record: the merge ends" hostile
check "a ceiling twice in a record: is told" finds 'inconsistent  *n22: a record has cpu ceiling-1 twice'
check "a ceiling twice in a record: nobody else is named" harmless n22
cp n22 run/n22.ndjson

# All at once.
as n23 ALL <run/n23.ndjson >run/ALL.ndjson
misnamed >run/n20.ndjson
yes "$line" | head -c 16000000 >run/n21.ndjson
sed 's/2026-01-01/9999-12-31/; s/"elapsed_s":[0-9.e+]*/"elapsed_s":1e300/' n22 >run/n22.ndjson
check "all at once: the merge ends" hostile
check "all at once: nothing is drained" gives 1 grep -q '^scontrol update' said
check "all at once: and no sound node is named" harmless n20 n21 n22
check "all at once: each is told" finds 'ALL' && check "all at once: each is told: n20" finds 'n20' &&
    check "all at once: each is told: n21" finds 'n21' && check "all at once: each is told: n22" finds 'n22'

# A GPU that fell off the bus before the first record.
for host in n1 n2 n3 n4; do
    ERT_FAKE=gpus=$((2 - (${host#n} > 3))) "$ert" fleet node --device fake --host $host \
        --into gpus 2>/dev/null
done
check "fewer GPUs than nodes of the same CPUs have" says 4 \
    '^note drift  *1 GPU on 1 node, 2 on 3 with the same CPUs: n4$' merge gpus
ERT_FAKE=gpus=2 "$ert" fleet node --device fake --host n4 --into gpus 2>/dev/null
check "of a node that has them again it is not said" lacks 'drift' "$ert" fleet merge gpus
# CPUs and GPUs whose words are those of other CPUs with fewer GPUs: 600 groups, 1200 texts
alike() {
    for isa in '' ', 1 x planted GPU'; do
        head -n 1 gpus/n1.ndjson | sed "s/, *\"ceilings\":.*/,\"ceilings\":[],\"warnings\":[]}/" |
            awk -v isa="$isa" '{ for (i = 0; i < 600; i++) {
                line = $0; sub(/"isa":""/, "\"isa\":\"a" isa "\"", line)
                sub(/"cores":4/, "\"cores\":" i + 1, line)
                sub(/"host":"n1"/, "\"host\":\"h" i length(isa) "\"", line)
                if (isa != "") sub(/"gpus":\[[^]]*\]/, "\"gpus\":[]", line)
                else sub(/},{"device":"fake2"[^}]*/, "", line)
                print line } }'
    done >alike.ndjson
    "$ert" fleet merge alike.ndjson
}
check "hardware in other words" answers 4 '1200 nodes, 1200 records' alike

# What killed nodes left half written goes after an hour.
: >run/n01.ndjson.tmp-17-0
touch -d '2 hours ago' run/n02.ndjson.tmp-18-0
touch -d '2 hours ago' run/notes.tmp-18-0
hostile
check "a file of somebody else stays" test -e run/notes.tmp-18-0
check "a file that is being written stays" test -e run/n01.ndjson.tmp-17-0
check "one that was left goes" test ! -e run/n02.ndjson.tmp-18-0
done_testing
