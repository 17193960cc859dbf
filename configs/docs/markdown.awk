# SPDX-License-Identifier: BSD-3-Clause
# markdown.awk, behind roff.awk: a page of this tree as a manual. -v page=NAME -v section=7
# -v about="WHAT IT IS". It knows what these pages use: headings, paragraphs, lists, tables, code by indent or
# fence, links.

# Ends what is open before another kind of line comes.
function turn(to) {
    if (text != "") {
        if (kind == "text" && !is_first)
            say(".Pp")
        fill(text)
        is_first = 0
    }
    text = ""
    if (kind != to) {
        if (kind == "code")
            say(".Ed")
        if (kind == "list" || kind == "table")
            say(".El")
        if (to == "code")
            say(".Bd -literal -offset 2n")
        if (to == "list")
            say(".Bl -bullet")
        if (to == "table")
            say(".Bl -tag -width Ds")
        if (to != "text")
            is_first = 0
    }
    kind = to
}

NR == 1 {
    head(page, section, about)
    say(".Sh DESCRIPTION")
    is_first = 1
    next
}
/^```/ { is_fenced = !is_fenced; turn(is_fenced ? "code" : "text"); next }
is_fenced || (/^    / && (kind == "code" || text == "")) {
    turn("code")
    if (!is_fenced)
        sub(/^    /, "")
    verbatim($0)
    next
}
/^#/ {
    turn("text")
    sub(/^#+ /, "")
    say(".Sh " escape(toupper($0)))
    is_first = 1
    next
}
/^\|/ {
    if (kind != "table") {
        turn("table")
        next
    }
    if ($0 ~ /^\|[- |]*\|$/)
        next
    n = split(substr($0, 2), cells, / *\| */)
    sub(/^ */, "", cells[1])
    say(".It " escape(cells[1]) (n > 3 ? " (" escape(cells[2]) ")" : ""))
    fill(cells[n > 3 ? 3 : 2])
    next
}
/^- / { turn("list"); turn("list"); say(".It"); text = substr($0, 3); next }
/^$/ { if (kind != "code") turn(kind == "list" ? "list" : "text"); next }
{
    if (kind != "text" && !(kind == "list" && /^ /))
        turn("text")
    text = text (text == "" ? "" : " ") $0
}
END {
    turn("")
    say(".Sh SEE ALSO\n.Xr ert 1 ,\n.Xr roofline 1")
}
