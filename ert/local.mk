# SPDX-License-Identifier: BSD-3-Clause
# ert/: the library of the measuring side (everything but cli/) and the program.

noinst_LIBRARIES += ert/libert.a
ert_libert_a_SOURCES = \
	ert/core/base/alloc.c ert/core/base/alloc.h \
	ert/core/base/clock.c ert/core/base/clock.h \
	ert/core/base/complete.c \
	ert/core/base/error.c ert/core/base/error.h \
	ert/core/base/fields.c ert/core/base/fields.h \
	ert/core/base/file.c ert/core/base/file.h \
	ert/core/base/json.c ert/core/base/json.h \
	ert/core/base/lines.c ert/core/base/lines.h \
	ert/ext/ncu/ncu_metrics.def \
	ert/ext/ncu/ncu.c ert/ext/ncu/ncu.h \
	ert/core/base/program.c ert/core/base/program.h \
	ert/core/base/random.h \
	ert/core/base/strings.c ert/core/base/strings.h \
	ert/core/base/text.c ert/core/base/text.h \
	ert/core/base/tool.c ert/core/base/tool.h \
	ert/core/base/units.c ert/core/base/units.h \
	ert/core/machine/context.c ert/core/machine/context.h \
	ert/core/machine/machine.c ert/core/machine/machine.h \
	ert/core/machine/machine_json.c ert/core/machine/machine_json.h \
	ert/core/machine/discover.c ert/core/machine/discover.h \
	ert/core/machine/features.c ert/core/machine/features.h \
	ert/core/machine/health.c ert/core/machine/health.h \
	ert/core/machine/host.c ert/core/machine/host.h \
	ert/core/machine/dram.c ert/core/machine/dram.h \
	ert/core/machine/activity.c ert/core/machine/activity.h \
	ert/core/machine/presence.c ert/core/machine/presence.h \
	ert/core/machine/provenance.c \
	ert/core/machine/theory.c ert/core/machine/theory.h ert/core/machine/theory_cores.def \
	ert/core/kernels/kernel.c ert/core/kernels/kernel.h ert/core/kernels/kernels.def \
	ert/core/backend/backend.c ert/core/backend/backend.h ert/core/backend/backend_list.c \
	ert/core/backend/backends.def \
	ert/core/backend/sample.c \
	ert/ext/cuda/nvidia.c ert/ext/cuda/nvidia.h ert/ext/cuda/cuda_none.c \
	ert/core/backend/module.c ert/core/backend/module.h \
	ert/ext/ert110/kernels.c ert/ext/ert110/kernels.h \
	ert/core/backend/orbit.c ert/core/backend/orbit.h \
	ert/core/backend/tiles.c ert/core/backend/tiles.h ert/core/backend/cycle.h \
	ert/core/backend/split.c ert/core/backend/split.h \
	ert/core/backend/fake.c ert/core/backend/fake.h \
	ert/core/stats/stats.c ert/core/stats/stats.h \
	ert/core/stats/differ.c ert/core/stats/differ.h \
	ert/ext/ert110/bands.c ert/ext/ert110/bands.h \
	ert/core/stats/plateau.c ert/core/stats/plateau.h \
	ert/core/sweep/device_run.c ert/core/sweep/device_run.h ert/core/sweep/hooks.h \
	ert/core/sweep/config.c ert/core/sweep/config.h \
	ert/core/sweep/plan.c ert/core/sweep/plan.h \
	ert/ext/ert110/config.c \
	ert/ext/ert110/ert110.c ert/ext/ert110/ert110.h ert/ext/ert110/hook.h ert/ext/ert110/options.h \
	ert/core/sweep/run.c ert/core/sweep/run.h \
	ert/core/sweep/sets.c ert/core/sweep/sets.h \
	ert/core/sweep/samples.c ert/core/sweep/samples.h \
	ert/ext/verify/verify.c ert/ext/verify/verify.h \
	ert/core/ceilings/ceilings.c ert/core/ceilings/ceilings.h \
	ert/core/ceilings/clock.c ert/core/ceilings/clock.h \
	ert/core/fit/conditions.c ert/core/fit/conditions.h \
	ert/core/fit/evidence.c ert/core/fit/evidence.h \
	ert/core/fit/extras.c ert/core/fit/extras.h \
	ert/core/fit/fit.c ert/core/fit/fit.h \
	ert/core/fit/levels.c ert/core/fit/levels.h \
	ert/core/fit/runs.c ert/core/fit/runs.h \
	ert/core/ceilings/table.c ert/core/ceilings/table.h \
	ert/core/ceilings/traffic.c ert/core/ceilings/traffic.h \
	ert/ext/ert110/fit.c \
	ert/ext/fleet/fleet.c ert/ext/fleet/fleet.h ert/ext/fleet/fleet_json.c \
	ert/ext/fleet/folder.c ert/ext/fleet/folder.h \
	ert/ext/fleet/hosts.c ert/ext/fleet/hosts.h \
	ert/ext/fleet/judge.c \
	ert/ext/fleet/node.c ert/ext/fleet/node.h \
	ert/ext/fleet/outliers.c ert/ext/fleet/outliers.h \
	ert/ext/fleet/net_record.c ert/ext/fleet/net_record.h \
	ert/ext/fleet/outputs.c ert/ext/fleet/outputs.h \
	ert/ext/fleet/past.c ert/ext/fleet/past.h \
	ert/ext/fleet/record.c ert/ext/fleet/record.h \
	ert/ext/validate/claims.c ert/ext/validate/claims.h \
	ert/ext/validate/code.c ert/ext/validate/code.h \
	ert/ext/validate/counters.c ert/ext/validate/counters.h \
	ert/ext/validate/listing.c ert/ext/validate/listing.h \
	ert/ext/validate/ncu.c ert/ext/validate/ncu.h \
	ert/ext/validate/perf.c ert/ext/validate/perf.h \
	ert/ext/validate/replay.c ert/ext/validate/replay.h \
	ert/ext/validate/symbols.c ert/ext/validate/symbols.h

