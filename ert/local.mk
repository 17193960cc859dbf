# SPDX-License-Identifier: BSD-3-Clause
# ert/: the library of the measuring side (everything but cli/ and commands) and the program.

noinst_LIBRARIES += ert/libert.a
ert_libert_a_SOURCES = ert/fake/fake.c ert/fake/fake.h
bin_PROGRAMS += ert/ert
ert_ert_SOURCES = \
	ert/cli/main.c ert/cli/commands.h \
	ert/cli/cmd_info.c ert/cli/cmd_list.c ert/cli/cmd_run.c ert/cli/cmd_fit.c ert/cli/cmd_show.c \
	ert/cli/answer.c ert/cli/models.def \
	ert/cli/measure.c ert/cli/measure.h ert/cli/presets.c \
	ert/cli/results.c ert/cli/results.h \
	ert/cli/runs.c
ert_ert_CPPFLAGS = $(AM_CPPFLAGS) -DERT_CONFIGS_FOLDER='"$(presetdir)"'
ert_ert_LDADD = analysis/librfl.a ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS) $(CAIRO_LIBS)

include ert/core/local.mk
if EXTENSIONS
include ert/ext/local.mk
else
ert_ert_SOURCES += ert/cli/no_extensions.c
AM_CPPFLAGS += -DERT_WITHOUT_EXTENSIONS
endif
