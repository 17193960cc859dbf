# SPDX-License-Identifier: BSD-3-Clause
# gpp/: the GPP mini-app; the library (everything but cli/) and the program ert-gpp. No contraction but
# where a build with FMA asks for it: the reference rounds every operation.

noinst_LIBRARIES += gpp/libgpp.a
gpp_libgpp_a_SOURCES = \
	gpp/problem.c gpp/problem.h \
	gpp/reference.c \
	gpp/versions.c gpp/versions.h gpp/versions.def gpp/counts.def \
	gpp/cpu/cpu.c gpp/cpu/kernels.h
gpp_libgpp_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off '-DGPP_CPU_ISAS(ISA)=$(gpp_cpu_isas)'

# The CPU versions: one source, one library per instruction set and contraction. -fno-trapping-math:
# selects may compute both sides; no reordering of sums but in the simd loops that ask for it.
gpp_cpu_flags = $(KERNEL_CFLAGS) -fno-math-errno -fno-trapping-math -Wno-psabi
gpp_fma_flags = $(gpp_cpu_flags) -ffp-contract=fast -DGPP_CONTRACTION=fma
gpp_nofma_flags = $(gpp_cpu_flags) -ffp-contract=off -DGPP_CONTRACTION=nofma
gpp_cpu_files = gpp/cpu/kernels.h gpp/cpu/kernels.inc
GPP_CPU_LIBS =
if CPU_X86
gpp_cpu_isas = ISA(avx512) ISA(avx2) ISA(sse2)
GPP_CPU_LIBS += gpp/cpu/libavx512_fma.a gpp/cpu/libavx512_nofma.a \
	gpp/cpu/libavx2_fma.a gpp/cpu/libavx2_nofma.a \
	gpp/cpu/libsse2_fma.a gpp/cpu/libsse2_nofma.a
gpp_avx512_flags = -mavx512f -mfma -mprefer-vector-width=512
gpp_avx2_flags = -mavx2 -mfma -DVEC_NAME=avx2 -DVEC_BYTES=32 -DVEC_FMA=1
gpp_sse2_flags = -msse2 -DVEC_NAME=sse2 -DVEC_BYTES=16 -DVEC_FMA=0
gpp_cpu_libavx512_fma_a_SOURCES = gpp/cpu/isa_avx512.c $(gpp_cpu_files)
gpp_cpu_libavx512_fma_a_CFLAGS = $(gpp_fma_flags) $(gpp_avx512_flags)
gpp_cpu_libavx512_nofma_a_SOURCES = gpp/cpu/isa_avx512.c $(gpp_cpu_files)
gpp_cpu_libavx512_nofma_a_CFLAGS = $(gpp_nofma_flags) $(gpp_avx512_flags)
gpp_cpu_libavx2_fma_a_SOURCES = gpp/cpu/isa_lanes.c $(gpp_cpu_files)
gpp_cpu_libavx2_fma_a_CFLAGS = $(gpp_fma_flags) $(gpp_avx2_flags)
gpp_cpu_libavx2_nofma_a_SOURCES = gpp/cpu/isa_lanes.c $(gpp_cpu_files)
gpp_cpu_libavx2_nofma_a_CFLAGS = $(gpp_nofma_flags) $(gpp_avx2_flags)
gpp_cpu_libsse2_fma_a_SOURCES = gpp/cpu/isa_lanes.c $(gpp_cpu_files)
gpp_cpu_libsse2_fma_a_CFLAGS = $(gpp_fma_flags) $(gpp_sse2_flags)
gpp_cpu_libsse2_nofma_a_SOURCES = gpp/cpu/isa_lanes.c $(gpp_cpu_files)
gpp_cpu_libsse2_nofma_a_CFLAGS = $(gpp_nofma_flags) $(gpp_sse2_flags)
else
if CPU_AARCH64
gpp_cpu_isas = ISA(neon)
GPP_CPU_LIBS += gpp/cpu/libneon_fma.a gpp/cpu/libneon_nofma.a
gpp_neon_flags = -DVEC_NAME=neon -DVEC_BYTES=16 -DVEC_FMA=0
gpp_cpu_libneon_fma_a_SOURCES = gpp/cpu/isa_lanes.c $(gpp_cpu_files)
gpp_cpu_libneon_fma_a_CFLAGS = $(gpp_fma_flags) $(gpp_neon_flags)
gpp_cpu_libneon_nofma_a_SOURCES = gpp/cpu/isa_lanes.c $(gpp_cpu_files)
gpp_cpu_libneon_nofma_a_CFLAGS = $(gpp_nofma_flags) $(gpp_neon_flags)
else
gpp_cpu_isas =
endif
endif
noinst_LIBRARIES += $(GPP_CPU_LIBS)
EXTRA_DIST += gpp/cpu/isa_avx512.c gpp/cpu/isa_lanes.c $(gpp_cpu_files)

# The GPU versions, each built with FMA (.fmao) and without (.nofmao), for ert-cuda.so.
gpp_cuda_versions = gpp/cuda/paper.cu gpp/cuda/poles.cu
gpp_cuda_objects = $(gpp_cuda_versions:.cu=.fmao) $(gpp_cuda_versions:.cu=.nofmao)
EXTRA_DIST += $(gpp_cuda_versions)
SUFFIXES += .fmao .nofmao
.cu.fmao:
	@$(MKDIR_P) $(@D)
	$(ert_nvcc_v)$(NVCC) $(GPP_GENCODE) $(CUDA_FLAGS) -I$(top_srcdir) -I$(top_builddir) \
		$(NVCCFLAGS) -DGPP_CONTRACTION=fma -c $< -o $@
.cu.nofmao:
	@$(MKDIR_P) $(@D)
	$(ert_nvcc_v)$(NVCC) $(GPP_GENCODE) $(CUDA_FLAGS) -I$(top_srcdir) -I$(top_builddir) \
		$(NVCCFLAGS) $(CUDA_NO_FMA) -DGPP_CONTRACTION=nofma -c $< -o $@
gpp/cuda/cuda.o: CUDA_GENCODE += $(CUDA_HOST_ONLY)
$(gpp_cuda_objects) gpp/cuda/cuda.o: gpp/cuda/kernel.cuh gpp/problem.h gpp/versions.h \
	gpp/versions.def ert/core/base/error.h ert/ext/cuda/build.h
if HAVE_CUDA
noinst_LIBRARIES += gpp/libgppcuda.a
gpp_libgppcuda_a_SOURCES = gpp/cuda/kernel.cuh gpp/cuda/cuda.cu
gpp_libgppcuda_a_LIBADD = $(gpp_cuda_objects)
MOSTLYCLEANFILES = $(gpp_cuda_objects)
endif
EXTRA_DIST += gpp/cuda/kernel.cuh gpp/cuda/cuda.cu
gpp/cpu/libgpp_a-cpu.$(OBJEXT): HARDENING_CFLAGS = # it times the versions
GPP_LIBS = gpp/libgpp.a $(GPP_CPU_LIBS)

bin_PROGRAMS += gpp/ert-gpp
manual_programs += gpp/ert-gpp
gpp_ert_gpp_SOURCES = \
	gpp/cli/main.c gpp/cli/commands.h gpp/cli/cmd_run.c
gpp_ert_gpp_LDADD = $(GPP_LIBS) analysis/librfl.a ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) \
	$(CJSON_LIBS) $(CAIRO_LIBS)

EXTRA_DIST += gpp/README.md gpp/tutorial.md
