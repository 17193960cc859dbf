/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/ceilings.h"

#include "ert/core/base/alloc.h"
#include "ert/core/kernels/kernel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const ert_confidence_words[] = {"high", "medium", "low", NULL};

const char *const ert_ceiling_kind_words[] = {
#define WORD(id, word, title) word,
    ERT_CEILING_KINDS(WORD) NULL
#undef WORD
};

const char *const ert_unit_words[] = {"flop/s", "op/s", "inst/s", "byte/s",
                                      "1/s",    "s",    NULL};

/* Above what writing and reading a number with six digits may change. */
static const double agreement = 1e-3;

static bool is_between(double value, double low, double high)
{
    return value >= low * (1 - agreement) && value <= high * (1 + agreement);
}

enum ert_status ert_ceiling_check(const struct ert_ceiling *ceiling, const char *file,
                                  const char *path, struct ert_error *error)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    if (evidence->most_passes > 0)
        return ERT_OK; /* the mean of a level's sets, of which the interval is one's */
    const struct ert_burst burst = ert_ceiling_burst(ceiling);
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < evidence->n_rounds; i++) {
        least = fmin(least, evidence->rounds[i]);
        most = fmax(most, evidence->rounds[i]);
    }
    const struct {
        const char *what, *of;
        double value, low, high;
        bool is_known;
    } rows[] = {
        {"value", "its interval", ceiling->value, ceiling->low, ceiling->high, 1       },
        {"burst", "its interval", burst.value,    burst.low,    burst.high,    1       },
        {"burst", "its rounds",   burst.value,    least,        most,          most > 0},
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        if (rows[i].is_known && !is_between(rows[i].value, rows[i].low, rows[i].high))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: %s is %.6g, outside %s: %.6g to %.6g", file,
                            path, ceiling->name, rows[i].what, rows[i].value, rows[i].of,
                            rows[i].low, rows[i].high);
    return ERT_OK;
}

void ert_ceilings_free(struct ert_ceilings *ceilings)
{
    if (!ceilings)
        return;
    for (size_t i = 0; ceilings->devices && i < ceilings->n_devices; i++)
        ert_device_ceilings_free(&ceilings->devices[i]);
    free(ceilings->devices);
    free(ceilings->machine);
    memset(ceilings, 0, sizeof *ceilings);
}

void ert_device_ceilings_free(struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n; i++)
        free(device->ceilings[i].evidence);
    free(device->ceilings);
    free(device->peaks);
    free(device->not_measured);
    free(device->unattributed);
    memset(device, 0, sizeof *device);
}

struct ert_device_ceilings *ert_ceilings_device(const struct ert_ceilings *ceilings,
                                                const char *id)
{
    for (size_t i = 0; i < ceilings->n_devices; i++)
        if (strcmp(ceilings->devices[i].device, id) == 0)
            return &ceilings->devices[i];
    return NULL;
}

/* The ceilings of the kinds from `first` on, before those of `end`. */
static struct ert_ceiling_span span_of(const struct ert_device_ceilings *device, int first,
                                       int end)
{
    size_t from = 0, to;
    while (from < device->n && (int)device->ceilings[from].kind < first)
        from++;
    for (to = from; to < device->n && (int)device->ceilings[to].kind < end;)
        to++;
    return (struct ert_ceiling_span){device->ceilings + from, to - from};
}

struct ert_ceiling_span ert_ceilings_of(const struct ert_device_ceilings *device,
                                        enum ert_ceiling_kind kind)
{
    return span_of(device, (int)kind, (int)kind + 1);
}

struct ert_ceiling_span ert_ceilings_main(const struct ert_device_ceilings *device)
{
    return span_of(device, 0, ERT_CEILING_MEMORY + 1);
}

struct ert_ceiling *ert_ceiling_add(struct ert_device_ceilings *device,
                                    enum ert_ceiling_kind kind)
{
    struct ert_evidence *evidence = ert_calloc(1, sizeof *evidence);
    if (evidence && device->n == device->capacity) {
        const size_t capacity = device->capacity ? 2 * device->capacity : 64;
        struct ert_ceiling *grown = ert_calloc(capacity, sizeof *grown);
        if (grown) {
            if (device->n)
                memcpy(grown, device->ceilings, device->n * sizeof *grown);
            free(device->ceilings);
            device->ceilings = grown;
            device->capacity = capacity;
        }
    }
    if (!evidence || device->n == device->capacity) {
        free(evidence);
        return NULL;
    }
    const struct ert_ceiling_span until = span_of(device, 0, (int)kind + 1);
    struct ert_ceiling *added = device->ceilings + until.n;
    memmove(added + 1, added, (device->n++ - until.n) * sizeof *added);
    memset(added, 0, sizeof *added);
    added->kind = kind;
    added->is_roof = true;
    added->evidence = evidence;
    return added;
}

