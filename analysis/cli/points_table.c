#include "analysis/cli/points_table.h"

#include "ert/base/units.h"

#include <math.h>
#include <string.h>

enum {
    MAX_KINDS = 10, /* of operations, and as many levels: the table has room for them */
    NAME_WIDTH = 56,
    MAX_NOTES = 64
};

/* The columns that the points need: types of operations and levels. */
struct columns {
    size_t n_work, n_levels;
    const struct rfl_work *work[MAX_KINDS];
    const char *levels[MAX_KINDS];
    char headers[MAX_KINDS][32];
    bool has_run;
};

static const struct rfl_work *find_work(const struct rfl_point *point,
                                        const struct rfl_work *like)
{
    for (size_t i = 0; i < point->n_work; i++)
        if (strcmp(point->work[i].type, like->type) == 0 &&
            strcmp(point->work[i].unit, like->unit) == 0)
            return &point->work[i];
    return NULL;
}

static enum ert_status add_level(struct columns *columns, const char *level,
                                 struct ert_error *error)
{
    for (size_t i = 0; i < columns->n_levels; i++)
        if (strcmp(columns->levels[i], level) == 0)
            return ERT_OK;
    if (columns->n_levels == MAX_KINDS)
        return ert_fail(error, ERT_USAGE,
                        "more than %d levels in all, %s is one too many: choose points, or "
                        "--output csv or json",
                        MAX_KINDS, level);
    columns->levels[columns->n_levels++] = level;
    return ERT_OK;
}

static enum ert_status add_work(struct columns *columns, const struct rfl_work *work,
                                struct ert_error *error)
{
    for (size_t i = 0; i < columns->n_work; i++)
        if (strcmp(columns->work[i]->type, work->type) == 0 &&
            strcmp(columns->work[i]->unit, work->unit) == 0)
            return ERT_OK;
    if (columns->n_work == MAX_KINDS)
        return ert_fail(error, ERT_USAGE,
                        "more than %d types of operations in all, %s %s is one too many: "
                        "choose points, or --output csv or json",
                        MAX_KINDS, work->type, work->unit);
    bool is_plain = !*work->unit || strcmp(work->unit, "core") == 0;
    snprintf(columns->headers[columns->n_work], sizeof columns->headers[0], "%s%s%s",
             work->type, is_plain ? "" : " ", is_plain ? "" : work->unit);
    columns->work[columns->n_work++] = work;
    return ERT_OK;
}

static enum ert_status find_columns(const struct rfl_points *points,
                                    struct columns *columns, struct ert_error *error)
{
    /* In this order where they are there; then the others as they come. */
    static const char *const usual[] = {"L1",  "shared", "L2",    "L3",
                                        "HBM", "DRAM",   "MCDRAM"};
    for (size_t u = 0; u < sizeof usual / sizeof usual[0]; u++)
        for (size_t i = 0; i < points->n; i++)
            if (rfl_point_traffic(&points->points[i], usual[u])) {
                ERT_TRY(add_level(columns, usual[u], error));
                break;
            }
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        columns->has_run = columns->has_run || *point->run;
        for (size_t w = 0; w < point->n_work; w++)
            ERT_TRY(add_work(columns, &point->work[w], error));
        for (size_t t = 0; t < point->n_traffic; t++)
            ERT_TRY(add_level(columns, point->traffic[t].level, error));
    }
    return ERT_OK;
}

static void add_headers(struct rfl_table *table, const struct columns *columns)
{
    rfl_table_column(table, "kernel", false);
    if (columns->has_run)
        rfl_table_column(table, "run", false);
    rfl_table_column(table, "launches", true);
    rfl_table_column(table, "time", true);
    for (size_t i = 0; i < columns->n_work; i++)
        rfl_table_column(table, columns->headers[i], true);
    for (size_t i = 0; i < columns->n_levels; i++)
        rfl_table_column(table, columns->levels[i], true);
    rfl_table_column(table, "missing", false);
}

static void add_missing(struct rfl_table *table, const struct rfl_point *point)
{
    char text[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < point->n_missing && used < sizeof text; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "",
                                 point->missing[i].what);
    rfl_table_cell(table, "%s", text);
}

