# SPDX-License-Identifier: BSD-3-Clause
# analysis/: what the numbers mean; the library (everything but cli/ and commands) and the program roofline.

noinst_LIBRARIES += analysis/librfl.a
analysis_librfl_a_SOURCES =
bin_PROGRAMS += analysis/roofline
analysis_roofline_SOURCES = \
	analysis/cli/main.c analysis/cli/commands.h \
	analysis/cli/cmd_place.c analysis/cli/cmd_plot.c \
	analysis/cli/inputs.c
analysis_roofline_LDADD = analysis/librfl.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS) \
	$(CAIRO_LIBS)

include analysis/core/local.mk
if EXTENSIONS
include analysis/ext/local.mk
else
analysis_librfl_a_SOURCES += analysis/core/no_extensions.c
analysis_roofline_SOURCES += analysis/cli/no_extensions.c
endif
