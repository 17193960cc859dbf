#include "analysis/strings.h"

#include "ert/base/alloc.h"
#include "ert/base/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a (Fowler, Noll, Vo) of 64 bits. */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* The slot of a text, or the free one that it will have. */
static size_t *slot_of(const struct rfl_strings *strings, const char *text)
{
    uint64_t at = hash_of(text) % strings->n_slots;
    while (strings->slots[at] && strcmp(strings->texts[strings->slots[at] - 1], text) != 0)
        at = (at + 1) % strings->n_slots;
    return &strings->slots[at];
}

size_t rfl_strings_index(struct rfl_strings *strings, const char *text)
{
    if (2 * strings->n_texts >= strings->n_slots) { /* fuller, searches become long */
        free(strings->slots);
        strings->n_slots = 4 * strings->n_slots + 16;
        strings->slots = ert_xcalloc(strings->n_slots, sizeof *strings->slots);
        for (size_t i = 0; i < strings->n_texts; i++)
            *slot_of(strings, strings->texts[i]) = i + 1;
    }
    size_t *slot = slot_of(strings, text);
    if (!*slot) {
        strings->texts = ert_xgrow(strings->texts, strings->n_texts, &strings->capacity,
                                   sizeof *strings->texts);
        strings->texts[strings->n_texts++] = ert_xstrdup(text);
        *slot = strings->n_texts;
    }
    return *slot - 1;
}

const char *rfl_strings_keep(struct rfl_strings *strings, const char *text)
{
    size_t index = rfl_strings_index(strings, text);
    return strings->texts[index];
}

const char *rfl_strings_vformat(struct rfl_strings *strings, const char *format,
                                va_list arguments)
{
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    ert_xcheck(length < 0 ? NULL : text, strlen(format));
    const char *kept = rfl_strings_keep(strings, text);
    free(text);
    return kept;
}

const char *rfl_strings_format(struct rfl_strings *strings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *kept = rfl_strings_vformat(strings, format, arguments);
    va_end(arguments);
    return kept;
}

void rfl_strings_free(struct rfl_strings *strings)
{
    for (size_t i = 0; i < strings->n_texts; i++)
        free(strings->texts[i]);
    free(strings->texts);
    free(strings->slots);
    *strings = (struct rfl_strings){0};
}

void rfl_name_cut(const char *name, char *text, size_t size)
{
    size_t length = 0;
    if (strlen(name) < size) {
        memcpy(text, name, strlen(name) + 1);
        return;
    }
    for (const char *at = name;;) {
        ert_utf8_next(&at);
        if ((size_t)(at - name) > size - 3)
            break;
        length = (size_t)(at - name);
    }
    snprintf(text, size, "%.*s..", (int)length, name);
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Where the bracket at *open is closed; NULL: it is not. Those of other kinds are passed over. */
static const char *closing(const char *open)
{
    static const char opens[] = "(<{[", closes[] = ")>}]";
    const char *kind = strchr(opens, *open);
    size_t depth = 0;
    for (const char *at = open; *at; at++) {
        if (*at == *kind)
            depth++;
        else if (*at == closes[kind - opens] && at[-1] != '-' && --depth == 0)
            return at;
    }
    return NULL;
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end);
    return length >= n && memcmp(text + length - n, end, n) == 0;
}

/* The bytes of an operator's sign: "operator()" and "operator<<" are names, not brackets. */
static size_t operator_sign(const char *at)
{
    return at[0] == '(' && at[1] == ')' ? 2 : strspn(at, "<>=+-*/!&|^%~");
}

/*
 * Copies a name without what stands in brackets behind a word: parameters, and template arguments
 * unless they are asked for; *signature when there were parameters. An open bracket ends it.
 */
static void strip(const char *name, char *copy, bool arguments, bool *signature)
{
    static const char unnamed[] = "(anonymous namespace)::";
    size_t used = 0, signed_at = 0; /* behind an operator's sign */
    for (const char *at = name; *at; at++) {
        bool behind =
            used && (is_word(copy[used - 1]) || copy[used - 1] == '>' || used == signed_at);
        size_t sign = ends_with(copy, used, "operator") ? operator_sign(at) : 0;
        if (sign) {
            memcpy(copy + used, at, sign);
            used += sign;
            at += sign - 1;
            signed_at = used;
        } else if (strncmp(at, unnamed, sizeof unnamed - 1) == 0) {
            at += sizeof unnamed - 2;
        } else if ((*at == '(' || *at == '<') && behind) {
            const char *end = closing(at);
            *signature = *signature || *at == '(';
            if (!end)
                break;
            if (arguments && *at == '<') {
                memcpy(copy + used, at, (size_t)(end - at) + 1);
                used += (size_t)(end - at) + 1;
            }
            at = end;
        } else if (*signature && *at == ' ') {
            break; /* " const", " [clone .isra.0]" */
        } else {
            copy[used++] = *at;
        }
        copy[used] = '\0';
    }
    copy[used] = '\0';
}

/* Where the last scope of a name ends, outside of template arguments. */
static char *behind_scopes(char *name)
{
    char *start = name;
    for (char *at = name; *at && *at != '<'; at++)
        if (at[0] == ':' && at[1] == ':')
            start = at + 2;
    return start;
}

/* Without "void "; *signature when there were parameters. */
static char *plain_name(const char *name, bool arguments, bool *signature)
{
    static const char result[] = "void ";
    const size_t length = sizeof result - 1;
    char *copy = ert_xcalloc(strlen(name) + 1, 1);
    strip(name, copy, arguments, signature);
    if (strncmp(copy, result, length) == 0 && copy[length])
        memmove(copy, copy + length, strlen(copy + length) + 1);
    return copy;
}

char *rfl_name_plain(const char *name)
{
    bool signature = false;
    return plain_name(name, true, &signature);
}

static void shorten(const char *name, bool arguments, char *text, size_t size)
{
    bool signature = false;
    char *copy = plain_name(name, arguments, &signature), *start = copy;
    for (char *at = start; signature && *at && *at != '<'; at++)
        if (*at == ' ')
            start = at + 1;
    start = behind_scopes(start);
    rfl_name_cut(*start ? start : *name ? name : "(no name)", text, size);
    free(copy);
}

void rfl_name_short(const char *name, char *text, size_t size)
{
    shorten(name, false, text, size);
}

void rfl_name_instance(const char *name, char *text, size_t size)
{
    shorten(name, true, text, size);
}
