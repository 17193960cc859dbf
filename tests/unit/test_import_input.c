/* SPDX-License-Identifier: BSD-3-Clause */
/* Profiles that shells, launchers and spreadsheets changed on the way. */
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
static void utf16(void **state)
{
    (void)state;
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
        if (high == 0) /* high byte first: the mark is fe ff */
            assert_true(!(form & 2) || (unsigned char)wide[0] == 0xfe);
        if (import_bytes(wide, n) != ERT_OK)
            fail_msg("form %d: %s", form, error.text);
        is_ncu(&points.points[0]);
    }
}

/* A damaged file is refused in every form: the points before the damage are no profile. */
static void damaged_in_every_form(void **state)
{
    (void)state;
    static const char cut[] = "\"1\",\"1\",\"cut\",\"(8, 1, 1)\",\"8.0\",\"1\"\n";
    char text[sizeof ncu + sizeof cut], wide[2 * sizeof text + 2] = "\xff\xfe",
                                                               tagged[2048];
    snprintf(text, sizeof text, "%s%s", ncu, cut);
    for (size_t i = 0; text[i]; i++)
        wide[2 * i + 2] = text[i];
    size_t n = 0;
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        n += (size_t)snprintf(tagged + n, sizeof tagged - n, "0: %.*s\n1: %.*s\n",
                              (int)strcspn(line, "\n"), line, (int)strcspn(line, "\n"),
                              line);
    assert_int_equal(import_bytes(text, strlen(text)), ERT_USAGE);
    assert_contains(error.text, "cut off");
    assert_int_equal(import_bytes(wide, 2 * strlen(text) + 2), ERT_USAGE);
    assert_contains(error.text, "cut off");
    assert_int_equal(import_bytes(tagged, n), ERT_USAGE);
    assert_contains(error.text, "cut off");
}

/* Kernel names outside of ASCII, one of them of two units. */
static void utf16_names(void **state)
{
    (void)state;
    static const char head[] = "1;ns;duration_time;1;100.00\n7;;";
    static const unsigned char name[] = {0x3d, 0xd8, 0x00, 0xde, 0xb5, 0x03};
    static const char tail[] = ";1;100.00\n";
    char wide[256] = "\xff\xfe";
    size_t n = 2;
    for (const char *at = head; *at; at++, n += 2)
        wide[n] = *at;
    memcpy(wide + n, name, sizeof name);
    n += sizeof name;
    for (const char *at = tail; *at; at++, n += 2)
        wide[n] = *at;
    assert_int_equal(import_bytes(wide, n), ERT_OK);
    assert_close(points.points[0].time_s, 1e-9, 1e-12);
}

static void byte_order_mark(void **state)
{
    (void)state;
    char text[sizeof ncu + 8];
    snprintf(text, sizeof text, "\xef\xbb\xbf%s", ncu);
    is_ncu(only(text));
    assert_close(
        only("\xef\xbb\xbfPackage,UNC_M_CAS_COUNT.RD[UNIT0],UNC_M_CAS_COUNT.WR[UNIT0]\n"
             "package_0,3,4\n")
            ->traffic[0]
            .bytes,
        7 * 64, 0);
    assert_string_equal(only("\xef\xbb\xbf{\"papi_version\": \"7\", \"threads\": {\"0\": "
                             "{\"regions\": {\"a\": {\"PAPI_DP_OPS\": \"3\"}}}}}")
                            ->format,
                        "papi");
}

static void json_of_other_shells(void **state)
{
    (void)state;
    static const char json[] =
        "{\"schema\": \"ert-points/1\", \"points\": [{\"name\": \"k\", \"time_s\": 2}]}";
    char text[sizeof json + 4], wide[2 * sizeof json + 2] = "\xff\xfe";
    snprintf(text, sizeof text, "\xef\xbb\xbf%s", json);
    assert_close(only(text)->time_s, 2, 0);
    for (size_t i = 0; i < sizeof json - 1; i++)
        wide[2 * i + 2] = json[i];
    assert_int_equal(import_bytes(wide, 2 * sizeof json), ERT_OK);
    assert_close(points.points[0].time_s, 2, 0);
}

