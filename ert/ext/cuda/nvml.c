/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/nvml.h"

#include "ert/core/base/clock.h"
#include "ert/core/machine/health.h"
#include "ert/ext/cuda/nvidia.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Return code, clock types and reasons of the API (NVML API Reference Guide, "Device
 * Enums").
 */
enum {
    NVML_SUCCESS = 0,
    NVML_ERROR_NOT_SUPPORTED = 3,
    NVML_ERROR_NO_PERMISSION = 4,
    NVML_ERROR_INSUFFICIENT_SIZE = 7,
    NVML_ERROR_FUNCTION_NOT_FOUND = 13,
    NVML_ERROR_GPU_IS_LOST = 15
};
enum { NVML_CORRECTED, NVML_UNCORRECTED }; /* errors of memory */
enum { NVML_VOLATILE, NVML_AGGREGATE };    /* since the driver was loaded; ever */
enum { NVML_PERF_POLICY_THERMAL = 1, NVML_PERF_POLICY_BOARD_LIMIT = 3 };
enum { NVML_TEMPERATURE_GPU = 0, NVML_TEMPERATURE_SLOWDOWN = 1 };
enum { NVML_NVLINKS = 18, NVML_NVLINK_COUNTERS = 4 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };
static const unsigned long long reason_gpu_idle = 1;

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_utilization {
    unsigned int gpu, memory;
};

struct nvml_violation {
    unsigned long long reference_ns, violation_ns;
};

/* nvmlFieldValue_t; the value is a union of 8 bytes, to be read by `type`. */
struct nvml_field {
    unsigned int id, scope;
    long long time_us, latency_us;
    int type, result;
    union {
        unsigned int as_uint;
        unsigned long long as_ullong;
        double as_double;
    } value;
};
enum { NVML_FIELD_NVLINK_SPEED = 164, NVML_FIELD_POWER_INSTANT = 186, NVML_TYPE_UINT = 1 };

struct nvml_process {
    unsigned int pid;
    unsigned long long used_gpu_memory;
    unsigned int gpu_instance, compute_instance;
};

/* The functions that are used; that for throttle reasons has a newer and an older name. */
#define FUNCTIONS(F)                                                                       \
    F(init, "nvmlInit_v2", (void))                                                         \
    F(shutdown, "nvmlShutdown", (void))                                                    \
    F(driver, "nvmlSystemGetDriverVersion", (char *, unsigned int))                        \
    F(by_uuid, "nvmlDeviceGetHandleByUUID", (const char *, void **))                       \
    F(by_pci, "nvmlDeviceGetHandleByPciBusId_v2", (const char *, void **))                 \
    F(clock, "nvmlDeviceGetClockInfo", (void *, int, unsigned int *))                      \
    F(max_clock, "nvmlDeviceGetMaxClockInfo", (void *, int, unsigned int *))               \
    F(default_clock, "nvmlDeviceGetDefaultApplicationsClock",                              \
      (void *, int, unsigned int *))                                                       \
    F(power, "nvmlDeviceGetPowerUsage", (void *, unsigned int *))                          \
    F(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (void *, unsigned int *))            \
    F(bus_width, "nvmlDeviceGetMemoryBusWidth", (void *, unsigned int *))                  \
    F(ecc, "nvmlDeviceGetEccMode", (void *, unsigned int *, unsigned int *))               \
    F(mig, "nvmlDeviceGetMigMode", (void *, unsigned int *, unsigned int *))               \
    F(reasons, "nvmlDeviceGetCurrentClocksEventReasons", (void *, unsigned long long *))   \
    F(old_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                            \
      (void *, unsigned long long *))                                                      \
    F(memory, "nvmlDeviceGetMemoryInfo", (void *, struct nvml_memory *))                   \
    F(processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                \
      (void *, unsigned int *, struct nvml_process *))                                     \
    F(utilization, "nvmlDeviceGetUtilizationRates", (void *, struct nvml_utilization *))   \
    F(energy, "nvmlDeviceGetTotalEnergyConsumption", (void *, unsigned long long *))       \
    F(fields, "nvmlDeviceGetFieldValues", (void *, int, struct nvml_field *))              \
    F(vbios, "nvmlDeviceGetVbiosVersion", (void *, char *, unsigned int))                  \
    F(ecc_errors, "nvmlDeviceGetTotalEccErrors", (void *, int, int, unsigned long long *)) \
    F(remapped, "nvmlDeviceGetRemappedRows",                                               \
      (void *, unsigned int *, unsigned int *, unsigned int *, unsigned int *))            \
    F(retired, "nvmlDeviceGetRetiredPages",                                                \
      (void *, int, unsigned int *, unsigned long long *))                                 \
    F(width, "nvmlDeviceGetCurrPcieLinkWidth", (void *, unsigned int *))                   \
    F(max_width, "nvmlDeviceGetMaxPcieLinkWidth", (void *, unsigned int *))                \
    F(generation, "nvmlDeviceGetCurrPcieLinkGeneration", (void *, unsigned int *))         \
    F(max_generation, "nvmlDeviceGetMaxPcieLinkGeneration", (void *, unsigned int *))      \
    F(replays, "nvmlDeviceGetPcieReplayCounter", (void *, unsigned int *))                 \
    F(nvlink, "nvmlDeviceGetNvLinkState", (void *, unsigned int, unsigned int *))          \
    F(nvlink_errors, "nvmlDeviceGetNvLinkErrorCounter",                                    \
      (void *, unsigned int, int, unsigned long long *))                                   \
    F(violation, "nvmlDeviceGetViolationStatus", (void *, int, struct nvml_violation *))   \
    F(temperature, "nvmlDeviceGetTemperature", (void *, int, unsigned int *))              \
    F(threshold, "nvmlDeviceGetTemperatureThreshold", (void *, int, unsigned int *))       \
    F(default_power, "nvmlDeviceGetPowerManagementDefaultLimit", (void *, unsigned int *))

