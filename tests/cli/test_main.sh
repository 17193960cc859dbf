#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The frame of the program: help, version, unknown words, and output that cannot be written.
. "$top_srcdir/tests/tap.sh"
ert=$top_builddir/ert/ert

full_output() {
    "$ert" help >/dev/full
}

every_command_has_help() {
    for command in info list run fit show verify validate bench fleet "fleet node"; do
        prints "usage: ert $command " "$ert" $command --help &&
            prints "usage: ert $command " "$ert" help $command &&
            gives 0 "$ert" $command -h || return 1
    done
}

every_kernel_has_a_class() {
    "$ert" list | awk 'NF == 0 { exit }
        NR > 1 && $2 !~ /^[a-z]+$/ { print; bad = 1 }
        END { exit bad || NR < 50 }'
}

small_stack() (
    data=$top_srcdir/tests/data/corpus
    ulimit -s 300 && "$ert" fit "$data/samples/levels.json" && "$ert" show "$data/ceilings/fake.json"
)

check "help lists the commands" prints "  run " "$ert" help
check "--help is help" prints "Exit codes:" "$ert" --help
check "help ends well" gives 0 quiet "$ert" --help
check "every command has its help" every_command_has_help
check "--version says the version" prints "ert 2." "$ert" --version
check "no word is a usage error" gives 2 quiet "$ert"
check "no word points to the help" answers 2 "usage: ert COMMAND" "$ert"
check "an unknown command is a usage error" gives 2 quiet "$ert" rnu
check "an unknown command lists the known" \
    answers 2 \
        "ert: no command 'rnu'; there are: info, list, run, fit, show, verify, validate" \
    "$ert" rnu
check "a control character in a word is shown, not sent" \
    answers 2 "argument 3, 'a\x1b[2J': has a control character" "$ert" list --json "$(printf 'a\033[2J')"
check "a command of commands lists them" answers 2 "ert fleet: no command 'nodes'; there are: node" \
    "$ert" fleet nodes
check "a command of commands without a word points to its help" answers 2 "usage: ert fleet COMMAND" \
    "$ert" fleet
check "an option of its commands" answers 2 "ert fleet: unknown option '--hosts'; known options: " \
    "$ert" fleet node --hosts
if [ -z "$ERT_SANITIZERS" ]; then
    check "a stack of 300 KiB is enough" small_stack
else
    skip "a stack of 300 KiB is enough" "sanitizers take more"
fi
check "help takes one command" gives 2 quiet "$ert" help run fit
check "an unknown option is a usage error" gives 2 quiet "$ert" list --no-such-option
check "the list has a class for every kernel" every_kernel_has_a_class
check "a full disk is a failure" gives 1 quiet full_output
check "a full disk is named" answers 1 "standard output: No space left" full_output
done_testing
