/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/network.h"

#include <stdlib.h>

#include "ert/core/base/alloc.h"

/* Only this many of the worst pairs that were slow once get their own finding. */
enum { MOST_OPEN = 20 };

static void network_add(struct ert_fleet *fleet, const struct ert_link_finding *finding,
                        const struct ert_link_names *names)
{
    bool groups = finding->kind <= ERT_LINK_GROUPS;
    char *sentence = ert_link_sentence(finding, names);
    struct ert_fleet_finding *added =
        ert_fleet_find(fleet, groups ? ERT_FLEET_SWITCH : ERT_FLEET_LINK,
                       groups ? "" : names->hosts[finding->a], "%s", sentence);
    free(sentence);
    if (!groups && finding->b != ERT_PAIR_NONE)
        added->peer = ert_xstrdup(names->hosts[finding->b]);
    if (!groups && finding->again == ERT_LINK_ONCE && finding->state == ERT_NET_OK)
        added->severity = ERT_FLEET_OPEN;
    added->value = finding->value;
    added->expected = finding->expected;
    added->change = finding->change;
    added->n_measured = finding->n_pairs + finding->n_again;
}

static void add_test(struct ert_fleet *fleet, const struct ert_pairs_test *test)
{
    const struct ert_pair_text what = ert_pairs_name(test);
    const struct ert_link_names names = {
        (const char *const *)fleet->pairs.hosts.texts,
        (const char *const *)fleet->pairs.topology.names.texts, what.text,
        ert_net_test_unit(test->test)};
    size_t n_open = 0, n_cleared = 0;
    for (size_t i = 0; i < test->links.n_findings; i++) {
        const struct ert_link_finding *finding = &test->links.findings[i];
        bool is_open = finding->kind == ERT_LINK_PAIR && finding->again == ERT_LINK_ONCE &&
                       finding->state == ERT_NET_OK;
        n_open += is_open;
        n_cleared += finding->again == ERT_LINK_REFUTED;
        if (finding->again != ERT_LINK_REFUTED && (!is_open || n_open <= MOST_OPEN))
            network_add(fleet, finding, &names);
    }
    if (n_open > MOST_OPEN)
        ert_fleet_find(fleet, ERT_FLEET_LINK, "",
                       "%s: %zu more pairs are slow, each measured once", what.text,
                       n_open - MOST_OPEN)
            ->severity = ERT_FLEET_OPEN;
    if (n_cleared > 0)
        ert_fleet_find(fleet, ERT_FLEET_TRANSIENT, "",
                       "%s: %zu hosts or pairs were slow once, but not when measured again",
                       what.text, n_cleared);
}

enum ert_status ert_fleet_judge_network(struct ert_fleet *fleet, struct ert_lines *topology,
                                        struct ert_error *error)
{
    ERT_TRY(ert_pairs_judge(&fleet->pairs, topology, ERT_LINK_FALSE_ALARMS, error));
    if (fleet->pairs.shares_cpus)
        ert_fleet_find(
            fleet, ERT_FLEET_TRANSIENT, "",
            "the ranks of ert-net shared CPUs: no rate is the network's, only slowdowns of "
            "%.0f %% or more are reported",
            100 * ERT_LINK_FLOOR_SHARED);
    for (size_t i = 0; i < fleet->pairs.n_tests; i++)
        add_test(fleet, &fleet->pairs.tests[i]);
    ert_fleet_sort(fleet);
    return ERT_OK;
}
