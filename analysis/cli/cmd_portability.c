/* roofline portability: one code on several platforms as one number. */
#include "analysis/cli/commands.h"
#include "analysis/cli/portability_text.h"

#include "ert/base/lines.h"

#include <string.h>

struct options {
    const char *efficiencies, *unit, *of, *best, *device, *output;
    bool fastest;
};

static const char *const units[] = {"percent", "fraction", NULL};
static const char *const kinds[] = {"architecture", "application", NULL};
static const char *const outputs[] = {"text", "markdown", "csv", "json", NULL};

static const struct ert_opt rows[] = {
#define ROW(name, kind, field, ...)                                                        \
    {                                                                                      \
        name, kind, offsetof(struct options, field), __VA_ARGS__                           \
    }
    ROW("efficiencies", ERT_OPT_TEXT, efficiencies, "LIST",
        "given by hand: NAME=FRACTION,NAME=NUMBER%,...; no file then", 0, 0, NULL),
    ROW("unit", ERT_OPT_CHOICE, unit, "UNIT",
        "of a CSV whose headers do not say percent or fraction", 0, 0, units),
    ROW("of", ERT_OPT_CHOICE, of, "KIND",
        "which efficiency of CEILINGS:PROFILE: share of the binding roof, or best known "
        "time "
        "/ time (default architecture)",
        0, 0, kinds),
    ROW("best", ERT_OPT_TEXT, best, "LIST",
        "application: best known times, PLATFORM=TIME,... (default: the shortest time of "
        "each profile, all of whose points are then versions of one problem)",
        0, 0, NULL),
    ROW("fastest", ERT_OPT_FLAG, fastest, NULL,
        "versions of one code: the fastest of each run stands for the run, whatever its "
        "name",
        0, 0, NULL),
    ROW("device", ERT_OPT_TEXT, device, "ID",
        "of ceilings with several devices, e.g. gpu0 (a list names one for each)", 0, 0,
        NULL),
    ROW("output", ERT_OPT_CHOICE, output, "FORM",
        "of the table (default text); csv and json have fractions", 0, 0, outputs),
#undef ROW
};

/* Whether a file is a list of platforms: JSON; a CSV otherwise. */
static enum ert_status is_list(const char *file, bool *result, struct ert_error *error)
{
    struct ert_lines lines;
    int first;
    ERT_TRY(ert_lines_open(file, &lines, error));
    do
        first = fgetc(lines.stream);
    while (first == ' ' || first == '\t' || first == '\r' || first == '\n');
    *result = first == '{';
    ert_lines_close(&lines);
    return ERT_OK;
}

/* Each has platforms of its own, of the same cases. */
static enum ert_status read_tables(const struct options *options, const char **words,
                                   size_t n_words, struct rfl_efficiencies *all,
                                   struct ert_error *error)
{
    const enum rfl_share share = !options->unit ? RFL_SHARE_UNKNOWN
                                 : strcmp(options->unit, "percent") == 0
                                     ? RFL_SHARE_PERCENT
                                     : RFL_SHARE_FRACTION;
    for (size_t i = 0; i < n_words; i++)
        ERT_TRY(rfl_efficiencies_read(words[i], share, all, error));
    return ERT_OK;
}

static enum ert_status collect(const struct options *options, const char **words,
                               size_t n_words, struct rfl_efficiencies *all,
                               enum rfl_efficiency_kind *kind, struct ert_error *error)
{
    bool is_platforms = n_words > 0 && strchr(words[0], ':');
    *kind = RFL_EFFICIENCY_GIVEN;
    if (options->efficiencies && n_words > 0)
        return ert_fail(error, ERT_USAGE,
                        "portability: '%.200s' and --efficiencies, must be one of them",
                        words[0]);
    if (options->efficiencies)
        return rfl_efficiencies_parse(options->efficiencies, all, error);
    if (n_words == 0)
        return ert_fail(
            error, ERT_USAGE,
            "portability: no efficiencies: give a CSV, CEILINGS:PROFILE of each "
            "platform, a list of them, or --efficiencies");
    if (!is_platforms && n_words == 1)
        ERT_TRY(is_list(words[0], &is_platforms, error));
    if (!is_platforms)
        return read_tables(options, words, n_words, all, error);
    *kind = strcmp(options->of, "application") == 0 ? RFL_APPLICATION : RFL_ARCHITECTURAL;
    const struct rfl_platform_options platforms = {*kind == RFL_APPLICATION, options->best,
                                                   options->device, options->fastest};
    return rfl_platforms_read(&platforms, words, n_words, all, error);
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.of = "architecture", .output = "text"};
    const char *words[RFL_MAX_PLATFORMS];
    size_t n_words = 0;
    struct rfl_efficiencies all = {0};
    enum rfl_efficiency_kind kind;
    ERT_TRY(ert_opt_parse(rows, sizeof rows / sizeof rows[0], argc, argv, &options, words,
                          RFL_MAX_PLATFORMS, &n_words, error));
    enum ert_status status = collect(&options, words, n_words, &all, &kind, error);
    if (status == ERT_OK && strcmp(options.output, "json") == 0)
        status = rfl_portability_write_json(stdout, &all, kind, error);
    else if (status == ERT_OK)
        status = rfl_portability_write(stdout, &all, kind,
                                       strcmp(options.output, "csv") == 0 ? RFL_TABLE_CSV
                                       : strcmp(options.output, "markdown") == 0
                                           ? RFL_TABLE_MARKDOWN
                                           : RFL_TABLE_TEXT,
                                       error);
    rfl_efficiencies_free(&all);
    return status;
}

static void notes(FILE *out)
{
    fputs(
        "\nA CSV has the case in its first column and a platform in each other: \"V100 "
        "(percent)\" or\n\"V100 (fraction)\"; a column \"published\" is compared with the "
        "result. Several CSVs are joined by\ntheir cases. A list of platforms:\n"
        "  {\"schema\": \"ert-platforms/1\", \"platforms\": [{\"name\": \"V100\",\n"
        "   \"ceilings\": \"v100.json\", \"profile\": \"v100.csv\", \"device\": "
        "\"gpu0\"}, ...]}\n"
        "Pennycook, Sewall, Lee, doi:10.1016/j.future.2017.08.007: 0 where a case does not "
        "run on a\nplatform; undefined for fewer than two.\n",
        out);
}

const struct ert_command rfl_command_portability = {
    .name = "portability",
    .words = "FILE.csv... | [NAME=]CEILINGS:PROFILE... | PLATFORMS.json",
    .summary = "one code on several platforms: the harmonic mean of its efficiencies",
    .options = rows,
    .n_options = sizeof rows / sizeof rows[0],
    .run = run,
    .notes = notes,
};
