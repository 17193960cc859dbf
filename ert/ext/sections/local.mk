# SPDX-License-Identifier: BSD-3-Clause
# Parts of a run beside levels and compute: each plans and fits its own cases.
ert_libert_a_SOURCES += \
	ert/ext/sections/latency.c ert/ext/sections/chase.c \
	ert/ext/sections/kernels.def \
	ert/ext/sections/concurrency.c ert/ext/sections/sections.h \
	ert/ext/sections/links.c \
	ert/ext/sections/numa.c \
	ert/ext/sections/multi_gpu.c
cpu_objects += ert/ext/sections/chase.$(OBJEXT)
door_headers += ert/ext/sections/kernels.def
