/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/mutate.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/error.h"
#include "ert/core/base/random.h"

#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges of types and of what units can be. */
static const char *const numbers[] = {"0",
                                      "1",
                                      "2",
                                      "7",
                                      "-1",
                                      "-0",
                                      "0.5",
                                      "64",
                                      "65536",
                                      "2147483648",
                                      "4294967295",
                                      "4294967296",
                                      "9007199254740993",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "1e9",
                                      "1e12",
                                      "1e24",
                                      "1e300",
                                      "1.7976931348623157e308",
                                      "1e999",
                                      "1e-9",
                                      "1e-300",
                                      "4.9e-324"};
static const char *const words[] = {
    "",        "x",        "cpu",          "gpu0", "fake0", "fp64",  "L1",  "DRAM", "load",
    "copy",    "nan",      "inf",          "-",    "%s",    "1,234", "1,5", "\"",   "=1+1",
    "a\nb: c", "\x1b[31m", "\xe2\x80\xae", "\xff"};
static const char *const literals[] = {"null", "true", "false",   "{}",
                                       "[]",   "[[]]", "{\"\":0}"};

struct draw {
    uint64_t seed, index;
};

static size_t draw(struct draw *from, size_t n)
{
    return (size_t)(ert_random_u64(from->seed, from->index++) % n);
}

#define PICK(from, list) (list)[draw((from), ERT_LENGTH(list))]

/* 1 to 4096, small numbers as often as large ones. */
static size_t many(struct draw *from)
{
    return (size_t)1 << draw(from, 13);
}

/* text[from..to); an item stands among others, with a separator between them: a value has none. */
struct piece {
    size_t from, to;
    char separator;
};

struct pieces {
    const char *text; /* a NUL behind it */
    size_t n, room;
    struct piece *list; /* malloc */
};

static void add(struct pieces *pieces, size_t from, size_t to, char separator)
{
    if (pieces->n == pieces->room) {
        pieces->room = 2 * pieces->room + 256;
        pieces->list = ert_xrealloc(pieces->list, pieces->room, sizeof *pieces->list);
    }
    pieces->list[pieces->n++] = (struct piece){from, to, separator};
}

/* Adds the value of JSON at `at` and all in it; returns where it ends. Damaged ones come out as they may. */
static size_t add_json(struct pieces *pieces, size_t at, int depth)
{
    static const char blanks[] = " \t\r\n";
    const char *text = pieces->text;
    size_t from = at += strspn(text + at, blanks);
    if (text[at] == '"') {
        for (at++; text[at] && text[at] != '"'; at++)
            at += text[at] == '\\' && text[at + 1];
        at += text[at] == '"';
    } else if (strchr("{[", text[at]) && text[at] && depth < 100) {
        const char end = text[at++] == '{' ? '}' : ']';
        for (at += strspn(text + at, blanks); text[at] && text[at] != end;) {
            size_t item = at, last = at;
            at = add_json(pieces, at, depth + 1);
            at += strspn(text + at, blanks);
            if (text[at] == ':')
                at = add_json(pieces, at + 1, depth + 1);
            add(pieces, item, at, ',');
            at += strspn(text + at, " \t\r\n,");
            at += at == last; /* no value */
        }
        at += text[at] == end;
    } else
        at += strcspn(text + at, ",]}: \t\r\n");
    if (at > from)
        add(pieces, from, at, '\0');
    return at;
}

static void add_lines(struct pieces *pieces)
{
    static const char separators[] = ",;|\t =<>\"\r\n";
    const char *text = pieces->text;
    for (size_t at = 0, end; text[at]; at = end + (text[end] == '\n')) {
        end = at + strcspn(text + at, "\n");
        for (size_t cell = at; cell < end; cell++) {
            size_t from = cell;
            cell += strcspn(text + cell, separators);
            add(pieces, from, cell, text[cell] && cell < end ? text[cell] : ',');
            add(pieces, from, cell, '\0');
        }
        add(pieces, at, end, '\n');
    }
}

