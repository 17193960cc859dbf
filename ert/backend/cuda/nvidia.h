/*
 * nvidia: what is known of NVIDIA's GPUs without one, by compute capability: peaks per SM and clock, names of
 * NVML's throttle reasons, a device for code() alone. Part of every build: recorded ceilings may be of one.
 */
#ifndef ERT_BACKEND_CUDA_NVIDIA_H
#define ERT_BACKEND_CUDA_NVIDIA_H

#include "ert/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* backend.h's peaks(), throttle and model(); an architecture is a capability: "7.0". */
void ert_nvidia_peaks(const struct ert_device *device, struct ert_peak_list *list);
extern const struct ert_throttle ert_nvidia_throttle[];
enum ert_status ert_nvidia_model(const char *architecture, struct ert_device *device,
                                 struct ert_error *error);

#ifdef __cplusplus
}
#endif
#endif
