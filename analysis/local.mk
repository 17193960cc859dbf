# SPDX-License-Identifier: BSD-3-Clause
# analysis/: what the numbers mean; the library (everything but cli/) and the program roofline.

noinst_LIBRARIES += analysis/librfl.a
analysis_librfl_a_SOURCES = \
	analysis/compare.c analysis/compare.h \
	analysis/fingerprint.c \
	analysis/fingerprint.h analysis/model.c analysis/model.h \
	analysis/place.c analysis/place.h analysis/points.c \
	analysis/points.h analysis/points_json.c analysis/points_json.h analysis/portability.c \
	analysis/portability.h \
	analysis/report.c analysis/report.h \
	analysis/roofline.c analysis/roofline.h analysis/roofs.c \
	analysis/roofs.h analysis/curve.c analysis/curve.h \
	analysis/json.c analysis/json.h analysis/lists.c analysis/lists.h \
	analysis/scaling.c analysis/scaling.h analysis/strings.c analysis/strings.h \
	analysis/table.c analysis/table.h \
	analysis/export/carm.c \
	analysis/export/csv.c analysis/export/ert_json.c analysis/export/export.c \
	analysis/export/export.h analysis/export/formats.def analysis/export/json_lines.c \
	analysis/export/kerncraft.c analysis/export/ncu_section.c analysis/export/nersc.c \
	analysis/export/prometheus.c analysis/export/reframe.c \
	analysis/import/advisor.c analysis/import/ert_json.c analysis/import/ert_json.h \
	analysis/import/events.def analysis/import/formats.def analysis/import/common.c analysis/import/common.h \
	analysis/import/import.c analysis/import/import.h \
	analysis/import/input.c analysis/import/input.h \
	analysis/import/likwid.c analysis/import/metrics.c analysis/import/metrics.h \
	analysis/import/ncu.c analysis/import/ncu_recipes.def \
	analysis/import/nersc.c analysis/import/nvprof.c analysis/import/nvprof_recipes.def analysis/import/papi.c \
	analysis/import/perf.c analysis/import/perf.h analysis/import/perf_recipes.def \
	analysis/import/regions.c analysis/import/sde.c \
	analysis/import/tally.c analysis/import/tally.h analysis/import/valgrind.c analysis/import/vtune.c \
	analysis/plot/canvas.h \
	analysis/plot/chart.c analysis/plot/chart.h \
	analysis/plot/layout.c analysis/plot/layout.h \
	analysis/plot/page.c analysis/plot/page.h \
	analysis/plot/scene.c analysis/plot/scene.h \
	analysis/plot/style.c \
	analysis/plot/style.h analysis/plot/svg.c \
	analysis/plot/text.c \
	analysis/record/launches.c analysis/record/launches.h analysis/record/ncu.c \
	analysis/record/likwid.c \
	analysis/record/merge.c analysis/record/merge.h \
	analysis/record/perf.c \
	analysis/record/ranks.c analysis/record/ranks.h \
	analysis/record/record.c analysis/record/record.h analysis/record/recorders.def \
	analysis/record/regions.c analysis/record/regions.h \
	analysis/record/time.c analysis/record/valgrind.c

# PNG and PDF where Cairo is there; else a file that says why not. The other one is distributed too.
if HAVE_CAIRO
analysis_librfl_a_SOURCES += analysis/plot/cairo.c
else
analysis_librfl_a_SOURCES += analysis/plot/cairo_none.c
endif
EXTRA_DIST += analysis/plot/cairo.c analysis/plot/cairo_none.c
AM_CPPFLAGS += $(CAIRO_CFLAGS)

bin_PROGRAMS += analysis/roofline
analysis_roofline_SOURCES = \
	analysis/cli/main.c analysis/cli/commands.h \
	analysis/cli/cmd_compare.c \
	analysis/cli/cmd_export.c \
	analysis/cli/cmd_import.c \
	analysis/cli/cmd_place.c \
	analysis/cli/cmd_plot.c \
	analysis/cli/cmd_portability.c \
	analysis/cli/cmd_record.c \
	analysis/cli/cmd_scaling.c analysis/cli/cmd_show.c \
	analysis/cli/inputs.c
