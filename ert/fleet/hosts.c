/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/hosts.h"

#include "ert/base/alloc.h"
#include "ert/base/strings.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ert_host_is_name(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80 ||
            (!isalnum((unsigned char)text[i]) && !strchr("._-", text[i])))
            return false;
    return length > 0 && length < ERT_HOST_TEXT && *text != '-';
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

static int compare(const void *a, const void *b)
{
    return ert_hosts_compare(*(char *const *)a, *(char *const *)b);
}

void ert_hosts_sort(struct ert_hosts *hosts)
{
    if (hosts->n > 0)
        qsort(hosts->names, hosts->n, sizeof *hosts->names, compare);
}

size_t ert_hosts_find(const struct ert_hosts *sorted, const char *name)
{
    char **found = sorted->n > 0 ? bsearch(&name, sorted->names, sorted->n,
                                           sizeof *sorted->names, compare)
                                 : NULL;
    return found ? (size_t)(found - sorted->names) : SIZE_MAX;
}

static enum ert_status add(struct ert_hosts *hosts, const char *name, const char *list,
                           size_t *capacity, struct ert_error *error)
{
    if (!ert_host_is_name(name))
        return ert_fail(error, ERT_USAGE, "host list '%.60s': '%.60s' is not a host name",
                        list, name);
    if (hosts->n >= ERT_HOSTS_MOST)
        return ert_fail(error, ERT_USAGE, "host list '%.60s': more than %d names", list,
                        ERT_HOSTS_MOST);
    hosts->names = ert_xgrow(hosts->names, hosts->n, capacity, sizeof *hosts->names);
    hosts->names[hosts->n++] = ert_xstrdup(name);
    return ERT_OK;
}

/* A list that is being expanded, and the names so far. */
struct pattern {
    const char *list; /* for errors */
    struct ert_hosts *hosts;
    size_t *capacity;
};

static enum ert_status expand(const struct pattern *about, const char *made,
                              const char *rest, struct ert_error *error);

/* Reads a number of *digits digits at *text; false if there is none, or it is too long. */
static bool number(const char **text, unsigned long *value, size_t *digits)
{
    *digits = strspn(*text, "0123456789");
    *value = *digits > 0 && *digits <= 9 ? strtoul(*text, NULL, 10) : 0;
    *text += *digits;
    return *digits > 0 && *digits <= 9;
}

/* Adds the names of one element of a bracket, "7" or "001-128", which ends at ',' or ']'. */
static enum ert_status range(const struct pattern *about, const char *made,
                             const char **text, const char *rest, struct ert_error *error)
{
    unsigned long first, last;
    size_t width, digits;
    const char *begin = *text;
    bool is_good = number(text, &first, &width);
    last = first;
    if (is_good && **text == '-') {
        ++*text;
        is_good = number(text, &last, &digits);
    }
    if (!is_good || (**text != ',' && **text != ']') || last < first)
        return ert_fail(error, ERT_USAGE,
                        "host list '%.60s': '[%.20s' is not a range such as [001-128,200]",
                        about->list, begin);
    for (unsigned long i = first; i <= last; i++) {
        char longer[ERT_HOST_TEXT + 1] = "";
        ert_append(longer, sizeof longer, "%s%0*lu", made, (int)width, i);
        ERT_TRY(expand(about, longer, rest, error));
    }
    return ERT_OK;
}

static enum ert_status expand(const struct pattern *about, const char *made,
                              const char *rest, struct ert_error *error)
{
    char longer[ERT_HOST_TEXT +
                1]; /* one byte more than a name may have, to detect longer ones */
    size_t plain = strcspn(rest, "[");
    snprintf(longer, sizeof longer, "%s%.*s", made, (int)plain, rest);
    if (!rest[plain] || strlen(longer) >= ERT_HOST_TEXT) /* each level makes it longer */
        return add(about->hosts, longer, about->list, about->capacity, error);
    const char *text = rest + plain + 1, *end = strchr(text, ']');
    if (!end)
        return ert_fail(error, ERT_USAGE, "host list '%.60s': a '[' has no ']'",
                        about->list);
    for (;; text++) {
        ERT_TRY(range(about, longer, &text, end + 1, error));
        if (*text == ']')
            return ERT_OK;
    }
}

/* Removes repeated names; the first one remains. */
static void drop_twice(struct ert_hosts *hosts)
{
    struct ert_strings names = {0};
    size_t n = hosts->n;
    hosts->n = 0;
    for (size_t i = 0; i < n; i++)
        if (ert_strings_index(&names, hosts->names[i]) == hosts->n)
            hosts->names[hosts->n++] = hosts->names[i];
        else
            free(hosts->names[i]);
    ert_strings_free(&names);
}

