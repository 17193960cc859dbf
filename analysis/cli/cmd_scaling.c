/* roofline scaling: a kernel from few threads or nodes to many. */
#include "analysis/cli/commands.h"

#include "analysis/import/import.h"
#include "analysis/json.h"
#include "analysis/scaling.h"
#include "analysis/table.h"
#include "ert/base/units.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 1024 };

struct options {
    const char *output, *only;
    bool weak;
};

static const struct ert_opt rows[] = {
    RFL_OPT_FLAG("weak", weak, "the work grows with the scale: a constant time is ideal"),
    RFL_OPT("only", TEXT, only, "TEXT", "only kernels with this in their name"),
    RFL_OPT_OF("output", output, "FORM",
               "of the table (default text); csv and json have SI units", rfl_outputs),
};

/* "16:run16.csv": the scale of all points of the file, which most profiles do not know. */
static enum ert_status take_scale(const char **word, double *scale, struct ert_error *error)
{
    char *end = NULL;
    *scale = 0;
    if (!isdigit((unsigned char)**word))
        return ERT_OK;
    double value = strtod(*word, &end);
    if (*end != ':')
        return ERT_OK; /* a file whose name begins with a digit */
    if (!(value > 0) || value > 1e12)
        return ert_fail(error, ERT_USAGE,
                        "scaling: '%.100s': the scale must be above 0, at most 1e12",
                        *word);
    *word = end + 1;
    *scale = value;
    return ERT_OK;
}

static enum ert_status read_files(const struct options *options, const char **words,
                                  size_t n_words, struct rfl_points *points,
                                  struct ert_error *error)
{
    const struct rfl_import_options import = {.region = options->only};
    for (size_t i = 0; i < n_words; i++) {
        const char *file = words[i];
        size_t first = points->n;
        double scale;
        ERT_TRY(take_scale(&file, &scale, error));
        ERT_TRY(rfl_import_file(file, NULL, &import, points, error));
        for (size_t k = first; k < points->n && scale > 0; k++)
            points->points[k].scale = scale;
    }
    return ERT_OK;
}

static void add_number(struct rfl_table *table, const char *format, double value,
                       bool is_raw)
{
    char text[64];
    snprintf(text, sizeof text, "%.10g", value);
    if (!(value > 0))
        rfl_table_cell(table, "%s", is_raw ? "" : "-");
    else if (is_raw)
        rfl_table_cell(table, "%s", text);
    else if (strcmp(format, "time") == 0)
        rfl_table_cell(table, "%s", ert_units_time(value, text));
    else if (strcmp(format, "rate") == 0)
        rfl_table_cell(table, "%s", ert_units_performance(value, text));
    else if (strcmp(format, "percent") == 0)
        rfl_table_cell(table, "%.1f %%", 100 * value);
    else
        rfl_table_cell(table, "%.4g", value);
}

static void add_row(struct rfl_table *table, const struct rfl_scaling *scaling,
                    const struct rfl_scaled *scaled, const char *name, bool is_raw)
{
    rfl_table_cell(table, "%s", name);
    rfl_table_cell(table, "%.10g", scaled->scale);
    add_number(table, "time", scaled->time_s, is_raw);
    add_number(table, "", scaled->speedup, is_raw);
    add_number(table, "percent", scaled->efficiency, is_raw);
    add_number(table, "rate", scaled->perf_flop_per_s, is_raw);
    for (size_t i = 0; i < scaling->n_levels; i++) {
        add_number(table, "", scaled->intensity_flop_per_byte[i], is_raw);
        add_number(table, "", scaled->growth[i], is_raw);
    }
}

static void write_table(const struct rfl_scaling *scaling, enum rfl_table_format format)
{
    struct rfl_table table = {0};
    char header[40];
    bool is_raw = format == RFL_TABLE_CSV;
    rfl_table_columns(&table, "kernel|>scale|>time|>speed-up|>efficiency|>FLOP/s");
    for (size_t i = 0; i < scaling->n_levels; i++)
        for (size_t k = 0; k < 2; k++) {
            snprintf(header, sizeof header, "%s %s", scaling->levels[i],
                     k ? "traffic" : "AI");
            rfl_table_column(&table, header, true);
        }
    for (size_t t = 0; t < scaling->n_trajectories; t++) {
        const struct rfl_trajectory *trajectory = &scaling->trajectories[t];
        for (size_t i = 0; i < trajectory->n; i++)
            add_row(&table, scaling, &scaling->scaled[trajectory->first + i],
                    i && !is_raw ? "" : trajectory->name, is_raw);
    }
    rfl_table_write(&table, format, stdout);
}

