/* SPDX-License-Identifier: BSD-3-Clause */
/* links: planted hosts, links and switches; what hangs; what comes again; and switches. */
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/ext/fleet/links.h"

enum { MAX_HOSTS = 64, MAX_SAMPLES = MAX_HOSTS * MAX_HOSTS };

/* All pairs of n hosts at `rate`, 1 % up or down, in groups of four. */
struct planted {
    struct ert_link_sample samples[MAX_SAMPLES];
    uint32_t groups[MAX_HOSTS];
    struct ert_link_input input;
};

static void plant(struct planted *planted, uint32_t n)
{
    size_t n_samples = 0;
    for (uint32_t a = 0; a < n; a++) {
        planted->groups[a] = a / 4;
        for (uint32_t b = a + 1; b < n; b++) {
            double noise = 0.02 * ert_random_unit(n, n_samples) - 0.01;
            planted->samples[n_samples++] =
                (struct ert_link_sample){.a = a, .b = b, .value = 10e9 * (1 + noise)};
        }
    }
    planted->input = (struct ert_link_input){.samples = planted->samples,
                                             .n_samples = n_samples,
                                             .n_hosts = n,
                                             .better = ERT_BETTER_HIGH,
                                             .false_alarms = ERT_LINK_FALSE_ALARMS};
}

static void use_groups(struct planted *planted)
{
    planted->input.groups = planted->groups;
    planted->input.n_groups = (planted->input.n_hosts + 3) / 4;
}

/* Makes the pairs of `host` slower; of all hosts where it is ERT_PAIR_NONE. */
static void slow_host(struct planted *planted, uint32_t host, double factor)
{
    for (size_t i = 0; i < planted->input.n_samples; i++)
        if (planted->samples[i].a == host || planted->samples[i].b == host)
            planted->samples[i].value *= factor;
}

static struct ert_link_sample *pair_of(struct planted *planted, uint32_t a, uint32_t b)
{
    for (size_t i = 0; i < planted->input.n_samples; i++)
        if (planted->samples[i].a == a && planted->samples[i].b == b)
            return &planted->samples[i];
    fail_msg("no pair %u - %u", a, b);
    return NULL;
}

/* A second run, in which the rates have other noise, and `slow` times the rate where the pair is slow now. */
static void run_again(struct planted *planted, double slow)
{
    const size_t n = planted->input.n_samples;
    for (size_t i = 0; i < n; i++) {
        struct ert_link_sample sample = planted->samples[i];
        sample.value =
            10e9 * (0.99 + 0.02 * ert_random_unit(7, i)) * (sample.value < 9e9 ? slow : 1);
        sample.run++;
        planted->samples[planted->input.n_samples++] = sample;
    }
}

/* One finding and no other; the caller frees links. */
static const struct ert_link_finding *only(const struct planted *planted,
                                           struct ert_links *links, enum ert_link_kind kind,
                                           uint32_t a, uint32_t b)
{
    ert_links_judge(&planted->input, links);
    assert_int_equal(links->n_findings, 1);
    assert_int_equal(links->findings[0].kind, kind);
    assert_int_equal(links->findings[0].a, a);
    assert_int_equal(links->findings[0].b, b);
    return &links->findings[0];
}

static void sound_links_give_nothing(void **state)
{
    static const uint32_t sizes[] = {2, 3, 4, 7, 16, 33, 64};
    for (size_t i = 0; i < ERT_LENGTH(sizes); i++) {
        struct planted planted;
        struct ert_links links;
        plant(&planted, sizes[i]);
        ert_links_judge(&planted.input, &links);
        assert_int_equal(links.n_findings, 0);
        ert_links_free(&links);
        use_groups(&planted);
        ert_links_judge(&planted.input, &links);
        assert_int_equal(links.n_findings, 0);
        ert_links_free(&links);
    }
}

static void no_pair_at_all_is_fine(void **state)
{
    struct ert_links links;
    const struct ert_link_input none = {.false_alarms = 0.01},
                                idle = {.n_hosts = 3, .false_alarms = 0.01};
    ert_links_judge(&none, &links);
    assert_int_equal(links.n_findings, 0);
    ert_links_free(&links);
    ert_links_judge(&idle, &links);
    assert_int_equal(links.n_findings, 0);
    ert_links_free(&links);
}

static void a_slow_host_is_the_host(void **state)
{
    static const uint32_t sizes[] = {3, 4, 5, 16, 64};
    for (size_t i = 0; i < ERT_LENGTH(sizes); i++) {
        struct planted planted;
        struct ert_links links;
        plant(&planted, sizes[i]);
        slow_host(&planted, 2, 0.5);
        const struct ert_link_finding *finding =
            only(&planted, &links, ERT_LINK_HOST, 2, ERT_PAIR_NONE);
        assert_close(finding->change, -0.5, 0.03);
        assert_close(finding->expected, 10e9, 0.01);
        assert_close(finding->value, 5e9, 0.03);
        assert_true(finding->n_low == finding->n_pairs && finding->n_pairs == sizes[i] - 1);
        ert_links_free(&links);
    }
}

