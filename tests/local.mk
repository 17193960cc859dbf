# SPDX-License-Identifier: BSD-3-Clause
# tests/: one cmocka program per file (TAP), and shell tests (TAP) for what a user types.
# A program's source is its name with .c; all link with both libraries.

# Of the core alone: ./configure --disable-extensions builds and runs these.
UNIT_TESTS = \
	tests/unit/test_error tests/unit/test_fields tests/unit/test_file tests/unit/test_json \
	tests/unit/test_json_read tests/unit/test_opt tests/unit/test_text tests/unit/test_units \
	tests/unit/test_activity tests/unit/test_presence tests/unit/test_limits \
	tests/unit/test_machine_json tests/unit/test_theory_cpu tests/unit/test_features \
	tests/unit/test_topology tests/unit/test_topology_bad tests/unit/test_kernels \
	tests/unit/test_expected tests/unit/test_cycle tests/backend/test_cpu \
	tests/backend/test_cpu_kernels tests/backend/test_cpu_memory \
	tests/backend/test_cpu_compute tests/unit/test_stats tests/unit/test_estimate \
	tests/unit/test_plateau tests/unit/test_samples tests/unit/test_levels \
	tests/unit/test_model tests/unit/test_roofs tests/unit/test_rounds \
	tests/unit/test_schedule tests/unit/test_curve tests/unit/test_chart \
	tests/unit/test_strings tests/unit/test_points tests/unit/test_output \
	tests/e2e/test_pipeline tests/e2e/test_checkpoint tests/e2e/test_faults \
	tests/unit/test_plan tests/unit/test_threads

# What links an extension, or has a part that asks for one.
if EXTENSIONS
UNIT_TESTS += \
	tests/unit/test_knl tests/unit/test_knl_plan tests/unit/test_extras_latency \
	tests/e2e/test_sections tests/unit/test_plan_numa tests/unit/test_counts \
	tests/e2e/test_multi_gpu tests/unit/test_conditions tests/unit/test_config \
	tests/unit/test_fit tests/unit/test_published tests/unit/test_place \
	tests/unit/test_points_json tests/unit/test_traffic tests/unit/test_extras_links \
	tests/unit/test_presets tests/unit/test_answer tests/unit/test_tiles \
	tests/unit/test_timing tests/unit/test_merge tests/unit/test_names \
	tests/unit/test_theory_gpu tests/backend/test_cpu_atomics tests/backend/test_cpu_ert110 \
	tests/backend/test_cpu_loaded \
	tests/backend/test_cpu_open tests/backend/test_cpu_product tests/backend/test_cuda_rows \
	tests/backend/test_tensor_rows tests/gpu/test_cuda tests/gpu/test_cuda_ert110 \
	tests/gpu/test_cuda_compute tests/gpu/test_tensor tests/backend/test_memory_rows \
	tests/gpu/test_memory_extras tests/unit/test_verify tests/unit/test_fleet_hosts \
	tests/unit/test_fleet_judge tests/unit/test_fleet_outliers tests/unit/test_fleet_record \
	tests/unit/test_ceilings tests/unit/test_net_record tests/unit/test_compare \
	tests/unit/test_import_reads tests/unit/test_import_input tests/unit/test_import_kineto \
	tests/unit/test_import_likwid tests/unit/test_combine tests/unit/test_import_long \
	tests/unit/test_import_papi tests/unit/test_import_perf tests/unit/test_import_recognize \
	tests/unit/test_import_sde tests/unit/test_import_valgrind tests/unit/test_import \
	tests/unit/test_ncu tests/unit/test_config_ert110 tests/unit/test_ert110 tests/unit/test_ert110_regions \
	tests/unit/test_bands tests/unit/test_corpus tests/e2e/test_sustained \
	tests/e2e/test_ert110 tests/unit/test_listing tests/unit/test_claims \
	tests/unit/test_counters tests/unit/test_lines tests/unit/test_tool \
	tests/backend/test_code tests/gpp/test_inputs tests/gpp/test_reference \
	tests/gpp/test_cpu tests/gpp/test_counts tests/gpu/test_gpp tests/unit/test_fleet_rounds \
	tests/unit/test_fleet_links
endif

SHELL_TESTS = \
	tests/cli/test_core.sh tests/cli/test_run.sh tests/cli/test_info.sh \
	tests/cli/test_quickstart.sh tests/style/alloc.sh tests/style/budgets.sh \
	tests/style/format.sh tests/style/layering.sh tests/style/licence.sh \
	tests/style/names.sh tests/style/release.sh tests/style/tap.sh tests/style/text.sh
# What takes long, or what few changes can break: in check-slow and check-all, not in check.
SLOW_TESTS = \
	tests/portability/core.sh tests/portability/surroundings.sh tests/style/headers.sh
