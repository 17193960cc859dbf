# SPDX-License-Identifier: BSD-3-Clause
# ert/: the library of the measuring side (everything but cli/) and the program.

noinst_LIBRARIES += ert/libert.a
ert_libert_a_SOURCES = \
	ert/base/alloc.c ert/base/alloc.h \
	ert/base/clock.c ert/base/clock.h \
	ert/base/complete.c \
	ert/base/error.c ert/base/error.h \
	ert/base/fields.c ert/base/fields.h \
	ert/base/file.c ert/base/file.h \
	ert/base/json.c ert/base/json.h \
	ert/base/lines.c ert/base/lines.h \
	ert/base/ncu_metrics.def \
	ert/base/ncu.c ert/base/ncu.h \
	ert/base/program.c ert/base/program.h \
	ert/base/random.h \
	ert/base/strings.c ert/base/strings.h \
	ert/base/text.c ert/base/text.h \
	ert/base/tool.c ert/base/tool.h \
	ert/base/units.c ert/base/units.h \
	ert/machine/context.c ert/machine/context.h \
	ert/machine/machine.c ert/machine/machine.h \
	ert/machine/machine_json.c ert/machine/machine_json.h \
	ert/machine/discover.c ert/machine/discover.h \
	ert/machine/features.c ert/machine/features.h \
	ert/machine/health.c ert/machine/health.h \
	ert/machine/host.c ert/machine/host.h \
	ert/machine/dram.c ert/machine/dram.h \
	ert/machine/activity.c ert/machine/activity.h \
	ert/machine/presence.c ert/machine/presence.h \
	ert/machine/provenance.c \
	ert/machine/theory.c ert/machine/theory.h ert/machine/theory_cores.def \
	ert/kernels/kernel.c ert/kernels/kernel.h ert/kernels/kernels.def \
	ert/backend/backend.c ert/backend/backend.h ert/backend/backend_list.c ert/backend/backends.def \
	ert/backend/sample.c \
	ert/backend/cuda/nvidia.c ert/backend/cuda/nvidia.h ert/backend/cuda_none.c \
	ert/backend/module.c ert/backend/module.h \
	ert/backend/ert110.c ert/backend/ert110.h \
	ert/backend/orbit.c ert/backend/orbit.h \
	ert/backend/tiles.c ert/backend/tiles.h ert/backend/cycle.h \
	ert/backend/split.c ert/backend/split.h \
	ert/backend/fake.c ert/backend/fake.h \
	ert/stats/stats.c ert/stats/stats.h \
	ert/stats/differ.c ert/stats/differ.h \
	ert/stats/bands.c ert/stats/bands.h \
	ert/stats/plateau.c ert/stats/plateau.h \
	ert/sweep/device_run.c ert/sweep/device_run.h ert/sweep/hooks.h \
	ert/sweep/config.c ert/sweep/config.h \
	ert/sweep/plan.c ert/sweep/plan.h \
	ert/ert110/config.c \
	ert/ert110/ert110.c ert/ert110/ert110.h ert/ert110/hook.h ert/ert110/options.h \
	ert/sweep/run.c ert/sweep/run.h \
	ert/sweep/sets.c ert/sweep/sets.h \
	ert/sweep/samples.c ert/sweep/samples.h \
	ert/ceilings/verify.c ert/ceilings/verify.h \
	ert/ceilings/ceilings.c ert/ceilings/ceilings.h \
	ert/ceilings/clock.c ert/ceilings/clock.h \
	ert/ceilings/conditions.c ert/ceilings/conditions.h \
	ert/ceilings/evidence.c ert/ceilings/evidence.h \
	ert/ceilings/extras.c ert/ceilings/extras.h \
	ert/ceilings/fit.c ert/ceilings/fit.h \
	ert/ceilings/levels.c ert/ceilings/levels.h \
	ert/ceilings/runs.c ert/ceilings/runs.h \
	ert/ceilings/table.c ert/ceilings/table.h \
	ert/ceilings/traffic.c ert/ceilings/traffic.h \
	ert/ert110/fit.c \
	ert/fleet/fleet.c ert/fleet/fleet.h ert/fleet/fleet_json.c \
	ert/fleet/folder.c ert/fleet/folder.h \
	ert/fleet/hosts.c ert/fleet/hosts.h \
	ert/fleet/judge.c \
	ert/fleet/node.c ert/fleet/node.h \
	ert/fleet/outliers.c ert/fleet/outliers.h \
	ert/fleet/net_record.c ert/fleet/net_record.h \
	ert/fleet/outputs.c ert/fleet/outputs.h \
	ert/fleet/past.c ert/fleet/past.h \
	ert/fleet/record.c ert/fleet/record.h \
	ert/validate/claims.c ert/validate/claims.h \
	ert/validate/code.c ert/validate/code.h \
	ert/validate/counters.c ert/validate/counters.h \
	ert/validate/listing.c ert/validate/listing.h \
	ert/validate/ncu.c ert/validate/ncu.h \
	ert/validate/perf.c ert/validate/perf.h \
	ert/validate/profiler.c ert/validate/profiler.h \
	ert/validate/replay.c ert/validate/replay.h \
	ert/validate/symbols.c ert/validate/symbols.h

