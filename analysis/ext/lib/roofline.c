/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/lib/roofline.h"

#include "analysis/core/place/model.h"
#include "analysis/core/place/roofs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct roofline {
    size_t n_devices;
    struct rfl_roofs *devices; /* malloc; those that have ceilings */
};

static enum roofline_status fail(const struct ert_error *error, char *why, size_t size)
{
    if (why && size)
        snprintf(why, size, "%s", error->text);
    return (enum roofline_status)error->status;
}

/* Makes the roofs, after which the ceilings are no longer needed. */
static enum ert_status lib_roofline_take(struct ert_ceilings *ceilings,
                                         struct roofline *roofline, struct ert_error *error)
{
    const struct rfl_roofs_options as_measured = {0};
    roofline->devices = calloc(ceilings->n_devices + 1, sizeof *roofline->devices);
    if (!roofline->devices)
        return ert_fail(error, ERT_FAILED, "no memory for %zu devices",
                        ceilings->n_devices);
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        enum ert_status status = rfl_roofs_make(
            ceilings, i, &as_measured, &roofline->devices[roofline->n_devices], error);
        if (status != ERT_OK && status != ERT_UNAVAILABLE)
            return status;
        roofline->n_devices += status == ERT_OK;
    }
    /* with the last device's reason */
    return roofline->n_devices ? ERT_OK : ERT_UNAVAILABLE;
}

enum roofline_status roofline_open(const char *file, struct roofline **roofline, char *why,
                                   size_t size)
{
    struct ert_error error = {ERT_OK, ""};
    struct ert_ceilings ceilings = {0};
    *roofline = NULL;
    if (ert_ceilings_read(file, &ceilings, &error) != ERT_OK)
        return fail(&error, why, size);
    struct roofline *opened = calloc(1, sizeof *opened);
    enum ert_status status = opened ? lib_roofline_take(&ceilings, opened, &error)
                                    : ert_fail(&error, ERT_FAILED, "no memory");
    if (status == ERT_UNAVAILABLE && !error.text[0])
        ert_fail(&error, ERT_UNAVAILABLE, "%.200s: no device has a ceiling", file);
    ert_ceilings_free(&ceilings);
    if (status == ERT_OK) {
        *roofline = opened;
        return ROOFLINE_OK;
    }
    roofline_close(opened);
    return fail(&error, why, size);
}

void roofline_close(struct roofline *roofline)
{
    if (!roofline)
        return;
    free(roofline->devices);
    free(roofline);
}

const char *roofline_device(const struct roofline *roofline, size_t index)
{
    return index < roofline->n_devices ? roofline->devices[index].device : NULL;
}

const char *roofline_device_name(const struct roofline *roofline, size_t index)
{
    return index < roofline->n_devices ? roofline->devices[index].name : NULL;
}

static const struct rfl_roofs *lib_roofline_find(const struct roofline *roofline,
                                                 const char *device)
{
    for (size_t i = 0; i < roofline->n_devices; i++)
        if (strcmp(roofline->devices[i].device, device) == 0)
            return &roofline->devices[i];
    return NULL;
}

static struct roofline_roof copy_rate(enum roofline_kind kind, const struct rfl_rate *rate)
{
    struct roofline_roof roof = {.kind = kind,
                                 .value = rate->value,
                                 .low = rate->low,
                                 .high = rate->high,
                                 .theory = rate->theory,
                                 .is_best = rate->is_roof};
    snprintf(roof.name, sizeof roof.name, "%s", rate->name);
    return roof;
}

int roofline_roof(const struct roofline *roofline, const char *device, size_t index,
                  struct roofline_roof *roof)
{
    const struct rfl_roofs *roofs = lib_roofline_find(roofline, device);
    if (!roofs || index >= roofs->n_bandwidths + roofs->n_peaks)
        return 0;
    if (index < roofs->n_bandwidths) {
        const struct rfl_bandwidth *from = &roofs->bandwidths[index];
        *roof = copy_rate(ROOFLINE_BANDWIDTH, &from->rate);
        snprintf(roof->level, sizeof roof->level, "%s", from->level);
        snprintf(roof->pattern, sizeof roof->pattern, "%s", from->pattern);
    } else {
        const struct rfl_peak *from = &roofs->peaks[index - roofs->n_bandwidths];
        *roof = copy_rate(ROOFLINE_PEAK, &from->rate);
        snprintf(roof->type, sizeof roof->type, "%s", from->type);
        snprintf(roof->op, sizeof roof->op, "%s", from->op);
        snprintf(roof->unit, sizeof roof->unit, "%s", from->unit);
    }
    return 1;
}

double roofline_bandwidth(const struct roofline *roofline, const char *device,
                          const char *level)
{
    const struct rfl_roofs *roofs = lib_roofline_find(roofline, device);
    const struct rfl_bandwidth *roof = roofs ? rfl_roofs_level(roofs, level, NULL) : NULL;
    return roof ? roof->rate.value : 0;
}

double roofline_peak(const struct roofline *roofline, const char *device, const char *type,
                     const char *unit, double fma_share)
{
    const struct rfl_roofs *roofs = lib_roofline_find(roofline, device);
    const struct rfl_peak *peak;
    if (!(fma_share >= 0 && fma_share <= 1))
        return NAN;
    return roofs ? rfl_roofs_peak(roofs, type, unit, fma_share, &peak) : 0;
}

double roofline_attainable(const struct roofline *roofline, const char *device,
                           const char *type, const char *level,
                           double intensity_flop_per_byte)
{
    double bandwidth = roofline_bandwidth(roofline, device, level);
    double peak = roofline_peak(roofline, device, type, "", 1);
    if (!(bandwidth > 0 && peak > 0))
        return 0;
    return rfl_model_attainable(intensity_flop_per_byte, bandwidth, peak);
}
