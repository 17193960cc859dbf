/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"

#include <stdio.h>
#include <string.h>

/*
 * The links section of a GPU: copies from and to the host, and to and from each other GPU of the same
 * backend. The unified section: a kernel's accesses to the host's memory, and pages of managed memory.
 */

/*
 * Sizes. Host copies take about 2.5 ms at 55 GB/s (PCIe 5.0 x16); writing and comparing their three buffers
 * on the host takes longer than the copies. Copies of pageable memory are several times slower. Between GPUs:
 * 0.6 ms over NVLink 4; with 128 MiB two H200s showed 392 instead of 394 GB/s, in both directions 760 instead
 * of 771. Pages of managed memory move several times slower, and back between two passes.
 *
 * leads_here: bytes come to the device; of a duplex link, the direction to name.
 */
static const struct {
    enum ert_kernel_id kernel;
    enum ert_section section;
    bool is_peer, leads_here;
    uint64_t mib;
} links[] = {
    {ERT_KERNEL_h2d_pinned,      ERT_SECTION_LINKS,   false, true,  128},
    {ERT_KERNEL_d2h_pinned,      ERT_SECTION_LINKS,   false, false, 128},
    {ERT_KERNEL_duplex_pinned,   ERT_SECTION_LINKS,   false, true,  128},
    {ERT_KERNEL_h2d_pageable,    ERT_SECTION_LINKS,   false, true,  64 },
    {ERT_KERNEL_d2h_pageable,    ERT_SECTION_LINKS,   false, false, 64 },
    {ERT_KERNEL_peer_write,      ERT_SECTION_LINKS,   true,  false, 256},
    {ERT_KERNEL_peer_read,       ERT_SECTION_LINKS,   true,  true,  256},
    {ERT_KERNEL_peer_duplex,     ERT_SECTION_LINKS,   true,  false, 256},
    {ERT_KERNEL_zero_copy_read,  ERT_SECTION_UNIFIED, false, true,  128},
    {ERT_KERNEL_zero_copy_write, ERT_SECTION_UNIFIED, false, false, 128},
    {ERT_KERNEL_managed_touch,   ERT_SECTION_UNIFIED, false, true,  64 },
    {ERT_KERNEL_managed_fetch,   ERT_SECTION_UNIFIED, false, true,  64 },
    {ERT_KERNEL_managed_return,  ERT_SECTION_UNIFIED, false, false, 64 },
};

/* Host buffers take at most 1 / host_share of memory_max_bytes, and of the free memory. */
static const uint64_t host_share = 4;

static uint64_t links_least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The host memory that host copies may use. */
static uint64_t links_host_room(const struct ert_planner *planner)
{
    uint64_t room = UINT64_MAX;
    if (planner->config->memory_max_bytes)
        room = planner->config->memory_max_bytes / host_share;
    for (uint32_t i = 0; i < planner->machine->n_devices; i++)
        if (planner->machine->devices[i].cpu.memory_available_bytes)
            room = links_least(
                room, planner->machine->devices[i].cpu.memory_available_bytes / host_share);
    return room;
}

/* Plans a section's links to the host (to: 0) or to a GPU (as ert_spec.to), of at most room_bytes. */
static void links_plan_to(struct ert_planner *planner, enum ert_section section,
                          uint32_t to, uint64_t room_bytes)
{
    room_bytes = links_least(room_bytes, planner->options.working_set_max_bytes);
    for (size_t i = 0; i < ERT_LENGTH(links); i++) {
        struct ert_spec spec = ert_planner_spec(links[i].kernel, NULL);
        spec.requested_bytes = links_least(links[i].mib << 20, room_bytes);
        spec.to = to;
        if (links[i].section == section && links[i].is_peer == (to > 0) &&
            planner->config->kernels[links[i].kernel])
            ert_planner_add_case(planner, section, &spec, ERT_BEST_ISA, "", "%s",
                                 ert_kernel_row(links[i].kernel)->op);
    }
}

/* A pair is measured from its first GPU, both ways; by the second one only if the first is not measured. */
static bool links_is_elsewhere(const struct ert_planner *planner,
                               const struct ert_device *other)
{
    const char *word = planner->config->device;
    bool covers_all = strcmp(word, "all") == 0 || strcmp(word, "gpu") == 0;
    return covers_all && other->gpu.ordinal < planner->device->gpu.ordinal;
}

static void links_plan(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    if (device->kind != ERT_DEVICE_GPU)
        return;
    links_plan_to(planner, ERT_SECTION_LINKS, 0, links_host_room(planner));
    for (uint32_t d = 0; d < planner->machine->n_devices; d++) {
        const struct ert_device *other = &planner->machine->devices[d];
        if (strcmp(other->id, device->id) == 0 || other->kind != ERT_DEVICE_GPU ||
            strcmp(other->backend, device->backend) != 0 ||
            links_is_elsewhere(planner, other))
            continue;
        links_plan_to(planner, ERT_SECTION_LINKS, 1 + (uint32_t)other->gpu.ordinal,
                      UINT64_MAX);
    }
}

static void unified_plan(struct ert_planner *planner)
{
    if (planner->device->kind == ERT_DEVICE_GPU)
        links_plan_to(planner, ERT_SECTION_UNIFIED, 0, links_host_room(planner));
}

static void links_fit(struct ert_extras *extras, const struct ert_point *point)
{
    char far_end[16], pair[40] = "";
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    const char *near_end = extras->device->id;
    if (row->kind != ERT_KIND_LINK)
        return;
    ert_extras_far_end(extras, point->spec.to, far_end);
    if (point->spec.to)
        snprintf(pair, sizeof pair, "%s-%s-", near_end, far_end);
    struct ert_ceiling *extra =
        ert_extras_add_point(extras, ERT_CEILING_LINK, point, NULL, "%s%s", pair, row->op);
    if (!extra)
        return;
    size_t i = 0;
    while (links[i].kernel != point->spec.kernel)
        i++;
    const bool is_here = links[i].leads_here;
    snprintf(extra->key.from, sizeof extra->key.from, "%s", is_here ? far_end : near_end);
    snprintf(extra->key.to, sizeof extra->key.to, "%s", is_here ? near_end : far_end);
}

const struct ert_section_row ert_section_links = {
    .by_default = true,
    .takes_turns = true,
    .cases_are_ceilings = true,
    .most_rounds =
        3, /* copies have little noise, and a host with many GPUs has many of them */
    .plan = links_plan,
    .fit = links_fit,
};

const struct ert_section_row ert_section_unified = {
    .takes_turns = true,
    .cases_are_ceilings = true,
    .most_rounds = 3,
    .plan = unified_plan,
    .fit = links_fit,
};
