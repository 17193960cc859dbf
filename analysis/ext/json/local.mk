# SPDX-License-Identifier: BSD-3-Clause
# Points and placements as JSON.
analysis_librfl_a_SOURCES += \
	analysis/ext/json/json.c analysis/ext/json/json.h \
	analysis/ext/json/placement.c analysis/ext/json/placement.h \
	analysis/ext/json/points_write.c analysis/ext/json/points_write.h
dist_schema_DATA += analysis/ext/json/placement.schema.json
