/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fake/fake.h"

#include "ert/core/base/clock.h"
#include "ert/core/base/random.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The clock of every device, unless a fault lowers it. */
static const double held_hz = 2.0e9;

/* The faults that ERT_FAKE can plant. */
enum ert_fake_fault {
    ERT_FAKE_NONE,
    ERT_FAKE_HANG,  /* a region does not end */
    ERT_FAKE_NAN,   /* a result is not a number */
    ERT_FAKE_CLOCK, /* the clock falls by a third, and all rates with it */
    ERT_FAKE_ALLOC, /* an allocation fails */
    ERT_FAKE_GONE,  /* the device disappears */
    ERT_FAKE_ECC,   /* its memory had an error that was not corrected */
    ERT_N_FAKE_FAULTS
};

enum { ERT_FAKE_MOST_CPUS = 1024 };

struct ert_fake_plant {
    double noise, outliers;
    double clock, wander; /* shares of held_hz: the clock, and how far it varies */
    double sustained;     /* factor of the rates when sustained */
    double after;         /* regions before the fault occurs */
    double gpus;          /* planted GPUs */
    double cpus;          /* cores of fake0 */
    double steal;         /* share of each thread's time that scheduling gaps take */
    double slower; /* share of its rate that each kernel, or only slower_kernel, loses */
    double seed;   /* of the noise, in addition to the run's own seed */
    double mcdram; /* 1: fake0 has MCDRAM besides DRAM */
    enum ert_fake_fault fault;
    int kernel;        /* enum ert_kernel_id, or -1 for any */
    int slower_kernel; /* enum ert_kernel_id, or -1 for all */
};

static const struct {
    const char *word;
    size_t offset;
    double max;
} number_words[] = {
    {"noise",        offsetof(struct ert_fake_plant, noise),     0.5               },
    {"outliers",     offsetof(struct ert_fake_plant, outliers),  1                 },
    {"clock",        offsetof(struct ert_fake_plant, clock),     1                 },
    {"clock-wander", offsetof(struct ert_fake_plant, wander),    0.5               },
    {"sustained",    offsetof(struct ert_fake_plant, sustained), 1                 },
    {"seed",         offsetof(struct ert_fake_plant, seed),      1e9               },
    {"after",        offsetof(struct ert_fake_plant, after),     1e9               },
    {"gpus",         offsetof(struct ert_fake_plant, gpus),      8                 },
    {"steal",        offsetof(struct ert_fake_plant, steal),     0.9               },
    {"cpus",         offsetof(struct ert_fake_plant, cpus),      ERT_FAKE_MOST_CPUS},
    {"mcdram",       offsetof(struct ert_fake_plant, mcdram),    1                 },
};

static const char *const fault_names[ERT_N_FAKE_FAULTS] = {"none",  "hang", "nan", "clock",
                                                           "alloc", "gone", "ecc"};

/*
 * A level, CPU-like and GPU-like: the load rate in byte/s, the latency of a chase in s, how many threads, or
 * loads in flight per SM (warps times ILP), reach the rate, and whether it follows the clock.
 */
static const struct fake_level {
    const char *level;
    double rates[2], latencies[2], needed[2];
    bool follows_clock[2];
} fake_levels[] = {
    {"L1",     {800e9, 4000e9}, {1.5e-9, 20e-9}, {4, 32}, {true, true}  },
    {"shared", {0, 3900e9},     {0, 15e-9},      {0, 32}, {false, true} },
    {"L2",     {400e9, 1500e9}, {5e-9, 140e-9},  {4, 48}, {true, false} },
    {"L3",     {150e9, 0},      {25e-9, 0},      {3, 0},  {false, false}},
    {"MCDRAM", {160e9, 0},      {120e-9, 0},     {4, 0},  {false, false}},
    {"DRAM",   {40e9, 0},       {90e-9, 0},      {2, 0},  {false, false}},
    {"HBM",    {0, 600e9},      {0, 400e-9},     {0, 64}, {false, false}},
};

/* `needed` for compute kernels: all cores; warps times ILP that hide an FMA's latency. */
static const double needed_to_compute[2] = {4, 16};

double ert_fake_performance(const struct ert_device *device, enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    return device->kind == ERT_DEVICE_GPU ? row->fake_gpu : row->fake_cpu;
}