# What pairs of hosts say, and the fleet's page.
ert_libert_a_SOURCES += ert/ext/fleet/rounds.c ert/ext/fleet/rounds.h \
	ert/ext/fleet/links.c ert/ext/fleet/links.h \
	ert/ext/fleet/network.c ert/ext/fleet/network.h \
	ert/ext/fleet/page.c ert/ext/fleet/page.h \
	ert/ext/fleet/pairs.c ert/ext/fleet/pairs.h \
	ert/ext/fleet/topology.c ert/ext/fleet/topology.h

# The page: scripts in the order in which they stand in it, and styles; the first of each are the roofline
# page's, so that both look alike.
fleet_page_scripts = \
	analysis/ext/page/parts/text.js \
	ert/ext/fleet/page/data.js ert/ext/fleet/page/words.js ert/ext/fleet/page/summary.js \
	ert/ext/fleet/page/map.js \
	ert/ext/fleet/page/histograms.js ert/ext/fleet/page/pairs.js ert/ext/fleet/page/nodes.js \
	ert/ext/fleet/page/drift.js \
	ert/ext/fleet/page/main.js
fleet_page_styles = analysis/ext/page/parts/base.css ert/ext/fleet/page/fleet.css
ert/ext/fleet/page_script.inc: $(fleet_page_scripts)
	$(AM_V_GEN)$(MKDIR_P) ert/ext/fleet
	$(AM_V_at)for file in $(fleet_page_scripts); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
ert/ext/fleet/page_style.inc: $(fleet_page_styles)
	$(AM_V_GEN)$(MKDIR_P) ert/ext/fleet
	$(AM_V_at)for file in $(fleet_page_styles); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
ert/ext/fleet/page.$(OBJEXT): ert/ext/fleet/page_script.inc ert/ext/fleet/page_style.inc
CLEANFILES += ert/ext/fleet/page_script.inc ert/ext/fleet/page_style.inc
EXTRA_DIST += $(fleet_page_scripts) $(fleet_page_styles)

# The CPU backend. One source of kernels, one library per instruction set with its flags; no
# contraction and no reordering, so that the loops hold what their rows say (kernels_memory.inc).
cpu_sources = \
	ert/core/backend/cpu/cpu.c ert/core/backend/cpu/isa_rows.c ert/core/backend/cpu/access.c \
	ert/core/backend/cpu/chase.c \
	ert/core/backend/cpu/check.c ert/ext/ert110/cpu.c ert/core/backend/cpu/compute.c \
	ert/core/backend/cpu/memory.c \
	ert/core/backend/cpu/observe.c ert/core/backend/cpu/gather.c ert/core/backend/cpu/pin.c \
	ert/core/backend/cpu/place.c \
	ert/core/backend/cpu/sustained.c ert/core/backend/cpu/team.c ert/core/backend/cpu/time.c
