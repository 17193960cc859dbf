#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert soak: of the planted GPU in virtual time, and of this machine's CPU with a bit of its data flipped.
. "$top_srcdir/tests/tap.sh"
ert=$(cd "$top_builddir" && pwd)/ert/ert
results=$(cd "$top_srcdir" && pwd)/results
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$ert" run --device fake1 --out f >log 2>&1 || { cat log && exit 1; }
ceilings=f/ceilings.json

# soak PLANT FILE OPTIONS...
soak() {
    plant=$1 out=$2
    shift 2
    ERT_FAKE=$plant "$ert" soak $ceilings --out "$out" "$@" 2>&1
}
# last FILE KEY: of its last line.
last() {
    tail -n 1 "$1" | sed "s/.*\"$2\":\"*\([^,\"}]*\).*/\1/"
}

quietly() {
    "$@" >/dev/null
}

check "a healthy GPU is clean" prints "fake1: clean: 2000" soak "" s.ndjson --time 2000s
check "a line a minute with the rates" test "$(grep -c '"of_recorded":{"fp64-fma":' s.ndjson)" -ge 30
check "of a million regions none is wrong" prints ", 0 wrong" soak "" m.ndjson --time 3000s --region 1ms
check "they were a million" test "$(last m.ndjson regions)" -ge 1000000
check "one wrong number is seen, named, and ends nothing" answers 1 "of the result is nan" \
    soak fault=nan,after=500 w.ndjson --time 700s
check "it is counted" test "$(last w.ndjson wrong),$(last w.ndjson verdict)" = "1,wrong results"
check "the line has the ceiling" prints '"ceiling":' grep '"line":"wrong"' w.ndjson
check "a clock that falls is seen" answers 1 "slower over time" \
    soak fault=clock,after=900 c.ndjson --time 2000s
check "a lost device ends it" gives 1 quietly soak fault=gone,after=500 g.ndjson --time 2000s
check "in a line" prints '"line":"failed"' cat g.ndjson
check "a memory error is seen" answers 1 "memory errors" soak fault=ecc,after=500 e.ndjson --time 700s
check "and counted from the beginning" \
    test "$(last e.ndjson ecc_corrected),$(last e.ndjson ecc_uncorrected)" = 0,1
false_alarms() {
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        soak "noise=0.03,seed=$seed" "n$seed.ndjson" --time 3000s | grep -v "clean\|had their turn" || :
    done
}
check "noise is no drift" empty false_alarms

# Sums go on where a signal, or a torn line, ended the file.
ERT_FAKE= timeout -s TERM 0.3 "$ert" soak $ceilings --time 10000000s --out r.ndjson >log 2>&1
check "a signal ends it" test "$(last r.ndjson verdict)" = interrupted
before=$(last r.ndjson regions) more=$(($(last r.ndjson busy_s | cut -d. -f1) + 2000))s
printf '{"schema":"ert-so' >>r.ndjson
check "it goes on" prints clean soak "" r.ndjson --time "$more"
check "with its sums" test "$(last r.ndjson regions)" -gt "$before"
check "on a line of its own" test "$(grep -c '^{"schema":"ert-soak/1","line":"begin"' r.ndjson)" = 2
check "on it goes, past what was torn" prints clean soak "" r.ndjson --time "1$more"
# Lines of OF, or TEXT, are refused.
of() {
    sed "s/$1/$2/" s.ndjson >of.ndjson && soak "" of.ndjson --time 3000s
}
check "another device's file is refused" answers 2 "of fake1, other GPU" of "planted GPU" "other GPU"
check "another one of the same kind" answers 2 "of fake0, planted" of '"fake1"' '"fake0"'
check "another host" answers 2 "(there), this is" of '"owner":"[^"]*"' '"owner":"there"'
check "other text" answers 2 "row 1: no line of" of "^{" "notes"
check "what is done is not done again" \
    answers 2 "0 wrong: a longer --time goes on" soak "" s.ndjson --time 2000s
