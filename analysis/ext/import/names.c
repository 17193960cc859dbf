/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/common.h"

#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool names_is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* The end of the bracket at *open, skipping brackets of other kinds; NULL: not closed. */
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

/*
 * The length of an operator's sign behind the first `used` bytes of a name: "operator()" and "operator<<" are
 * names, not brackets; 0: there is no operator.
 */
static size_t operator_sign(const char *name, size_t used, const char *at)
{
    if (used < 8 || memcmp(name + used - 8, "operator", 8) != 0)
        return 0;
    return at[0] == '(' && at[1] == ')' ? 2 : strspn(at, "<>=+-*/!&|^%~");
}

/*
 * Copies a name without brackets that follow a word: parameters and, unless `arguments`, template arguments.
 * Sets *signature if there were parameters. A bracket that is not closed ends the name.
 */
static void strip(const char *name, char *copy, bool arguments, bool *signature)
{
    static const char unnamed[] = "(anonymous namespace)::", ncu_unnamed[] = "<unnamed>::";
    size_t used = 0, signed_at = 0; /* position after an operator's sign */
    for (const char *at = name; *at; at++) {
        bool behind = used && (names_is_word(copy[used - 1]) || copy[used - 1] == '>' ||
                               used == signed_at);
        size_t sign = operator_sign(copy, used, at);
        if (sign) {
            memcpy(copy + used, at, sign);
            used += sign;
            at += sign - 1;
            signed_at = used;
        } else if (strncmp(at, unnamed, sizeof unnamed - 1) == 0) {
            at += sizeof unnamed - 2;
        } else if (strncmp(at, ncu_unnamed, sizeof ncu_unnamed - 1) == 0) {
            at += sizeof ncu_unnamed - 2;
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

/* The position after the last "::" outside of template arguments. */
static char *behind_scopes(char *name)
{
    char *start = name;
    for (char *at = name; *at && *at != '<'; at++)
        if (at[0] == ':' && at[1] == ':')
            start = at + 2;
    return start;
}

/* Cuts "void " and parameters; sets *signature if there were parameters. */
static char *names_plain(const char *name, bool arguments, bool *signature)
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
    return names_plain(name, true, &signature);
}

static void names_shorten(const char *name, bool arguments, char *text, size_t size)
{
    bool signature = false;
    char *copy = names_plain(name, arguments, &signature), *start = copy;
    for (char *at = start; signature && *at && *at != '<'; at++)
        if (*at == ' ')
            start = at + 1;
    start = behind_scopes(start);
    rfl_name_cut(*start ? start : *name ? name : "(no name)", text, size);
    free(copy);
}

/* ---- names that distinguish several kernels ---- */

enum { MAX_ARGUMENTS = 16, SHORT_TEXT = 1024 };

/* A kernel whose short name is being made; the ert_strings own the texts. */
struct named {
    const char *text; /* the name so far */
    size_t group;     /* of kernels with the same text */
    size_t n_arguments;
    const char *arguments[MAX_ARGUMENTS];
};

/* The end of an argument: the ',' or bracket after it, or the end of the text. */
static const char *end_of_depth(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        depth += strchr("(<{[", *at) != NULL;
        depth -= strchr(")>}]", *at) != NULL;
        if (depth < 0 || (depth == 0 && *at == ','))
            break;
    }
    return at;
}

/*
 * Cuts scopes, casts and parameters from template arguments, in place: "(int)4, ns::g<ns::h>" becomes "4,
 * g<h>". A lambda gets the name of the function that contains it.
 */
static void strip_scopes(char *text)
{
    char *to = text, *word = text; /* the word that could be a scope */
    for (const char *at = text; *at; at++) {
        const char *end = *at == '(' ? closing(at) : NULL;
        if (end) {
            at = end;
        } else if (at[0] == ':' && at[1] == ':') {
            bool is_lambda = at[2] == '{' || at[2] == '[';
            to = is_lambda ? to : word;
            at = is_lambda ? end_of_depth(at) - 1 : at + 1;
        } else {
            *to++ = *at;
            word = names_is_word(*at) ? word : to;
        }
    }
    *to = '\0';
}

static void find_arguments(struct ert_strings *strings, const char *name,
                           struct named *named)
{
    char text[SHORT_TEXT];
    names_shorten(name, true, text, sizeof text);
    char *at = strchr(text, '<');
    if (!at)
        return;
    strip_scopes(++at);
    while (*at && named->n_arguments < MAX_ARGUMENTS) {
        char *end = at + (end_of_depth(at) - at);
        bool is_last = *end != ',';
        *end = '\0';
        named->arguments[named->n_arguments++] = ert_strings_keep(strings, at);
        at = is_last ? end : end + 1 + strspn(end + 1, " ");
    }
}

/* How many different i-th arguments n kernels have; "" if a kernel has fewer. */
static size_t count_different(struct named *const *group, size_t n, size_t i)
{
    struct ert_strings seen = {.n_texts = 0};
    for (size_t k = 0; k < n; k++)
        ert_strings_index(&seen, i < group[k]->n_arguments ? group[k]->arguments[i] : "");
    size_t count = seen.n_texts;
    ert_strings_free(&seen);
    return count;
}

/* Adds to the texts of n kernels one argument that differs in all of them, else all that differ in any. */
static void add_arguments(struct ert_strings *strings, struct named *const *group, size_t n,
                          size_t width)
{
    (void)width;
    bool shown[MAX_ARGUMENTS] = {false};
    for (size_t i = 0, different; i < MAX_ARGUMENTS && n > 1; i++) {
        different = count_different(group, n, i);
        shown[i] = different > 1;
        if (different == n) {
            memset(shown, 0, sizeof shown);
            shown[i] = true;
            break;
        }
    }
    for (size_t k = 0; k < n; k++) {
        char list[SHORT_TEXT] = "";
        for (size_t i = 0; i < group[k]->n_arguments; i++)
            if (shown[i])
                ert_list_add(list, sizeof list, group[k]->arguments[i]);
        if (*list)
            group[k]->text = ert_strings_format(strings, "%s<%s>", group[k]->text, list);
    }
}

/* The length of the common start of a group's texts, up to the beginning of the word that differs. */
static size_t common_start(struct named *const *group, size_t n)
{
    const char *first = group[0]->text;
    size_t common = strlen(first);
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < common; i++)
            if (group[k]->text[i] != first[i])
                common = i;
    while (common > 0 && names_is_word(first[common - 1]) && first[common - 1] != '_')
        common--;
    return common;
}

