# SPDX-License-Identifier: BSD-3-Clause
# ert verify: a recorded ceiling again.
ert_libert_a_SOURCES += \
	ert/ext/verify/verify.c ert/ext/verify/verify.h
ert_ert_SOURCES += \
	ert/ext/verify/cmd_verify.c ert/ext/verify/verification.c
