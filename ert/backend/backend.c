#include "ert/backend/backend.h"

#include <math.h>
#include <string.h>

const struct ert_backend *const ert_backends[] = {&ert_backend_cpu, &ert_backend_cuda,
                                                  &ert_backend_fake, NULL};

const struct ert_backend *ert_backend_find(const char *name)
{
    for (size_t i = 0; ert_backends[i]; i++)
        if (strcmp(ert_backends[i]->name, name) == 0)
            return ert_backends[i];
    return NULL;
}

enum ert_status ert_sample_check(const struct ert_sample *sample, struct ert_error *error)
{
    if (!(isfinite(sample->time_s) && sample->time_s > 0))
        return ert_fail(error, ERT_FAILED, "the region took %g s, must be above 0",
                        sample->time_s);
    if (sample->passes == 0)
        return ert_fail(error, ERT_FAILED, "no pass was run");
    return ERT_OK;
}

/* No region has more passes. */
static const uint64_t most_passes = UINT64_C(1) << 40;

enum ert_status ert_backend_calibrate(const struct ert_backend *backend,
                                      struct ert_session *session, double time_s,
                                      uint64_t *passes, struct ert_sample *sample,
                                      bool *lost, struct ert_error *error)
{
    uint64_t n = 1;
    for (;;) {
        ERT_TRY(backend->time(session, n, sample, lost, error));
        if (sample->time_s >= time_s / 4 || n >= most_passes)
            break;
        /* At least twice, at most 64 times as many: short regions predict badly. */
        double factor = sample->time_s > 0 ? time_s / 2 / sample->time_s : 64;
        n = (uint64_t)((double)n * fmax(2, fmin(factor, 64)));
        n = n < most_passes ? n : most_passes;
    }
    ERT_TRY(ert_sample_check(sample, error));
    double count = ceil((double)sample->passes * time_s / sample->time_s);
    *passes = count < 1 ? 1 : (uint64_t)count;
    return ERT_OK;
}
