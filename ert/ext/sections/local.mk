# SPDX-License-Identifier: BSD-3-Clause
# Parts of a run beside levels and compute: each plans and fits its own cases.
ert_libert_a_SOURCES += \
	ert/ext/sections/latency.c ert/ext/sections/chase.c ert/ext/sections/chase.h \
	ert/ext/sections/kernels.def \
	ert/ext/sections/concurrency.c ert/ext/sections/concurrency.h \
	ert/ext/sections/links.c ert/ext/sections/links.h \
	ert/ext/sections/numa.c \
	ert/ext/sections/multi_gpu.c
# What is measured is free of hardening, and of the user's flags, as the CPU backend is.
ert/ext/sections/chase.$(OBJEXT): HARDENING_CFLAGS =
ert/ext/sections/chase.$(OBJEXT): override CFLAGS := @KERNEL_USER_CFLAGS@
ert/ext/sections/chase.$(OBJEXT): CC = $(KERNEL_CC)
EXT_KERNELS = $(ISA_LIBS) ert/ext/sections/chase.$(OBJEXT)
