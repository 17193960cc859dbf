/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/links.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/fleet/hosts.h"

#include <stdlib.h>
#include <string.h>

/* ---- what was measured ---- */

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
                              const char *place, struct ert_error *error)
{
    if (record->line == ERT_NET_RUN) {
        pairs->shares_cpus |= record->shares_cpus;
        pairs->n_runs++;
    }
    if (record->line != ERT_NET_PAIR)
        return ERT_OK;
    struct ert_pairs_test *test = pairs_test(pairs, record);
    if (!test)
        return ert_fail(error, ERT_USAGE, "%s: size_bytes: more than %d tests", place,
                        ERT_PAIRS_TESTS);
    test->samples = ert_xgrow(test->samples, test->n_samples, &test->room_samples,
                              sizeof *test->samples);
    const uint32_t a = (uint32_t)ert_strings_index(&pairs->hosts, record->a),
                   b = (uint32_t)ert_strings_index(&pairs->hosts, record->b);
    const bool is_turned = a > b && record->test != ERT_NET_ONE_WAY; /* runs may differ */
    test->samples[test->n_samples++] = (struct ert_link_sample){
        .a = is_turned ? b : a,
        .b = is_turned ? a : b,
        .value = record->value,
        .state = record->state == ERT_NET_OK && !(record->value > 0) ? ERT_NET_FAILED
                                                                     : record->state,
        .run = pairs->n_runs};
    return ERT_OK;
}

void ert_pairs_free(struct ert_pairs *pairs)
{
    for (size_t i = 0; i < pairs->n_tests; i++)
        free(pairs->tests[i].samples);
    free(pairs->tests);
    ert_strings_free(&pairs->hosts);
    *pairs = (struct ert_pairs){0};
}

/* ---- switches ---- */

static enum ert_status pairs_add_host(const struct ert_lines *lines, uint32_t of,
                                      const char *host, struct ert_switches *switches,
                                      struct ert_error *error)
{
    if (!ert_host_is_name(host))
        return ert_lines_fail(lines, error,
                              "'%.100s' is not a host name; for lists with brackets: "
                              "scontrol show hostnames LIST",
                              host);
    const size_t n = switches->hosts.n_texts, i = ert_strings_index(&switches->hosts, host);
    if (i >= ERT_HOSTS_MOST)
        return ert_lines_fail(lines, error, "more than %d names", ERT_HOSTS_MOST);
    if (i < n && switches->of[i] != of)
        return ert_lines_fail(lines, error, "host %s is at %s and at %s", host,
                              switches->names.texts[switches->of[i]],
                              switches->names.texts[of]);
    switches->of = ert_xgrow(switches->of, i, &switches->room_of, sizeof *switches->of);
    switches->of[i] = of;
    return ERT_OK;
}

enum ert_status ert_switches_read(struct ert_lines *lines, struct ert_switches *switches,
                                  struct ert_error *error)
{
    for (char *text = ert_lines_next(lines); text; text = ert_lines_next(lines)) {
        text[strcspn(text, "#")] = '\0';
        const char *name = ert_lines_word(&text), *host = ert_lines_word(&text);
        if (*name && !*host)
            return ert_lines_fail(lines, error, "a line must be SWITCH HOST HOST ...");
        const uint32_t of = *name ? (uint32_t)ert_strings_index(&switches->names, name) : 0;
        for (; *host; host = ert_lines_word(&text))
            ERT_TRY(pairs_add_host(lines, of, host, switches, error));
    }
    return ert_lines_end(lines, error);
}

const char *ert_switches_of(const struct ert_switches *switches, const char *host)
{
    const size_t i = ert_strings_find(&switches->hosts, host);
    return i == SIZE_MAX ? NULL : switches->names.texts[switches->of[i]];
}

void ert_switches_free(struct ert_switches *switches)
{
    ert_strings_free(&switches->names);
    ert_strings_free(&switches->hosts);
    free(switches->of);
    *switches = (struct ert_switches){0};
}
