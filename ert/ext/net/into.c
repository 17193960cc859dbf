/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/into.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/extras.h"
#include "ert/core/stats/stats.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The GPU with this PCI address; pci NULL: the CPU. */
static struct ert_device_ceilings *into_find(struct ert_ceilings *ceilings, const char *pci)
{
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        const bool is_gpu = device && device->kind == ERT_DEVICE_GPU;
        if (device && (pci ? is_gpu && strcasecmp(device->gpu.pci, pci) == 0 : !is_gpu))
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
    struct ert_device_ceilings *device = into_find(ceilings, NULL);
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

/* ---- NCCL ---- */

/* Removes the results of an earlier measurement. */
static void clear_nccl(struct ert_device_ceilings *device)
{
    size_t n = 0;
    ert_ceilings_remove(device, ERT_CEILING_COLLECTIVE);
    for (size_t i = 0; i < device->n_not_measured; i++) {
        bool is_ours = false;
        for (const char *const *word = ert_nccl_words; *word; word++)
            is_ours |= strncmp(device->not_measured[i].name, *word, strlen(*word)) == 0;
        if (!is_ours)
            device->not_measured[n++] = device->not_measured[i];
    }
    device->n_not_measured = n;
}

static void into_add_nccl(struct ert_device_ceilings *device,
                          const struct ert_nccl_host *host,
                          const struct ert_nccl_result *result,
                          const struct ert_device_ceilings *to)
{
    const struct ert_nccl_round *round = &result->round;
    const bool is_pair = round->operation == ERT_NCCL_SEND_RECV;
    double values[ERT_NCCL_SAMPLES];
    char name[32], version[24];
    ert_nccl_name(round, to->device, name);
    if (*result->reason) {
        ert_extras_not_measured(device, name, result->reason);
        return;
    }
    struct ert_ceiling *extra = ert_extras_add(device, ERT_CEILING_COLLECTIVE);
    extra->key.count = is_pair ? 2 : round->n_gpus;
    extra->key.access_bytes = round->size_bytes;
    extra->evidence->actual_bytes = (double)round->size_bytes;
    const char *unit = ert_nccl_values(result, values);
    into_fill(extra, values, ERT_NCCL_SAMPLES,
              round->is_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    memcpy(extra->name, name, sizeof name);
    snprintf(extra->kernel, sizeof extra->kernel, "nccl");
    ert_nccl_version(host->version, version);
    snprintf(extra->evidence->launch.name, sizeof extra->evidence->launch.name,
             "NCCL %s, float32", version);
    snprintf(extra->key.of, sizeof extra->key.of, "%s", ert_nccl_words[round->operation]);
    extra->unit = into_unit(unit);
    memcpy(extra->key.from, device->device, sizeof extra->key.from);
    if (is_pair)
        memcpy(extra->key.to, to->device, sizeof extra->key.to);
}

enum ert_status ert_nccl_into(struct ert_ceilings *ceilings,
                              const struct ert_nccl_host *host,
                              const struct ert_nccl_result *results, size_t n,
                              struct ert_error *error)
{
    struct ert_device_ceilings *gpus[ERT_NCCL_MAX_GPUS];
    for (uint32_t i = 0; i < host->n_gpus; i++) {
        gpus[i] = into_find(ceilings, host->pci[i]);
        if (!gpus[i])
            return ert_fail(error, ERT_USAGE,
                            "the file has no GPU at %s, which was measured", host->pci[i]);
    }
    for (size_t i = 0; i < ceilings->n_devices; i++)
        clear_nccl(&ceilings->devices[i]);
    for (size_t i = 0; i < n; i++) {
        const struct ert_nccl_round *round = &results[i].round;
        const bool is_pair = round->operation == ERT_NCCL_SEND_RECV;
        into_add_nccl(gpus[is_pair ? round->from : 0], host, &results[i],
                      gpus[is_pair ? round->to : 0]);
    }
    return ERT_OK;
}
