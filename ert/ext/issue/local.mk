# SPDX-License-Identifier: BSD-3-Clause
# Instructions per second of a CPU's cores: the kernel of the instruction roofline's roof.
EXTRA_DIST += ert/ext/issue/issue.c
if CPU_X86
ert_libert_a_SOURCES += ert/ext/issue/issue.c
endif
if CPU_AARCH64
ert_libert_a_SOURCES += ert/ext/issue/issue.c
endif
cpu_objects += ert/ext/issue/issue.$(OBJEXT)
