/*
 * study: steps with factors known by hand, counters of a table written here, what is kept and read back,
 * tables that leave out what nobody knows.
 */
#include "tests/unit/test.h"

#include "gpp/study/counters.h"
#include "gpp/study/report.h"
#include "gpp/study/steps.h"
#include "gpp/study/study_json.h"
#include "gpp/study/tables.h"

#include "ert/base/file.h"

#include <unistd.h>

enum { ITERATIONS = 1000 };

/* Sizes of 1000 iterations at nw 2. */
static void open_study(struct gpp_study *study)
{
    *study = (struct gpp_study){.device = "gpu0", .system = "5x10x10", .model = "H"};
    study->sizes = (struct gpp_sizes){5, 10, 10, 2};
}

/* A measured row: time, operations per iteration and FMA share from the formulas. */
static struct gpp_study_row *add(struct gpp_study *study, enum gpp_version_id id,
                                 double time_s, double flops, double share)
{
    struct gpp_study_row *row;
    assert_int_equal(gpp_study_add(study, &gpp_versions[id], 2, false, &row, NULL), ERT_OK);
    row->m.time_s = time_s;
    row->m.low_s = 0.99 * time_s;
    row->m.high_s = 1.01 * time_s;
    row->counts.flops = flops;
    row->counts.fma_share = share;
    row->counts.launches = 1;
    return row;
}

static struct gpp_step step_of(const struct gpp_study *study)
{
    struct gpp_step step;
    gpp_step_make(study, &study->rows[0], &study->rows[1], &step);
    return step;
}

/* Whether any sentence holds the words. */
static bool says(const struct gpp_study *study, const char *words)
{
    struct gpp_step step = step_of(study);
    static struct gpp_sentences said;
    gpp_step_explain(&step, &said);
    for (size_t i = 0; i < said.n; i++)
        if (strstr(said.texts[i], words))
            return true;
    return false;
}

/* 4 times as fast: 2 from operations, 1.2 from the mix (0.25 to 0.5), the rest from the share. */
static void factors_multiply(void **state)
{
    (void)state;
    struct gpp_study study;
    open_study(&study);
    add(&study, GPP_v0, 4, 100, 0.25);
    add(&study, GPP_v1, 1, 50, 0.5);
    struct gpp_step step = step_of(&study);
    assert_close(step.speedup, 4, 1e-15);
    assert_close(step.operations, 2, 1e-15);
    assert_close(step.mix, 1.2, 1e-15);
    assert_close(step.use, 2 / 1.2, 1e-15);
    assert_close(step.rate, 2, 1e-15);
    assert_close(step.operations * step.mix * step.use, step.speedup, 1e-15);
    assert_close(step.operations_share, 0.5, 1e-15);
    assert_true(step.is_significant);
    assert_true(says(&study, "Time 4 s to 1 s: 4.00 times as fast."));
    assert_true(says(&study,
                     "4.00 = 2.00 (operations per iteration 100.0 to 50.0, -50.0 %, "
                     "from the formulas) x 1.20 (FMA share 25.0 to 50.0 %) x 1.67"));
    assert_true(says(&study, "Both: fewer operations are 50 % of the step"));
    assert_true(says(&study, "Changed most: operations per iteration, times 0.500."));
    gpp_study_free(&study);
}

static void verdicts_follow_the_factors(void **state)
{
    (void)state;
    static const struct {
        double time_s, flops;
        const char *words;
    } cases[] = {
        {1,    25,  "follows the operations: 100 % of it (of its logarithm) is fewer"   },
        {1,    10,  "The step is fewer operations; a lower rate takes a part of it back"},
        {1,    100, "The step is a higher rate: the operations are the same"            },
        {1,    200, "The step is a higher rate; more operations work against it"        },
        {8,    200, "follows the operations: 100 % of it (of its logarithm) is more"    },
        {8,    100, "slower, by a factor of 2.00"                                       },
        {8,    100, "The step is a lower rate: the operations are the same"             },
        {4.01, 100, "the intervals overlap: no change beyond the noise"                 },
        {4.01, 100, "Neither operations nor any resource that was counted changed"      },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gpp_study study;
        open_study(&study);
        add(&study, GPP_v0, 4, 100, 0.5);
        add(&study, GPP_v1, cases[i].time_s, cases[i].flops, 0.5);
        if (!says(&study, cases[i].words))
            fail_msg("case %zu: not said: %s", i, cases[i].words);
        gpp_study_free(&study);
    }
}

