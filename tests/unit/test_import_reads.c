/* SPDX-License-Identifier: BSD-3-Clause */
/* What profiles tell of reads and writes, by format: files of tests/data, and texts. */
#include "tests/unit/import_cpu_fixture.h"

#include "analysis/core/points/reader.h"
#include "analysis/ext/json/json.h"

#include <unistd.h>

/* Of the first point that has the level. */
static const struct rfl_traffic *traffic_of(const char *level)
{
    for (size_t i = 0; i < points.n; i++)
        if (rfl_point_traffic(&points.points[i], level))
            return rfl_point_traffic(&points.points[i], level);
    fail_msg("no bytes of %s", level);
    return NULL;
}

/* The numbers stand in the files; a total that comes without parts says nothing. */
static void files(void **state)
{
    static const struct {
        const char *file, *level;
        double bytes, read;
        bool is_actual;
    } rows[] = {
        {"ncu/h200-full-raw.csv",    "HBM",    528896 * 2,          528896 * 2,       true },
 /* 16384 sectors loaded, 16384 stored, twice */
        {"ncu/h200-full-raw.csv",    "L1",     2 * 2 * 32 * 16384., 2 * 32 * 16384.,  true },
        {"ncu/h200-full-raw.csv",    "L2",     2097152,             NAN,              true },
        {"likwid-csv/marker-2t.csv", "DRAM",   16e9,                12e9,             true },
        {"likwid/knl.txt",           "MCDRAM", 400e9,               NAN,              true },
        {"perf/sockets.csv",         "DRAM",   809.51 * 1048576,    493.44 * 1048576, true },
        {"vtune/knl.csv",            "DRAM",   64 * 1500,           64 * 1000,        true },
        {"sde/stream.txt",           "L1",     49869806228.,        33752339756.,     false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        import(rows[i].file);
        const struct rfl_traffic *traffic = traffic_of(rows[i].level);
        if (isnan(rows[i].read) != isnan(traffic->read_bytes))
            fail_msg("%s, %s: %g were read", rows[i].file, rows[i].level,
                     traffic->read_bytes);
        if (!isnan(rows[i].read))
            assert_close(traffic->read_bytes, rows[i].read, 1e-6);
        if (strcmp(rows[i].level, "HBM") != 0)
            assert_close(traffic->bytes, rows[i].bytes, 1e-6);
        assert_int_equal(traffic->is_actual, rows[i].is_actual);
    }
}

static void points_json(void **state)
{
    static const struct {
        const char *traffic, *words;
        double read;
        bool is_actual;
    } rows[] = {
        {"\"count\": 4",                                  NULL,            NAN, false},
        {"\"count\": 4, \"read\": 3",                     NULL,            3,   false},
        {"\"count\": 4, \"read\": 0, \"of\": \"actual\"", NULL,            0,   true },
        {"\"count\": 4, \"of\": \"useful\"",              NULL,            NAN, false},
        {"\"count\": 4, \"read\": 5",                     "read",          0,   false},
        {"\"count\": 4, \"read\": -1",                    "read",          0,   false},
        {"\"count\": 4, \"of\": \"some\"",                "useful (bytes", 0,   false},
    };
    char folder[] = "/tmp/reads-XXXXXX", file[64], again[64];
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/points.json", folder);
    snprintf(again, sizeof again, "%s/again.json", folder);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        FILE *out = fopen(file, "w");
        assert_non_null(out);
        fprintf(out,
                "{\"schema\": \"ert-points/1\", \"points\": [{\"name\": \"k\", \"bytes\": "
                "[{\"level\": \"DRAM\", %s}]}]}",
                rows[i].traffic);
        assert_int_equal(fclose(out), 0);
        rfl_points_free(&points);
        enum ert_status status = rfl_points_read(file, &points, &error);
        assert_int_equal(status, rows[i].words ? ERT_USAGE : ERT_OK);
        if (rows[i].words) {
            assert_contains(error.text, rows[i].words);
            continue;
        }
        /* and as it is written and read again */
        assert_int_equal(rfl_points_write(again, &points, &error), ERT_OK);
        rfl_points_free(&points);
        assert_int_equal(rfl_points_read(again, &points, &error), ERT_OK);
        const struct rfl_traffic *traffic = traffic_of("DRAM");
        assert_true(isnan(rows[i].read) ? isnan(traffic->read_bytes)
                                        : traffic->read_bytes == rows[i].read);
        assert_int_equal(traffic->is_actual, rows[i].is_actual);
    }
    unlink(file);
    unlink(again);
    rmdir(folder);
}

static int unload(void **state)
{
    rfl_points_free(&points);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(files, unload),
        cmocka_unit_test_teardown(points_json, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
