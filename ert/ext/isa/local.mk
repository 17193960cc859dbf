# SPDX-License-Identifier: BSD-3-Clause
# CPU kernels of instruction sets that have a few of them: each where the compiler knows it (configure.ac),
# with its flags, as the backend's own. products.c is behind those that use it.
ert_libert_a_SOURCES += ert/ext/isa/kernels.def ert/ext/isa/products.h
door_headers += ert/ext/isa/kernels.def
isa_objects = ert/ext/isa/lib%
$(isa_objects): override CFLAGS := @KERNEL_USER_CFLAGS@
$(isa_objects): CC = $(KERNEL_CC)
ISA_LIBS =
if CPU_AVX512FP16
ISA_LIBS += ert/ext/isa/libavx512fp16.a
ert_ext_isa_libavx512fp16_a_SOURCES = ert/ext/isa/extensions.c
ert_ext_isa_libavx512fp16_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512FP16 $(CPU_AVX512FP16_FLAGS)
endif
if CPU_AVX512BF16
ISA_LIBS += ert/ext/isa/libavx512bf16.a
ert_ext_isa_libavx512bf16_a_SOURCES = ert/ext/isa/extensions.c
ert_ext_isa_libavx512bf16_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512BF16 $(CPU_AVX512BF16_FLAGS)
endif
if CPU_AVX512VNNI
ISA_LIBS += ert/ext/isa/libavx512vnni.a
ert_ext_isa_libavx512vnni_a_SOURCES = ert/ext/isa/extensions.c
ert_ext_isa_libavx512vnni_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVX512VNNI $(CPU_AVX512VNNI_FLAGS)
endif
if CPU_AVXVNNI
ISA_LIBS += ert/ext/isa/libavxvnni.a
ert_ext_isa_libavxvnni_a_SOURCES = ert/ext/isa/extensions.c
ert_ext_isa_libavxvnni_a_CFLAGS = $(cpu_kernel_flags) -DISA_AVXVNNI $(CPU_AVXVNNI_FLAGS)
endif
if CPU_AMX
ISA_LIBS += ert/ext/isa/libamx.a
ert_ext_isa_libamx_a_SOURCES = ert/ext/isa/amx.c
ert_ext_isa_libamx_a_CFLAGS = $(cpu_kernel_flags) $(CPU_AMX_FLAGS)
endif
if CPU_NEONFP16
ISA_LIBS += ert/ext/isa/libneonfp16.a
ert_ext_isa_libneonfp16_a_SOURCES = ert/ext/isa/extensions.c
ert_ext_isa_libneonfp16_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEONFP16 $(CPU_NEONFP16_FLAGS)
endif
if CPU_NEONDOT
ISA_LIBS += ert/ext/isa/libneondot.a
ert_ext_isa_libneondot_a_SOURCES = ert/ext/isa/extensions.c
ert_ext_isa_libneondot_a_CFLAGS = $(cpu_kernel_flags) -DISA_NEONDOT $(CPU_NEONDOT_FLAGS)
endif
ISA_LIBS += ert/ext/isa/libproducts.a
ert_ext_isa_libproducts_a_SOURCES = ert/ext/isa/products.c
ert_ext_isa_libproducts_a_CFLAGS = $(cpu_kernel_flags)
noinst_LIBRARIES += $(ISA_LIBS)
BACKEND_LIBS += $(ISA_LIBS)
EXTRA_DIST += ert/ext/isa/extensions.c ert/ext/isa/amx.c