/* Equal times: no logarithm to take shares of. */
static void equal_times_have_no_shares(void **state)
{
    (void)state;
    struct gpp_study study;
    open_study(&study);
    add(&study, GPP_v0, 1, 100, 0.5);
    add(&study, GPP_v1, 1, 100, 0.5);
    assert_true(isnan(step_of(&study).operations_share));
    assert_false(says(&study, "nan"));
    gpp_study_free(&study);
}

static void count(struct gpp_study_row *row, double warps, double stall)
{
    row->counted.is_there = true;
    row->counted.flops = ITERATIONS * row->counts.flops;
    row->counted.fma_share = row->counts.fma_share;
    row->counted.bytes[GPP_L2] = 8000;
    row->counted.values[GPP_M_STALL_LONG] = stall;
    row->m.facts.warps_per_sm = warps;
}

/* What goes with a higher share of the roof, and only what moved that way. */
static void causes_move_the_same_way(void **state)
{
    (void)state;
    struct gpp_study study;
    open_study(&study);
    add(&study, GPP_v0, 2, 100, 0.5);
    add(&study, GPP_v1, 1, 100, 0.5);
    count(&study.rows[0], 16, 3.1);
    count(&study.rows[1], 24, 1.2);
    assert_true(says(&study,
                     "With the higher share of the roof go warps per SM 16 to 24, and "
                     "less waiting for data from L1"));
    assert_true(says(&study, "(long scoreboard) 3.10 to 1.20"));
    count(&study.rows[1], 8, 3.1);
    assert_false(says(&study, "With the higher share"));
    assert_true(says(&study, "Nothing that was counted says why the share of the roof is "
                             "higher"));
    assert_true(says(&study, "Room for warps on an SM 16 to 8"));
    study.rows[1].counted.bytes[GPP_L2] = 2000;
    assert_true(says(&study,
                     "Bytes per iteration: L2 8 to 2 (-75.0 %), intensity 12.5 to 50 "
                     "FLOP/byte."));
    gpp_study_free(&study);
}

#define CSV_HEAD                                                                           \
    "==PROF== Connected\n\"ID\",\"Process ID\",\"Kernel Name\","                           \
    "\"sm__sass_thread_inst_executed_op_dadd_pred_on.sum\","                               \
    "\"sm__sass_thread_inst_executed_op_dmul_pred_on.sum\","                               \
    "\"sm__sass_thread_inst_executed_op_dfma_pred_on.sum\","                               \
    "\"lts__t_sectors_srcunit_tex.sum\",\"l1tex__t_sector_hit_rate.pct\","                 \
    "\"launch__registers_per_thread\",\"gpu__time_duration.sum\"\n"                        \
    "\"\",\"\",\"\",\"inst\",\"inst\",\"inst\",\"sector\",\"%\",\"register/thread\","      \
    "\"ns\"\n"
#define CSV_V5                                                                             \
    "\"0\",\"1\",\"void gpp_v5<2>(gpp_cuda_arguments)\",\"1,000\",\"2000\",\"3000\","      \
    "\"10\",\"40\",\"80\",\"300\"\n"                                                       \
    "\"1\",\"1\",\"void gpp_v5<(int)2>(gpp_cuda_arguments)\",\"1,000\",\"2000\","          \
    "\"5000\",\"30\",\"80\",\"82\",\"100\"\n"                                              \
    "\"2\",\"1\",\"void gpp_v5<3>(gpp_cuda_arguments)\",\"7\",\"7\",\"7\",\"7\",\"7\","    \
    "\"7\",\"7\"\n"

