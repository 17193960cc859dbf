/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * machine: a description of a machine as plain data, with a JSON form (machine_json.h). It measures
 * nothing and knows no kernels. Unknown numbers are 0, unknown texts "".
 */
#ifndef ERT_MACHINE_MACHINE_H
#define ERT_MACHINE_MACHINE_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ERT_MAX_DEVICES = 17, /* the host's CPUs and 16 GPUs (DGX-2) */
    ERT_MAX_LEVELS = 8,
    ERT_MAX_NUMA = 64,
    ERT_MAX_CORE_KINDS = 32, /* where cores are favoured, each can be a kind of its own */
    ERT_MAX_NOTES = 16,
    ERT_DRAM_TEXT = 32
};

enum ert_device_kind { ERT_DEVICE_CPU, ERT_DEVICE_GPU };

enum ert_level_kind {
    ERT_LEVEL_SCRATCHPAD, /* a GPU's shared memory */
    ERT_LEVEL_CACHE,
    ERT_LEVEL_MEMORY
};

/*
 * The path by which accesses reach a level. On a GPU ordinary loads look in L1 first; loads that bypass L1
 * measure L2 and HBM. CPUs have only the first.
 */
enum ert_path {
    ERT_PATH_CACHED,
    ERT_PATH_BYPASS_L1,
    ERT_PATH_SHARED,
    ERT_PATH_NONE,
    ERT_N_PATHS
};

/* One level of a device's memory hierarchy, fastest first in ert_device.levels. */
struct ert_level {
    char name[16]; /* "L1", "shared", "L2", "L3", "MSC", "MCDRAM", "HBM", "DRAM" */
    enum ert_level_kind kind;
    enum ert_path path;  /* the path whose sweep measures this level */
    uint64_t size_bytes; /* of one instance, as reported */
    uint32_t count;      /* instances that the device's usable cores or SMs reach */
    uint32_t line_bytes;
    uint32_t ways;    /* associativity of a cache; 0 unknown, or any line anywhere */
    bool memory_side; /* a memory-side cache: it caches DRAM and no other memory */
    char source[48];  /* of the size: "hwloc", "cudaDeviceGetAttribute" */
};

struct ert_numa_node {
    uint32_t os_index;
    char kind[16];                /* "DRAM", "HBM", "MCDRAM", "CXL", "GPU", "unknown" */
    uint64_t size_bytes;          /* 0 unknown */
    uint32_t n_cores;             /* cores local to it; 0 for memory without cores */
    double bandwidth_bytes_per_s; /* of local reads, from hwloc's memattrs; 0 unknown */
};

struct ert_core_kind {
    char name[32]; /* hwloc's CoreType or "" */
    uint32_t n_cores;
    double max_hz;
};

/* Instruction sets that the operating system lets programs use. */
struct ert_isa {
    bool sse2, avx, avx2, fma, avx512f, avx512bf16, avx512fp16, avx512vnni, avxvnni;
    bool amx_tile, amx_bf16, amx_int8;
    bool neon, neonfp16, neondot, sve;
    bool sve128, sve256, sve512; /* the SVE vector length in bits of this process */
};

struct ert_cpu {
    char vendor[32]; /* "GenuineIntel" */
    uint32_t family, model, stepping;
    uint32_t n_packages, n_cores, n_pus;   /* of the machine */
    uint32_t n_cores_usable, n_pus_usable; /* by this process: cgroup, cpuset, affinity */
    double cpus_quota;                     /* cgroup cpu.max in CPUs; 0 without a limit */
    struct ert_isa isa;
    uint32_t n_numa, n_core_kinds;
    struct ert_numa_node numa[ERT_MAX_NUMA];
    struct ert_core_kind core_kinds[ERT_MAX_CORE_KINDS];
    char governor[32], turbo[16];    /* cpufreq; "" unknown */
    char hypervisor[32];             /* "" on bare metal or where unknown */
    char dram_stated[ERT_DRAM_TEXT]; /* as the user states it: "8xDDR5-4800"; "" none */
    uint64_t memory_available_bytes; /* MemAvailable, within the cgroup's limit */
    uint64_t memory_limit_bytes;     /* cgroup memory.max; 0 without a limit */
};

/* If others use a GPU at this utilization or more, measurements on it are not valid. */
enum { ERT_GPU_BUSY_PERCENT = 10 };