ert_libert_a_SOURCES += \
	$(cpu_sources) ert/core/backend/cpu/session.h ert/core/backend/cpu/isa.h \
	ert/core/backend/cpu/compute.h \
	ert/core/backend/cpu/memory.h ert/core/backend/cpu/pin.h ert/core/backend/cpu/team.h
# They chase, gather and time: what is measured is free of hardening.
cpu_objects = $(cpu_sources:.c=.$(OBJEXT))
$(cpu_objects): HARDENING_CFLAGS =
# A kernel's instruction set and optimization are its own, not the user's, which automake puts behind.
ert/core/backend/cpu/lib% ert/ext/ert110/lib% gpp/cpu/libavx% gpp/cpu/libsse% \
	gpp/cpu/libneon% $(cpu_objects): override CFLAGS := @KERNEL_USER_CFLAGS@
ert/core/backend/cpu/lib% ert/ext/ert110/lib% gpp/cpu/libavx% gpp/cpu/libsse% gpp/cpu/libneon% \
	$(cpu_objects): CC = $(KERNEL_CC)
cpu_kernel_flags = $(KERNEL_CFLAGS) -ffp-contract=off -fno-schedule-insns -fno-schedule-insns2 -Wno-psabi
cpu_vector_files = ert/core/backend/cpu/isa_vectors.c ert/core/backend/cpu/isa.h \
	ert/core/backend/cpu/kernels_common.inc ert/core/backend/cpu/kernels_memory.inc
cpu_scalar_flags = $(cpu_kernel_flags) -fno-math-errno -fno-tree-vectorize -fno-tree-slp-vectorize
cpu_ert110_files = ert/ext/ert110/cpu_kernels.c ert/core/backend/cpu/isa.h \
	ert/core/backend/cpu/kernels_common.inc ert/ext/ert110/kernels.h
cpu_ert110_flags = $(KERNEL_CFLAGS) -ffp-contract=fast -falign-loops=32 -Wno-psabi
CPU_LIBS =
if CPU_X86
CPU_LIBS += ert/core/backend/cpu/libavx512.a ert/core/backend/cpu/libavx2.a ert/core/backend/cpu/libsse2.a \
	ert/core/backend/cpu/libscalar_fma.a ert/core/backend/cpu/libscalar_sse2.a
CPU_LIBS += ert/ext/ert110/libert110_avx512.a ert/ext/ert110/libert110_avx2.a \
	ert/ext/ert110/libert110_sse2.a
ert_ext_ert110_libert110_avx512_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_avx512_a_CFLAGS = $(cpu_ert110_flags) -DISA_AVX512 -mavx512f -mfma
ert_ext_ert110_libert110_avx2_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_avx2_a_CFLAGS = $(cpu_ert110_flags) -DISA_AVX2 -mavx2 -mfma
ert_ext_ert110_libert110_sse2_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_sse2_a_CFLAGS = $(cpu_ert110_flags) -DISA_SSE2 -msse2
ert_core_backend_cpu_libavx512_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libavx512_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512 -mavx512f -mfma -mprfchw
ert_core_backend_cpu_libavx2_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libavx2_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX2 -mavx2 -mfma -mprfchw
ert_core_backend_cpu_libsse2_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libsse2_a_CFLAGS = $(cpu_kernel_flags) -DISA_SSE2 -msse2
ert_core_backend_cpu_libscalar_fma_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libscalar_fma_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_FMA -mfma
ert_core_backend_cpu_libscalar_sse2_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libscalar_sse2_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_SSE2
else
if CPU_AARCH64
CPU_LIBS += ert/core/backend/cpu/libneon.a ert/core/backend/cpu/libscalar_aarch64.a
CPU_LIBS += ert/ext/ert110/libert110_neon.a
ert_ext_ert110_libert110_neon_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_neon_a_CFLAGS = $(cpu_ert110_flags) -DISA_NEON
ert_core_backend_cpu_libneon_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libneon_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEON
ert_core_backend_cpu_libscalar_aarch64_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libscalar_aarch64_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_AARCH64
endif
endif

# Extensions, each where the compiler knows it (configure.ac).
cpu_sve_flags = $(cpu_kernel_flags) -march=armv8.2-a+sve
if CPU_SVE
CPU_LIBS += ert/core/backend/cpu/libsve512.a ert/core/backend/cpu/libsve256.a \
	ert/core/backend/cpu/libsve128.a
