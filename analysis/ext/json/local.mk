# SPDX-License-Identifier: BSD-3-Clause
# Points and placements as JSON.
analysis_librfl_a_SOURCES += \
	analysis/ext/json/json.c analysis/ext/json/json.h \
	analysis/ext/json/placement.c
dist_schema_DATA += analysis/ext/json/placement.schema.json
