# SPDX-License-Identifier: BSD-3-Clause
# What several extensions share.
ert_libert_a_SOURCES += \
	ert/ext/base/lines.c ert/ext/base/lines.h \
	ert/ext/base/tool.c ert/ext/base/tool.h