/* Writes what takes the place of an item; its neighbour's separator goes with it. */
static size_t edit_item(FILE *out, const char *text, struct piece at, struct draw *from)
{
    size_t n = at.to - at.from, copies = draw(from, 3);
    if (copies == 2)
        copies = many(from);
    for (size_t i = 0; i < copies && i * n < 1 << 20; i++)
        fprintf(out, "%.*s%c", (int)n, text + at.from, at.separator);
    if (copies > 0)
        fwrite(text + at.from, 1, n, out);
    return at.to + (copies == 0 && text[at.to] == at.separator);
}

/* Writes what takes the place of a value. */
static size_t edit_value(FILE *out, const char *text, struct piece at, bool is_json,
                         struct draw *from)
{
    char first = text[at.from];
    bool is_number = first == '-' || (first >= '0' && first <= '9');
    switch (draw(from, 6)) {
    case 0: /* of another type */
        fputs(PICK(from, literals), out);
        break;
    case 1: {
        const char *word = PICK(from, words);
        cJSON *node = cJSON_CreateString(word);
        char *quoted = cJSON_Print(node);
        fputs(is_json && quoted ? quoted : word, out);
        cJSON_free(quoted);
        cJSON_Delete(node);
        break;
    }
    case 2: /* longer */
        fputc(first, out);
        for (size_t i = many(from) * many(from) % 100000; i > 0; i--)
            fputc(is_number ? '7' : 'm', out);
        fwrite(text + at.from + 1, 1, at.to - at.from - 1, out);
        break;
    case 3:
        if (is_number && at.to - at.from < 40) {
            fprintf(out, "%.17g", strtod(text + at.from, NULL) * (draw(from, 2) ? 2 : 0.5));
            break;
        } /* FALLTHROUGH */
    default:
        fputs(PICK(from, numbers), out);
    }
    return at.to;
}

/* Changes one piece: *text is replaced. */
static void edit(char **text, size_t *size, struct draw *from)
{
    struct pieces pieces = {.text = *text};
    bool is_json = strchr("{[", (*text)[strspn(*text, " \t\r\n")]) && **text;
    if (is_json)
        for (size_t at = 0, begin = 0; (*text)[at]; begin = at) { /* NDJSON: of each line */
            at = add_json(&pieces, at, 0);
            if ((*text)[at] == '\n')
                add(&pieces, begin, at, '\n');
            at += at == begin || (*text)[at] == '\n';
        }
    else
        add_lines(&pieces);
    char *made = NULL;
    size_t made_size = 0;
    FILE *out = open_memstream(&made, &made_size);
    if (!out)
        abort();
    if (pieces.n > 0) {
        struct piece at = pieces.list[draw(from, pieces.n)];
        struct piece other = pieces.list[draw(from, pieces.n)];
        fwrite(*text, 1, at.from, out);
        if (draw(from, 6) == 0 && !at.separator == !other.separator) {
            fwrite(*text + other.from, 1, other.to - other.from, out);
        } else if (at.separator || at.from == at.to)
            at.to = edit_item(out, *text, at, from);
        else
            at.to = edit_value(out, *text, at, is_json, from);
        fwrite(*text + at.to, 1, *size - at.to, out);
    }
    fclose(out);
    free(pieces.list);
    free(*text);
    *text = made;
    *size = made_size;
}

size_t mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    struct draw from = {.seed = seed};
    char *text = ert_xcalloc(1, size + 1);
    memcpy(text, data, size);
    size = strlen(text); /* what stands behind a NUL no reader of text sees */
    for (size_t i = 0, n = 1 + draw(&from, 3); i < n; i++)
        edit(&text, &size, &from);
    bool fits = size <= max_size;
    if (fits)
        memcpy(data, text, size);
    free(text);
    return fits ? size : 0;
}
