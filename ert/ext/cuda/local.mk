# SPDX-License-Identifier: BSD-3-Clause
ert_libert_a_SOURCES += \
	ert/ext/cuda/kernels.def ert/ext/cuda/nvidia.c ert/ext/cuda/nvidia.h \
	ert/ext/cuda/cuda_none.c

door_headers += ert/ext/cuda/kernels.def
# The CUDA backend: ert-cuda.so, with copies of the C functions that it uses. nvcc compiles .cu; gcc links.
cuda_headers = \
	ert/ext/cuda/accumulators.cuh ert/ext/cuda/device.h ert/ext/cuda/kernel.cuh \
	ert/ext/cuda/names.h ert/ext/cuda/nvml.h ert/ext/cuda/nvidia.h ert/ext/cuda/operands.cuh \
	ert/ext/cuda/rows.cuh ert/ext/cuda/session.h ert/ext/cuda/tcgen05.h ert/ext/cuda/tensor.cuh \
	ert/ext/cuda/tiles.h
EXTRA_DIST += ert/ext/cuda/toolchain.sh ert/ext/cuda/module.c
# The slowest first, so that a parallel build does not end with one: nvcc 13 takes 17 s for wgmma, 6 for
# compute, 1 to 4 for each other (one architecture, CPU time).
cuda_sources = ert/ext/cuda/kernels_wgmma.cu \
	ert/ext/cuda/kernels_compute.cu ert/ext/cuda/kernels_mma.cu ert/ext/cuda/kernels_tcgen05.cu \
	ert/ext/cuda/gemm.cu ert/ext/cuda/ert110.cu \
	ert/ext/cuda/kernels_memory.cu ert/ext/cuda/tensor.cu \
	ert/ext/cuda/cuda.cu ert/ext/cuda/device.cu ert/ext/cuda/kernels_atomic.cu ert/ext/cuda/kernels_chase.cu \
	ert/ext/cuda/links.cu ert/ext/cuda/rows.cu \
	ert/ext/cuda/sustained.cu ert/ext/cuda/time.cu ert/ext/cuda/verify.cu
# Instructions of one compute capability alone, which no other code is built for.
ert/ext/cuda/kernels_wgmma.o: CUDA_GENCODE = $(CUDA_GENCODE_90A)
ert/ext/cuda/kernels_tcgen05.o: CUDA_GENCODE = $(CUDA_GENCODE_100A)
# A constant table of host functions, which clang would put on the device too.
ert/ext/cuda/cuda.o: CUDA_GENCODE += $(CUDA_HOST_ONLY)
if HAVE_CUDA
noinst_LIBRARIES += ert/libertcuda.a
ert_libertcuda_a_SOURCES = $(cuda_headers) $(cuda_sources) ert/ext/cuda/names.c ert/ext/cuda/nvml.c \
	ert/ext/cuda/tiles.c
ert_libertcuda_a_CFLAGS = $(AM_CFLAGS) -fPIC
module_PROGRAMS += lib/ert/ert-cuda.so
lib_ert_ert_cuda_so_SOURCES = ert/ext/cuda/module.c ert/ext/cuda/nvidia.c \
	ert/core/backend/expected.c ert/core/backend/sample.c \
	ert/core/base/alloc.c ert/core/base/clock.c ert/core/base/error.c ert/core/base/file.c \
	ert/core/base/units.c ert/core/kernels/kernel.c \
	ert/core/machine/dram.c ert/core/machine/machine.c \
	ert/core/machine/theory.c gpp/problem.c
lib_ert_ert_cuda_so_CFLAGS = $(AM_CFLAGS) -fPIC -fvisibility=hidden
lib_ert_ert_cuda_so_LDFLAGS = $(AM_LDFLAGS) -shared -Wl,-z,defs -Wl,--exclude-libs,ALL
lib_ert_ert_cuda_so_LDADD = ert/libertcuda.a gpp/libgppcuda.a $(CUDA_LIBS)
ert/ext/cuda/lib_ert_ert_cuda_so-module.$(OBJEXT): ert/ext/module/door_tables.h
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
	ert/core/backend/expected.h \
	ert/ext/ncu/ncu.h ert/ext/kernels.def ert/ext/isa/kernels.def ert/ext/cuda/kernels.def \
	ert/ext/ert110/kernels.def ert/ext/sections/kernels.def ert/ext/atomics/kernels.def \
	ert/core/base/error.h ert/core/base/random.h ert/core/kernels/kernel.h \
	ert/core/kernels/kernels.def ert/core/kernels/results.h \
	ert/core/machine/machine.h ert/core/machine/theory.h ert/core/backend/backends.def \
	ert/ext/cuda/build.h
