# SPDX-License-Identifier: BSD-3-Clause
# The core of ert: the modules in the order of README.md.
ert_libert_a_SOURCES += \
	ert/core/base/alloc.c ert/core/base/alloc.h \
	ert/core/base/clock.c ert/core/base/clock.h \
	ert/core/base/error.c ert/core/base/error.h \
	ert/core/base/fields.c ert/core/base/fields.h \
	ert/core/base/file.c ert/core/base/file.h \
	ert/core/base/json.c ert/core/base/json.h \
	ert/core/base/program.c ert/core/base/program.h \
	ert/core/base/random.h \
	ert/core/base/strings.c ert/core/base/strings.h \
	ert/core/base/text.c ert/core/base/text.h \
	ert/core/base/units.c ert/core/base/units.h \
	ert/core/machine/machine.c ert/core/machine/machine.h \
	ert/core/machine/machine_json.c ert/core/machine/machine_json.h \
	ert/core/machine/discover.c ert/core/machine/discover.h \
	ert/core/machine/features.c ert/core/machine/features.h \
	ert/core/machine/host.c ert/core/machine/host.h \
	ert/core/machine/dram.c ert/core/machine/dram.h \
	ert/core/machine/activity.c ert/core/machine/activity.h \
	ert/core/machine/presence.c ert/core/machine/presence.h \
	ert/core/machine/provenance.c \
	ert/core/machine/theory.c ert/core/machine/theory.h \
	ert/core/machine/theory_cores.def \
	ert/core/kernels/kernel.c ert/core/kernels/kernel.h \
	ert/core/kernels/kernels.def ert/core/kernels/results.h ert/core/kernels/result_names.inc \
	ert/core/backend/backend.c ert/core/backend/backend.h \
	ert/core/backend/backend_list.c \
	ert/core/backend/backends.def \
	ert/core/backend/sample.c \
	ert/core/backend/expected.c ert/core/backend/expected.h \
	ert/core/backend/cycle.h \
	ert/core/stats/stats.c ert/core/stats/stats.h \
	ert/core/stats/differ.c ert/core/stats/differ.h \
	ert/core/stats/plateau.c ert/core/stats/plateau.h \
	ert/core/sweep/device_run.c ert/core/sweep/device_run.h \
	ert/core/sweep/hooks.h \
	ert/core/sweep/config.c ert/core/sweep/config.h \
	ert/core/sweep/mode.h \
	ert/core/sweep/plan.c ert/core/sweep/plan.h \
	ert/core/sweep/run.c ert/core/sweep/run.h \
	ert/core/sweep/schedule.c ert/core/sweep/schedule.h \
	ert/core/sweep/section.h ert/core/sweep/sections.def \
	ert/core/sweep/sets.c ert/core/sweep/sets.h \
	ert/core/sweep/samples.c ert/core/sweep/samples.h \
	ert/core/ceilings/ceilings.c ert/core/ceilings/ceilings.h \
	ert/core/ceilings/file.c \
	ert/core/fit/conditions.c ert/core/fit/conditions.h \
	ert/core/fit/evidence.c ert/core/fit/evidence.h \
	ert/core/fit/extras.c ert/core/fit/extras.h \
	ert/core/fit/fit.c ert/core/fit/fit.h \
	ert/core/fit/levels.c ert/core/fit/levels.h \
	ert/core/ceilings/table.c ert/core/ceilings/table.h \
	ert/core/ceilings/traffic.c ert/core/ceilings/traffic.h \
	ert/core/ceilings/upgrade.c ert/core/ceilings/upgrade.h

# What provenance.c says of this build: the git description (a tarball says "unknown") and flags.
BUILT_SOURCES += ert/core/machine/build_info.h
CLEANFILES += ert/core/machine/build_info.h
EXTRA_DIST += ert/core/machine/build_info.sh
ert/core/machine/build_info.h: always_build_info
	@$(MKDIR_P) ert/core/machine
	@$(SHELL) $(top_srcdir)/ert/core/machine/build_info.sh '$(top_srcdir)' '$(CFLAGS)' > $@.new
	@if cmp -s $@.new $@; then rm -f $@.new; else mv $@.new $@; fi
# BUILT_SOURCES are made before `make all` only, not before `make ert/ert`.
ert/core/machine/provenance.$(OBJEXT): ert/core/machine/build_info.h
.PHONY: always_build_info

dist_schema_DATA += ert/core/ceilings/ceilings.schema.json

include ert/core/backend/cpu/local.mk
