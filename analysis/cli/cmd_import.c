/* roofline import: profiles of other tools as a table and as points.json. */
#include "analysis/cli/commands.h"

#include "analysis/import/ert_json.h"
#include "analysis/import/import.h"
#include "analysis/points_json.h"
#include "analysis/table.h"
#include "ert/base/units.h"
#include "ert/ceilings/table.h"

#include <math.h>
#include <string.h>

enum { MAX_FILES = 1024 };

struct options {
    const char *out, *output, *l2, *kernel;
    bool list;
};

static const char *const outputs[] = {"text", "json", "csv", "markdown", NULL};
static const char *const l2_choices[] = {"sm", "lts", NULL};

static const struct ert_opt rows[] = {
    RFL_OPT("out", TEXT, out, "FILE",
            "also write the points to FILE, as `roofline place` and `plot` read them"),
    RFL_OPT_OF("output", output, "FORM",
               "of the table (default text); csv has SI units, json is points.json",
               outputs),
    RFL_OPT_FLAG(
        "list", list,
        "each launch a point of its own (default: launches of a kernel are summed)"),
    RFL_OPT("kernel", TEXT, kernel, "TEXT",
            "only kernels or regions that have this in their full name"),
    RFL_OPT_OF("l2", l2, "WHICH",
               "ncu: L2 bytes to and from the SMs, or all that L2 serves, lts__t_bytes "
               "(default sm where it was counted)",
               l2_choices),
};

/* ---- points as a table, with what is missing under it ---- */

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

static enum ert_status fail_kinds(const char *what, const char *name, const char *unit,
                                  struct ert_error *error)
{
    return ert_fail(error, ERT_USAGE,
                    "more than %d %s in all, %s%s%s is one too many: choose points, or "
                    "--output csv or json",
                    MAX_KINDS, what, name, *unit ? " " : "", unit);
}

static enum ert_status add_level(struct columns *columns, const char *level,
                                 struct ert_error *error)
{
    for (size_t i = 0; i < columns->n_levels; i++)
        if (strcmp(columns->levels[i], level) == 0)
            return ERT_OK;
    if (columns->n_levels == MAX_KINDS)
        return fail_kinds("levels", level, "", error);
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
        return fail_kinds("types of operations", work->type, work->unit, error);
    columns->work[columns->n_work++] = work;
    return ERT_OK;
}

static enum ert_status find_columns(const struct rfl_points *points,
                                    struct columns *columns, struct ert_error *error)
{
    /* In this order where they are there; then the others as they come. */
    static const char *const usual[] = {"L1",  "shared", "L2",    "L3",
                                        "HBM", "DRAM",   "MCDRAM"};
    for (size_t u = 0; u < ERT_LENGTH(usual); u++)
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
    rfl_table_columns(table, columns->has_run ? "kernel|run|>launches|>time"
                                              : "kernel|>launches|>time");
    for (size_t i = 0; i < columns->n_work; i++) {
        const char *type = columns->work[i]->type, *unit = columns->work[i]->unit;
        bool is_plain = !*unit || strcmp(unit, "core") == 0;
        char header[32];
        snprintf(header, sizeof header, "%s%s%s", type, is_plain ? "" : " ",
                 is_plain ? "" : unit);
        rfl_table_column(table, header, true);
    }
    for (size_t i = 0; i < columns->n_levels; i++)
        rfl_table_column(table, columns->levels[i], true);
    rfl_table_columns(table, "missing");
}

static void add_missing(struct rfl_table *table, const struct rfl_point *point)
{
    char text[512] = "";
    for (size_t i = 0; i < point->n_missing; i++)
        ert_list_add(text, sizeof text, point->missing[i].what);
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
    rfl_table_cell(table, point->launches > 0 ? "%.0f" : "", point->launches);
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
    char text[32] = "";
    if (value > 0)
        snprintf(text, sizeof text, "%.17g", value);
    rfl_table_row(table,
                  (const char *const[]){point->name, point->run, what, unit, text, note});
}

