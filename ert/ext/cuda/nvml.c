/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/nvml.h"

#include "ert/core/backend/backend.h"
#include "ert/core/base/clock.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return code, clock types and reasons of the API (NVML API Reference Guide, "Device Enums"). */
enum { NVML_SUCCESS = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7 };
enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2 };
static const unsigned long long reason_gpu_idle = 1;

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_utilization {
    unsigned int gpu, memory;
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
enum { NVML_FIELD_POWER_INSTANT = 186, NVML_TYPE_UINT = 1 };

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
    F(ecc_errors, "nvmlDeviceGetTotalEccErrors", (void *, int, int, unsigned long long *)) \
    F(mig, "nvmlDeviceGetMigMode", (void *, unsigned int *, unsigned int *))               \
    F(reasons, "nvmlDeviceGetCurrentClocksEventReasons", (void *, unsigned long long *))   \
    F(old_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons",                            \
      (void *, unsigned long long *))                                                      \
    F(memory, "nvmlDeviceGetMemoryInfo", (void *, struct nvml_memory *))                   \
    F(processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                \
      (void *, unsigned int *, struct nvml_process *))                                     \
    F(utilization, "nvmlDeviceGetUtilizationRates", (void *, struct nvml_utilization *))   \
    F(energy, "nvmlDeviceGetTotalEnergyConsumption", (void *, unsigned long long *))       \
    F(fields, "nvmlDeviceGetFieldValues", (void *, int, struct nvml_field *))

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
    if (library->memory && library->memory(device.handle, &memory) == NVML_SUCCESS)
        facts->memory_free_bytes = memory.free;
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

bool ert_nvml_errors(struct ert_nvml_device device, struct ert_memory_errors *errors)
{
    enum { SINCE_DRIVER = 0 }; /* NVML_VOLATILE_ECC */
    unsigned long long n[2];   /* nvmlMemoryErrorType_t: corrected, uncorrected */
    for (int i = 0; i < 2; i++)
        if (!device.handle || !device.library->ecc_errors ||
            device.library->ecc_errors(device.handle, i, SINCE_DRIVER, &n[i]) !=
                NVML_SUCCESS)
            return false;
    *errors = (struct ert_memory_errors){n[0], n[1]};
    return true;
}

/* A numeric field; 0 unknown. */
static unsigned int field_of(const struct ert_nvml *library, void *handle, unsigned int id)
{
    struct nvml_field field = {.id = id};
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
        field_of(device.library, device.handle, NVML_FIELD_POWER_INSTANT);
    return power_mw ? power_mw * 1e-3 : power_w(device.library->power, device.handle);
}
