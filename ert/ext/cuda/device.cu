/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/build.h"
#include "ert/ext/cuda/device.h"
#include "ert/ext/cuda/nvidia.h"
#include "ert/ext/cuda/nvml.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

/*
 * Unified L1 and shared memory of an SM by compute capability, which no attribute reports. CUDA C++
 * Programming Guide, "Compute Capabilities", unified data cache of each architecture; 7.0: Volta tuning
 * guide. For a capability that is not listed, the size of L1 is unknown.
 */
static const struct {
    int major, minor;
    uint32_t size_kib;
} unified_l1[] = {
    {7,  0, 128},
    {7,  2, 128},
    {7,  5, 96 },
    {8,  0, 192},
    {8,  6, 128},
    {8,  7, 192},
    {8,  9, 128},
    {9,  0, 256},
    {10, 0, 256},
    {10, 3, 256},
    {11, 0, 256},
    {12, 0, 128},
    {12, 1, 128},
};

/* A line of L1 and L2, four sectors of 32 bytes (Nsight Compute documentation, memory). */
enum { LINE_BYTES = 128 };

static uint64_t l1_bytes(int major, int minor)
{
    for (size_t i = 0; i < sizeof unified_l1 / sizeof unified_l1[0]; i++)
        if (unified_l1[i].major == major && unified_l1[i].minor == minor)
            return (uint64_t)unified_l1[i].size_kib * 1024;
    return 0;
}

static int device_attribute(cudaDeviceAttr which, int ordinal)
{
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, ordinal) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return value;
}

/* Whether nothing can run on a device, and the reason. */
static bool device_is_left_out(int ordinal, char *reason, size_t size)
{
    int major = device_attribute(cudaDevAttrComputeCapabilityMajor, ordinal);
    int minor = device_attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
    *reason = '\0';
    if (device_attribute(cudaDevAttrComputeMode, ordinal) == cudaComputeModeProhibited)
        snprintf(reason, size, "gpu%d left out: its compute mode is Prohibited", ordinal);
    else if (!ert_nvidia_code_for(ERT_CUDA_ARCH, (uint32_t)(10 * major + minor)))
        snprintf(reason, size,
                 "gpu%d left out: it has compute capability %d.%d, ert-cuda.so is built "
                 "for \"%s\" (--with-cuda-arch)",
                 ordinal, major, minor, ERT_CUDA_ARCH);
    return *reason;
}