static void add_csv_rows(struct rfl_table *table, const struct rfl_point *point)
{
    char what[64];
    for (size_t i = 0; i < RFL_N_POINT_NUMBERS; i++) {
        const struct rfl_point_number *number = &rfl_point_numbers[i];
        double value = *(const double *)((const char *)point + number->offset);
        if (value > 0 && number->name)
            add_csv_row(table, point, number->name, number->unit, value,
                        i == 0 ? point->time_recipe : "");
    }
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
static void write_csv(FILE *out, const struct rfl_points *points)
{
    for (size_t i = 0; i < points->n; i++) {
        struct rfl_table table = {.is_continued = i > 0};
        rfl_table_columns(&table, "kernel|run|what|unit|value|note");
        add_csv_rows(&table, &points->points[i]);
        rfl_table_write(&table, RFL_TABLE_CSV, out);
    }
}

/*
 * A row per point. Text and Markdown have units and, below, the notes: recipes, reasons, warnings. CSV has
 * SI numbers and the notes as columns.
 */
static enum ert_status write_table(FILE *out, const struct rfl_points *points,
                                   enum rfl_table_format format, struct ert_error *error)
{
    struct rfl_table table = {.n_columns = 0};
    struct columns columns = {.n_work = 0};
    if (format == RFL_TABLE_CSV)
        write_csv(out, points);
    if (format == RFL_TABLE_CSV)
        return ERT_OK;
    ERT_TRY(find_columns(points, &columns, error));
    add_headers(&table, &columns);
    for (size_t i = 0; i < points->n; i++)
        add_row(&table, &columns, &points->points[i]);
    rfl_table_write(&table, format, out);
    write_all_notes(points, format == RFL_TABLE_MARKDOWN, out);
    return ERT_OK;
}

/* ---- the command ---- */

static enum ert_status print(const struct rfl_points *points, const char *output,
                             struct ert_error *error)
{
    return strcmp(output, "json") == 0
               ? rfl_points_print(stdout, points, error)
               : write_table(stdout, points, rfl_table_format(output), error);
}

static enum ert_status import(const struct options *options,
                              const struct rfl_importer *importer, const char **files,
                              size_t n, struct rfl_points *points, struct ert_error *error)
{
    const struct rfl_import_options how = {options->list, options->l2, options->kernel};
    for (size_t i = 0; i < n; i++)
        ERT_TRY(rfl_import_file(files[i], importer, &how, points, error));
    if (options->out)
        ERT_TRY(rfl_points_write(options->out, points, error));
    return print(points, options->output, error);
}

/* LBNL ERT's results are ceilings, not points: of them is made a ceilings.json. */
static const char ert_format[] = "ert-json";

static enum ert_status import_ceilings(const struct options *options, const char **files,
                                       size_t n, struct ert_error *error)
{
    struct ert_ceilings ceilings = {0};
    if (n != 1 || options->list || options->l2 || options->kernel ||
        strcmp(options->output, "text") != 0)
        return ert_fail(error, ERT_USAGE,
                        "import %s: takes one file and no option but --out", ert_format);
    ERT_TRY(rfl_ert_read(files[0], &ceilings, error));
    enum ert_status status =
        options->out ? ert_ceilings_write(options->out, &ceilings, error) : ERT_OK;
    if (status == ERT_OK)
        ert_ceilings_table(stdout, &ceilings);
    ert_ceilings_free(&ceilings);
    return status;
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text"};
    const struct rfl_importer *importer = NULL;
    const char *words[MAX_FILES + 1];
    size_t n_words = 0;
    struct rfl_points points = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words,
                          MAX_FILES + 1, &n_words, error));
    if (n_words < 2)
        return ert_fail(error, ERT_USAGE,
                        "import: needs a format (or auto) and a file; `roofline import "
                        "--help` lists the formats");
    if (strcmp(words[0], ert_format) == 0)
        return import_ceilings(&options, words + 1, n_words - 1, error);
    if (strcmp(words[0], "auto") != 0)
        ERT_TRY(rfl_importer_find(words[0], &importer, error));
    enum ert_status status =
        import(&options, importer, words + 1, n_words - 1, &points, error);
    rfl_points_free(&points);
    return status;
}

static void notes(FILE *out)
{
    size_t n;
    const struct rfl_importer *const *all = rfl_importers(&n);
    fprintf(out, "\nFormats, and how such files are made:\n");
    fprintf(out, "  %-14s%s\n", "auto", "what the file looks like; points.json too");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-14s%s\n                  %s\n", all[i]->name, all[i]->summary,
                all[i]->how);
    fprintf(out,
            "\nCeilings:\n  %-14sroofline.json of LBNL's ERT; --out FILE makes a "
            "ceilings.json of it\n",
            ert_format);
}

const struct ert_command rfl_command_import = {
    .name = "import",
    .words = "FORMAT|auto FILE...",
    .summary = "profiles of other tools as points: operations, bytes per level, time",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run,
    .notes = notes,
};
