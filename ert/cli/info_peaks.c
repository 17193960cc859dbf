/* The table of theoretical peaks, info_text.h's ert_info_print_peaks. */
#include "ert/base/units.h"
#include "ert/cli/info_text.h"

#include <stdbool.h>
#include <string.h>

/* Texts that rows share, in order of appearance: their number stands in the row. */
struct texts {
    const char *text[ERT_MAX_PEAKS];
    size_t n;
};

static size_t number_of(struct texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->n; i++)
        if (strcmp(texts->text[i], text) == 0)
            return i + 1;
    texts->text[texts->n++] = text;
    return texts->n;
}

static void print_row(FILE *out, const struct ert_peak *peak, size_t source)
{
    bool is_flop = peak->unit == ERT_PEAK_FLOP_PER_S;
    char text[ERT_UNITS_TEXT];
    /* Without a clock the part that is known is still worth reading. */
    snprintf(text, sizeof text, "%.6g %s/clock", peak->per_clock, is_flop ? "flop" : "B");
    const char *value = text;
    if (peak->value > 0)
        value = is_flop ? ert_units_performance(peak->value, text)
                        : ert_units_bandwidth(peak->value, text);
    fprintf(out, "  %-16s %-6s %14s   %s [%zu]\n", peak->name,
            peak->clock[0] ? peak->clock : "-", value, peak->formula, source);
}

/* Rows without even a formula: one paragraph per reason. */
static void print_unknown(FILE *out, const struct ert_peak *peaks, size_t n_peaks)
{
    struct texts reasons = {.n = 0};
    for (size_t i = 0; i < n_peaks; i++) {
        size_t known = reasons.n;
        if (peaks[i].unknown[0] == '\0' || number_of(&reasons, peaks[i].unknown) <= known)
            continue;
        char text[1024] = "";
        for (size_t j = i; j < n_peaks; j++) {
            if (strcmp(peaks[j].unknown, peaks[i].unknown) != 0)
                continue;
            size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                     peaks[j].name);
        }
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ": %s", peaks[i].unknown);
        ert_info_print_wrapped(out, "  unknown  ", text);
    }
}

void ert_info_print_peaks(FILE *out, const struct ert_peak *peaks, size_t n_peaks)
{
    struct texts sources = {.n = 0};
    fprintf(out, "\n  %-16s %-6s %14s   %s\n", "peak", "clock", "value",
            "formula [source]");
    for (size_t i = 0; i < n_peaks; i++)
        if (peaks[i].formula[0])
            print_row(out, &peaks[i], number_of(&sources, peaks[i].source));
    print_unknown(out, peaks, n_peaks);
    for (size_t i = 0; i < sources.n; i++) {
        char first[32];
        snprintf(first, sizeof first, "  [%zu] ", i + 1);
        ert_info_print_wrapped(out, first, sources.text[i]);
    }
}
