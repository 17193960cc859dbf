# SPDX-License-Identifier: BSD-3-Clause
# Atomic additions by all threads of a CPU.
ert_libert_a_SOURCES += ert/ext/atomics/atomics.c ert/ext/atomics/kernels.def
cpu_objects += ert/ext/atomics/atomics.$(OBJEXT)
door_headers += ert/ext/atomics/kernels.def
