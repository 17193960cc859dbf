# SPDX-License-Identifier: BSD-3-Clause
# docs/: manuals and completions. The manuals are made by running the programs that were built: not where they
# are built for another machine.

manual_date = November 23, 2026
manual_scripts = docs/help.sh docs/man.awk docs/markdown.awk docs/roff.awk docs/schema.awk
manual_pages = ert/method.md configs/README.md
if RUNS_HERE
noinst_DATA = docs/manuals.stamp
endif
make_manual = $(AWK) -v out=docs/man -v date="$(manual_date)" -f $(srcdir)/docs/roff.awk
docs/manuals.stamp: $(manual_programs) $(manual_scripts) $(manual_pages) $(dist_schema_DATA) docs/local.mk
	$(AM_V_GEN)rm -rf docs/man docs/help
	$(AM_V_at)$(MKDIR_P) docs/help docs/man/man1 docs/man/man5 docs/man/man7
	$(AM_V_at)for program in $(manual_programs); do name=$${program##*/}; \
		$(SHELL) $(srcdir)/docs/help.sh $$name ./$$program >docs/help/$$name && \
		$(make_manual) -f $(srcdir)/docs/man.awk docs/help/$$name || exit 1; done
	$(AM_V_at)for file in $(dist_schema_DATA); do $(make_manual) -f $(srcdir)/docs/schema.awk \
		-v schemas=$(schemadir) $(srcdir)/$$file || exit 1; done
	$(AM_V_at)$(make_manual) -f $(srcdir)/docs/markdown.awk -v page=ert-config -v section=5 \
		-v about="presets and configurations of ert run" $(srcdir)/configs/README.md
	$(AM_V_at)$(make_manual) -f $(srcdir)/docs/markdown.awk -v page=ert-method -v section=7 \
		-v about="how ert measures, judges and proves" $(srcdir)/ert/method.md
	$(AM_V_at)touch $@
install-data-local:
	for file in docs/man/man*/*; do test ! -f $$file || { name=$${file#docs/man/}; \
		$(MKDIR_P) "$(DESTDIR)$(mandir)/$${name%/*}" && \
		$(INSTALL_DATA) $$file "$(DESTDIR)$(mandir)/$$name"; } || exit 1; done
	$(MKDIR_P) "$(DESTDIR)$(bashdir)" "$(DESTDIR)$(fishdir)" "$(DESTDIR)$(zshdir)"
	$(INSTALL_DATA) $(srcdir)/docs/completions/_ert "$(DESTDIR)$(zshdir)"
	for program in $(manual_programs); do name=$${program##*/}; \
		$(INSTALL_DATA) $(srcdir)/docs/completions/ert.bash "$(DESTDIR)$(bashdir)/$$name" && \
		$(INSTALL_DATA) $(srcdir)/docs/completions/ert.fish "$(DESTDIR)$(fishdir)/$$name.fish" || \
		exit 1; done
uninstall-local: uninstall-development-link
	for file in docs/man/man*/*; do rm -f "$(DESTDIR)$(mandir)/$${file#docs/man/}"; done
	for program in $(manual_programs); do name=$${program##*/}; \
		rm -f "$(DESTDIR)$(bashdir)/$$name" "$(DESTDIR)$(fishdir)/$$name.fish"; done
	rm -f "$(DESTDIR)$(zshdir)/_ert"
CLEANFILES += docs/manuals.stamp
mostlyclean-local:
	rm -rf docs/man docs/help docs/site

# The site, docs/site/html/index.html.
html-local: docs/manuals.stamp
	@if command -v mkdocs >/dev/null; then \
		$(SHELL) $(srcdir)/docs/site.sh $(srcdir) . docs/site && \
		cp $(srcdir)/docs/mkdocs.yml docs/site && mkdocs build -q --strict -f docs/site/mkdocs.yml && \
		echo "docs/site/html/index.html"; \
	else echo "html: skipped: no mkdocs (Debian: mkdocs)"; fi

# One script for each shell, installed under the names that each looks for.
bashdir = $(datadir)/bash-completion/completions
fishdir = $(datadir)/fish/vendor_completions.d
zshdir = $(datadir)/zsh/site-functions
completions = docs/completions/ert.bash docs/completions/ert.fish docs/completions/_ert

EXTRA_DIST += $(manual_scripts) $(completions) \
	docs/mkdocs.yml docs/comparison.md docs/site.css docs/site.sh docs/links.py
