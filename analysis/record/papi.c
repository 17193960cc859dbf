/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * papi: records programs that mark regions by PAPI's high-level API or by rfl_region.h, which opens PAPI if
 * it is installed. PAPI writes the counts itself.
 */
#include "analysis/record/record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double trial_s = 20;

/* PAPI's names; tried one by one, since a CPU that lacks one may have the others. */
static const char *const events[] = {"PAPI_DP_OPS", "PAPI_SP_OPS", "PAPI_TOT_INS",
                                     "PAPI_TOT_CYC"};

/* Lists the events that this CPU counts, "A,B"; "": none, and why. */
static void find_events(char *list, size_t size, char *why, size_t why_size)
{
    static const char *const telling[] = {"because", "rror", NULL};
    struct ert_tool_output output;
    struct ert_error error;
    *list = '\0';
    for (size_t i = 0; i < ERT_LENGTH(events); i++) {
        const char *const argv[] = {"papi_command_line", events[i], NULL};
        if (ert_tool_run(argv, trial_s, &output, &error) != ERT_OK) {
            snprintf(why, why_size,
                     "%.600s: install PAPI's tools (Debian: `apt install papi-tools`)",
                     error.text);
            return;
        }
        if (output.exit_code == 0 && strstr(output.out, "Successfully added"))
            ert_append(list, size, "%s%s", *list ? "," : "", events[i]);
        else
            ert_tool_line(*output.out ? output.out : output.err, telling, why, why_size);
        ert_tool_free(&output);
    }
}

static bool works(const struct rfl_record *record, char *why, size_t size)
{
    char list[128], reason[1024] = "";
    (void)record;
    find_events(list, sizeof list, reason, sizeof reason);
    if (!strstr(list, "_OPS"))
        snprintf(why, size, "PAPI counts no operations here: %s", reason);
    return strstr(list, "_OPS") != NULL;
}

/* Whether the program is linked with PAPI or opens it. */
static bool suits(const struct rfl_record *record)
{
    return rfl_record_program_names(record, "libpapi.so");
}

static enum ert_status record_papi(struct rfl_record *record, struct ert_error *error)
{
    char list[128], why[1024] = "";
    const char *folder;
    struct ert_tool_end end;
    static const char *const no_words[] = {NULL};
    struct ert_strings *strings = &record->points->strings;
    find_events(list, sizeof list, why, sizeof why);
    /* PAPI creates this folder in the one given by PAPI_OUTPUT_DIRECTORY. */
    ERT_TRY(rfl_record_fresh(record, "papi_hl_output", &folder, error));
    rmdir(folder);
    const char *const environment[] = {
        ert_strings_format(strings, "PAPI_EVENTS=%s", list),
        ert_strings_format(strings, "PAPI_OUTPUT_DIRECTORY=%s", record->folder), NULL};
    ERT_TRY(rfl_record_run(record, no_words, environment, "papi", &end, error));
    return rfl_record_import_all(record, folder, &rfl_import_papi, error);
}

const struct rfl_recorder rfl_recorder_papi = {
    .name = "papi",
    .summary = "counters of the CPU by regions, in programs that use PAPI",
    .device = RFL_IMPORT_CPU,
    .works = works,
    .suits = suits,
    .record = record_papi,
};