static void a_slow_link_is_the_link(void **state)
{
    static const uint32_t sizes[] = {3, 4, 5, 16, 64};
    for (size_t i = 0; i < ERT_LENGTH(sizes); i++) {
        struct planted planted;
        struct ert_links links;
        plant(&planted, sizes[i]);
        pair_of(&planted, 1, 2)->value *= 0.4;
        const struct ert_link_finding *finding =
            only(&planted, &links, ERT_LINK_PAIR, 1, 2);
        assert_close(finding->change, -0.6, 0.02);
        ert_links_free(&links);
    }
}

/* Where ranks share CPUs, what takes half of a sound pair's speed is no fault of the network. */
static void shared_cpus_make_small_slowdowns_no_findings(void **state)
{
    struct planted planted;
    struct ert_links links;
    plant(&planted, 16);
    planted.input.shares_cpus = true;
    pair_of(&planted, 2, 9)->value *= 0.3;
    pair_of(&planted, 4, 5)->value *= 0.2;
    only(&planted, &links, ERT_LINK_PAIR, 4, 5);
    assert_close(links.findings[0].limit, -0.75, 1e-9);
    ert_links_free(&links);
}

/* Times: a slow host's are longer. */
static void latencies_are_better_low(void **state)
{
    struct planted planted;
    struct ert_links links;
    plant(&planted, 16);
    slow_host(&planted, 7, 2);
    planted.input.better = ERT_BETTER_LOW;
    const struct ert_link_finding *finding =
        only(&planted, &links, ERT_LINK_HOST, 7, ERT_PAIR_NONE);
    assert_close(finding->change, -0.5, 0.03);
    assert_close(finding->value, 20e9, 0.03);
    ert_links_free(&links);
}

/* Group 1 of four groups: its way out is slow; pairs within groups are faster. */
static void a_slow_switch_is_the_switch(void **state)
{
    struct planted planted;
    struct ert_links links;
    plant(&planted, 16);
    use_groups(&planted);
    for (size_t i = 0; i < planted.input.n_samples; i++) {
        uint32_t a = planted.samples[i].a / 4, b = planted.samples[i].b / 4;
        planted.samples[i].value *= a == b ? 2 : a == 1 || b == 1 ? 0.6 : 1;
    }
    const struct ert_link_finding *finding =
        only(&planted, &links, ERT_LINK_GROUP, 1, ERT_PAIR_NONE);
    assert_close(finding->change, -0.4, 0.03);
    assert_int_equal(finding->n_pairs, 4 * 12 + 6);
    assert_close(finding->expected, 10e9, 0.01);
    ert_links_free(&links);
}

static void a_host_that_answers_nobody_is_the_host(void **state)
{
    static const uint32_t sizes[] = {3, 4, 16};
    for (size_t s = 0; s < ERT_LENGTH(sizes); s++) {
        struct planted planted;
        struct ert_links links;
        plant(&planted, sizes[s]);
        for (size_t i = 0; i < planted.input.n_samples; i++)
            if (planted.samples[i].a == 2 || planted.samples[i].b == 2)
                planted.samples[i].state = ERT_NET_TIMEOUT;
        const struct ert_link_finding *finding =
            only(&planted, &links, ERT_LINK_HOST, 2, ERT_PAIR_NONE);
        assert_true(finding->change == -1 && finding->value == 0);
        assert_int_equal(finding->state, ERT_NET_TIMEOUT);
        ert_links_free(&links);
    }
}

/* Also where these two are all there is, and where the run ended in its first round. */
static void a_silent_pair_is_the_link(void **state)
{
    static const uint32_t sizes[] = {2, 3, 16};
    for (size_t s = 0; s < ERT_LENGTH(sizes); s++) {
        struct planted planted;
        struct ert_links links;
        plant(&planted, sizes[s]);
        pair_of(&planted, 0, 1)->state = ERT_NET_WRONG;
        const struct ert_link_finding *finding =
            only(&planted, &links, ERT_LINK_PAIR, 0, 1);
        assert_int_equal(finding->state, ERT_NET_WRONG);
        ert_links_free(&links);
    }
    struct planted planted;
    struct ert_links links;
    plant(&planted, 8);
    const uint32_t round[][2] = {
        {0, 1},
        {2, 3},
        {4, 5},
        {6, 7}
    };
    for (size_t i = 0; i < 4; i++)
        planted.samples[i] = *pair_of(&planted, round[i][0], round[i][1]);
    planted.input.n_samples = 4;
    planted.samples[2].state = ERT_NET_TIMEOUT;
    only(&planted, &links, ERT_LINK_PAIR, 4, 5);
    ert_links_free(&links);
}

/* A host and a link are slow; of two runs only what both say is found. */
static void what_does_not_come_again_is_not_found(void **state)
{
    for (int comes_again = 0; comes_again < 2; comes_again++) {
        struct planted planted;
        struct ert_links links;
        plant(&planted, 16);
        slow_host(&planted, 3, 0.7);
        pair_of(&planted, 8, 9)->value *= 0.6;
        run_again(&planted, comes_again ? 0.65 : 1);
        ert_links_judge(&planted.input, &links);
        assert_int_equal(links.n_findings, comes_again ? 2 : 0);
        for (size_t i = 0; i < links.n_findings; i++)
            assert_int_equal(links.findings[i].n_runs, 2);
        ert_links_free(&links);
    }
}

