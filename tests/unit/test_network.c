/* SPDX-License-Identifier: BSD-3-Clause */
/* network: the message roofline and the Ridgeline against numbers by hand. */
#include "tests/unit/planted.h"
#include "tests/unit/points_fixture.h"

#include "analysis/plot/network.h"
#include "analysis/plot/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct rfl_scene scene;
static struct rfl_network network;
static struct rfl_messages messages;
static struct rfl_points points;

static int clear(void **state)
{
    (void)state;
    rfl_scene_free(&scene);
    rfl_network_free(&network);
    rfl_messages_free(&messages);
    rfl_points_free(&points);
    memset(&scene, 0, sizeof scene);
    return 0;
}

static bool noted(const char *words)
{
    for (size_t i = 0; i < scene.notes.n_texts; i++)
        if (strstr(scene.notes.texts[i], words))
            return true;
    return false;
}

static bool near(double value, double wanted)
{
    return fabs(value / wanted - 1) < 1e-6;
}

static void add(struct ert_device_ceilings *device, const char *of, const char *unit,
                double value)
{
    struct ert_extra *extra =
        &device->extra[ERT_EXTRA_NETWORK][device->n_extra[ERT_EXTRA_NETWORK]++];
    snprintf(extra->of, sizeof extra->of, "%s", of);
    snprintf(extra->operation, sizeof extra->operation, "%s", unit);
    snprintf(extra->common.name, sizeof extra->common.name, "net-%s", of);
    extra->common.value = extra->common.low = extra->common.high = value;
}

static const struct rfl_roof *line(const char *brief)
{
    for (size_t i = 0; i < scene.n_levels + scene.n_flats; i++)
        if (strcmp(scene.roofs[i].brief, brief) == 0)
            return &scene.roofs[i];
    return NULL;
}

static enum ert_status draw(struct ert_error *error)
{
    rfl_scene_free(&scene);
    return rfl_network_scene(&network, &messages, 20, &scene, error);
}

/* L 1 us, o 0.2 us, g 0.25 us, 1/G 10 GB/s: T(n, 0) = 2.8 us + (n - 1) 0.25 us. */
static void lines_of_loggp(void **state)
{
    (void)state;
    struct ert_ceilings xeon = planted_make(PLANTED_XEON);
    struct ert_device_ceilings *device = &xeon.devices[0];
    struct ert_error error;
    assert_int_equal(rfl_network_of(device, &network, &error), ERT_UNAVAILABLE);
    assert_non_null(strstr(error.text, "ert-net --into"));
    add(device, "loggp-L", "s", 1e-6);
    add(device, "loggp-o", "s", 2e-7);
    add(device, "loggp-g", "s", 2.5e-7);
    add(device, "loggp-G", "s", 1e-10);
    add(device, "one-way", "byte/s", 9.5e9);
    add(device, "message-rate", "1/s", 3.9e6);
    add(device, "alltoall", "byte/s", 1e9);
    assert_int_equal(rfl_network_of(device, &network, &error), ERT_OK);
    assert_int_equal(draw(&error), ERT_OK);
    assert_true(scene.n_levels == 5 && scene.n_flats == 2);
    assert_true(near(line("n = 1")->value, 1 / 2.8e-6));
    assert_true(near(line("n = 8")->value, 8 / 4.55e-6));
    assert_true(near(line("n = 64")->value, 64 / 18.55e-6));
    assert_true(near(line("1/g")->value, 4e6));
    assert_true(near(line("message rate")->value, 3.9e6));
    assert_true(near(line("1/G")->value, 10e9) && near(line("one way")->value, 9.5e9));
    assert_true(scene.levels == &scene.roofs[0] && scene.levels[0].value >= 3.9e6);
    assert_true(near(scene.flats[0].value, 10e9)); /* the highest first */
    ert_ceilings_free(&xeon);
}

static void lines_without_loggp(void **state)
{
    (void)state;
    struct ert_error error;
    assert_int_equal(draw(&error), ERT_UNAVAILABLE);
    network.latency_s = 2e-6; /* of half a round trip */
    assert_int_equal(draw(&error), ERT_OK);
    assert_true(scene.n_levels == 1 && scene.n_flats == 0);
    assert_true(near(line("n = 1")->value, 250e3));
}

static const char pair[] =
    "{\"schema\": \"ert-net/1\", \"line\": \"pair\", \"a\": \"n1\", \"b\": \"n2\", "
    "\"round\": 1, \"repeat\": %d, \"test\": \"one-way\", \"size_bytes\": %d, "
    "%s\"value\": %g, \"low\": 1, \"high\": 1e12, \"n\": 5, \"state\": \"%s\", "
    "\"reason\": \"\", \"unit\": \"byte/s\"}\n";

