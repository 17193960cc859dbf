# SPDX-License-Identifier: BSD-3-Clause
# The loader of backends that are libraries of their own.
ert_libert_a_SOURCES += ert/ext/module/module.c ert/ext/module/module.h
# The folder they are installed in (Makefile.am), and the headers that say what their tables hold.
AM_CPPFLAGS += -DERT_MODULES='"$(moduledir)"'
door_headers = \
	ert/core/backend/backend.h ert/core/base/error.h \
	ert/core/kernels/kernel.h \
	ert/core/kernels/kernels.def ert/core/machine/machine.h \
	ert/core/machine/theory.h \
	gpp/problem.h gpp/versions.def gpp/versions.h
ert/ext/module/door_tables.h: ert/ext/module/door.sh $(door_headers)
	$(AM_V_GEN)$(MKDIR_P) ert/ext/module
	$(AM_V_at)cd $(srcdir) && $(SHELL) ert/ext/module/door.sh $(door_headers) >$(abs_builddir)/$@.new
	$(AM_V_at)mv $@.new $@
ert/ext/module/module.$(OBJEXT): ert/ext/module/door_tables.h
CLEANFILES += ert/ext/module/door_tables.h
EXTRA_DIST += ert/ext/module/door.sh