static const struct fake_level *fake_find_level(const struct ert_level *level)
{
    for (size_t i = 0; i < sizeof fake_levels / sizeof fake_levels[0]; i++)
        if (strcmp(fake_levels[i].level, level->name) == 0)
            return &fake_levels[i];
    return NULL;
}

double ert_fake_level_bandwidth(const struct ert_device *device,
                                const struct ert_level *level, enum ert_kernel_id kernel)
{
    const struct fake_level *fake = fake_find_level(level);
    bool is_gpu = device->kind == ERT_DEVICE_GPU;
    return fake ? fake->rates[is_gpu] * ert_fake_performance(device, kernel) : 0;
}

double ert_fake_latency(const struct ert_device *device, const struct ert_level *level)
{
    const struct fake_level *fake = fake_find_level(level);
    return fake ? fake->latencies[device->kind == ERT_DEVICE_GPU] : 0;
}

double ert_fake_concurrency(const struct ert_device *device, const struct ert_level *level,
                            uint32_t count, uint32_t ilp)
{
    bool is_gpu = device->kind == ERT_DEVICE_GPU;
    const struct fake_level *fake = level ? fake_find_level(level) : NULL;
    double needed = fake ? fake->needed[is_gpu] : needed_to_compute[is_gpu];
    return fmin(1, count * ilp / needed);
}

double ert_fake_place(uint32_t from, uint32_t to)
{
    if (from == 0)
        return 1;
    return from == to ? 0.5 : 0.3;
}

static enum ert_status fake_read_number(const char *key, const char *value, double max,
                                        double *number, struct ert_error *error)
{
    char *end;
    *number = strtod(value, &end);
    if (end == value || *end || !(*number >= 0 && *number <= max))
        return ert_fail(error, ERT_USAGE, "ERT_FAKE: %s=%s, must be a number from 0 to %g",
                        key, value, max);
    return ERT_OK;
}

static enum ert_status read_kernel(const char *name, int *kernel, struct ert_error *error)
{
    enum ert_kernel_id id;
    ERT_TRY(ert_kernel_find(name, &id, error));
    *kernel = (int)id;
    return ERT_OK;
}

static enum ert_status fake_read_word(const char *key, char *value,
                                      struct ert_fake_plant *plant, struct ert_error *error)
{
    for (size_t i = 0; i < ERT_LENGTH(number_words); i++) {
        if (strcmp(number_words[i].word, key) != 0)
            continue;
        double *number = (double *)(void *)((char *)plant + number_words[i].offset);
        ERT_TRY(fake_read_number(key, value, number_words[i].max, number, error));
        if (number == &plant->clock && !(*number > 0))
            return ert_fail(error, ERT_USAGE, "ERT_FAKE: clock=%s, must be above 0", value);
        if (number == &plant->cpus && (*number < 4 || (uint32_t)*number % 4 != 0))
            return ert_fail(error, ERT_USAGE, "ERT_FAKE: cpus=%s, must be a multiple of 4",
                            value);
        return ERT_OK;
    }
    if (strcmp(key, "slower") == 0) { /* "0.05": every kernel; "load:0.05": one */
        char *colon = strchr(value, ':');
        if (colon) {
            *colon = '\0';
            ERT_TRY(read_kernel(value, &plant->slower_kernel, error));
        }
        return fake_read_number(key, colon ? colon + 1 : value, 0.99, &plant->slower,
                                error);
    }
    if (strcmp(key, "kernel") == 0)
        return read_kernel(value, &plant->kernel, error);
    for (int i = 0; strcmp(key, "fault") == 0 && i < ERT_N_FAKE_FAULTS; i++)
        if (strcmp(fault_names[i], value) == 0) {
            plant->fault = (enum ert_fake_fault)i;
            return ERT_OK;
        }
    return ert_fail(error, ERT_USAGE,
                    "ERT_FAKE: '%s=%s'; words are noise=, outliers=, steal=, sustained=, "
                    "clock=, clock-wander=, slower=, seed=, "
                    "after=, cpus=, "
                    "gpus=, mcdram=, kernel=, fault=none|hang|nan|clock|alloc|gone|ecc",
                    key, value);
}

