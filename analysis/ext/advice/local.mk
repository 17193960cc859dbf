# SPDX-License-Identifier: BSD-3-Clause
# What would help a kernel: a table of rules.
analysis_librfl_a_SOURCES += \
	analysis/ext/advice/advice.c analysis/ext/advice/advice.h analysis/ext/advice/rules.def
