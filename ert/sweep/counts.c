#include "ert/sweep/counts.h"

/* Every count up to here: where cores begin to share, each one more tells. */
enum { DENSE_END = 8 };

/* The architecture's bound on warps per SM, for a device that does not say its own. */
enum { MAX_WARPS_PER_SM = 64, WARP = 32 };

/* Inserts a count into an ascending list that has room; one that is there already is dropped. */
static size_t insert(uint32_t *counts, size_t n, uint32_t count)
{
    size_t at = n;
    while (at > 0 && counts[at - 1] >= count)
        at--;
    if ((at < n && counts[at] == count) || n == ERT_MAX_COUNTS)
        return n;
    for (size_t i = n; i > at; i--)
        counts[i] = counts[i - 1];
    counts[at] = count;
    return n + 1;
}

static size_t list_threads(const struct ert_context *context, uint32_t *counts)
{
    const struct ert_cpu *cpu = &context->device.cpu;
    uint32_t most = context->max_threads;
    uint32_t packages = cpu->n_packages ? cpu->n_packages : 1;
    const uint32_t marks[] = {cpu->n_cores_usable / packages, cpu->n_cores_usable, most};
    size_t n = 0;
    for (uint32_t count = 1; count <= DENSE_END && count <= most; count++)
        n = insert(counts, n, count);
    for (uint64_t count = 2 * DENSE_END; count <= UINT32_MAX; count *= 2) {
        if (count / 4 * 3 <= most)
            n = insert(counts, n, (uint32_t)(count / 4 * 3));
        if (count <= most)
            n = insert(counts, n, (uint32_t)count);
    }
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (marks[i] >= 1 && marks[i] <= most)
            n = insert(counts, n, marks[i]);
    /* Two, three, four threads on every core: where the cores are no power of two none is above. */
    for (uint64_t count = 2 * (uint64_t)cpu->n_cores_usable; count && count <= most;
         count += cpu->n_cores_usable)
        n = insert(counts, n, (uint32_t)count);
    return n;
}

static size_t list_warps(const struct ert_device *device, uint32_t *counts)
{
    static const uint32_t warps[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
    uint32_t most = device->gpu.max_threads_per_sm / WARP;
    size_t n = 0;
    for (size_t i = 0; i < sizeof warps / sizeof warps[0]; i++)
        if (warps[i] <= (most ? most : MAX_WARPS_PER_SM))
            n = insert(counts, n, warps[i]);
    return n;
}

size_t ert_counts_list(const struct ert_context *context, uint32_t counts[ERT_MAX_COUNTS])
{
    return context->device.kind == ERT_DEVICE_CPU ? list_threads(context, counts)
                                                  : list_warps(&context->device, counts);
}

/*
 * Cores in use: where the config wants fewer threads than cores, the plan has counted the caches
 * of these only, and every core has a first level of its own.
 */
static uint32_t cores_in_use(const struct ert_device *device)
{
    uint32_t cores = device->cpu.n_cores_usable, most = 0;
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].count > most)
            most = device->levels[i].count;
    return most && most < cores ? most : cores;
}

/* How many cores share one instance of a level. */
static uint32_t cores_of_instance(const struct ert_device *device,
                                  const struct ert_level *level)
{
    uint32_t cores = cores_in_use(device);
    uint32_t share = level->count ? cores / level->count : cores;
    return share ? share : 1;
}

struct ert_device ert_counts_reach(const struct ert_device *device, uint32_t threads)
{
    struct ert_device reached = *device;
    if (device->kind != ERT_DEVICE_CPU || threads == 0)
        return reached;
    for (uint32_t i = 0; i < reached.n_levels; i++) {
        uint32_t share = cores_of_instance(device, &device->levels[i]);
        uint32_t count = (threads + share - 1) / share;
        if (count < reached.levels[i].count)
            reached.levels[i].count = count;
    }
    return reached;
}

/* Whether groups of so many cores are full, or one of them is not and there is no other. */
static bool fills(uint32_t threads, uint32_t cores_of_group)
{
    return threads <= cores_of_group || threads % cores_of_group == 0;
}

bool ert_counts_even(const struct ert_device *device, const struct ert_level *level,
                     uint32_t threads)
{
    uint32_t cores = cores_in_use(device), packages = device->cpu.n_packages;
    if (threads > cores)
        return fills(threads, cores);
    if (level->kind == ERT_LEVEL_MEMORY && packages > 1 && cores >= packages &&
        !fills(threads, cores / packages))
        return false;
    for (const struct ert_level *l = device->levels; l <= level; l++)
        if (!fills(threads, cores_of_instance(device, l)))
            return false;
    return true;
}
