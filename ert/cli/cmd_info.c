/* ert info: what this machine is, and what it could do in theory, with formula and source. */
#include "ert/backend/backend.h"
#include "ert/cli/cmd.h"
#include "ert/cli/info_text.h"
#include "ert/machine/discover.h"
#include "ert/machine/dram.h"
#include "ert/machine/machine_json.h"
#include "ert/machine/theory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *topology, *device, *dram_bandwidth;
    bool json;
};

static const struct ert_opt rows[] = {
    {"topology",       ERT_OPT_TEXT, offsetof(struct options, topology),       "FILE",
     "show an hwloc XML file instead of this machine",                             0, 0, NULL},
    {"device",         ERT_OPT_TEXT, offsetof(struct options, device),         "WORD",
     "cpu, gpu, gpuN or all (default all)",                                        0, 0, NULL},
    {"dram-bandwidth", ERT_OPT_TEXT, offsetof(struct options, dram_bandwidth), "SPEC",
     "theory of all DRAM: channels and type (8xDDR5-4800), or a rate (307.2GB/s)", 0, 0,
     NULL                                                                                    },
    {"json",           ERT_OPT_FLAG, offsetof(struct options, json),           NULL,
     "print JSON: the machine, the peaks of each device, the backends",            0, 0, NULL},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

/* What is shown: the devices, and why a backend has none. */
struct info {
    struct ert_machine machine;
    char reasons[8][256]; /* by backend, "" where available */
    bool is_file;
};

static enum ert_status check_device(const char *word, struct ert_error *error)
{
    bool is_gpu_n = strncmp(word, "gpu", 3) == 0 && word[3] &&
                    strspn(word + 3, "0123456789") == strlen(word + 3);
    if (strcmp(word, "all") == 0 || strcmp(word, "cpu") == 0 || strcmp(word, "gpu") == 0 ||
        is_gpu_n)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "--device: '%.64s', must be cpu, gpu, gpuN or all",
                    word);
}

static bool is_wanted(const char *word, const struct ert_device *device)
{
    bool is_gpu = device->kind == ERT_DEVICE_GPU;
    return strcmp(word, "all") == 0 || strcmp(word, device->id) == 0 ||
           (is_gpu && strcmp(word, "gpu") == 0);
}

/*
 * Every backend but the fake one says what there is. One that fails is a reason, not the end: the
 * rest of the machine is still worth showing.
 */
static enum ert_status discover_live(struct info *info, struct ert_error *error)
{
    for (size_t i = 0;
         ert_backends[i] && i < sizeof info->reasons / sizeof info->reasons[0]; i++) {
        const struct ert_backend *backend = ert_backends[i];
        char text[256] = "";
        if (backend == &ert_backend_fake)
            continue;
        const char *why = backend->unavailable(text, sizeof text);
        if (why) {
            snprintf(info->reasons[i], sizeof info->reasons[i], "%s", why);
            continue;
        }
        struct ert_error own = {0};
        enum ert_status status = backend->discover(&info->machine, &own);
        if (status != ERT_OK && backend == &ert_backend_cpu)
            return ert_fail(error, status, "%s", own.text);
        if (status != ERT_OK)
            snprintf(info->reasons[i], sizeof info->reasons[i], "%.255s", own.text);
    }
    return ERT_OK;
}

/* Removes the devices that the word does not want; ERT_UNAVAILABLE when none is left. */
static enum ert_status select_devices(struct info *info, const struct options *options,
                                      struct ert_error *error)
{
    struct ert_machine *machine = &info->machine;
    uint32_t n = 0;
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (is_wanted(options->device, &machine->devices[i]))
            machine->devices[n++] = machine->devices[i];
    machine->n_devices = n;
    if (n > 0)
        return ERT_OK;
    const char *reason = "";
    for (size_t i = 0; ert_backends[i]; i++)
        if (ert_backends[i] == &ert_backend_cuda)
            reason = info->reasons[i];
    return ert_fail(error, ERT_UNAVAILABLE, "no device '%s' %s%s%s%s", options->device,
                    info->is_file ? "in " : "on this machine",
                    info->is_file ? options->topology : "", reason[0] ? ": " : "", reason);
}