/* Reads ERT_FAKE's text (NULL: the defaults). ERT_USAGE for an unknown word or value. */
static enum ert_status read_plant(const char *text, struct ert_fake_plant *plant,
                                  struct ert_error *error)
{
    *plant = (struct ert_fake_plant){.noise = 0.005,
                                     .clock = 1,
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
        ERT_TRY(fake_read_word(word, equals + 1, plant, error));
        text += length + (text[length] == ',');
    }
    return ERT_OK;
}

/* The devices' levels, as a discovery would describe them. */
#define LEVEL(name_, kind_, path_, size, n)                                                \
    {                                                                                      \
        .name = name_, .kind = ERT_LEVEL_##kind_, .path = ERT_PATH_##path_,                \
        .size_bytes = size, .count = n, .line_bytes = 64, .source = "planted"              \
    }
static const struct ert_level cpu_levels[] = {
    LEVEL("L1", CACHE, CACHED, 32 << 10, 4), LEVEL("L2", CACHE, CACHED, 1 << 20, 4),
    LEVEL("L3", CACHE, CACHED, 32 << 20, 1),
    LEVEL("DRAM", MEMORY, CACHED, UINT64_C(64) << 30, 1)};
static const struct ert_level gpu_levels[] = {
    LEVEL("L1", CACHE, CACHED, 256 << 10, 16),
    LEVEL("shared", SCRATCHPAD, SHARED, 224 << 10, 16),
    LEVEL("L2", CACHE, BYPASS_L1, 32 << 20, 1),
    LEVEL("HBM", MEMORY, BYPASS_L1, UINT64_C(16) << 30, 1)};

/* Memory that first touch does not allocate from, one node per package; its level precedes DRAM. */
static void add_mcdram(struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    const uint64_t size_bytes = UINT64_C(8) << 30;
    for (int i = 0; i < 2; i++, cpu->n_numa++)
        cpu->numa[cpu->n_numa] = (struct ert_numa_node){.os_index = cpu->n_numa,
                                                        .kind = "MCDRAM",
                                                        .size_bytes = size_bytes,
                                                        .n_cores = 2};
    struct ert_level *dram = &device->levels[device->n_levels - 1];
    dram[1] = dram[0];
    snprintf(dram->name, sizeof dram->name, "MCDRAM");
    dram->size_bytes = size_bytes;
    dram->count = 2;
    device->n_levels++;
}

static enum ert_status fake_discover(struct ert_machine *machine, struct ert_error *error)
{
    struct ert_fake_plant plant;
    ERT_TRY(read_plant(getenv("ERT_FAKE"), &plant, error));
    const uint32_t n_gpus = (uint32_t)plant.gpus, n_cores = (uint32_t)plant.cpus;
    if (machine->n_devices + 1 + n_gpus > ERT_MAX_DEVICES)
        return ert_fail(error, ERT_FAILED, "no room for %u fake devices beside %u",
                        1 + n_gpus, machine->n_devices);
    struct ert_device *cpu = &machine->devices[machine->n_devices++];
    *cpu = (struct ert_device){.id = "fake0",
                               .backend = "fake",
                               .kind = ERT_DEVICE_CPU,
                               .name = "planted CPU",
                               .base_hz = held_hz};
    cpu->cpu.n_cores = cpu->cpu.n_cores_usable = n_cores;
    cpu->cpu.n_pus = cpu->cpu.n_pus_usable = 2 * n_cores;
    cpu->cpu.n_packages = cpu->cpu.n_numa = 2;
    for (uint32_t i = 0; i < cpu->cpu.n_numa; i++)
        cpu->cpu.numa[i] = (struct ert_numa_node){.os_index = i,
                                                  .kind = "DRAM",
                                                  .size_bytes = UINT64_C(32) << 30,
                                                  .n_cores = n_cores / 2};
    cpu->n_levels = ERT_LENGTH(cpu_levels);
    memcpy(cpu->levels, cpu_levels, sizeof cpu_levels);
    for (uint32_t i = 0; i < 3; i++)
        cpu->levels[i].count *= n_cores / 4;
    if (plant.mcdram > 0)
        add_mcdram(cpu);
    for (uint32_t i = 0; i < n_gpus; i++) {
        struct ert_device *gpu = &machine->devices[machine->n_devices++];
        *gpu = (struct ert_device){.backend = "fake",
                                   .kind = ERT_DEVICE_GPU,
                                   .name = "planted GPU",
                                   .base_hz = held_hz};
        snprintf(gpu->id, sizeof gpu->id, "fake%u", 1 + i);
        gpu->gpu.ordinal = (int)i;
        gpu->gpu.n_sms = 16;
        gpu->gpu.memory_bytes = gpu->gpu.memory_free_bytes = UINT64_C(16) << 30;
        gpu->n_levels = ERT_LENGTH(gpu_levels);
        memcpy(gpu->levels, gpu_levels, sizeof gpu_levels);
    }
    return ERT_OK;
}

