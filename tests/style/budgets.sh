#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Lines are a budget: what comes in says what went out. A change that needs more says so here, in a commit of
# its own; what is taken out lowers the number.
. "$top_srcdir/tests/tap.sh"

# FOLDER MOST: lines of .c, .h, .cu, .cuh, .inc and .def. With a slash at its end: with all folders below.
# A folder without a row counts for the one above it: a new one of ert/ext overflows that.
budgets='analysis/core/ 7000
ert/core/ 19854
analysis/cli 745
analysis/core/chart 2789
analysis/core/place 2766
analysis/core/points 1430
analysis/ext 12
analysis/ext/advice 858
analysis/ext/cairo 257
analysis/ext/compare 1283
analysis/ext/import 7631
analysis/ext/json 316
analysis/ext/lib 237
analysis/ext/page 327
analysis/ext/record 6432
analysis/ext/region 305
analysis/ext/views 270
ert/cli 2137
ert/core/backend 4464
ert/core/base 2849
ert/core/ceilings 2202
ert/core/fit 2148
ert/core/kernels 608
ert/core/machine 3092
ert/core/stats 798
ert/core/sweep 3693
ert/ext 92
ert/ext/atomics 140
ert/ext/blas 173
ert/ext/base 796
ert/ext/cuda 7160
ert/ext/ert110 1427
ert/ext/fleet 4920
ert/ext/isa 399
ert/ext/issue 96
ert/ext/module 244
ert/ext/ncu 420
ert/ext/net 1335
ert/ext/sections 1363
ert/ext/validate 3253
ert/ext/soak 565
ert/ext/verify 1333
ert/fake 744
gpp 3870
'

# FOLDER FOUND MOST of each; the lines of a file count for the longest folder that holds it, and for those
# with a slash.
sums=$(cd "$top_srcdir" && find ert analysis gpp -name '*.c' -o -name '*.h' -o -name '*.cu' -o -name '*.cuh' \
    -o -name '*.inc' -o -name '*.def' | xargs wc -l | awk -v budgets="$budgets" '
    BEGIN { n = split(budgets, words); for (i = 1; i < n; i += 2) most[words[i]] = words[i + 1] }
    $2 != "total" {
        best = ""
        for (folder in most)
            if (folder ~ /\/$/ && index($2, folder) == 1)
                found[folder] += $1
            else if (index($2, folder "/") == 1 && length(folder) > length(best))
                best = folder
        found[best] += $1
    }
    END { for (folder in most) print folder, found[folder] + 0, most[folder] }')

within() {
    [ "$2" -le "$3" ] || { echo "$1: $2 lines, at most $3 (tests/style/budgets.sh)"; return 1; }
}

while read -r folder found most; do
    check "$folder" within "$folder" "$found" "$most"
done <<SUMS
$sums
SUMS
done_testing
