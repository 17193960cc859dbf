# SPDX-License-Identifier: BSD-3-Clause
# roofline export: a file for each format.
analysis_librfl_a_SOURCES += \
	analysis/ext/export/csv.c \
	analysis/ext/export/export.c analysis/ext/export/export.h \
	analysis/ext/export/formats.def \
	analysis/ext/export/prometheus.c \
	analysis/ext/export/reframe.c
analysis_roofline_SOURCES += \
	analysis/ext/export/cmd_export.c
