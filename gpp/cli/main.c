/* SPDX-License-Identifier: BSD-3-Clause */
/* ert-gpp: the GPP mini-app in all its versions. Exit codes: enum ert_status. */
#include "gpp/cli/commands.h"

#include "gpp/versions.h"

#include "ert/core/backend/cpu/pin.h"
#include "ert/core/base/units.h"

/* list: versions with their ideas, systems with their sizes. */
static enum ert_status cli_main_list(int argc, char **argv, struct ert_error *error)
{
    ERT_TRY(ert_opt_parse(NULL, 0, argc, argv, NULL, NULL, 0, NULL, error));
    printf("versions\n");
    for (size_t i = 0; i < GPP_N_VERSIONS; i++)
        printf("  %-4s %s  %s\n", gpp_versions[i].name,
               gpp_versions[i].device == GPP_CPU ? "cpu" : "gpu", gpp_versions[i].idea);
    printf("systems: nbands x ngpown x ncouls, nw\n");
    for (size_t i = 0; i < gpp_n_systems; i++) {
        const struct gpp_sizes *s = &gpp_systems[i].sizes;
        printf("  %-6s %zu x %zu x %zu, %zu  %s; %s\n", gpp_systems[i].name, s->nbands,
               s->ngpown, s->ncouls, s->nw, ert_units_capacity(gpp_sizes_bytes(s)).text,
               gpp_systems[i].about);
    }
    return ERT_OK;
}

static const struct ert_command command_list = {
    .name = "list",
    .words = "",
    .summary = "list versions and systems",
    .run = cli_main_list,
};

static const struct ert_command *const commands[] = {&command_list, &gpp_command_run, NULL};

static const struct ert_program program = {
    .name = "ert-gpp",
    .words = "",
    .purpose = "The General Plasmon Pole kernel of BerkeleyGW, one optimization at a time, "
               "on CPUs and GPUs.",
    .exits = "0 success, 1 failure or results differ, 2 usage or bad input, 3 not "
             "available here",
    .commands = commands,
};

int main(int argc, char **argv)
{
    ert_pin_alone();
    return ert_program_main(&program, argc, argv, stdout, stderr);
}