/* Functions that an old driver lacks are NULL. */
struct ert_nvml {
    void *file;
#define MEMBER(member, name, parameters) int(*member) parameters;
    FUNCTIONS(MEMBER)
};

static const struct {
    const char *name;
    size_t offset;
} symbols[] = {
#define SYMBOL(member, name, parameters) {name, offsetof(struct ert_nvml, member)},
    FUNCTIONS(SYMBOL)};

struct ert_nvml *ert_nvml_open(void)
{
    struct ert_nvml *library = (struct ert_nvml *)calloc(1, sizeof *library);
    if (!library)
        return NULL;
    library->file = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library->file) {
        free(library);
        return NULL;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++) {
        void *found = dlsym(library->file, symbols[i].name);
        memcpy((char *)library + symbols[i].offset, &found, sizeof found);
    }
    if (!library->reasons)
        library->reasons = library->old_reasons;
    if (!library->init || !library->shutdown || library->init() != NVML_SUCCESS) {
        dlclose(library->file);
        free(library);
        return NULL;
    }
    return library;
}

void ert_nvml_close(struct ert_nvml *library)
{
    if (!library)
        return;
    library->shutdown();
    dlclose(library->file);
    free(library);
}

void ert_nvml_driver(const struct ert_nvml *library, char *text, size_t size)
{
    char version[96] = ""; /* NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80 */
    if (!library || !library->driver ||
        library->driver(version, sizeof version) != NVML_SUCCESS)
        version[0] = '\0';
    snprintf(text, size, "%s", version);
}

void ert_nvml_uuid_text(const char *prefix, const unsigned char uuid[16], char *text,
                        size_t size)
{
    char hex[33];
    for (size_t i = 0; i < 16; i++)
        snprintf(hex + 2 * i, 3, "%02x", uuid[i]);
    snprintf(text, size, "%s-%.8s-%.4s-%.4s-%.4s-%.12s", prefix, hex, hex + 8, hex + 12,
             hex + 16, hex + 20);
}

struct ert_nvml_device ert_nvml_find(const struct ert_nvml *library,
                                     const unsigned char uuid[16], const char *pci)
{
    struct ert_nvml_device device = {.library = library};
    char text[48];
    if (!library)
        return device;
    if (library->by_uuid) {
        ert_nvml_uuid_text("GPU", uuid, text, sizeof text);
        if (library->by_uuid(text, &device.handle) == NVML_SUCCESS)
            return device;
        ert_nvml_uuid_text("MIG", uuid, text, sizeof text);
        if (library->by_uuid(text, &device.handle) == NVML_SUCCESS) {
            device.is_mig = true;
            return device;
        }
    }
    if (!library->by_pci || library->by_pci(pci, &device.handle) != NVML_SUCCESS)
        device.handle = NULL;
    return device;
}