static void add_operations(struct rfl_table *table, const struct rfl_work *work)
{
    char text[ERT_UNITS_TEXT];
    const char *unit = work && strncmp(work->type, "int", 3) == 0 ? "op" : "flop";
    if (!work)
        rfl_table_cell(table, "%s", "");
    else if (isnan(work->fma_share))
        rfl_table_cell(table, "%s", ert_units_amount(work->flops, unit, text));
    else
        rfl_table_cell(table, "%s, %.0f %% FMA", ert_units_amount(work->flops, unit, text),
                       100 * work->fma_share);
}

static void add_row(struct rfl_table *table, const struct columns *columns,
                    const struct rfl_point *point)
{
    char text[ERT_UNITS_TEXT];
    bool is_long = strlen(point->name) > NAME_WIDTH;
    rfl_table_cell(table, "%.*s%s", is_long ? NAME_WIDTH - 3 : NAME_WIDTH, point->name,
                   is_long ? "..." : "");
    if (columns->has_run)
        rfl_table_cell(table, "%s", point->run);
    if (point->launches > 0)
        rfl_table_cell(table, "%.0f", point->launches);
    else
        rfl_table_cell(table, "%s", "");
    rfl_table_cell(table, "%s",
                   point->time_s > 0 ? ert_units_time(point->time_s, text) : "");
    for (size_t i = 0; i < columns->n_work; i++)
        add_operations(table, find_work(point, columns->work[i]));
    for (size_t i = 0; i < columns->n_levels; i++) {
        const struct rfl_traffic *traffic = rfl_point_traffic(point, columns->levels[i]);
        rfl_table_cell(table, "%s",
                       traffic ? ert_units_amount(traffic->bytes, "B", text) : "");
    }
    add_missing(table, point);
    rfl_table_end_row(table);
}

/* Texts that stand below the table, each once: kept by the points, so equal ones are one pointer. */
struct notes {
    size_t n, n_more;
    struct {
        const char *head, *text;
        const char *name; /* of the first point that has it */
        size_t n_points;
    } list[MAX_NOTES];
};

static void add_note(struct notes *notes, const char *head, const char *text,
                     const char *name)
{
    size_t i = 0;
    while (i < notes->n && (strcmp(notes->list[i].text, text) != 0 ||
                            strcmp(notes->list[i].head, head) != 0))
        i++;
    if (i == MAX_NOTES) {
        notes->n_more++;
        return;
    }
    if (i == notes->n) {
        notes->list[notes->n].head = head;
        notes->list[notes->n].text = text;
        notes->list[notes->n].name = name;
        notes->list[notes->n++].n_points = 0;
    }
    notes->list[i].n_points++;
}

static void write_notes(const struct notes *notes, const char *title, size_t n_points,
                        bool is_list, FILE *out)
{
    if (notes->n)
        fprintf(out, "\n%s\n%s", title, is_list ? "\n" : "");
    for (size_t i = 0; i < notes->n; i++) {
        fprintf(out, "%s%s%s%s", is_list ? "- " : "  ", notes->list[i].head,
                *notes->list[i].head ? ": " : "", notes->list[i].text);
        if (notes->list[i].n_points < n_points && notes->list[i].n_points > 1)
            fprintf(out, " (%.60s and %zu more)", notes->list[i].name,
                    notes->list[i].n_points - 1);
        else if (notes->list[i].n_points < n_points)
            fprintf(out, " (%.60s)", notes->list[i].name);
        fputc('\n', out);
    }
    if (notes->n_more)
        fprintf(out, "%sand %zu more; --output csv has all\n", is_list ? "- " : "  ",
                notes->n_more);
}

static void write_all_notes(const struct rfl_points *points, bool is_list, FILE *out)
{
    struct notes recipes = {.n = 0}, missing = {.n = 0}, warnings = {.n = 0};
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        if (*point->time_recipe)
            add_note(&recipes, "time", point->time_recipe, point->name);
        for (size_t w = 0; w < point->n_work; w++)
            add_note(&recipes, point->work[w].type, point->work[w].recipe, point->name);
        for (size_t t = 0; t < point->n_traffic; t++)
            add_note(&recipes, point->traffic[t].level, point->traffic[t].recipe,
                     point->name);
        for (size_t m = 0; m < point->n_missing; m++)
            add_note(&missing, point->missing[m].what, point->missing[m].reason,
                     point->name);
        for (size_t w = 0; w < point->n_warnings; w++)
            add_note(&warnings, "", point->warnings[w], point->name);
    }
    write_notes(&recipes, "counted as", points->n, is_list, out);
    write_notes(&missing, "missing", points->n, is_list, out);
    write_notes(&warnings, "to be looked at", points->n, is_list, out);
}

