# SPDX-License-Identifier: BSD-3-Clause
# The library for other programs: what reads ceilings, without kernels. The objects are those of librfl and
# libert.
libroofline_sources = \
	analysis/ext/lib/roofline.c \
	analysis/core/place/model.c \
	analysis/core/points/levels.c \
	analysis/core/place/roofs.c \
	ert/core/base/clock.c ert/core/base/error.c ert/core/base/file.c ert/core/base/json.c \
	ert/core/base/text.c \
	ert/core/base/units.c \
	ert/core/ceilings/ceilings.c ert/core/ceilings/file.c \
	ert/core/ceilings/traffic.c ert/core/ceilings/upgrade.c ert/core/base/fields.c \
	ert/core/kernels/kernel.c \
	ert/core/machine/machine.c ert/core/machine/machine_json.c
lib_LIBRARIES += analysis/ext/lib/libroofline.a
analysis_ext_lib_libroofline_a_SOURCES = $(libroofline_sources)
# The same as shared library: a program to automake, with the symbols of its map alone. A change of what
# programs were built against is a new number behind .so, here and in the links (tests/cli/test_library.sh).
sharedlibdir = $(libdir)
sharedlib_PROGRAMS = analysis/ext/lib/libroofline.so.0
analysis_ext_lib_libroofline_so_0_SOURCES = $(libroofline_sources)
analysis_ext_lib_libroofline_so_0_CFLAGS = $(AM_CFLAGS) -fPIC
analysis_ext_lib_libroofline_so_0_LDFLAGS = $(SANITIZER_FLAGS) $(LIBRARY_LDFLAGS) -shared -Wl,--as-needed \
	-Wl,-soname,libroofline.so.0 -Wl,--version-script=$(srcdir)/analysis/ext/lib/libroofline.map
analysis_ext_lib_libroofline_so_0_LDADD = $(CJSON_LIBS)
EXTRA_analysis_ext_lib_libroofline_so_0_DEPENDENCIES = analysis/ext/lib/libroofline.map
EXTRA_DIST += analysis/ext/lib/libroofline.map analysis/ext/lib/libroofline.abi
install-exec-local:
	$(MKDIR_P) "$(DESTDIR)$(libdir)"
	cd "$(DESTDIR)$(libdir)" && rm -f libroofline.so && $(LN_S) libroofline.so.0 libroofline.so
uninstall-development-link:
	rm -f "$(DESTDIR)$(libdir)/libroofline.so"
phony_targets += uninstall-development-link
cmakedir = $(libdir)/cmake/roofline
cmake_DATA = analysis/ext/lib/roofline-config.cmake analysis/ext/lib/roofline-config-version.cmake
include_HEADERS += analysis/ext/lib/roofline.h
pkgconfig_DATA += analysis/ext/lib/libroofline.pc
# configure's prefix is not that of `make install prefix=X`.
install-libroofline-prefix:
	sed 's|^prefix=.*|prefix=$(prefix)|' analysis/ext/lib/libroofline.pc \
	>"$(DESTDIR)$(pkgconfigdir)/libroofline.pc"
install-data-hook: install-libroofline-prefix $(valgrind_links)
phony_targets += install-libroofline-prefix install-valgrind-links
dist_man3_MANS += analysis/ext/lib/libroofline.3
EXTRA_DIST += analysis/ext/lib/README.md