static double clock_hz(int (*get)(void *, int, unsigned int *), void *handle, int type)
{
    unsigned int clock_mhz = 0;
    return get && get(handle, type, &clock_mhz) == NVML_SUCCESS ? clock_mhz * 1e6 : 0;
}

static double power_w(int (*get)(void *, unsigned int *), void *handle)
{
    unsigned int power_mw = 0;
    return get && get(handle, &power_mw) == NVML_SUCCESS ? power_mw * 1e-3 : 0;
}

static void mode_text(int (*get)(void *, unsigned int *, unsigned int *), void *handle,
                      char text[16])
{
    unsigned int current = 0, pending = 0;
    bool is_known = get && get(handle, &current, &pending) == NVML_SUCCESS;
    snprintf(text, 16, "%s", !is_known ? "unknown" : current ? "on" : "off");
}

static void count_processes(const struct ert_nvml *library, void *handle,
                            struct ert_nvml_facts *facts)
{
    struct nvml_process processes[32];
    unsigned int count = sizeof processes / sizeof processes[0];
    if (!library->processes)
        return;
    int result = library->processes(handle, &count, processes);
    if (result == NVML_SUCCESS && count > 0)
        facts->first_pid = processes[0].pid;
    if (result == NVML_SUCCESS || result == NVML_ERROR_INSUFFICIENT_SIZE)
        facts->n_processes = count;
}

/*
 * The share of the last sampling period, at most 1 s, in which some kernel ran. It includes processes that
 * have just ended, so a busy device is queried again for a little longer than a period.
 */
static uint32_t utilization(const struct ert_nvml *library, void *handle)
{
    struct nvml_utilization rates = {0, 0};
    for (int i = 0; i < 12; i++) {
        if (!library->utilization || library->utilization(handle, &rates) != NVML_SUCCESS)
            return 0;
        if (rates.gpu < 10)
            break;
        ert_clock_sleep_s(0.1);
    }
    return rates.gpu;
}

void ert_nvml_facts(struct ert_nvml_device device, struct ert_nvml_facts *facts)
{
    const struct ert_nvml *library = device.library;
    memset(facts, 0, sizeof *facts);
    snprintf(facts->ecc, sizeof facts->ecc, "unknown");
    snprintf(facts->mig, sizeof facts->mig, "unknown");
    if (!device.handle)
        return;
    facts->default_hz = clock_hz(library->default_clock, device.handle, NVML_CLOCK_SM);
    facts->max_hz = clock_hz(library->max_clock, device.handle, NVML_CLOCK_SM);
    facts->memory_max_hz = clock_hz(library->max_clock, device.handle, NVML_CLOCK_MEM);
    facts->power_limit_w = power_w(library->power_limit, device.handle);
    if (!library->bus_width ||
        library->bus_width(device.handle, &facts->bus_width_bits) != NVML_SUCCESS)
        facts->bus_width_bits = 0;
    facts->utilization_percent = utilization(library, device.handle);
    mode_text(library->ecc, device.handle, facts->ecc);
    mode_text(library->mig, device.handle, facts->mig);
    if (device.is_mig)
        snprintf(facts->mig, sizeof facts->mig, "on");
    struct nvml_memory memory = {0};
    if (library->memory && library->memory(device.handle, &memory) == NVML_SUCCESS) {
        facts->memory_bytes = memory.total;
        facts->memory_free_bytes = memory.free;
    }
    count_processes(library, device.handle, facts);
}

void ert_nvml_read(struct ert_nvml_device device, struct ert_nvml_reading *reading)
{
    const struct ert_nvml *library = device.library;
    memset(reading, 0, sizeof *reading);
    if (!device.handle)
        return;
    reading->clock_hz = clock_hz(library->clock, device.handle, NVML_CLOCK_SM);
    reading->memory_clock_hz = clock_hz(library->clock, device.handle, NVML_CLOCK_MEM);
    reading->power_w = power_w(library->power, device.handle);
    unsigned long long reasons = 0;
    if (library->reasons && library->reasons(device.handle, &reasons) == NVML_SUCCESS)
        reading->throttle = reasons & ~reason_gpu_idle;
}

