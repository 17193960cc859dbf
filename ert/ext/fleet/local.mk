# SPDX-License-Identifier: BSD-3-Clause
# ert fleet: records of many nodes, and what they say.
ert_libert_a_SOURCES += \
	ert/ext/fleet/fleet.c ert/ext/fleet/fleet.h \
	ert/ext/fleet/fleet_json.c \
	ert/ext/fleet/folder.c ert/ext/fleet/folder.h \
	ert/ext/fleet/hosts.c ert/ext/fleet/hosts.h \
	ert/ext/fleet/judge.c \
	ert/ext/fleet/node.c ert/ext/fleet/node.h \
	ert/ext/fleet/outliers.c ert/ext/fleet/outliers.h \
	ert/ext/fleet/net_record.c ert/ext/fleet/net_record.h \
	ert/ext/fleet/outputs.c ert/ext/fleet/outputs.h \
	ert/ext/fleet/record.c ert/ext/fleet/record.h \
	ert/ext/fleet/rounds.c ert/ext/fleet/rounds.h \
	ert/ext/fleet/links.c ert/ext/fleet/links.h \
	ert/ext/fleet/network.c \
	ert/ext/fleet/pairs.c ert/ext/fleet/pairs.h
ert_ert_SOURCES += \
	ert/ext/fleet/cmd_fleet.c \
	ert/ext/fleet/fleet_node.c \
	ert/ext/fleet/fleet_merge.c
dist_schema_DATA += ert/ext/fleet/fleet.schema.json ert/ext/fleet/net_record.schema.json \
	ert/ext/fleet/record.schema.json

# The page: its script and styles behind those of the roofline page that give it numbers and colours.
fleet_page_scripts = analysis/ext/page/parts/text.js ert/ext/fleet/page.js
fleet_page_styles = analysis/ext/page/parts/base.css ert/ext/fleet/page.css
ert/ext/fleet/page_script.inc: $(fleet_page_scripts)
	$(AM_V_GEN)$(MKDIR_P) ert/ext/fleet
	$(AM_V_at)for file in $(fleet_page_scripts); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
ert/ext/fleet/page_style.inc: $(fleet_page_styles)
	$(AM_V_GEN)$(MKDIR_P) ert/ext/fleet
	$(AM_V_at)for file in $(fleet_page_styles); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
ert/ext/fleet/outputs.$(OBJEXT): ert/ext/fleet/page_script.inc ert/ext/fleet/page_style.inc
CLEANFILES += ert/ext/fleet/page_script.inc ert/ext/fleet/page_style.inc
EXTRA_DIST += $(fleet_page_scripts) $(fleet_page_styles)
