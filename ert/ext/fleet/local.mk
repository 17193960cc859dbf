# SPDX-License-Identifier: BSD-3-Clause
# ert fleet: records of many nodes, and what they say.
ert_libert_a_SOURCES += \
	ert/ext/fleet/fleet.c ert/ext/fleet/fleet.h \
	ert/ext/fleet/folder.c \
	ert/ext/fleet/hosts.c ert/ext/fleet/hosts.h \
	ert/ext/fleet/judge.c \
	ert/ext/fleet/outliers.c ert/ext/fleet/outliers.h \
	ert/ext/fleet/net_record.c ert/ext/fleet/net_record.h \
	ert/ext/fleet/outputs.c \
	ert/ext/fleet/record.c ert/ext/fleet/record.h \
	ert/ext/fleet/rounds.c \
	ert/ext/fleet/links.c ert/ext/fleet/links.h \
	ert/ext/fleet/network.c \
	ert/ext/fleet/pairs.c
ert_ert_SOURCES += \
	ert/ext/fleet/cmd_fleet.c \
	ert/ext/fleet/fleet_node.c \
	ert/ext/fleet/fleet_merge.c
dist_schema_DATA += ert/ext/fleet/fleet.schema.json ert/ext/fleet/net_record.schema.json \
	ert/ext/fleet/record.schema.json
