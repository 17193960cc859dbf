/*
 * upload: a problem's arrays on the device, in the layout that a version reads. C++ only.
 */
#ifndef GPP_CUDA_UPLOAD_H
#define GPP_CUDA_UPLOAD_H

#include "gpp/cuda/kernel.cuh"

/* Device memory; freed by gpp_cuda_arrays_free(). */
struct gpp_cuda_arrays {
    void *blocks[16];
    size_t n;
};

/* Bytes that gpp_cuda_arrays_upload() takes, at most. */
uint64_t gpp_cuda_arrays_bytes(const struct gpp_problem *problem);

/* Copies to the current device and fills the arguments' pointers and sizes. Free also on failure. */
enum ert_status gpp_cuda_arrays_upload(const struct gpp_cuda_row *row,
                                       const struct gpp_problem *problem, const char *label,
                                       struct gpp_cuda_arrays *arrays,
                                       struct gpp_cuda_arguments *arguments,
                                       struct ert_error *error);

void gpp_cuda_arrays_free(struct gpp_cuda_arrays *arrays);

#endif
