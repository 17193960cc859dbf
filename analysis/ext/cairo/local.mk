# SPDX-License-Identifier: BSD-3-Clause
# Charts as PNG and PDF, where Cairo is there; else analysis/core/chart/cairo_none.c says why not.
if HAVE_CAIRO
analysis_librfl_a_SOURCES += analysis/ext/cairo/cairo.c
endif
EXTRA_DIST += analysis/ext/cairo/cairo.c
AM_CPPFLAGS += $(CAIRO_CFLAGS)