static const double fallen_hz = 1.3e9;
static const double gap_s = 4e-3; /* of `steal`: a time slice of a busy host */

struct ert_session {
    const struct ert_device *device;
    struct ert_session_options options;
    struct ert_fake_plant plant;
    struct ert_spec spec;
    struct ert_work work;
    uint64_t n_timed; /* regions so far: the index of the noise stream */
    uint32_t cpus[ERT_FAKE_MOST_CPUS];
    double passes[ERT_FAKE_MOST_CPUS]; /* of each thread in a window */
};

static const char *fake_unavailable(char *reason, size_t size)
{
    (void)reason;
    (void)size;
    return NULL;
}

static size_t fake_variants(const struct ert_device *device,
                            const struct ert_session_options *options,
                            enum ert_kernel_id kernel, enum ert_path path,
                            struct ert_variant list[ERT_MAX_VARIANTS], char *reason,
                            size_t size)
{
    const uint32_t threads = ert_context_threads(device, options->threads);
    enum ert_kernel_kind kind = ert_kernel_row(kernel)->kind;
    bool writes_l1 = device->kind == ERT_DEVICE_GPU && path == ERT_PATH_CACHED &&
                     ert_kernel_row(kernel)->stores > 0 && kind != ERT_KIND_MODE;
    if (writes_l1) {
        snprintf(reason, size, "the planted L1 is write-through");
        return 0;
    }
    if (!(ert_fake_performance(device, kernel) > 0)) {
        snprintf(reason, size, "nothing is planted for it");
        return 0;
    }
    list[0] = (struct ert_variant){.name = "plain", .threads = threads};
    list[1] = (struct ert_variant){.name = "slow", .threads = threads};
    return kind == ERT_KIND_COMPUTE ? 2 : 1;
}

static enum ert_status fake_open_session(const struct ert_device *device,
                                         const struct ert_session_options *options,
                                         struct ert_session **session, char *notes,
                                         size_t size, struct ert_error *error)
{
    struct ert_fake_plant plant;
    ERT_TRY(read_plant(getenv("ERT_FAKE"), &plant, error));
    *session = calloc(1, sizeof **session);
    if (!*session)
        return ert_fail(error, ERT_FAILED, "no memory for a session");
    (*session)->device = device;
    (*session)->options = *options;
    (*session)->plant = plant;
    snprintf(notes, size, "planted numbers, not a real machine");
    return ERT_OK;
}

static bool fault_strikes(const struct ert_session *session, enum ert_fake_fault fault)
{
    const struct ert_fake_plant *plant = &session->plant;
    return plant->fault == fault && session->n_timed >= (uint64_t)plant->after &&
           (plant->kernel < 0 || plant->kernel == (int)session->spec.kernel);
}

static void count_memory(const struct ert_spec *spec, struct ert_work *work)
{
    const struct ert_kernel *row = ert_kernel_row(spec->kernel);
    uint64_t block = 8 * ert_kernel_set_bytes_per_element(spec->kernel);
    work->actual_bytes = spec->requested_bytes / block * block;
    double elements =
        (double)work->actual_bytes / (double)ert_kernel_set_bytes_per_element(spec->kernel);
    if (row->kind == ERT_KIND_MODE) {
        size_t element_bytes = ert_kernel_element_bytes(spec->kernel);
        work->actual_bytes = spec->requested_bytes;
        elements = (double)(spec->requested_bytes / element_bytes);
        work->bytes_per_pass = 2 * elements * (double)element_bytes;
        work->flops_per_pass = elements * spec->flops_per_element;
        return;
    }
    if (ert_kernel_counts(spec->kernel) == ERT_COUNTS_LOADS) {
        work->loads_per_pass = 4096;
        return;
    }
    work->bytes_per_pass = elements * (double)ert_kernel_bytes_per_element(spec->kernel);
    work->flops_per_pass = elements * spec->flops_per_element;
}

