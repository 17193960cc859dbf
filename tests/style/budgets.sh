#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lines are a budget: what comes in says what went out. A change that needs more says so here, in a commit of
# its own; what is taken out lowers the number.
. "$top_srcdir/tests/tap.sh"

# FOLDER MOST: lines of .c, .h, .cu, .cuh, .inc and .def.
budgets='
ert/backend/cuda 6800
ert/backend 7650
ert/base 4950
ert/ceilings 5800
ert/cli 4750
ert/ert110 1600
ert/fleet 6750
ert/kernels 600
ert/machine 4400
ert/net 3150
ert/stats 950
ert/sweep 3950
ert/validate 3650
analysis/cli 3050
analysis/cupti 750
analysis/export 1850
analysis/import 7350
analysis/lib 400
analysis/plot 4400
analysis/record 2700
analysis/region 600
analysis/valgrind 1100
analysis 7650
gpp 5150
'

# FOLDER FOUND MOST of each; the lines of a file count for the longest folder that holds it.
sums=$(cd "$top_srcdir" && find ert analysis gpp -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.inc' -o -name '*.def' | xargs wc -l | awk -v budgets="$budgets" '
    BEGIN { n = split(budgets, words); for (i = 1; i < n; i += 2) most[words[i]] = words[i + 1] }
    $2 != "total" {
        best = ""
        for (folder in most)
            if (index($2, folder "/") == 1 && length(folder) > length(best))
                best = folder
        found[best] += $1
    }
    END { for (folder in most) print folder, found[folder] + 0, most[folder] }')

within() {
    [ "$2" -le "$3" ] || { echo "$1: $2 lines, at most $3"; return 1; }
}

while read -r folder found most; do
    check "$folder" within "$folder" "$found" "$most"
done <<SUMS
$sums
SUMS
done_testing
