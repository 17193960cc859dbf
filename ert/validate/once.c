#include "ert/validate/once.h"

enum ert_status ert_once_run(const struct ert_backend *backend, struct ert_session *session,
                             struct ert_once *once, bool *lost, struct ert_error *error)
{
    *lost = false;
    ERT_TRY(backend->prepare(session, &once->case_, &once->work, error));
    if (once->passes == 0)
        ERT_TRY(ert_backend_calibrate(backend, session, once->time_s, &once->passes,
                                      &once->sample, lost, error));
    ERT_TRY(backend->time(session, once->passes, &once->sample, lost, error));
    ERT_TRY(ert_sample_check(&once->sample, error));
    return backend->verify(session, error);
}
