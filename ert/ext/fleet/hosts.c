/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/hosts.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/lines.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_NAME = 200 }; /* file names, which have it and more, may have 255 bytes */

static bool hosts_is_part(char c)
{
    return (unsigned char)c < 0x80 && c && (isalnum((unsigned char)c) || strchr("._-", c));
}

bool ert_host_is_name(const char *text)
{
    size_t length = 0;
    while (hosts_is_part(text[length]))
        length++;
    return length > 0 && !text[length] && length <= LONGEST_NAME && !strchr("-.", *text);
}

int ert_hosts_compare(const char *a, const char *b)
{
    const char *first_a = a, *first_b = b;
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            a += strspn(a, "0");
            b += strspn(b, "0");
            size_t n_a = strspn(a, "0123456789"), n_b = strspn(b, "0123456789");
            int order = n_a != n_b ? (n_a < n_b ? -1 : 1) : memcmp(a, b, n_a);
            if (order)
                return order;
            a += n_a;
            b += n_b;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    if (*a || *b)
        return *a ? 1 : -1;
    return strcmp(first_a, first_b); /* node01 and node1 are different hosts */
}

static int hosts_compare(const void *a, const void *b)
{
    return ert_hosts_compare(*(char *const *)a, *(char *const *)b);
}

size_t ert_hosts_find(const struct ert_hosts *hosts, const char *name)
{
    char **found = hosts->n > 0 ? bsearch(&name, hosts->names, hosts->n,
                                          sizeof *hosts->names, hosts_compare)
                                : NULL;
    return found ? (size_t)(found - hosts->names) : SIZE_MAX;
}

/* Sorts the names, and removes repeated ones. */
static void hosts_sort(struct ert_hosts *hosts)
{
    const size_t n = hosts->n;
    if (n > 0)
        qsort(hosts->names, n, sizeof *hosts->names, hosts_compare);
    hosts->n = 0;
    for (size_t i = 0; i < n; i++)
        if (hosts->n == 0 || strcmp(hosts->names[hosts->n - 1], hosts->names[i]) != 0)
            hosts->names[hosts->n++] = hosts->names[i];
        else
            free(hosts->names[i]);
}

static enum ert_status hosts_read_lines(const char *file, struct ert_lines *lines,
                                        struct ert_hosts *hosts, struct ert_error *error)
{
    static const char separators[] = ", \t";
    size_t capacity = 0;
    for (char *line = ert_lines_next(lines); line; line = ert_lines_next(lines))
        for (char *next, *name = strtok_r(line, separators, &next); name;
             name = strtok_r(NULL, separators, &next)) {
            if (!ert_host_is_name(name))
                return ert_fail(error, ERT_USAGE,
                                "%.100s: '%.100s' is not a host name; for lists with "
                                "brackets: scontrol show hostnames LIST",
                                file, name);
            if (hosts->n >= ERT_HOSTS_MOST)
                return ert_fail(error, ERT_USAGE, "%.100s: more than %d names", file,
                                ERT_HOSTS_MOST);
            hosts->names =
                ert_xgrow(hosts->names, hosts->n, &capacity, sizeof *hosts->names);
            hosts->names[hosts->n++] = ert_xstrdup(name);
        }
    ERT_TRY(ert_lines_end(lines, error));
    return hosts->n
               ? ERT_OK
               : ert_fail(error, ERT_USAGE, "'%.100s': the list of hosts is empty", file);
}

/* Whether the text is rather the name of a file: one that no list of names has, or that is there. */
static bool hosts_is_file(const char *list)
{
    return strchr(list, '/') || (!strchr(list, ',') && access(list, F_OK) == 0);
}

enum ert_status ert_hosts_read(const char *list, struct ert_hosts *hosts,
                               struct ert_error *error)
{
    struct ert_lines lines;
    *hosts = (struct ert_hosts){0};
    if (strcmp(list, "-") == 0)
        ERT_TRY(ert_lines_open("/dev/stdin", &lines, error));
    else if (hosts_is_file(list))
        ERT_TRY(ert_lines_open(list, &lines, error));
    else
        ERT_TRY(ert_lines_open_text(list, list, &lines, error));
    enum ert_status status = hosts_read_lines(list, &lines, hosts, error);
    ert_lines_close(&lines);
    if (status == ERT_OK)
        hosts_sort(hosts);
    else
        ert_hosts_free(hosts);
    return status;
}

