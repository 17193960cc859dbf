#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# ert run, fit and show on the planted machine: files, exit codes, bad input. What goes wrong: test_faults.sh.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert
work=$(mktemp -d "${TMPDIR:-/tmp}/ert-run-XXXXXX")
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT

fake() {
    "$ert" run --device fake0 "$@"
}

quiet() {
    "$@" >"$work/out" 2>&1
}

with() {
    plant=$1
    shift
    ERT_FAKE=$plant "$@"
}

writes_three_files() {
    quiet fake --out "$work/a" || return 1
    for file in samples.json ceilings.json roofline.svg; do
        [ -s "$work/a/$file" ] || { echo "no $file"; return 1; }
    done
}

# The last lines, whole, in their order; nothing behind them.
ends_with_answer() {
    sed 's/^ *//' "$work/out" | awk '{ print $1 }' | tail -n 14 | tr '\n' ' ' >"$work/words"
    grep -q "fake0: peak bandwidth [A-Z].* ridge of verdict to files .*next" "$work/words" ||
        { cat "$work/words" "$work/out"; return 1; }
    for words in "FP64 [12][90].* GFLOP/s, FP32 [34][90]" "verdict  *valid" "L1 [78].* GB/s" \
        "ridge  *FP64: L1 0.2"; do
        grep -q "$words" "$work/out" || { echo "no '$words'"; cat "$work/out"; return 1; }
    done
}

# The answer without its line breaks.
joined() {
    sed -e ':a' -e 'N' -e '$!ba' -e 's/\n            / /g' "$work/out"
}

# Each run has its own folder; a run that is not valid does not become the latest one where a valid one is.
invalid_stays_beside() {
    rm -rf "$work/t"
    quiet fake --out "$work/t" || return 1
    before=$(readlink "$work/t/latest")
    gives 4 quiet with fault=clock,after=300 fake --out "$work/t" || return 1
    grep -q "NOT VALID" "$work/out" && joined | grep -q "/latest: an earlier, valid run" &&
        [ "$(readlink "$work/t/latest")" = "$before" ] || { cat "$work/out"; return 1; }
    [ "$(ls "$work"/t/2*/ceilings.json | wc -l)" -eq 2 ] || { ls "$work/t"; return 1; }
    # A valid one takes the place of what is valid, and any of what is not.
    gives 0 quiet fake --out "$work/t" && [ "$(readlink "$work/t/latest")" != "$before" ] || return 1
    rm -rf "$work/u"
    gives 4 quiet with fault=clock,after=300 fake --out "$work/u" && [ -e "$work/u/ceilings.json" ] &&
        gives 0 quiet fake --out "$work/u" && "$ert" show "$work/u/ceilings.json" >/dev/null
}

