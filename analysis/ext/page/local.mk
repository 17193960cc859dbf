# SPDX-License-Identifier: BSD-3-Clause
analysis_librfl_a_SOURCES += \
	analysis/ext/page/page.c

# The interactive page: scripts in the order in which they stand in the page, and styles, as rows
# of numbers that plot/page.c includes.
page_scripts = \
	analysis/ext/page/parts/data.js analysis/ext/page/parts/text.js analysis/ext/page/parts/state.js \
	analysis/ext/page/parts/axes.js analysis/ext/page/parts/roofs.js analysis/ext/page/parts/labels.js \
	analysis/ext/page/parts/marks.js analysis/ext/page/parts/chart.js \
	analysis/ext/page/parts/tooltip.js \
	analysis/ext/page/parts/pointer.js analysis/ext/page/parts/switches.js \
	analysis/ext/page/parts/table.js \
	analysis/ext/page/parts/main.js
page_styles = analysis/ext/page/parts/base.css analysis/ext/page/parts/page.css
page_bytes = od -An -v -tu1 | sed -e 's/[0-9][0-9]*/&,/g' -e 's/ //g'

analysis/ext/page/page_script.inc: $(page_scripts)
	$(AM_V_GEN)$(MKDIR_P) analysis/core/chart
	$(AM_V_at)for file in $(page_scripts); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
analysis/ext/page/page_style.inc: $(page_styles)
	$(AM_V_GEN)$(MKDIR_P) analysis/core/chart
	$(AM_V_at)for file in $(page_styles); do sed 1d "$(srcdir)/$$file"; done | \
		$(page_bytes) >$@.new && mv $@.new $@
analysis/ext/page/page.$(OBJEXT): analysis/ext/page/page_script.inc analysis/ext/page/page_style.inc
CLEANFILES += analysis/ext/page/page_script.inc analysis/ext/page/page_style.inc
EXTRA_DIST += $(page_scripts) $(page_styles)
