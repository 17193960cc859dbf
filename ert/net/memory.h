/* SPDX-License-Identifier: BSD-3-Clause */
/* memory: buffers of messages, in host or GPU memory, and their data, in which no two words are equal. */
#ifndef ERT_NET_MEMORY_H
#define ERT_NET_MEMORY_H

#include "ert/base/error.h"
#include "ert/fleet/net_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ert_net_buffer {
    void *at;       /* passed to MPI */
    uint64_t *host; /* the same memory, or a host copy of GPU memory */
    size_t bytes;   /* a multiple of 8 */
    enum ert_net_memory memory;
};

/* GPU: opens the index-th visible one, by the driver (libcuda.so.1). ERT_UNAVAILABLE if there is none. */
enum ert_status ert_net_memory_open(enum ert_net_memory memory, int index,
                                    struct ert_error *error);

/* Makes a buffer, which lasts until the process ends. ERT_FAILED without memory. */
enum ert_status ert_net_buffer_make(enum ert_net_memory memory, size_t bytes,
                                    struct ert_net_buffer *buffer, struct ert_error *error);

/* Copies the first `bytes` to the memory passed to MPI, or back; false if the driver fails. */
bool ert_net_buffer_put(struct ert_net_buffer *buffer, size_t bytes);
bool ert_net_buffer_get(struct ert_net_buffer *buffer, size_t bytes);

/* Fills the first `bytes` (rounded up to 8) with words from a seed. False if the driver fails. */
bool ert_net_buffer_fill(struct ert_net_buffer *buffer, size_t bytes, uint64_t seed);

/* Whether the first `bytes` are these words; then clears them, so that old data are not taken for new. */
bool ert_net_buffer_check(struct ert_net_buffer *buffer, size_t bytes, uint64_t seed);

#endif
