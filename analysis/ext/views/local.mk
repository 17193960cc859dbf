# SPDX-License-Identifier: BSD-3-Clause
# roofline place --view: a placement in other rows than the core's.
analysis_librfl_a_SOURCES += \
	analysis/ext/views/views.c
