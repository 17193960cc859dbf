#include "ert/cli/devices.h"

#include "ert/backend/backend.h"
#include "ert/machine/discover.h"

#include <stdio.h>
#include <string.h>

static bool has_gpu(const struct ert_machine *machine)
{
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (machine->devices[i].kind == ERT_DEVICE_GPU)
            return true;
    return false;
}

enum ert_status ert_cli_devices(const char *word, int argc, char *const *argv,
                                struct ert_machine *machine, struct ert_error *error)
{
    bool wants_fake = strncmp(word, "fake", 4) == 0;
    bool wants_gpu = strncmp(word, "gpu", 3) == 0;
    const char *no_gpu = NULL;
    char reason[256] = "";
    for (size_t i = 0; ert_backends[i]; i++) {
        const struct ert_backend *backend = ert_backends[i];
        bool is_fake = backend == &ert_backend_fake;
        const char *why = backend->unavailable(reason, sizeof reason);
        if (backend == &ert_backend_cuda)
            no_gpu = why;
        if (!why && is_fake == wants_fake)
            ERT_TRY(backend->discover(machine, error));
    }
    if (wants_gpu && !has_gpu(machine))
        return ert_fail(error, ERT_UNAVAILABLE, "no device '%s' on this machine: %s", word,
                        no_gpu ? no_gpu : "the CUDA runtime reports no device");
    ert_discover_provenance(machine, argc, argv);
    char words[sizeof machine->provenance.command];
    memcpy(words, machine->provenance.command, sizeof words);
    snprintf(machine->provenance.command, sizeof machine->provenance.command,
             "ert run%s%.500s", *words ? " " : "", words);
    return ERT_OK;
}