/* The share that `steal` takes appears as gaps. */
static enum ert_status fake_observe(struct ert_session *session,
                                    struct ert_observation *observation,
                                    struct ert_error *error)
{
    (void)error;
    uint32_t n = ert_context_threads(session->device, session->options.threads);
    if (session->device->kind != ERT_DEVICE_CPU)
        n = 0;
    for (uint32_t i = 0; i < n; i++)
        session->cpus[i] = i;
    *observation = (struct ert_observation){.time_s = 20e-3,
                                            .gap_least_s = 20e-6,
                                            .lost = session->plant.steal,
                                            .n_cpus = n,
                                            .cpus = session->cpus};
    if (session->plant.steal > 0)
        observation->longest_gap_s = gap_s;
    return ERT_OK;
}

static enum ert_status fake_prepare(struct ert_session *session,
                                    const struct ert_spec *spec, struct ert_work *work,
                                    struct ert_error *error)
{
    const struct ert_kernel *row = ert_kernel_row(spec->kernel);
    session->spec = *spec;
    if (fault_strikes(session, ERT_FAKE_ALLOC))
        return ert_fail(error, ERT_FAILED, "allocating %llu bytes failed",
                        (unsigned long long)spec->requested_bytes);
    *work = (struct ert_work){.threads = spec->concurrency};
    if (!spec->concurrency)
        work->threads = ert_context_threads(session->device, session->options.threads);
    if (ert_kernel_counts(spec->kernel) == ERT_COUNTS_OPERATIONS)
        work->flops_per_pass = 4096.0 * row->flops;
    else
        count_memory(spec, work);
    session->work = *work;
    return ERT_OK;
}

/* Hashed, since streams of neighbouring seeds are the same one, shifted. */
static uint64_t noise_seed(const struct ert_session *session)
{
    const uint64_t seed = session->options.seed, planted = (uint64_t)session->plant.seed;
    return planted ? ert_random_u64(ert_random_u64(planted, 0) ^ seed, 0) : seed;
}

/* The clock in the last region as a share of held_hz: half of `wander` varies per run. */
static double clock_share(const struct ert_session *session)
{
    const uint64_t stream = ert_random_u64(noise_seed(session), 1);
    double of_run = ert_random_unit(stream, 0) - 0.5,
           now = ert_random_unit(stream, session->n_timed) - 0.5;
    return session->plant.clock * (1 + session->plant.wander * (of_run + now));
}

/* The share of its rate that the planted kernel has. */
static double fake_speed(const struct ert_session *session)
{
    const struct ert_fake_plant *plant = &session->plant;
    bool is_slower =
        plant->slower_kernel < 0 || plant->slower_kernel == (int)session->spec.kernel;
    return is_slower ? 1 - plant->slower : 1;
}

/* Symmetric noise and some outliers, as on a shared machine. */
static double slowness(const struct ert_session *session)
{
    const struct ert_fake_plant *plant = &session->plant;
    uint64_t seed = noise_seed(session), i = 2 * session->n_timed;
    double noise = plant->noise * (2 * ert_random_unit(seed, i) - 1);
    bool outlier = ert_random_unit(seed, i + 1) < plant->outliers;
    return (1 + noise) * (outlier ? 1.4 : 1) / fake_speed(session);
}

/* The factor of the planted rate for the spec's concurrency and nodes. */
static double share_of_rate(const struct ert_session *session,
                            const struct ert_level *level)
{
    const struct ert_spec *spec = &session->spec;
    bool is_gpu = session->device->kind == ERT_DEVICE_GPU;
    double share = ert_fake_place(spec->from, spec->to);
    if (spec->concurrency)
        share *= ert_fake_concurrency(session->device, level, spec->concurrency,
                                      is_gpu ? 1u << spec->variant : 1);
    return share;
}

/* Whether accesses reach a level: of memories only the arrays' one, and a scratchpad only on its path. */
static bool answers(const struct ert_session *session, const struct ert_level *level)
{
    const struct ert_cpu *cpu = &session->device->cpu;
    const char *memory = "DRAM"; /* first touch allocates from it */
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        if (1 + cpu->numa[i].os_index == session->spec.to)
            memory = cpu->numa[i].kind;
    if (session->device->kind == ERT_DEVICE_CPU && level->kind == ERT_LEVEL_MEMORY &&
        strcmp(level->name, memory) != 0)
        return false;
    if (session->spec.path == ERT_PATH_CACHED)
        return level->kind != ERT_LEVEL_SCRATCHPAD;
    return level->path == session->spec.path;
}

