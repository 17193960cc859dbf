# SPDX-License-Identifier: BSD-3-Clause
# man.awk, behind roff.awk: help.sh's pages as manuals of section 1. Each page of help is "usage:", what it
# does, then rows and notes: lines that begin with "  --" are options, and "  word" in the help of a
# program of commands are those; other indented lines are printed as they are.

# Ends what is open before another kind of line comes.
function turn(to) {
    if (text != "") {
        if (kind != "about")
            say(".Pp")
        fill(text)
        text = ""
    }
    if (kind != to) {
        if (kind == "options" || kind == "commands")
            say(".El")
        if (kind == "literal")
            say(".Ed")
        if (to == "options" || to == "commands")
            say(".Bl -tag -width Ds")
        if (to == "literal")
            say(".Bd -literal -offset 2n")
    }
    kind = to
}

function finish() {
    if (page == "")
        return
    if (kind == "")
        begin()
    turn("")
    if (exits != "") {
        say(".Sh EXIT STATUS")
        fill(exits)
    }
    say(".Sh SEE ALSO")
    say(parent == "" ? ".Xr ert-ceilings 5 ," : ".Xr " parent " 1 ,")
    say(".Xr ert-method 7")
    close(file)
}

# What comes before the rows, once it is known what the command does.
function begin(    name, n) {
    name = about
    sub(/\. .*/, "", name)
    head(page, 1, name ~ /^[A-Z][a-z]/ ? tolower(substr(name, 1, 1)) substr(name, 2) : name)
    say(".Sh SYNOPSIS")
    n = index(usage, title)
    say(".Nm " (n > 1 ? escape(substr(usage, 1, n - 1)) : "") title)
    fill(substr(usage, n + length(title) + 1))
    say(".Sh DESCRIPTION")
    kind = "about"
    text = toupper(substr(about, 1, 1)) substr(about, 2) (about ~ /[.?]$/ ? "" : ".")
    turn("text")
}

/^== / {
    finish()
    title = page = substr($0, 4)
    gsub(/ /, "-", page)
    parent = title ~ / / ? page : ""
    sub(/-[a-z]*$/, "", parent)
    n_options = 0
    kind = text = exits = about = usage = ""
    next
}
usage == "" { usage = substr($0, 8); next }
kind == "" && $0 != "" { about = about (about == "" ? "" : " ") $0; next }
kind == "" { begin(); next }

/^Exit codes: / || exits != "" { sub(/^Exit codes: /, ""); exits = exits $0 " "; next }
/^  --[a-z]/ && (kind == "text" && n_options == 0 || kind == "options") {
    turn("options")
    n_options++
    match($0, /^  [^ ]+( [^ ]+)?  +/)
    help = substr($0, RLENGTH + 1)
    n = split(substr($0, 1, RLENGTH), words, " ")
    sub(/^--/, "", words[1])
    say(".It Fl \\-" escape(words[1]) (n > 1 ? " Ar " escape(words[2]) : ""))
    fill(help)
    next
}
/^  [a-z]+  / && usage ~ /COMMAND/ {
    turn("commands")
    say(".It Xr " page "-" $1 " 1")
    sub(/^ *[^ ]+ +/, "")
    fill($0)
    next
}
/^$/ { turn("text"); next }
/^ / { turn("literal"); verbatim(substr($0, 3)); next }
{
    if (kind != "text")
        turn("text")
    text = text (text == "" ? "" : " ") $0
}
END { finish() }