# What pairs of hosts say, and the fleet's page.
ert_libert_a_SOURCES += ert/fleet/rounds.c ert/fleet/rounds.h \
	ert/fleet/links.c ert/fleet/links.h \
	ert/fleet/network.c ert/fleet/network.h \
	ert/fleet/page.c ert/fleet/page.h \
	ert/fleet/pairs.c ert/fleet/pairs.h \
	ert/fleet/topology.c ert/fleet/topology.h

# The page: scripts in the order in which they stand in it, and styles; the first of each are the roofline
# page's, so that both look alike.
fleet_page_scripts = \
	analysis/plot/page/text.js \
	ert/fleet/page/data.js ert/fleet/page/words.js ert/fleet/page/summary.js ert/fleet/page/map.js \
	ert/fleet/page/histograms.js ert/fleet/page/pairs.js ert/fleet/page/nodes.js ert/fleet/page/drift.js \
	ert/fleet/page/main.js
fleet_page_styles = analysis/plot/page/base.css ert/fleet/page/fleet.css
ert/fleet/page_script.inc: $(fleet_page_scripts)
	$(AM_V_GEN)$(MKDIR_P) ert/fleet
	$(AM_V_at)for file in $(fleet_page_scripts); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
ert/fleet/page_style.inc: $(fleet_page_styles)
	$(AM_V_GEN)$(MKDIR_P) ert/fleet
	$(AM_V_at)for file in $(fleet_page_styles); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
ert/fleet/page.$(OBJEXT): ert/fleet/page_script.inc ert/fleet/page_style.inc
CLEANFILES += ert/fleet/page_script.inc ert/fleet/page_style.inc
EXTRA_DIST += $(fleet_page_scripts) $(fleet_page_styles)

# The CPU backend. One source of kernels, one library per instruction set with its flags; no
# contraction and no reordering, so that the loops hold what their rows say (kernels_memory.inc).
cpu_sources = \
	ert/backend/cpu/cpu.c ert/backend/cpu/isa_rows.c ert/backend/cpu/access.c ert/backend/cpu/chase.c \
	ert/backend/cpu/check.c ert/backend/cpu/ert110.c ert/backend/cpu/compute.c ert/backend/cpu/memory.c \
	ert/backend/cpu/observe.c ert/backend/cpu/gather.c ert/backend/cpu/pin.c ert/backend/cpu/place.c \
	ert/backend/cpu/sustained.c ert/backend/cpu/team.c ert/backend/cpu/time.c
ert_libert_a_SOURCES += \
	$(cpu_sources) ert/backend/cpu/session.h ert/backend/cpu/isa.h ert/backend/cpu/compute.h \
	ert/backend/cpu/memory.h ert/backend/cpu/pin.h ert/backend/cpu/team.h
