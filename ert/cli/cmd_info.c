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

enum { COLUMNS = 100, LABEL = 14 };

/* Prints a label and a wrapped text. */
static void info_row(const char *label, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void info_row(const char *label, const char *format, ...)
{
    char first[32], text[1024];
    ERT_FORMAT(text, sizeof text, format);
    snprintf(first, sizeof first, "  %-*s", LABEL, label);
    ert_text_wrap(stdout, first, text, COLUMNS);
}

static void row_if(const char *label, const char *text)
{
    if (text[0])
        info_row(label, "%s", text);
}

static const char *info_plural(uint32_t n)
{
    return n == 1 ? "" : "s";
}

static struct ert_text capacity_or(uint64_t size_bytes, const char *otherwise)
{
    struct ert_text text = ert_units_capacity(size_bytes);
    if (!size_bytes)
        snprintf(text.text, sizeof text.text, "%s", otherwise);
    return text;
}

static void print_provenance(const struct ert_provenance *provenance)
{
    puts("machine");
    row_if("host", provenance->host);
    info_row("system", "%s%s%s", provenance->os, provenance->os[0] ? ", " : "",
             provenance->kernel);
    info_row("ert", "%s, git %s", provenance->tool_version, provenance->git);
    row_if("compiler", provenance->compiler);
    row_if("nvcc", provenance->nvcc);
    row_if("NVIDIA driver", provenance->nvidia_driver);
    if (provenance->load_average >= 0)
        info_row("load", "%.2f over one minute", provenance->load_average);
    info_row("topology", "%s", provenance->topology_source);
    putchar('\n');
}

/* ---- CPU ---- */

static void print_cores(const struct ert_cpu *cpu)
{
    if (cpu->n_packages > 0)
        info_row("packages", "%u", cpu->n_packages);
    info_row("cores", "%u core%s, %u PU%s (%.3g per core)", cpu->n_cores,
             info_plural(cpu->n_cores), cpu->n_pus, info_plural(cpu->n_pus),
             cpu->n_cores ? (double)cpu->n_pus / cpu->n_cores : 0);
    if (cpu->n_pus_usable < cpu->n_pus)
        info_row("usable", "%u core%s, %u PU%s (cgroup, CPU set or affinity)",
                 cpu->n_cores_usable, info_plural(cpu->n_cores_usable), cpu->n_pus_usable,
                 info_plural(cpu->n_pus_usable));
    if (cpu->cpus_quota > 0)
        info_row("quota", "%.4g CPUs (cgroup)", cpu->cpus_quota);
    for (uint32_t i = 0; i < cpu->n_core_kinds; i++) {
        const struct ert_core_kind *kind = &cpu->core_kinds[i];
        info_row(i == 0 ? "core kinds" : "", "%u %s, up to %s", kind->n_cores,
                 kind->name[0] ? kind->name : "unnamed",
                 kind->max_hz > 0 ? ert_units_frequency(kind->max_hz).text
                                  : "an unknown clock");
    }
}

static void print_clock(const char *label, double clock_hz, const char *source)
{
    if (clock_hz > 0)
        info_row(label, "%s, from %s", ert_units_frequency(clock_hz).text,
                 source[0] ? source : "an unnamed source");
    else
        info_row(label, "unknown");
}

/* Nodes that differ only in their numbers share a row. */
static bool is_same_node(const struct ert_numa_node *a, const struct ert_numa_node *b)
{
    return strcmp(a->kind, b->kind) == 0 && a->size_bytes == b->size_bytes &&
           a->n_cores == b->n_cores;
}

static void print_numa(const struct ert_cpu *cpu)
{
    for (uint32_t i = 0; i < cpu->n_numa; i++) {
        char numbers[256] = "";
        uint32_t n = 0;
        bool is_printed = false;
        for (uint32_t j = 0; j < i; j++)
            is_printed = is_printed || is_same_node(&cpu->numa[i], &cpu->numa[j]);
        for (uint32_t j = i; j < cpu->n_numa && !is_printed; j++) {
            if (!is_same_node(&cpu->numa[i], &cpu->numa[j]))
                continue;
            ert_append(numbers, sizeof numbers, "%s%u", n ? "," : "",
                       cpu->numa[j].os_index);
            n++;
        }
        if (is_printed)
            continue;
        bool is_named = strcmp(cpu->numa[i].kind, "unknown") != 0;
        info_row(i == 0 ? "NUMA nodes" : "", "%u x %s, %s%s, local to %u core%s (P#%s)", n,
                 is_named ? cpu->numa[i].kind : "memory of unknown kind",
                 capacity_or(cpu->numa[i].size_bytes, "size unknown").text,
                 n > 1 ? " each" : "", cpu->numa[i].n_cores,
                 info_plural(cpu->numa[i].n_cores), numbers);
    }
}

static void info_print_cpu(const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    if (cpu->vendor[0])
        info_row("identity", "%s family %u model %u (0x%x) stepping %u", cpu->vendor,
                 cpu->family, cpu->model, cpu->model, cpu->stepping);
    row_if("hypervisor", cpu->hypervisor);
    print_cores(cpu);
    char features[256] = "";
    for (size_t i = 0; i < ERT_N_ISA_ROWS; i++)
        if (*(const bool *)((const char *)&cpu->isa + ert_isa_rows[i].offset))
            ert_append(features, sizeof features, "%s%s", *features ? " " : "",
                       ert_isa_rows[i].key);
    info_row("features", "%s", *features ? features : "unknown");
    print_clock("base clock", device->base_hz, device->base_source);
    print_clock("boost clock", device->boost_hz, device->boost_source);
    row_if("governor", cpu->governor);
    row_if("turbo", cpu->turbo);
    print_numa(cpu);
    if (cpu->memory_available_bytes)
        info_row("memory", "%s available",
                 ert_units_capacity(cpu->memory_available_bytes).text);
    if (cpu->memory_limit_bytes)
        info_row("memory limit", "%s (cgroup)",
                 ert_units_capacity(cpu->memory_limit_bytes).text);
}

/* ---- GPU ---- */

static void print_gpu(const struct ert_device *device)
{
    const struct ert_gpu *gpu = &device->gpu;
    char capability[48] = "";
    if (gpu->cc_major)
        snprintf(capability, sizeof capability, "compute capability %u.%u, ", gpu->cc_major,
                 gpu->cc_minor);
    info_row("identity", "%sPCI %s, %s", capability, gpu->pci[0] ? gpu->pci : "unknown",
             gpu->uuid[0] ? gpu->uuid : "UUID unknown");
    info_row("SMs", "%u, warps of %u, up to %u threads per SM", gpu->n_sms, gpu->warp_size,
             gpu->max_threads_per_sm);
    print_clock("base clock", device->base_hz, device->base_source);
    print_clock("boost clock", device->boost_hz, device->boost_source);
    info_row("memory", "%s, %s free, bus of %u bit",
             capacity_or(gpu->memory_bytes, "size unknown").text,
             capacity_or(gpu->memory_free_bytes, "an unknown part").text,
             gpu->bus_width_bits);
    print_clock("memory clock", gpu->memory_clock_hz, "the driver");
    if (gpu->power_limit_w > 0)
        info_row("power limit", "%.0f W", gpu->power_limit_w);
    info_row("state", "ECC %s, MIG %s", gpu->ecc[0] ? gpu->ecc : "unknown",
             gpu->mig[0] ? gpu->mig : "unknown");
    row_if("busy", gpu->busy);
}

/* ---- both ---- */

static void print_levels(const struct ert_device *device)
{
    if (device->n_levels == 0)
        return;
    printf("\n  %-12s %-10s %10s %9s %10s %6s   %s\n", "level", "kind", "size each",
           "instances", "total", "line", "reached by, source");
    static const char *const kinds[] = {"scratchpad", "cache", "memory"};
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        char line[16] = "-";
        if (level->line_bytes)
            snprintf(line, sizeof line, "%u B", level->line_bytes);
        printf("  %-12s %-10s %10s %9u %10s %6s   %s, %s\n", level->name,
               kinds[level->kind], capacity_or(level->size_bytes, "unknown").text,
               level->count, capacity_or(ert_level_total_bytes(level), "unknown").text,
               line, ert_path_name(level->path), level->source);
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
    if (device->kind == ERT_DEVICE_CPU)
        info_print_cpu(device);
    else
        print_gpu(device);
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
    print_provenance(&info->machine.provenance);
    for (uint32_t i = 0; i < info->machine.n_devices; i++)
        print_device(&info->machine.devices[i]);
    for (size_t i = 0; ert_backends()[i]; i++)
        if (info->reasons[i][0]) {
            char first[64];
            snprintf(first, sizeof first, "%s: not available: ", ert_backends()[i]->name);
            ert_text_wrap(stdout, first, info->reasons[i], COLUMNS);
        }
    for (uint32_t i = 0; i < info->machine.n_notes; i++)
        ert_text_wrap(stdout, "note: ", info->machine.notes[i], COLUMNS);
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
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, &n_words,
                          error));
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