static enum ert_status read_csv(const char *text, enum gpp_version_id id, double launches,
                                double profiled, struct gpp_counted *counted,
                                struct rfl_strings *strings, struct ert_error *error)
{
    char file[] = "test_study.XXXXXX.csv";
    int fd = mkstemps(file, 4);
    assert_true(fd >= 0);
    assert_int_equal(ert_file_write(file, text, strlen(text), error), ERT_OK);
    gpp_counted_clear(counted);
    enum ert_status status =
        gpp_counted_read(file, &gpp_versions[id], 2, launches, profiled, ITERATIONS,
                         strings, counted, error);
    close(fd);
    unlink(file);
    return status;
}

/* Two launches are one run of v5: counts are summed, rates weighted by time. */
static void launches_are_folded(void **state)
{
    (void)state;
    struct gpp_counted c;
    struct rfl_strings strings = {0};
    struct ert_error error;
    assert_int_equal(read_csv(CSV_HEAD CSV_V5, GPP_v5, 2, ITERATIONS, &c, &strings, &error),
                     ERT_OK);
    assert_true(c.is_there);
    assert_close(c.runs, 1, 1e-15);
    assert_close(c.flops, 2000 + 4000 + 2 * 8000, 1e-15);
    assert_close(c.fma_share, 8000. / 14000, 1e-12);
    assert_close(c.bytes[GPP_L2], 40 * 32, 1e-15);
    assert_true(isnan(c.bytes[GPP_MEMORY]) && isnan(c.values[GPP_M_STALL_LONG]));
    assert_close(c.values[GPP_M_DFMA], 8000, 1e-15);
    assert_close(c.values[GPP_M_L1_HITS], 0.01 * (40 * 300 + 80 * 100) / 400, 1e-12);
    assert_close(c.values[GPP_M_REGISTERS], 82, 1e-15);
    assert_contains(c.flops_recipe, "dfma");
    assert_string_equal(c.reason, "");
    /* The same as two runs of one launch, on a problem of half the size: back to the same. */
    assert_int_equal(
        read_csv(CSV_HEAD CSV_V5, GPP_v5, 1, ITERATIONS / 2., &c, &strings, &error),
        ERT_OK);
    assert_close(c.runs, 2, 1e-15);
    assert_close(c.flops, 22000, 1e-15);
    assert_close(c.values[GPP_M_L1_HITS], 0.5, 1e-12);
    /* Two launches are no whole number of runs of four. */
    assert_int_equal(read_csv(CSV_HEAD CSV_V5, GPP_v5, 4, ITERATIONS, &c, &strings, &error),
                     ERT_OK);
    assert_contains(c.reason, "2 launches are no whole number of runs of 4");
    rfl_strings_free(&strings);
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    struct gpp_counted c;
    struct rfl_strings strings = {0};
    struct ert_error error;
    assert_int_equal(read_csv(CSV_HEAD CSV_V5, GPP_v6, 2, ITERATIONS, &c, &strings, &error),
                     ERT_UNAVAILABLE);
    assert_contains(error.text, "no launch of gpp_v6<2>");
    assert_false(c.is_there);
    assert_int_equal(read_csv("no table\n", GPP_v5, 2, ITERATIONS, &c, &strings, &error),
                     ERT_USAGE);
    assert_int_equal(read_csv(CSV_HEAD
                              "\"0\",\"1\",\"void gpp_v5<2>(a)\",\"x\",\"1\",\"1\","
                              "\"1\",\"1\",\"1\",\"1\"\n",
                              GPP_v5, 2, ITERATIONS, &c, &strings, &error),
                     ERT_USAGE);
    assert_contains(error.text, "dadd");
    assert_true(isnan(c.flops));
    rfl_strings_free(&strings);
}

