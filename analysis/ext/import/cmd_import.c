/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline import: profiles of other tools as a table and as points.json. */
#include "analysis/cli/commands.h"

#include "analysis/core/points/levels.h"
#include "analysis/core/points/table.h"
#include "analysis/ext/import/import.h"
#include "analysis/ext/json/json.h"
#include "ert/core/base/units.h"

#include <math.h>
#include <string.h>

enum { MAX_FILES = 1024 };

struct options {
    const char *out, *output, *kernel;
    double cc;
    bool list, are_ranks, are_joined;
};

static const char *const outputs[] = {"text", "json", "markdown", NULL};

static const struct ert_opt rows[] = {
    ERT_OPT("out", TEXT, out, "FILE",
            "also write the points to FILE, as `roofline place` and `plot` read them"),
    ERT_OPT_OF("output", output, "FORM",
               "output format (default text); json is points.json", outputs),
    ERT_OPT_SWITCH("list", list,
                   "make each launch a point (default: sum the launches of a kernel)"),
    ERT_OPT("kernel", TEXT, kernel, "TEXT",
            "only kernels or regions with this in their full name"),
    ERT_OPT_WITHIN("cc", NUMBER, cc, "N", "compute capability, if an ncu profile has none",
                   3, 99),
    ERT_OPT_SWITCH("ranks", are_ranks,
                   "the files are of processes that ran at once: sum their work"),
    ERT_OPT_SWITCH(
        "join", are_joined,
        "the files are of tools that each ran the same program: one point of all"),
};

/* ---- points as a table, with what is missing under it ---- */

enum { NAME_WIDTH = 56, MAX_NOTES = 64 };

/* "fp64", "fp64 core", "fp16 tensor": operations of a type on a unit. */
static const char *name_work(const struct rfl_work *work, char name[32])
{
    snprintf(name, 32, "%s%s%s", work->type, *work->unit ? " " : "", work->unit);
    return name;
}

/* The columns that the points need: types of operations and levels, each once. */
struct columns {
    struct ert_strings work, levels;
    bool has_run;
};

static void find_columns(const struct rfl_points *points, struct columns *columns)
{
    char name[32];
    for (int rank = 0; rank <= RFL_N_LEVELS; rank++)
        for (size_t i = 0; i < points->n; i++)
            for (size_t t = 0; t < points->points[i].n_traffic; t++)
                if (rfl_level_rank(points->points[i].traffic[t].level) == rank)
                    ert_strings_keep(&columns->levels, points->points[i].traffic[t].level);
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        columns->has_run = columns->has_run || *point->run;
        for (size_t w = 0; w < point->n_work; w++)
            ert_strings_keep(&columns->work, name_work(&point->work[w], name));
    }
}

/* Writes the operations of this name as "1.967 Tflop, 50 % FMA"; "" without any. */
static void add_operations(struct rfl_table *table, const struct rfl_point *point,
                           const char *wanted)
{
    const struct rfl_work *work = NULL;
    struct ert_text text = {""};
    char name[32];
    for (size_t i = 0; i < point->n_work && !work; i++)
        work =
            strcmp(name_work(&point->work[i], name), wanted) == 0 ? &point->work[i] : NULL;
    if (work)
        text = ert_units_amount(work->flops,
                                strncmp(work->type, "int", 3) == 0 ? "op" : "flop");
    if (!work || isnan(work->fma_share))
        rfl_table_texts(table, text.text, NULL);
    else
        rfl_table_cell(table, "%s, %.0f %% FMA", text.text, 100 * work->fma_share);
}

static void cmd_import_add_row(struct rfl_table *table, const struct columns *columns,
                               const struct rfl_point *point)
{
    char name[NAME_WIDTH + 1], missing[512] = "";
    rfl_name_cut(point->name, name, sizeof name);
    rfl_table_texts(table, name, NULL);
    if (columns->has_run)
        rfl_table_texts(table, point->run, NULL);
    rfl_table_cell(table, point->launches > 0 ? "%.0f" : "", point->launches);
    rfl_table_texts(table, point->time_s > 0 ? ert_units_time(point->time_s).text : "",
                    NULL);
    for (size_t i = 0; i < columns->work.n_texts; i++)
        add_operations(table, point, columns->work.texts[i]);
    for (size_t i = 0; i < columns->levels.n_texts; i++) {
        const struct rfl_traffic *traffic =
            rfl_point_traffic(point, columns->levels.texts[i]);
        rfl_table_texts(table, traffic ? ert_units_amount(traffic->bytes, "B").text : "",
                        NULL);
    }
    for (size_t i = 0; i < point->n_missing; i++)
        ert_list_add(missing, sizeof missing, point->missing[i].what);
    rfl_table_texts(table, missing, NULL);
}

