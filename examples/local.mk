# SPDX-License-Identifier: BSD-3-Clause
# examples/: the codes of the Roofline tutorials, a program each; example.c is what they share. Not installed:
# they are built where they are measured.
example_programs = examples/stream examples/stencil examples/smoother examples/gemm examples/toypush
example_common = examples/example.c examples/example.h
example_libs = ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS)
examples_stream_SOURCES = examples/stream.c $(example_common)
examples_stencil_SOURCES = examples/stencil.c $(example_common)
examples_smoother_SOURCES = examples/smoother.c $(example_common)
examples_gemm_SOURCES = examples/gemm.c $(example_common)
examples_toypush_SOURCES = examples/toypush.c $(example_common)
examples_stream_LDADD = $(example_libs)
examples_stencil_LDADD = $(example_libs)
examples_smoother_LDADD = $(example_libs)
examples_gemm_LDADD = $(example_libs)
examples_toypush_LDADD = $(example_libs)

# The GPU's; each is also linked with what they share.
example_cuda = examples/gpu/stream.cu examples/gpu/stencil.cu examples/gpu/smoother.cu \
	examples/gpu/gemm.cu
if HAVE_CUDA
example_programs += examples/gpu/stream examples/gpu/stencil examples/gpu/smoother examples/gpu/gemm
example_gpu_common = $(example_common) examples/gpu/gpu.cu examples/gpu/gpu.h
examples_gpu_stream_SOURCES = examples/gpu/stream.cu $(example_gpu_common)
examples_gpu_stencil_SOURCES = examples/gpu/stencil.cu $(example_gpu_common)
examples_gpu_smoother_SOURCES = examples/gpu/smoother.cu $(example_gpu_common)
examples_gpu_gemm_SOURCES = examples/gpu/gemm.cu $(example_gpu_common)
examples_gpu_stream_LDADD = ert/libertcuda.a $(example_libs) $(CUDA_LIBS)
examples_gpu_stencil_LDADD = ert/libertcuda.a $(example_libs) $(CUDA_LIBS)
examples_gpu_smoother_LDADD = ert/libertcuda.a $(example_libs) $(CUDA_LIBS)
examples_gpu_gemm_LDADD = ert/libertcuda.a $(example_libs) $(CUDA_LIBS)
$(example_cuda:.cu=.o) examples/gpu/gpu.o: examples/gpu/gpu.h examples/example.h
endif
noinst_PROGRAMS += $(example_programs)

# As a user would compile what is to be fast; behind CFLAGS, whose -O2 would win. No hardening in what is
# measured.
example_objects = examples/example.$(OBJEXT) examples/stream.$(OBJEXT) examples/stencil.$(OBJEXT) \
	examples/smoother.$(OBJEXT) examples/gemm.$(OBJEXT) examples/toypush.$(OBJEXT)
$(example_objects): CFLAGS += -O3 -fno-math-errno -fno-trapping-math -ffp-contract=fast $(example_vectors)
$(example_objects): HARDENING_CFLAGS =
if CPU_X86
example_vectors = -mprefer-vector-width=512
endif

EXTRA_DIST += examples/README.md examples/tutorial.md examples/stream.md examples/stencil.md \
	examples/smoother.md examples/gemm.md examples/toypush.md examples/conv2d.md examples/run \
	examples/conv2d.py $(example_cuda) examples/gpu/gpu.cu examples/gpu/gpu.h