/* Saved by a spreadsheet: cells without quotes, another separator, decimal commas, lines filled up. */
static void spreadsheets(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "ID,Process ID,Kernel Name,Grid Size,CC,gpu__time_duration.sum,dram__bytes.sum\n"
        ",,,,,us,Kbyte\n"
        "0,1,\"axpy<float, 4>(float *)\",\"(8, 1, 1)\",8.0,1234.5,2000.25\n",
        "==PROF== Connected to process 1;;;;;;\r\n"
        "ID;Process ID;Kernel Name;Grid Size;CC;gpu__time_duration.sum;dram__bytes.sum\r\n"
        ";;;;;us;Kbyte\r\n"
        "0;1;axpy<float, 4>(float *);(8, 1, 1);8.0;1.234,50;2000,25\r\n",
        "ID\tProcess ID\tKernel Name\tGrid "
        "Size\tCC\tgpu__time_duration.sum\tdram__bytes.sum\n"
        "\t\t\t\t\tus\tKbyte\n"
        "0\t1\taxpy<float, 4>(float *)\t(8, 1, 1)\t8.0\t1,234.50\t2,000.25\n",
        "\"ID\";\"Process ID\";\"Kernel Name\";\"Grid "
        "Size\";\"CC\";\"gpu__time_duration.sum\";"
        "\"dram__bytes.sum\"\n\"\";\"\";\"\";\"\";\"\";\"us\";\"Kbyte\"\n"
        "\"0\";\"1\";\"axpy<float, 4>(float *)\";\"(8, 1, "
        "1)\";\"8.0\";\"1,234.50\";\"2,000.25\"\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        is_ncu(only(texts[i]));
}

/* Quotes within a cell that has none around it, also the first one of a text. */
static void quotes_in_cells(void **state)
{
    (void)state;
    static const char text[] = "a\"b;c \"d\" e;f;ID;Kernel Name\n";
    assert_int_equal(import_bytes(text, sizeof text - 1), ERT_USAGE);
    assert_string_equal(
        only("x\"y;ID;Process ID;Kernel Name;Grid Size;CC;gpu__time_duration.sum\n"
             ";;;;;;us\n0;0;1;k<\"a\">(int);(8, 1, 1);8.0;1234\n")
            ->name,
        "k<\"a\">");
}

/* A program's own table before that of its profile, and behind it. */
static void other_tables(void **state)
{
    (void)state;
    static const char tabs[] = "a\tb\tc\td\te\tf\tg\th\ti\tj\tk\tl\n",
                      marks[] = "1;2;3;4;5;6;7;8;9;10;11\n";
    char text[2 * sizeof ncu + sizeof tabs + sizeof marks];
    snprintf(text, sizeof text, "%s%s%s%s", tabs, marks, ncu, tabs);
    is_ncu(only(text));
}

/* Where only the separator tells what a comma is. */
static void decimal_commas(void **state)
{
    (void)state;
    const struct rfl_point *loop =
        only("ID;Function Call Sites and Loops;Self Elapsed Time;Data Types;Self GFLOP\n"
             "1;[loop in f at f.c:1];2,000s;Float64;10,000\n");
    assert_close(loop->time_s, 2, 1e-12);
    assert_close(loop->work[0].flops, 1e10, 1e-12);
    loop = only("ID;Function Call Sites and Loops;Self Elapsed Time;Data Types;Self GFLOP\n"
                "1;[loop in f at f.c:1];2.5s;Float64;10,000\n");
    assert_close(loop->work[0].flops, 1e13, 1e-12);
    loop =
        only("TABLE;Region axpy<double, 4>;Group 1 Raw;FLOPS_DP;2\n"
             "Region Info;HWThread 0;\nRDTSC Runtime [s];1,500000;\ncall count;1;\n"
             "Event;Counter;HWThread 0\nFP_ARITH_INST_RETIRED_SCALAR_DOUBLE;PMC0;2000\n");
    assert_string_equal(loop->name, "axpy<double, 4>");
    assert_close(loop->time_s, 1.5, 1e-12);
    assert_close(
        only("\"Device\";\"Kernel\";\"Invocations\";\"Metric Name\";\"Metric "
             "Description\";\"Min\";\"Max\";\"Avg\"\n\"V100 (0)\";\"k(int, int)\";2;"
             "\"flop_count_dp\";\"Operations\";3;3;3,5\n")
            ->work[0]
            .flops,
        7, 1e-12);
}

