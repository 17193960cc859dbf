# SPDX-License-Identifier: BSD-3-Clause
# roofline compare, portability and scaling.
analysis_librfl_a_SOURCES += \
	analysis/ext/compare/compare.c analysis/ext/compare/compare.h \
	analysis/ext/compare/scaling.c analysis/ext/compare/scaling.h
analysis_roofline_SOURCES += \
	analysis/ext/compare/cmd_compare.c \
	analysis/ext/compare/cmd_portability.c \
	analysis/ext/compare/cmd_scaling.c