soak "" next.ndjson --time 3s >log
check "few had their turn" grep -q "3 of [0-9]* ceilings had their turn" log
check "and how fast they are is said" prints "at 79." soak slower=0.2 slow.ndjson --time 100s
soak "" next.ndjson --time 6s >log
check "the next have it then" lacks '"of_recorded":{"fp64-fma"' tail -n 2 next.ndjson
sed 's/planted GPU/other GPU/' $ceilings >other.json
check "another machine's ceilings" answers 2 "the recorded device is 'other GPU'" \
    "$ert" soak other.json --device fake1 --out x.ndjson
check "the host is the launcher's node" \
    prints '"host":"node77"' sh -c 'SLURMD_NODENAME=node77 "$0" soak '"$ceilings"' --device fake1 --time 3s \
        --out host.ndjson >log && cat host.ndjson' "$ert"
if "$ert" --help | grep -q '^  fleet'; then
    host=$(last w.ndjson host)
    check "a fleet's report shows them" answers 1 "bad  soak         $host: fake1: wrong results" \
        "$ert" fleet merge s.ndjson w.ndjson
    check "also what is clean" answers 4 "note soak         $host: fake1: clean" "$ert" fleet merge s.ndjson
    check "and drains the node" answers 1 "scontrol update nodename=$host state=drain" \
        "$ert" fleet merge w.ndjson --expect "$host" --drain
    check "for what" answers 1 "'reason=ert: soak: fake1: wrong results after 7" \
        "$ert" fleet merge w.ndjson --expect "$host" --drain
    check "a host that is not expected is open, and not drained" \
        answers 1 "open soak         $host: fake1: wrong" "$ert" fleet merge w.ndjson --expect a,b --drain
    check "a device has one line, of the last run" \
        test "$("$ert" fleet merge r.ndjson | grep -c 'soak .*clean')" = 1
    head -n 2 s.ndjson >killed.ndjson
    sed '/"line":"wrong"/q' w.ndjson >died.ndjson
    check "one that died after a wrong result is bad" \
        answers 1 "bad  soak         $host: fake1: wrong results after" "$ert" fleet merge died.ndjson
    check "one that did not end is not among the bad" \
        test -z "$("$ert" fleet merge killed.ndjson --output hosts 2>/dev/null)"
    for file in e:"bad  soak.*memory errors" c:"open soak.*slower over time" g:"bad  soak.*failed" \
        killed:"open soak.*did not end"; do
        says() { "$ert" fleet merge "${file%%:*}.ndjson" | grep -q "${file#*:}"; }
        check "its verdict: ${file#*:}" says
    done
    mkdir folder && cp w.ndjson folder/other.ndjson
    check "but none for another's word" answers 4 "a soak of host '$host'" "$ert" fleet merge folder
fi
echo '{"schema": "other"}' >other.ndjson
check "another file is refused" answers 2 "row 1: no line of ert-soak/1" soak "" other.ndjson
check "no file" answers 2 "no ceilings file given" "$ert" soak
check "two devices" answers 2 "name one by --device" "$ert" soak "$results/h200-x4/ceilings.json"
check "a device that is not here" gives 3 quietly "$ert" soak "$results/h200/ceilings.json" --out x.ndjson
check "a full disk" answers 1 "No space left" soak "" /dev/full --time 100s

# The real CPU: the same kernels as on the machine of these results, where it has them.
if command -v python3 >/dev/null && grep -q avx512_bf16 /proc/cpuinfo && [ -e "$results/soak/flip.py" ]; then
    flips() {
        python3 "$results/soak/flip.py" "$ert" "$results/epyc-genoa-vm/ceilings.json" 3
    }
    check "flipped bits of the CPU's data are found" prints "found 3 of 3" flips
else
    skip "flipped bits of the CPU's data are found" "no python3, AVX-512 with BF16, or results/soak"
fi
done_testing
