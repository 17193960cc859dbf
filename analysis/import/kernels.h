/*
 * kernels: names of GPU kernels as people say them: "void k<4>(float *, int)" is k<4>, as long as no
 * other kernel of the file would have the same name.
 */
#ifndef RFL_IMPORT_KERNELS_H
#define RFL_IMPORT_KERNELS_H

#include "analysis/points.h"

#include <stdbool.h>

/*
 * Where the short name stands in a full one: *begin and *length. What follows the arguments (" #12" of
 * a launch, " const") does not belong to it. The whole where there are no arguments, or nothing before
 * them.
 */
void rfl_kernel_short(const char *full, size_t *begin, size_t *length);

/*
 * Shortens the names of the points from `first` on, except where two different ones would become the
 * same; " #12" at the end of a name stays. ERT_FAILED when memory runs out.
 */
enum ert_status rfl_kernels_shorten(struct rfl_points *points, size_t first,
                                    struct ert_error *error);

#endif