# Earlier ones stay in their folders; a plain file of the same name is not replaced.
keeps_old_results() {
    first=$work/a/$(readlink "$work/a/latest")
    before=$(cksum <"$first/samples.json")
    quiet fake --out "$work/a" && [ "$(cksum <"$first/samples.json")" = "$before" ] &&
        [ "$(readlink -f "$work/a/samples.json")" != "$(readlink -f "$first/samples.json")" ] &&
        [ "$(ls "$work/a" | wc -l)" -eq 6 ] || { ls -l "$work/a"; return 1; }
    mkdir "$work/plain" && cp "$first"/* "$work/plain" || return 1
    gives 1 fake --out "$work/plain" >/dev/null 2>"$work/err"
    grep -q 'plain/latest\|plain/[a-z.]*: is a file, and no link of ert' "$work/err" &&
        [ "$(cksum <"$work/plain/samples.json")" = "$before" ]
}

same_fit() {
    "$ert" fit "$work/a/samples.json" --out "$work/again.json" >/dev/null &&
        "$ert" show "$work/a/ceilings.json" >"$work/1" &&
        "$ert" show "$work/again.json" >"$work/2" && cmp "$work/1" "$work/2"
}

untouched() {
    before=$(ls "$work/a" | wc -l)
    gives 2 quiet with fault=rain fake --out "$work/a" && [ "$(ls "$work/a" | wc -l)" -eq "$before" ]
}

levelless() {
    tr -d '\n\t' <"$work/a/samples.json" |
        sed 's/"levels": *\[[^]]*\]/"levels": []/' >"$work/levelless.json"
    gives 0 quiet "$ert" fit "$work/levelless.json" && grep -q fp64-fma "$work/out"
}

no_temporary_left() {
    [ -z "$(find "$work" -name '*.tmp*' -o -name '*.json.?*')" ]
}

bad_config() {
    printf '%s' "$1" >"$work/bad.json"
    answers 2 "bad.json" fake --config "$work/bad.json" --out "$work/bad" && [ ! -e "$work/bad" ]
}

# shows_stated FOLDER: a run whose DRAM has a theory of 307.2 GB/s says so wherever theory is said.
shows_stated() {
    joined | grep -q '^  of theory DRAM 13 % of the stated 307\.2 GB/s' ||
        { cat "$work/out"; return 1; }
    "$ert" show --peaks "$1/ceilings.json" >"$work/show" && n=$(grep -c '^  DRAM-.* GB/s' "$work/show") &&
        [ "$(grep -c '^  DRAM-.*[0-9] % of 307\.2 GB/s' "$work/show")" -eq "$n" ] &&
        grep -q "^  DRAM .* 307\.2 GB/s   as stated: .*\[1\]$" "$work/show" &&
        grep -q "^  \[1\] stated by the user ($2)$" "$work/show" ||
        { cat "$work/show"; return 1; }
    [ "$(grep -c '"theory":{"value":307200000000' "$1/ceilings.json")" -eq "$n" ] &&
        grep -q "\"dram_stated\": *\"$2\"" "$1/ceilings.json"
}

stated_by_option() {
    quiet fake --dram-bandwidth 8xDDR5-4800 --out "$work/dram" &&
        shows_stated "$work/dram" 8xDDR5-4800 &&
        "$ert" fit "$work/dram/samples.json" --out "$work/again.json" >"$work/1" &&
        "$ert" show "$work/again.json" | grep -q '^  DRAM-load .* 13\.[0-9] % of 307\.2 GB/s'
}

stated_by_key() {
    printf '{"schema": "ert-config/2", "dram_bandwidth": "307.2GB/s"}' >"$work/dram.json"
    quiet fake --config "$work/dram.json" --out "$work/key" && shows_stated "$work/key" 307.2GB/s
}

option_beats_key() {
    quiet fake --config "$work/dram.json" --dram-bandwidth 80GB/s --out "$work/beats" &&
        joined | grep -q 'DRAM 50 % of the stated 80\.00 GB/s'
}

# bad_statement WORDS COMMAND...: exit code 2, and one line that holds the words.
bad_statement() {
    words=$1
    shift
    gives 2 "$@" >"$work/out" 2>&1 && [ "$(wc -l <"$work/out")" -eq 1 ] && grep -qF -e "$words" "$work/out"
}

# The cores of this machine, as little of them as gives a ceiling. Exit code 4 is no failure of ours.
real_run() {
    cat >"$work/small.json" <<'JSON'
{"schema": "ert-config/2", "device": "cpu", "kernels": ["load", "triad", "fma_fp64"],
 "working_set_max_bytes": 33554432, "region_s": 0.0001,
 "rounds": 1, "leader_rounds": 1, "points_per_octave": 1}
JSON
    status=0
    quiet "$ert" run --config "$work/small.json" --out "$work/real" || status=$?
    [ $status -eq 0 ] || [ $status -eq 4 ] || { cat "$work/out"; return 1; }
    grep -q "FP64 [0-9]" "$work/out" && [ -s "$work/real/roofline.svg" ]
}

check "a run writes samples, ceilings and the chart" writes_three_files
check "a run ends with its answer" ends_with_answer
check "--verbose prints every ceiling" prints "L1-load" fake --verbose --out "$work/verbose"
check "earlier results stay" keeps_old_results
check "a run that is not valid stays beside a valid one" invalid_stays_beside
check "fit gives the same ceilings from the samples" same_fit
check "dry-run measures nothing" gives 0 quiet fake --dry-run --out "$work/dry"
check "dry-run says the time" prints "points, about" fake --dry-run
check "dry-run leaves no folder" test ! -e "$work/dry"
# points OPTIONS...: how many points a plan has.
points() {
    fake --dry-run "$@" | sed -n 's/.*[^0-9]\([0-9][0-9]*\) points, about.*/\1/p'
}
check "quick is a coarser plan" test "$(points --quick)" -lt "$(points)"
# Shares of time never fall, no time is unknown, and the end says how long it took.
progress_is_true() {
    quiet fake --out "$work/progress" && ! grep -e "--:--" "$work/out" &&
        grep -q "^fake0: measured in" "$work/out" &&
        sed -n 's/^fake0: \([0-9]*\) %.*/\1/p' "$work/out" | sort -nc &&
        grep -q "^fake0: [0-9]* %, about [0-9]*:[0-9][0-9] left$" "$work/out"
}
check "progress tells the truth" progress_is_true
check "DRAM's theory as the user states it" stated_by_option
check "DRAM's theory by a preset's key" stated_by_key
check "DRAM's theory: the option beats the key" option_beats_key
check "a wrong theory of DRAM is one error" bad_statement "--dram-bandwidth: '8xDDR5': must be" \
    fake --dram-bandwidth 8xDDR5 --out "$work/bad"
