# SPDX-License-Identifier: BSD-3-Clause
# roofline import: a file for each format of other programs.
analysis_librfl_a_SOURCES += \
	analysis/ext/import/combine.c \
	analysis/ext/import/common.c analysis/ext/import/common.h \
	analysis/ext/import/events.def \
	analysis/ext/import/formats.def \
	analysis/ext/import/import.c analysis/ext/import/import.h \
	analysis/ext/import/input.c \
	analysis/ext/import/kineto.c \
	analysis/ext/import/likwid.c analysis/ext/import/likwid_rows.def \
	analysis/ext/import/metrics.c analysis/ext/import/metrics.h \
	analysis/ext/import/names.c \
	analysis/ext/import/ncu.c \
	analysis/ext/import/ncu_recipes.def \
	analysis/ext/import/operators.def \
	analysis/ext/import/papi.c \
	analysis/ext/import/perf.c \
	analysis/ext/import/perf_recipes.def \
	analysis/ext/import/regions.c \
	analysis/ext/import/rows.inc \
	analysis/ext/import/sde.c analysis/ext/import/sde_rows.def \
	analysis/ext/import/tally.c analysis/ext/import/tally.h \
	analysis/ext/import/valgrind.c analysis/ext/import/valgrind_rows.def \
	analysis/ext/import/vtune.c
analysis_roofline_SOURCES += \
	analysis/ext/import/cmd_import.c
