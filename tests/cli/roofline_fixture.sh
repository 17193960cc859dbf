# SPDX-License-Identifier: BSD-3-Clause
# roofline_fixture: what the tests of roofline's commands share; sourced, with $command set to the
# subcommand, or "". They run in a folder of their own, in the C locale.
. "$top_srcdir/tests/tap.sh"
roofline=$top_builddir/analysis/roofline
plant=$top_builddir/tests/unit/plant_ceilings
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
LC_ALL=C
export LC_ALL

# refuses STATUS WORDS OPTIONS...: the command ends with the exit code and says the words.
refuses() {
    status=$1 words=$2
    shift 2
    answers "$status" "$words" "$roofline" $command "$@"
}

# shows WORDS OPTIONS...: it succeeds and says the words.
shows() {
    refuses 0 "$@"
}