if EXTENSIONS
SHELL_TESTS += \
	tests/cli/test_main.sh tests/cli/test_second_gpu.sh tests/cli/test_knl.sh \
	tests/cli/test_presets.sh tests/cli/test_place.sh tests/cli/test_plot.sh tests/style/hardening.sh \
	tests/cli/test_shares.sh \
	tests/cli/test_ert110.sh tests/cli/test_readme.sh tests/cli/test_soak.sh tests/cli/test_validate.sh \
	tests/cli/test_import.sh tests/cli/test_import_cpu.sh \
	tests/cli/test_site.sh tests/cli/test_roofline.sh tests/cli/test_compare.sh \
	tests/cli/test_verify.sh tests/cli/test_fleet_folder.sh tests/cli/test_fleet_node.sh \
	tests/cli/test_portability.sh tests/cli/test_scaling.sh tests/cli/test_export.sh tests/cli/test_golden.sh \
	tests/cli/test_gpp.sh tests/cli/test_tutorial.sh \
	tests/cli/test_examples.sh tests/cli/test_schema.sh tests/cli/test_sm70.sh \
	tests/cli/test_toolchain.sh tests/cli/test_manuals.sh tests/cli/test_completions.sh \
	tests/cli/test_install.sh tests/cli/test_module.sh tests/cli/test_library.sh \
	tests/cli/test_notebooks.sh tests/cli/test_python.sh tests/cli/test_region.sh tests/cli/test_valgrind.sh \
	tests/cli/test_published.sh
SLOW_TESTS += \
	tests/cli/test_faults.sh tests/cli/test_fleet_merge.sh \
	tests/cli/test_hostile.sh tests/cli/test_html.sh \
	tests/cli/test_net.sh tests/cli/test_page.sh tests/cli/test_advice.sh \
	tests/cli/test_readers.sh tests/cli/test_record.sh tests/cli/test_record_gpu.sh \
	tests/cli/test_slurm.sh tests/cli/test_torture.sh
endif

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
# Threads that wait for others sleep: on a busy machine thousands of regions of spinning ones take minutes.
# Open MPI, 4 and 5, runs for root, and more ranks than there are cores.
AM_TESTS_ENVIRONMENT = unset ERT_MODULE_PATH; CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
	CC='$(CC)'; KERNEL_CC='$(KERNEL_CC)'; ERT_CPPFLAGS='$(AM_CPPFLAGS)'; ERT_SANITIZERS='$(SANITIZER_FLAGS)'; \
	ERT_HARDENING='$(HARDENING_CFLAGS)'; \
	ERT_KERNELS='$(BACKEND_LIBS) $(GPP_CPU_LIBS) $(cpu_objects)'; \
	export ERT_HARDENING ERT_KERNELS; \
	ERT_MPICC='$(MPICC)'; ERT_NET_SOURCES='$(net_sources)'; ERT_NET_LIBS='$(ert_ext_net_ert_net_LDADD)'; \
	export ERT_MPICC ERT_NET_SOURCES ERT_NET_LIBS; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/lsan.supp:print_suppressions=0'; \
	OMP_WAIT_POLICY=passive; \
	OMPI_ALLOW_RUN_AS_ROOT=1; OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; OMPI_MCA_rmaps_base_oversubscribe=1; \
	PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe; export OMPI_ALLOW_RUN_AS_ROOT; \
	export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe; \
	export PRTE_MCA_rmaps_default_mapping_policy; \
	export top_srcdir top_builddir CC KERNEL_CC ERT_CPPFLAGS ERT_SANITIZERS LSAN_OPTIONS OMP_WAIT_POLICY;

TESTS += $(SHELL_TESTS)

# Cross compiled, under qemu-user: half an hour. The head of the script names the packages.
check-aarch64:
	@$(SHELL) $(top_srcdir)/tests/portability/aarch64.sh $(top_srcdir)
print-unit-tests:
	@echo $(UNIT_TESTS)
.PHONY: check-aarch64 print-unit-tests
EXTRA_DIST += tests/portability/aarch64.sh tests/python/notebook.py \
	tests/python/test_plugin.py tests/python/test_profiles.py tests/python/test_roofline.py \
	tests/python/test_ert_ceilings.py tests/python/test_ert_config.py tests/python/test_readers.py

# Two names for two of the slow tests alone, with all that they can do: ten minutes, and some.
check-faults check-torture:
	$(MAKE) check FAULTS_INTERRUPTS=1000 TORTURE_STEP=1 TESTS=tests/cli/test_$(@:check-%=%).sh
# What check leaves out, as continuous integration runs it: few interrupts, some of the points of failure.
check-slow:
	$(MAKE) check TESTS='$(SLOW_TESTS)'
