# SPDX-License-Identifier: BSD-3-Clause
# The extensions of ert: what ./configure --disable-extensions leaves out.
ert_ert_SOURCES += ert/ext/commands.c
ert_libert_a_SOURCES += ert/ext/backends.def ert/ext/isas.def ert/ext/kernels.def \
	ert/ext/sections.def
include ert/ext/module/local.mk
door_headers += ert/ext/kernels.def
include ert/ext/base/local.mk
include ert/ext/ncu/local.mk
include ert/ext/isa/local.mk
include ert/ext/sections/local.mk
include ert/ext/atomics/local.mk
include ert/ext/blas/local.mk
include ert/ext/issue/local.mk
include ert/ext/ert110/local.mk
include ert/ext/cuda/local.mk
include ert/ext/verify/local.mk
include ert/ext/validate/local.mk
include ert/ext/soak/local.mk
include ert/ext/fleet/local.mk
include ert/ext/net/local.mk
