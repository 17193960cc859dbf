/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/into.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/extras.h"
#include "ert/core/stats/stats.h"

#include <stdlib.h>
#include <string.h>

static struct ert_device_ceilings *into_find_cpu(struct ert_ceilings *ceilings)
{
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        if (device && device->kind == ERT_DEVICE_CPU)
            return &ceilings->devices[i];
    }
    return NULL;
}

/* Fills a ceiling from rounds[n], of which it keeps an even selection. */
static void into_fill(struct ert_ceiling *ceiling, const double *rounds, size_t n,
                      enum ert_better better)
{
    struct ert_estimate estimate = ert_estimate_make(rounds, n, better);
    ceiling->value = estimate.value;
    ceiling->low = estimate.low;
    ceiling->high = estimate.high;
    ceiling->evidence->best =
        ert_stats_quantile(rounds, n, better == ERT_BETTER_HIGH ? 1 : 0);
    ceiling->evidence->n_samples = (uint32_t)n;
    ceiling->evidence->n_rounds = (uint32_t)(n < ERT_MAX_ROUNDS ? n : ERT_MAX_ROUNDS);
    for (uint32_t i = 0; i < ceiling->evidence->n_rounds; i++)
        ceiling->evidence->rounds[i] = rounds[i * n / ceiling->evidence->n_rounds];
    ceiling->confidence = n < 3 ? ERT_CONFIDENCE_MEDIUM : ERT_CONFIDENCE_HIGH;
    if (n < 3)
        snprintf(ceiling->evidence->warning, sizeof ceiling->evidence->warning,
                 "of %zu value%s alone", n, n == 1 ? "" : "s");
}

static enum ert_unit into_unit(const char *word)
{
    unsigned unit = 0;
    while (unit < ERT_UNIT_S && strcmp(ert_unit_words[unit], word) != 0)
        unit++;
    return (enum ert_unit)unit;
}

static void into_make(struct ert_device_ceilings *device, enum ert_net_test test,
                      const struct ert_net_value *values, size_t n, double *rounds)
{
    const char *word = ert_net_test_words[test], *unit = ert_net_test_unit(test);
    size_t n_rounds = 0, last = 0;
    for (size_t i = 0; i < n; i++)
        if (values[i].test == test) {
            rounds[n_rounds++] = values[i].value;
            last = i;
        }
    if (n_rounds == 0)
        return;
    struct ert_ceiling *extra = ert_extras_add(device, ERT_CEILING_NETWORK);
    extra->key.count = 2;
    extra->key.access_bytes = (uint64_t)values[last].size_bytes;
    into_fill(extra, rounds, n_rounds,
              strcmp(unit, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    snprintf(extra->name, sizeof extra->name, "net-%s", word);
    snprintf(extra->kernel, sizeof extra->kernel, "ert-net");
    snprintf(extra->key.of, sizeof extra->key.of, "%s", word);
    extra->unit = into_unit(unit);
    snprintf(extra->key.from, sizeof extra->key.from, "host");
    snprintf(extra->key.to, sizeof extra->key.to, "host");
}

enum ert_status ert_net_into(struct ert_ceilings *ceilings,
                             const struct ert_net_value *values, size_t n,
                             struct ert_error *error)
{
    struct ert_device_ceilings *device = into_find_cpu(ceilings);
    double *rounds = ert_xcalloc(n, sizeof *rounds);
    if (!device) {
        free(rounds);
        return ert_fail(error, ERT_USAGE,
                        "the file has no CPU, from whose memory was sent");
    }
    ert_ceilings_remove(device, ERT_CEILING_NETWORK);
    for (int test = 0; test < ERT_NET_N_TESTS; test++)
        into_make(device, (enum ert_net_test)test, values, n, rounds);
    free(rounds);
    return ERT_OK;
}
