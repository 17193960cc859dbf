# gpp/: the GPP mini-app; the library (everything but cli/) and the program ert-gpp. No contraction but
# where a build with FMA asks for it: the reference rounds every operation.

noinst_LIBRARIES += gpp/libgpp.a
gpp_libgpp_a_SOURCES = \
	gpp/problem.c gpp/problem.h \
	gpp/sizes.c gpp/systems.def \
	gpp/inputs.c gpp/input_file.c \
	gpp/reference.c gpp/reference.h
gpp_libgpp_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
GPP_LIBS = gpp/libgpp.a

EXTRA_DIST += gpp/README.md
