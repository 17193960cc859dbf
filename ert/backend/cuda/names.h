/* SPDX-License-Identifier: BSD-3-Clause */
/* names: what the GPU code of a kernel is called in the file, also where the file is stripped. */
#ifndef ERT_BACKEND_CUDA_NAMES_H
#define ERT_BACKEND_CUDA_NAMES_H

#ifdef __cplusplus
extern "C" {
#endif

/* The mangled name of the kernel that a stub on the host launches; NULL for what is no stub. */
const char *ert_cuda_kernel_name(const void *stub);

#ifdef __cplusplus
}
#endif
#endif