static void write_texts(const struct rfl_scaling *scaling, bool is_markdown)
{
    printf("\ntraffic: bytes per operation against the least scale\n%s",
           is_markdown ? "\n" : "");
    for (size_t t = 0; t < scaling->n_trajectories; t++)
        printf("%s%s: %s\n", is_markdown ? "- " : "", scaling->trajectories[t].name,
               scaling->trajectories[t].text);
    if (scaling->n_skipped)
        printf("note: %zu points do not say at what scale they ran\n", scaling->n_skipped);
}

static void scaled_to_json(const struct rfl_scaling *scaling,
                           const struct rfl_scaled *scaled, cJSON *object)
{
    cJSON_AddNumberToObject(object, "scale", scaled->scale);
    rfl_json_positive(object, "time_s", scaled->time_s);
    rfl_json_positive(object, "speedup", scaled->speedup);
    rfl_json_positive(object, "efficiency", scaled->efficiency);
    rfl_json_positive(object, "perf_flop_per_s", scaled->perf_flop_per_s);
    cJSON *levels = cJSON_AddArrayToObject(object, "levels");
    for (size_t i = 0; i < scaling->n_levels; i++) {
        cJSON *level = rfl_json_object(levels);
        cJSON_AddStringToObject(level, "level", scaling->levels[i]);
        rfl_json_positive(level, "intensity_flop_per_byte",
                          scaled->intensity_flop_per_byte[i]);
        rfl_json_positive(level, "traffic_growth", scaled->growth[i]);
    }
}

static void write_json(const struct rfl_scaling *scaling, bool weak)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", "ert-scaling/1");
    cJSON_AddStringToObject(root, "scaling", weak ? "weak" : "strong");
    cJSON *list = cJSON_AddArrayToObject(root, "trajectories");
    for (size_t t = 0; t < scaling->n_trajectories; t++) {
        const struct rfl_trajectory *trajectory = &scaling->trajectories[t];
        cJSON *object = rfl_json_object(list);
        cJSON_AddStringToObject(object, "name", trajectory->name);
        cJSON_AddStringToObject(object, "text", trajectory->text);
        if (trajectory->grows < scaling->n_levels)
            cJSON_AddStringToObject(object, "grows", scaling->levels[trajectory->grows]);
        cJSON *points = cJSON_AddArrayToObject(object, "points");
        for (size_t i = 0; i < trajectory->n; i++)
            scaled_to_json(scaling, &scaling->scaled[trajectory->first + i],
                           rfl_json_object(points));
    }
    rfl_json_print(stdout, root);
}

static void print(const struct rfl_scaling *scaling, const struct options *options)
{
    enum rfl_table_format format = rfl_table_format(options->output);
    if (strcmp(options->output, "json") == 0) {
        write_json(scaling, options->weak);
        return;
    }
    write_table(scaling, format);
    if (format != RFL_TABLE_CSV)
        write_texts(scaling, format == RFL_TABLE_MARKDOWN);
}

static enum ert_status run(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.output = "text"};
    const char *words[MAX_FILES];
    size_t n_words = 0;
    struct rfl_points points = {0};
    struct rfl_scaling scaling = {0};
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, words, MAX_FILES,
                          &n_words, error));
    if (!n_words)
        return ert_fail(error, ERT_USAGE, "scaling: no profile given");
    enum ert_status status = read_files(&options, words, n_words, &points, error);
    if (status == ERT_OK)
        status = rfl_scaling_make(&points, options.weak, &scaling, error);
    if (status == ERT_OK)
        print(&scaling, &options);
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
    return status;
}

const struct ert_command rfl_command_scaling = {
    .name = "scaling",
    .words = "[SCALE:]PROFILE...",
    .summary = "kernels from few threads or nodes to many: speed-up, intensities, traffic",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = run,
};