/* The median of 8, 9 and 12 GB/s; 8 messages of 64 bytes at 128 MB/s: 4 us. */
static void lines_of_ert_net(void **state)
{
    (void)state;
    struct ert_error error;
    char file[] = "/tmp/test-network-XXXXXX";
    FILE *out = fdopen(mkstemp(file), "w");
    fprintf(out, pair, 0, 1 << 20, "", 12e9, "ok");
    fprintf(out, pair, 0, 1 << 20, "", 8e9, "ok");
    fprintf(out, pair, 0, 1 << 20, "", 9e9, "ok");
    fprintf(out, pair, 1, 1 << 20, "", 1e9, "ok");
    fprintf(out, pair, 0, 1 << 20, "", 0., "timeout");
    fprintf(out, pair, 0, 64, "\"messages\": 8, ", 128e6, "ok");
    fclose(out);
    assert_int_equal(rfl_network_read(file, &network, &error), ERT_OK);
    assert_true(near(network.one_way_bytes_per_s, 9e9));
    assert_true(network.n_points == 1 && near(network.points[0].time_s, 4e-6));
    network.latency_s = 1e-6;
    assert_int_equal(draw(&error), ERT_OK);
    assert_int_equal(scene.n_dots, 0); /* no line of 8 without LogGP */
    network.loggp = (struct ert_loggp){1e-6, 2e-7, 2.5e-7, 1e-10, 0};
    assert_int_equal(draw(&error), ERT_OK);
    assert_int_equal(scene.n_dots, 1);
    assert_string_equal(scene.levels[scene.dots[0].level].level, "n = 8");
    assert_true(near(scene.dots[0].intensity_flop_per_byte, 64) &&
                near(scene.dots[0].perf_flop_per_s, 128e6));
    assert_int_equal(truncate(file, 40), 0);
    assert_int_equal(rfl_network_read(file, &network, &error), ERT_USAGE);
    assert_int_equal(truncate(file, 0), 0);
    assert_int_equal(rfl_network_read(file, &network, &error), ERT_UNAVAILABLE);
    remove(file);
}

static void sent(const char *call, double size_bytes, double calls, double n, double bytes,
                 double time_s)
{
    messages.rows = realloc(messages.rows, (messages.n + 1) * sizeof *messages.rows);
    messages.rows[messages.n++] =
        (struct rfl_message_row){.call = ert_strings_keep(&messages.calls, call),
                                 .size_bytes = size_bytes,
                                 .calls = calls,
                                 .messages = n,
                                 .bytes = bytes,
                                 .time_s = time_s};
}

static const struct rfl_kernel *kernel(const char *name)
{
    for (size_t i = 0; i < scene.n_kernels; i++)
        if (strcmp(scene.kernels[i].brief, name) == 0)
            return &scene.kernels[i];
    return NULL;
}

static void points_of_a_program(void **state)
{
    (void)state;
    network.latency_s = 1e-6;
    sent("MPI_Send", 64, 10, 10, 1000, 1e-3); /* two ranks: 2000 bytes in 4 ms */
    sent("MPI_Send", 64, 10, 10, 1000, 3e-3);
    sent("MPI_Isend", 1024, 6, 6, 9000, 1e-3); /* waits: 9/10 and 1/10 of 20 ms */
    sent("MPI_Isend", 64, 10, 10, 1000, 1e-3);
    sent("MPI_Waitall", 0, 8, 0, 0, 20e-3);
    sent("MPI_Allreduce", 64, 9, 0, 9000, 1);
    sent("MPI_Bcast", 64, 9, 0, 0, 2); /* it sends nothing, and waits for the root */
    sent("received", 0, 0, 9, 9000, 0);
    assert_int_equal(draw(NULL), ERT_OK);
    assert_int_equal(scene.n_kernels, 4);
    const struct rfl_kernel *all = kernel("MPI_Allreduce 1.000 kB");
    assert_true(near(all->marks[0].intensity_flop_per_byte, 1000) &&
                near(all->marks[0].perf_flop_per_s, 9000));
    assert_true(noted("per call the least that a rank must send"));
    const struct rfl_kernel *send = kernel("MPI_Send 100.0 B");
    assert_true(near(send->marks[0].intensity_flop_per_byte, 100) &&
                near(send->marks[0].perf_flop_per_s, 2000 / 4e-3));
    assert_true(near(kernel("MPI_Isend 1.500 kB")->marks[0].perf_flop_per_s, 9000 / 19e-3));
    assert_true(near(kernel("MPI_Isend 100.0 B")->marks[0].perf_flop_per_s, 1000 / 3e-3));
    assert_true(noted("n = 2 messages per wait")); /* 16 of 8 */
    assert_true(scene.y_min <= 1000 / 3e-3 && scene.x_max >= 1500);
}

