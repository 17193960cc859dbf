# SPDX-License-Identifier: BSD-3-Clause
# analysis/: what the numbers mean; the library (everything but cli/) and the program roofline.

noinst_LIBRARIES += analysis/librfl.a
analysis_librfl_a_SOURCES = \
	analysis/ext/compare/compare.c analysis/ext/compare/compare.h \
	analysis/ext/lib/fingerprint.c \
	analysis/ext/lib/fingerprint.h analysis/core/place/model.c analysis/core/place/model.h \
	analysis/core/place/place.c analysis/core/place/place.h analysis/core/points/points.c \
	analysis/core/points/points.h analysis/core/points/points_json.c \
	analysis/core/points/points_json.h analysis/ext/compare/portability.c \
	analysis/ext/compare/portability.h \
	analysis/core/place/report.c analysis/core/place/report.h \
	analysis/core/chart/draw.c analysis/core/chart/draw.h analysis/core/place/roofs.c \
	analysis/core/place/roofs.h analysis/core/place/curve.c analysis/core/place/curve.h \
	analysis/core/points/json.c analysis/core/points/json.h analysis/core/points/lists.c \
	analysis/core/points/lists.h \
	analysis/ext/compare/scaling.c analysis/ext/compare/scaling.h analysis/core/points/strings.c \
	analysis/core/points/strings.h \
	analysis/core/points/table.c analysis/core/points/table.h \
	analysis/ext/export/carm.c \
	analysis/ext/export/csv.c analysis/ext/export/ert_json.c analysis/ext/export/export.c \
	analysis/ext/export/export.h analysis/ext/export/formats.def analysis/ext/export/json_lines.c \
	analysis/ext/export/kerncraft.c analysis/ext/export/ncu_section.c analysis/ext/export/nersc.c \
	analysis/ext/export/prometheus.c analysis/ext/export/reframe.c \
	analysis/ext/import/advisor.c analysis/ext/import/ert_json.c analysis/ext/import/ert_json.h \
	analysis/ext/import/events.def analysis/ext/import/formats.def analysis/ext/import/common.c \
	analysis/ext/import/common.h \
	analysis/ext/import/import.c analysis/ext/import/import.h \
	analysis/ext/import/input.c analysis/ext/import/input.h \
	analysis/ext/import/likwid.c analysis/ext/import/metrics.c analysis/ext/import/metrics.h \
	analysis/ext/import/ncu.c analysis/ext/import/ncu_recipes.def \
	analysis/ext/import/nersc.c analysis/ext/import/nvprof.c analysis/ext/import/nvprof_recipes.def \
	analysis/ext/import/papi.c \
	analysis/ext/import/perf.c analysis/ext/import/perf.h analysis/ext/import/perf_recipes.def \
	analysis/ext/import/regions.c analysis/ext/import/sde.c \
	analysis/ext/import/tally.c analysis/ext/import/tally.h analysis/ext/import/valgrind.c \
	analysis/ext/import/vtune.c \
	analysis/core/chart/canvas.h \
	analysis/core/chart/chart.c analysis/core/chart/chart.h \
	analysis/core/chart/layout.c analysis/core/chart/layout.h \
	analysis/ext/page/page.c analysis/ext/page/page.h \
	analysis/core/chart/scene.c analysis/core/chart/scene.h \
	analysis/core/chart/style.c \
	analysis/core/chart/style.h analysis/core/chart/svg.c \
	analysis/core/chart/text.c \
	analysis/ext/record/launches.c analysis/ext/record/launches.h analysis/ext/record/ncu.c \
	analysis/ext/record/likwid.c \
	analysis/ext/record/merge.c analysis/ext/record/merge.h \
	analysis/ext/record/perf.c \
	analysis/ext/record/ranks.c analysis/ext/record/ranks.h \
	analysis/ext/record/record.c analysis/ext/record/record.h analysis/ext/record/recorders.def \
	analysis/ext/record/regions.c analysis/ext/record/regions.h \
	analysis/ext/record/time.c analysis/ext/record/valgrind.c

# PNG and PDF where Cairo is there; else a file that says why not. The other one is distributed too.
if HAVE_CAIRO
analysis_librfl_a_SOURCES += analysis/core/chart/cairo.c
else
analysis_librfl_a_SOURCES += analysis/core/chart/cairo_none.c
endif
EXTRA_DIST += analysis/core/chart/cairo.c analysis/core/chart/cairo_none.c
AM_CPPFLAGS += $(CAIRO_CFLAGS)

