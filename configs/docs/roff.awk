# SPDX-License-Identifier: BSD-3-Clause
# roff.awk: what the makers of manuals share: -v out=FOLDER, which has man1, man5 and man7; -v date="Month D,
# YYYY". A page goes to `file`.

function say(line) {
    print line >file
}

function head(page, section, about) {
    file = out "/man" section "/" page "." section
    say(".Dd " date "\n.Dt " toupper(page) " " section "\n.Os\n.Sh NAME\n.Nm " page)
    sub(/[.?]$/, "", about)
    say(".Nd " escape(about))
}

# Text of our help, schemas and Markdown: `code`, *emphasis* and [links](...) are marked, nothing else is.
function escape(string,    link, words) {
    gsub(/\\/, "\\e", string)
    while (match(string, /\[[^]]*\]\([^)]*\)/)) {
        link = substr(string, RSTART, RLENGTH)
        words = link
        sub(/^\[/, "", words)
        sub(/\].*/, "", words)
        string = substr(string, 1, RSTART - 1) words substr(string, RSTART + RLENGTH)
    }
    gsub(/`[^`]*`/, "\\fB&\\fP", string)
    gsub(/\*\*?[^* ][^*]*[^* ]\*\*?/, "\\fI&\\fP", string)
    gsub(/[`]|\*\*/, "", string)
    gsub(/\\fI\*/, "\\fI", string)
    gsub(/\*\\fP/, "\\fP", string)
    gsub(/-/, "\\-", string)
    return string
}

function put(line) {
    if (line != "")
        say((line ~ /^[.']/ ? "\\&" : "") line)
    return ""
}

# In short lines, each sentence begun on one of its own, as mandoc wants it.
function fill(string,    words, n, i, line) {
    n = split(escape(string), words, " ")
    for (i = 1; i <= n; i++) {
        if (line != "" && length(line words[i]) > 74)
            line = put(line)
        line = line (line == "" ? "" : " ") words[i]
        if (words[i] ~ /[.!?][])"]?$/)
            line = put(line)
    }
    put(line)
}

# A line of code.
function verbatim(line) {
    gsub(/\\/, "\\e", line)
    gsub(/-/, "\\-", line)
    say((line ~ /^[.']/ ? "\\&" : "") line)
}
