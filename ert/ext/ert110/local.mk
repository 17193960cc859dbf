# SPDX-License-Identifier: BSD-3-Clause
# The mode that measures as ERT 1.1.0 does.
ert_libert_a_SOURCES += \
	ert/ext/ert110/kernels.h ert/ext/ert110/kernels.def \
	ert/ext/ert110/bands.c \
	ert/ext/ert110/config.c \
	ert/ext/ert110/ert110.c ert/ext/ert110/ert110.h \
	ert/ext/ert110/fit.c

# What of it CPUs run: its kernels, once per instruction set with its flags, as the backend's own.
ert_libert_a_SOURCES += ert/ext/ert110/cpu.c
door_headers += ert/ext/ert110/kernels.def
cpu_objects += ert/ext/ert110/cpu.$(OBJEXT)
ert110_objects = ert/ext/ert110/lib%
$(ert110_objects): override CFLAGS := @KERNEL_USER_CFLAGS@
$(ert110_objects): CC = $(KERNEL_CC)
cpu_ert110_files = ert/ext/ert110/cpu_kernels.c ert/core/backend/cpu/isa.h \
	ert/core/backend/cpu/kernels_common.inc ert/ext/ert110/kernels.h
cpu_ert110_flags = $(KERNEL_CFLAGS) -ffp-contract=fast -falign-loops=32 -Wno-psabi
ERT110_LIBS =
if CPU_X86
ERT110_LIBS += ert/ext/ert110/libert110_avx512.a ert/ext/ert110/libert110_avx2.a \
	ert/ext/ert110/libert110_sse2.a
ert_ext_ert110_libert110_avx512_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_avx512_a_CFLAGS = $(cpu_ert110_flags) -DISA_AVX512 -mavx512f -mfma
ert_ext_ert110_libert110_avx2_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_avx2_a_CFLAGS = $(cpu_ert110_flags) -DISA_AVX2 -mavx2 -mfma
ert_ext_ert110_libert110_sse2_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_sse2_a_CFLAGS = $(cpu_ert110_flags) -DISA_SSE2 -msse2
else
if CPU_AARCH64
ERT110_LIBS += ert/ext/ert110/libert110_neon.a
ert_ext_ert110_libert110_neon_a_SOURCES = $(cpu_ert110_files)
ert_ext_ert110_libert110_neon_a_CFLAGS = $(cpu_ert110_flags) -DISA_NEON
endif
endif
noinst_LIBRARIES += $(ERT110_LIBS)
BACKEND_LIBS += $(ERT110_LIBS)
EXTRA_DIST += $(cpu_ert110_files)
