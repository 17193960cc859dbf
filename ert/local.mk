# ert/: the library of the measuring side (everything but cli/) and the program.

noinst_LIBRARIES += ert/libert.a
ert_libert_a_SOURCES = \
	ert/base/clock.c ert/base/clock.h \
	ert/base/error.c ert/base/error.h \
	ert/base/file.c ert/base/file.h \
	ert/base/json.c ert/base/json.h ert/base/json_read.c ert/base/json_write.c \
	ert/base/json_text.c ert/base/json_text.h \
	ert/base/opt.c ert/base/opt.h \
	ert/base/random.h \
	ert/base/units.c ert/base/units.h \
	ert/machine/machine.c ert/machine/machine.h \
	ert/machine/machine_json.c ert/machine/machine_json.h ert/machine/machine_read.c \
	ert/machine/machine_rows.c ert/machine/machine_rows.h \
	ert/machine/discover.c ert/machine/discover.h \
	ert/machine/topology.c ert/machine/topology.h \
	ert/machine/topology_cores.c \
	ert/machine/topology_memory.c \
	ert/machine/topology_levels.c \
	ert/machine/topology_gpus.c \
	ert/machine/topology_trial.c \
	ert/machine/features_x86.c ert/machine/features_aarch64.c ert/machine/features_none.c \
	ert/machine/features.h \
	ert/machine/clocks.c ert/machine/clocks.h \
	ert/machine/limits.c ert/machine/limits.h \
	ert/machine/provenance.c \
	ert/machine/theory.c ert/machine/theory.h ert/machine/theory_tables.h \
	ert/machine/theory_cpu.c ert/machine/theory_gpu.c \
	ert/machine/theory_cores.c ert/machine/theory_cores.def \
	ert/kernels/kernel.c ert/kernels/kernel.h ert/kernels/kernels.def \
	ert/backend/backend.c ert/backend/backend.h \
	ert/backend/orbit.c ert/backend/orbit.h \
	ert/backend/fake.c ert/backend/fake.h \
	ert/backend/fake_plant.c ert/backend/fake_plant.h \
	ert/stats/stats.c ert/stats/stats.h \
	ert/stats/plateau.c ert/stats/plateau.h \
	ert/sweep/bench.c ert/sweep/bench.h \
	ert/sweep/config.c ert/sweep/config.h \
	ert/sweep/plan.c ert/sweep/plan.h ert/sweep/planner.h \
	ert/sweep/plan_access.c ert/sweep/plan_concurrency.c ert/sweep/plan_latency.c \
	ert/sweep/plan_links.c ert/sweep/plan_places.c \
	ert/sweep/run.c ert/sweep/run.h \
	ert/sweep/sets.c ert/sweep/sets.h \
	ert/sweep/samples.c ert/sweep/samples.h ert/sweep/samples_json.c \
	ert/ceilings/ceilings.c ert/ceilings/ceilings.h \
	ert/ceilings/ceilings_json.c ert/ceilings/ceilings_json.h \
	ert/ceilings/ceilings_rows.c ert/ceilings/ceilings_rows.h \
	ert/ceilings/columns.c ert/ceilings/columns.h \
	ert/ceilings/conditions.c ert/ceilings/conditions.h \
	ert/ceilings/evidence.c ert/ceilings/evidence.h \
	ert/ceilings/extras.c ert/ceilings/extras.h \
	ert/ceilings/extras_access.c ert/ceilings/extras_concurrency.c \
	ert/ceilings/extras_latency.c ert/ceilings/extras_links.c ert/ceilings/extras_places.c \
	ert/ceilings/fields.c ert/ceilings/fields.h \
	ert/ceilings/fit.c ert/ceilings/fit.h \
	ert/ceilings/levels.c ert/ceilings/levels.h \
	ert/ceilings/table.c ert/ceilings/table.h \
	ert/validate/claims.c ert/validate/claims.def ert/validate/claims.h \
	ert/validate/code.c ert/validate/code.h \
	ert/validate/counters.c ert/validate/counters.h \
	ert/validate/listing.c ert/validate/listing.h \
	ert/validate/listing_sass.c ert/validate/listing_x86.c \
	ert/validate/ncu.c ert/validate/ncu.h ert/validate/ncu_csv.c ert/validate/ncu_csv.h \
	ert/validate/ncu_metrics.c ert/validate/ncu_metrics.h \
	ert/validate/once.c ert/validate/once.h \
	ert/validate/perf.c ert/validate/perf.h \
	ert/validate/profiler.c ert/validate/profiler.h ert/validate/profiler_text.c \
	ert/validate/regions.c ert/validate/regions.h \
	ert/validate/replay.c ert/validate/replay.h \
	ert/validate/symbols.c ert/validate/symbols.h \
	ert/validate/tool.c ert/validate/tool.h

# The CPU backend. One source of kernels, one library per instruction set with its flags; no
# contraction and no reordering, so that the loops hold what their rows say (kernels_memory.inc).
ert_libert_a_SOURCES += \
	ert/backend/cpu/cpu.c ert/backend/cpu/session.h ert/backend/cpu/isa.h \
	ert/backend/cpu/case.c ert/backend/cpu/check.c ert/backend/cpu/clock.c \
	ert/backend/cpu/code.c \
	ert/backend/cpu/memory.c ert/backend/cpu/memory.h \
	ert/backend/cpu/pattern.c ert/backend/cpu/pattern.h \
	ert/backend/cpu/pin.c ert/backend/cpu/pin.h \
	ert/backend/cpu/team.c ert/backend/cpu/team.h
cpu_kernel_flags = $(AM_CFLAGS) -ffp-contract=off -fno-schedule-insns -fno-schedule-insns2 -Wno-psabi
cpu_kernel_files = ert/backend/cpu/isa.h ert/backend/cpu/kernels_memory.inc \
	ert/backend/cpu/kernels_compute.inc ert/backend/cpu/kernels_table.inc
