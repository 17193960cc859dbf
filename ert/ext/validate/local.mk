# SPDX-License-Identifier: BSD-3-Clause
# ert validate: proof of ceilings; ert bench: one region of a kernel.
ert_libert_a_SOURCES += \
	ert/ext/validate/claims.c ert/ext/validate/claims.h \
	ert/ext/validate/code.c ert/ext/validate/code.h \
	ert/ext/validate/listing.c ert/ext/validate/listing.h \
	ert/ext/validate/ncu.c ert/ext/validate/ncu.h \
	ert/ext/validate/replay.c ert/ext/validate/replay.h \
	ert/ext/validate/symbols.c
ert_ert_SOURCES += \
	ert/ext/validate/cmd_bench.c ert/ext/validate/cmd_validate.c
