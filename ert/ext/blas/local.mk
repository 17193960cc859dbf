# SPDX-License-Identifier: BSD-3-Clause
# Matrix products of the machine's BLAS, which is opened where it is.
ert_libert_a_SOURCES += ert/ext/blas/kernels.def
door_headers += ert/ext/blas/kernels.def
noinst_LIBRARIES += ert/ext/blas/libblas.a
ert_ext_blas_libblas_a_SOURCES = ert/ext/blas/blas.c
ert_ext_blas_libblas_a_CFLAGS = $(cpu_kernel_flags)
BACKEND_LIBS += ert/ext/blas/libblas.a
