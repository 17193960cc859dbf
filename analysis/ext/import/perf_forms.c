/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * For readers (linux/tools/perf/util/stat-display.c): "S0  2   1,234.56 msec task-clock  # 1.0 CPUs utilized
 * (83.33%)"; the time stands below, "5.57 seconds time elapsed". JSON: an object a line, "counter-value".
 */
#include "analysis/ext/import/perf_forms.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 16 };

static void form_put(struct ert_lines *lines, const char *row)
{
    const size_t size = strlen(row) + 1;
    if (size > lines->capacity) {
        lines->line = ert_xrealloc(lines->line, size, 1);
        lines->capacity = size;
    }
    memcpy(lines->line, row, size);
}

/* Takes the commas between groups of three digits: "1,234.56". Other commas stay: another locale's. */
static void form_ungroup(char *number)
{
    const size_t lead = strspn(number, "0123456789");
    bool is_grouped = lead > 0 && lead <= 3;
    for (const char *at = number + lead; is_grouped && *at && *at != '.'; at += 4)
        is_grouped = *at == ',' && strspn(at + 1, "0123456789") == 3;
    char *to = number;
    for (const char *from = number; is_grouped && (*to = *from); from++)
        to += *from != ',';
}

/* "<not counted>" and "<not supported>" are one word. */
static size_t form_words(char *text, char *words[MAX_WORDS])
{
    size_t n = 0;
    for (char *at = text; n < MAX_WORDS;) {
        at += strspn(at, " ");
        if (!*at || *at == '#' || *at == '(')
            break;
        words[n++] = at;
        at += *at == '<' ? strcspn(at, ">") + 1 : strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    return n;
}

static bool form_is_value(const char *word)
{
    return isdigit((unsigned char)*word) || *word == '<';
}

static bool form_is_unit(const char *word)
{
    static const char *const units[] = {"msec", "ns", "sec", "Joules", "MiB", "C"};
    for (size_t i = 0; i < ERT_LENGTH(units); i++)
        if (strcmp(word, units[i]) == 0)
            return true;
    return false;
}

static void form_of_text(struct ert_lines *lines)
{
    char row[512] = "", *words[MAX_WORDS];
    const char *percent = strrchr(lines->line, '(');
    double ran = 100;
    if (percent && sscanf(percent, "(%lf%%)", &ran) != 1)
        ran = 100; /* a variance of -r */
    char *text = ert_xprintf("%s", lines->line);
    const size_t n = form_words(text, words);
    size_t at = 0;
    while (at + 1 < n &&
           !(form_is_value(words[at]) && isalpha((unsigned char)*words[at + 1])))
        at++;
    const bool has_unit = at + 2 < n && form_is_unit(words[at + 1]);
    char *end =
        NULL; /* "5,57" of another locale is left out: the other numbers are refused */
    const double time_s = n ? strtod(words[0], &end) : 0;
    if (n >= 4 && strcmp(words[n - 1], "elapsed") == 0 && !*end) {
        ert_append(row, sizeof row, "%.0f\tns\ttime_elapsed\t1\t100", 1e9 * time_s);
    } else if (at + 1 < n && (has_unit || strcmp(words[at + 1], "seconds") != 0)) {
        for (size_t i = 0; i < at; i++)
            ert_append(row, sizeof row, "%s\t", words[i]);
        form_ungroup(words[at]);
        ert_append(row, sizeof row, "%s\t%s\t%s\t1\t%g", words[at],
                   has_unit ? words[at + 1] : "", words[at + 1 + has_unit], ran);
    }
    if (*row)
        form_put(lines, row);
    free(text);
}

static void form_of_json(struct ert_lines *lines)
{
    /* In the order of the cells; where: all that tell one of several counters of an event. */
    static const char *const keys[] = {"interval",      "socket",      "die",   "cluster",
                                       "core",          "node",        "cpu",   "thread",
                                       "counter-value", "unit",        "event", "cgroup",
                                       "event-runtime", "pcnt-running"};
    char row[512] = "";
    cJSON *root = cJSON_Parse(lines->line);
    for (size_t i = 0; i < ERT_LENGTH(keys); i++) {
        const cJSON *cell = cJSON_GetObjectItemCaseSensitive(root, keys[i]);
        const char *end = i + 1 < ERT_LENGTH(keys) ? "\t" : "";
        if (cJSON_IsString(cell))
            ert_append(row, sizeof row, "%s%s%s", strcmp(keys[i], "cpu") ? "" : "CPU",
                       cell->valuestring, end); /* as -x names it */
        else if (cJSON_IsNumber(cell))
            ert_append(row, sizeof row, "%.15g%s", cell->valuedouble, end);
    }
    cJSON_Delete(root);
    form_put(lines, row);
}

void rfl_perf_form(struct ert_lines *lines, bool *is_text)
{
    const char *line = lines->line;
    if (strstr(line, "Performance counter stats for") || strstr(line, "counts unit events"))
        *is_text = true;
    else if (*line == '{' && strstr(line, "\"counter-value\""))
        form_of_json(lines);
    else if (*is_text)
        form_of_text(lines);
}
