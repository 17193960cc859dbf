# SPDX-License-Identifier: BSD-3-Clause
# The core of roofline: points, place, chart.
analysis_librfl_a_SOURCES += \
	analysis/core/chart/canvas.h \
	analysis/core/chart/chart.c analysis/core/chart/chart.h \
	analysis/core/chart/draw.c analysis/core/chart/draw.h \
	analysis/core/chart/layout.c \
	analysis/core/chart/scene.c analysis/core/chart/scene.h \
	analysis/core/chart/style.c \
	analysis/core/chart/svg.c \
	analysis/core/place/curve.c \
	analysis/core/place/model.c analysis/core/place/model.h \
	analysis/core/place/place.c analysis/core/place/place.h \
	analysis/core/place/remarks.c \
	analysis/core/place/report.c analysis/core/place/report.h \
	analysis/core/place/views.c analysis/core/place/views.h \
	analysis/core/place/roofs.c analysis/core/place/roofs.h \
	analysis/core/points/levels.c analysis/core/points/levels.h \
	analysis/core/points/points.c analysis/core/points/points.h \
	analysis/core/points/points_json.c \
	analysis/core/points/reader.c analysis/core/points/reader.h \
	analysis/core/points/table.c analysis/core/points/table.h

# Where no extension draws PNG and PDF (analysis/ext/cairo), a file that says why not.
if !HAVE_CAIRO
analysis_librfl_a_SOURCES += analysis/core/chart/cairo_none.c
endif
EXTRA_DIST += analysis/core/chart/cairo_none.c

EXTRA_DIST += analysis/README.md
dist_schema_DATA += analysis/core/points/points.schema.json
