/*
 * devices: finds the devices of this machine through all backends, for the subcommands.
 */
#ifndef ERT_CLI_DEVICES_H
#define ERT_CLI_DEVICES_H

#include "ert/base/error.h"
#include "ert/machine/machine.h"

/*
 * Fills machine with the devices that the word asks for ("all", "cpu", "gpu", "gpu0", "fake"): of
 * all real backends, and of the fake one only when the word starts with "fake". For "gpu" and
 * "gpuN" without any GPU: ERT_UNAVAILABLE with the backend's reason. argc, argv: the words behind
 * `ert run`, for the provenance.
 */
enum ert_status ert_cli_devices(const char *word, int argc, char *const *argv,
                                struct ert_machine *machine, struct ert_error *error);

#endif
