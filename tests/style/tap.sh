#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the shell tests share (tests/tap.sh) fails where it should: on the wrong exit code, the wrong words,
# and words where there should be none.
. "$top_srcdir/tests/tap.sh"

# ends STATUS TEXT: a command with this exit code and output.
ends() {
    [ -z "$2" ] || echo "$2"
    return "$1"
}

# fails COMMAND...: it does, in a shell of its own, and says something.
fails() {
    if said=$("$@" 2>&1); then
        echo "succeeds: $*"
        return 1
    fi
    [ -n "$said" ] || { echo "fails without a word: $*"; return 1; }
}

# No row could say this.
case $(check row false) in
"not ok 1 - row"*) ;;
*)
    echo "Bail out! a row that fails is not reported"
    exit 1
    ;;
esac

check "an exit code" gives 3 ends 3 x
check "another exit code" fails gives 3 ends 0 x
check "an exit code and words" answers 3 lk ends 3 milk
check "the wrong code with the words" fails answers 3 lk ends 2 milk
check "the code without the words" fails answers 3 honey ends 3 milk
check "words on stderr" answers 3 lk sh -c 'echo milk >&2; exit 3'
check "words" prints lk ends 0 milk
check "the words of a command that fails" fails prints lk ends 1 milk
check "other words" fails prints honey ends 0 milk
check "no such words" lacks honey ends 0 milk
check "the words" fails lacks lk ends 0 milk
check "no words, but it fails" fails lacks honey ends 1 milk
check "nothing" empty ends 0 ''
check "nothing, but it fails" fails empty ends 1 ''
check "something" fails empty ends 0 milk
check "something on stderr" fails empty sh -c 'echo milk >&2'
check "a search without a result" unfound grep milk /dev/null
check "a search with one" fails unfound ends 0 milk
check "a search that cannot look" fails unfound grep milk /dev/null/none
done_testing
