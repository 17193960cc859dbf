/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that shells changed on the way, and what launchers and spreadsheets did. */
#include "tests/unit/import_fixture.h"
#include "tests/unit/json_fixture.h"

static struct ert_error error;
static struct rfl_points points;

static enum ert_status import_bytes(const char *text, size_t size)
{
    rfl_points_free(&points);
    put_file(file, text, size);
    return rfl_import_file(file, NULL, &plain_options, &points, &error);
}

static const struct rfl_point *only(const char *text)
{
    if (import_bytes(text, strlen(text)) != ERT_OK)
        fail_msg("%s: %s", error.text, text);
    assert_int_equal(points.n, 1);
    return &points.points[0];
}

/* A table of two metrics of one kernel, whose name and grid have commas. */
static const char ncu[] = "==PROF== Connected to process 1\n"
                          "\"ID\",\"Process ID\",\"Kernel Name\",\"Grid "
                          "Size\",\"CC\",\"gpu__time_duration.sum\",\"dram__bytes.sum\"\n"
                          "\"\",\"\",\"\",\"\",\"\",\"us\",\"Kbyte\"\n"
                          "\"0\",\"1\",\"axpy<float, 4>(float *)\",\"(8, 1, "
                          "1)\",\"8.0\",\"1,234.50\",\"2,000.25\"\n";

static void is_ncu(const struct rfl_point *point)
{
    assert_string_equal(point->format, "ncu");
    assert_string_equal(point->name, "axpy<float, 4>");
    assert_close(point->time_s, 1.2345e-3, 1e-12);
    assert_close(bytes_of(point, "HBM"), 2000250, 1e-12);
}

/* As the shells of Windows write it: with and without a mark, in both orders. */
static void utf16_is_named(void **state)
{
    for (int form = 0; form < 4; form++) {
        char wide[2 * sizeof ncu + 8];
        size_t n = 0, high = (size_t)(form & 1);
        if (form & 2) {
            wide[n + !high] = (char)0xff;
            wide[n + high] = (char)0xfe;
            n += 2;
        }
        for (const char *at = ncu; *at; at++, n += 2) {
            wide[n + high] = 0;
            wide[n + !high] = *at;
        }
        assert_int_equal(import_bytes(wide, n), ERT_USAGE);
        assert_contains(error.text, "`iconv -f UTF-16 -t UTF-8`");
    }
}

/* The points before the damage are no profile. */
static void damaged(void **state)
{
    static const char cut[] = "\"1\",\"1\",\"cut\",\"(8, 1, 1)\",\"8.0\",\"1\"\n";
    char text[sizeof ncu + sizeof cut];
    snprintf(text, sizeof text, "%s%s", ncu, cut);
    assert_int_equal(import_bytes(text, strlen(text)), ERT_USAGE);
    assert_contains(error.text, "cut off");
}

static void byte_order_mark(void **state)
{
    char text[sizeof ncu + 8];
    snprintf(text, sizeof text, "\xef\xbb\xbf%s", ncu);
    is_ncu(only(text));
    assert_close(
        only("\xef\xbb\xbfPackage,UNC_M_CAS_COUNT.RD[UNIT0],UNC_M_CAS_COUNT.WR[UNIT0]\n"
             "package_0,3,4\n")
            ->traffic[0]
            .bytes,
        7 * 64, 0);
}

static void json_of_other_shells(void **state)
{
    static const char json[] =
        "{\"schema\": \"ert-points/1\", \"points\": [{\"name\": \"k\", \"time_s\": 2}]}";
    char text[sizeof json + 4];
    snprintf(text, sizeof text, "\xef\xbb\xbf%s", json);
    assert_close(only(text)->time_s, 2, 0);
}

/* What no importer recognizes, with its cause where that is known. */
static void causes_are_named(void **state)
{
    static const char semicolons[] = "\"ID\";\"Process ID\";\"Kernel Name\";\"time\"\n"
                                     "\"0\";\"1\";\"k(int, int)\";\"1,5\"\n";
    static const char *const texts[] = {
        semicolons,
        "0: 1,ns,duration_time,1,100.00,,\n1: 1,ns,duration_time,1,100.00,,\n",
        " 00: a\n 01: b\n",
        "[0] a\n[1] b\n",
        "[1,0]<stdout>:\"ID\",\"Process ID\"\n[1,0]<stderr>:x\n",
        "0:30 started\n0:31 ended\n",
        "a;b\n1;2\n",
        "[x] a\n[y] b\n",
        "SQLite format 3",
        "SQLite format 3 is what it is",
        "{\n \"rocprofiler-sdk-tool\": [{\"metadata\": {}}]}\n",
        "{\"empirical\": {\"gbytes\": {",
        "==1== NVPROF is profiling process 1, command: a\n"};
    static const char tags[] = "tags of a launcher", none[] = "`roofline import --help`";
    static const char *const causes[] = {
        "';' separates its cells",
        tags,
        tags,
        tags,
        tags,
        none,
        none,
        none,
        "format: SQLite, as Nsight Systems exports it: `python3 -m roofline points FILE",
        none,
        "format: JSON of rocprofv3: `python3 -m roofline points FILE",
        "format: results of LBNL's ERT: `python3 -m roofline ert-ceilings FILE",
        "format: a profile of nvprof: `python3 -m roofline points FILE"};
    for (size_t i = 0; i < ERT_LENGTH(texts); i++) {
        assert_int_equal(import_bytes(texts[i], strlen(texts[i]) + 1), ERT_USAGE);
        assert_contains(error.text, causes[i]);
    }
}

/* Saved by a spreadsheet: only cells with commas have quotes. */
static void ncu_resaved(void **state)
{
    is_ncu(only(
        "==PROF== Connected to process 1\n"
        "ID,Process ID,Kernel Name,Grid Size,CC,gpu__time_duration.sum,dram__bytes.sum\n"
        ",,,,,us,Kbyte\n"
        "0,1,\"axpy<float, 4>(float *)\",\"(8, 1, 1)\",8.0,1234.5,2000.25\n"));
}

/* A program's own table before that of its profile, and behind it. */
static void other_tables(void **state)
{
    static const char tabs[] = "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\n",
                      marks[] = "1;2;3;4;5;6;7;8;9;10;11\n";
    char text[2 * sizeof ncu + sizeof tabs + sizeof marks];
    snprintf(text, sizeof text, "%s%s%s%s", tabs, marks, ncu, tabs);
    is_ncu(only(text));
}

static int free_points(void **state)
{
    rfl_points_free(&points);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(utf16_is_named),   JSON_TEST(damaged),
        JSON_TEST(byte_order_mark),  JSON_TEST(json_of_other_shells),
        JSON_TEST(causes_are_named), JSON_TEST(ncu_resaved),
        JSON_TEST(other_tables),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
