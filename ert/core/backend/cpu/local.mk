# SPDX-License-Identifier: BSD-3-Clause
# The CPU backend. One source of kernels, one library per instruction set with its flags; no
# contraction and no reordering, so that the loops hold what their rows say (kernels_memory.inc).
cpu_sources = \
	ert/core/backend/cpu/cpu.c ert/core/backend/cpu/isa_rows.c \
	ert/core/backend/cpu/check.c ert/core/backend/cpu/compute.c \
	ert/core/backend/cpu/memory.c \
	ert/core/backend/cpu/observe.c ert/core/backend/cpu/pin.c \
	ert/core/backend/cpu/place.c \
	ert/core/backend/cpu/team.c ert/core/backend/cpu/time.c
ert_libert_a_SOURCES += \
	$(cpu_sources) ert/core/backend/cpu/session.h ert/core/backend/cpu/isa.h ert/core/backend/cpu/isas.def \
	ert/core/backend/cpu/compute.h \
	ert/core/backend/cpu/memory.h ert/core/backend/cpu/pin.h ert/core/backend/cpu/team.h
# They time: what is measured is free of hardening. Extensions add objects with kernels.
cpu_objects = $(cpu_sources:.c=.$(OBJEXT))
$(cpu_objects): HARDENING_CFLAGS =
# A kernel's instruction set and optimization are its own, not the user's, which automake puts behind.
ert/core/backend/cpu/lib% gpp/cpu/libavx% gpp/cpu/libsse% \
	gpp/cpu/libneon% $(cpu_objects): override CFLAGS := @KERNEL_USER_CFLAGS@
ert/core/backend/cpu/lib% gpp/cpu/libavx% gpp/cpu/libsse% gpp/cpu/libneon% \
	$(cpu_objects): CC = $(KERNEL_CC)
cpu_kernel_flags = $(KERNEL_CFLAGS) -ffp-contract=off -fno-schedule-insns -fno-schedule-insns2 -Wno-psabi
cpu_vector_files = ert/core/backend/cpu/isa_vectors.c ert/core/backend/cpu/isa.h \
	ert/core/backend/cpu/kernels_common.inc ert/core/backend/cpu/kernels_memory.inc
cpu_scalar_flags = $(cpu_kernel_flags) -fno-math-errno -fno-tree-vectorize -fno-tree-slp-vectorize
CPU_LIBS =
if CPU_X86
CPU_LIBS += ert/core/backend/cpu/libavx512.a ert/core/backend/cpu/libavx2.a ert/core/backend/cpu/libsse2.a \
	ert/core/backend/cpu/libscalar_fma.a ert/core/backend/cpu/libscalar_sse2.a
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
ert_core_backend_cpu_libneon_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libneon_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEON
ert_core_backend_cpu_libscalar_aarch64_a_SOURCES = $(cpu_vector_files)
ert_core_backend_cpu_libscalar_aarch64_a_CFLAGS = $(cpu_scalar_flags) -DISA_SCALAR_AARCH64
endif
endif

# Where the compiler knows it (configure.ac).
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
noinst_LIBRARIES += $(CPU_LIBS)
BACKEND_LIBS = $(CPU_LIBS)
EXTRA_DIST += $(cpu_vector_files)
