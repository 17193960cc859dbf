# SPDX-License-Identifier: BSD-3-Clause
# roofline compare.
analysis_librfl_a_SOURCES += analysis/ext/compare/compare.c analysis/ext/compare/compare.h
analysis_roofline_SOURCES += analysis/ext/compare/cmd_compare.c
