# tests/: one cmocka program per file (TAP), and shell tests (TAP) for what a user types.
# A program's source is its name with .c; all link with both libraries.

UNIT_TESTS = \
	tests/unit/test_error \
	tests/unit/test_file \
	tests/unit/test_json \
	tests/unit/test_json_read \
	tests/unit/test_opt \
	tests/unit/test_units \
	tests/unit/test_limits \
	tests/unit/test_machine_json \
	tests/unit/test_theory_cpu \
	tests/unit/test_theory_gpu \
	tests/unit/test_topology \
	tests/unit/test_topology_bad \
	tests/unit/test_kernels \
	tests/unit/test_orbit \
	tests/unit/test_tiles \
	tests/unit/test_cycle \
	tests/unit/test_split \
	tests/backend/test_cpu \
	tests/backend/test_cpu_kernels \
	tests/backend/test_cpu_memory \
	tests/backend/test_cpu_compute \
	tests/backend/test_cpu_open \
	tests/backend/test_rapl \
	tests/backend/test_cpu_product \
	tests/backend/test_cuda_rows \
	tests/backend/test_tensor_rows \
	tests/gpu/test_cuda \
	tests/gpu/test_cuda_compute \
	tests/gpu/test_tensor \
	tests/backend/test_memory_rows \
	tests/gpu/test_memory_extras \
	tests/unit/test_stats \
	tests/unit/test_plateau \
	tests/unit/test_levels \
	tests/unit/test_fit \
	tests/unit/test_again \
	tests/unit/test_extras_access \
	tests/unit/test_extras_latency \
	tests/unit/test_extras_links \
	tests/unit/test_ceilings \
	tests/unit/test_table \
	tests/unit/test_model \
	tests/unit/test_roofs \
	tests/unit/test_scene \
	tests/unit/test_layout \
	tests/unit/test_chart \
	tests/unit/test_svg \
	tests/unit/test_config \
	tests/e2e/test_pipeline \
	tests/e2e/test_faults \
	tests/e2e/test_together \
	tests/unit/test_counts \
	tests/e2e/test_sections \
	tests/unit/test_plan_places \
	tests/unit/test_listing \
	tests/unit/test_claims \
	tests/unit/test_conditions \
	tests/unit/test_counters \
	tests/unit/test_tool \
	tests/backend/test_code \
	tests/gpp/test_inputs \
	tests/gpp/test_input_file \
	tests/gpp/test_reference \
	tests/gpp/test_cpu \
	tests/gpp/test_counts \
	tests/gpu/test_gpp

SHELL_TESTS = \
	tests/cli/test_main.sh \
	tests/cli/test_run.sh \
	tests/cli/test_readme.sh \
	tests/cli/test_validate.sh \
	tests/cli/test_info.sh \
	tests/cli/test_roofline.sh \
	tests/cli/test_gpp.sh \
	tests/cli/test_schema.sh \
	tests/cli/test_quickstart.sh \
	tests/style/format.sh \
	tests/style/headers.sh \
	tests/style/layering.sh \
	tests/style/text.sh

LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
TEST_EXTENSIONS = .sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
AM_TESTS_ENVIRONMENT = CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	top_srcdir='$(abs_top_srcdir)'; top_builddir='$(abs_top_builddir)'; \
	CC='$(CC)'; ERT_CPPFLAGS='$(AM_CPPFLAGS)'; \
	export top_srcdir top_builddir CC ERT_CPPFLAGS;

TESTS += $(SHELL_TESTS)
EXTRA_DIST += $(SHELL_TESTS) tests/no_cmocka.sh tests/tap.sh tests/README.md \
	tests/unit/test.h tests/unit/json_fixture.h tests/unit/theory_fixture.h \
	tests/unit/topology_fixture.h tests/unit/extras_fixture.h \
	tests/backend/cpu_fixture.h tests/e2e/pipeline_fixture.h \
	tests/gpu/gpu_fixture.h tests/gpu/cuda_fixture.h tests/backend/cpu_tables.h

if HAVE_CMOCKA
check_PROGRAMS += $(UNIT_TESTS)
TESTS += $(UNIT_TESTS)
else
TESTS += tests/no_cmocka.sh
endif

# All test programs share these.
LDADD = $(GPP_LIBS) analysis/librfl.a ert/libert.a $(BACKEND_LIBS) \
	$(CMOCKA_LIBS) $(HWLOC_LIBS) $(CJSON_LIBS) $(CUDA_LIBS)

# Topologies of real machines, for test_topology and test_info.sh.
EXTRA_DIST += tests/data/topologies/README.md tests/data/topologies/cascadelake-6230-2s.xml \
	tests/data/topologies/dgx2-v100.xml tests/data/topologies/hetero-memory.xml

# Machine code, good and broken, for test_listing and test_claims.
EXTRA_DIST += tests/data/disassembly/README.md tests/data/disassembly/broken.c \
	tests/data/disassembly/broken.cu tests/data/disassembly/sass-broken.txt \
	tests/data/disassembly/sass-good.txt tests/data/disassembly/x86-broken.txt \
	tests/data/disassembly/x86-fma_fp64.txt tests/data/disassembly/x86-load.txt \
	tests/data/disassembly/x86-triad.txt tests/unit/fixture_file.h

# Ceilings of synthetic machines, for unit tests and, as files, for shell tests.
EXTRA_DIST += tests/unit/planted.h
check_PROGRAMS += tests/unit/plant_ceilings
tests_unit_plant_ceilings_SOURCES = tests/unit/plant_ceilings.c tests/unit/planted.c
tests_unit_plant_ceilings_LDADD = ert/libert.a $(HWLOC_LIBS) $(CJSON_LIBS)

# Spoils cases of the CUDA backend, of which a build without CUDA has none.
if HAVE_CUDA
tests_gpu_test_cuda_compute_SOURCES = tests/gpu/test_cuda_compute.c \
	tests/gpu/tamper.h tests/gpu/tamper.cu
else
tests_gpu_test_cuda_compute_SOURCES = tests/gpu/test_cuda_compute.c \
	tests/gpu/tamper.h tests/gpu/tamper_none.c
endif
tests/gpu/tamper.o tests/gpu/plant.o: $(cuda_headers)

tests_unit_test_ceilings_SOURCES = tests/unit/test_ceilings.c tests/unit/planted.c
tests_unit_test_table_SOURCES = tests/unit/test_table.c tests/unit/planted.c
tests_unit_test_roofs_SOURCES = tests/unit/test_roofs.c tests/unit/planted.c
tests_unit_test_scene_SOURCES = tests/unit/test_scene.c tests/unit/planted.c
tests_unit_test_chart_SOURCES = tests/unit/test_chart.c tests/unit/planted.c
tests_unit_test_svg_SOURCES = tests/unit/test_svg.c tests/unit/planted.c

# Wrong bytes on the device, for test_tensor to find; nothing where there is no CUDA.
tests_gpu_test_tensor_SOURCES = tests/gpu/test_tensor.c tests/gpu/plant.h
EXTRA_DIST += tests/gpu/plant.cu tests/gpu/plant_none.c
if HAVE_CUDA
tests_gpu_test_tensor_SOURCES += tests/gpu/plant.cu
else
tests_gpu_test_tensor_SOURCES += tests/gpu/plant_none.c
endif
