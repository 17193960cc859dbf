# SPDX-License-Identifier: BSD-3-Clause
# tap: what the shell tests share; sourced. Rows print as they end, the plan last.
tap_count=0

# check NAME COMMAND...: one row that passes when the command succeeds; its output in comments.
check() {
    tap_name=$1
    shift
    tap_count=$((tap_count + 1))
    if tap_output=$("$@" 2>&1); then
        echo "ok $tap_count - $tap_name"
    else
        echo "not ok $tap_count - $tap_name"
        echo "$tap_output" | sed 's/^/# /'
    fi
}

# skip NAME REASON: one row that could not be tried here.
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

done_testing() {
    echo "1..$tap_count"
}

# gives STATUS COMMAND...: succeeds when the command ends with this exit code.
gives() {
    tap_wanted=$1
    shift
    tap_status=0
    "$@" || tap_status=$?
    [ "$tap_status" -eq "$tap_wanted" ] && return
    echo "exit code $tap_status, expected $tap_wanted: $*"
    return 1
}

# answers STATUS WORDS COMMAND...: succeeds when the command ends with this exit code and its output
# (both streams) holds the words.
answers() {
    tap_expected=$1 tap_words=$2 tap_status=0
    shift 2
    tap_text=$("$@" 2>&1) || tap_status=$?
    if [ "$tap_status" -ne "$tap_expected" ]; then
        echo "exit code $tap_status, expected $tap_expected: $*: $tap_text"
        return 1
    fi
    case $tap_text in
    *"$tap_words"*) return 0 ;;
    esac
    echo "'$tap_words' is not in the output of $*: $tap_text"
    return 1
}

# prints WORDS COMMAND...: succeeds when the command does and its output holds the words.
prints() {
    answers 0 "$@"
}

# lacks WORDS COMMAND...: succeeds when the command does and its output does not hold the words.
lacks() {
    tap_unwanted=$1
    shift
    prints "" "$@" || return 1
    case $tap_text in
    *"$tap_unwanted"*) ;;
    *) return 0 ;;
    esac
    echo "'$tap_unwanted' is in the output of $*: $tap_text"
    return 1
}

quiet() {
    "$@" >/dev/null 2>&1
}

# is FOUND WANTED: succeeds when they are the same.
is() {
    [ "$1" = "$2" ] || { echo "'$1', expected '$2'" && return 1; }
}

# silent STATUS COMMAND...: succeeds when the command ends with this exit code and prints nothing.
silent() {
    tap_expected=$1
    shift
    answers "$tap_expected" "" "$@" || return 1
    [ -z "$tap_text" ] && return
    echo "$tap_text"
    return 1
}

# empty COMMAND...: succeeds when the command does and prints nothing: a search for faults found none.
empty() {
    silent 0 "$@"
}

# unfound COMMAND...: the same for a search that ends as grep does: with 1 when it found nothing.
unfound() {
    silent 1 "$@"
}