/* Fewer threads than cores reach fewer of the private caches. */
static double reached_bytes(const struct ert_session *session,
                            const struct ert_level *level)
{
    const uint32_t threads = session->spec.concurrency;
    const bool are_few =
        session->device->kind == ERT_DEVICE_CPU && threads && threads < level->count;
    return (double)(level->size_bytes * (are_few ? threads : level->count));
}

/*
 * The level that serves the spec's set, and the kernel's planted rate there, byte/s. From sets as large as a
 * cache to twice that the rate changes gradually into the next level's.
 */
static const struct ert_level *find_place(const struct ert_session *session, double *rate)
{
    const struct ert_level *before = NULL;
    const double set = (double)session->work.actual_bytes;
    *rate = 0;
    for (uint32_t i = 0; i < session->device->n_levels; i++) {
        const struct ert_level *level = &session->device->levels[i];
        if (!answers(session, level))
            continue;
        double here =
            ert_fake_level_bandwidth(session->device, level, session->spec.kernel);
        double beyond = *rate > 0 ? log2(set / reached_bytes(session, before)) : 1;
        *rate = beyond < 1 ? *rate * pow(here / *rate, fmax(beyond, 0)) : here;
        before = level;
        if (beyond < 1 || set <= reached_bytes(session, level))
            break;
    }
    return before;
}

/* The time of a pass at the clock held_hz; *follows: whether it changes with the clock. */
static double pass_time_s(const struct ert_session *session, bool *follows)
{
    const struct ert_spec *spec = &session->spec;
    const struct ert_work *work = &session->work;
    enum ert_counted counted = ert_kernel_counts(spec->kernel);
    bool is_slow = spec->variant > 0 && !spec->concurrency;
    *follows = true;
    if (counted == ERT_COUNTS_OPERATIONS)
        return work->flops_per_pass / share_of_rate(session, NULL) /
               ert_fake_performance(session->device, spec->kernel) * (is_slow ? 1.25 : 1);
    double rate;
    const struct ert_level *level = find_place(session, &rate);
    *follows =
        fake_find_level(level)->follows_clock[session->device->kind == ERT_DEVICE_GPU];
    if (counted == ERT_COUNTS_LOADS)
        return work->loads_per_pass * ert_fake_latency(session->device, level);
    double memory_s = work->bytes_per_pass / share_of_rate(session, level) / rate;
    if (ert_kernel_row(spec->kernel)->kind == ERT_KIND_MODE)
        return fmax(memory_s,
                    work->flops_per_pass /
                        ert_fake_performance(session->device, ERT_KERNEL_fma_fp64));
    return memory_s;
}

static enum ert_status hang(const struct ert_session *session, bool *lost,
                            struct ert_error *error)
{
    double end = ert_clock_now_s() + session->options.timeout_s;
    while (ert_clock_now_s() < end && !(session->options.stop && *session->options.stop))
        ert_clock_sleep_s(1e-3);
    *lost = true;
    return ert_fail(error, ERT_FAILED, "the kernel did not finish within %g s",
                    session->options.timeout_s);
}

static enum ert_status fake_time_passes(struct ert_session *session, uint64_t passes,
                                        struct ert_sample *sample, bool *lost,
                                        struct ert_error *error)
{
    session->n_timed++;
    if (fault_strikes(session, ERT_FAKE_HANG))
        return hang(session, lost, error);
    if (fault_strikes(session, ERT_FAKE_GONE)) {
        *lost = true;
        return ert_fail(error, ERT_FAILED, "the device does not answer any more");
    }
    bool follows;
    double clock = fault_strikes(session, ERT_FAKE_CLOCK) ? fallen_hz : held_hz;
    double share = clock_share(session);
    double time_s = (double)passes * pass_time_s(session, &follows) * slowness(session) *
                    held_hz / clock;
    *sample = (struct ert_sample){.time_s = follows ? time_s / share : time_s,
                                  .passes = passes,
                                  .clock_hz = clock * share,
                                  .power_w = 100};
    return ERT_OK;
}