# Everything, all hostile texts, a thousand interrupts and every point of failure: an hour. Then what needs
# root or the network and says so; AARCH64=yes adds another half an hour.
check-all:
	$(MAKE) HOSTILE=full FAULTS_INTERRUPTS=1000 TORTURE_STEP=1 check TESTS='$(TESTS) $(SLOW_TESTS)'
	$(MAKE) check-packages
	$(SHELL) $(top_srcdir)/tests/tools/cuda12.sh 70 || test $$? -eq 3
	test -z '$(AARCH64)' || $(MAKE) check-aarch64
.PHONY: check-all check-faults check-slow check-torture
EXTRA_DIST += tests/torture/torture.py

EXTRA_DIST += $(SHELL_TESTS) $(SLOW_TESTS) tests/no_cmocka.sh tests/lsan.supp tests/tap.sh tests/README.md \
	tests/unit/test.h tests/unit/json_fixture.h tests/unit/theory_fixture.h \
	tests/unit/ceilings_fixture.h \
	tests/unit/topology_fixture.h tests/unit/extras_fixture.h tests/unit/placed_fixture.h \
	tests/backend/cpu_fixture.h tests/e2e/pipeline_fixture.h \
	tests/gpu/gpu_fixture.h tests/gpu/cuda_fixture.h tests/backend/cpu_tables.h \
	tests/cli/roofline_fixture.sh tests/cli/fleet_fixture.sh tests/cli/studies_fixture.sh \
	tests/cli/fault_shim.c tests/region/events.c \
	tests/valgrind/work.c tests/valgrind/loops.c tests/valgrind/wrong_counts.awk

EXTRA_DIST += tests/cli/cuda_stub.c tests/cli/cupti_layout.c tests/cli/cupti_stub.c tests/cli/cupti_stub.h

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
else
TESTS += tests/no_cmocka.sh
endif

# All test programs share these; planted ceilings, and Knights Landing in its modes.
check_LIBRARIES = tests/libplanted.a
tests_libplanted_a_SOURCES = tests/unit/planted.c tests/unit/planted.h tests/unit/knl.c tests/unit/knl.h
LDADD = tests/libplanted.a $(GPP_LIBS) analysis/librfl.a ert/libert.a $(BACKEND_LIBS) \
	$(CMOCKA_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS) $(CAIRO_LIBS)

# What looks into the CUDA backend has it inside, instead of opening the module.
cuda_inside = $(CUDA_OWN_LIBS) $(LDADD) $(CUDA_LIBS)
tests_backend_test_code_LDADD = $(cuda_inside)
tests_backend_test_cuda_rows_LDADD = $(cuda_inside)
tests_backend_test_memory_rows_LDADD = $(cuda_inside)
tests_backend_test_tensor_rows_LDADD = $(cuda_inside)
tests_gpu_test_cuda_LDADD = $(cuda_inside)
tests_gpu_test_cuda_compute_LDADD = $(cuda_inside)
tests_gpu_test_cuda_ert110_LDADD = $(cuda_inside)
tests_gpu_test_gpp_LDADD = $(cuda_inside)
tests_gpu_test_memory_extras_LDADD = $(cuda_inside)
tests_gpu_test_tensor_LDADD = $(cuda_inside)

# Inputs, a folder for each format: whatever lies there is read by test_import_recognize, test_corpus and
# others; golden/: what the programs print and draw for them, for test_golden.sh.
EXTRA_DIST += tests/data tests/unit/import_cpu_fixture.h tests/unit/import_fixture.h \
	tests/unit/fixture_file.h tests/unit/knl_fixture.h tests/unit/points_fixture.h

# In throw-away roots: the head of the script says what it needs. PACKAGES="debian cuda": these alone.
check-packages: dist
	@$(SHELL) $(top_srcdir)/tests/packages/check.sh $(distdir).tar.xz $(PACKAGES)
.PHONY: check-packages
EXTRA_DIST += tests/packages/check.sh tests/packages/root.sh tests/packages/container.sh \
	tests/packages/debian.sh tests/packages/cuda.sh \
	tests/packages/easybuild.sh tests/packages/rpm.sh tests/packages/wheel.sh

# Tries pages in a browser, and hostile texts in every field.
EXTRA_DIST += tests/cli/page_errors.js tests/cli/page_probe.js tests/cli/hostile.py

if EXTENSIONS
check_PROGRAMS += tests/cli/list_roofs
tests_cli_list_roofs_SOURCES = tests/cli/list_roofs.c
tests_cli_list_roofs_LDADD = analysis/ext/lib/libroofline.a $(HWLOC_LIBS) $(CJSON_LIBS)
endif
# Ceilings of synthetic machines, as files, for shell tests.
check_PROGRAMS += tests/unit/plant_ceilings
tests_unit_plant_ceilings_LDADD = tests/libplanted.a ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS)

