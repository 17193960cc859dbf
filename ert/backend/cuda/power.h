/*
 * power: what a GPU draws while a case runs steadily: a meter that is read, through NVML, as often as
 * the host waits for the device. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_POWER_H
#define ERT_BACKEND_CUDA_POWER_H

#include "ert/backend/cuda/nvml.h"

struct ert_cuda_meter {
    struct ert_nvml_device device;
    /*
     * The energy counter moves in steps, tens of milliseconds apart: what is drawn between two of
     * its changes is exact, the time between them known to the length of a reading.
     */
    uint64_t energy_mj; /* last read; 0 before the first, or unknown */
    uint32_t n_changes;
    uint64_t first_mj, last_mj; /* after the first and the last change */
    double first_s, last_s;     /* when they were seen */
    /* Power readings: where the counter does not serve. */
    double sum_w, begin_s, end_s;
    uint64_t n_readings;
};

/* Reads the meter once. */
void ert_cuda_meter_read(struct ert_cuda_meter *meter);

#endif
