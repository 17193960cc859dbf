# SPDX-License-Identifier: BSD-3-Clause
# ert-net: the network between hosts.
# With MPI's own compiler; MPICH's MPI_STATUSES_IGNORE is an address that gcc takes for an array.
net_sources = ert/ext/net/net.h \
	ert/ext/net/main.c ert/ext/net/link.c ert/ext/net/master.c ert/ext/net/wait.c ert/ext/net/world.c
if HAVE_MPI
bin_PROGRAMS += ert/ext/net/ert-net
manual_programs += ert/ext/net/ert-net
ert_ext_net_ert_net_SOURCES = $(net_sources)
ert_ext_net_ert_net_CFLAGS = $(AM_CFLAGS) -Wno-stringop-overflow
ert_ext_net_ert_net_LDADD = ert/libert.a $(BACKEND_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS)
ert_ext_net_ert_net_LINK = $(MPICC) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
$(ert_ext_net_ert_net_OBJECTS): CC = $(MPICC)
endif
EXTRA_DIST += $(net_sources) ert/ext/net/README.md tests/fleet/planted_net.c