static const struct rfl_point *task(const char *run)
{
    for (size_t i = 0; i < points.n; i++)
        if (strcmp(points.points[i].run, run) == 0)
            return &points.points[i];
    fail_msg("no run '%s'", run);
    return NULL;
}

/* Each task of a launcher is a point: their lines come in any order. */
static void tags_of_launchers(void **state)
{
    (void)state;
    static const char *const tags[][2] = {
        {"[1,0]<stdout>:",               "[1,1]<stdout>:"              },
        {"[prterun-n1-7@1,0]<stderr>: ", "[prterun-n1-7@1,1]<stderr>: "},
        {"0: ",                          "1: "                         },
        {" 00: ",                        " 01: "                       },
        {"[0] ",                         "[1] "                        },
    };
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        char text[1024];
        const char *a = tags[i][0], *b = tags[i][1];
        snprintf(text, sizeof text,
                 "%s2000000000,ns,duration_time,1,100.00,,\n"
                 "%s4000000000,ns,duration_time,1,100.00,,\n"
                 "%s50,,fp_arith_inst_retired.scalar_double,1,100.00,,\n"
                 "srun: job 7 has ended\n"
                 "%s60,,fp_arith_inst_retired.scalar_double,1,100.00,,\n%s\n",
                 a, b, b, a, b);
        if (import_bytes(text, strlen(text)) != ERT_OK)
            fail_msg("%s: %s", text, error.text);
        assert_int_equal(points.n, 2);
        assert_close(task("task 0")->time_s, 2, 1e-12);
        assert_close(task("task 0")->work[0].flops, 60, 0);
        assert_close(task("task 1")->time_s, 4, 1e-12);
        assert_close(task("task 1")->work[0].flops, 50, 0);
    }
}

/* One task has the profile, the other one prints; and a single task needs no name. */
static void tasks_without_a_profile(void **state)
{
    (void)state;
    const struct rfl_point *point = only("1: hello\n0: 7,,instructions,1,100.00\n1: "
                                         "again\n0: 8,ns,duration_time,1,100.00\n");
    assert_string_equal(point->run, "task 0");
    assert_close(point->instructions, 7, 0);
    char text[2048] = "";
    for (const char *line = ncu; *line; line += strcspn(line, "\n") + 1)
        snprintf(text + strlen(text), sizeof text - strlen(text), "[1,3]<stdout>:%.*s\n",
                 (int)strcspn(line, "\n"), line);
    point = only(text);
    is_ncu(point);
    assert_string_equal(point->run, "");
    assert_int_equal(import_bytes("0: a\n1: b\n", 10), ERT_USAGE);
    assert_contains(error.text, "unrecognised format");
}

static int free_points(void **state)
{
    (void)state;
    rfl_points_free(&points);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(utf16),
        JSON_TEST(damaged_in_every_form),
        JSON_TEST(utf16_names),
        JSON_TEST(byte_order_mark),
        JSON_TEST(json_of_other_shells),
        JSON_TEST(spreadsheets),
        JSON_TEST(quotes_in_cells),
        JSON_TEST(other_tables),
        JSON_TEST(decimal_commas),
        JSON_TEST(tags_of_launchers),
        JSON_TEST(tasks_without_a_profile),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
