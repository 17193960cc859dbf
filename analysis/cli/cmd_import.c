/* roofline import: profiles of other tools as a table and as points.json. */
#include "analysis/cli/commands.h"

#include "analysis/cli/points_table.h"
#include "analysis/import/ert_json.h"
#include "analysis/import/import.h"
#include "analysis/points_json.h"
#include "ert/ceilings/table.h"

#include <string.h>

enum { MAX_FILES = 1024 };

struct options {
    const char *out, *output, *l2, *kernel;
    bool list;
};

static const char *const outputs[] = {"text", "json", "csv", "markdown", NULL};
static const char *const l2_choices[] = {"sm", "lts", NULL};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("out", ERT_OPT_TEXT, out, "FILE",
        "also write the points to FILE, as `roofline place` and `plot` read them", 0, 0,
        NULL),
    ROW("output", ERT_OPT_CHOICE, output, "FORM",
        "of the table (default text); csv has SI units, json is points.json", 0, 0,
        outputs),
    ROW("list", ERT_OPT_FLAG, list, NULL,
        "each launch a point of its own (default: launches of a kernel are summed)", 0, 0,
        NULL),
    ROW("kernel", ERT_OPT_TEXT, kernel, "TEXT",
        "only kernels or regions that have this in their full name", 0, 0, NULL),
    ROW("l2", ERT_OPT_CHOICE, l2, "WHICH",
        "ncu: L2 bytes to and from the SMs, or all that L2 serves, lts__t_bytes (default "
        "sm where it was counted)",
        0, 0, l2_choices),
#undef ROW
};

static enum ert_status print(const struct rfl_points *points, const char *output,
                             struct ert_error *error)
{
    if (strcmp(output, "json") == 0)
        return rfl_points_print(stdout, points, error);
    return rfl_points_table(stdout, points,
                            strcmp(output, "csv") == 0        ? RFL_TABLE_CSV
                            : strcmp(output, "markdown") == 0 ? RFL_TABLE_MARKDOWN
                                                              : RFL_TABLE_TEXT,
                            error);
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
    ERT_TRY(ert_opt_parse(rows, sizeof rows / sizeof rows[0], argc, argv, &options, words,
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
    fprintf(
        out,
        "\nCeilings:\n  %-14sroofline.json of LBNL's ERT; --out FILE makes a ceilings.json "
        "of it\n",
        ert_format);
}

const struct ert_command rfl_command_import = {
    .name = "import",
    .words = "FORMAT|auto FILE...",
    .summary = "profiles of other tools as points: operations, bytes per level, time",
    .options = rows,
    .n_options = sizeof rows / sizeof rows[0],
    .run = run,
    .notes = notes,
};