# Spoils cases of the CUDA backend, of which a build without CUDA has none.
if HAVE_CUDA
tests_gpu_test_cuda_compute_SOURCES = tests/gpu/test_cuda_compute.c \
	tests/gpu/tamper.h tests/gpu/tamper.cu
else
tests_gpu_test_cuda_compute_SOURCES = tests/gpu/test_cuda_compute.c \
	tests/gpu/tamper.h tests/gpu/tamper_none.c
endif
tests/gpu/tamper.o tests/gpu/plant.o tests/backend/known_rows.o: $(cuda_headers)

# What of the CUDA backend is plain C, for builds without CUDA, too.
tests_unit_test_tiles_SOURCES = tests/unit/test_tiles.c ert/ext/cuda/tiles.c
# The program's own files, which are in no library.
tests_e2e_test_checkpoint_SOURCES = tests/e2e/test_checkpoint.c ert/cli/measure.c ert/cli/results.c
tests_unit_test_answer_SOURCES = tests/unit/test_answer.c ert/cli/answer.c ert/cli/results.c
tests_unit_test_verify_SOURCES = tests/unit/test_verify.c ert/cli/runs.c

# What the CUDA backend's tables say of their rows; nothing where there is no CUDA.
tests_backend_test_cuda_rows_SOURCES = tests/backend/test_cuda_rows.c tests/backend/known_rows.h
EXTRA_DIST += tests/backend/known_rows.cu tests/backend/known_rows_none.c
if HAVE_CUDA
tests_backend_test_cuda_rows_SOURCES += tests/backend/known_rows.cu
else
tests_backend_test_cuda_rows_SOURCES += tests/backend/known_rows_none.c
endif

# The program with two more GPU backends, which one file plants.
check_PROGRAMS += tests/backend/ert_second
tests_backend_ert_second_SOURCES = tests/backend/second_gpu.c $(ert_ert_SOURCES)
tests_backend_ert_second_CPPFLAGS = $(ert_ert_CPPFLAGS)
tests_backend_ert_second_LDADD = $(ert_ert_LDADD)

# Wrong bytes on the device, for test_tensor to find; nothing where there is no CUDA.
tests_gpu_test_tensor_SOURCES = tests/gpu/test_tensor.c tests/gpu/plant.h
EXTRA_DIST += tests/gpu/plant.cu tests/gpu/plant_none.c
if HAVE_CUDA
tests_gpu_test_tensor_SOURCES += tests/gpu/plant.cu
else
tests_gpu_test_tensor_SOURCES += tests/gpu/plant_none.c
endif

# An engine for ert-gpp's GPU versions to link with, where there is no CUDA.
tests_gpu_test_gpp_SOURCES = tests/gpu/test_gpp.c
EXTRA_DIST += tests/gpu/gpp_none.c
if !HAVE_CUDA
tests_gpu_test_gpp_SOURCES += tests/gpu/gpp_none.c
endif

# Every reader, for what a fuzzer found, and for a round of mutants; the fuzzer itself, which only clang can
# build.
fuzz_readers = tests/fuzz/readers.c tests/fuzz/readers.h \
	tests/fuzz/mutate.c tests/fuzz/mutate.h
tests_unit_test_corpus_SOURCES = tests/unit/test_corpus.c $(fuzz_readers)
EXTRA_PROGRAMS = tests/fuzz/fuzz
tests_fuzz_fuzz_SOURCES = tests/fuzz/fuzz.c $(fuzz_readers)
tests_fuzz_fuzz_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += tests/fuzz/run.sh tests/fuzz/README.md
FUZZ_TIME = 600
fuzz:
	$(SHELL) $(top_srcdir)/tests/fuzz/run.sh $(FUZZ_TIME) || test $$? -eq 77
.PHONY: fuzz

# Records what the programs print and draw anew, after a change that is meant.
EXTRA_DIST += tests/tools/golden.sh tests/tools/study.sh
golden: all
	rm -rf $(top_srcdir)/tests/data/golden
	$(SHELL) $(top_srcdir)/tests/tools/golden.sh . $(top_srcdir)/tests/data/golden
.PHONY: golden

# Code for V100s, which nvcc 13 no longer makes: tests/tools/cuda12.sh fetches what does. A part of
# `make check` only where that was done.
EXTRA_DIST += tests/tools/cuda12.sh
check-sm70:
	$(SHELL) $(top_srcdir)/tests/tools/cuda12.sh 70
distclean-local:
	rm -rf cuda12 fuzz-build
.PHONY: check-sm70

# Records of simulated fleets, and how well a merge finds their bad nodes: results/fleet/README.md.
if EXTENSIONS
check_PROGRAMS += tests/fleet/fleet_simulate
tests_fleet_fleet_simulate_SOURCES = tests/fleet/fleet_simulate.c \
	tests/fleet/simulate.c tests/fleet/simulate.h
tests_fleet_fleet_simulate_LDADD = ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS)
endif