/* mpiP 3.5.0: a ring of four ranks; 50 Sendrecv of 800,000 B each take 41, 9.35, 57 and 63 ms. */
static void points_of_mpip(void **state)
{
    (void)state;
    struct ert_error error;
    char file[1024];
    snprintf(file, sizeof file, "%s/tests/data/mpip/ring.txt", getenv("top_srcdir"));
    network.latency_s = 1e-6;
    assert_int_equal(rfl_messages_read(file, &messages, &error), ERT_OK);
    assert_int_equal(draw(&error), ERT_OK);
    assert_int_equal(scene.n_kernels, 4);
    const double both_s = 50 * (.82 + .187 + 1.14 + 1.26) / 1e3;
    const struct rfl_kernel *exchange = kernel("MPI_Sendrecv 800.0 kB");
    assert_true(near(exchange->marks[0].intensity_flop_per_byte, 800e3) &&
                near(exchange->marks[0].perf_flop_per_s, 4 * 4e7 / both_s));
    assert_non_null(kernel("MPI_Isend 8.000 kB"));
    assert_true(
        near(kernel("MPI_Bcast 800.0 kB")->marks[0].intensity_flop_per_byte, 800e3));
    assert_true(near(kernel("MPI_Allreduce 8.000 B")->marks[0].intensity_flop_per_byte, 8));
    assert_true(noted("n = 1 messages per wait")); /* 400 of 400 */
    assert_true(noted("per call the rank's buffer (mpiP)"));
}

/* Their rows are one list; the hosts of the one are not those of the other. */
static void several_files(void **state)
{
    (void)state;
    struct ert_error error;
    char file[1024], own[] = "/tmp/test-network-XXXXXX";
    FILE *out = fdopen(mkstemp(own), "w");
    fputs(
        "rank\thost\tranks\tcall\tsize_bytes\tcalls\tmessages\tbytes\tnet_bytes\tseconds\n"
        "0\tx\t2\tMPI_Send\t8\t1\t1\t8\t8\t0.1\n1\tn0\t2\tMPI_Send\t8\t1\t1\t8\t8\t0.1\n",
        out);
    fclose(out);
    snprintf(file, sizeof file, "%s/tests/data/mpip/ring.txt", getenv("top_srcdir"));
    rfl_messages_free(&messages);
    assert_int_equal(rfl_messages_read(own, &messages, &error), ERT_OK);
    for (size_t n = 1; n <= 2; n++) {
        assert_int_equal(rfl_messages_read(file, &messages, &error), ERT_OK);
        assert_int_equal(messages.mpip.n_ranks, 4);
        assert_true(messages.mpip.sent_bytes[1] > 0); /* n0 is the second host */
        size_t n_sent = 0;
        for (size_t i = 0; i < messages.n; i++)
            n_sent += messages.rows[i].ranks == 0 && messages.rows[i].bytes > 0;
        assert_int_equal(n_sent, n * 16); /* call sites of ring.txt that send */
    }
    remove(own);
    rfl_messages_free(&messages);
}

/* What is cut off or damaged is refused. */
static void a_damaged_mpip(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"@ mpiP\n@ Command : ./a\n",          "no section 'Callsite Time statistics'"},
        {"@ mpiP\n@--- Callsite Time statistics (all, milliseconds): 1 ---\n"
         "Send 1 * 5 many 1 1 0 0\n", NULL                                   },
        {"@ mpiP\n@--- Callsite Time statistics (all, milliseconds): 1 ---\n"
         "Send 1 * 5 1 many 1 0 0\n", "Mean"                                 },
        {"@ mpiP\n@--- Callsite Time statistics (all, milliseconds): 1 ---\n"
         "Send 1 * 5\n",              "Mean: no number"                      },
        {"@ mpiP\n@--- Callsite Time statistics (all, milliseconds): 1 ---\n"
         "Send 1 * 5 1 1 1 0 0\n@--- Callsite Message Sent statistics (all, sent bytes)\n"
         "Send 2 * 5 8 8 8 40\n",     "MPI_Send of call site 2 has no time"  },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ert_error error = {0};
        char file[] = "/tmp/test-network-XXXXXX";
        FILE *out = fdopen(mkstemp(file), "w");
        fputs(rows[i].text, out);
        fclose(out);
        assert_int_equal(rfl_messages_read(file, &messages, &error),
                         rows[i].error ? ERT_USAGE : ERT_OK);
        if (rows[i].error && !strstr(error.text, rows[i].error))
            fail_msg("%s", error.text);
        remove(file);
        rfl_messages_free(&messages);
    }
}