ert_core_backend_cpu_libsve512_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libsve512_a_CFLAGS = $(cpu_sve_flags) -DISA_SVE=512 -msve-vector-bits=512
ert_core_backend_cpu_libsve256_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libsve256_a_CFLAGS = $(cpu_sve_flags) -DISA_SVE=256 -msve-vector-bits=256
ert_core_backend_cpu_libsve128_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libsve128_a_CFLAGS = $(cpu_sve_flags) -DISA_SVE=128 -msve-vector-bits=128
endif
if CPU_AVX512FP16
CPU_LIBS += ert/core/backend/cpu/libavx512fp16.a
ert_core_backend_cpu_libavx512fp16_a_SOURCES = ert/core/backend/cpu/isa_extensions.c
ert_core_backend_cpu_libavx512fp16_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512FP16 $(CPU_AVX512FP16_FLAGS)
endif
if CPU_AVX512BF16
CPU_LIBS += ert/core/backend/cpu/libavx512bf16.a
ert_core_backend_cpu_libavx512bf16_a_SOURCES = ert/core/backend/cpu/isa_extensions.c
ert_core_backend_cpu_libavx512bf16_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512BF16 $(CPU_AVX512BF16_FLAGS)
endif
if CPU_AVX512VNNI
CPU_LIBS += ert/core/backend/cpu/libavx512vnni.a
ert_core_backend_cpu_libavx512vnni_a_SOURCES = ert/core/backend/cpu/isa_extensions.c
ert_core_backend_cpu_libavx512vnni_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512VNNI $(CPU_AVX512VNNI_FLAGS)
endif
if CPU_AVXVNNI
CPU_LIBS += ert/core/backend/cpu/libavxvnni.a
ert_core_backend_cpu_libavxvnni_a_SOURCES = ert/core/backend/cpu/isa_extensions.c
ert_core_backend_cpu_libavxvnni_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVXVNNI $(CPU_AVXVNNI_FLAGS)
endif
if CPU_AMX
CPU_LIBS += ert/core/backend/cpu/libamx.a
ert_core_backend_cpu_libamx_a_SOURCES = ert/core/backend/cpu/isa_amx.c
ert_core_backend_cpu_libamx_a_CFLAGS = $(cpu_kernel_flags) $(CPU_AMX_FLAGS)
endif
if CPU_NEONFP16
CPU_LIBS += ert/core/backend/cpu/libneonfp16.a
ert_core_backend_cpu_libneonfp16_a_SOURCES = ert/core/backend/cpu/isa_extensions.c
ert_core_backend_cpu_libneonfp16_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEONFP16 $(CPU_NEONFP16_FLAGS)
endif
if CPU_NEONDOT
CPU_LIBS += ert/core/backend/cpu/libneondot.a
ert_core_backend_cpu_libneondot_a_SOURCES = ert/core/backend/cpu/isa_extensions.c
ert_core_backend_cpu_libneondot_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEONDOT $(CPU_NEONDOT_FLAGS)
endif
noinst_LIBRARIES += $(CPU_LIBS)
BACKEND_LIBS = $(CPU_LIBS)
EXTRA_DIST += $(cpu_vector_files) ert/core/backend/cpu/isa_extensions.c ert/core/backend/cpu/isa_amx.c \
	$(cpu_ert110_files)

# ert-net, with MPI's own compiler; MPICH's MPI_STATUSES_IGNORE is an address that gcc takes for an array.
# What of it has no MPI is in the library.
ert_libert_a_SOURCES += \
	ert/ext/net/into.c ert/ext/net/into.h \
	ert/ext/net/nccl.c ert/ext/net/nccl.h ert/ext/net/nccl_group.c
net_sources = \
	ert/ext/net/main.c \
	ert/ext/net/group.c ert/ext/net/group.h \
	ert/ext/net/link.c ert/ext/net/link.h \
	ert/ext/net/master.c ert/ext/net/master.h \
	ert/ext/net/order.h \
	ert/ext/net/wait.c ert/ext/net/wait.h \
	ert/ext/net/worker.c ert/ext/net/worker.h \
	ert/ext/net/world.c ert/ext/net/world.h
