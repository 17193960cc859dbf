# SPDX-License-Identifier: BSD-3-Clause
# roofline export
analysis_roofline_SOURCES += \
	analysis/ext/export/cmd_export.c
