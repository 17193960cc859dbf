/* SPDX-License-Identifier: BSD-3-Clause */
/* remarks: what is to be said on a placement besides its rows and advice. */
#include "analysis/core/place/report.h"

/* A higher clock or counts of another run explain no more than this: the ceilings do not fit the run. */
static const double wrong_roof = 1.2;

__attribute__((format(printf, 4, 5))) static void remarks_add(struct rfl_remarks *remarks,
                                                              enum rfl_remark_kind kind,
                                                              const char *what,
                                                              const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = ert_strings_vformat(&remarks->strings, format, arguments);
    va_end(arguments);
    remarks->list[remarks->n++] = (struct rfl_remark){kind, what, text};
}

void rfl_remarks_common(const struct rfl_placer *placer, struct rfl_remarks *remarks)
{
    const struct ert_device_ceilings *device = &placer->ceilings->devices[placer->device];
    if (!device->valid)
        remarks_add(remarks, RFL_REMARK_CEILINGS, "",
                    "the ceilings were measured on a disturbed machine: %s",
                    device->warnings[0] ? device->warnings : "the file gives no reason");
    if (*placer->mismatch)
        remarks_add(remarks, RFL_REMARK_CEILINGS, "", "%s", placer->mismatch);
}

void rfl_remarks_of(const struct rfl_placer *placer, const struct rfl_placement *placement,
                    struct rfl_remarks *remarks)
{
    const struct rfl_point *point = placement->point;
    if (placement->least > wrong_roof)
        remarks_add(remarks, RFL_REMARK_WRONG, "",
                    "%.4g %% of the %s roof: these ceilings are not of the device, or not "
                    "of the state, that the code ran on",
                    100 * placement->least, placement->bound_name);
    for (size_t i = 0; i < placement->n_levels + placement->n_units; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        if (placed->rate)
            continue;
        const char *what =
            placed->traffic
                ? placed->traffic->level
                : ert_strings_format(&remarks->strings, "%s%s%s", placed->work->type,
                                     *placed->work->unit ? " " : "", placed->work->unit);
        remarks_add(remarks, RFL_REMARK_NO_ROOF, what, "the device has no ceiling of %s",
                    what);
    }
    for (size_t i = 0; i < point->n_missing; i++)
        remarks_add(remarks, RFL_REMARK_MISSING, point->missing[i].what, "%s",
                    point->missing[i].reason);
    for (size_t i = 0; i < point->n_warnings; i++)
        remarks_add(remarks, RFL_REMARK_WARNING, "", "%s", point->warnings[i]);
    for (size_t i = 0; i < placement->n_levels; i++)
        if (*placement->placed[i].reach.note)
            remarks_add(remarks, RFL_REMARK_REACH, "", "%s",
                        placement->placed[i].reach.note);
    for (size_t i = 0; i < placer->roofs->n_notes; i++)
        remarks_add(remarks, RFL_REMARK_ROOFS, "", "%s", placer->roofs->notes[i]);
}