if HAVE_MPI
bin_PROGRAMS += ert/ext/net/ert-net
manual_programs += ert/ext/net/ert-net
ert_ext_net_ert_net_SOURCES = $(net_sources)
ert_ext_net_ert_net_CFLAGS = $(AM_CFLAGS) -Wno-stringop-overflow
ert_ext_net_ert_net_LDADD = ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS)
ert_ext_net_ert_net_LINK = $(MPICC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
$(ert_ext_net_ert_net_OBJECTS): CC = $(MPICC)
endif
EXTRA_DIST += $(net_sources) ert/ext/net/README.md tests/fleet/planted_net.c \
	tests/fleet/planted_nccl.c tests/fleet/nccl_types.c

# What provenance.c says of this build: the git description (a tarball says "unknown") and flags.
BUILT_SOURCES += ert/core/machine/build_info.h
CLEANFILES += ert/core/machine/build_info.h
EXTRA_DIST += ert/core/machine/build_info.sh
ert/core/machine/build_info.h: always_build_info
	@$(MKDIR_P) ert/core/machine
	@$(SHELL) $(top_srcdir)/ert/core/machine/build_info.sh '$(top_srcdir)' '$(CFLAGS)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
# BUILT_SOURCES are made before `make all` only, not before `make ert/ert`.
ert/core/machine/provenance.$(OBJEXT): ert/core/machine/build_info.h
.PHONY: always_build_info

bin_PROGRAMS += ert/ert
ert_ert_SOURCES = \
	ert/cli/main.c ert/cli/commands.h \
	ert/cli/cmd_info.c ert/cli/cmd_list.c ert/cli/cmd_run.c ert/cli/cmd_fit.c ert/cli/cmd_show.c \
	ert/ext/verify/cmd_verify.c ert/ext/validate/cmd_validate.c ert/cli/cmd_bench.c \
	ert/ext/net/cmd_nccl.c \
	ert/ext/fleet/cmd_fleet.c ert/ext/fleet/fleet_node.c ert/ext/fleet/fleet_merge.c \
	ert/cli/answer.c ert/cli/answer.h \
	ert/cli/measure.c ert/cli/measure.h \
	ert/cli/presets.c ert/cli/presets.h \
	ert/cli/results.c ert/cli/results.h \
	ert/ext/verify/verification.c ert/ext/verify/verification.h
ert_ert_CPPFLAGS = $(AM_CPPFLAGS) -DERT_CONFIGS_FOLDER='"$(presetdir)"'
ert_ert_LDADD = analysis/librfl.a ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS) $(CAIRO_LIBS)

dist_schema_DATA += ert/core/ceilings/ceilings.schema.json ert/ext/fleet/fleet.schema.json \
	ert/ext/fleet/net_record.schema.json ert/ext/fleet/record.schema.json

# Modules (ert/core/backend/module.h), the folder they are installed in, and the headers that say what their
# tables hold.
moduledir = $(libdir)/ert
module_PROGRAMS =
AM_CPPFLAGS += -DERT_MODULES='"$(moduledir)"'
door_headers = \
	ert/core/backend/backend.h ert/core/base/error.h ert/ext/ert110/options.h \
	ert/core/kernels/kernel.h \
	ert/core/kernels/kernels.def ert/core/machine/health.h ert/core/machine/machine.h \
	ert/core/machine/theory.h \
	gpp/problem.h gpp/versions.def gpp/versions.h
ert/core/backend/door_tables.h: ert/core/backend/door.sh $(door_headers)
	$(AM_V_GEN)$(MKDIR_P) ert/core/backend
	$(AM_V_at)cd $(srcdir) && $(SHELL) ert/core/backend/door.sh $(door_headers) >$(abs_builddir)/$@.new
	$(AM_V_at)mv $@.new $@
ert/core/backend/module.$(OBJEXT): ert/core/backend/door_tables.h
CLEANFILES += ert/core/backend/door_tables.h
EXTRA_DIST += ert/core/backend/door.sh ert/ext/cuda/module.c

# The CUDA backend: ert-cuda.so, with copies of the C functions that it uses. nvcc compiles .cu; gcc links.
cuda_headers = \
	ert/ext/cuda/accumulators.cuh ert/ext/cuda/device.h ert/ext/cuda/kernel.cuh \
	ert/ext/cuda/names.h ert/ext/cuda/nvml.h ert/ext/cuda/nvidia.h ert/ext/cuda/rows.cuh \
	ert/ext/cuda/session.h ert/ext/cuda/tensor.cuh
