#include "ert/machine/machine_rows.h"

#define ROW(type, kind, member)                                                            \
    {                                                                                      \
#member, ERT_MEMBER_##kind, offsetof(struct type, member),                         \
            sizeof(((struct type *)0)->member)                                             \
    }
#define END                                                                                \
    {                                                                                      \
        NULL, ERT_MEMBER_TEXT, 0, 0                                                        \
    }

const char *const ert_device_kind_words[] = {"cpu", "gpu", NULL};
const char *const ert_level_kind_words[] = {"scratchpad", "cache", "memory", NULL};

const struct ert_member ert_provenance_rows[] = {
    ROW(ert_provenance, TEXT, host),
    ROW(ert_provenance, TEXT, os),
    ROW(ert_provenance, TEXT, kernel),
    ROW(ert_provenance, TEXT, tool_version),
    ROW(ert_provenance, TEXT, git),
    ROW(ert_provenance, TEXT, compiler),
    ROW(ert_provenance, TEXT, flags),
    ROW(ert_provenance, TEXT, nvcc),
    ROW(ert_provenance, TEXT, cuda_driver),
    ROW(ert_provenance, TEXT, cuda_runtime),
    ROW(ert_provenance, TEXT, nvidia_driver),
    ROW(ert_provenance, TEXT, command),
    ROW(ert_provenance, TEXT, topology_source),
    ROW(ert_provenance, LOAD, load_average),
    ROW(ert_provenance, LOAD, running),
    END,
};

const struct ert_member ert_device_rows[] = {
    ROW(ert_device, TEXT, id),           ROW(ert_device, TEXT, backend),
    ROW(ert_device, TEXT, name),         ROW(ert_device, NUMBER, base_hz),
    ROW(ert_device, TEXT, base_source),  ROW(ert_device, NUMBER, boost_hz),
    ROW(ert_device, TEXT, boost_source), END,
};

const struct ert_member ert_level_rows[] = {
    ROW(ert_level, TEXT, name),
    ROW(ert_level, U64, size_bytes),
    ROW(ert_level, U32, count),
    ROW(ert_level, U32, line_bytes),
    ROW(ert_level, FLAG, memory_side),
    ROW(ert_level, TEXT, source),
    END,
};

const struct ert_member ert_cpu_rows[] = {
    ROW(ert_cpu, TEXT, vendor),
    ROW(ert_cpu, U32, family),
    ROW(ert_cpu, U32, model),
    ROW(ert_cpu, U32, stepping),
    ROW(ert_cpu, U32, n_packages),
    ROW(ert_cpu, U32, n_cores),
    ROW(ert_cpu, U32, n_pus),
    ROW(ert_cpu, U32, n_cores_usable),
    ROW(ert_cpu, U32, n_pus_usable),
    ROW(ert_cpu, NUMBER, cpus_quota),
    ROW(ert_cpu, TEXT, governor),
    ROW(ert_cpu, TEXT, turbo),
    ROW(ert_cpu, TEXT, hypervisor),
    ROW(ert_cpu, TEXT, cluster_mode),
    ROW(ert_cpu, TEXT, memory_mode),
    ROW(ert_cpu, TEXT, dram_stated),
    ROW(ert_cpu, U64, memory_available_bytes),
    ROW(ert_cpu, U64, memory_limit_bytes),
    END,
};

const struct ert_member ert_isa_rows[] = {
    ROW(ert_isa, FLAG, sse2),
    ROW(ert_isa, FLAG, avx),
    ROW(ert_isa, FLAG, avx2),
    ROW(ert_isa, FLAG, fma),
    ROW(ert_isa, FLAG, avx512f),
    ROW(ert_isa, FLAG, avx512bf16),
    ROW(ert_isa, FLAG, avx512fp16),
    ROW(ert_isa, FLAG, avx512vnni),
    ROW(ert_isa, FLAG, avxvnni),
    ROW(ert_isa, FLAG, amx_tile),
    ROW(ert_isa, FLAG, amx_bf16),
    ROW(ert_isa, FLAG, amx_int8),
    ROW(ert_isa, FLAG, neon),
    ROW(ert_isa, FLAG, neonfp16),
    ROW(ert_isa, FLAG, neondot),
    ROW(ert_isa, FLAG, sve),
    END,
};

const struct ert_member ert_numa_rows[] = {
    ROW(ert_numa_node, U32, os_index),
    ROW(ert_numa_node, TEXT, kind),
    ROW(ert_numa_node, U64, size_bytes),
    ROW(ert_numa_node, U32, n_cores),
    ROW(ert_numa_node, NUMBER, bandwidth_bytes_per_s),
    END,
};

const struct ert_member ert_core_kind_rows[] = {
    ROW(ert_core_kind, TEXT, name),
    ROW(ert_core_kind, U32, n_cores),
    ROW(ert_core_kind, NUMBER, max_hz),
    END,
};

const struct ert_member ert_gpu_rows[] = {
    ROW(ert_gpu, ORDINAL, ordinal),
    ROW(ert_gpu, TEXT, uuid),
    ROW(ert_gpu, TEXT, pci),
    ROW(ert_gpu, U32, cc_major),
    ROW(ert_gpu, U32, cc_minor),
    ROW(ert_gpu, U32, n_sms),
    ROW(ert_gpu, U32, warp_size),
    ROW(ert_gpu, U32, max_threads_per_sm),
    ROW(ert_gpu, U64, shared_per_sm_bytes),
    ROW(ert_gpu, U64, shared_per_block_bytes),
    ROW(ert_gpu, U64, l1_per_sm_bytes),
    ROW(ert_gpu, U64, l2_bytes),
    ROW(ert_gpu, U64, memory_bytes),
    ROW(ert_gpu, U64, memory_free_bytes),
    ROW(ert_gpu, U32, bus_width_bits),
    ROW(ert_gpu, NUMBER, memory_clock_hz),
    ROW(ert_gpu, NUMBER, power_limit_w),
    ROW(ert_gpu, TEXT, ecc),
    ROW(ert_gpu, TEXT, mig),
    ROW(ert_gpu, U32, utilization_percent),
    ROW(ert_gpu, TEXT, busy),
    END,
};
