#include "gpp/cli/study_files.h"

#include "gpp/cli/select.h"
#include "gpp/study/report.h"

#include "ert/base/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const csv_names[2] = {"ncu-fma.csv", "ncu-no-fma.csv"};

enum ert_status gpp_cli_files_open(const char *folder, struct gpp_cli_files *files,
                                   struct ert_error *error)
{
    int length = snprintf(files->folder, sizeof files->folder, "%s", folder);
    if (length <= 0 || (size_t)length >= sizeof files->folder)
        return ert_fail(error, ERT_USAGE, "--out: a name of %d bytes, must be 1 to %zu",
                        length, sizeof files->folder - 1);
    snprintf(files->study, sizeof files->study, "%s/study.json", files->folder);
    for (size_t i = 0; i < 2; i++)
        snprintf(files->csv[i], sizeof files->csv[i], "%s/%s", files->folder, csv_names[i]);
    return ert_file_check_folder(folder, error);
}

/* The name of a chart that a study can have, by number; false behind the last. */
static bool chart_name(size_t i, char name[64])
{
    static const char *const levels[] = {"L1", "L2", "HBM", "DRAM"};
    static const char *const extensions[] = {"svg", "png", "pdf"};
    const size_t n_levels = sizeof levels / sizeof levels[0];
    const char *extension = extensions[i % 3];
    i /= 3;
    if (i < n_levels)
        snprintf(name, 64, "trajectory-%s.%s", levels[i], extension);
    else if (i - n_levels < GPP_N_VERSIONS)
        snprintf(name, 64, "nw-%s.%s", gpp_versions[i - n_levels].name, extension);
    else
        return false;
    return true;
}

static enum ert_status move_aside(const char *folder, const char *name, FILE *out,
                                  struct ert_error *error)
{
    char file[GPP_CLI_NAME + 80], moved[GPP_CLI_NAME + 160];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    ERT_TRY(ert_file_move_aside(file, moved, sizeof moved, error));
    if (*moved)
        fprintf(out, "%s existed: moved to %s\n", file, moved);
    return ERT_OK;
}

enum ert_status gpp_cli_files_begin(const struct gpp_cli_files *files, bool has_csv,
                                    FILE *out, struct ert_error *error)
{
    char name[64];
    for (size_t i = 0; i < 2 && has_csv; i++)
        ERT_TRY(move_aside(files->folder, csv_names[i], out, error));
    for (size_t i = 0; gpp_study_files[i]; i++)
        ERT_TRY(move_aside(files->folder, gpp_study_files[i], out, error));
    for (size_t i = 0; chart_name(i, name); i++)
        ERT_TRY(move_aside(files->folder, name, out, error));
    return ERT_OK;
}

static void list_one(const char *folder, const char *name, FILE *out)
{
    char file[GPP_CLI_NAME + 80];
    snprintf(file, sizeof file, "%s/%s", folder, name);
    if (access(file, R_OK) == 0)
        fprintf(out, "%s\n", file);
}

void gpp_cli_files_list(const struct gpp_cli_files *files, FILE *out)
{
    char name[64];
    for (size_t i = 0; gpp_study_files[i]; i++)
        list_one(files->folder, gpp_study_files[i], out);
    for (size_t i = 0; chart_name(i, name); i++)
        if (strncmp(name, "trajectory-", 11) == 0 && strstr(name, ".svg"))
            list_one(files->folder, name, out);
}

/* One file, or with both contractions two: "FMA.csv,NOFMA.csv". */
static enum ert_status read_files(const struct gpp_cli_counting *words,
                                  struct gpp_cli_files *given,
                                  struct gpp_counting *counting, struct ert_error *error)
{
    const char *comma = strchr(words->counters, ',');
    size_t first = words->only_no_fma && !comma ? 1 : 0;
    size_t length = comma ? (size_t)(comma - words->counters) : strlen(words->counters);
    snprintf(given->csv[first], sizeof given->csv[first], "%.*s", (int)length,
             words->counters);
    counting->files[first] = given->csv[first];
    if (comma) {
        snprintf(given->csv[1], sizeof given->csv[1], "%s", comma + 1);
        counting->files[1] = given->csv[1];
    }
    for (size_t i = 0; i < 2; i++)
        if (counting->files[i] && access(counting->files[i], R_OK) != 0)
            return ert_fail(error, ERT_USAGE,
                            "--counters: %.200s: no such file, and none of auto, ncu, none",
                            counting->files[i]);
    return ERT_OK;
}

enum ert_status gpp_cli_counting(const struct gpp_cli_counting *words,
                                 struct gpp_cli_files *files, struct gpp_counting *counting,
                                 char *note, size_t size, struct ert_error *error)
{
    const bool is_auto = strcmp(words->counters, "auto") == 0,
               is_ncu = strcmp(words->counters, "ncu") == 0 || (is_auto && words->ncu);
    struct ert_error reason = {ERT_OK, ""};
    *counting = (struct gpp_counting){.is_on = false};
    if (words->system)
        ERT_TRY(gpp_select_sizes(words->system, 1, &counting->sizes, error));
    if (strcmp(words->counters, "none") == 0) {
        snprintf(note, size, "none asked for");
        return ERT_OK;
    }
    if (!words->is_gpu && is_auto && !words->ncu) {
        snprintf(note, size, "counters are read on GPUs only");
        return ERT_OK;
    }
    if (!words->is_gpu)
        return ert_fail(error, ERT_USAGE, "--counters, --ncu: ncu counts on GPUs only");
    counting->is_on = true;
    if (!is_auto && !is_ncu) {
        snprintf(note, size, "Nsight Compute, %.200s", words->counters);
        return read_files(words, files, counting, error);
    }
    enum ert_status status = gpp_ncu_open(words->ncu, &counting->ncu, &reason);
    counting->is_on = status == ERT_OK;
    snprintf(note, size, "%s", status == ERT_OK ? "Nsight Compute" : reason.text);
    for (size_t i = 0; i < 2; i++)
        counting->files[i] = files->csv[i];
    return status != ERT_OK && is_ncu ? ert_fail(error, status, "%s", reason.text) : ERT_OK;
}