analysis_roofline_LDADD = analysis/librfl.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS) \
	$(CAIRO_LIBS)

# The interactive page: scripts in the order in which they stand in the page, and styles, as rows
# of numbers that plot/page.c includes.
page_scripts = \
	analysis/plot/page/data.js analysis/plot/page/text.js analysis/plot/page/state.js \
	analysis/plot/page/axes.js analysis/plot/page/roofs.js analysis/plot/page/labels.js \
	analysis/plot/page/marks.js analysis/plot/page/chart.js analysis/plot/page/tooltip.js \
	analysis/plot/page/pointer.js analysis/plot/page/switches.js analysis/plot/page/table.js \
	analysis/plot/page/main.js
page_styles = analysis/plot/page/base.css analysis/plot/page/page.css
page_bytes = od -An -v -tu1 | sed -e 's/[0-9][0-9]*/&,/g' -e 's/ //g'

analysis/plot/page_script.inc: $(page_scripts)
	$(AM_V_GEN)$(MKDIR_P) analysis/plot
	$(AM_V_at)for file in $(page_scripts); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
analysis/plot/page_style.inc: $(page_styles)
	$(AM_V_GEN)$(MKDIR_P) analysis/plot
	$(AM_V_at)for file in $(page_styles); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
analysis/plot/page.$(OBJEXT): analysis/plot/page_script.inc analysis/plot/page_style.inc
CLEANFILES += analysis/plot/page_script.inc analysis/plot/page_style.inc
EXTRA_DIST += $(page_scripts) $(page_styles)

EXTRA_DIST += analysis/README.md
dist_schema_DATA += analysis/points.schema.json analysis/placement.schema.json

# The library for other programs: what reads ceilings and knows this machine, without kernels. The
# objects are those of librfl and libert.
libroofline_sources = \
	analysis/lib/nvidia_proc.c analysis/lib/nvidia_proc.h \
	analysis/lib/roofline.c \
	analysis/fingerprint.c analysis/model.c analysis/lists.c analysis/roofs.c \
	ert/base/clock.c ert/base/error.c ert/base/file.c ert/base/json.c ert/base/text.c \
	ert/base/units.c \
	ert/ceilings/ceilings.c \
	ert/base/fields.c ert/ceilings/traffic.c ert/kernels/kernel.c \
	ert/machine/discover.c ert/machine/features.c ert/machine/host.c \
	ert/machine/machine.c ert/machine/machine_json.c
lib_LIBRARIES += analysis/lib/libroofline.a
analysis_lib_libroofline_a_SOURCES = $(libroofline_sources)
# The same as shared library: a program to automake, with the symbols of its map alone. A change of what
# programs were built against is a new number behind .so, here and in the links (tests/cli/test_library.sh).
sharedlibdir = $(libdir)
sharedlib_PROGRAMS = analysis/lib/libroofline.so.0
analysis_lib_libroofline_so_0_SOURCES = $(libroofline_sources)
analysis_lib_libroofline_so_0_CFLAGS = $(AM_CFLAGS) -fPIC
analysis_lib_libroofline_so_0_LDFLAGS = $(SANITIZER_FLAGS) $(LIBRARY_LDFLAGS) -shared -Wl,--as-needed \
	-Wl,-soname,libroofline.so.0 -Wl,--version-script=$(srcdir)/analysis/lib/libroofline.map
analysis_lib_libroofline_so_0_LDADD = $(HWLOC_LIBS) $(CJSON_LIBS)
EXTRA_analysis_lib_libroofline_so_0_DEPENDENCIES = analysis/lib/libroofline.map
EXTRA_DIST += analysis/lib/libroofline.map analysis/lib/libroofline.abi
install-exec-local:
	$(MKDIR_P) "$(DESTDIR)$(libdir)"
	cd "$(DESTDIR)$(libdir)" && rm -f libroofline.so && $(LN_S) libroofline.so.0 libroofline.so
uninstall-development-link:
	rm -f "$(DESTDIR)$(libdir)/libroofline.so"