void ert_hosts_free(struct ert_hosts *hosts)
{
    for (size_t i = 0; i < hosts->n; i++)
        free(hosts->names[i]);
    free(hosts->names);
    *hosts = (struct ert_hosts){0};
}

/* ---- lists with brackets ---- */

/* A list that is being expanded. take NULL: its names are counted. */
struct expansion {
    const char *list;
    ert_hosts_take *take;
    void *about;
};

/* One element of a bracket, "7" or "001-128". */
struct range {
    unsigned long first, last;
    int width;
};

/* Reads an element, which ends at ',' or ']', and moves on to that; false if it is none. */
static bool hosts_range(const char **text, struct range *range)
{
    unsigned long *const ends[] = {&range->first, &range->last};
    for (int i = 0; i < 2; i++) {
        size_t digits = strspn(*text, "0123456789");
        if (digits == 0 || digits > 9)
            return false;
        *ends[i] = strtoul(*text, NULL, 10);
        *text += digits;
        if (i == 0)
            range->width = (int)digits;
        if (i == 0 && **text == '-')
            ++*text;
        else if (i == 0) {
            range->last = range->first;
            break;
        }
    }
    return range->last >= range->first && (**text == ',' || **text == ']');
}

static enum ert_status hosts_fail(const struct expansion *expansion, const char *at,
                                  struct ert_error *error)
{
    return ert_fail(error, ERT_USAGE,
                    "host list '%.60s': '%.30s' is not a range such as [001-128,200]",
                    expansion->list, at);
}

/* The number of names of one name with brackets, at most `most`; 0 and an error: a bad one. */
static size_t hosts_count(const struct expansion *expansion, const char *text, size_t most,
                          struct ert_error *error)
{
    size_t n = 1;
    while (*(text += strcspn(text, "["))) {
        size_t n_own = 0;
        const char *begin = text++;
        struct range range;
        do {
            if (!hosts_range(&text, &range))
                return hosts_fail(expansion, begin, error), 0;
            n_own += range.last - range.first + 1;
        } while (*text++ == ',');
        n = n_own > most / n ? most + 1 : n * n_own;
    }
    return n;
}

static enum ert_status hosts_make(const struct expansion *expansion, const char *made,
                                  const char *rest, struct ert_error *error)
{
    char longer[ERT_HOST_TEXT];
    const size_t plain = strcspn(rest, "[");
    snprintf(longer, sizeof longer, "%s%.*s", made, (int)plain, rest);
    if (!rest[plain] || strlen(longer) > LONGEST_NAME) {
        if (ert_host_is_name(longer))
            return expansion->take(expansion->about, longer, error);
        return ert_fail(error, ERT_USAGE, "host list '%.60s': '%.60s' is not a host name",
                        expansion->list, longer);
    }
    const char *text = rest + plain + 1, *end = strchr(text, ']');
    struct range range;
    do {
        hosts_range(&text, &range); /* was good when it was counted */
        for (unsigned long i = range.first; i <= range.last; i++) {
            char name[ERT_HOST_TEXT];
            snprintf(name, sizeof name, "%.220s%0*lu", longer, range.width, i);
            ERT_TRY(hosts_make(expansion, name, end + 1, error));
        }
    } while (*text++ == ',');
    return ERT_OK;
}

/* The length of the first name of a list, up to a comma outside of brackets. */
static size_t hosts_length(const char *list)
{
    size_t length = 0;
    for (bool is_inside = false; list[length] && (is_inside || list[length] != ',');
         length++)
        is_inside = list[length] == '[' || (is_inside && list[length] != ']');
    return length;
}

enum ert_status ert_hosts_expand(const char *list, size_t *left, ert_hosts_take *take,
                                 void *about, struct ert_error *error)
{
    struct expansion expansion = {.list = list, .take = take, .about = about};
    for (int is_made = 0; is_made < 2; is_made++)
        for (const char *at = list;; at++) {
            const size_t length = hosts_length(at);
            char *name = ert_xprintf("%.*s", (int)length, at);
            enum ert_status status = ERT_OK;
            const size_t n = is_made ? 0 : hosts_count(&expansion, name, *left, error);
            if (is_made)
                status = hosts_make(&expansion, "", name, error);
            else if (n == 0)
                status = ERT_USAGE;
            else if (n > *left)
                status = ert_fail(error, ERT_USAGE, "host list '%.60s': more than %d names",
                                  list, ERT_HOSTS_MOST);
            free(name);
            ERT_TRY(status);
            *left -= n;
            at += length;
            if (!*at)
                break;
        }
    return ERT_OK;
}
