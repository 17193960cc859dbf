/* SPDX-License-Identifier: BSD-3-Clause */
/* ert list: shows the kernels with work and formula, and the backends, with reasons if unavailable. */
#include "ert/cli/commands.h"
#include "ert/core/backend/backend.h"

#include <stdio.h>

static void list_kernels(void)
{
    static const char *const kinds[] = {
        [ERT_KIND_MEMORY] = "memory",   [ERT_KIND_COMPUTE] = "compute",
        [ERT_KIND_LATENCY] = "latency", [ERT_KIND_LINK] = "link",
        [ERT_KIND_SECTION] = "section", [ERT_KIND_MODE] = "mode",
    };
    static const char *const homes[] = {
        [ERT_HOME_ALL] = "",
        [ERT_HOME_EXTENSION] = " (GPUs, CPUs with the extension)",
        [ERT_HOME_CPU] = " (CPUs)",
        [ERT_HOME_CPU_EXTENSION] = " (CPUs with the extension)",
        [ERT_HOME_GPU] = " (GPUs)",
    };
    printf("%-16s %-8s %-5s %5s %5s %6s  %s\n", "kernel", "kind", "type", "flops", "loads",
           "stores", "formula, purpose");
    for (int i = 0; i < ERT_N_KERNELS; i++) {
        const struct ert_kernel *row = ert_kernel_row((enum ert_kernel_id)i);
        bool is_any = row->kind == ERT_KIND_MODE;
        char flops[16];
        snprintf(flops, sizeof flops, "%u", row->flops);
        printf("%-16s %-8s %-5s %5s %5u %6u  %s: %s%s%s\n", row->name, kinds[row->kind],
               ert_type_name(row->type), is_any ? "F" : flops, row->loads, row->stores,
               row->formula, row->purpose, homes[row->home],
               row->limits & ERT_UNTRIED ? "; " ERT_UNTRIED_TEXT : "");
    }
}

static void list_backends(void)
{
    printf("\n%-8s %s\n", "backend", "state");
    for (size_t i = 0; ert_backends()[i]; i++) {
        char reason[256];
        const struct ert_backend *backend = ert_backend_of(ert_backends()[i]);
        const char *why = backend->unavailable(reason, sizeof reason);
        printf("%-8s %s%s%s\n", backend->name, backend->summary,
               why ? "; unavailable: " : "", why ? why : "");
    }
}

static enum ert_status list_run_command(int argc, char **argv, struct ert_error *error)
{
    ERT_TRY(ert_opt_parse(NULL, 0, argc, argv, NULL, NULL, 0, NULL, error));
    list_kernels();
    list_backends();
    return ERT_OK;
}

const struct ert_command ert_command_list = {
    .name = "list",
    .words = "",
    .summary = "list kernels and backends, and what is missing",
    .run = list_run_command,
};
