/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory: the buffers that messages are sent from and arrive in, of the host or of a GPU, and the data in
 * them, of which no two words are alike.
 */
#ifndef ERT_NET_MEMORY_H
#define ERT_NET_MEMORY_H

#include "ert/base/error.h"
#include "ert/fleet/net_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ert_net_buffer {
    void *at;       /* what MPI is given */
    uint64_t *host; /* the same memory, or where a GPU's is copied to be written and read */
    size_t bytes;   /* a multiple of 8 */
    enum ert_net_memory memory;
};

/* GPU: the index-th visible one, by the driver (libcuda.so.1). ERT_UNAVAILABLE where there is none. */
enum ert_status ert_net_memory_open(enum ert_net_memory memory, int index,
                                    struct ert_error *error);

/* A buffer, kept until the process ends. ERT_FAILED without memory. */
enum ert_status ert_net_buffer_make(enum ert_net_memory memory, size_t bytes,
                                    struct ert_net_buffer *buffer, struct ert_error *error);

/* Copies the first `bytes` to what MPI is given, or from there; false where the driver fails. */
bool ert_net_buffer_put(struct ert_net_buffer *buffer, size_t bytes);
bool ert_net_buffer_get(struct ert_net_buffer *buffer, size_t bytes);

/* Fills the first `bytes` (rounded up to 8) with the words of a seed. False where the driver fails. */
bool ert_net_buffer_fill(struct ert_net_buffer *buffer, size_t bytes, uint64_t seed);

/* Whether the first `bytes` are those; spoils them, so that what was there is not taken for new. */
bool ert_net_buffer_check(struct ert_net_buffer *buffer, size_t bytes, uint64_t seed);

#endif
