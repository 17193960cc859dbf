/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/into.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/extras.h"
#include "ert/core/stats/stats.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static struct ert_device_ceilings *cpu_of(struct ert_ceilings *ceilings)
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

static void into_make(struct ert_device_ceilings *device, enum ert_net_test test,
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
            extra->access_bytes = (uint64_t)values[i].size_bytes;
        }
    if (n_rounds == 0)
        return;
    into_fill(&extra->common, rounds, n_rounds,
              strcmp(unit, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    snprintf(extra->common.name, sizeof extra->common.name, "net-%s", word);
    snprintf(extra->common.kernel, sizeof extra->common.kernel, "ert-net");
    snprintf(extra->of, sizeof extra->of, "%s", word);
    snprintf(extra->operation, sizeof extra->operation, "%s", unit);
    snprintf(extra->from, sizeof extra->from, "host");
    snprintf(extra->to, sizeof extra->to, "host");
    device->n_extra[ERT_EXTRA_NETWORK]++;
}

enum ert_status ert_net_into(struct ert_ceilings *ceilings,
                             const struct ert_net_value *values, size_t n,
                             struct ert_error *error)
{
    struct ert_device_ceilings *device = cpu_of(ceilings);
    double *rounds = ert_xcalloc(n, sizeof *rounds);
    if (!device) {
        free(rounds);
        return ert_fail(error, ERT_USAGE,
                        "the file has no CPU, from whose memory was sent");
    }
    device->n_extra[ERT_EXTRA_NETWORK] = 0;
    for (int test = 0; test < ERT_NET_N_TESTS; test++)
        into_make(device, (enum ert_net_test)test, values, n, rounds);
    free(rounds);
    return ERT_OK;
}

/* ---- NCCL ---- */

/* The GPU with this PCI address. */
static struct ert_device_ceilings *gpu_at(struct ert_ceilings *ceilings, const char *pci)
{
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        if (device && device->kind == ERT_DEVICE_GPU &&
            strcasecmp(device->gpu.pci, pci) == 0)
            return &ceilings->devices[i];
    }
    return NULL;
}

/* Removes the results of an earlier measurement. */
static void clear_nccl(struct ert_device_ceilings *device)
{
    size_t n = 0;
    device->n_extra[ERT_EXTRA_COLLECTIVE] = 0;
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
    if (result->state != ERT_NCCL_OK) {
        ert_extras_not_measured(device, name, result->reason);
        return;
    }
    size_t *n = &device->n_extra[ERT_EXTRA_COLLECTIVE];
    if (*n == ERT_MAX_EXTRA) {
        ert_extras_full(device, ert_extra_words[ERT_EXTRA_COLLECTIVE], ERT_MAX_EXTRA);
        return;
    }
    struct ert_extra *extra = &device->extra[ERT_EXTRA_COLLECTIVE][(*n)++];
    *extra = (struct ert_extra){.count = is_pair ? 2 : round->n_gpus,
                                .access_bytes = round->size_bytes,
                                .actual_bytes = (double)round->size_bytes};
    const char *unit = ert_nccl_values(result, values);
    into_fill(&extra->common, values, ERT_NCCL_SAMPLES,
              round->is_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    memcpy(extra->common.name, name, sizeof name);
    snprintf(extra->common.kernel, sizeof extra->common.kernel, "nccl");
    ert_nccl_version(host->version, version);
    snprintf(extra->common.launch.name, sizeof extra->common.launch.name,
             "NCCL %s, float32", version);
    snprintf(extra->of, sizeof extra->of, "%s", ert_nccl_words[round->operation]);
    snprintf(extra->operation, sizeof extra->operation, "%s", unit);
    memcpy(extra->from, device->device, sizeof extra->from);
    if (is_pair)
        memcpy(extra->to, to->device, sizeof extra->to);
}

enum ert_status ert_nccl_into(struct ert_ceilings *ceilings,
                              const struct ert_nccl_host *host,
                              const struct ert_nccl_result *results, size_t n,
                              struct ert_error *error)
{
    struct ert_device_ceilings *gpus[ERT_NCCL_MAX_GPUS];
    for (uint32_t i = 0; i < host->n_gpus; i++) {
        gpus[i] = gpu_at(ceilings, host->pci[i]);
        if (!gpus[i])
            return ert_fail(error, ERT_USAGE,
                            "the file has no GPU at %s, which was measured", host->pci[i]);
    }
    for (size_t i = 0; i < ceilings->n_devices; i++)
        clear_nccl(&ceilings->devices[i]);
    for (size_t i = 0; i < n; i++) {
        const struct ert_nccl_round *round = &results[i].round;
        const bool is_pair = round->operation == ERT_NCCL_SEND_RECV;
        into_add_nccl(gpus[is_pair ? round->from : round->first], host, &results[i],
                      gpus[is_pair ? round->to : round->first]);
    }
    return ERT_OK;
}
