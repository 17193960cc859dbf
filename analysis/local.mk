# analysis/: what the numbers mean; the library (everything but cli/) and the program roofline.

noinst_LIBRARIES += analysis/librfl.a
analysis_librfl_a_SOURCES = \
	analysis/model.c analysis/model.h \
	analysis/place.h \
	analysis/points.c analysis/points.h \
	analysis/points_json.c analysis/points_json.h \
	analysis/roofline.c analysis/roofline.h \
	analysis/roofs.h \
	analysis/strings.c analysis/strings.h \
	analysis/table.c analysis/table.h \
	analysis/export/export.h \
	analysis/import/import.c analysis/import/import.h \
	analysis/import/lines.c analysis/import/lines.h \
	analysis/plot/axes.c \
	analysis/plot/box.c \
	analysis/plot/cairo.h \
	analysis/plot/canvas.h \
	analysis/plot/caption.c \
	analysis/plot/chart.c analysis/plot/chart.h analysis/plot/chart_parts.h \
	analysis/plot/font.c analysis/plot/font.h \
	analysis/plot/gnuplot.c analysis/plot/gnuplot.h analysis/plot/gnuplot_parts.h \
	analysis/plot/gnuplot_script.c \
	analysis/plot/layout.c analysis/plot/layout.h \
	analysis/plot/marks.c \
	analysis/plot/names.c analysis/plot/names.h \
	analysis/plot/output.c analysis/plot/output.h \
	analysis/plot/scene.c analysis/plot/scene.h analysis/plot/scene_parts.h \
	analysis/plot/scene_drops.c analysis/plot/scene_drops.h \
	analysis/plot/scene_kernels.c analysis/plot/scene_links.c \
	analysis/plot/scene_notes.c analysis/plot/scene_parts.c analysis/plot/scene_roofs.c \
	analysis/plot/style.c analysis/plot/style.h \
	analysis/plot/svg.c analysis/plot/svg.h \
	analysis/plot/tags.c \
	analysis/plot/text.c analysis/plot/text.h \
	analysis/plot/utf8.c analysis/plot/utf8.h

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
	analysis/cli/cmd_plot.c analysis/cli/cmd_show.c
analysis_roofline_LDADD = analysis/librfl.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS) \
	$(CAIRO_LIBS)

EXTRA_DIST += analysis/README.md
