# SPDX-License-Identifier: BSD-3-Clause
# studies_fixture: what the tests of the studies share; sourced, with $command set to the study.
if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then
    echo "1..0 # SKIP no Python 3.9"
    exit 0
fi
. "$top_srcdir/tests/cli/roofline_fixture.sh"
study() {
    sh "$top_srcdir/tests/tools/study.sh" "$command" "$@"
}

# says STATUS WORDS OPTIONS...: the study ends with the exit code and says the words.
says() {
    status=$1 words=$2
    shift 2
    answers "$status" "$words" study "$@"
}
