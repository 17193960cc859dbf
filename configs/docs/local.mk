# SPDX-License-Identifier: BSD-3-Clause
# Manuals, completions and the site. The manuals are made by running the programs that were built: not where
# they are built for another machine.

manual_date = November 23, 2026
manual_scripts = configs/docs/help.sh configs/docs/man.awk configs/docs/markdown.awk configs/docs/roff.awk \
	configs/docs/schema.awk
manual_pages = ert/method.md configs/README.md
if RUNS_HERE
noinst_DATA = configs/docs/manuals.stamp
endif
make_manual = $(AWK) -v out=configs/docs/man -v date="$(manual_date)" -f $(srcdir)/configs/docs/roff.awk
configs/docs/manuals.stamp: $(manual_programs) $(manual_scripts) $(manual_pages) $(dist_schema_DATA) \
		configs/docs/local.mk
	$(AM_V_GEN)rm -rf configs/docs/man configs/docs/help
	$(AM_V_at)$(MKDIR_P) configs/docs/help configs/docs/man/man1 configs/docs/man/man5 configs/docs/man/man7
	$(AM_V_at)for program in $(manual_programs); do name=$${program##*/}; \
		$(SHELL) $(srcdir)/configs/docs/help.sh $$name ./$$program >configs/docs/help/$$name && \
		$(make_manual) -f $(srcdir)/configs/docs/man.awk configs/docs/help/$$name || exit 1; done
	$(AM_V_at)for file in $(dist_schema_DATA); do $(make_manual) -f $(srcdir)/configs/docs/schema.awk \
		-v schemas=$(schemadir) $(srcdir)/$$file || exit 1; done
	$(AM_V_at)$(make_manual) -f $(srcdir)/configs/docs/markdown.awk -v page=ert-config -v section=5 \
		-v about="presets and configurations of ert run" $(srcdir)/configs/README.md
	$(AM_V_at)$(make_manual) -f $(srcdir)/configs/docs/markdown.awk -v page=ert-method -v section=7 \
		-v about="how ert measures, judges and validates" $(srcdir)/ert/method.md
	$(AM_V_at)touch $@
install-data-local:
	for file in configs/docs/man/man*/*; do test ! -f $$file || { name=$${file#configs/docs/man/}; \
		$(MKDIR_P) "$(DESTDIR)$(mandir)/$${name%/*}" && \
		$(INSTALL_DATA) $$file "$(DESTDIR)$(mandir)/$$name"; } || exit 1; done
	$(MKDIR_P) "$(DESTDIR)$(bashdir)" "$(DESTDIR)$(fishdir)" "$(DESTDIR)$(zshdir)"
	$(INSTALL_DATA) $(srcdir)/configs/docs/completions/_ert "$(DESTDIR)$(zshdir)"
	for program in $(manual_programs); do name=$${program##*/}; \
		$(INSTALL_DATA) $(srcdir)/configs/docs/completions/ert.bash "$(DESTDIR)$(bashdir)/$$name" && \
		$(INSTALL_DATA) $(srcdir)/configs/docs/completions/ert.fish "$(DESTDIR)$(fishdir)/$$name.fish" || \
		exit 1; done
uninstall-local: uninstall-development-link
	for file in configs/docs/man/man*/*; do rm -f "$(DESTDIR)$(mandir)/$${file#configs/docs/man/}"; done
	for program in $(manual_programs); do name=$${program##*/}; \
		rm -f "$(DESTDIR)$(bashdir)/$$name" "$(DESTDIR)$(fishdir)/$$name.fish"; done
	rm -f "$(DESTDIR)$(zshdir)/_ert"
CLEANFILES += configs/docs/manuals.stamp
mostlyclean-local:
	rm -rf configs/docs/man configs/docs/help configs/docs/site

# The site, configs/docs/site/html/index.html.
html-local: configs/docs/manuals.stamp
	@if command -v mkdocs >/dev/null; then \
		$(SHELL) $(srcdir)/configs/docs/site.sh $(srcdir) . configs/docs/site && \
		cp $(srcdir)/configs/docs/mkdocs.yml configs/docs/site && \
		mkdocs build -q --strict -f configs/docs/site/mkdocs.yml && \
		echo "configs/docs/site/html/index.html"; \
	else echo "html: skipped: no mkdocs (Debian: mkdocs)"; fi

# One script for each shell, installed under the names that each looks for.
bashdir = $(datadir)/bash-completion/completions
fishdir = $(datadir)/fish/vendor_completions.d
zshdir = $(datadir)/zsh/site-functions
completions = configs/docs/completions/ert.bash configs/docs/completions/ert.fish \
	configs/docs/completions/_ert

EXTRA_DIST += $(manual_scripts) $(completions) \
	configs/docs/mkdocs.yml configs/docs/site.css configs/docs/site.sh configs/docs/links.py \
	results/comparison.md
