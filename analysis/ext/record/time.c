/* SPDX-License-Identifier: BSD-3-Clause */
/* Records only the time of run 1, and what the program writes about its regions itself. */
#include "analysis/ext/record/record.h"

static bool record_time_works(const struct rfl_record *record, char *why, size_t size)
{
    (void)record;
    (void)why;
    (void)size;
    return true;
}

static enum ert_status record_time(struct rfl_record *record, struct ert_error *error)
{
    static const char *const no_words[] = {NULL};
    struct ert_tool_end end;
    if (!record->has_run)
        ERT_TRY(rfl_record_run(record, no_words, NULL, "time", &end, error));
    rfl_record_whole(record);
    return ERT_OK;
}

const struct rfl_recorder rfl_recorder_time = {
    .name = "time",
    .summary = "the time of the whole run and of marked regions; counts nothing",
    .works = record_time_works,
    .record = record_time,
};