/* A row per count, all in SI units: what a spreadsheet wants. */
static void add_csv_row(struct rfl_table *table, const struct rfl_point *point,
                        const char *what, const char *unit, double value, const char *note)
{
    rfl_table_cell(table, "%s", point->name);
    rfl_table_cell(table, "%s", point->run);
    rfl_table_cell(table, "%s", what);
    rfl_table_cell(table, "%s", unit);
    if (value > 0)
        rfl_table_cell(table, "%.17g", value);
    else
        rfl_table_cell(table, "%s", "");
    rfl_table_cell(table, "%s", note);
    rfl_table_end_row(table);
}

static void add_csv_rows(struct rfl_table *table, const struct rfl_point *point)
{
    const struct {
        const char *what, *unit;
        double value;
        const char *note;
    } plain[] = {
        {"time",         "s",    point->time_s,          point->time_recipe},
        {"launches",     "",     point->launches,        ""                },
        {"instructions", "",     point->instructions,    ""                },
        {"clock",        "Hz",   point->clock_hz,        ""                },
        {"memory clock", "Hz",   point->memory_clock_hz, ""                },
        {"warps per SM", "warp", point->warps_per_sm,    ""                },
        {"threads",      "",     point->threads,         ""                },
        {"registers",    "",     point->registers,       ""                },
        {"energy",       "J",    point->energy_j,        ""                },
    };
    char what[64];
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (plain[i].value > 0)
            add_csv_row(table, point, plain[i].what, plain[i].unit, plain[i].value,
                        plain[i].note);
    for (size_t w = 0; w < point->n_work; w++) {
        const struct rfl_work *work = &point->work[w];
        snprintf(what, sizeof what, "%s%s%s", work->type, *work->unit ? " " : "",
                 work->unit);
        add_csv_row(table, point, what, "op", work->flops, work->recipe);
        if (work->fma_share >= 0)
            add_csv_row(table, point, what, "FMA share", work->fma_share, work->recipe);
    }
    for (size_t t = 0; t < point->n_traffic; t++)
        add_csv_row(table, point, point->traffic[t].level, "byte", point->traffic[t].bytes,
                    point->traffic[t].recipe);
    for (size_t m = 0; m < point->n_missing; m++)
        add_csv_row(table, point, point->missing[m].what, "missing", 0,
                    point->missing[m].reason);
    for (size_t w = 0; w < point->n_warnings; w++)
        add_csv_row(table, point, "warning", "", 0, point->warnings[w]);
}

/* Point by point: a list of 100,000 launches has a million rows. */
static enum ert_status write_csv(FILE *out, const struct rfl_points *points,
                                 struct ert_error *error)
{
    static const char *const headers[] = {"kernel", "run", "what", "unit", "value", "note"};
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < points->n && status == ERT_OK; i++) {
        struct rfl_table table = {.is_continued = i > 0};
        for (size_t h = 0; h < sizeof headers / sizeof headers[0]; h++)
            rfl_table_column(&table, headers[h], false);
        add_csv_rows(&table, &points->points[i]);
        status = rfl_table_write(&table, RFL_TABLE_CSV, out, error);
        rfl_table_free(&table);
    }
    return status;
}

enum ert_status rfl_points_table(FILE *out, const struct rfl_points *points,
                                 enum rfl_table_format format, struct ert_error *error)
{
    struct rfl_table table = {.n_columns = 0};
    struct columns columns = {.n_work = 0};
    if (format == RFL_TABLE_CSV)
        return write_csv(out, points, error);
    ERT_TRY(find_columns(points, &columns, error));
    add_headers(&table, &columns);
    for (size_t i = 0; i < points->n; i++)
        add_row(&table, &columns, &points->points[i]);
    enum ert_status status = rfl_table_write(&table, format, out, error);
    rfl_table_free(&table);
    if (status == ERT_OK)
        write_all_notes(points, format == RFL_TABLE_MARKDOWN, out);
    return status;
}
