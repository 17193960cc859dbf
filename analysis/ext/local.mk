# SPDX-License-Identifier: BSD-3-Clause
# The extensions of roofline: what ./configure --disable-extensions leaves out.
analysis_roofline_SOURCES += analysis/ext/commands.c
include analysis/ext/advice/local.mk
include analysis/ext/cairo/local.mk
include analysis/ext/import/local.mk
include analysis/ext/json/local.mk
include analysis/ext/record/local.mk
include analysis/ext/compare/local.mk
include analysis/ext/page/local.mk
include analysis/ext/lib/local.mk
include analysis/ext/python/local.mk
include analysis/ext/region/local.mk
include analysis/ext/views/local.mk
