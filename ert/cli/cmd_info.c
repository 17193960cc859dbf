/* SPDX-License-Identifier: BSD-3-Clause */
/* ert info: shows this machine and its theoretical peaks, with formulas and sources. */
#include "ert/cli/commands.h"
#include "ert/core/backend/backend.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"
#include "ert/core/ceilings/ceilings.h"
#include "ert/core/ceilings/table.h"
#include "ert/core/machine/discover.h"
#include "ert/core/machine/dram.h"
#include "ert/core/machine/machine_json.h"
#include "ert/core/machine/theory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, LABEL = 22 };

static bool info_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), n_end = strlen(end);
    return n >= n_end && strcmp(text + n - n_end, end) == 0;
}

/* Long enough for any text of a machine. */
struct info_text {
    char text[512];
};

/* The value of a row: sizes and clocks by the unit that their key has; "" for what is unknown. */
static struct info_text info_value(const struct ert_field *row, const void *at)
{
    struct info_text line = {""};
    const double value = row->kind == ERT_FIELD_COUNT  ? *(const uint32_t *)at
                         : row->kind == ERT_FIELD_U64  ? (double)*(const uint64_t *)at
                         : row->kind == ERT_FIELD_TEXT ? 0
                                                       : *(const double *)at;
    if (row->kind == ERT_FIELD_TEXT)
        snprintf(line.text, sizeof line.text, "%s", (const char *)at);
    else if (!(value > 0))
        return line;
    else if (info_ends_with(row->key, "_hz"))
        snprintf(line.text, sizeof line.text, "%s", ert_units_frequency(value).text);
    else if (info_ends_with(row->key, "_bytes"))
        snprintf(line.text, sizeof line.text, "%s",
                 ert_units_capacity((uint64_t)value).text);
    else if (info_ends_with(row->key, "_bytes_per_s"))
        snprintf(line.text, sizeof line.text, "%s", ert_units_bandwidth(value).text);
    else
        snprintf(line.text, sizeof line.text, "%.6g%s", value,
                 info_ends_with(row->key, "_w") ? " W" : "");
    return line;
}

/* The known members of a struct, as `ert info --json` names them, each on a line. */
static void info_rows(const struct ert_field *rows, size_t n_rows, const void *source)
{
    for (size_t i = 0; i < n_rows; i++) {
        char first[64];
        const struct info_text line =
            info_value(&rows[i], (const char *)source + rows[i].offset);
        snprintf(first, sizeof first, "  %-*s ", LABEL, rows[i].key);
        if (line.text[0])
            ert_text_wrap(stdout, first, 0, line.text, COLUMNS);
    }
}

/* The same on one line for each of n structs: "kind DRAM, size 32 GiB". */
static void info_list(const char *label, const struct ert_field *rows, size_t n_rows,
                      const void *source, size_t size_bytes, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        const char *base = (const char *)source + k * size_bytes;
        char first[64], text[512] = "";
        for (size_t i = 0; i < n_rows; i++) {
            const struct info_text line = info_value(&rows[i], base + rows[i].offset);
            if (line.text[0])
                ert_append(text, sizeof text, "%s%s %s", *text ? ", " : "", rows[i].key,
                           line.text);
        }
        snprintf(first, sizeof first, "  %-*s ", LABEL, k == 0 ? label : "");
        ert_text_wrap(stdout, first, 0, text, COLUMNS);
    }
}

static void info_print_cpu(const struct ert_cpu *cpu)
{
    char features[256] = "";
    info_rows(ERT_ROWS(ert_cpu_rows), cpu);
    for (size_t i = 0; i < ERT_N_ISA_ROWS; i++)
        if (*(const bool *)((const char *)&cpu->isa + ert_isa_rows[i].offset))
            ert_append(features, sizeof features, "%s%s", *features ? " " : "",
                       ert_isa_rows[i].key);
    printf("  %-*s %s\n", LABEL, "isa", *features ? features : "unknown");
    info_list("core_kinds", ERT_ROWS(ert_core_kind_rows), cpu->core_kinds,
              sizeof cpu->core_kinds[0], cpu->n_core_kinds);
    info_list("numa", ERT_ROWS(ert_numa_rows), cpu->numa, sizeof cpu->numa[0], cpu->n_numa);
}

static void print_levels(const struct ert_device *device)
{
    if (device->n_levels == 0)
        return;
    printf("\n  %-12s %-10s %10s %9s %10s %6s   %s\n", "level", "kind", "size each",
           "instances", "total", "line", "reached by, source");
    static const char *const kinds[] = {"scratchpad", "cache", "memory"};
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        const uint64_t total_bytes = ert_level_total_bytes(level);
        struct ert_text each = {"unknown"}, total = {"unknown"}, line = {"-"};
        if (level->size_bytes)
            each = ert_units_capacity(level->size_bytes);
        if (total_bytes)
            total = ert_units_capacity(total_bytes);
        if (level->line_bytes)
            line = ert_units_capacity(level->line_bytes);
        printf("  %-12s %-10s %10s %9u %10s %6s   %s, %s\n", level->name,
               kinds[level->kind], each.text, level->count, total.text, line.text,
               ert_path_name(level->path), level->source);
    }
}

struct options {
    const char *device, *dram_bandwidth;
    bool json;
};

static const struct ert_opt rows[] = {
    ERT_OPT("device", TEXT, device, "WORD", "cpu, gpu, gpuN or all (default all)"),
    ERT_OPT("dram-bandwidth", TEXT, dram_bandwidth, "SPEC",
            "theoretical bandwidth of all DRAM: 8xDDR5-4800 (channels, type) or 307.2GB/s"),
    ERT_OPT_SWITCH("json", json,
                   "print JSON: the machine, the peaks of each device, the backends"),
};