struct ert_gpu {
    int ordinal; /* in its backend */
    char uuid[48], pci[20];
    uint32_t cc_major, cc_minor; /* NVIDIA's compute capability; 0: another vendor */
    uint32_t n_sms, warp_size;   /* other vendors: compute units, wavefront size */
    uint32_t max_threads_per_sm;
    uint64_t shared_per_sm_bytes, shared_per_block_bytes, l1_per_sm_bytes;
    uint64_t l2_bytes, memory_bytes, memory_free_bytes;
    uint32_t bus_width_bits;
    uint32_t utilization_percent; /* by others, at discovery */
    double memory_clock_hz;       /* as reported: DDR makes two transfers per clock */
    double power_limit_w;
    char ecc[16], mig[16]; /* "on", "off", "unknown" */
    char busy[96];         /* other processes on the device, "" when none is seen */
};

struct ert_device {
    char id[16];      /* "cpu", "gpu0" */
    char backend[16]; /* "cpu", "cuda", "fake" */
    enum ert_device_kind kind;
    char name[128];
    double base_hz, boost_hz; /* nominal clocks */
    char base_source[64], boost_source[64];
    uint32_t n_levels;
    struct ert_level levels[ERT_MAX_LEVELS];
    struct ert_cpu cpu; /* when kind is ERT_DEVICE_CPU */
    struct ert_gpu gpu; /* when kind is ERT_DEVICE_GPU */
};

/* Where, and with what software, something was measured. */
struct ert_provenance {
    char host[128], os[128], kernel[128];
    char tool_version[32], git[48], compiler[96], flags[256], nvcc[64];
    char cuda_driver[32], cuda_runtime[32], nvidia_driver[32];
    char command[512];
    char topology_source[256]; /* "live" or the file's name */
};

struct ert_machine {
    struct ert_provenance provenance;
    uint32_t n_devices;
    struct ert_device devices[ERT_MAX_DEVICES];
    uint32_t n_notes; /* limitations that discovery found */
    char notes[ERT_MAX_NOTES][256];
};

/* Appends a note; the 17th and later are dropped, the 16th then says so. */
void ert_machine_note(struct ert_machine *machine, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The device with an id, or NULL. */
const struct ert_device *ert_machine_device(const struct ert_machine *machine,
                                            const char *id);

/* The level with a name, or NULL. */
const struct ert_level *ert_device_level(const struct ert_device *device, const char *name);

/*
 * Whether a CPU has cores of several types ("IntelAtom", "IntelCore"). On x86 kinds that differ only in
 * capacity rank do not count: favoured cores of one type do so.
 */
bool ert_cpu_is_hybrid(const struct ert_cpu *cpu);

/* Whether a NUMA node belongs to a memory level: has its kind; of unknown kind: to the level "memory". */
bool ert_level_has_node(const struct ert_level *level, const struct ert_numa_node *node);

/* size_bytes * count of a level: what the whole device can hold there. */
uint64_t ert_level_total_bytes(const struct ert_level *level);

/* "cached", "bypass-l1", "shared", "registers", NULL: indexed by enum ert_path. */
extern const char *const ert_path_words[ERT_N_PATHS + 1];
const char *ert_path_name(enum ert_path path);

/*
 * The part of a device that a run uses: threads, cores, and the caches that these reach. Decided once, before
 * planning; plan, backend, fit, theory and verify read it.
 */
struct ert_context {
    /*
     * The device as the run sees it: with fewer threads than cores, its levels count only the caches of
     * the cores in use. struct ert_machine keeps the whole device.
     */
    struct ert_device device;
    uint32_t n_threads;   /* CPU: threads of a spec that does not set a number; GPU: 0 */
    uint32_t max_threads; /* CPU: the most threads of any spec; GPU: 0 */
    uint32_t n_cores;     /* CPU: cores that n_threads run on; GPU: 0 */
};

/*
 * The number of threads on a CPU: `wish`; for 0 one per usable core, but no more than the cgroup's CPU
 * quota allows to run at once, and at least 1.
 */
uint32_t ert_context_threads(const struct ert_device *device, uint64_t wish);

/*
 * Fills *context. wish: threads that the user asks for, 0 for the default; is_swept: whether other thread
 * counts will be measured too, up to the wish, or without one up to all usable PUs within the quota.
 * ERT_USAGE for more threads than usable PUs.
 */
enum ert_status ert_context_make(const struct ert_device *device, uint64_t wish,
                                 bool is_swept, struct ert_context *context,
                                 struct ert_error *error);

#ifdef __cplusplus
}
#endif
#endif
