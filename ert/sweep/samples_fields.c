#include "ert/sweep/samples_fields.h"

const char *const ert_point_statuses[ERT_N_POINT_STATUSES] = {"planned", "measured",
                                                              "skipped", "failed"};

const struct ert_sample_column ert_sample_columns[ERT_N_SAMPLE_COLUMNS] = {
    {"time_s",          offsetof(struct ert_sample, time_s),          false, false},
    {"passes",          offsetof(struct ert_sample, passes),          true,  false},
    {"clock_hz",        offsetof(struct ert_sample, clock_hz),        false, false},
    {"memory_clock_hz", offsetof(struct ert_sample, memory_clock_hz), false, false},
    {"power_w",         offsetof(struct ert_sample, power_w),         false, false},
    {"throttle",        offsetof(struct ert_sample, throttle),        true,  false},
    {"rate_per_s",      offsetof(struct ert_sample, rate_per_s),      false, true },
    {"lockstep_per_s",  offsetof(struct ert_sample, lockstep_per_s),  false, true },
    {"waited",          offsetof(struct ert_sample, waited),          false, true },
    {"steal",           offsetof(struct ert_sample, steal),           false, true },
};

const struct ert_sample_column ert_part_columns[ERT_N_PART_COLUMNS] = {
    {"part_end_s",      offsetof(struct ert_part, end_s),      false, false},
    {"part_rate_per_s", offsetof(struct ert_part, rate_per_s), false, false},
    {"part_clock_hz",   offsetof(struct ert_part, clock_hz),   false, false},
    {"part_power_w",    offsetof(struct ert_part, power_w),    false, false},
    {"part_throttle",   offsetof(struct ert_part, throttle),   true,  false},
};

const struct ert_case_parameter ert_case_parameters[ERT_N_CASE_PARAMETERS] = {
    {"stride_bytes",  offsetof(struct ert_case, stride_bytes) },
    {"concurrency",   offsetof(struct ert_case, concurrency)  },
    {"from",          offsetof(struct ert_case, from)         },
    {"to",            offsetof(struct ert_case, to)           },
    {"blocks",        offsetof(struct ert_case, blocks)       },
    {"block_threads", offsetof(struct ert_case, block_threads)},
};

const char *const ert_sharing_words[ERT_N_SHARINGS] = {"unknown", "none", "neighbours",
                                                       "halves"};

const struct ert_observation_row ert_observation_rows[ERT_N_OBSERVATION_ROWS] = {
    {"time_s",        offsetof(struct ert_observation, time_s)       },
    {"longest_gap_s", offsetof(struct ert_observation, longest_gap_s)},
    {"lost",          offsetof(struct ert_observation, lost)         },
    {"gap_least_s",   offsetof(struct ert_observation, gap_least_s)  },
    {"sharing_ratio", offsetof(struct ert_observation, sharing_ratio)},
};
