#include "ert/backend/fake_plant.h"

#include "ert/backend/fake.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const fault_names[ERT_N_FAKE_FAULTS] = {"none",  "hang",  "nan",
                                                           "clock", "alloc", "gone"};

/*
 * Of a level, CPU-like and GPU-like: the load rate in byte/s, the latency of a chase in s, and
 * how many threads, or loads in flight per SM (warps times ILP), the rate takes.
 */
static const struct planted_level {
    const char *level;
    double rates[2], latencies[2], needed[2];
} planted_levels[] = {
    {"L1",     {800e9, 4000e9}, {1.5e-9, 20e-9}, {4, 32}},
    {"shared", {0, 3900e9},     {0, 15e-9},      {0, 32}},
    {"L2",     {400e9, 1500e9}, {5e-9, 140e-9},  {4, 48}},
    {"L3",     {150e9, 0},      {25e-9, 0},      {3, 0} },
    {"MCDRAM", {160e9, 0},      {120e-9, 0},     {4, 0} },
    {"DRAM",   {40e9, 0},       {90e-9, 0},      {2, 0} },
    {"HBM",    {0, 600e9},      {0, 400e-9},     {0, 64}},
};

/* The same of compute kernels: all cores; warps times ILP that hide an FMA's latency. */
static const double needed_to_compute[2] = {4, 16};

/* A kernel's rate: relative to load, or flop per second. */
static double planted_of(const struct ert_device *device, enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    return device->kind == ERT_DEVICE_GPU ? row->planted_gpu : row->planted_cpu;
}

static const struct planted_level *find_level(const struct ert_level *level)
{
    for (size_t i = 0; i < sizeof planted_levels / sizeof planted_levels[0]; i++)
        if (strcmp(planted_levels[i].level, level->name) == 0)
            return &planted_levels[i];
    return NULL;
}

double ert_fake_level_bandwidth(const struct ert_device *device,
                                const struct ert_level *level, enum ert_kernel_id kernel)
{
    const struct planted_level *planted = find_level(level);
    bool is_gpu = device->kind == ERT_DEVICE_GPU;
    return planted ? planted->rates[is_gpu] * planted_of(device, kernel) : 0;
}

double ert_fake_latency(const struct ert_device *device, const struct ert_level *level)
{
    const struct planted_level *planted = find_level(level);
    return planted ? planted->latencies[device->kind == ERT_DEVICE_GPU] : 0;
}

double ert_fake_concurrency(const struct ert_device *device, const struct ert_level *level,
                            uint32_t count, uint32_t ilp)
{
    bool is_gpu = device->kind == ERT_DEVICE_GPU;
    const struct planted_level *planted = level ? find_level(level) : NULL;
    double needed = planted ? planted->needed[is_gpu] : needed_to_compute[is_gpu];
    return fmin(1, count * ilp / needed);
}

double ert_fake_access(uint32_t access_bytes, uint32_t stride_bytes)
{
    return access_bytes / fmin(stride_bytes, 64);
}

double ert_fake_place(uint32_t from, uint32_t to)
{
    if (from == 0)
        return 1;
    return from == to ? 0.5 : 0.3;
}

double ert_fake_performance(const struct ert_device *device, enum ert_kernel_id kernel)
{
    return planted_of(device, kernel);
}

/* Whether accesses on the path see this level: ordinary ones see all but scratchpads. */
static int answers(const struct ert_level *level, enum ert_path path)
{
    if (path == ERT_PATH_CACHED)
        return level->kind != ERT_LEVEL_SCRATCHPAD;
    return level->path == path;
}

const struct ert_level *ert_fake_level(const struct ert_device *device, enum ert_path path,
                                       double working_set_bytes)
{
    const struct ert_level *last = NULL;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (!answers(level, path))
            continue;
        last = level;
        if (working_set_bytes <= (double)ert_level_total_bytes(level))
            break;
    }
    return last;
}

double ert_fake_bandwidth(const struct ert_device *device, enum ert_kernel_id kernel,
                          enum ert_path path, double working_set_bytes)
{
    double rate = 0;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (!answers(level, path))
            continue;
        double here = ert_fake_level_bandwidth(device, level, kernel);
        double total = (double)ert_level_total_bytes(level);
        /* Between a set of one and of two times a cache the rate slides into the next level's. */
        if (rate > 0) {
            const struct ert_level *before = level - 1;
            while (!answers(before, path))
                before--;
            double beyond = log2(working_set_bytes / (double)ert_level_total_bytes(before));
            if (beyond < 1)
                return rate * pow(here / rate, fmax(beyond, 0));
        }
        rate = here;
        if (working_set_bytes <= total)
            return rate;
    }
    return rate;
}

