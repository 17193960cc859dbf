#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# help.sh NAME PROGRAM [COMMAND...]: what `PROGRAM --help` prints behind a line "== NAME", then the same of
# each command that it lists, in their order there. The manuals and the reference pages are made of it.
set -eu
export LC_ALL=C COLUMNS=100 NO_COLOR=1

section() {
    local name=$1 help command
    shift
    help=$("$@" --help)
    printf '== %s\n%s\n' "$name" "$help"
    case $help in "usage: $name COMMAND "*)
        for command in $(echo "$help" | sed -n '/^$/,/^$/s/^  \([a-z][a-z]*\)  .*/\1/p'); do
            section "$name $command" "$@" "$command"
        done ;;
    esac
}
section "$@"
