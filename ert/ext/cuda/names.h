/* SPDX-License-Identifier: BSD-3-Clause */
/* names: the name of a kernel's GPU code in the file, even if the file is stripped. */
#ifndef ERT_BACKEND_CUDA_NAMES_H
#define ERT_BACKEND_CUDA_NAMES_H

#ifdef __cplusplus
extern "C" {
#endif

/* The mangled name of the kernel that a host stub launches; NULL for anything else. */
const char *ert_cuda_kernel_name(const void *stub);

#ifdef __cplusplus
}
#endif
#endif
