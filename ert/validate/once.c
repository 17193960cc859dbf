#include "ert/validate/once.h"

#include <math.h>

/* Doubles the passes until a region is long enough to say how many make one of time_s. */
static enum ert_status calibrate(const struct ert_backend *backend,
                                 struct ert_session *session, struct ert_once *once,
                                 bool *lost, struct ert_error *error)
{
    for (uint64_t passes = 1;; passes *= 2) {
        ERT_TRY(backend->time(session, passes, &once->sample, lost, error));
        if (once->sample.time_s < once->time_s / 8 && passes < UINT64_C(1) << 40)
            continue;
        double needed = ceil((double)passes * once->time_s / once->sample.time_s);
        once->passes = needed > 1 ? (uint64_t)needed : 1;
        return ERT_OK;
    }
}

enum ert_status ert_once_run(const struct ert_backend *backend, struct ert_session *session,
                             struct ert_once *once, bool *lost, struct ert_error *error)
{
    *lost = false;
    ERT_TRY(backend->prepare(session, &once->case_, &once->work, error));
    if (once->passes == 0)
        ERT_TRY(calibrate(backend, session, once, lost, error));
    ERT_TRY(backend->time(session, once->passes, &once->sample, lost, error));
    if (!(once->sample.time_s > 0))
        return ert_fail(error, ERT_FAILED, "the region took %g s, must be above 0",
                        once->sample.time_s);
    return backend->verify(session, error);
}