void ert_ceilings_remove(struct ert_device_ceilings *device, enum ert_ceiling_kind kind)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, kind);
    for (size_t i = 0; i < of.n; i++)
        free(of.at[i].evidence);
    device->n -= of.n;
    if (of.n)
        memmove(of.at, of.at + of.n,
                (size_t)(device->ceilings + device->n - of.at) * sizeof *of.at);
}

struct ert_burst ert_ceiling_burst(const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    if (evidence->burst > 0)
        return (struct ert_burst){evidence->burst, evidence->burst_low,
                                  evidence->burst_high};
    return (struct ert_burst){ceiling->value, ceiling->low, ceiling->high};
}

/* Whether its stores are non-temporal: comparable only with code that uses them. */
static bool is_streaming(const struct ert_ceiling *ceiling)
{
    enum ert_kernel_id kernel;
    return ert_kernel_find(ceiling->kernel, &kernel, NULL) == ERT_OK &&
           (ert_kernel_row(kernel)->limits & ERT_MEMORY_ONLY);
}

bool ert_ceiling_is_of_section(const struct ert_ceiling *ceiling)
{
    enum ert_kernel_id kernel;
    return ert_kernel_find(ceiling->kernel, &kernel, NULL) == ERT_OK &&
           ert_kernel_row(kernel)->kind == ERT_KIND_SECTION;
}

/* Whether a is to be its level's roof rather than b, which comes later in the list. */
static bool is_above(const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    bool a_streams = is_streaming(a), b_streams = is_streaming(b);
    return a_streams == b_streams ? a->value >= b->value : b_streams;
}

void ert_ceilings_mark_roofs(struct ert_device_ceilings *device)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(device, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n; i++) {
        struct ert_ceiling *ceiling = &memory.at[i];
        ceiling->is_roof = ceiling->value > 0;
        for (size_t j = 0; j < i && ceiling->is_roof; j++) {
            struct ert_ceiling *before = &memory.at[j];
            if (!before->is_roof || strcmp(before->key.level, ceiling->key.level) != 0)
                continue;
            ceiling->is_roof = !is_above(before, ceiling);
            before->is_roof = !ceiling->is_roof;
        }
    }
}

void ert_ceiling_set_name(struct ert_ceiling *ceiling)
{
    const struct ert_ceiling_key *key = &ceiling->key;
    char *name = ceiling->name;
    const size_t size = sizeof ceiling->name;
    name[0] = '\0';
    if (key->ilp)
        ert_append(name, size, "%s-at-%u-warps-ilp-%u", key->of, key->count, key->ilp);
    else
        ert_append(name, size, "%s-at-%u-threads", key->of, key->count);
}

double ert_settled_width(const struct ert_ceiling *ceiling)
{
    return ceiling->value > 0 ? (ceiling->high - ceiling->low) / ceiling->value : 0;
}

/* By how much the fastest sample was faster than the value. 0: unknown. */
static double settled_faster(const struct ert_ceiling *ceiling)
{
    const double best = ceiling->evidence->best, value = ceiling->value;
    if (!(best > 0) || !(value > 0))
        return 0;
    return fmax(best / value, value / best) - 1; /* a time's best is less */
}

bool ert_settled_is(const struct ert_ceiling *ceiling, char *why, size_t size)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    const uint32_t n = evidence->n_samples;
    const double wide = 100 * ert_settled_width(ceiling),
                 faster = 100 * settled_faster(ceiling);
    if (n < ERT_SETTLED_SAMPLES)
        snprintf(why, size, "%u sample%s", n, n == 1 ? "" : "s");
    else if (wide > ERT_SETTLED_PERCENT)
        snprintf(why, size, "%.0f %% wide", wide);
    else if (2 * faster > ERT_SETTLED_PERCENT)
        snprintf(why, size, "a sample was %.0f %% faster", faster);
    else if (ceiling->confidence == ERT_CONFIDENCE_LOW)
        snprintf(why, size, "%.*s", (int)strcspn(evidence->warning, ";"),
                 evidence->warning);
    else
        return true;
    return false;
}

enum ert_unit ert_unit_of_type(const char *type)
{
    const char *operation = strncmp(type, "int", 3) == 0 ? "op" : "flop";
    for (int i = 0; i < ERT_N_TYPES; i++)
        if (strcmp(ert_type_name((enum ert_type)i), type) == 0)
            operation = ert_type_operation((enum ert_type)i);
    return *operation == 'o'   ? ERT_UNIT_OP_PER_S
           : *operation == 'i' ? ERT_UNIT_INST_PER_S
                               : ERT_UNIT_FLOP_PER_S;
}