check "a wrong theory of DRAM in a preset is named" bad_config \
    '{"schema": "ert-config/2", "dram_bandwidth": "307.2"}'

check "this machine's cores are measured" real_run

check "a bad plant is a usage error" gives 2 quiet with fault=rain fake --out "$work/rain"

check "an unknown device is not available" gives 3 quiet "$ert" run --device tpu --out "$work/x"
check "an unknown device lists the known" answers 3 "there are:" "$ert" run --device tpu --out "$work/x"
check "a missing config is a usage error" gives 2 quiet fake --config "$work/none.json"
check "a broken config is named" bad_config '{"schema": "ert-config/2",'
check "an unknown key is named" bad_config '{"schema": "ert-config/2", "size": 3}'
check "a wrong type is named" bad_config '{"schema": "ert-config/2", "rounds": "3"}'
check "a negative size is named" bad_config '{"schema": "ert-config/2", "working_set_max_bytes": -1}'
check "an absurd size is named" bad_config '{"schema": "ert-config/2", "memory_max_bytes": 1e30}'
check "an unknown kernel is named" bad_config '{"schema": "ert-config/2", "kernels": ["sort"]}'
check "more threads than CPUs are a usage error" gives 2 quiet "$ert" run --device cpu --threads 65000
check "an empty folder name is a usage error" gives 2 quiet fake --out=
check "a run that measures nothing leaves old results alone" untouched
check "a device without levels is fitted, not crashed" levelless
check "an unknown instruction set is a usage error" gives 2 quiet "$ert" run --device cpu --isa mmx
check "an unknown instruction set lists the known" answers 2 "no instruction set 'mmx'; there are:" \
    "$ert" run --device cpu --isa mmx --dry-run
named_twice() {
    "$ert" run --device cpu --isa mmx --dry-run 2>&1 | sed 's/.*there are: //' | tr -d ' ' | tr ',' '\n' |
        sort | uniq -d
}
check "each of them once" empty named_twice
check "no thread is a usage error" gives 2 quiet fake --threads 0
check "a missing samples file is a usage error" gives 2 quiet "$ert" fit "$work/none.json"
check "a ceilings file is no samples file" gives 2 quiet "$ert" fit "$work/a/ceilings.json"
check "a samples file is no ceilings file" gives 2 quiet "$ert" show "$work/a/samples.json"
head -c 3000 "$work/a/samples.json" >"$work/cut.json"
workless() {
    sed 's/"bytes_per_pass": *[0-9.e+]*/"bytes_per_pass": 0/' "$work/a/samples.json" \
        >"$work/workless.json"
    gives 2 quiet "$ert" fit "$work/workless.json" && grep -q "work.bytes_per_pass: 0" "$work/out"
}
check "points without work are a usage error" workless
check "half a samples file is a usage error" gives 2 quiet "$ert" fit "$work/cut.json"
check "a folder that cannot be made fails" gives 1 quiet fake --out /proc/none/x
check "a file in the folder's place fails" gives 1 quiet fake --out "$work/cut.json"
if [ "$(id -u)" -eq 0 ]; then
    skip "a read-only folder fails" "root writes everywhere"
else
    mkdir -p "$work/ro" && chmod a-w "$work/ro"
    check "a read-only folder fails" gives 1 quiet fake --out "$work/ro"
fi
# A fresh build folder, as configure leaves it: no object, no generated header, and no dependency known
# but those that are written down. The one object that takes the header is made there.
header_first() {
    mkdir -p "$work/fresh/ert/core/base" &&
        cp -p "$top_builddir/config.status" "$work/fresh" &&
        cp -p "$top_builddir/ert/core/base/config.h" "$work/fresh/ert/core/base" &&
        sed '/am--include-marker/d' "$top_builddir/Makefile" >"$work/fresh/Makefile" || return 1
    (unset MAKEFLAGS MFLAGS && make -C "$work/fresh" "srcdir=$top_srcdir" "top_srcdir=$top_srcdir" \
        "VPATH=$top_srcdir" ert/core/machine/provenance.o) &&
        [ -s "$work/fresh/ert/core/machine/provenance.o" ]
}
check "make ert/ert makes the header of this build first" header_first
check "no temporary file is left" no_temporary_left
done_testing