/* The time that a thread loses in a window: gaps at random times, on average `steal` of the time. */
static double lost_s(const struct ert_session *session, uint32_t thread, double window_s)
{
    double arrivals = window_s * session->plant.steal / gap_s, sum = 0;
    uint64_t stream = ert_random_u64(session->options.seed + 1, session->n_timed);
    uint64_t i = (uint64_t)thread << 32;
    uint32_t n = 0;
    /* In a Poisson process the times between arrivals are exponential. */
    while ((sum -= log(1 - ert_random_unit(stream, i++))) < arrivals)
        n++;
    return fmin(n * gap_s, window_s);
}

/* One common window. */
static enum ert_status window(struct ert_session *session, double window_s,
                              struct ert_sample *sample, bool *lost,
                              struct ert_error *error)
{
    ERT_TRY(fake_time_passes(session, 1, sample, lost, error));
    uint32_t n = session->work.threads;
    double pass_s = sample->time_s;
    *sample = (struct ert_sample){
        .time_s = window_s, .clock_hz = sample->clock_hz, .power_w = sample->power_w};
    for (uint32_t i = 0; i < n; i++) {
        double gaps_s = lost_s(session, i, window_s);
        session->passes[i] = (window_s - gaps_s) / pass_s;
        sample->steal += gaps_s / window_s / n;
    }
    sample->waited = sample->steal;
    ert_sample_of_threads(sample, session->passes, n);
    return ERT_OK;
}

static enum ert_status fake_verify(struct ert_session *session, struct ert_error *error)
{
    if (fault_strikes(session, ERT_FAKE_NAN))
        return ert_fail(error, ERT_FAILED,
                        "element 17 of the result is nan, must be 0.734375");
    return ERT_OK;
}

/* Of NVIDIA's, by NVML's bits; a fake sustained run meets its power limit. */
enum { POWER_LIMIT = 4 };
static const struct ert_throttle throttles[] = {
    {.bit = 1,                .name = "idle"},
    {.bit = POWER_LIMIT,                       .name = "SW power cap", .is_power = true},
    {.name = NULL},
};

/*
 * 100 W; the planted rate in the first two parts, then `sustained` times as much, with a lower clock and the
 * power limit as throttle reason.
 */
static enum ert_status fake_sustain(struct ert_session *session, double time_s,
                                    uint64_t passes, struct ert_sustained *result,
                                    struct ert_error *error)
{
    bool follows;
    const double part_s = time_s / ERT_RUN_PARTS, share = session->plant.sustained;
    const double clock = clock_share(session),
                 pass_s = pass_time_s(session, &follows) / fake_speed(session);
    (void)passes, (void)error;
    *result = (struct ert_sustained){.power_w = 100,
                                     .source = "planted",
                                     .n_parts = ERT_RUN_PARTS,
                                     .n_settling = ERT_RUN_PARTS / 4};
    for (uint32_t i = 0; i < ERT_RUN_PARTS; i++) {
        const double now = i < 2 ? 1 : share;
        result->parts[i] = (struct ert_part){
            .end_s = (i > 0 ? result->parts[i - 1].end_s : 0) + part_s / now,
            .rate_per_s = now / pass_s * (follows ? clock : 1),
            .clock_hz = now * held_hz * clock,
            .power_w = 100,
            .throttle = now < 1 ? POWER_LIMIT : 0};
    }
    ert_sustained_conclude(result);
    return ERT_OK;
}

static bool fake_errors(struct ert_session *session, struct ert_memory_errors *errors)
{
    *errors = (struct ert_memory_errors){
        .corrected = 5, .uncorrected = 7 + fault_strikes(session, ERT_FAKE_ECC)};
    return true;
}

static void fake_close_session(struct ert_session *session)
{
    free(session);
}

const struct ert_backend ert_backend_fake = {
    .name = "fake",
    .summary = "a machine with planted ceilings, for tests",
    .is_fake = true,
    .throttle = throttles,
    .unavailable = fake_unavailable,
    .discover = fake_discover,
    .variants = fake_variants,
    .open = fake_open_session,
    .observe = fake_observe,
    .prepare = fake_prepare,
    .time = fake_time_passes,
    .errors = fake_errors,
    .window = window,
    .verify = fake_verify,
    .sustain = fake_sustain,
    .close = fake_close_session,
};