static cJSON *peaks_json(const struct ert_device *device)
{
    struct ert_peak peaks[ERT_MAX_PEAKS];
    size_t n;
    cJSON *array = cJSON_CreateArray();
    ert_theory_peaks(device, 0, 0, peaks, &n);
    for (size_t i = 0; i < n; i++) {
        const struct ert_peak *peak = &peaks[i];
        const char *key =
            peak->unit == ERT_PEAK_FLOP_PER_S ? "value_flop_per_s" : "value_bytes_per_s";
        cJSON *row = cJSON_CreateObject();
        cJSON_AddStringToObject(row, "name", peak->name);
        cJSON_AddStringToObject(row, "clock", peak->clock);
        cJSON_AddItemToObject(row, "clock_hz",
                              peak->clock_hz > 0 ? cJSON_CreateNumber(peak->clock_hz)
                                                 : cJSON_CreateNull());
        cJSON_AddItemToObject(row, "per_clock",
                              peak->per_clock > 0 ? cJSON_CreateNumber(peak->per_clock)
                                                  : cJSON_CreateNull());
        cJSON_AddItemToObject(row, key,
                              peak->value > 0 ? cJSON_CreateNumber(peak->value)
                                              : cJSON_CreateNull());
        cJSON_AddStringToObject(row, "formula", peak->formula);
        cJSON_AddStringToObject(row, "source", peak->source);
        cJSON_AddStringToObject(row, "unknown", peak->unknown);
        cJSON_AddItemToArray(array, row);
    }
    return array;
}

static cJSON *backends_json(const struct info *info)
{
    cJSON *object = cJSON_CreateObject();
    for (size_t i = 0; ert_backends[i]; i++)
        if (ert_backends[i] != &ert_backend_fake)
            cJSON_AddStringToObject(object, ert_backends[i]->name,
                                    info->reasons[i][0] ? info->reasons[i] : "available");
    return object;
}

static enum ert_status print_json(const struct info *info, struct ert_error *error)
{
    cJSON *root = cJSON_CreateObject();
    cJSON_AddItemToObject(root, "machine", ert_machine_to_json(&info->machine));
    cJSON *peaks = cJSON_AddObjectToObject(root, "peaks");
    for (uint32_t i = 0; i < info->machine.n_devices; i++)
        cJSON_AddItemToObject(peaks, info->machine.devices[i].id,
                              peaks_json(&info->machine.devices[i]));
    if (!info->is_file)
        cJSON_AddItemToObject(root, "backends", backends_json(info));
    char *text = cJSON_Print(root);
    cJSON_Delete(root);
    if (!text)
        return ert_fail(error, ERT_FAILED, "out of memory for the JSON text");
    puts(text);
    free(text);
    return ERT_OK;
}

static void print_device(const struct ert_device *device)
{
    struct ert_peak peaks[ERT_MAX_PEAKS];
    size_t n;
    /* A topology file names GPUs, but says nothing that a peak could come from. */
    if (device->kind == ERT_DEVICE_GPU && !device->backend[0]) {
        ert_info_print_line(stdout, device);
        return;
    }
    ert_info_print_device(stdout, device);
    ert_theory_peaks(device, 0, 0, peaks, &n);
    ert_info_print_peaks(stdout, peaks, n);
    putchar('\n');
}

static void print_text(const struct info *info)
{
    if (info->is_file)
        printf("topology %s\n\n", info->machine.provenance.topology_source);
    else
        ert_info_print_provenance(stdout, &info->machine.provenance);
    for (uint32_t i = 0; i < info->machine.n_devices; i++)
        print_device(&info->machine.devices[i]);
    for (size_t i = 0; ert_backends[i]; i++)
        if (info->reasons[i][0]) {
            char first[64];
            snprintf(first, sizeof first, "%s: not available: ", ert_backends[i]->name);
            ert_info_print_wrapped(stdout, first, info->reasons[i]);
        }
    ert_info_print_notes(stdout, &info->machine);
}

static enum ert_status show(struct info *info, const struct options *options, int argc,
                            char **argv, struct ert_error *error)
{
    info->is_file = options->topology != NULL;
    if (info->is_file)
        ERT_TRY(ert_discover_host(options->topology, &info->machine, error));
    else
        ERT_TRY(discover_live(info, error));
    ert_discover_provenance(&info->machine, argc, argv);
    if (options->dram_bandwidth)
        ERT_TRY(ert_dram_state(&info->machine, options->dram_bandwidth, error));
    ERT_TRY(select_devices(info, options, error));
    if (options->json)
        return print_json(info, error);
    print_text(info);
    return ERT_OK;
}

enum ert_status ert_cmd_info(int argc, char **argv, struct ert_error *error)
{
    struct options options = {.device = "all"};
    size_t n_words;
    if (ert_cmd_help("info", rows, N_ROWS, argc, argv))
        return ERT_OK;
    ERT_TRY(ert_opt_parse(rows, N_ROWS, argc, argv, &options, NULL, 0, &n_words, error));
    ERT_TRY(check_device(options.device, error));
    struct ert_dram dram;
    if (options.dram_bandwidth)
        ERT_TRY(ert_dram_parse("--dram-bandwidth", options.dram_bandwidth, &dram, error));
    struct info *info = calloc(1, sizeof *info);
    if (!info)
        return ert_fail(error, ERT_FAILED, "out of memory: %zu bytes", sizeof *info);
    enum ert_status status = show(info, &options, argc, argv, error);
    free(info);
    return status;
}