static void wrong_data_remain_wrong(void **state)
{
    struct planted planted;
    struct ert_links links;
    plant(&planted, 16);
    run_again(&planted, 1);
    pair_of(&planted, 4, 7)->state = ERT_NET_WRONG; /* of the first run */
    assert_int_equal(only(&planted, &links, ERT_LINK_PAIR, 4, 7)->state, ERT_NET_WRONG);
    ert_links_free(&links);
}

static void sentences_say_why(void **state)
{
    static const char *const hosts[] = {"n1", "n2"}, *const switches[] = {"s1", "s2"};
    const struct ert_link_names names = {hosts, switches, "one-way, 1 MiB", "byte/s"};
    static const struct {
        struct ert_link_finding finding;
        const char *sentence;
    } cases[] = {
        {{.kind = ERT_LINK_HOST,
          .b = ERT_PAIR_NONE,
          .value = 12e9,
          .expected = 24e9,
          .change = -0.5,
          .limit = -0.03,
          .n_low = 14,
          .n_pairs = 15,
          .n_runs = 2},
         "n1 is slow with 14 of its 15 peers: one-way, 1 MiB: 12.00 GB/s, where 24.00 GB/s "
         "is "
         "typical (-50 %, limit -3.0 %); in 2 runs"},
        {{.kind = ERT_LINK_PAIR,
          .a = 0,
          .b = 1,
          .state = ERT_NET_TIMEOUT,
          .change = -1,
          .n_runs = 1},
         "n1 - n2 timed out: one-way, 1 MiB"       },
        {{.kind = ERT_LINK_GROUP,
          .a = 1,
          .b = ERT_PAIR_NONE,
          .value = 12e9,
          .expected = 24e9,
          .change = -0.5,
          .limit = -0.1,
          .n_pairs = 54},
         "switch s2 is slow in 54 pairs: one-way, 1 MiB: 12.00 GB/s, where 24.00 GB/s is "
         "typical (-50 %, limit -10 %)"            },
    };
    for (size_t i = 0; i < ERT_LENGTH(cases); i++) {
        char *text = ert_link_sentence(&cases[i].finding, &names);
        assert_string_equal(text, cases[i].sentence);
        free(text);
    }
}

/* ---- switches ---- */

static enum ert_status read_switches(const char *text, struct ert_switches *switches,
                                     struct ert_error *error)
{
    struct ert_lines lines;
    *switches = (struct ert_switches){.room_of = 0};
    assert_int_equal(ert_lines_open_text("switches", text, &lines, error), ERT_OK);
    enum ert_status status = ert_switches_read(&lines, switches, error);
    ert_lines_close(&lines);
    return status;
}

static void switches_are_read(void **state)
{
    struct ert_switches switches;
    struct ert_error error;
    assert_int_equal(read_switches("# racks\ns0 tux0\ttux1\n\ns1 tux2 # and in the next\n"
                                   "s1 tux3 tux2\n",
                                   &switches, &error),
                     ERT_OK);
    assert_int_equal(switches.names.n_texts, 2);
    assert_string_equal(ert_switches_of(&switches, "tux1"), "s0");
    assert_string_equal(ert_switches_of(&switches, "tux3"), "s1");
    assert_null(ert_switches_of(&switches, "tux4"));
    ert_switches_free(&switches);
}

static void bad_switches_are_refused(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"s0 tux[0-1]\n",      "scontrol show hostnames"            },
        {"s0 tux0\ns1 tux0\n", "row 2: host tux0 is at s0 and at s1"},
        {"s0\n",               "must be SWITCH HOST HOST"           },
    };
    for (size_t i = 0; i < ERT_LENGTH(cases); i++) {
        struct ert_switches switches;
        struct ert_error error;
        assert_int_equal(read_switches(cases[i].text, &switches, &error), ERT_USAGE);
        assert_contains(error.text, cases[i].words);
        ert_switches_free(&switches);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_links_give_nothing),
        cmocka_unit_test(no_pair_at_all_is_fine),
        cmocka_unit_test(a_slow_host_is_the_host),
        cmocka_unit_test(a_slow_link_is_the_link),
        cmocka_unit_test(shared_cpus_make_small_slowdowns_no_findings),
        cmocka_unit_test(latencies_are_better_low),
        cmocka_unit_test(a_slow_switch_is_the_switch),
        cmocka_unit_test(a_host_that_answers_nobody_is_the_host),
        cmocka_unit_test(a_silent_pair_is_the_link),
        cmocka_unit_test(what_does_not_come_again_is_not_found),
        cmocka_unit_test(wrong_data_remain_wrong),
        cmocka_unit_test(sentences_say_why),
        cmocka_unit_test(switches_are_read),
        cmocka_unit_test(bad_switches_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