/* The number of devices that the runtime sees; if 0, the reason. */
static int count_devices(char *reason, size_t size)
{
    int n = 0, driver = 0, runtime = 0;
    cudaError_t code = cudaGetDeviceCount(&n);
    cudaGetLastError();
    if (code == cudaSuccess && n > 0)
        return n;
    bool has_driver = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
    cudaRuntimeGetVersion(&runtime);
    cudaGetLastError();
    if (!has_driver)
        snprintf(reason, size, "no NVIDIA driver (libcuda.so.1) on this machine");
    else if (code == cudaErrorInsufficientDriver)
        snprintf(reason, size,
                 "the driver knows CUDA %d.%d, older than this build's runtime %d.%d",
                 driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    else if (code == cudaSuccess || code == cudaErrorNoDevice)
        snprintf(reason, size,
                 "no CUDA device is visible (CUDA_VISIBLE_DEVICES can hide them)");
    else
        snprintf(reason, size, "cudaGetDeviceCount: %s (%s)", cudaGetErrorString(code),
                 cudaGetErrorName(code));
    return 0;
}

const char *ert_cuda_unavailable(char *reason, size_t size)
{
    int n = count_devices(reason, size);
    if (n == 0)
        return reason;
    for (int ordinal = n; ordinal-- > 0;)
        if (!device_is_left_out(ordinal, reason, size))
            return NULL;
    return reason; /* the reason of the first device */
}

static void device_add_level(struct ert_device *device, const char *name,
                             enum ert_level_kind kind, enum ert_path path,
                             uint64_t size_bytes, uint32_t count, const char *source)
{
    struct ert_level *level = &device->levels[device->n_levels++];
    snprintf(level->name, sizeof level->name, "%s", name);
    level->kind = kind;
    level->path = path;
    level->size_bytes = size_bytes;
    level->count = count;
    level->line_bytes = kind == ERT_LEVEL_CACHE ? LINE_BYTES : 0;
    snprintf(level->source, sizeof level->source, "%s", source);
}

static void device_add_levels(struct ert_device *device)
{
    const struct ert_gpu *gpu = &device->gpu;
    device_add_level(
        device, "L1", ERT_LEVEL_CACHE, ERT_PATH_CACHED, gpu->l1_per_sm_bytes, gpu->n_sms,
        gpu->l1_per_sm_bytes ? "CUDA C++ Programming Guide, by cc" : "unknown cc");
    device_add_level(device, "shared", ERT_LEVEL_SCRATCHPAD, ERT_PATH_SHARED,
                     gpu->shared_per_sm_bytes, gpu->n_sms, "cudaDeviceGetAttribute");
    device_add_level(device, "L2", ERT_LEVEL_CACHE, ERT_PATH_BYPASS_L1, gpu->l2_bytes, 1,
                     "cudaDeviceGetAttribute");
    /*
     * CUDA has no attribute for the kind of memory. The bus width tells: one HBM stack alone has 1024 bits
     * (JEDEC JESD235), GDDR boards have at most 512.
     */
    device_add_level(device, gpu->bus_width_bits >= 1024 ? "HBM" : "DRAM", ERT_LEVEL_MEMORY,
                     ERT_PATH_BYPASS_L1, gpu->memory_bytes, 1, "cudaGetDeviceProperties");
}

static void fill_clocks(struct ert_device *device, int ordinal,
                        const struct ert_nvml_facts *facts)
{
    double boost_hz = device_attribute(cudaDevAttrClockRate, ordinal) * 1e3;
    device->boost_hz = boost_hz > 0 ? boost_hz : facts->max_hz;
    snprintf(device->boost_source, sizeof device->boost_source, "%s",
             boost_hz > 0           ? "cudaDevAttrClockRate"
             : device->boost_hz > 0 ? "NVML maximum SM clock"
                                    : "");
    /* NVML has no "base clock"; a board promises to hold its default applications clock. */
    device->base_hz = facts->default_hz;
    snprintf(device->base_source, sizeof device->base_source, "%s",
             facts->default_hz > 0 ? "NVML default applications clock" : "");
}

static void device_fill_gpu(struct ert_gpu *gpu, int ordinal,
                            const cudaDeviceProp *properties,
                            const struct ert_nvml_device *nvml,
                            const struct ert_nvml_facts *facts)
{
    gpu->ordinal = ordinal;
    ert_nvml_uuid_text(nvml->is_mig ? "MIG" : "GPU",
                       (const unsigned char *)&properties->uuid, gpu->uuid,
                       sizeof gpu->uuid);
    gpu->cc_major = device_attribute(cudaDevAttrComputeCapabilityMajor, ordinal);
    gpu->cc_minor = device_attribute(cudaDevAttrComputeCapabilityMinor, ordinal);
    gpu->n_sms = device_attribute(cudaDevAttrMultiProcessorCount, ordinal);
    gpu->warp_size = device_attribute(cudaDevAttrWarpSize, ordinal);
    gpu->max_threads_per_sm =
        device_attribute(cudaDevAttrMaxThreadsPerMultiProcessor, ordinal);
    gpu->shared_per_sm_bytes =
        device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor, ordinal);
    gpu->shared_per_block_bytes =
        device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal);
    gpu->l1_per_sm_bytes = l1_bytes(gpu->cc_major, gpu->cc_minor);
    gpu->l2_bytes = device_attribute(cudaDevAttrL2CacheSize, ordinal);
    gpu->bus_width_bits = device_attribute(cudaDevAttrGlobalMemoryBusWidth, ordinal);
    if (gpu->bus_width_bits == 0)
        gpu->bus_width_bits = facts->bus_width_bits;
    gpu->memory_clock_hz = device_attribute(cudaDevAttrMemoryClockRate, ordinal) * 1e3;
    if (gpu->memory_clock_hz <= 0)
        gpu->memory_clock_hz = facts->memory_max_hz;
    gpu->memory_bytes = properties->totalGlobalMem;
    gpu->memory_free_bytes = facts->memory_free_bytes;
    gpu->power_limit_w = facts->power_limit_w;
    snprintf(gpu->ecc, sizeof gpu->ecc, "%s", facts->ecc);
    if (strcmp(facts->ecc, "unknown") == 0)
        snprintf(gpu->ecc, sizeof gpu->ecc, "%s",
                 device_attribute(cudaDevAttrEccEnabled, ordinal) ? "on" : "off");
    snprintf(gpu->mig, sizeof gpu->mig, "%s", facts->mig);
    gpu->utilization_percent = facts->utilization_percent;
    if (facts->n_processes > 0)
        snprintf(gpu->busy, sizeof gpu->busy, "%u other compute process%s, first pid %u",
                 facts->n_processes, facts->n_processes > 1 ? "es" : "", facts->first_pid);
    else if (facts->utilization_percent >= ERT_GPU_BUSY_PERCENT)
        snprintf(gpu->busy, sizeof gpu->busy, "others keep it busy for %u %% of the time",
                 facts->utilization_percent);
}

