#include "ert/cli/validate_text.h"

#include "ert/ceilings/columns.h"
#include "ert/validate/claims.h"

#include <stdlib.h>
#include <string.h>

enum column { NAME, VERDICT, BYTES, FLOPS, DEEPER, HITS, CODE };

static const struct ert_columns_row head = {
    {"ceiling", "verdict", "bytes", "operations", "deeper", "hit rate", "machine code"}
};

/* Counted by the profiler / counted here; "-" where there is none. */
static void set_ratio(char cell[ERT_COLUMN_TEXT], double ratio)
{
    if (ratio > 0)
        snprintf(cell, ERT_COLUMN_TEXT, "%.4f", ratio);
    else
        snprintf(cell, ERT_COLUMN_TEXT, "-");
}

static void set_percent(char cell[ERT_COLUMN_TEXT], double share)
{
    if (share > 0)
        snprintf(cell, ERT_COLUMN_TEXT, "%.2f %%", 100 * share);
    else
        snprintf(cell, ERT_COLUMN_TEXT, "-");
}

static bool is_word(const char *word, const char *wanted)
{
    return strcmp(word, wanted) == 0;
}

/*
 * Differs when a part does, agrees when a part does and none differs. only: the one part of this run,
 * or NULL; what an earlier run left in the file about the other part is not this one's verdict.
 */
static const char *verdict_of(const struct ert_proof *proof, const char *only)
{
    const char *const parts[] = {!only || is_word(only, "code") ? proof->code : "",
                                 !only || is_word(only, "counters") ? proof->counters : ""};
    if (is_word(parts[0], ERT_DIFFERS) || is_word(parts[1], ERT_DIFFERS))
        return ERT_DIFFERS;
    if (is_word(parts[0], ERT_AGREES) || is_word(parts[1], ERT_AGREES))
        return ERT_AGREES;
    return ERT_NOT_THERE;
}

static void fill_row(struct ert_columns_row *row, const struct ert_ceiling *ceiling,
                     const char *only)
{
    const struct ert_proof *proof = &ceiling->proof;
    bool counted =
        is_word(proof->counters, ERT_AGREES) || is_word(proof->counters, ERT_DIFFERS);
    snprintf(row->cells[NAME], ERT_COLUMN_TEXT, "%s", ceiling->name);
    snprintf(row->cells[CODE], ERT_COLUMN_TEXT, "%s",
             is_word(proof->code, ERT_AGREES) ? proof->code_text : proof->code);
    set_ratio(row->cells[BYTES], counted ? proof->bytes_ratio : 0);
    set_ratio(row->cells[FLOPS], counted ? proof->flops_ratio : 0);
    set_percent(row->cells[DEEPER], counted ? proof->deeper_share : 0);
    set_percent(row->cells[HITS], counted ? proof->hit_rate : 0);
    snprintf(row->cells[VERDICT], ERT_COLUMN_TEXT, "%s", verdict_of(proof, only));
}

/*
 * What does not agree, and why; ceilings next to each other with the same words share a line.
 */
static void print_part(FILE *out, const char *part, const struct ert_replay *replays,
                       size_t n, bool counters)
{
    for (size_t i = 0, last; i < n; i = last + 1) {
        const struct ert_proof *proof = &replays[i].ceiling->proof;
        const char *word = counters ? proof->counters : proof->code;
        const char *text = counters ? proof->counters_text : proof->code_text;
        for (last = i; last + 1 < n; last++) {
            const struct ert_proof *next = &replays[last + 1].ceiling->proof;
            if (strcmp(counters ? next->counters_text : next->code_text, text) != 0 ||
                strcmp(counters ? next->counters : next->code, word) != 0)
                break;
        }
        if (!*text || is_word(word, ERT_AGREES))
            continue;
        fprintf(out, "  %s: %s", part, replays[i].ceiling->name);
        if (last > i)
            fprintf(out, " and %zu more", last - i);
        fprintf(out, ": %s: %s\n", word, text);
    }
}

void ert_validate_print_conditions(FILE *out, const struct ert_device_ceilings *ceilings,
                                   const struct ert_condition *conditions, size_t n)
{
    struct ert_columns_row rows[ERT_MAX_CONDITIONS + 2] = {{{"condition", "verdict"}}};
    for (size_t i = 0; i < n; i++) {
        snprintf(rows[i + 1].cells[0], ERT_COLUMN_TEXT, "%s", conditions[i].name);
        snprintf(rows[i + 1].cells[1], ERT_COLUMN_TEXT, "%s",
                 ert_condition_word(conditions[i].verdict));
        snprintf(rows[i + 1].cells[2], ERT_COLUMN_TEXT, "%s", conditions[i].text);
    }
    snprintf(rows[n + 1].cells[0], ERT_COLUMN_TEXT, "trust");
    snprintf(rows[n + 1].cells[1], ERT_COLUMN_TEXT, "%s",
             ceilings->trusted ? "good" : "bad");
    snprintf(rows[n + 1].cells[2], ERT_COLUMN_TEXT, "%.160s",
             ceilings->trusted ? "the run is trusted" : ceilings->distrust);
    ert_columns_write(out, rows, n + 2);
    fputc('\n', out);
}

void ert_validate_print(FILE *out, const struct ert_replay *replays, size_t n,
                        const char *only, struct ert_validate_counts *counts)
{
    struct ert_columns_row *rows = calloc(n + 1, sizeof *rows);
    if (!rows) {
        fprintf(out, "  no memory for a table of %zu ceilings\n", n);
        return;
    }
    rows[0] = head;
    for (size_t i = 0; i < n; i++) {
        fill_row(&rows[i + 1], replays[i].ceiling, only);
        counts->n_agree += is_word(rows[i + 1].cells[VERDICT], ERT_AGREES);
        counts->n_differ += is_word(rows[i + 1].cells[VERDICT], ERT_DIFFERS);
    }
    counts->n += n;
    ert_columns_write(out, rows, n + 1);
    free(rows);
    print_part(out, "code", replays, n, false);
    print_part(out, "counters", replays, n, true);
}
