#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Text files: no trailing blanks, no line over 110 columns, a newline at the end; and sources
# without the words and switches that the design rules out.
. "$top_srcdir/tests/tap.sh"
cd "$top_srcdir" || exit 1

# Written by hand; measured results, other programs' files (tests/data) and the reference pages, which the
# programs wrote, are as they came.
texts() {
    find . -maxdepth 1 -type f \( -name '*.md' -o -name '*.am' -o -name '*.ac' \
        -o -name quickstart -o -name LICENSE \)
    find .ci ert analysis gpp examples configs results tests -path tests/data -prune \
        -o -path 'results/*.json' -o -path ert/core/ceilings/ceilings.schema.json -o -type f \( \
        -name '*.[ch]' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' \
        -o -name '*.js' -o -name '*.css' -o -name '*.sh' -o -name '*.mk' -o -name '*.md' -o -name '*.json' \
        -o -name '*.awk' -o -path .ci/run \) ! -path ert/core/base/config.h \
        ! -path ert/core/machine/build_info.h -print
}

trailing_blanks() {
    grep -n '[ 	]$' $(texts)
}

# Characters, not bytes: UTF-8's continuation bytes do not count. Rows of a table may be longer:
# clang-format aligns "{...}," into columns whatever that takes, and Markdown's cannot be broken.
long_lines() {
    for file in $(texts); do
        LC_ALL=C tr -d '\200-\277' <"$file" |
            awk -v file="$file" 'length > 110 && !/^ *[{].*[}],?$/ && !/^[|].*[|]$/ {
                print file ":" NR ": " length " columns"
            }'
    done
}

unended_files() {
    for file in $(texts); do
        [ -z "$(tail -c 1 "$file")" ] || echo "$file: no newline at the end"
    done
}

sources() {
    find ert analysis gpp -name '*.[ch]' ! -path ert/core/base/config.h
}

# A build without CUDA swaps a file in; it does not cut functions apart.
cuda_switches() {
    grep -nE '^[ 	]*#[ 	]*(if|ifdef|ifndef|elif)\b.*(HAVE_CUDA|__CUDACC__)' \
        $(sources | grep '\.c$')
}

unfinished() {
    grep -nE "\\b(TO""DO|FIX""ME|X""XX)\\b" $(texts)
}

# Only commands and ert-net's main.c speak to the user or end the program (_exit ends a forked child,
# and what a signal found stuck), and base/alloc.c, where memory runs out, and what becomes a part of the
# user's program.
printing_libraries() {
    grep -nE '\b(printf|puts|putchar|perror|exit|abort)[ ]?\(|\b(stdout|stderr)\b' \
        $(sources | grep -vE '/cli/|/(cmd|fleet)_[a-z]+\.c$|^ert/ext/net/main\.c$|^ert/core/base/alloc\.c$' |
            grep -vE '^analysis/ext/(record/cupti|region)/') |
        grep -vE '^[^:]*:[0-9]+:[ ]*(\*|/\*|//)'
}

# What the guides name of the code: functions, and files by their paths from the top.
unknown_names() {
    guides="CONTRIBUTING.md ert/README.md analysis/README.md gpp/README.md tests/README.md"
    grep -ohE '`(ert|rfl|gpp)_[a-z0-9_]+`' $guides | tr -d '`' | sort -u | while read -r name; do
        grep -rqw --include="*.[ch]*" "$name" ert analysis gpp || echo "$name is not in the code"
    done
    grep -ohE '`(ert|analysis|gpp|tests|configs|examples)/[A-Za-z0-9_./-]+`' $guides | tr -d '`' | sort -u |
        while read -r path; do
            case $path in *NAME* | *FILE* | ert/ert | */roofline | */ert-gpp | */ert-net) continue ;; esac
            [ -e "$path" ] || echo "$path is not there"
        done
}

# Their READMEs run them as ./NAME.
unrunnable_scripts() {
    find results -name '*.py' -o -name '*.sh' | while read -r file; do
        [ "$(head -c 2 "$file")" != '#!' ] || [ -x "$file" ] || echo "$file cannot be run"
    done
}

check "no trailing blanks" unfound trailing_blanks
check "no line over 110 columns" empty long_lines
check "every text file ends with a newline" empty unended_files
check "no CUDA switch in C sources" unfound cuda_switches
check "nothing unfinished" unfound unfinished
check "functions and files that the guides name are there" empty unknown_names
check "libraries do not print or exit" unfound printing_libraries
check "the scripts of results can be run" empty unrunnable_scripts
done_testing
