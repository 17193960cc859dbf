#include "ert/ceilings/settled.h"

#include <stdio.h>
#include <string.h>

size_t ert_settled_main(const struct ert_device_ceilings *device,
                        const struct ert_ceiling *list[ERT_MAX_MAIN])
{
    size_t n = 0;
    for (size_t i = 0; i < device->n_compute && n == 0; i++)
        if (strcmp(device->compute[i].common.name, "fp64-fma") == 0)
            list[n++] = &device->compute[i].common;
    for (size_t i = 0; i < device->n_memory && n < ERT_MAX_MAIN; i++)
        if (device->memory[i].roof)
            list[n++] = &device->memory[i].common;
    return n;
}

double ert_settled_width(const struct ert_ceiling *ceiling)
{
    return ceiling->value > 0 ? (ceiling->high - ceiling->low) / ceiling->value : 0;
}

bool ert_settled_is(const struct ert_ceiling *ceiling)
{
    return ceiling->n_samples >= ERT_SETTLED_SAMPLES &&
           100 * ert_settled_width(ceiling) <= ERT_SETTLED_PERCENT;
}

size_t ert_settled_count_open(const struct ert_device_ceilings *device)
{
    size_t n = 0;
    for (size_t i = 0; i < device->n_compute; i++)
        n += !ert_settled_is(&device->compute[i].common);
    for (size_t i = 0; i < device->n_memory; i++)
        n += !ert_settled_is(&device->memory[i].common);
    return n;
}

void ert_settled_judge(struct ert_device_ceilings *device)
{
    const struct ert_ceiling *list[ERT_MAX_MAIN];
    size_t n = ert_settled_main(device, list), used = strlen(device->distrust);
    const char *before = used ? "; not settled: " : "not settled: ";
    for (size_t i = 0; i < n; i++) {
        if (ert_settled_is(list[i]))
            continue;
        device->trusted = false;
        char why[48];
        if (list[i]->n_samples < ERT_SETTLED_SAMPLES)
            snprintf(why, sizeof why, "%u sample%s", list[i]->n_samples,
                     list[i]->n_samples == 1 ? "" : "s");
        else
            snprintf(why, sizeof why, "%.0f %% wide", 100 * ert_settled_width(list[i]));
        if (used < sizeof device->distrust)
            used +=
                (size_t)snprintf(device->distrust + used, sizeof device->distrust - used,
                                 "%s%s (%s)", before, list[i]->name, why);
        before = ", ";
    }
}