# They chase, gather and time: what is measured is free of hardening.
cpu_objects = $(cpu_sources:.c=.$(OBJEXT))
$(cpu_objects): HARDENING_CFLAGS =
# A kernel's instruction set and optimization are its own, not the user's, which automake puts behind.
ert/backend/cpu/lib% gpp/cpu/libavx% gpp/cpu/libsse% gpp/cpu/libneon% $(cpu_objects): \
	override CFLAGS := @KERNEL_USER_CFLAGS@
ert/backend/cpu/lib% gpp/cpu/libavx% gpp/cpu/libsse% gpp/cpu/libneon% $(cpu_objects): CC = $(KERNEL_CC)
cpu_kernel_flags = $(KERNEL_CFLAGS) -ffp-contract=off -fno-schedule-insns -fno-schedule-insns2 -Wno-psabi
cpu_vector_files = ert/backend/cpu/isa_vectors.c ert/backend/cpu/isa.h \
	ert/backend/cpu/kernels_common.inc ert/backend/cpu/kernels_memory.inc
cpu_scalar_flags = $(cpu_kernel_flags) -fno-math-errno -fno-tree-vectorize -fno-tree-slp-vectorize
cpu_ert110_files = ert/backend/cpu/ert110_kernels.c ert/backend/cpu/isa.h \
	ert/backend/cpu/kernels_common.inc ert/backend/ert110.h
cpu_ert110_flags = $(KERNEL_CFLAGS) -ffp-contract=fast -falign-loops=32 -Wno-psabi
CPU_LIBS =
if CPU_X86
CPU_LIBS += ert/backend/cpu/libavx512.a ert/backend/cpu/libavx2.a ert/backend/cpu/libsse2.a \
	ert/backend/cpu/libscalar_fma.a ert/backend/cpu/libscalar_sse2.a
CPU_LIBS += ert/backend/cpu/libert110_avx512.a ert/backend/cpu/libert110_avx2.a \
	ert/backend/cpu/libert110_sse2.a
ert_backend_cpu_libert110_avx512_a_SOURCES = $(cpu_ert110_files)
ert_backend_cpu_libert110_avx512_a_CFLAGS = $(cpu_ert110_flags) -DISA_AVX512 -mavx512f -mfma
ert_backend_cpu_libert110_avx2_a_SOURCES = $(cpu_ert110_files)
ert_backend_cpu_libert110_avx2_a_CFLAGS = $(cpu_ert110_flags) -DISA_AVX2 -mavx2 -mfma
ert_backend_cpu_libert110_sse2_a_SOURCES = $(cpu_ert110_files)
ert_backend_cpu_libert110_sse2_a_CFLAGS = $(cpu_ert110_flags) -DISA_SSE2 -msse2
ert_backend_cpu_libavx512_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libavx512_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512 -mavx512f -mfma -mprfchw
ert_backend_cpu_libavx2_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libavx2_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX2 -mavx2 -mfma -mprfchw
ert_backend_cpu_libsse2_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libsse2_a_CFLAGS = $(cpu_kernel_flags) -DISA_SSE2 -msse2
ert_backend_cpu_libscalar_fma_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libscalar_fma_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_FMA -mfma
ert_backend_cpu_libscalar_sse2_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libscalar_sse2_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_SSE2
else
if CPU_AARCH64
CPU_LIBS += ert/backend/cpu/libneon.a ert/backend/cpu/libscalar_aarch64.a
CPU_LIBS += ert/backend/cpu/libert110_neon.a
ert_backend_cpu_libert110_neon_a_SOURCES = $(cpu_ert110_files)
ert_backend_cpu_libert110_neon_a_CFLAGS = $(cpu_ert110_flags) -DISA_NEON
ert_backend_cpu_libneon_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libneon_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEON
ert_backend_cpu_libscalar_aarch64_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libscalar_aarch64_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_AARCH64
endif
endif