bin_PROGRAMS += analysis/roofline
analysis_roofline_SOURCES = \
	analysis/cli/main.c analysis/cli/commands.h \
	analysis/ext/compare/cmd_compare.c \
	analysis/ext/export/cmd_export.c \
	analysis/ext/import/cmd_import.c \
	analysis/cli/cmd_place.c \
	analysis/cli/cmd_plot.c \
	analysis/ext/compare/cmd_portability.c \
	analysis/ext/record/cmd_record.c \
	analysis/ext/compare/cmd_scaling.c analysis/cli/cmd_show.c \
	analysis/cli/inputs.c
analysis_roofline_LDADD = analysis/librfl.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS) \
	$(CAIRO_LIBS)

# The interactive page: scripts in the order in which they stand in the page, and styles, as rows
# of numbers that plot/page.c includes.
page_scripts = \
	analysis/ext/page/parts/data.js analysis/ext/page/parts/text.js analysis/ext/page/parts/state.js \
	analysis/ext/page/parts/axes.js analysis/ext/page/parts/roofs.js analysis/ext/page/parts/labels.js \
	analysis/ext/page/parts/marks.js analysis/ext/page/parts/chart.js \
	analysis/ext/page/parts/tooltip.js \
	analysis/ext/page/parts/pointer.js analysis/ext/page/parts/switches.js \
	analysis/ext/page/parts/table.js \
	analysis/ext/page/parts/main.js
page_styles = analysis/ext/page/parts/base.css analysis/ext/page/parts/page.css
page_bytes = od -An -v -tu1 | sed -e 's/[0-9][0-9]*/&,/g' -e 's/ //g'

analysis/ext/page/page_script.inc: $(page_scripts)
	$(AM_V_GEN)$(MKDIR_P) analysis/core/chart
	$(AM_V_at)for file in $(page_scripts); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
analysis/ext/page/page_style.inc: $(page_styles)
	$(AM_V_GEN)$(MKDIR_P) analysis/core/chart
	$(AM_V_at)for file in $(page_styles); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
analysis/ext/page/page.$(OBJEXT): analysis/ext/page/page_script.inc analysis/ext/page/page_style.inc
CLEANFILES += analysis/ext/page/page_script.inc analysis/ext/page/page_style.inc
EXTRA_DIST += $(page_scripts) $(page_styles)

EXTRA_DIST += analysis/README.md
dist_schema_DATA += analysis/core/points/points.schema.json analysis/core/place/placement.schema.json

# The library for other programs: what reads ceilings and knows this machine, without kernels. The
# objects are those of librfl and libert.
libroofline_sources = \
	analysis/ext/lib/nvidia_proc.c analysis/ext/lib/nvidia_proc.h \
	analysis/ext/lib/roofline.c \
	analysis/ext/lib/fingerprint.c analysis/core/place/model.c analysis/core/points/lists.c \
	analysis/core/place/roofs.c \
	ert/core/base/clock.c ert/core/base/error.c ert/core/base/file.c ert/core/base/json.c \
	ert/core/base/text.c \
	ert/core/base/units.c \
	ert/core/ceilings/ceilings.c \
	ert/core/base/fields.c ert/core/ceilings/traffic.c ert/core/kernels/kernel.c \
	ert/core/machine/discover.c ert/core/machine/features.c ert/core/machine/host.c \
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
analysis_ext_lib_libroofline_so_0_LDADD = $(HWLOC_LIBS) $(CJSON_LIBS)
EXTRA_analysis_ext_lib_libroofline_so_0_DEPENDENCIES = analysis/ext/lib/libroofline.map
EXTRA_DIST += analysis/ext/lib/libroofline.map analysis/ext/lib/libroofline.abi
install-exec-local:
	$(MKDIR_P) "$(DESTDIR)$(libdir)"
	cd "$(DESTDIR)$(libdir)" && rm -f libroofline.so && $(LN_S) libroofline.so.0 libroofline.so
uninstall-development-link:
	rm -f "$(DESTDIR)$(libdir)/libroofline.so"
.PHONY: uninstall-development-link
cmakedir = $(libdir)/cmake/roofline
cmake_DATA = analysis/ext/lib/roofline-config.cmake analysis/ext/lib/roofline-config-version.cmake
include_HEADERS += analysis/ext/lib/roofline.h
pkgconfig_DATA += analysis/ext/lib/libroofline.pc
# configure's prefix is not that of `make install prefix=X`.
install-libroofline-prefix:
	sed 's|^prefix=.*|prefix=$(prefix)|' analysis/ext/lib/libroofline.pc \
	>"$(DESTDIR)$(pkgconfigdir)/libroofline.pc"
install-data-hook: install-libroofline-prefix $(valgrind_links)
.PHONY: install-libroofline-prefix install-valgrind-links
dist_man3_MANS += analysis/ext/lib/libroofline.3
EXTRA_DIST += analysis/ext/lib/README.md

