/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia_proc: the GPUs that NVIDIA's kernel driver shows in /proc, without any of its libraries:
 * enough to tell one machine from another.
 */
#ifndef RFL_LIB_NVIDIA_PROC_H
#define RFL_LIB_NVIDIA_PROC_H

#include "ert/machine/machine.h"

/*
 * Appends the GPUs below `folder` ("/proc/driver/nvidia/gpus": a folder per GPU, with a file
 * "information" of lines like "GPU UUID: GPU-..."; NVIDIA Linux driver README, chapter "The /proc
 * File System Interface"). False when there is no such folder, or a GPU in it cannot be read.
 */
bool rfl_nvidia_proc(const char *folder, struct ert_machine *machine);

#endif
