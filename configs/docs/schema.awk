# SPDX-License-Identifier: BSD-3-Clause
# schema.awk, behind roff.awk: a JSON schema as a manual of section 5, its name that of the title:
# "ert-points/1: what code did". -v schemas=WHERE they are installed. It reads any JSON; of the words of JSON
# Schema it tells those that our schemas use.

{ text = text $0 "\n" }

# The next token from `at` on: a word, a mark or a string with its quotes.
function token() {
    while (substr(text, at, 1) ~ /[ \n\t]/)
        at++
    if (match(substr(text, at, 4000), /^("([^"\\]|\\.)*"|[][{}:,]|[^][{}:, \n\t]+)/) == 0)
        fail("no JSON at character " at)
    at += RLENGTH
    return substr(text, at - RLENGTH, RLENGTH)
}

function fail(why) {
    print FILENAME ": " why >"/dev/stderr"
    exit failed = 1
}

function bare(string) {
    sub(/^"/, "", string)
    sub(/"$/, "", string)
    gsub(/\\"/, "\"", string)
    gsub(/\\\\/, "\\", string)
    return string
}

# The value that begins with `first`: value[path], and keys[path, 1..size[path]] of objects and lists.
function parse(path, first,    key, next_one) {
    if (first != "{" && first != "[") {
        value[path] = bare(first)
        return
    }
    value[path] = first
    for (next_one = token(); next_one !~ /^[]}]$/; next_one = token()) {
        if (next_one == ",")
            next_one = token()
        key = size[path] + 1
        if (first == "{") {
            key = bare(next_one)
            token()
            next_one = token()
        }
        keys[path, ++size[path]] = key
        parse(path "/" key, next_one)
    }
}

function listed(path,    i, list) {
    for (i = 1; i <= size[path]; i++)
        list = list (i > 1 ? ", " : "") (value[path "/" i] == "" ? "\"\"" : value[path "/" i])
    return list
}

# What a value may be, in a few words.
function kind(path,    words) {
    if ((path "/$ref") in value)
        words = substr(value[path "/$ref"], 9)
    else if ((path "/const") in value)
        words = value[path "/const"]
    else if ((path "/enum") in value)
        words = "one of " listed(path "/enum")
    else if ((path "/anyOf") in value)
        words = kind(path "/anyOf/1") ", or an array of them"
    else if ((path "/type") in value)
        words = size[path "/type"] ? listed(path "/type") : value[path "/type"]
    gsub(/, null/, " or null", words)
    if (words ~ /^array/ && (path "/items") in value)
        words = words " of " kind(path "/items")
    if ((path "/minimum") in value && value[path "/minimum"] != 0)
        words = words ", at least " value[path "/minimum"]
    if ((path "/exclusiveMinimum") in value)
        words = words ", above " value[path "/exclusiveMinimum"]
    if ((path "/maximum") in value)
        words = words ", at most " value[path "/maximum"]
    if ((path "/pattern") in value && (path "/description") in value == 0)
        words = words ", as " value[path "/pattern"]
    return words
}

function is_required(path, key,    i) {
    for (i = 1; i <= size[path "/required"]; i++)
        if (value[path "/required/" i] == key)
            return 1
    return 0
}

# The keys of an object, those of objects within it too, under their names with dots.
function properties(path, within,    i, key, at_key, about) {
    for (i = 1; i <= size[path "/properties"]; i++) {
        key = keys[path "/properties", i]
        at_key = path "/properties/" key
        say(".It " escape(within key))
        about = kind(at_key) (is_required(path, key) ? ", always there" : "")
        if ((at_key "/description") in value)
            about = about (about == "" ? "" : ": ") value[at_key "/description"]
        fill(about)
        inside(at_key, within key)
    }
    for (i = 1; i <= size[path "/allOf"]; i++)
        properties(path "/allOf/" i, within)
}

function inside(path, within) {
    if ((path "/items") in value)
        inside(path "/items", within "[]")
    else if ((path "/additionalProperties") in value && value[path "/additionalProperties"] == "{")
        inside(path "/additionalProperties", within ".*")
    else
        properties(path, within ".")
}

function section(path) {
    say(".Bl -tag -width Ds")
    properties(path, "")
    say(".El")
}

END {
    if (failed)
        exit 1
    at = 1
    parse("", token())
    page = value["/title"]
    sub(/\/.*/, "", page)
    about = "the file format " value["/title"]
    sub(/.*: /, "", about)
    head(page, 5, about)
    say(".Sh DESCRIPTION")
    if ("/description" in value)
        fill(value["/description"])
    sub(/.*\//, "", FILENAME)
    say("The schema, in JSON Schema 2020\\-12, is installed as\n.Pa " schemas "/" FILENAME " .")
    say("Names end in their unit.\nThe keys are:")
    section("")
    for (i = 1; i <= size["/$defs"]; i++) {
        name = keys["/$defs", i]
        if (!(("/$defs/" name "/properties") in value)) {
            defs = defs ".It " escape(name) "\n" escape(kind("/$defs/" name)) "\n"
            continue
        }
        say(".Ss Keys of " escape(name))
        section("/$defs/" name)
    }
    if (defs != "")
        say(".Ss Other types\n.Bl -tag -width Ds\n" defs ".El")
    say(".Sh SEE ALSO\n.Xr ert 1 ,\n.Xr roofline 1")
}