bool ert_nvml_energy(struct ert_nvml_device device, uint64_t *energy_mj)
{
    unsigned long long energy = 0;
    if (!device.handle || !device.library->energy ||
        device.library->energy(device.handle, &energy) != NVML_SUCCESS)
        return false;
    *energy_mj = energy;
    return true;
}

/* A numeric field; 0 unknown. scope: for fields of links, the link. */
static unsigned int field_of(const struct ert_nvml *library, void *handle, unsigned int id,
                             unsigned int scope)
{
    struct nvml_field field = {.id = id, .scope = scope};
    return library->fields && library->fields(handle, 1, &field) == NVML_SUCCESS &&
                   field.result == NVML_SUCCESS && field.type == NVML_TYPE_UINT
               ? field.value.as_uint
               : 0;
}

double ert_nvml_power_w(struct ert_nvml_device device)
{
    if (!device.handle)
        return 0;
    const unsigned int power_mw =
        field_of(device.library, device.handle, NVML_FIELD_POWER_INSTANT, 0);
    return power_mw ? power_mw * 1e-3 : power_w(device.library->power, device.handle);
}

/* ---- health ---- */

/* The source of facts, and where they go. */
struct reader {
    const struct ert_nvml *library;
    void *handle;
    const char *device;
    struct ert_health *health;
};

/* A call of a function that an old driver may lack. */
#define ASK(reader, function, ...)                                                         \
    ((reader)->library->function                                                           \
         ? (reader)->library->function((reader)->handle, __VA_ARGS__)                      \
         : NVML_ERROR_FUNCTION_NOT_FOUND)

/* Adds a fact that could not be read. For a lost GPU that is bad, not unknown. */
static void add_unread(const struct reader *reader, const char *fact, int result)
{
    char text[64];
    const char *why = result == NVML_ERROR_NOT_SUPPORTED        ? "this GPU does not say"
                      : result == NVML_ERROR_NO_PERMISSION      ? "only root may ask"
                      : result == NVML_ERROR_FUNCTION_NOT_FOUND ? "the driver is too old"
                      : result == NVML_ERROR_GPU_IS_LOST        ? "the GPU is lost"
                                                                : NULL;
    snprintf(text, sizeof text, "NVML's error %d", result);
    ert_health_add(reader->health, reader->device, fact, -1,
                   result == NVML_ERROR_GPU_IS_LOST ? ERT_HEALTH_BAD : ERT_HEALTH_UNKNOWN,
                   "%s", why ? why : text);
}

static void add_count(const struct reader *reader, const char *fact, int result,
                      double count, enum ert_health_state state, const char *what)
{
    if (result == NVML_SUCCESS)
        ert_health_count(reader->health, reader->device, fact, count, state, what);
    else
        add_unread(reader, fact, result);
}

static void add_memory_errors(const struct reader *reader)
{
    static const struct {
        int type, counter;
        enum ert_health_state state;
        const char *fact, *what;
    } kinds[] = {
        {NVML_UNCORRECTED, NVML_VOLATILE,  ERT_HEALTH_BAD,  "ecc-uncorrected",
         "uncorrected memory errors since the driver began"},
        {NVML_CORRECTED,   NVML_VOLATILE,  ERT_HEALTH_NOTE, "ecc-corrected",
         "corrected memory errors since the driver began"  },
        {NVML_UNCORRECTED, NVML_AGGREGATE, ERT_HEALTH_NOTE, "ecc-uncorrected-ever",
         "uncorrected memory errors ever"                  },
    };
    for (size_t i = 0; i < ERT_LENGTH(kinds); i++) {
        unsigned long long count = 0;
        int result = ASK(reader, ecc_errors, kinds[i].type, kinds[i].counter, &count);
        add_count(reader, kinds[i].fact, result, (double)count, kinds[i].state,
                  kinds[i].what);
    }
}