static enum ert_status expand_all(const char *list, struct ert_hosts *hosts,
                                  struct ert_error *error)
{
    static const char blanks[] = " \t\n";
    size_t capacity = 0;
    const struct pattern about = {list, hosts, &capacity};
    for (const char *at = list; *at;) {
        size_t length = 0;
        for (bool is_inside = false; at[length] && (is_inside || at[length] != ',');
             length++)
            is_inside = at[length] == '[' || (is_inside && at[length] != ']');
        char *word = ert_xprintf("%.*s", (int)length, at);
        char *begin = word + strspn(word, blanks), *end = begin + strcspn(begin, blanks);
        if (!end[strspn(end, blanks)]) /* blanks within a name make it invalid */
            *end = '\0';
        enum ert_status status =
            *begin ? expand(&about, "", begin, error)
                   : ert_fail(error, ERT_USAGE, "host list '%.60s': an empty name", list);
        free(word);
        ERT_TRY(status);
        at += length + (at[length] == ',');
        if (at[-1] == ',' && !*at)
            return ert_fail(error, ERT_USAGE, "host list '%.60s': an empty name", list);
    }
    return hosts->n ? ERT_OK : ert_fail(error, ERT_USAGE, "the host list is empty");
}

enum ert_status ert_hosts_expand(const char *list, struct ert_hosts *hosts,
                                 struct ert_error *error)
{
    *hosts = (struct ert_hosts){0};
    enum ert_status status = expand_all(list, hosts, error);
    if (status == ERT_OK)
        drop_twice(hosts);
    else
        ert_hosts_free(hosts);
    return status;
}

/* A name split at its last number. */
struct parts {
    size_t stem, digits; /* lengths of what precedes the number, and of the number */
    unsigned long value;
};

static struct parts parts_of(const char *name)
{
    size_t end = strlen(name);
    while (end > 0 && !isdigit((unsigned char)name[end - 1]))
        end--;
    size_t begin = end;
    while (begin > 0 && isdigit((unsigned char)name[begin - 1]) && end - begin < 9)
        begin--;
    return (struct parts){begin, end - begin, strtoul(name + begin, NULL, 10)};
}

/* Whether b can share a bracket with a: only the number differs, and padded numbers have equal widths. */
static bool are_alike(const char *a, const char *b)
{
    struct parts x = parts_of(a), y = parts_of(b);
    if (x.digits == 0 || y.digits == 0 || x.stem != y.stem || strncmp(a, b, x.stem) != 0 ||
        strcmp(a + x.stem + x.digits, b + y.stem + y.digits) != 0)
        return false;
    bool is_padded = a[x.stem] == '0' || b[y.stem] == '0';
    return x.digits == y.digits || (!is_padded && x.digits < y.digits);
}

/* Writes names[0..n), which can share a bracket, as one name. */
static void write_bracket(FILE *out, const char *const *names, size_t n)
{
    struct parts first = parts_of(names[0]);
    fprintf(out, "%.*s[", (int)first.stem, names[0]);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1;
             end < n && parts_of(names[end]).value == parts_of(names[end - 1]).value + 1;)
            end++;
        struct parts begin = parts_of(names[i]), last = parts_of(names[end - 1]);
        fprintf(out, "%s%.*s", i ? "," : "", (int)begin.digits, names[i] + begin.stem);
        if (end - i > 1)
            fprintf(out, "-%.*s", (int)last.digits, names[end - 1] + last.stem);
    }
    fprintf(out, "]%s", names[0] + first.stem + first.digits);
}

char *ert_hosts_compress(const char **names, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = ert_xcheck(open_memstream(&text, &size), 1);
    ert_hosts_sort(&(struct ert_hosts){(char **)names, n});
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || strcmp(names[kept - 1], names[i]) != 0)
            names[kept++] = names[i];
    n = kept;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && are_alike(names[end - 1], names[end]);)
            end++;
        fputs(i ? "," : "", out);
        if (end - i > 1)
            write_bracket(out, names + i, end - i);
        else
            fputs(names[i], out);
    }
    fclose(out);
    return ert_xcheck(text, size);
}

void ert_hosts_free(struct ert_hosts *hosts)
{
    for (size_t i = 0; i < hosts->n; i++)
        free(hosts->names[i]);
    free(hosts->names);
    *hosts = (struct ert_hosts){0};
}
