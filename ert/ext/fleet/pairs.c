/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/pairs.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: another one would be too many. */
static struct ert_pairs_test *pairs_test(struct ert_pairs *pairs,
                                         const struct ert_net_record *record)
{
    for (size_t i = 0; i < pairs->n_tests; i++) {
        struct ert_pairs_test *test = &pairs->tests[i];
        if (test->test == record->test && test->size_bytes == record->size_bytes)
            return test;
    }
    if (pairs->n_tests == ERT_PAIRS_TESTS)
        return NULL;
    pairs->tests =
        ert_xgrow(pairs->tests, pairs->n_tests, &pairs->room_tests, sizeof *pairs->tests);
    struct ert_pairs_test *test = &pairs->tests[pairs->n_tests++];
    *test = (struct ert_pairs_test){.test = record->test, .size_bytes = record->size_bytes};
    return test;
}

enum ert_status ert_pairs_add(struct ert_pairs *pairs, const struct ert_net_record *record,
                              const char *file, struct ert_error *error)
{
    if (record->line == ERT_NET_RUN)
        pairs->shares_cpus |= record->shares_cpus;
    if (record->line != ERT_NET_PAIR)
        return ERT_OK;
    struct ert_pairs_test *test = pairs_test(pairs, record);
    if (!test)
        return ert_fail(error, ERT_USAGE, "%s: size_bytes: more than %d tests", file,
                        ERT_PAIRS_TESTS);
    test->samples = ert_xgrow(test->samples, test->n_samples, &test->room_samples,
                              sizeof *test->samples);
    test->samples[test->n_samples++] = (struct ert_link_sample){
        .a = (uint32_t)ert_strings_index(&pairs->hosts, record->a),
        .b = (uint32_t)ert_strings_index(&pairs->hosts, record->b),
        .value = record->value,
        .state = record->state == ERT_NET_OK && !(record->value > 0) ? ERT_NET_FAILED
                                                                     : record->state,
        .repeat = record->repeat};
    return ERT_OK;
}

enum ert_status ert_pairs_judge(struct ert_pairs *pairs, struct ert_lines *topology,
                                double false_alarms, struct ert_error *error)
{
    uint32_t n_hosts = (uint32_t)pairs->hosts.n_texts;
    if (topology)
        ERT_TRY(ert_topology_read(topology, &pairs->hosts, &pairs->topology, error));
    for (size_t i = 0; i < pairs->n_tests; i++) {
        struct ert_pairs_test *test = &pairs->tests[i];
        bool is_time = strcmp(ert_net_test_unit(test->test), "s") == 0;
        ert_links_judge(
            &(struct ert_link_input){.samples = test->samples,
                                     .n_samples = test->n_samples,
                                     .n_hosts = n_hosts,
                                     .groups = pairs->topology.groups,
                                     .n_groups = (uint32_t)pairs->topology.names.n_texts,
                                     .better = is_time ? ERT_BETTER_LOW : ERT_BETTER_HIGH,
                                     .false_alarms = false_alarms / (double)pairs->n_tests,
                                     .shares_cpus = pairs->shares_cpus},
            &test->links);
    }
    return ERT_OK;
}

struct ert_pair_text ert_pairs_name(const struct ert_pairs_test *test)
{
    struct ert_pair_text name;
    snprintf(name.text, sizeof name.text, "%s, %s", ert_net_test_words[test->test],
             ert_units_capacity((uint64_t)test->size_bytes).text);
    return name;
}

void ert_pairs_free(struct ert_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n_tests; i++) {
        free(pairs->tests[i].samples);
        ert_links_free(&pairs->tests[i].links);
    }
    free(pairs->tests);
    ert_topology_free(&pairs->topology);
    ert_strings_free(&pairs->hosts);
    *pairs = (struct ert_pairs){0};
}
