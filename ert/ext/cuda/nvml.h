/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvml: what the NVIDIA Management Library reports about a GPU. The library is opened at run time and may be
 * missing: then every number is unknown (0). Declarations follow NVIDIA's public "NVML API Reference Guide"
 * (https://docs.nvidia.com/deploy/nvml-api/), since nvml.h comes with the driver and not with every toolkit.
 * It only reads and never changes a setting.
 */
#ifndef ERT_BACKEND_CUDA_NVML_H
#define ERT_BACKEND_CUDA_NVML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ert_memory_errors;

#ifdef __cplusplus
extern "C" {
#endif

struct ert_nvml; /* the open library */

/* One of its devices; `library` is not owned. */
struct ert_nvml_device {
    const struct ert_nvml *library;
    void *handle; /* NULL: NVML does not know this device */
    bool is_mig;  /* found as a MIG instance */
};

/* Constant properties, and the state before the run. Unknown: 0, or "unknown". */
struct ert_nvml_facts {
    double default_hz; /* default applications clock of the SMs */
    double max_hz, memory_max_hz;
    double power_limit_w; /* enforced */
    uint32_t bus_width_bits;
    uint64_t memory_free_bytes;
    char ecc[16], mig[16]; /* "on", "off", "unknown" */
    uint32_t n_processes;  /* compute processes on the device */
    uint32_t first_pid;
    uint32_t utilization_percent; /* by others: read before anything runs here */
};

/* What changes during a run. Unknown: 0. */
struct ert_nvml_reading {
    double clock_hz, memory_clock_hz, power_w;
    uint64_t throttle; /* reasons other than idle */
};

/* Opens the library; NULL when there is none or it cannot start. ert_nvml_close() accepts NULL. */
struct ert_nvml *ert_nvml_open(void);
void ert_nvml_close(struct ert_nvml *library);

/* The driver's version, "" when unknown. */
void ert_nvml_driver(const struct ert_nvml *library, char *text, size_t size);

/*
 * Finds the device with a UUID of 16 bytes (from the CUDA runtime: of a GPU or a MIG instance), else with a
 * PCI address. library may be NULL; the handle is NULL when not found.
 */
struct ert_nvml_device ert_nvml_find(const struct ert_nvml *library,
                                     const unsigned char uuid[16], const char *pci);

/* Writes 16 bytes as "GPU-xxxxxxxx-xxxx-..." or "MIG-..." to text; size at least 41. */
void ert_nvml_uuid_text(const char *prefix, const unsigned char uuid[16], char *text,
                        size_t size);

void ert_nvml_facts(struct ert_nvml_device device, struct ert_nvml_facts *facts);
void ert_nvml_read(struct ert_nvml_device device, struct ert_nvml_reading *reading);

/* Energy that the device drew since the driver was loaded, in mJ; false: unknown. */
bool ert_nvml_energy(struct ert_nvml_device device, uint64_t *energy_mj);

/* Of its ECC; false: unknown, as without ECC. */
bool ert_nvml_errors(struct ert_nvml_device device, struct ert_memory_errors *errors);

/* Present power, or if the driver has nothing else the mean of the last second; 0 unknown. */
double ert_nvml_power_w(struct ert_nvml_device device);

#ifdef __cplusplus
}
#endif
#endif