/* Shortens the texts of n kernels: cuts the end, or the middle if only the end distinguishes them. */
static void names_cut(struct ert_strings *strings, struct named *const *group, size_t n,
                      size_t width)
{
    size_t common = n > 1 ? common_start(group, n) : 0;
    for (size_t k = 0; k < n; k++) {
        char head[SHORT_TEXT] = "", tail[SHORT_TEXT];
        const char *text = group[k]->text;
        size_t most = common ? 2 * width / 3 : width;
        if (strlen(text) <= width)
            continue;
        rfl_name_cut(text + common, tail, most + 1);
        if (common)
            rfl_name_cut(text, head, width - strlen(tail) + 1);
        group[k]->text = ert_strings_format(strings, "%s%s", head, tail);
    }
}

static int compare_groups(const void *left, const void *right)
{
    const struct named *a = *(struct named *const *)left,
                       *b = *(struct named *const *)right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a > b) - (a < b);
}

/* Calls `change` for each group of kernels whose texts, cut to `width`, are equal. */
static void
names_by_group(struct ert_strings *strings, struct named *all, size_t n, size_t width,
               void (*change)(struct ert_strings *strings, struct named *const *group,
                              size_t n, size_t width))
{
    struct ert_strings seen = {.n_texts = 0};
    struct named **order = ert_xcalloc(n + 1, sizeof *order);
    for (size_t k = 0; k < n; k++) {
        char text[SHORT_TEXT];
        rfl_name_cut(all[k].text, text, width + 1);
        all[k].group = ert_strings_index(&seen, text);
        order[k] = &all[k];
    }
    qsort(order, n, sizeof *order, compare_groups);
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first; end < n && order[end]->group == order[first]->group;)
            end++;
        change(strings, order + first, end - first, width);
    }
    ert_strings_free(&seen);
    free(order);
}

void rfl_names_shorten(struct ert_strings *strings, const char *const *names, size_t n,
                       size_t width, const char **texts)
{
    struct ert_strings full = {.n_texts = 0}; /* each name once */
    size_t *indexes = ert_xcalloc(n + 1, sizeof *indexes);
    for (size_t i = 0; i < n; i++)
        indexes[i] = ert_strings_index(&full, names[i]);
    struct named *all = ert_xcalloc(full.n_texts + 1, sizeof *all);
    for (size_t k = 0; k < full.n_texts; k++) {
        char text[SHORT_TEXT];
        names_shorten(full.texts[k], false, text, sizeof text);
        all[k].text = ert_strings_keep(strings, text);
        find_arguments(strings, full.texts[k], &all[k]);
    }
    names_by_group(strings, all, full.n_texts, SHORT_TEXT - 1, add_arguments);
    names_by_group(strings, all, full.n_texts, width, names_cut);
    for (size_t i = 0; i < n; i++)
        texts[i] = all[indexes[i]].text;
    ert_strings_free(&full);
    free(indexes);
    free(all);
}
