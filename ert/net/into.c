/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/net/into.h"

#include "ert/base/alloc.h"
#include "ert/stats/stats.h"

#include <stdlib.h>
#include <string.h>

static struct ert_device_ceilings *device_of(struct ert_ceilings *ceilings,
                                             enum ert_net_memory memory)
{
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        if (device && (device->kind == ERT_DEVICE_GPU) == (memory == ERT_NET_GPU_MEMORY))
            return &ceilings->devices[i];
    }
    return NULL;
}

/* From rounds[n], evenly thinned to what a ceiling keeps. */
static void fill(struct ert_ceiling *ceiling, const double *rounds, size_t n,
                 enum ert_better better)
{
    struct ert_estimate estimate = ert_estimate_make(rounds, n, better);
    ceiling->value = estimate.value;
    ceiling->low = estimate.low;
    ceiling->high = estimate.high;
    ceiling->best = ert_stats_quantile(rounds, n, better == ERT_BETTER_HIGH ? 1 : 0);
    ceiling->n_samples = (uint32_t)n;
    ceiling->n_rounds = (uint32_t)(n < ERT_MAX_ROUNDS ? n : ERT_MAX_ROUNDS);
    for (uint32_t i = 0; i < ceiling->n_rounds; i++)
        ceiling->rounds[i] = rounds[i * n / ceiling->n_rounds];
    ceiling->confidence = n < 3 ? ERT_CONFIDENCE_MEDIUM : ERT_CONFIDENCE_HIGH;
    if (n < 3)
        snprintf(ceiling->warning, sizeof ceiling->warning, "of %zu value%s alone", n,
                 n == 1 ? "" : "s");
}

static void make(struct ert_device_ceilings *device, enum ert_net_test test,
                 const struct ert_net_value *values, size_t n, double *rounds)
{
    const char *word = ert_net_test_words[test], *unit = ert_net_test_unit(test);
    struct ert_extra *extra =
        &device->extra[ERT_EXTRA_NETWORK][device->n_extra[ERT_EXTRA_NETWORK]];
    size_t n_rounds = 0;
    *extra = (struct ert_extra){0};
    for (size_t i = 0; i < n; i++)
        if (values[i].test == test) {
            rounds[n_rounds++] = values[i].value;
            extra->count = values[i].hosts;
            extra->access_bytes = (uint32_t)values[i].size_bytes;
        }
    if (n_rounds == 0)
        return;
    fill(&extra->common, rounds, n_rounds,
         strcmp(unit, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    snprintf(extra->common.name, sizeof extra->common.name, "%s%s",
             strncmp(word, "loggp", 5) == 0 ? "" : "net-", word);
    snprintf(extra->common.kernel, sizeof extra->common.kernel, "ert-net");
    snprintf(extra->of, sizeof extra->of, "%s", word);
    snprintf(extra->operation, sizeof extra->operation, "%s", unit);
    snprintf(extra->from, sizeof extra->from, "host");
    snprintf(extra->to, sizeof extra->to, "host");
    device->n_extra[ERT_EXTRA_NETWORK]++;
}

enum ert_status ert_net_into(struct ert_ceilings *ceilings, enum ert_net_memory memory,
                             const struct ert_net_value *values, size_t n,
                             struct ert_error *error)
{
    struct ert_device_ceilings *device = device_of(ceilings, memory);
    double *rounds = ert_xcalloc(n, sizeof *rounds);
    if (!device) {
        free(rounds);
        return ert_fail(error, ERT_USAGE, "the file has no %s, whose memory sent",
                        memory == ERT_NET_GPU_MEMORY ? "GPU" : "CPU");
    }
    device->n_extra[ERT_EXTRA_NETWORK] = 0;
    for (int test = 0; test < ERT_NET_N_TESTS; test++)
        make(device, (enum ert_net_test)test, values, n, rounds);
    free(rounds);
    return ERT_OK;
}