# Extensions, each where the compiler knows it (configure.ac).
cpu_sve_flags = $(cpu_kernel_flags) -march=armv8.2-a+sve
if CPU_SVE
CPU_LIBS += ert/backend/cpu/libsve512.a ert/backend/cpu/libsve256.a ert/backend/cpu/libsve128.a
ert_backend_cpu_libsve512_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libsve512_a_CFLAGS = $(cpu_sve_flags) -DISA_SVE=512 -msve-vector-bits=512
ert_backend_cpu_libsve256_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libsve256_a_CFLAGS = $(cpu_sve_flags) -DISA_SVE=256 -msve-vector-bits=256
ert_backend_cpu_libsve128_a_SOURCES = $(cpu_vector_files)
ert_backend_cpu_libsve128_a_CFLAGS = $(cpu_sve_flags) -DISA_SVE=128 -msve-vector-bits=128
endif
if CPU_AVX512FP16
CPU_LIBS += ert/backend/cpu/libavx512fp16.a
ert_backend_cpu_libavx512fp16_a_SOURCES = ert/backend/cpu/isa_extensions.c
ert_backend_cpu_libavx512fp16_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512FP16 $(CPU_AVX512FP16_FLAGS)
endif
if CPU_AVX512BF16
CPU_LIBS += ert/backend/cpu/libavx512bf16.a
ert_backend_cpu_libavx512bf16_a_SOURCES = ert/backend/cpu/isa_extensions.c
ert_backend_cpu_libavx512bf16_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512BF16 $(CPU_AVX512BF16_FLAGS)
endif
if CPU_AVX512VNNI
CPU_LIBS += ert/backend/cpu/libavx512vnni.a
ert_backend_cpu_libavx512vnni_a_SOURCES = ert/backend/cpu/isa_extensions.c
ert_backend_cpu_libavx512vnni_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512VNNI $(CPU_AVX512VNNI_FLAGS)
endif
if CPU_AVXVNNI
CPU_LIBS += ert/backend/cpu/libavxvnni.a
ert_backend_cpu_libavxvnni_a_SOURCES = ert/backend/cpu/isa_extensions.c
ert_backend_cpu_libavxvnni_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVXVNNI $(CPU_AVXVNNI_FLAGS)
endif
if CPU_AMX
CPU_LIBS += ert/backend/cpu/libamx.a
ert_backend_cpu_libamx_a_SOURCES = ert/backend/cpu/isa_amx.c
ert_backend_cpu_libamx_a_CFLAGS = $(cpu_kernel_flags) $(CPU_AMX_FLAGS)
endif
if CPU_NEONFP16
CPU_LIBS += ert/backend/cpu/libneonfp16.a
ert_backend_cpu_libneonfp16_a_SOURCES = ert/backend/cpu/isa_extensions.c
ert_backend_cpu_libneonfp16_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEONFP16 $(CPU_NEONFP16_FLAGS)
endif
if CPU_NEONDOT
CPU_LIBS += ert/backend/cpu/libneondot.a
ert_backend_cpu_libneondot_a_SOURCES = ert/backend/cpu/isa_extensions.c
ert_backend_cpu_libneondot_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEONDOT $(CPU_NEONDOT_FLAGS)
endif
noinst_LIBRARIES += $(CPU_LIBS)
BACKEND_LIBS = $(CPU_LIBS)
EXTRA_DIST += $(cpu_vector_files) ert/backend/cpu/isa_extensions.c ert/backend/cpu/isa_amx.c \
	$(cpu_ert110_files)

# ert-net, with MPI's own compiler; MPICH's MPI_STATUSES_IGNORE is an address that gcc takes for an array.
# What of it has no MPI is in the library.
ert_libert_a_SOURCES += \
	ert/net/into.c ert/net/into.h \
	ert/net/nccl.c ert/net/nccl.h ert/net/nccl_group.c
