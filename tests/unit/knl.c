/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/knl.h"

#include <hwloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cores and clocks: ark.intel.com; 16 GiB of MCDRAM and 6 DIMMs each. 34 tiles make uneven quarters. */
#define PHI(model, clock) "Intel(R) Xeon Phi(TM) CPU " model " @ " clock "GHz"
const struct knl knls[] = {
    {"quad-flat-7210", PHI("7210", "1.30"),          "Quadrant",       "Flat",          1,                                {32},                      96,                                       16,                                                                                                                         0},
    {"quad-cache-7250",                PHI("7250",          "1.40"), "Quadrant", "Cache",      1,                               {34},                                                  96,                                                        0,                                                                                                                               16},
    {"quad-hybrid-7250",              PHI("7250",                        "1.40"),                       "Quadrant",                "Hybrid50", 1, {34}, 96,                                        8,                                8},
    {"snc2-flat-7210",               PHI("7210",                        "1.30"),                                        "SNC2",                                         "Flat",                                2,                                  {16, 16},              48,8,                            0},
    {"snc4-flat-7250",              PHI("7250",                       "1.40"),                                      "SNC4",                                                      "Flat",                                                      4,                                                               {9, 9, 8, 8},                                              24,                                                                           4,                                                                                                               0},
    {"snc4-flat-7290",    PHI("7290",            "1.50"),                           "SNC4",                                          "Flat",                                                         4,            {9, 9, 9, 9},24,4,0},
    {"snc4-cache-7290",               PHI("7290",             "1.50"),                           "SNC4",                                          "Cache",4,                     {9, 9, 9, 9},                                                    48,                                                                                                                                              0,                                                                                                                                                                                                                                                                                                                                                   4},
    {NULL,         NULL,                  NULL,                      NULL,0,          {0},                     0,0,0},
};

enum { CORES_PER_TILE = 2, THREADS_PER_CORE = 4 };

struct writer {
    FILE *out;
    const struct knl *machine;
    uint32_t n_cores, gp_index;
};

/* The PUs of cores first ... first + n - 1: Linux numbers all cores, then their second threads. */
static hwloc_bitmap_t cpus_of(const struct writer *writer, uint32_t first, uint32_t n)
{
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    for (uint32_t t = 0; t < THREADS_PER_CORE; t++)
        hwloc_bitmap_set_range(set, t * writer->n_cores + first,
                               (int)(t * writer->n_cores + first + n - 1));
    return set;
}

/* The nodes of clusters first ... first + n - 1: DDR, then, behind all DDR, MCDRAM. */
static hwloc_bitmap_t nodes_of(const struct writer *writer, uint32_t first, uint32_t n)
{
    const struct knl *machine = writer->machine;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    hwloc_bitmap_set_range(set, first, (int)(first + n - 1));
    if (machine->mcdram_gib)
        hwloc_bitmap_set_range(set, machine->n_clusters + first,
                               (int)(machine->n_clusters + first + n - 1));
    return set;
}

static void print_set(const struct writer *writer, const char *name, hwloc_bitmap_t set)
{
    char *text = NULL;
    if (hwloc_bitmap_asprintf(&text, set) >= 0)
        fprintf(writer->out, " %s=\"%s\" complete_%s=\"%s\"", name, text, name, text);
    free(text);
}

/* Opens an object; it takes both sets. attributes: those of its type. */
static void begin(struct writer *writer, const char *type, uint32_t os_index,
                  hwloc_bitmap_t cpus, hwloc_bitmap_t nodes, const char *attributes)
{
    fprintf(writer->out, "<object type=\"%s\" os_index=\"%u\" gp_index=\"%u\"%s", type,
            os_index, ++writer->gp_index, attributes);
    print_set(writer, "cpuset", cpus);
    print_set(writer, "nodeset", nodes);
    if (strcmp(type, "Machine") == 0) {
        char *text = NULL;
        if (hwloc_bitmap_asprintf(&text, cpus) >= 0)
            fprintf(writer->out, " allowed_cpuset=\"%s\"", text);
        free(text);
        if (hwloc_bitmap_asprintf(&text, nodes) >= 0)
            fprintf(writer->out, " allowed_nodeset=\"%s\"", text);
        free(text);
    }
    fputs(">\n", writer->out);
    hwloc_bitmap_free(cpus);
    hwloc_bitmap_free(nodes);
}

static void end(struct writer *writer)
{
    fputs("</object>\n", writer->out);
}

static void info(struct writer *writer, const char *name, const char *value)
{
    fprintf(writer->out, "<info name=\"%s\" value=\"%s\"/>\n", name, value);
}