static void point(const char *name, double memory, double net)
{
    struct rfl_point *of = fixture_point(&points, name, "", 1, 1e9, NAN);
    fixture_bytes(of, "DRAM", 1e9 / memory);
    if (net > 0)
        fixture_bytes(of, "NET", 1e9 / net);
}

/* 167 GFLOP/s, 49 GB/s, 4.9 GB/s: corners at 3.408 and 34.08 FLOP/byte. */
static void what_bounds(void **state)
{
    (void)state;
    struct ert_ceilings xeon = planted_make(PLANTED_XEON);
    const struct rfl_scene_device device = {&xeon, 0};
    struct rfl_scene_options options = {.points = &points};
    struct ert_error error;
    assert_int_equal(rfl_ridgeline_scene(&device, &options, &scene, &error),
                     ERT_UNAVAILABLE);
    assert_non_null(strstr(error.text, "network"));
    add(&xeon.devices[0], "one-way", "byte/s", 4.9e9);
    point("dense", 4, 35);
    point("stream", 3, 1000);
    point("halo", 10, 34);
    point("both", 1, 5);   /* 3.4 and 6.8 times the time of its operations */
    point("both2", 1, 20); /* 3.4 and 1.7 */
    point("alone", 1, 0);
    assert_int_equal(rfl_ridgeline_scene(&device, &options, &scene, &error), ERT_OK);
    assert_true(near(scene.wall_x, 167. / 49) && near(scene.wall_y, 167. / 4.9));
    assert_true(scene.n_levels == 1 && near(scene.levels[0].value, 10));
    assert_true(scene.n_flats == 1 && near(scene.flats[0].value, 167. / 4.9));
    assert_true(scene.n_kernels == 5 && scene.n_regions == 3);
    assert_true(near(scene.kernels[2].marks[0].intensity_flop_per_byte, 10) &&
                near(scene.kernels[2].marks[0].perf_flop_per_s, 34));
    assert_true(noted("dense: bound by compute") && noted("stream: bound by memory") &&
                noted("halo: bound by network") && noted("both: bound by network") &&
                noted("both2: bound by memory"));
    assert_true(noted("alone is not drawn: it has no bytes of level NET"));
    rfl_scene_free(&scene);
    options.type = "fp32";
    assert_int_equal(rfl_ridgeline_scene(&device, &options, &scene, &error), ERT_OK);
    assert_true(near(scene.wall_x, 330. / 49));
    rfl_scene_free(&scene);
    options.type = "fp8";
    assert_int_equal(rfl_ridgeline_scene(&device, &options, &scene, &error),
                     ERT_UNAVAILABLE);
    ert_ceilings_free(&xeon);
}

/* Whether the page has the words. */
static bool page_has(const struct ert_ceilings *ceilings, const char *words)
{
    const struct rfl_page_input input = {ceilings, 0, "xeon.json"};
    struct ert_error error;
    char file[] = "/tmp/test-network-XXXXXX", *text = NULL;
    size_t size = 0;
    close(mkstemp(file));
    if (rfl_page_write(&input, 1, NULL, false, file, &error) != ERT_OK)
        fail_msg("%s", error.text);
    FILE *in = fopen(file, "r");
    assert_true(getdelim(&text, &size, '\0', in) > 0);
    bool has = strstr(text, words) != NULL;
    free(text);
    fclose(in);
    remove(file);
    return has;
}

static void a_page_with_a_network(void **state)
{
    (void)state;
    struct ert_ceilings xeon = planted_make(PLANTED_XEON);
    assert_false(page_has(&xeon, "<figure class=\"network\">"));
    add(&xeon.devices[0], "one-way", "byte/s", 9.5e9);
    assert_true(page_has(&xeon, "<figure class=\"network\">\n<svg "));
    assert_true(page_has(&xeon, "one way 9.500 GB/s"));
    assert_false(page_has(&xeon, "<?xml"));
    ert_ceilings_free(&xeon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(lines_of_loggp, clear),
        cmocka_unit_test_teardown(lines_without_loggp, clear),
        cmocka_unit_test_teardown(lines_of_ert_net, clear),
        cmocka_unit_test_teardown(points_of_a_program, clear),
        cmocka_unit_test_teardown(points_of_mpip, clear),
        cmocka_unit_test_teardown(several_files, clear),
        cmocka_unit_test_teardown(a_damaged_mpip, clear),
        cmocka_unit_test_teardown(what_bounds, clear),
        cmocka_unit_test_teardown(a_page_with_a_network, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
