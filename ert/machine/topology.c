#include "ert/machine/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A topology ends with its closing tag: says what is wrong with a file that was cut off. */
static enum ert_status check_end(const char *file, off_t size_bytes,
                                 struct ert_error *error)
{
    char text[1024];
    off_t start =
        size_bytes > (off_t)sizeof text - 1 ? size_bytes - ((off_t)sizeof text - 1) : 0;
    FILE *stream = fopen(file, "r");
    if (!stream || fseeko(stream, start, SEEK_SET)) {
        enum ert_status status =
            ert_fail(error, ERT_USAGE, "topology file %s: %s", file, strerror(errno));
        if (stream)
            fclose(stream);
        return status;
    }
    size_t n = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    if (memmem(text, n, "</topology>", 11))
        return ERT_OK;
    return ert_fail(
        error, ERT_USAGE,
        "topology file %s: not an hwloc XML topology, or cut off: it must end with "
        "</topology>",
        file);
}

/* hwloc's own reader says "Invalid argument" for all of these: name them before it looks. */
static enum ert_status check_file(const char *file, struct ert_error *error)
{
    struct stat info;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return ert_fail(error, ERT_USAGE, "topology file %s: %s", file, strerror(errno));
    int failed = fstat(descriptor, &info);
    close(descriptor);
    if (failed)
        return ert_fail(error, ERT_USAGE, "topology file %s: %s", file, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return ert_fail(error, ERT_USAGE, "topology file %s: not a regular file", file);
    if (info.st_size == 0)
        return ert_fail(error, ERT_USAGE, "topology file %s: empty, must be hwloc XML",
                        file);
    return check_end(file, info.st_size, error);
}

/* What hwloc is asked for: live discovery stays away from I/O, whose plugins open GPU drivers. */
static int configure(hwloc_topology_t hwloc, const char *file)
{
    /* hwloc leaves memory-side caches out unless they are asked for. */
    if (hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_MEMCACHE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL))
        return -1;
    if (file)
        return hwloc_topology_set_io_types_filter(hwloc,
                                                  HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
               hwloc_topology_set_xml(hwloc, file);
    return hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
}

/* The PUs that the cgroup allows (by hwloc) and that the affinity mask of this process leaves. */
static enum ert_status find_usable(struct ert_topology *topology, struct ert_error *error)
{
    topology->usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology->hwloc));
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    enum ert_status status = ERT_OK;
    if (!topology->usable || !bound)
        status = ert_fail(error, ERT_FAILED, "out of memory for a CPU set");
    else if (topology->live &&
             hwloc_get_cpubind(topology->hwloc, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
             hwloc_bitmap_intersects(topology->usable, bound))
        hwloc_bitmap_and(topology->usable, topology->usable, bound);
    hwloc_bitmap_free(bound);
    return status;
}

/* No cache and no memory is larger; beyond, sums of levels would wrap. */
static const uint64_t most_cache_bytes = UINT64_C(1) << 38, most_node_bytes = UINT64_C(1)
                                                                              << 50;

static enum ert_status check_type(hwloc_topology_t hwloc, hwloc_obj_type_t type,
                                  const char *what, struct ert_error *error)
{
    bool is_node = type == HWLOC_OBJ_NUMANODE;
    uint64_t most = is_node ? most_node_bytes : most_cache_bytes;
    for (hwloc_obj_t object = NULL;
         (object = hwloc_get_next_obj_by_type(hwloc, type, object));) {
        uint64_t size_bytes =
            is_node ? object->attr->numanode.local_memory : object->attr->cache.size;
        if (size_bytes > most)
            return ert_fail(error, ERT_USAGE,
                            "topology of %s: %s %u: %llu bytes, must be at most %llu", what,
                            hwloc_obj_type_string(type), object->logical_index,
                            (unsigned long long)size_bytes, (unsigned long long)most);
    }
    return ERT_OK;
}

static enum ert_status check_sizes(hwloc_topology_t hwloc, const char *what,
                                   struct ert_error *error)
{
    static const hwloc_obj_type_t types[] = {HWLOC_OBJ_L1CACHE,  HWLOC_OBJ_L2CACHE,
                                             HWLOC_OBJ_L3CACHE,  HWLOC_OBJ_L4CACHE,
                                             HWLOC_OBJ_MEMCACHE, HWLOC_OBJ_NUMANODE};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        ERT_TRY(check_type(hwloc, types[i], what, error));
    return ERT_OK;
}

static enum ert_status load(const char *file, struct ert_topology *topology,
                            struct ert_error *error)
{
    const char *what = file ? file : "this machine";
    if (file) {
        ERT_TRY(check_file(file, error));
        ERT_TRY(ert_topology_try(file, configure, error));
    }
    if (hwloc_topology_init(&topology->hwloc))
        return ert_fail(error, ERT_FAILED, "hwloc: no topology: %s", strerror(errno));
    if (configure(topology->hwloc, file) || hwloc_topology_load(topology->hwloc))
        return ert_fail(error, file ? ERT_USAGE : ERT_FAILED,
                        file ? "topology file %s: not an hwloc XML topology, or damaged"
                             : "hwloc cannot discover %s",
                        what);
    if (hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_PU) <= 0)
        return ert_fail(error, ERT_USAGE, "topology of %s: no processing units", what);
    ERT_TRY(check_sizes(topology->hwloc, what, error));
    topology->live = hwloc_topology_is_thissystem(topology->hwloc) != 0;
    snprintf(topology->source, sizeof topology->source, "%s",
             file             ? file
             : topology->live ? "live"
                              : "hwloc's environment variables");
    return find_usable(topology, error);
}

enum ert_status ert_topology_load(const char *topology_file, struct ert_topology *topology,
                                  struct ert_error *error)
{
    /* Asked for here, because hwloc itself passes over a bad HWLOC_XMLFILE without a word. */
    const char *variable = getenv("HWLOC_XMLFILE");
    if (!topology_file && variable && variable[0])
        topology_file = variable;
    *topology = (struct ert_topology){0};
    enum ert_status status = load(topology_file, topology, error);
    if (status != ERT_OK)
        ert_topology_free(topology);
    return status;
}

void ert_topology_free(struct ert_topology *topology)
{
    if (!topology)
        return;
    hwloc_bitmap_free(topology->usable);
    if (topology->hwloc)
        hwloc_topology_destroy(topology->hwloc);
    *topology = (struct ert_topology){0};
}

const char *ert_topology_info(hwloc_obj_t object, const char *name)
{
    return object ? hwloc_obj_get_info_by_name(object, name) : NULL;
}

uint32_t ert_topology_count_cores(const struct ert_topology *topology,
                                  hwloc_const_cpuset_t cpuset)
{
    int has_cores = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_CORE) > 0;
    hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    uint32_t n = 0;
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_obj_by_type(topology->hwloc, type, object)))
        n += hwloc_bitmap_intersects(object->cpuset, cpuset) != 0;
    return n;
}
