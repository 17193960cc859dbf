#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reference.sh BUILD OUT: the reference pages of the programs of a build folder, from their --help:
# OUT/ert/reference.md, OUT/analysis/reference.md and OUT/gpp/reference.md. `make reference` writes those of
# this tree; tests/style/reference.sh says when they are out of date.
set -u
[ $# -eq 2 ] || { echo "usage: reference.sh BUILD OUT" >&2; exit 2; }
build=$(cd "$1" && pwd) out=$2
export LC_ALL=C COLUMNS=100 NO_COLOR=1

# section NAME PROGRAM [COMMAND...]: its help, then that of each command that it lists, in their order there.
section() {
    local name=$1 help command
    shift
    help=$("$@" --help) || exit 1
    printf '\n## %s\n\n```\n%s\n```\n' "$name" "$help"
    case $help in "usage: $name COMMAND "*)
        for command in $(echo "$help" | sed -n '/^$/,/^$/s/^  \([a-z][a-z]*\)  .*/\1/p'); do
            section "$name $command" "$@" "$command"
        done ;;
    esac
}

page() {
    mkdir -p "$out/$1" || exit 1
    {
        echo "# $2: commands and options"
        echo
        echo "Made by tests/tools/reference.sh from what \`$2 --help\` prints."
        section "$2" "$build/$1/$2"
    } >"$out/$1/reference.md"
}

page ert ert
page analysis roofline
page gpp ert-gpp