.PHONY: uninstall-development-link
cmakedir = $(libdir)/cmake/roofline
cmake_DATA = analysis/lib/roofline-config.cmake analysis/lib/roofline-config-version.cmake
include_HEADERS += analysis/lib/roofline.h
pkgconfig_DATA += analysis/lib/libroofline.pc
# configure's prefix is not that of `make install prefix=X`.
install-libroofline-prefix:
	sed 's|^prefix=.*|prefix=$(prefix)|' analysis/lib/libroofline.pc >"$(DESTDIR)$(pkgconfigdir)/libroofline.pc"
install-data-hook: install-libroofline-prefix $(valgrind_links)
.PHONY: install-libroofline-prefix install-valgrind-links
dist_man3_MANS += analysis/lib/libroofline.3
EXTRA_DIST += analysis/lib/README.md

# The same in Python, for pip.
EXTRA_DIST += analysis/python/README.md analysis/python/pyproject.toml analysis/python/setup.py \
	analysis/python/roofline/__init__.py analysis/python/roofline/__main__.py analysis/python/roofline/py.typed

# Names of a program's regions: files to copy or to include.
include_HEADERS += analysis/region/rfl_region.h
regiondir = $(datadir)/roofline/region
dist_region_DATA = analysis/region/rfl_region.f90 analysis/region/rfl_region_fortran.c \
	analysis/region/rfl_region.py
EXTRA_DIST += analysis/region/README.md

# The Valgrind tool: linked as Valgrind's own, without libc and at the address that pkg-config tells.
# Valgrind looks for its own files beside it; its interface has functions as void pointers.
valgrinddir = $(libexecdir)/roofline/valgrind
valgrind_sources = analysis/valgrind/tool.c analysis/valgrind/decode.c analysis/valgrind/cache.c
valgrind_headers = analysis/valgrind/decode.h analysis/valgrind/cache.h
EXTRA_DIST += $(valgrind_sources) $(valgrind_headers) analysis/valgrind/README.md
# Valgrind reads its tools' debug information, too; 3.19 gives up at DWARF 5 as clang writes it.
if HAVE_VALGRIND
valgrind_SCRIPTS = analysis/valgrind/roofline-amd64-linux
analysis/valgrind/roofline-amd64-linux: $(valgrind_sources) $(valgrind_headers) Makefile
	$(AM_V_CCLD)$(MKDIR_P) analysis/valgrind
	$(AM_V_at)$(LN_S) -f $(VALGRIND_LIBEXEC)/vgpreload_core-amd64-linux.so \
		$(VALGRIND_LIBEXEC)/default.supp analysis/valgrind
	$(AM_V_at)$(CC) -std=gnu11 -gdwarf-4 -O2 $(WARNING_FLAGS) -Wno-pedantic \
		-I$(top_srcdir) -isystem $(VALGRIND_INCLUDE) -DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 \
		-DVGPV_amd64_linux_vanilla=1 -U_FORTIFY_SOURCE -fno-stack-protector \
		-fcf-protection=none -fno-builtin -fno-strict-aliasing -fomit-frame-pointer -fno-pie \
		-static -nodefaultlibs -nostartfiles -u _start \
		-Wl,-Ttext-segment=$(VALGRIND_ADDRESS) -Wl,--build-id=none -o $@ \
		$(addprefix $(top_srcdir)/,$(valgrind_sources)) \
		$(VALGRIND_LIBDIR)/valgrind/libcoregrind-amd64-linux.a \
		$(VALGRIND_LIBDIR)/valgrind/libvex-amd64-linux.a -lgcc
CLEANFILES += analysis/valgrind/roofline-amd64-linux analysis/valgrind/default.supp \
	analysis/valgrind/vgpreload_core-amd64-linux.so
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
launches_PROGRAMS = analysis/cupti/libroofline-launches.so
analysis_cupti_libroofline_launches_so_SOURCES = analysis/cupti/launches.c analysis/cupti/cupti.h \
	analysis/cupti/ranges.c analysis/cupti/ranges.h
analysis_cupti_libroofline_launches_so_CFLAGS = -std=gnu11 $(WARNING_FLAGS) -fPIC -fvisibility=hidden
analysis_cupti_libroofline_launches_so_LDFLAGS = -shared
AM_CPPFLAGS += -DRFL_LIBEXEC='"$(libexecdir)/roofline"'