# wgmma's instructions are of sm_90a alone, which no other code is built for.
EXTRA_DIST += ert/ext/cuda/toolchain.sh \
	ert/ext/cuda/kernels_wgmma.cu ert/ext/cuda/kernels_wgmma_none.cu
if HAVE_SM_90A
cuda_wgmma = ert/ext/cuda/kernels_wgmma.cu
else
cuda_wgmma = ert/ext/cuda/kernels_wgmma_none.cu
endif
# The slowest first, so that a parallel build does not end with one: nvcc 13 takes 17 s for wgmma, 6 for
# compute, 1 to 4 for each other (one architecture, CPU time).
cuda_sources = $(cuda_wgmma) \
	ert/ext/cuda/kernels_compute.cu ert/ext/cuda/kernels_mma.cu ert/ext/cuda/ert110.cu \
	ert/ext/cuda/kernels_memory.cu ert/ext/cuda/tensor.cu ert/ext/cuda/kernels_access.cu \
	ert/ext/cuda/cuda.cu ert/ext/cuda/device.cu ert/ext/cuda/kernels_chase.cu \
	ert/ext/cuda/kernels_gather.cu ert/ext/cuda/links.cu ert/ext/cuda/rows.cu \
	ert/ext/cuda/sustained.cu ert/ext/cuda/time.cu ert/ext/cuda/verify.cu
ert/ext/cuda/kernels_wgmma.o: CUDA_GENCODE = $(CUDA_GENCODE_90A)
# A constant table of host functions, which clang would put on the device too.
ert/ext/cuda/cuda.o: CUDA_GENCODE += $(CUDA_HOST_ONLY)
if HAVE_CUDA
noinst_LIBRARIES += ert/libertcuda.a
ert_libertcuda_a_SOURCES = $(cuda_headers) $(cuda_sources) ert/ext/cuda/names.c ert/ext/cuda/nvml.c
ert_libertcuda_a_CFLAGS = $(AM_CFLAGS) -fPIC
module_PROGRAMS += lib/ert/ert-cuda.so
lib_ert_ert_cuda_so_SOURCES = ert/ext/cuda/module.c ert/ext/cuda/nvidia.c \
	ert/ext/ert110/kernels.c ert/core/backend/orbit.c ert/core/backend/sample.c \
	ert/core/backend/split.c ert/core/backend/tiles.c \
	ert/core/base/alloc.c ert/core/base/clock.c ert/core/base/error.c ert/core/base/file.c \
	ert/core/base/units.c ert/core/kernels/kernel.c \
	ert/core/machine/dram.c ert/core/machine/health.c ert/core/machine/machine.c \
	ert/core/machine/theory.c gpp/problem.c
lib_ert_ert_cuda_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden
lib_ert_ert_cuda_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,defs -Wl,--exclude-libs,ALL
lib_ert_ert_cuda_so_LDADD = ert/libertcuda.a gpp/libgppcuda.a $(CUDA_LIBS)
ert/ext/cuda/lib_ert_ert_cuda_so-module.$(OBJEXT): ert/core/backend/door_tables.h
# What tests of its inner functions are linked with.
CUDA_OWN_LIBS = gpp/libgppcuda.a ert/libertcuda.a
endif

SUFFIXES += .cu
ert_nvcc_v = $(ert_nvcc_v_@AM_V@)
ert_nvcc_v_ = $(ert_nvcc_v_@AM_DEFAULT_V@)
ert_nvcc_v_0 = @echo "  NVCC    " $@;
.cu.o:
	@$(MKDIR_P) $(@D)
	$(ert_nvcc_v)$(NVCC) $(CUDA_GENCODE) $(CUDA_FLAGS) -I$(top_srcdir) -I$(top_builddir) \
		$(NVCCFLAGS) -c $< -o $@
# Automake tracks the headers of C only.
$(cuda_sources:.cu=.o): $(cuda_headers) ert/core/backend/backend.h ert/ext/ert110/kernels.h \
	ert/core/backend/orbit.h \
	ert/ext/ncu/ncu.h ert/ext/ert110/options.h \
	ert/core/backend/tiles.h ert/core/base/error.h ert/core/base/random.h ert/core/kernels/kernel.h \
	ert/core/kernels/kernels.def \
	ert/core/machine/machine.h ert/core/machine/theory.h ert/core/backend/backends.def \
	ert/ext/cuda/build.h
