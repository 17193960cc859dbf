/* Links: byte/s of copies between the host and a GPU, and between two GPUs. */
#include "ert/ceilings/extras.h"

#include <stdio.h>
#include <string.h>

/* Which way the bytes go; of both directions at once the one that is named. */
enum way { TO_DEVICE, FROM_DEVICE };

static const struct {
    enum ert_kernel_id kernel;
    enum way way;
} links[] = {
    {ERT_KERNEL_h2d_pinned,    TO_DEVICE  },
    {ERT_KERNEL_d2h_pinned,    FROM_DEVICE},
    {ERT_KERNEL_duplex_pinned, TO_DEVICE  },
    {ERT_KERNEL_h2d_pageable,  TO_DEVICE  },
    {ERT_KERNEL_d2h_pageable,  FROM_DEVICE},
    {ERT_KERNEL_peer_write,    FROM_DEVICE},
    {ERT_KERNEL_peer_read,     TO_DEVICE  },
    {ERT_KERNEL_peer_duplex,   FROM_DEVICE},
};

static enum way way_of(enum ert_kernel_id kernel)
{
    size_t i = 0;
    while (i + 1 < sizeof links / sizeof links[0] && links[i].kernel != kernel)
        i++;
    return links[i].way;
}

/* The id of the GPU at the other end, "host" for none; what left the machine's list by number. */
static void name_far_end(const struct ert_extras *extras, uint32_t to, char text[16])
{
    snprintf(text, 16, "%s", "host");
    if (to == 0)
        return;
    snprintf(text, 16, "gpu%u", to - 1);
    for (uint32_t i = 0; i < extras->machine->n_devices; i++) {
        const struct ert_device *device = &extras->machine->devices[i];
        if (device->kind == ERT_DEVICE_GPU && device->gpu.ordinal == (int)to - 1 &&
            strcmp(device->backend, extras->device->backend) == 0)
            snprintf(text, 16, "%s", device->id);
    }
}

static bool add(struct ert_extras *extras, const struct ert_point *point)
{
    char far_end[16], name[48];
    bool done = true;
    const char *near_end = extras->device->id;
    const char *op = ert_kernel_row(point->case_.kernel)->op;
    name_far_end(extras, point->case_.to, far_end);
    if (point->case_.to)
        snprintf(name, sizeof name, "%s-%s-%s", near_end, far_end, op);
    else
        snprintf(name, sizeof name, "%s", op);
    if (point->status != ERT_POINT_MEASURED || point->n_samples == 0) {
        ert_extras_absent(extras->out, name,
                          *point->reason ? point->reason : "not measured");
        return true;
    }
    struct ert_extra *extra =
        ert_extras_add(extras, ERT_EXTRA_LINK, point, ert_point_bandwidth, "byte/s", &done);
    if (!extra)
        return done;
    bool to_device = way_of(point->case_.kernel) == TO_DEVICE;
    snprintf(extra->common.name, sizeof extra->common.name, "%.31s", name);
    snprintf(extra->from, sizeof extra->from, "%s", to_device ? far_end : near_end);
    snprintf(extra->to, sizeof extra->to, "%s", to_device ? near_end : far_end);
    return true;
}

static bool is_link(const struct ert_point *point)
{
    return point->section == ERT_SECTION_LINKS &&
           ert_kernel_row(point->case_.kernel)->class_ == ERT_CLASS_LINK;
}

bool ert_extras_links(struct ert_extras *extras)
{
    bool done = true;
    for (size_t i = 0; i < extras->samples->n_points && done; i++)
        if (is_link(&extras->samples->points[i]))
            done = add(extras, &extras->samples->points[i]);
    return done;
}
