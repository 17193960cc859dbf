#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A static function carries its file's noun, so that its name is an address in gdb, perf and grep: few names
# of functions are in more than one file.
. "$top_srcdir/tests/tap.sh"
most=30 # such as the vector operations that each instruction set has, and the fake of CUDA's module

# Names of functions that several files of the product define as static, a line each.
names_in_several_files() {
    python3 - "$top_srcdir" <<'PYTHON'
import collections, os, re, sys
where = collections.defaultdict(set)
definition = re.compile(r"^static\s[\w\s*]*?\b(?!__)(\w+)\s*\([^;{]*\)\s*\{", re.M)
no_code = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
for top in ("ert", "analysis", "gpp"):
    for folder, _, names in os.walk(os.path.join(sys.argv[1], top)):
        for name in names:
            if name.endswith((".c", ".cu")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for match in definition.finditer(no_code.sub(" ", file.read())):
                        where[match.group(1)].add(os.path.join(folder, name))
for name in sorted(name for name, files in where.items() if len(files) > 1):
    print(name)
PYTHON
}

few() {
    found=$(names_in_several_files)
    [ "$(echo "$found" | grep -c .)" -le $most ] || { echo "more than $most:" && echo "$found"; return 1; }
}

if python3 -c '' 2>/dev/null; then
    check "names of functions are of one file" few
else
    skip "names of functions are of one file" "no python3"
fi
done_testing
