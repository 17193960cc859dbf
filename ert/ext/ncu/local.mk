# SPDX-License-Identifier: BSD-3-Clause
# What is known of Nsight Compute and its metrics.
ert_libert_a_SOURCES += \
	ert/ext/ncu/ncu_metrics.def \
	ert/ext/ncu/ncu.c ert/ext/ncu/ncu.h \
	ert/ext/ncu/units.c ert/ext/ncu/units.h
