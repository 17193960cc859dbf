#include "ert/sweep/samples_fields.h"

const char *const ert_point_statuses[ERT_N_POINT_STATUSES] = {"planned", "measured",
                                                              "skipped", "failed"};

const struct ert_sample_column ert_sample_columns[ERT_N_SAMPLE_COLUMNS] = {
    {"time_s",          offsetof(struct ert_sample, time_s),          0},
    {"passes",          offsetof(struct ert_sample, passes),          1},
    {"clock_hz",        offsetof(struct ert_sample, clock_hz),        0},
    {"memory_clock_hz", offsetof(struct ert_sample, memory_clock_hz), 0},
    {"power_w",         offsetof(struct ert_sample, power_w),         0},
    {"throttle",        offsetof(struct ert_sample, throttle),        1},
};

const struct ert_case_parameter ert_case_parameters[ERT_N_CASE_PARAMETERS] = {
    {"stride_bytes",  offsetof(struct ert_case, stride_bytes) },
    {"concurrency",   offsetof(struct ert_case, concurrency)  },
    {"from",          offsetof(struct ert_case, from)         },
    {"to",            offsetof(struct ert_case, to)           },
    {"blocks",        offsetof(struct ert_case, blocks)       },
    {"block_threads", offsetof(struct ert_case, block_threads)},
};