/* Remapped rows exist from Ampere on, retired pages before. */
static void add_repairs(const struct reader *reader)
{
    unsigned int rows[2] = {0, 0}, pending = 0, failed = 0, pages[2] = {0, 0};
    int result = ASK(reader, remapped, &rows[0], &rows[1], &pending, &failed);
    add_count(reader, "rows-remapped", result, rows[0] + rows[1], ERT_HEALTH_NOTE,
              "rows of memory were remapped");
    add_count(reader, "rows-pending", result, pending, ERT_HEALTH_BAD,
              "remappings wait for a reset of the GPU");
    add_count(reader, "rows-failed", result, failed, ERT_HEALTH_BAD,
              "remappings failed: the memory has no spare rows left");
    for (int cause = 0; cause < 2; cause++) {
        result = ASK(reader, retired, cause, &pages[cause], NULL);
        if (result != NVML_SUCCESS && result != NVML_ERROR_INSUFFICIENT_SIZE)
            break;
        result = NVML_SUCCESS; /* without space for addresses it still returns the count */
    }
    add_count(reader, "pages-retired", result, pages[0] + pages[1], ERT_HEALTH_NOTE,
              "pages of memory were retired");
}

static void add_pcie(const struct reader *reader)
{
    unsigned int value = 0, limit = 0, replays = 0;
    int result = ASK(reader, width, &value), other = ASK(reader, max_width, &limit);
    if (result == NVML_SUCCESS && other == NVML_SUCCESS)
        ert_health_of(reader->health, reader->device, "pcie-width", value, limit, "lanes",
                      ERT_HEALTH_BAD);
    else
        add_unread(reader, "pcie-width", result != NVML_SUCCESS ? result : other);
    result = ASK(reader, generation, &value);
    other = ASK(reader, max_generation, &limit);
    if (result == NVML_SUCCESS && other == NVML_SUCCESS) /* idle links save power */
        ert_health_of(reader->health, reader->device, "pcie-generation", value, limit, "",
                      ERT_HEALTH_NOTE);
    else
        add_unread(reader, "pcie-generation", result != NVML_SUCCESS ? result : other);
    result = ASK(reader, replays, &replays);
    add_count(reader, "pcie-replays", result, replays, ERT_HEALTH_NOTE,
              "packets were sent again");
}

/*
 * Without a bridge all links are inactive; if only some are, that is a fault. A link's maximum is unknown: so
 * a slow link is one that is slower than the fastest.
 */
static void add_nvlinks(const struct reader *reader)
{
    unsigned int n = 0, n_active = 0, least = 0, most = 0; /* MB/s */
    double errors = 0;
    int result = NVML_ERROR_NOT_SUPPORTED;
    for (unsigned int link = 0; link < NVML_NVLINKS; link++) {
        unsigned int is_active = 0;
        int own = ASK(reader, nvlink, link, &is_active);
        if (own != NVML_SUCCESS) {
            result = link == 0 ? own : result;
            continue;
        }
        n++;
        n_active += is_active != 0;
        const unsigned int speed = is_active ? field_of(reader->library, reader->handle,
                                                        NVML_FIELD_NVLINK_SPEED, link)
                                             : 0;
        most = speed > most ? speed : most;
        least = speed && (!least || speed < least) ? speed : least;
        for (int counter = 0; is_active && counter < NVML_NVLINK_COUNTERS; counter++) {
            unsigned long long count = 0;
            if (ASK(reader, nvlink_errors, link, counter, &count) == NVML_SUCCESS)
                errors += (double)count;
        }
    }
    if (n == 0) {
        add_unread(reader, "nvlinks", result);
        return;
    }
    ert_health_of(reader->health, reader->device, "nvlinks", n_active, n, "links",
                  n_active == 0 ? ERT_HEALTH_NOTE : ERT_HEALTH_BAD);
    if (most > 0)
        ert_health_of(reader->health, reader->device, "nvlink-speed", least, most, "MB/s",
                      ERT_HEALTH_BAD);
    else if (n_active > 0)
        add_unread(reader, "nvlink-speed", NVML_ERROR_NOT_SUPPORTED);
    add_count(reader, "nvlink-errors", NVML_SUCCESS, errors, ERT_HEALTH_NOTE,
              "errors of NVLinks: replays, recoveries, checksums");
}

