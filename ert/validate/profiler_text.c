/* profiler_text: what perf and likwid print, as numbers. */
#include "ert/validate/profiler.h"
#include "ert/validate/tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line behind the text's first line that begins with the words, or NULL. */
static const char *find_line(const char *text, const char *words)
{
    size_t length = strlen(words);
    while (*text) {
        if (strncmp(text, words, length) == 0)
            return text + length;
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    return NULL;
}

/* "8000,,r10c7:u,1000,100.00,," or "<not supported>,,r10c7:u,0,100.00,,". */
enum ert_status ert_profiler_perf(const char *text, const char *event, double *count,
                                  struct ert_error *error)
{
    char line[256];
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
        char *unit = strchr(line, ',');
        char *at = unit ? strchr(unit + 1, ',') : NULL;
        if (!at || strncmp(at + 1, event, strlen(event)) != 0 ||
            at[1 + strlen(event)] != ',')
            continue;
        char *end;
        *count = strtod(line, &end);
        if (end == unit)
            return ERT_OK;
        *unit = '\0';
        return ert_fail(error, ERT_UNAVAILABLE, "perf: %s: %s", event, line);
    }
    return ert_fail(error, ERT_UNAVAILABLE, "perf: no line for the event %s", event);
}

static double number_behind(const char *text, const char *words)
{
    const char *at = find_line(text, words);
    char *end;
    if (!at)
        return NAN;
    double value = strtod(at, &end);
    return end == at ? NAN : value;
}

/*
 * One core: "DP [MFLOP/s],123.4," next to "Runtime (RDTSC) [s],0.5,"; "Memory data volume
 * [GBytes],12.3,".
 */
enum ert_status ert_profiler_likwid(const char *text, double *flops, double *bytes,
                                    struct ert_error *error)
{
    static const char *const words[] = {"Cannot", "ERROR", "annot", NULL};
    char line[256];
    *flops = 1e6 * number_behind(text, "DP [MFLOP/s],") *
             number_behind(text, "Runtime (RDTSC) [s],");
    *bytes = 1e9 * number_behind(text, "Memory data volume [GBytes],");
    if (isfinite(*flops) || isfinite(*bytes))
        return ERT_OK;
    ert_tool_line(text, words, line, sizeof line);
    return ert_fail(error, ERT_UNAVAILABLE, "likwid-perfctr: %s",
                    *line ? line : "printed nothing");
}
