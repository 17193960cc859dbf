/*
 * The links section, of GPUs: copies from and to the host, and to and from each other GPU of the
 * same backend. A machine of one GPU has no pairs, and so nothing is absent.
 */
#include "ert/sweep/planner.h"

#include <string.h>

/*
 * Host copies: some 2.5 ms at 55 GB/s (PCIe 5.0 x16); three buffers lie on the host, and writing and
 * comparing them takes longer than the copies. Those of ordinary memory are several times slower.
 * Between GPUs: 0.6 ms over NVLink 4; with 128 MiB two H200s showed 392 instead of 394 GB/s, both
 * ways 760 instead of 771.
 */
static const uint64_t host_bytes = UINT64_C(128) << 20;
static const uint64_t pageable_bytes = UINT64_C(64) << 20;
static const uint64_t peer_bytes = UINT64_C(256) << 20;

/* The host's buffers take at most this share of what the process may take, or of what is free. */
static const uint64_t host_share = 4;

static const enum ert_kernel_id host_links[] = {
    ERT_KERNEL_h2d_pinned, ERT_KERNEL_d2h_pinned, ERT_KERNEL_duplex_pinned,
    ERT_KERNEL_h2d_pageable, ERT_KERNEL_d2h_pageable};
static const enum ert_kernel_id peer_links[] = {ERT_KERNEL_peer_write, ERT_KERNEL_peer_read,
                                                ERT_KERNEL_peer_duplex};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* One copy's bytes: within the session's regions and, for host copies, the host's memory. */
static uint64_t size_of_copy(const struct ert_planner *planner, enum ert_kernel_id kernel,
                             uint32_t to)
{
    bool is_pageable =
        kernel == ERT_KERNEL_h2d_pageable || kernel == ERT_KERNEL_d2h_pageable;
    uint64_t room = planner->options.working_set_max_bytes;
    if (to)
        return least(peer_bytes, room);
    uint64_t size = least(is_pageable ? pageable_bytes : host_bytes, room);
    if (planner->config->memory_max_bytes)
        size = least(size, planner->config->memory_max_bytes / host_share);
    for (uint32_t i = 0; i < planner->machine->n_devices; i++)
        if (planner->machine->devices[i].cpu.memory_available_bytes)
            size = least(size, planner->machine->devices[i].cpu.memory_available_bytes /
                                   host_share);
    return size;
}

static enum ert_status plan_link(struct ert_planner *planner, enum ert_kernel_id kernel,
                                 uint32_t to)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    char reason[192] = "";
    if (!planner->config->kernels[kernel])
        return ERT_OK;
    size_t n = ert_planner_variants(planner, kernel, ERT_PATH_NONE, false, variants,
                                    indices, reason, sizeof reason);
    if (n == 0)
        ert_planner_absent(planner, ert_kernel_row(kernel)->op, reason);
    for (size_t i = 0; i < n; i++) {
        const struct ert_case case_ = {.kernel = kernel,
                                       .path = ERT_PATH_NONE,
                                       .working_set_bytes =
                                           size_of_copy(planner, kernel, to),
                                       .variant = indices[i],
                                       .to = to};
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_LINKS, &case_, &variants[i]));
    }
    return ERT_OK;
}

/*
 * A pair is measured from its first GPU, in both directions; the second one's plan leaves it out, but
 * where only that one is measured.
 */
static bool is_planned_elsewhere(const struct ert_planner *planner,
                                 const struct ert_device *other)
{
    const char *word = planner->config->device;
    bool covers_all = strcmp(word, "all") == 0 || strcmp(word, "gpu") == 0;
    return covers_all && other->gpu.ordinal < planner->device->gpu.ordinal;
}

enum ert_status ert_plan_links(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    if (device->kind != ERT_DEVICE_GPU)
        return ERT_OK;
    for (size_t i = 0; i < sizeof host_links / sizeof host_links[0]; i++)
        ERT_TRY(plan_link(planner, host_links[i], 0));
    for (uint32_t d = 0; d < planner->machine->n_devices; d++) {
        const struct ert_device *other = &planner->machine->devices[d];
        if (strcmp(other->id, device->id) == 0 || other->kind != ERT_DEVICE_GPU ||
            strcmp(other->backend, device->backend) != 0 ||
            is_planned_elsewhere(planner, other))
            continue;
        for (size_t i = 0; i < sizeof peer_links / sizeof peer_links[0]; i++)
            ERT_TRY(plan_link(planner, peer_links[i], 1 + (uint32_t)other->gpu.ordinal));
    }
    return ERT_OK;
}