static enum ert_status read_number(const char *key, const char *value, double max,
                                   double *number, struct ert_error *error)
{
    char *end;
    *number = strtod(value, &end);
    if (end == value || *end || !(*number >= 0 && *number <= max))
        return ert_fail(error, ERT_USAGE, "ERT_FAKE: %s=%s, must be a number from 0 to %g",
                        key, value, max);
    return ERT_OK;
}

/* "0.05": every kernel; "load:0.05": one. */
static enum ert_status read_slower(const char *value, struct ert_fake_plant *plant,
                                   struct ert_error *error)
{
    const char *colon = strchr(value, ':');
    if (colon) {
        char name[64];
        enum ert_kernel_id id;
        snprintf(name, sizeof name, "%.*s", (int)(colon - value), value);
        ERT_TRY(ert_kernel_find(name, &id, error));
        plant->slower_kernel = (int)id;
        value = colon + 1;
    }
    return read_number("slower", value, 0.99, &plant->slower, error);
}

static enum ert_status read_word(const char *key, const char *value,
                                 struct ert_fake_plant *plant, struct ert_error *error)
{
    double number;
    if (strcmp(key, "noise") == 0)
        return read_number(key, value, 0.5, &plant->noise, error);
    if (strcmp(key, "outliers") == 0)
        return read_number(key, value, 1, &plant->outliers, error);
    if (strcmp(key, "sustained") == 0)
        return read_number(key, value, 1, &plant->sustained, error);
    if (strcmp(key, "slower") == 0)
        return read_slower(value, plant, error);
    if (strcmp(key, "seed") == 0) {
        ERT_TRY(read_number(key, value, 1e9, &number, error));
        plant->seed = (uint64_t)number;
        return ERT_OK;
    }
    if (strcmp(key, "after") == 0) {
        ERT_TRY(read_number(key, value, 1e9, &number, error));
        plant->after = (uint64_t)number;
        return ERT_OK;
    }
    if (strcmp(key, "gpus") == 0) {
        ERT_TRY(read_number(key, value, 8, &number, error));
        plant->gpus = (uint32_t)number;
        return ERT_OK;
    }
    if (strcmp(key, "steal") == 0)
        return read_number(key, value, 0.9, &plant->steal, error);
    if (strcmp(key, "cpus") == 0) {
        ERT_TRY(read_number(key, value, ERT_FAKE_MOST_CPUS, &number, error));
        plant->cpus = (uint32_t)number;
        if (plant->cpus >= 4 && plant->cpus % 4 == 0)
            return ERT_OK;
        return ert_fail(error, ERT_USAGE, "ERT_FAKE: cpus=%s, must be a multiple of 4",
                        value);
    }
    if (strcmp(key, "mcdram") == 0) {
        ERT_TRY(read_number(key, value, 1, &number, error));
        plant->has_mcdram = number > 0;
        return ERT_OK;
    }
    if (strcmp(key, "kernel") == 0) {
        enum ert_kernel_id id;
        ERT_TRY(ert_kernel_find(value, &id, error));
        plant->kernel = (int)id;
        return ERT_OK;
    }
    for (int i = 0; strcmp(key, "fault") == 0 && i < ERT_N_FAKE_FAULTS; i++)
        if (strcmp(fault_names[i], value) == 0) {
            plant->fault = (enum ert_fake_fault)i;
            return ERT_OK;
        }
    return ert_fail(error, ERT_USAGE,
                    "ERT_FAKE: '%s=%s'; words are noise=, outliers=, steal=, sustained=, "
                    "slower=, seed=, "
                    "after=, cpus=, "
                    "gpus=, mcdram=, kernel=, fault=none|hang|nan|clock|alloc|gone",
                    key, value);
}

enum ert_status ert_fake_plant_read(const char *text, struct ert_fake_plant *plant,
                                    struct ert_error *error)
{
    *plant = (struct ert_fake_plant){.noise = 0.005,
                                     .sustained = 1,
                                     .kernel = -1,
                                     .slower_kernel = -1,
                                     .gpus = 1,
                                     .cpus = 4};
    while (text && *text) {
        char word[64];
        size_t length = strcspn(text, ",");
        if (length >= sizeof word)
            return ert_fail(error, ERT_USAGE, "ERT_FAKE: a word of %zu bytes, at most %zu",
                            length, sizeof word - 1);
        memcpy(word, text, length);
        word[length] = '\0';
        char *equals = strchr(word, '=');
        if (!equals)
            return ert_fail(error, ERT_USAGE, "ERT_FAKE: '%s' is not key=value", word);
        *equals = '\0';
        ERT_TRY(read_word(word, equals + 1, plant, error));
        text += length + (text[length] == ',');
    }
    return ERT_OK;
}
