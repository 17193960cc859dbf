/*
 * select: what the words of the command line choose: versions, a problem, a device.
 */
#ifndef GPP_CLI_SELECT_H
#define GPP_CLI_SELECT_H

#include "gpp/versions.h"

/*
 * Versions by a list: "v0,v8", "cpu", "gpu", "all"; with a device ("cpu" or "gpuN", NULL either) those of
 * it alone. ERT_USAGE for names that are none, a list that comes out empty, or a version of the other
 * device.
 */
enum ert_status gpp_select_versions(const char *list, const char *device,
                                    const struct gpp_version *chosen[GPP_N_VERSIONS],
                                    size_t *n_chosen, struct ert_error *error);

/* "cpu" or "gpuN" (ordinal into *gpu; else 0). NULL is fine. ERT_USAGE for another word. */
enum ert_status gpp_select_device(const char *device, int *gpu, struct ert_error *error);

/* Sizes of a system's name, or as "NxIxG"; nw 0: the system's own (2 for sizes). */
enum ert_status gpp_select_sizes(const char *system, size_t nw, struct gpp_sizes *sizes,
                                 struct ert_error *error);

#endif
