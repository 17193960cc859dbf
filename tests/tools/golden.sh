#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# golden.sh BUILD OUT [all]: what the programs of a build folder print and draw for the inputs of this tree, a
# file each in OUT. tests/cli/test_golden.sh compares them with tests/data/golden, and `make golden` records
# those anew: the diff shows every word that changed. With "all" also what differs from machine to machine or
# with each option, to compare before and after by `diff -r`. Dates and folders are replaced.
set -u
[ $# -ge 2 ] || { echo "usage: golden.sh BUILD OUT [all]" >&2; exit 2; }
every=${3:-}
tree=$(cd "$(dirname "$0")/../.." && pwd) build=$(cd "$1" && pwd)
mkdir -p "$2" && out=$(cd "$2" && pwd) || exit 1
ert=$build/ert/ert roofline=$build/analysis/roofline gpp=$build/gpp/ert-gpp
study=$tree/tests/tools/study.sh top_builddir=$build
export top_builddir
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$tree" || exit 1
export LC_ALL=C COLUMNS=100 NO_COLOR=1 TZ=UTC

# record NAME COMMAND...: both streams and the exit code.
record() {
    file=$out/$1
    shift
    { "$@" 2>&1; echo "exit code $?"; } |
        sed -e "s#$work#WORK#g; s#$tree#TREE#g; s#$build#BUILD#g" \
            -e 's/20[0-9][0-9]-[0-9-]*T[0-9:.]*Z*/DATE/g; s/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]/DATE/g' \
            -e '/ left$/d; /"elapsed_s":/d' \
            -e 's/measured in .*/measured in TIME/; s/[0-9a-f]\{40\}/COMMIT/g' \
            -e 's/"git": ".*"/"git": COMMIT/' >"$file"
}

# ours FILE...: those that are no links, as `ert run` puts into results/HOSTNAME of a user.
ours() {
    for file; do
        [ -h "$file" ] || echo "$file"
    done
}

# helps NAME COMMAND...: the help of a program or command, and of the commands that it lists.
helps() {
    name=$1
    shift
    record "help-$name" "$@" --help
    for command in $("$@" --help | sed -n '/^Exit codes/q; s/^  \([a-z][a-z0-9-]*\)  *[a-z].*/\1/p'); do
        record "help-$name-$command" "$@" "$command" --help
    done
}
everything() {
    helps ert "$ert"
    helps ert-fleet "$ert" fleet
    helps roofline "$roofline"
    helps gpp "$gpp"
    record list "$ert" list
    for topology in tests/data/topologies/*.xml; do
        record "info-$(basename "$topology" .xml)" env "HWLOC_XMLFILE=$topology" "$ert" info --device cpu
    done

    for words in quiet:noise=0 noisy:noise=0.01,outliers=0.1 many:cpus=64,noise=0.002 slow:slower=0.05; do
        folder=$work/${words%%:*}
        ERT_FAKE=${words#*:} record "run-${words%%:*}" "$ert" run --device fake --out "$folder"
        record "show-${words%%:*}" "$ert" show "$folder/ceilings.json"
        ERT_FAKE=${words#*:} record "verify-${words%%:*}" "$ert" verify "$folder/ceilings.json"
        record "json-${words%%:*}" cat "$folder/ceilings.json"
    done
    record gpp-list "$gpp" list
}
[ -z "$every" ] || everything

for samples in $(ours results/*/samples.json); do
    machine=$(basename "$(dirname "$samples")")
    record "fit-$machine" "$ert" fit "$samples" --out "$work/fit-$machine.json"
    [ -z "$every" ] || record "fit-json-$machine" cat "$work/fit-$machine.json"
done

for ceilings in $(ours results/*/*ceilings.json); do
    name=$(echo "${ceilings%.json}" | tr / - | sed 's/^results-//')
    record "show-$name" "$ert" show "$ceilings"
    record "plot-svg-$name" "$roofline" plot "$ceilings" --out "$work/$name.svg"
    for svg in "$work/$name"*.svg; do
        [ -e "$svg" ] && record "svg-$(basename "$svg")" cat "$svg"
    done
    record "export-csv-$name" "$study" export csv --force "$ceilings"
done
record compare "$roofline" compare results/h200/ceilings.json results/h200-x4/ceilings.json

formats=$(sed -n 's/^RFL_IMPORTER(\(.*\))/\1/p' analysis/ext/import/formats.def | tr _ -)
for profile in $(printf 'tests/data/%s/* ' $formats) tests/data/points/*.json \
    results/published/*.json; do
    case $profile in */README.md | *ceilings.json) continue ;; esac
    name=$(echo "$profile" | tr / - | sed 's/^tests-data-//; s/^results-//')
    record "import-$name" "$roofline" import auto "$profile" --output json
    for machine in h200 xeon-spr-vm; do
        record "place-$machine-$name" "$roofline" place --force "results/$machine/ceilings.json" "$profile"
    done
done
# Made by hand, each for one thing that a reader must get right, or refuse. cases FOLDER COMMAND...
cases() {
    folder=tests/data/cases/$1
    shift
    for file in "$folder"/*; do
        echo "== ${file##*/}"
        "$@" "$file"
    done
}
h200=results/h200/ceilings.json
for folder in tests/data/cases/*; do
    case ${folder##*/} in
    compare | config | points | scaling) ;;
    *) record "cases-${folder##*/}" cases "${folder##*/}" \
        "$roofline" import "${folder##*/}" --output json ;;
    esac
done
record cases-config cases config "$ert" run --device fake --dry-run --config
record cases-points cases points "$roofline" place "$h200"
if python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    record cases-scaling cases scaling "$study" scaling
    record cases-scaling-weak cases scaling "$study" scaling --weak --csv
    record portability-fastest "$study" portability --fastest H200=$h200:results/h200/gpp/points.json
else # as they are recorded
    cp tests/data/golden/cases-scaling* tests/data/golden/portability-fastest "$out"
fi
for a in tests/data/cases/compare/*-a.json; do
    record "cases-compare-$(basename "$a" -a.json)" "$roofline" compare --all "$a" "${a%-a.json}-b.json"
done
record cases-compare-steps "$roofline" compare --all --steps tests/data/cases/compare/steps.json
launches=tests/data/ncu/h200-long.csv
for output in text json; do
    record "place-hand-$output" "$roofline" place $h200 --flops 1e12 --bytes HBM=1e10,L2=5e10 \
        --seconds 0.1 --output $output
done
for output in csv markdown; do
    record "place-$output" "$roofline" place $h200 $launches --output $output
done
for view in cache-aware time instructions energy; do
    record "place-view-$view" "$roofline" place $h200 $launches --view "$view"
done
record plot-points "$roofline" plot $h200 $launches --out "$work/points.svg"
record plot-points-svg cat "$work/points.svg"
record plot-page "$roofline" plot $h200 $launches --out "$work/page.html"
[ -z "$every" ] || record plot-page-html cat "$work/page.html"
versions=results/h200/gpp/points.json
record compare-steps "$roofline" compare --steps $versions
for output in text csv markdown; do
    record "place-summary-$output" "$roofline" place $h200 $versions --view summary --output $output
done
echo "$(ls "$out" | wc -l) records in $out; of these an error is:"
grep -l '^exit code [1-9]' "$out"/* | grep -v '/cases-' || echo none
