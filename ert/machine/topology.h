/*
 * topology: what hwloc knows, turned into the fields of struct ert_device. Private to the machine
 * room: nobody else sees an hwloc type. It reads no clocks.
 */
#ifndef ERT_MACHINE_TOPOLOGY_H
#define ERT_MACHINE_TOPOLOGY_H

#include "ert/machine/machine.h"

#include <hwloc.h>

struct ert_topology {
    hwloc_topology_t hwloc;
    hwloc_cpuset_t usable; /* PUs that this process may run on */
    bool live;             /* of the running machine, not from a file */
    char source[256];      /* "live", or the file's name */
};

/*
 * Loads a file, or, where topology_file is NULL, what HWLOC_XMLFILE names, or the running machine.
 * ERT_USAGE when the file is missing, unreadable, or not a topology. *topology is the caller's.
 */
enum ert_status ert_topology_load(const char *topology_file, struct ert_topology *topology,
                                  struct ert_error *error);

/* What is done to an hwloc topology between init and load; not 0 when it fails. */
typedef int ert_topology_configure(hwloc_topology_t hwloc, const char *file);

/*
 * Loads a file in a child process first: hwloc 2.9 trusts its XML and crashes, or leaks, on a
 * damaged one. ERT_USAGE when the child does not come back well.
 */
enum ert_status ert_topology_try(const char *file, ert_topology_configure *configure,
                                 struct ert_error *error);

/* Frees it; NULL and all zero are fine. */
void ert_topology_free(struct ert_topology *topology);

/* Packages, cores, PUs, usable ones, core kinds, vendor, family, model, name. */
void ert_topology_cores(const struct ert_topology *topology, struct ert_machine *machine,
                        struct ert_device *device);

/* NUMA nodes with their kinds; needs ert_topology_cores before. */
void ert_topology_memory(const struct ert_topology *topology, struct ert_machine *machine,
                         struct ert_device *device);

/*
 * The kind of memory that the processor of a device may have on its package: "MCDRAM", "HBM", or
 * NULL. By vendor, family, model and name; needs ert_topology_cores before.
 */
const char *ert_topology_package_memory(const struct ert_device *device);

/* Caches and memory kinds as levels, fastest first; needs ert_topology_memory before. */
void ert_topology_levels(const struct ert_topology *topology, struct ert_machine *machine,
                         struct ert_device *device);

/*
 * Appends the GPUs that a file names (as far as it describes them). For files only: on the running
 * machine the backends know more.
 */
void ert_topology_gpus(const struct ert_topology *topology, struct ert_machine *machine);

/* Cores that a cpuset touches; PUs where the topology has no cores. */
uint32_t ert_topology_count_cores(const struct ert_topology *topology,
                                  hwloc_const_cpuset_t cpuset);

/* A word of hwloc's infos of an object, or NULL. */
const char *ert_topology_info(hwloc_obj_t object, const char *name);

#endif