static void nvml_add_throttling(const struct reader *reader)
{
    static const struct {
        int policy;
        const char *fact, *what;
    } kinds[] = {
        {NVML_PERF_POLICY_THERMAL,     "throttled-thermal", "s throttled by heat"},
        {NVML_PERF_POLICY_BOARD_LIMIT, "throttled-board",
         "s throttled by the board's limit"                                      },
    };
    struct ert_nvml_reading reading;
    ert_nvml_read(
        (struct ert_nvml_device){.library = reader->library, .handle = reader->handle},
        &reading);
    char names[128] = "";
    enum ert_health_state state = reading.throttle ? ERT_HEALTH_NOTE : ERT_HEALTH_OK;
    for (const struct ert_throttle *reason = ert_nvidia_throttle; reason->name; reason++) {
        if (!(reading.throttle & reason->bit))
            continue;
        ert_list_add(names, sizeof names, reason->name);
        state = reason->is_fault ? ERT_HEALTH_BAD : state;
    }
    ert_health_add(reader->health, reader->device, "throttle", -1, state, "%s",
                   *names ? names : "no reason now");
    for (size_t i = 0; i < ERT_LENGTH(kinds); i++) {
        struct nvml_violation violation = {0, 0};
        int result = ASK(reader, violation, kinds[i].policy, &violation);
        add_count(reader, kinds[i].fact, result, (double)violation.violation_ns * 1e-9,
                  ERT_HEALTH_NOTE, kinds[i].what);
    }
}

/* Compares the temperature with its slowdown limit, and the power limit with the default one. */
static void add_limits(const struct reader *reader)
{
    unsigned int celsius = 0, slowdown = 0;
    int result = ASK(reader, temperature, NVML_TEMPERATURE_GPU, &celsius),
        other = ASK(reader, threshold, NVML_TEMPERATURE_SLOWDOWN, &slowdown);
    if (result == NVML_SUCCESS && other == NVML_SUCCESS) {
        struct ert_health_fact *fact =
            ert_health_add(reader->health, reader->device, "temperature", celsius,
                           celsius < slowdown ? ERT_HEALTH_OK : ERT_HEALTH_BAD,
                           "%u C, slows down at %u C", celsius, slowdown);
        fact->limit = slowdown;
        snprintf(fact->unit, sizeof fact->unit, "C");
    } else {
        add_unread(reader, "temperature", result != NVML_SUCCESS ? result : other);
    }
    const double limit_w = power_w(reader->library->default_power, reader->handle),
                 now_w = power_w(reader->library->power_limit, reader->handle);
    if (limit_w > 0 && now_w > 0)
        ert_health_of(reader->health, reader->device, "power-limit", now_w, limit_w, "W",
                      ERT_HEALTH_NOTE);
    else
        add_unread(reader, "power-limit", NVML_ERROR_NOT_SUPPORTED);
}

static void add_vbios(const struct reader *reader)
{
    char version[32] = ""; /* NVML_DEVICE_VBIOS_VERSION_BUFFER_SIZE */
    int result = ASK(reader, vbios, version, sizeof version);
    if (result == NVML_SUCCESS)
        ert_health_add(reader->health, reader->device, "vbios", -1, ERT_HEALTH_OK, "%s",
                       version);
    else
        add_unread(reader, "vbios", result);
}

void ert_nvml_health(const struct ert_device *device, struct ert_health *health)
{
    static void (*const all[])(const struct reader *) = {
        add_memory_errors,   add_repairs, add_pcie, add_nvlinks,
        nvml_add_throttling, add_limits,  add_vbios};
    struct ert_nvml *library = ert_nvml_open();
    struct reader reader = {.library = library, .device = device->id, .health = health};
    int result = NVML_ERROR_FUNCTION_NOT_FOUND;
    if (library && library->by_uuid)
        result = library->by_uuid(device->gpu.uuid, &reader.handle);
    if (!library)
        ert_health_unknown(health, device->id, "nvml", "NVIDIA's NVML is not here");
    else if (result != NVML_SUCCESS)
        add_unread(&reader, "nvml", result);
    for (size_t i = 0; result == NVML_SUCCESS && i < ERT_LENGTH(all); i++)
        all[i](&reader);
    ert_nvml_close(library);
}
