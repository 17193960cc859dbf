/*
 * layouts: a problem's arrays in the order in which the CPU versions read them (kernels.h). Made once,
 * before any clock runs.
 */
#ifndef GPP_CPU_LAYOUTS_H
#define GPP_CPU_LAYOUTS_H

#include "gpp/cpu/kernels.h"
#include "gpp/versions.h"

/*
 * Fills what a version reads, for work->problem and work->n_threads; threads touch first what they will
 * read. ERT_UNAVAILABLE names the bytes when memory is short. Free also after a failure.
 */
enum ert_status gpp_cpu_layouts_make(enum gpp_version_id version, struct gpp_cpu_work *work,
                                     struct ert_error *error);

void gpp_cpu_layouts_free(struct gpp_cpu_work *work);

#endif
