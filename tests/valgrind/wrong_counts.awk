# SPDX-License-Identifier: BSD-3-Clause
# awk -f wrong_counts.awk WANTED COUNTS: what the Valgrind tool counted otherwise than WANTED says
# ("REGION COLUMN VALUE"; columns that it does not name are 0), in regions that WANTED names. Bytes are
# taken after those of the region "empty".
NR == FNR {
    split($0, word, " ")
    wanted[word[1], word[2]] = word[3]
    is_named[word[1]] = 1
    next
}
/^#/ { next }
{ n = split($0, cell, "\t") }
cell[1] == "region" { n_columns = split($0, column, "\t"); next }
{ for (i = 3; i <= n; i++) counted[cell[1], column[i]] += cell[i] }
END {
    for (region in is_named)
        for (i = 3; i <= n_columns; i++) {
            name = column[i]
            if (name ~ /_(read|written|left|touched)$|^(chain|code)_|^(threads|instructions)$/)
                continue
            value = counted[region, name] - (name ~ /_bytes$/ ? counted["empty", name] : 0)
            if (value != wanted[region, name] + 0)
                print region, name ":", value, "counted, must be", wanted[region, name] + 0
        }
    if (!n_columns)
        print "no counts"
}
