/*
 * once: one case, one timed region, its results checked: what a profiler is wrapped around.
 */
#ifndef ERT_VALIDATE_ONCE_H
#define ERT_VALIDATE_ONCE_H

#include "ert/backend/backend.h"

struct ert_once {
    struct ert_case case_;
    uint64_t
        passes; /* of the region; 0: as many as take about time_s, found by calibration */
    double time_s;
    struct ert_work work; /* filled */
    struct ert_sample sample;
};

/*
 * Prepares, times and verifies. With `passes` given exactly one region is run. ERT_FAILED as the
 * backend says; *lost when the device is.
 */
enum ert_status ert_once_run(const struct ert_backend *backend, struct ert_session *session,
                             struct ert_once *once, bool *lost, struct ert_error *error);

#endif
