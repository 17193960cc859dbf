/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * knl: Knights Landing machines in their memory and cluster modes, written as hwloc XML the way that
 * hwloc shows such machines (its test data: 64intel64-fakeKNL-* in tests/hwloc/linux of open-mpi/hwloc): DDR
 * nodes first, MCDRAM nodes after them, MCDRAM that is a cache as a memory-side cache of DDR.
 */
#ifndef ERT_TESTS_UNIT_KNL_H
#define ERT_TESTS_UNIT_KNL_H

#include <stdint.h>

enum { KNL_MAX_CLUSTERS = 4 };

struct knl {
    const char *name;      /* "snc4-flat-7290" */
    const char *processor; /* its CPUModel */
    const char *cluster_mode, *memory_mode;
    uint32_t n_clusters, tiles[KNL_MAX_CLUSTERS]; /* of two cores each */
    uint64_t ddr_gib, mcdram_gib, cache_gib;      /* of each cluster; 0: none */
};

/* All of them; a row without a name is the end. */
extern const struct knl knls[];

/* The machine of a name, or NULL. */
const struct knl *knl_find(const char *name);

/* Writes its topology; 0, or -1 with errno. */
int knl_write(const struct knl *machine, const char *file);

#endif