# The same in Python, for pip.
EXTRA_DIST += analysis/ext/python/README.md analysis/ext/python/pyproject.toml \
	analysis/ext/python/setup.py \
	analysis/ext/python/roofline/__init__.py analysis/ext/python/roofline/__main__.py \
	analysis/ext/python/roofline/py.typed

# Names of a program's regions: files to copy or to include.
include_HEADERS += analysis/ext/region/rfl_region.h
regiondir = $(datadir)/roofline/region
dist_region_DATA = analysis/ext/region/rfl_region.f90 analysis/ext/region/rfl_region_fortran.c \
	analysis/ext/region/rfl_region.py
EXTRA_DIST += analysis/ext/region/README.md

# The Valgrind tool: linked as Valgrind's own, without libc and at the address that pkg-config tells.
# Valgrind looks for its own files beside it; its interface has functions as void pointers.
valgrinddir = $(libexecdir)/roofline/valgrind
valgrind_sources = analysis/ext/record/valgrind/tool.c analysis/ext/record/valgrind/decode.c \
	analysis/ext/record/valgrind/cache.c
valgrind_headers = analysis/ext/record/valgrind/decode.h analysis/ext/record/valgrind/cache.h
EXTRA_DIST += $(valgrind_sources) $(valgrind_headers) analysis/ext/record/valgrind/README.md
# Valgrind reads its tools' debug information, too; 3.19 gives up at DWARF 5 as clang writes it.
if HAVE_VALGRIND
valgrind_SCRIPTS = analysis/ext/record/valgrind/roofline-amd64-linux
analysis/ext/record/valgrind/roofline-amd64-linux: $(valgrind_sources) $(valgrind_headers) Makefile
	$(AM_V_CCLD)$(MKDIR_P) analysis/ext/record/valgrind
	$(AM_V_at)$(LN_S) -f $(VALGRIND_LIBEXEC)/vgpreload_core-amd64-linux.so \
		$(VALGRIND_LIBEXEC)/default.supp analysis/ext/record/valgrind
	$(AM_V_at)$(CC) -std=gnu11 -gdwarf-4 -O2 $(WARNING_FLAGS) -Wno-pedantic \
		-I$(top_srcdir) -isystem $(VALGRIND_INCLUDE) -DVGA_amd64=1 -DVGO_linux=1 \
	-DVGP_amd64_linux=1 \
		-DVGPV_amd64_linux_vanilla=1 -U_FORTIFY_SOURCE -fno-stack-protector \
		-fcf-protection=none -fno-builtin -fno-strict-aliasing -fomit-frame-pointer -fno-pie \
		-static -nodefaultlibs -nostartfiles -u _start \
		-Wl,-Ttext-segment=$(VALGRIND_ADDRESS) -Wl,--build-id=none -o $@ \
		$(addprefix $(top_srcdir)/,$(valgrind_sources)) \
		$(VALGRIND_LIBDIR)/valgrind/libcoregrind-amd64-linux.a \
		$(VALGRIND_LIBDIR)/valgrind/libvex-amd64-linux.a -lgcc
CLEANFILES += analysis/ext/record/valgrind/roofline-amd64-linux analysis/ext/record/valgrind/default.supp \
	analysis/ext/record/valgrind/vgpreload_core-amd64-linux.so
valgrind_links = install-valgrind-links
install-valgrind-links:
	$(LN_S) -f $(VALGRIND_LIBEXEC)/vgpreload_core-amd64-linux.so $(VALGRIND_LIBEXEC)/default.supp \
		$(DESTDIR)$(valgrinddir)
uninstall-hook:
	rm -f $(DESTDIR)$(valgrinddir)/vgpreload_core-amd64-linux.so $(DESTDIR)$(valgrinddir)/default.supp
endif

# What CUDA loads into a program that is recorded (CUDA_INJECTION64_PATH). It declares what it needs of CUPTI,
# so that it is built everywhere; it must go into any program, so without sanitizers and what they link with.
launchesdir = $(libexecdir)/roofline/cupti
launches_PROGRAMS = analysis/ext/record/cupti/libroofline-launches.so
analysis_ext_record_cupti_libroofline_launches_so_SOURCES = analysis/ext/record/cupti/launches.c \
	analysis/ext/record/cupti/cupti.h \
	analysis/ext/record/cupti/ranges.c analysis/ext/record/cupti/ranges.h
analysis_ext_record_cupti_libroofline_launches_so_CFLAGS = -std=gnu11 $(WARNING_FLAGS) -fPIC \
	-fvisibility=hidden
analysis_ext_record_cupti_libroofline_launches_so_LDFLAGS = -shared
AM_CPPFLAGS += -DRFL_LIBEXEC='"$(libexecdir)/roofline"'