BACKEND_LIBS =
if CPU_X86
ert_libert_a_SOURCES += ert/backend/cpu/isa_rows_x86.c
noinst_LIBRARIES += ert/backend/cpu/libavx512.a ert/backend/cpu/libavx2.a ert/backend/cpu/libsse2.a
BACKEND_LIBS += ert/backend/cpu/libavx512.a ert/backend/cpu/libavx2.a ert/backend/cpu/libsse2.a
ert_backend_cpu_libavx512_a_SOURCES = ert/backend/cpu/isa_avx512.c $(cpu_kernel_files)
ert_backend_cpu_libavx512_a_CFLAGS = $(cpu_kernel_flags) -mavx512f -mfma
ert_backend_cpu_libavx2_a_SOURCES = ert/backend/cpu/isa_avx2.c $(cpu_kernel_files)
ert_backend_cpu_libavx2_a_CFLAGS = $(cpu_kernel_flags) -mavx2 -mfma
ert_backend_cpu_libsse2_a_SOURCES = ert/backend/cpu/isa_sse2.c $(cpu_kernel_files)
ert_backend_cpu_libsse2_a_CFLAGS = $(cpu_kernel_flags) -msse2
else
if CPU_AARCH64
ert_libert_a_SOURCES += ert/backend/cpu/isa_rows_aarch64.c
noinst_LIBRARIES += ert/backend/cpu/libneon.a
BACKEND_LIBS += ert/backend/cpu/libneon.a
ert_backend_cpu_libneon_a_SOURCES = ert/backend/cpu/isa_neon.c $(cpu_kernel_files)
ert_backend_cpu_libneon_a_CFLAGS = $(cpu_kernel_flags)
else
ert_libert_a_SOURCES += ert/backend/cpu/isa_rows_none.c
endif
endif
EXTRA_DIST += ert/backend/cpu/isa_rows_x86.c ert/backend/cpu/isa_rows_aarch64.c \
	ert/backend/cpu/isa_rows_none.c ert/backend/cpu/isa_avx512.c ert/backend/cpu/isa_avx2.c \
	ert/backend/cpu/isa_sse2.c ert/backend/cpu/isa_neon.c $(cpu_kernel_files)

# What provenance.c says of this build: the git description (a tarball says "unknown") and flags.
BUILT_SOURCES += ert/machine/build_info.h
CLEANFILES += ert/machine/build_info.h
EXTRA_DIST += ert/machine/build_info.sh
ert/machine/build_info.h: always_build_info
	@$(MKDIR_P) ert/machine
	@$(SHELL) $(top_srcdir)/ert/machine/build_info.sh '$(top_srcdir)' '$(CFLAGS)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
.PHONY: always_build_info

bin_PROGRAMS += ert/ert
ert_ert_SOURCES = \
	ert/cli/main.c ert/cli/cmd.h \
	ert/cli/cmd_info.c ert/cli/cmd_list.c ert/cli/cmd_run.c ert/cli/cmd_fit.c ert/cli/cmd_show.c \
	ert/cli/cmd_bench.c ert/cli/cmd_validate.c \
	ert/cli/info_text.c ert/cli/info_peaks.c ert/cli/info_text.h \
	ert/cli/devices.c ert/cli/devices.h \
	ert/cli/progress.c ert/cli/progress.h \
	ert/cli/results.c ert/cli/results.h \
	ert/cli/validate_text.c ert/cli/validate_text.h
ert_ert_LDADD = analysis/librfl.a ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS) $(CUDA_LIBS)

EXTRA_DIST += ert/ceilings/ceilings.schema.json

# The CUDA backend, or the row that says why there is none. nvcc compiles .cu; gcc links.
cuda_headers = ert/backend/cuda/check.h ert/backend/cuda/device.cuh ert/backend/cuda/device.h \
	ert/backend/cuda/nvml.h ert/backend/cuda/rows.h ert/backend/cuda/session.h
cuda_sources = ert/backend/cuda/check.cu ert/backend/cuda/code.cu ert/backend/cuda/cuda.cu \
	ert/backend/cuda/device.cu \
	ert/backend/cuda/kernels_compute.cu ert/backend/cuda/kernels_mixed.cu \
	ert/backend/cuda/kernels_slices.cu ert/backend/cuda/kernels_stream.cu \
	ert/backend/cuda/open.cu ert/backend/cuda/prepare.cu ert/backend/cuda/rows.cu \
	ert/backend/cuda/time.cu ert/backend/cuda/verify.cu
if HAVE_CUDA
ert_libert_a_SOURCES += $(cuda_headers) $(cuda_sources) ert/backend/cuda/nvml.c
else
ert_libert_a_SOURCES += ert/backend/cuda_none.c
endif

SUFFIXES += .cu
ert_nvcc_v = $(ert_nvcc_v_@AM_V@)
ert_nvcc_v_ = $(ert_nvcc_v_@AM_DEFAULT_V@)
ert_nvcc_v_0 = @echo "  NVCC    " $@;
.cu.o:
	@$(MKDIR_P) $(@D)
	$(ert_nvcc_v)$(NVCC) $(CUDA_GENCODE) -O3 -std=c++17 -lineinfo -Xcompiler -Wall,-Wextra \
		-I$(top_srcdir) -I$(top_builddir) $(NVCCFLAGS) -c $< -o $@
# Automake tracks the headers of C only.
$(cuda_sources:.cu=.o): $(cuda_headers) ert/backend/backend.h ert/backend/orbit.h \
	ert/base/error.h ert/base/random.h ert/kernels/kernel.h ert/kernels/kernels.def \
	ert/machine/machine.h
