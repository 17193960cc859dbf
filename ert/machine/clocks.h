/*
 * clocks: the nominal clocks of the host's cores and what governs them, each with its source. It
 * measures nothing: the held clock is the backend's. Private to the machine room.
 */
#ifndef ERT_MACHINE_CLOCKS_H
#define ERT_MACHINE_CLOCKS_H

#include "ert/machine/features.h"
#include "ert/machine/machine.h"

/*
 * Fills base_hz, boost_hz, their sources, governor and turbo of the running machine. root: "" or a
 * folder that holds a copy of /sys and /proc (for tests); cpu: a PU's number to ask. A clock that
 * nothing names stays as it is.
 */
void ert_clocks_read(const char *root, uint32_t cpu, const struct ert_features *features,
                     struct ert_device *device);

/* The base clock in a model name ("... @ 2.60GHz"), Hz; 0 when it names none. */
double ert_clocks_of_name(const char *name);

#endif
