# analysis/: what the numbers mean; the library (everything but cli/) and the program roofline.

noinst_LIBRARIES += analysis/librfl.a
analysis_librfl_a_SOURCES = \
	analysis/fingerprint.c analysis/fingerprint.h \
	analysis/advice.c analysis/advice.h \
	analysis/model.c analysis/model.h \
	analysis/place.c analysis/place.h \
	analysis/points.c analysis/points.h \
	analysis/points_json.c analysis/points_json.h \
	analysis/roofline.c analysis/roofline.h \
	analysis/roofs.c analysis/roofs.h analysis/roofs_parts.h \
	analysis/roofs_at.c analysis/roofs_concurrency.c \
	analysis/strings.c analysis/strings.h \
	analysis/table.c analysis/table.h \
	analysis/export/export.h \
	analysis/import/import.c analysis/import/import.h \
	analysis/import/lines.c analysis/import/lines.h \
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
	analysis/cli/cmd_plot.c analysis/cli/cmd_show.c
analysis_roofline_LDADD = analysis/librfl.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS)

EXTRA_DIST += analysis/README.md

# The library for other programs: what reads ceilings and knows this machine, without kernels. The
# objects are those of librfl and libert.
lib_LIBRARIES += analysis/lib/libroofline.a
analysis_lib_libroofline_a_SOURCES = \
	analysis/lib/nvidia_proc.c analysis/lib/nvidia_proc.h \
	analysis/lib/roofline.c \
	analysis/fingerprint.c analysis/model.c analysis/roofs.c analysis/roofs_at.c \
	analysis/roofs_concurrency.c \
	ert/base/error.c ert/base/file.c ert/base/json.c ert/base/json_read.c \
	ert/base/json_text.c ert/base/json_write.c ert/base/units.c \
	ert/ceilings/ceilings.c ert/ceilings/ceilings_json.c ert/ceilings/ceilings_rows.c \
	ert/ceilings/fields.c ert/kernels/kernel.c \
	ert/machine/clocks.c ert/machine/discover.c ert/machine/features_aarch64.c \
	ert/machine/features_none.c ert/machine/features_x86.c ert/machine/limits.c \
	ert/machine/machine.c ert/machine/machine_json.c ert/machine/machine_read.c \
	ert/machine/machine_rows.c ert/machine/topology.c ert/machine/topology_cores.c \
	ert/machine/topology_gpus.c ert/machine/topology_levels.c \
	ert/machine/topology_memory.c ert/machine/topology_trial.c
include_HEADERS += analysis/lib/roofline.h
pkgconfig_DATA += analysis/lib/libroofline.pc
dist_man3_MANS += analysis/lib/libroofline.3
EXTRA_DIST += analysis/lib/README.md