net_sources = \
	ert/net/main.c \
	ert/net/group.c ert/net/group.h \
	ert/net/link.c ert/net/link.h \
	ert/net/master.c ert/net/master.h \
	ert/net/order.h \
	ert/net/wait.c ert/net/wait.h \
	ert/net/worker.c ert/net/worker.h \
	ert/net/world.c ert/net/world.h
if HAVE_MPI
bin_PROGRAMS += ert/net/ert-net
manual_programs += ert/net/ert-net
ert_net_ert_net_SOURCES = $(net_sources)
ert_net_ert_net_CFLAGS = $(AM_CFLAGS) -Wno-stringop-overflow
ert_net_ert_net_LDADD = ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS)
ert_net_ert_net_LINK = $(MPICC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
$(ert_net_ert_net_OBJECTS): CC = $(MPICC)
endif
EXTRA_DIST += $(net_sources) ert/net/README.md tests/fleet/planted_net.c \
	tests/fleet/planted_nccl.c tests/fleet/nccl_types.c

# What provenance.c says of this build: the git description (a tarball says "unknown") and flags.
BUILT_SOURCES += ert/machine/build_info.h
CLEANFILES += ert/machine/build_info.h
EXTRA_DIST += ert/machine/build_info.sh
ert/machine/build_info.h: always_build_info
	@$(MKDIR_P) ert/machine
	@$(SHELL) $(top_srcdir)/ert/machine/build_info.sh '$(top_srcdir)' '$(CFLAGS)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
# BUILT_SOURCES are made before `make all` only, not before `make ert/ert`.
ert/machine/provenance.$(OBJEXT): ert/machine/build_info.h
.PHONY: always_build_info

bin_PROGRAMS += ert/ert
ert_ert_SOURCES = \
	ert/cli/main.c ert/cli/commands.h \
	ert/cli/cmd_info.c ert/cli/cmd_list.c ert/cli/cmd_run.c ert/cli/cmd_fit.c ert/cli/cmd_show.c \
	ert/cli/cmd_verify.c ert/cli/cmd_validate.c ert/cli/cmd_bench.c ert/cli/cmd_nccl.c \
	ert/cli/cmd_fleet.c ert/cli/fleet_node.c ert/cli/fleet_merge.c \
	ert/cli/answer.c ert/cli/answer.h \
	ert/cli/measure.c ert/cli/measure.h \
	ert/cli/presets.c ert/cli/presets.h \
	ert/cli/results.c ert/cli/results.h \
	ert/cli/verification.c ert/cli/verification.h
ert_ert_CPPFLAGS = $(AM_CPPFLAGS) -DERT_CONFIGS_FOLDER='"$(presetdir)"'
ert_ert_LDADD = analysis/librfl.a ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS) $(CAIRO_LIBS)

dist_schema_DATA += ert/ceilings/ceilings.schema.json ert/fleet/fleet.schema.json \
	ert/fleet/net_record.schema.json ert/fleet/record.schema.json

# Modules (ert/backend/module.h), the folder they are installed in, and the headers that say what their
# tables hold.
moduledir = $(libdir)/ert
module_PROGRAMS =
AM_CPPFLAGS += -DERT_MODULES='"$(moduledir)"'
door_headers = \
	ert/backend/backend.h ert/base/error.h ert/ert110/options.h ert/kernels/kernel.h \
	ert/kernels/kernels.def ert/machine/health.h ert/machine/machine.h ert/machine/theory.h \
	gpp/problem.h gpp/versions.def gpp/versions.h
ert/backend/door_tables.h: ert/backend/door.sh $(door_headers)
	$(AM_V_GEN)$(MKDIR_P) ert/backend
	$(AM_V_at)cd $(srcdir) && $(SHELL) ert/backend/door.sh $(door_headers) >$(abs_builddir)/$@.new
	$(AM_V_at)mv $@.new $@
ert/backend/module.$(OBJEXT): ert/backend/door_tables.h
CLEANFILES += ert/backend/door_tables.h
EXTRA_DIST += ert/backend/door.sh ert/backend/cuda/module.c