/* What is not known comes back as not known. */
static void a_study_is_read_back(void **state)
{
    (void)state;
    static const char file[] = "test_study.json";
    struct gpp_study study, again = {.n_rows = 0};
    struct gpp_study_row *failed;
    struct ert_error error;
    open_study(&study);
    study.seed = 7;
    struct gpp_study_row *row = add(&study, GPP_v0, 0.1, 174.25, 0.57);
    count(row, 24, 3.1);
    row->counted.flops_recipe = "by hand";
    row->placed.mix_fraction = 0.43;
    assert_int_equal(gpp_study_add(&study, &gpp_versions[GPP_v9], 6, true, &failed, NULL),
                     ERT_OK);
    snprintf(failed->failed, sizeof failed->failed, "no \"memory\"");
    assert_int_equal(gpp_study_write(file, &study, &error), ERT_OK);
    assert_int_equal(gpp_study_read(file, &again, &error), ERT_OK);
    unlink(file);
    assert_int_equal(again.n_rows, 2);
    assert_int_equal(again.seed, 7);
    assert_int_equal(again.sizes.ncouls, 10);
    const struct gpp_study_row *first = &again.rows[0], *second = &again.rows[1];
    assert_ptr_equal(first->m.version, &gpp_versions[GPP_v0]);
    assert_true(first->m.time_s == 0.1 && first->counts.flops == 174.25);
    assert_true(first->counted.values[GPP_M_STALL_LONG] == 3.1);
    assert_true(isnan(first->counted.values[GPP_M_STALL_WAIT]) && isnan(first->error));
    assert_true(isnan(first->counted.bytes[GPP_L1]) &&
                first->counted.bytes[GPP_L2] == 8000);
    assert_string_equal(first->counted.flops_recipe, "by hand");
    assert_true(first->placed.mix_fraction == 0.43 && isnan(first->placed.fraction));
    assert_true(second->nw == 6 && second->m.options.no_fma);
    assert_string_equal(second->failed, "no \"memory\"");
    assert_false(gpp_row_is_measured(second));
    gpp_study_free(&again);
    gpp_study_free(&study);
}

static bool has_column(const struct rfl_table *table, const char *header)
{
    for (size_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->headers[i], header) == 0)
            return true;
    return false;
}

static void unknown_columns_are_left_out(void **state)
{
    (void)state;
    struct gpp_study study;
    struct rfl_table plain = {0}, counted = {0};
    open_study(&study);
    add(&study, GPP_v0, 2, 100, 0.5);
    add(&study, GPP_v1, 1, 100, 0.5);
    const struct gpp_study_row *rows[] = {&study.rows[0], &study.rows[1]};
    gpp_table_make(&study, rows, 2, GPP_TABLE_VERSIONS, &plain);
    assert_false(has_column(&plain, "AI L2") || has_column(&plain, "vs formulas %"));
    assert_true(has_column(&plain, "speed-up") && plain.n_cells == 2 * plain.n_columns);
    count(&study.rows[1], 16, 1);
    study.rows[1].counted.flops *= 0.98;
    gpp_table_make(&study, rows, 2, GPP_TABLE_VERSIONS, &counted);
    assert_true(has_column(&counted, "AI L2") && has_column(&counted, "vs formulas %"));
    assert_false(has_column(&counted, "AI L1"));
    for (size_t i = 0; i < counted.n_columns; i++)
        if (strcmp(counted.headers[i], "vs formulas %") == 0) {
            assert_string_equal(counted.cells[i], "-");
            assert_string_equal(counted.cells[counted.n_columns + i], "-2.0");
        }
    rfl_table_free(&plain);
    rfl_table_free(&counted);
    gpp_study_free(&study);
}

static void the_fastest_is_the_best(void **state)
{
    (void)state;
    struct gpp_study study;
    open_study(&study);
    add(&study, GPP_v0, 2, 100, 0.5);
    add(&study, GPP_v1, 1, 100, 0.5);
    add(&study, GPP_v2, 0, 0, 0);
    assert_ptr_equal(gpp_study_best(&study, 2, false), &study.rows[1]);
    assert_null(gpp_study_best(&study, 3, false));
    assert_null(gpp_study_best(&study, 2, true));
    gpp_study_free(&study);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_multiply),
        cmocka_unit_test(verdicts_follow_the_factors),
        cmocka_unit_test(equal_times_have_no_shares),
        cmocka_unit_test(causes_move_the_same_way),
        cmocka_unit_test(launches_are_folded),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(a_study_is_read_back),
        cmocka_unit_test(unknown_columns_are_left_out),
        cmocka_unit_test(the_fastest_is_the_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