static enum ert_status device_add_device(struct ert_machine *machine, int ordinal,
                                         const struct ert_nvml *library,
                                         struct ert_error *error)
{
    char label[16];
    snprintf(label, sizeof label, "gpu%d", ordinal);
    cudaDeviceProp properties;
    CUDA_TRY(label, error, cudaGetDeviceProperties(&properties, ordinal),
             "cudaGetDeviceProperties");
    struct ert_device *device = &machine->devices[machine->n_devices];
    memset(device, 0, sizeof *device);
    device->kind = ERT_DEVICE_GPU;
    snprintf(device->id, sizeof device->id, "%s", label);
    snprintf(device->backend, sizeof device->backend, "cuda");
    snprintf(device->name, sizeof device->name, "%.127s", properties.name);
    char pci[20] = "";
    if (cudaDeviceGetPCIBusId(pci, sizeof pci, ordinal) != cudaSuccess)
        cudaGetLastError();
    struct ert_nvml_device nvml =
        ert_nvml_find(library, (const unsigned char *)&properties.uuid, pci);
    struct ert_nvml_facts facts;
    ert_nvml_facts(nvml, &facts);
    snprintf(device->gpu.pci, sizeof device->gpu.pci, "%s", pci);
    device_fill_gpu(&device->gpu, ordinal, &properties, &nvml, &facts);
    fill_clocks(device, ordinal, &facts);
    device_add_levels(device);
    machine->n_devices++;
    return ERT_OK;
}

static void fill_versions(struct ert_provenance *provenance, const struct ert_nvml *library)
{
    int driver = 0, runtime = 0;
    if (cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0)
        snprintf(provenance->cuda_driver, sizeof provenance->cuda_driver, "%d.%d",
                 driver / 1000, driver % 1000 / 10);
    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess && runtime > 0)
        snprintf(provenance->cuda_runtime, sizeof provenance->cuda_runtime, "%d.%d",
                 runtime / 1000, runtime % 1000 / 10);
    snprintf(provenance->nvcc, sizeof provenance->nvcc, "%s", ERT_BUILD_NVCC);
    ert_nvml_driver(library, provenance->nvidia_driver, sizeof provenance->nvidia_driver);
}

enum ert_status ert_cuda_discover(struct ert_machine *machine, struct ert_error *error)
{
    char reason[160];
    int n = count_devices(reason, sizeof reason);
    if (n == 0)
        return ERT_OK;
    struct ert_nvml *library = ert_nvml_open();
    if (!library)
        ert_machine_note(machine,
                         "NVML (libnvidia-ml.so.1) is not usable: GPU clocks, power and "
                         "throttling are not watched");
    fill_versions(&machine->provenance, library);
    enum ert_status status = ERT_OK;
    for (int ordinal = 0; ordinal < n && status == ERT_OK; ordinal++) {
        if (device_is_left_out(ordinal, reason, sizeof reason))
            ert_machine_note(machine, "%s", reason);
        else if (machine->n_devices >= ERT_MAX_DEVICES)
            ert_machine_note(machine, "gpu%d left out: no room for more than %d devices",
                             ordinal, ERT_MAX_DEVICES);
        else
            status = device_add_device(machine, ordinal, library, error);
    }
    ert_nvml_close(library);
    return status;
}

/* Errors after which the context still works; all other errors persist in the context. */
static const cudaError_t harmless[] = {
    cudaErrorMemoryAllocation,      cudaErrorInvalidValue,
    cudaErrorInvalidConfiguration,  cudaErrorLaunchOutOfResources,
    cudaErrorInvalidDeviceFunction, cudaErrorNoKernelImageForDevice,
    cudaErrorUnsupportedPtxVersion, cudaErrorInvalidPtx,
};

bool ert_cuda_is_lost(cudaError_t code)
{
    if (code == cudaSuccess)
        return false;
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        if (code == harmless[i])
            return false;
    return true;
}

enum ert_status ert_cuda_fail(struct ert_error *error, cudaError_t code, const char *device,
                              const char *format, ...)
{
    char call[256];
    ERT_FORMAT(call, sizeof call, format);
    cudaGetLastError(); /* the next call must not report this error again */
    return ert_fail(error, ERT_FAILED, "%s: %s: %s (%s)%s", device, call,
                    cudaGetErrorString(code), cudaGetErrorName(code),
                    code == cudaErrorDevicesUnavailable ? ", in use by another process?"
                                                        : "");
}