# The CUDA backend: ert-cuda.so, with copies of the C functions that it uses. nvcc compiles .cu; gcc links.
cuda_headers = \
	ert/backend/cuda/accumulators.cuh ert/backend/cuda/device.h ert/backend/cuda/kernel.cuh \
	ert/backend/cuda/names.h ert/backend/cuda/nvml.h ert/backend/cuda/nvidia.h ert/backend/cuda/rows.cuh \
	ert/backend/cuda/session.h ert/backend/cuda/tensor.cuh
# wgmma's instructions are of sm_90a alone, which no other code is built for.
EXTRA_DIST += ert/backend/cuda/toolchain.sh \
	ert/backend/cuda/kernels_wgmma.cu ert/backend/cuda/kernels_wgmma_none.cu
if HAVE_SM_90A
cuda_wgmma = ert/backend/cuda/kernels_wgmma.cu
else
cuda_wgmma = ert/backend/cuda/kernels_wgmma_none.cu
endif
# The slowest first, so that a parallel build does not end with one: nvcc 13 takes 17 s for wgmma, 6 for
# compute, 1 to 4 for each other (one architecture, CPU time).
cuda_sources = $(cuda_wgmma) \
	ert/backend/cuda/kernels_compute.cu ert/backend/cuda/kernels_mma.cu ert/backend/cuda/ert110.cu \
	ert/backend/cuda/kernels_memory.cu ert/backend/cuda/tensor.cu ert/backend/cuda/kernels_access.cu \
	ert/backend/cuda/cuda.cu ert/backend/cuda/device.cu ert/backend/cuda/kernels_chase.cu \
	ert/backend/cuda/kernels_gather.cu ert/backend/cuda/links.cu ert/backend/cuda/rows.cu \
	ert/backend/cuda/sustained.cu ert/backend/cuda/time.cu ert/backend/cuda/verify.cu
ert/backend/cuda/kernels_wgmma.o: CUDA_GENCODE = $(CUDA_GENCODE_90A)
# A constant table of host functions, which clang would put on the device too.
ert/backend/cuda/cuda.o: CUDA_GENCODE += $(CUDA_HOST_ONLY)
if HAVE_CUDA
noinst_LIBRARIES += ert/libertcuda.a
ert_libertcuda_a_SOURCES = $(cuda_headers) $(cuda_sources) ert/backend/cuda/names.c ert/backend/cuda/nvml.c
ert_libertcuda_a_CFLAGS = $(AM_CFLAGS) -fPIC
module_PROGRAMS += lib/ert/ert-cuda.so
lib_ert_ert_cuda_so_SOURCES = ert/backend/cuda/module.c ert/backend/cuda/nvidia.c \
	ert/backend/ert110.c ert/backend/orbit.c ert/backend/sample.c ert/backend/split.c ert/backend/tiles.c \
	ert/base/alloc.c ert/base/clock.c ert/base/error.c ert/base/file.c ert/base/units.c ert/kernels/kernel.c \
	ert/machine/dram.c ert/machine/health.c ert/machine/machine.c ert/machine/theory.c gpp/problem.c
lib_ert_ert_cuda_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden
lib_ert_ert_cuda_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,defs -Wl,--exclude-libs,ALL
lib_ert_ert_cuda_so_LDADD = ert/libertcuda.a gpp/libgppcuda.a $(CUDA_LIBS)
ert/backend/cuda/lib_ert_ert_cuda_so-module.$(OBJEXT): ert/backend/door_tables.h
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
$(cuda_sources:.cu=.o): $(cuda_headers) ert/backend/backend.h ert/backend/ert110.h ert/backend/orbit.h \
	ert/base/ncu.h ert/ert110/options.h \
	ert/backend/tiles.h ert/base/error.h ert/base/random.h ert/kernels/kernel.h ert/kernels/kernels.def \
	ert/machine/machine.h ert/machine/theory.h ert/backend/backends.def ert/backend/cuda/build.h
