# SPDX-License-Identifier: BSD-3-Clause
# roofline record: a file for each recorder.
analysis_librfl_a_SOURCES += \
	analysis/ext/record/code.c \
	analysis/ext/record/launches.c \
	analysis/ext/record/merge.c \
	analysis/ext/record/ncu.c \
	analysis/ext/record/perf.c \
	analysis/ext/record/record.c analysis/ext/record/record.h \
	analysis/ext/record/recorders.def \
	analysis/ext/record/timing.c \
	analysis/ext/record/valgrind.c
analysis_roofline_SOURCES += \
	analysis/ext/record/cmd_record.c

# The Valgrind tool: linked as Valgrind's own, without libc and at the address that pkg-config tells.
# Valgrind looks for its own files beside it; its interface has functions as void pointers.
valgrinddir = $(libexecdir)/roofline/valgrind
valgrind_sources = analysis/ext/record/valgrind/tool.c analysis/ext/record/valgrind/decode.c \
	analysis/ext/record/valgrind/cache.c analysis/ext/record/valgrind/code.c \
	analysis/ext/record/valgrind/chain.c analysis/ext/record/valgrind/fma.c
valgrind_headers = analysis/ext/record/valgrind/cache.h analysis/ext/record/valgrind/code.h \
	analysis/ext/record/valgrind/object.h
EXTRA_DIST += $(valgrind_sources) $(valgrind_headers) analysis/ext/record/valgrind/README.md
# Valgrind reads its tools' debug information, too; 3.19 gives up at DWARF 5 as clang writes it.
if HAVE_VALGRIND
valgrind_SCRIPTS = analysis/ext/record/valgrind/roofline-amd64-linux
analysis/ext/record/valgrind/roofline-amd64-linux: $(valgrind_sources) $(valgrind_headers) Makefile
	$(AM_V_CCLD)$(MKDIR_P) analysis/ext/record/valgrind
	$(AM_V_at)$(LN_S) -f $(VALGRIND_LIBEXEC)/vgpreload_core-amd64-linux.so \
		$(VALGRIND_LIBEXEC)/default.supp analysis/ext/record/valgrind
	$(AM_V_at)$(CC) -std=gnu11 -gdwarf-4 -O2 $(WARNING_FLAGS) -Wno-pedantic \
		-I$(top_srcdir) -isystem $(VALGRIND_INCLUDE) -DVGA_amd64=1 -DVGO_linux=1 \
	-DVGP_amd64_linux=1 \
		-DVGPV_amd64_linux_vanilla=1 -U_FORTIFY_SOURCE -fno-stack-protector \
		-fcf-protection=none -fno-builtin -fno-strict-aliasing -fomit-frame-pointer -fno-pie \
		-static -nodefaultlibs -nostartfiles -u _start \
		-Wl,-Ttext-segment=$(VALGRIND_ADDRESS) -Wl,--build-id=none -o $@ \
		$(addprefix $(top_srcdir)/,$(valgrind_sources)) \
		$(VALGRIND_LIBDIR)/valgrind/libcoregrind-amd64-linux.a \
		$(VALGRIND_LIBDIR)/valgrind/libvex-amd64-linux.a -lgcc
CLEANFILES += analysis/ext/record/valgrind/roofline-amd64-linux analysis/ext/record/valgrind/default.supp \
	analysis/ext/record/valgrind/vgpreload_core-amd64-linux.so
# What is preloaded into a program to see where its time goes: as the next one, into any program.
sampler_PROGRAMS = analysis/ext/record/valgrind/libroofline-sampler.so
samplerdir = $(valgrinddir)
analysis_ext_record_valgrind_libroofline_sampler_so_SOURCES = analysis/ext/record/valgrind/sampler.c
analysis_ext_record_valgrind_libroofline_sampler_so_CFLAGS = -std=gnu11 $(WARNING_FLAGS) -fPIC \
	-fvisibility=hidden -isystem $(VALGRIND_INCLUDE)
analysis_ext_record_valgrind_libroofline_sampler_so_LDFLAGS = -shared
valgrind_links = install-valgrind-links
install-valgrind-links:
	$(LN_S) -f $(VALGRIND_LIBEXEC)/vgpreload_core-amd64-linux.so $(VALGRIND_LIBEXEC)/default.supp \
		$(DESTDIR)$(valgrinddir)
uninstall-hook:
	rm -f $(DESTDIR)$(valgrinddir)/vgpreload_core-amd64-linux.so $(DESTDIR)$(valgrinddir)/default.supp
endif

# What CUDA loads into a program that is recorded (CUDA_INJECTION64_PATH). It declares what it needs of CUPTI,
# so that it is built everywhere; it must go into any program, so without sanitizers and what they link with.
launchesdir = $(libexecdir)/roofline/cupti
launches_PROGRAMS = analysis/ext/record/cupti/libroofline-launches.so
analysis_ext_record_cupti_libroofline_launches_so_SOURCES = analysis/ext/record/cupti/launches.c \
	analysis/ext/record/cupti/cupti.h
analysis_ext_record_cupti_libroofline_launches_so_CFLAGS = -std=gnu11 $(WARNING_FLAGS) -fPIC \
	-fvisibility=hidden
analysis_ext_record_cupti_libroofline_launches_so_LDFLAGS = -shared
AM_CPPFLAGS += -DRFL_LIBEXEC='"$(libexecdir)/roofline"'
