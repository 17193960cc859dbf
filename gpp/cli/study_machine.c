#include "gpp/cli/study_machine.h"

#include "ert/machine/discover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum ert_status gpp_cli_describe(struct gpp_study *study, int argc, char **argv,
                                 struct ert_error *error)
{
    struct ert_machine *machine = calloc(1, sizeof *machine);
    char **words = calloc((size_t)argc + 3, sizeof *words);
    struct ert_error ignored;
    char program[] = "ert-gpp", command[] = "study";
    const time_t now = time(NULL);
    struct tm utc;
    if (!machine || !words) {
        free(machine);
        free(words);
        return ert_fail(error, ERT_FAILED, "no memory for a machine's description");
    }
    words[0] = program;
    words[1] = command;
    for (int i = 0; i < argc; i++)
        words[i + 2] = argv[i];
    ert_discover_provenance(machine, argc + 2, words);
    const struct ert_provenance *p = &machine->provenance;
    snprintf(study->host, sizeof study->host, "%s", p->host);
    snprintf(study->os, sizeof study->os, "%s", p->os);
    snprintf(study->tool, sizeof study->tool, "%s %.60s", p->tool_version, p->git);
    snprintf(study->compiler, sizeof study->compiler, "%.90s%s%.60s", p->compiler,
             *p->nvcc ? "; " : "", p->nvcc);
    snprintf(study->command, sizeof study->command, "%s", p->command);
    if (strcmp(study->device, "cpu") == 0 &&
        ert_discover_host(NULL, machine, &ignored) == ERT_OK && machine->n_devices > 0)
        snprintf(study->model, sizeof study->model, "%s", machine->devices[0].name);
    gmtime_r(&now, &utc);
    strftime(study->created, sizeof study->created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    free(words);
    free(machine);
    return ERT_OK;
}