/* The devices, and the reasons why backends have none. */
struct info {
    struct ert_machine machine;
    char reasons[ERT_MAX_BACKENDS][256]; /* by backend, "" if available */
};

static enum ert_status check_device(const char *word, struct ert_error *error)
{
    if (strcmp(word, "all") == 0 || strcmp(word, "cpu") == 0 || strcmp(word, "gpu") == 0 ||
        (strncmp(word, "gpu", 3) == 0 && word[3] >= '0' && word[3] <= '9'))
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "--device: '%.64s', must be cpu, gpu, gpuN or all",
                    word);
}

static bool info_is_wanted(const char *word, const struct ert_device *device)
{
    bool is_gpu = device->kind == ERT_DEVICE_GPU;
    return strcmp(word, "all") == 0 || strcmp(word, device->id) == 0 ||
           (is_gpu && strcmp(word, "gpu") == 0);
}

/* Keeps the devices that the user named; ERT_UNAVAILABLE if there are none. */
static enum ert_status select_devices(struct info *info, const struct options *options,
                                      struct ert_error *error)
{
    struct ert_machine *machine = &info->machine;
    uint32_t n = 0;
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (info_is_wanted(options->device, &machine->devices[i]))
            machine->devices[n++] = machine->devices[i];
    machine->n_devices = n;
    if (n > 0)
        return ERT_OK;
    const char *reason = "";
    for (size_t i = 0; ert_backends()[i]; i++)
        if (ert_backends()[i]->has_gpus && !*reason)
            reason = info->reasons[i];
    return ert_fail(error, ERT_UNAVAILABLE, "no device '%s' on this machine%s%s",
                    options->device, reason[0] ? ": " : "", reason);
}

static enum ert_status info_print_json(const struct info *info, struct ert_error *error)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, "machine", ert_machine_to_json(&info->machine));
    cJSON *all = cJSON_AddObjectToObject(root, "peaks");
    struct ert_peak *peaks = ert_xcalloc(ERT_MAX_PEAKS, sizeof *peaks); /* 100 KiB */
    for (uint32_t i = 0; i < info->machine.n_devices; i++) {
        size_t n;
        ert_backend_peaks(&info->machine.devices[i], 0, 0, peaks, &n);
        cJSON_AddItemToObject(all, info->machine.devices[i].id,
                              ert_peaks_to_json(peaks, n));
    }
    free(peaks);
    cJSON *backends = cJSON_AddObjectToObject(root, "backends");
    for (size_t i = 0; ert_backends()[i]; i++)
        if (!ert_backends()[i]->is_fake)
            cJSON_AddStringToObject(backends, ert_backends()[i]->name,
                                    info->reasons[i][0] ? info->reasons[i] : "available");
    enum ert_status status = ert_json_print(stdout, root, error);
    cJSON_Delete(root);
    return status;
}

static void print_device(const struct ert_device *device)
{
    size_t n;
    printf("%s: %s\n", device->id, device->name);
    info_rows(ERT_ROWS(ert_device_rows), device);
    if (device->kind == ERT_DEVICE_CPU)
        info_print_cpu(&device->cpu);
    else
        info_rows(ERT_ROWS(ert_gpu_rows), &device->gpu);
    print_levels(device);
    struct ert_peak *peaks = ert_xcalloc(ERT_MAX_PEAKS, sizeof *peaks);
    ert_backend_peaks(device, 0, 0, peaks, &n);
    putchar('\n');
    ert_peaks_table(stdout, peaks, n);
    free(peaks);
    putchar('\n');
}

static void info_print_text(const struct info *info)
{
    puts("machine");
    info_rows(ERT_ROWS(ert_provenance_rows), &info->machine.provenance);
    putchar('\n');
    for (uint32_t i = 0; i < info->machine.n_devices; i++)
        print_device(&info->machine.devices[i]);
    for (size_t i = 0; ert_backends()[i]; i++)
        if (info->reasons[i][0]) {
            char first[64];
            snprintf(first, sizeof first, "%s: not available: ", ert_backends()[i]->name);
            ert_text_wrap(stdout, first, 0, info->reasons[i], COLUMNS);
        }
    for (uint32_t i = 0; i < info->machine.n_notes; i++)
        ert_text_wrap(stdout, "note: ", 0, info->machine.notes[i], COLUMNS);
}

static enum ert_status info_show(struct info *info, const struct options *options, int argc,
                                 char **argv, struct ert_error *error)
{
    /* All backends except the fake one find their devices. If one fails, its reason is shown. */
    enum ert_status status =
        ert_backend_discover(false, &info->machine, info->reasons, error);
    if (status != ERT_OK && info->machine.n_devices == 0)
        return status;
    ert_discover_provenance(&info->machine, argc, argv);
    if (options->dram_bandwidth)
        ERT_TRY(ert_dram_state(&info->machine, options->dram_bandwidth, error));
    ERT_TRY(select_devices(info, options, error));
    if (options->json)
        return info_print_json(info, error);
    info_print_text(info);
    return ERT_OK;
}

static enum ert_status info_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.device = "all"};
    ERT_TRY(
        ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, NULL, error));
    ERT_TRY(check_device(options.device, error));
    struct ert_dram dram;
    if (options.dram_bandwidth)
        ERT_TRY(ert_dram_parse("--dram-bandwidth", options.dram_bandwidth, &dram, error));
    struct info *info = ert_xcalloc(1, sizeof *info);
    enum ert_status status = info_show(info, &options, argc, argv, error);
    free(info);
    return status;
}

const struct ert_command ert_command_info = {
    .name = "info",
    .words = "",
    .summary = "show this machine and its theoretical peaks",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = info_run_command,
};
