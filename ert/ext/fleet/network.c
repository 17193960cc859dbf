/* SPDX-License-Identifier: BSD-3-Clause */
/* Adds findings from the pairs of hosts in a fleet's files. */
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/ext/fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

static void network_find(struct ert_fleet *fleet, const struct ert_link_finding *finding,
                         const struct ert_link_names *names)
{
    bool groups = finding->kind == ERT_LINK_GROUP;
    char *sentence = ert_link_sentence(finding, names);
    struct ert_fleet_finding *added =
        ert_fleet_find(fleet, groups ? ERT_FLEET_SWITCH : ERT_FLEET_LINK,
                       groups ? "" : names->hosts[finding->a], "%s", sentence);
    free(sentence);
    if (!groups && finding->b != ERT_PAIR_NONE)
        added->peer = ert_xstrdup(names->hosts[finding->b]);
    if (!groups && finding->n_runs < ERT_LINK_RUNS && finding->state == ERT_NET_OK)
        added->severity = ERT_FLEET_OPEN;
    added->value = finding->value;
    added->expected = finding->expected;
    added->change = finding->change;
    added->n_measured = finding->n_pairs * (groups ? 1 : finding->n_runs);
}

/* Only so many of the worst pairs that were slow once get their own finding. */
static void network_find_all(struct ert_fleet *fleet, const struct ert_links *links,
                             const struct ert_link_names *names)
{
    enum { MOST_OPEN = 20 };
    size_t n_open = 0;
    for (size_t i = 0; i < links->n_findings; i++) {
        const struct ert_link_finding *finding = &links->findings[i];
        bool is_open = finding->kind == ERT_LINK_PAIR && finding->n_runs < ERT_LINK_RUNS &&
                       finding->state == ERT_NET_OK;
        n_open += is_open;
        if (!is_open || n_open <= MOST_OPEN)
            network_find(fleet, finding, names);
    }
    if (n_open > MOST_OPEN)
        ert_fleet_find(fleet, ERT_FLEET_LINK, "",
                       "%s: %zu more pairs are slow, in fewer than %d runs", names->what,
                       n_open - MOST_OPEN, ERT_LINK_RUNS)
            ->severity = ERT_FLEET_OPEN;
}

/* The switch of each host of the pairs (malloc). */
static uint32_t *network_groups(const struct ert_pairs *pairs,
                                const struct ert_switches *switches)
{
    uint32_t *groups = ert_xcalloc(pairs->hosts.n_texts, sizeof *groups);
    for (size_t i = 0; i < pairs->hosts.n_texts; i++) {
        const size_t at = ert_strings_find(&switches->hosts, pairs->hosts.texts[i]);
        groups[i] = at == SIZE_MAX ? ERT_PAIR_NONE : switches->of[at];
    }
    return groups;
}

static void network_judge(struct ert_fleet *fleet, const struct ert_pairs_test *test,
                          const uint32_t *groups)
{
    const struct ert_pairs *pairs = &fleet->pairs;
    const char *unit = ert_net_test_unit(test->test);
    const struct ert_link_input input = {
        .samples = test->samples,
        .n_samples = test->n_samples,
        .n_hosts = (uint32_t)pairs->hosts.n_texts,
        .groups = groups,
        .n_groups = (uint32_t)fleet->switches.names.n_texts,
        .better = strcmp(unit, "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH,
        .false_alarms = ERT_LINK_FALSE_ALARMS / (double)pairs->n_tests,
        .shares_cpus = pairs->shares_cpus};
    struct ert_links links;
    char what[64];
    snprintf(what, sizeof what, "%s, %s", ert_net_test_words[test->test],
             ert_units_capacity((uint64_t)test->size_bytes).text);
    ert_links_judge(&input, &links);
    network_find_all(fleet, &links,
                     &(struct ert_link_names){
                         (const char *const *)pairs->hosts.texts,
                         (const char *const *)fleet->switches.names.texts, what, unit});
    ert_links_free(&links);
}

void ert_fleet_judge_network(struct ert_fleet *fleet)
{
    uint32_t *groups = network_groups(&fleet->pairs, &fleet->switches);
    if (fleet->pairs.shares_cpus)
        ert_fleet_find(
            fleet, ERT_FLEET_TRANSIENT, "",
            "the ranks of ert-net shared CPUs: no rate is the network's, only slowdowns of "
            "%.0f %% or more are reported",
            100 * ERT_LINK_FLOOR_SHARED);
    for (size_t i = 0; i < fleet->pairs.n_tests; i++)
        network_judge(fleet, &fleet->pairs.tests[i], groups);
    free(groups);
    ert_fleet_sort(fleet);
}