/* Texts below the table, each once: "L2: lts__t_sectors_srcunit_tex.sum x 32 B". */
static void write_notes(struct ert_strings *notes, const char *title,
                        enum ert_format format, FILE *out)
{
    const bool is_list = format == ERT_TEXT_MARKDOWN;
    const size_t n = notes->n_texts;
    if (n)
        fprintf(out, "\n%s\n%s", title, is_list ? "\n" : "");
    for (size_t i = 0; i < n && i < MAX_NOTES; i++)
        ert_text_print(out, format, is_list ? "- %s\n" : "  %s\n", notes->texts[i]);
    if (n > MAX_NOTES)
        fprintf(out, "%sand %zu more; --output json has all\n", is_list ? "- " : "  ",
                n - MAX_NOTES);
    ert_strings_free(notes);
}

static void write_all_notes(const struct rfl_points *points, enum ert_format format,
                            FILE *out)
{
    struct ert_strings recipes = {.n_texts = 0}, missing = recipes, warnings = recipes;
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        if (*point->time_recipe)
            ert_strings_format(&recipes, "time: %s", point->time_recipe);
        for (size_t w = 0; w < point->n_work; w++)
            ert_strings_format(&recipes, "%s: %s", point->work[w].type,
                               point->work[w].recipe);
        for (size_t t = 0; t < point->n_traffic; t++)
            ert_strings_format(&recipes, "%s: %s", point->traffic[t].level,
                               point->traffic[t].recipe);
        for (size_t m = 0; m < point->n_missing; m++)
            ert_strings_format(&missing, "%s: %s", point->missing[m].what,
                               point->missing[m].reason);
        for (size_t w = 0; w < point->n_warnings; w++)
            ert_strings_keep(&warnings, point->warnings[w]);
    }
    write_notes(&recipes, "counted as", format, out);
    write_notes(&missing, "missing", format, out);
    write_notes(&warnings, "warnings", format, out);
}

/* A row per point with units and, below, the notes: recipes, reasons, warnings. */
static void cmd_import_write_table(const struct rfl_points *points, enum ert_format format)
{
    struct rfl_table table = {.format = format};
    struct columns columns = {.has_run = false};
    find_columns(points, &columns);
    rfl_table_columns(&table, columns.has_run ? "kernel|run|>launches|>time"
                                              : "kernel|>launches|>time");
    for (size_t i = 0; i < columns.work.n_texts; i++) {
        const char *name = columns.work.texts[i], *core = strstr(name, " core");
        rfl_table_column(&table, true, "%.*s", (int)(core ? core - name : 32), name);
    }
    for (size_t i = 0; i < columns.levels.n_texts; i++)
        rfl_table_column(&table, true, "%s", columns.levels.texts[i]);
    rfl_table_columns(&table, "missing");
    for (size_t i = 0; i < points->n; i++)
        cmd_import_add_row(&table, &columns, &points->points[i]);
    rfl_table_write(&table, stdout);
    ert_strings_free(&columns.work);
    ert_strings_free(&columns.levels);
    write_all_notes(points, format, stdout);
}

/* ---- the command ---- */

static enum ert_status import(const struct options *options,
                              const struct rfl_importer *importer, const char **files,
                              size_t n, struct rfl_points *points, struct ert_error *error)
{
    const struct rfl_import_options how = {
        .list = options->list, .region = options->kernel, .cc = options->cc};
    for (size_t i = 0; i < n; i++)
        ERT_TRY(rfl_import_file(files[i], importer, &how, points, error));
    ERT_TRY(rfl_points_combine(
        points, (enum rfl_combining)(options->are_ranks + RFL_JOIN * options->are_joined),
        error));
    if (options->out)
        ERT_TRY(rfl_points_write(options->out, points, error));
    if (strcmp(options->output, "json") == 0)
        return rfl_points_print(points, stdout, error);
    cmd_import_write_table(points, rfl_table_format(options->output));
    return ERT_OK;
}

static enum ert_status cmd_import_run(int argc, char **argv, struct ert_error *error)
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
                        "import: takes a format (or auto) and a file; `roofline import "
                        "--help` lists the formats");
    if (strcmp(words[0], "auto") != 0)
        ERT_TRY(rfl_importer_find(words[0], &importer, error));
    enum ert_status status =
        import(&options, importer, words + 1, n_words - 1, &points, error);
    rfl_points_free(&points);
    return status;
}

static void cmd_import_notes(FILE *out)
{
    size_t n;
    const struct rfl_importer *const *all = rfl_importers(&n);
    fprintf(out, "\nFormats, and how to make such files:\n");
    fprintf(out, "  %-14s%s\n", "auto", "recognized by content; points.json too");
    for (size_t i = 0; i < n; i++)
        fprintf(out, "  %-14s%s\n                  %s\n", all[i]->name, all[i]->summary,
                all[i]->how);
    fputs("\nIf there are no counters (\"<not supported>\"), as in most virtual machines:\n"
          "  Request a virtual PMU, or run on the host. Otherwise `roofline record` counts "
          "with Valgrind\n"
          "  and times without it; or give the work: `roofline place CEILINGS --flops N "
          "--bytes L=N\n"
          "  --seconds S`.\n",
          out);
}

const struct ert_command rfl_command_import = {
    .name = "import",
    .words = "FORMAT|auto FILE...",
    .summary = "read profiles of other tools as points: operations, bytes, time",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = cmd_import_run,
    .notes = cmd_import_notes,
};
