# analysis/: what the numbers mean; the library (everything but cli/) and the program roofline.

noinst_LIBRARIES += analysis/librfl.a
analysis_librfl_a_SOURCES = \
	analysis/advice.c analysis/advice.h analysis/advice_parts.h \
	analysis/advice_bound.c analysis/advice_latency.c \
	analysis/hand.c analysis/hand.h \
	analysis/model.c analysis/model.h \
	analysis/place.c analysis/place.h \
	analysis/placer.c analysis/placer.h \
	analysis/points.c analysis/points.h \
	analysis/points_json.c analysis/points_json.h \
	analysis/report.c analysis/report.h \
	analysis/report_json.c analysis/report_rows.c analysis/report_text.c \
	analysis/roofline.c analysis/roofline.h \
	analysis/roofs.c analysis/roofs.h analysis/roofs_parts.h \
	analysis/roofs_at.c analysis/roofs_concurrency.c \
	analysis/strings.c analysis/strings.h \
	analysis/table.c analysis/table.h \
	analysis/views.c analysis/views.h \
	analysis/export/export.h \
	analysis/import/import.c analysis/import/import.h \
	analysis/import/kernels.c analysis/import/kernels.h \
	analysis/import/lines.c analysis/import/lines.h \
	analysis/import/ncu.c \
	analysis/import/ncu_metrics.c analysis/import/ncu_metrics.h \
	analysis/import/ncu_recipes.c analysis/import/ncu_recipes.h \
	analysis/import/ncu_settle.c \
	analysis/import/ncu_sums.c analysis/import/ncu_sums.h \
	analysis/import/nvprof.c analysis/import/nvprof_text.c \
	analysis/import/nvprof_join.c \
	analysis/import/nvprof_kernels.c analysis/import/nvprof_kernels.h \
	analysis/plot/axes.c \
	analysis/plot/box.c \
	analysis/plot/canvas.h \
	analysis/plot/caption.c \
	analysis/plot/chart.c analysis/plot/chart.h analysis/plot/chart_parts.h \
	analysis/plot/font.c analysis/plot/font.h \
	analysis/plot/layout.c analysis/plot/layout.h \
	analysis/plot/scene.c analysis/plot/scene.h analysis/plot/scene_parts.h \
	analysis/plot/scene_notes.c analysis/plot/scene_parts.c \
	analysis/plot/svg.c analysis/plot/svg.h \
	analysis/plot/tags.c \
	analysis/plot/text.c analysis/plot/text.h \
	analysis/plot/utf8.c analysis/plot/utf8.h

bin_PROGRAMS += analysis/roofline
analysis_roofline_SOURCES = \
	analysis/cli/main.c analysis/cli/commands.h \
	analysis/cli/cmd_import.c analysis/cli/points_table.c analysis/cli/points_table.h \
	analysis/cli/cmd_place.c analysis/cli/cmd_plot.c analysis/cli/cmd_show.c
analysis_roofline_LDADD = analysis/librfl.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS)

EXTRA_DIST += analysis/README.md analysis/points.schema.json analysis/placement.schema.json
