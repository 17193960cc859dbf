#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The program roofline as its users type it: words, files, exit codes.
command=
. "$top_srcdir/tests/cli/roofline_fixture.sh"

full_output() {
    "$roofline" place h200.json --flops 1e9 --seconds 1 >/dev/full
}

for name in h200 both nasty none; do
    "$plant" $name $name.json || exit 1
done
printf '{"schema": "ert-ceilings/5"}' >newer.json
printf '{"schema": ' >broken.json
mkdir folder.json

check "help" shows '  plot ' --help
check "version" shows 'roofline 2.' --version
check "no command" refuses 2 'usage:'
check "unknown command" refuses 2 "no command 'polt'; there are: plot, place" polt
check "help of a command" shows '--title TEXT' plot --help

check "unknown device" refuses 2 'there are: gpu0, cpu' plot both.json --device gpu1 --out a.svg
check "no file" refuses 2 'no ceilings file given' place
check "unknown option" refuses 2 '--colour' plot --colour h200.json
check "missing file" refuses 2 missing.json plot missing.json --out a.svg
check "a folder" refuses 2 folder.json plot folder.json --out a.svg
check "malformed file" refuses 2 broken.json plot broken.json --out a.svg
check "newer file" refuses 2 "schema 'ert-ceilings/5' is newer" plot newer.json --out a.svg

check "nothing to draw, no file" refuses 3 'no ceiling in the file' plot none.json --out none.svg
check "no file was made" test ! -e none.svg
check "plot to a file" shows 'gpu0: a.svg' plot h200.json --out a.svg
check "the file is whole" prints '</svg>' tail -n 1 a.svg
check "a file per device" shows 'cpu: b-cpu.svg' plot both.json --out b.svg
check "the first has the plain name" test -e b.svg -a ! -e b-gpu0.svg
check "one device" shows 'cpu: c.svg' plot both.json --out c.svg --device cpu
check "no folder for the file" refuses 1 no-such plot h200.json --out no-such/a.svg
if [ -w /dev/full ]; then
    check "a full disk is a failure" gives 1 quiet full_output
    check "a full disk is named" answers 1 'standard output: No space left' full_output
else
    skip "a full disk" "no /dev/full"
fi
if command -v xmllint >/dev/null; then
    check "xmllint reads it" quiet xmllint --noout a.svg
else
    skip "xmllint reads it" "no xmllint"
fi
done_testing