static void write_core(struct writer *writer, uint32_t cluster, uint32_t core)
{
    begin(writer, "L1Cache", core, cpus_of(writer, core, 1), nodes_of(writer, cluster, 1),
          " cache_size=\"32768\" depth=\"1\" cache_linesize=\"64\""
          " cache_associativity=\"8\" cache_type=\"1\"");
    begin(writer, "Core", core, cpus_of(writer, core, 1), nodes_of(writer, cluster, 1), "");
    for (uint32_t t = 0; t < THREADS_PER_CORE; t++) {
        uint32_t pu = t * writer->n_cores + core;
        hwloc_bitmap_t set = hwloc_bitmap_alloc();
        hwloc_bitmap_set(set, pu);
        begin(writer, "PU", pu, set, nodes_of(writer, cluster, 1), "");
        end(writer);
    }
    end(writer);
    end(writer);
}

static void write_node(struct writer *writer, uint32_t first_core, uint32_t n_cores,
                       uint32_t os_index, uint64_t gib, const char *subtype)
{
    char attributes[128];
    hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
    hwloc_bitmap_set(nodes, os_index);
    snprintf(attributes, sizeof attributes, "%s local_memory=\"%llu\"", subtype,
             (unsigned long long)(gib << 30));
    begin(writer, "NUMANode", os_index, cpus_of(writer, first_core, n_cores), nodes,
          attributes);
    end(writer);
}

/* The memory of a cluster; hwloc's reader wants it before the cores. */
static void write_memory(struct writer *writer, uint32_t cluster, uint32_t first_core,
                         uint32_t n_cores)
{
    const struct knl *machine = writer->machine;
    if (machine->cache_gib) {
        char attributes[160];
        hwloc_bitmap_t nodes = hwloc_bitmap_alloc();
        hwloc_bitmap_set(nodes, cluster);
        snprintf(attributes, sizeof attributes,
                 " cache_size=\"%llu\" depth=\"1\" cache_linesize=\"64\""
                 " cache_associativity=\"1\" cache_type=\"0\"",
                 (unsigned long long)(machine->cache_gib << 30));
        begin(writer, "MemCache", cluster, cpus_of(writer, first_core, n_cores), nodes,
              attributes);
    }
    write_node(writer, first_core, n_cores, cluster, machine->ddr_gib, "");
    if (machine->cache_gib)
        end(writer);
    if (machine->mcdram_gib)
        write_node(writer, first_core, n_cores, machine->n_clusters + cluster,
                   machine->mcdram_gib, " subtype=\"MCDRAM\"");
}

static void write_cluster(struct writer *writer, uint32_t cluster, uint32_t first_core)
{
    const struct knl *machine = writer->machine;
    uint32_t n_cores = machine->tiles[cluster] * CORES_PER_TILE;
    bool is_group = machine->n_clusters > 1;
    if (is_group)
        begin(writer, "Group", cluster, cpus_of(writer, first_core, n_cores),
              nodes_of(writer, cluster, 1), " subtype=\"Cluster\" kind=\"102\"");
    write_memory(writer, cluster, first_core, n_cores);
    for (uint32_t core = first_core; core < first_core + n_cores; core += CORES_PER_TILE) {
        begin(writer, "L2Cache", core / CORES_PER_TILE,
              cpus_of(writer, core, CORES_PER_TILE), nodes_of(writer, cluster, 1),
              " cache_size=\"1048576\" depth=\"2\" cache_linesize=\"64\""
              " cache_associativity=\"16\" cache_type=\"0\"");
        for (uint32_t i = 0; i < CORES_PER_TILE; i++)
            write_core(writer, cluster, core + i);
        end(writer);
    }
    if (is_group)
        end(writer);
}

const struct knl *knl_find(const char *name)
{
    for (const struct knl *machine = knls; machine->name; machine++)
        if (strcmp(machine->name, name) == 0)
            return machine;
    return NULL;
}

int knl_write(const struct knl *machine, const char *file)
{
    struct writer writer = {.out = fopen(file, "w"), .machine = machine};
    uint32_t n = machine->n_clusters, first_core = 0;
    if (!writer.out)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        writer.n_cores += machine->tiles[i] * CORES_PER_TILE;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n",
          writer.out);
    begin(&writer, "Machine", 0, cpus_of(&writer, 0, writer.n_cores),
          nodes_of(&writer, 0, n), "");
    info(&writer, "ClusterMode", machine->cluster_mode);
    info(&writer, "MemoryMode", machine->memory_mode);
    begin(&writer, "Package", 0, cpus_of(&writer, 0, writer.n_cores),
          nodes_of(&writer, 0, n), "");
    info(&writer, "CPUVendor", "GenuineIntel");
    info(&writer, "CPUFamilyNumber", "6");
    info(&writer, "CPUModelNumber", "87");
    info(&writer, "CPUModel", machine->processor);
    info(&writer, "CPUStepping", "1");
    for (uint32_t i = 0; i < n; i++) {
        write_cluster(&writer, i, first_core);
        first_core += machine->tiles[i] * CORES_PER_TILE;
    }
    end(&writer);
    end(&writer);
    fputs("</topology>\n", writer.out);
    return fclose(writer.out);
}
