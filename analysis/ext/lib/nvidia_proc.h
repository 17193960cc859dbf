/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvidia_proc: reads the GPUs that NVIDIA's kernel driver lists in /proc, without NVIDIA's libraries: enough
 * to distinguish machines.
 */
#ifndef RFL_LIB_NVIDIA_PROC_H
#define RFL_LIB_NVIDIA_PROC_H

#include "ert/core/machine/machine.h"

/*
 * Appends the GPUs in `folder` ("/proc/driver/nvidia/gpus": a folder per GPU, with a file "information" of
 * lines like "GPU UUID: GPU-..."; NVIDIA Linux driver README, chapter "The /proc File System Interface").
 * False if the folder does not exist or a GPU in it cannot be read.
 */
bool rfl_nvidia_proc(const char *folder, struct ert_machine *machine);

#endif
