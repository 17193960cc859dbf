/* SPDX-License-Identifier: BSD-3-Clause */
/* fleet: what a table of records says, of small fleets whose numbers are known. */
#include "tests/unit/test.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/fleet/fleet.h"

#include <math.h>

enum { NODES = 40 };

/* A record of node i: two ceilings that scatter by 0.3 %, one at a clock of 3 GHz. */
static struct ert_node_record *record_of(unsigned i, const char *created)
{
    struct ert_node_record *record = ert_xcalloc(1, sizeof *record);
    const double scatter = 1 + 0.003 * ((int)(i % 5) - 2) / 1.4142;
    snprintf(record->tool, sizeof record->tool, "2.0");
    snprintf(record->host, sizeof record->host, "n%02u", i);
    snprintf(record->created, sizeof record->created, "2026-11-23T%s:00Z", created);
    snprintf(record->job, sizeof record->job, "7");
    record->fingerprint.packages = 2;
    record->fingerprint.cores = 64;
    record->fingerprint.memory_bytes = 512e9;
    for (int c = 0; c < 2; c++) {
        struct ert_node_ceiling *ceiling = ert_node_add_ceiling(record);
        snprintf(ceiling->device, sizeof ceiling->device, "cpu");
        snprintf(ceiling->name, sizeof ceiling->name, c ? "DRAM-load" : "fp64-fma");
        snprintf(ceiling->unit, sizeof ceiling->unit, c ? "byte/s" : "flop/s");
        ceiling->value = (c ? 400e9 : 4e12) * scatter;
        ceiling->error = 0.001;
        ceiling->is_main = true;
        ceiling->clock_hz = c ? 0 : 3e9;
    }
    return record;
}

/* Changes a record before it is added. */
typedef void edit(unsigned i, struct ert_node_record *record);

static void add(struct ert_fleet *fleet, unsigned n, const char *created, edit *change)
{
    for (unsigned i = 0; i < n; i++) {
        struct ert_node_record *record = record_of(i, created);
        if (change)
            change(i, record);
        ert_fleet_add(fleet, record);
        ert_node_free(record);
        free(record);
    }
}

/* n nodes, measured three times. */
static void fill(struct ert_fleet *fleet, unsigned n, edit *change)
{
    ert_fleet_begin(fleet);
    add(fleet, n, "10:00", change);
    add(fleet, n, "10:10", change);
    add(fleet, n, "10:20", change);
    ert_fleet_judge(fleet, ERT_FLEET_FALSE_ALARMS);
}

static size_t count(const struct ert_fleet *fleet, enum ert_fleet_kind kind)
{
    size_t n = 0;
    for (size_t i = 0; i < fleet->n_findings; i++)
        n += fleet->findings[i].kind == kind;
    return n;
}

static const struct ert_fleet_finding *find(const struct ert_fleet *fleet,
                                            enum ert_fleet_kind kind, const char *host)
{
    for (size_t i = 0; i < fleet->n_findings; i++)
        if (fleet->findings[i].kind == kind && strcmp(fleet->findings[i].host, host) == 0)
            return &fleet->findings[i];
    fail_msg("no finding '%s' of %s", ert_fleet_kinds[kind].name, host);
    return NULL;
}

static void sound_nodes_have_no_findings(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, NULL);
    assert_int_equal(fleet.n_findings, 0);
    assert_int_equal(fleet.n_nodes, NODES);
    assert_int_equal(fleet.n_records, 3 * NODES);
    assert_int_equal(fleet.n_tests, 2 * NODES);
    assert_close(fleet.groups[0].columns[1].about.median, 400e9, 1e-6);
    assert_int_equal(ert_fleet_status(&fleet, NULL), ERT_OK);
    ert_fleet_free(&fleet);
}

/* Names that no list makes shorter; every second node has less memory. */
static void change_names(unsigned i, struct ert_node_record *record)
{
    snprintf(record->host, sizeof record->host, "%c-long-node", 'a' + i % 26);
    if (i % 2)
        record->fingerprint.memory_bytes *= 0.9;
}

static void a_list_of_hosts_is_cut_behind_a_name(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, 26, change_names);
    const struct ert_fleet_finding *found = NULL;
    for (size_t i = 0; i < fleet.n_findings; i++)
        if (strstr(fleet.findings[i].sentence, "memory is not"))
            found = &fleet.findings[i];
    assert_non_null(found);
    assert_string_equal(strrchr(found->sentence, 'e'), "e,...");
    ert_fleet_free(&fleet);
}

/* n03: a lower clock. n04: slow at that of the others. n06: unknown. */
static void change_clocks(unsigned i, struct ert_node_record *record)
{
    struct ert_node_ceiling *fma = &record->ceilings[0];
    if (i == 3) {
        fma->clock_hz *= 0.92;
        fma->value *= 0.92;
    }
    if (i == 4)
        fma->value *= 0.93;
    if (i == 6)
        fma->clock_hz = 0;
}

static void the_clock_is_said(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, change_clocks);
    assert_int_equal(count(&fleet, ERT_FLEET_SLOW), 2);
    assert_contains(find(&fleet, ERT_FLEET_SLOW, "n03")->sentence,
                    "; its clock: 2.760, median 3.000 GHz");
    assert_contains(find(&fleet, ERT_FLEET_SLOW, "n04")->sentence,
                    "; its clock: 3.000, median 3.000 GHz");
    assert_int_equal(ert_fleet_status(&fleet, NULL), ERT_FAILED);
    ert_fleet_free(&fleet);
}

static bool is_later(const struct ert_node_record *record)
{
    return strcmp(record->created, "2026-11-23T10:00:00Z") != 0;
}

/* Only n03 has its clock from both measurements. */
static void forget_clocks(unsigned i, struct ert_node_record *record)
{
    if (i != 3 && is_later(record))
        record->ceilings[0].clock_hz = 0;
}

static void a_clock_that_is_unknown_is_no_part_of_a_mean(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, forget_clocks);
    assert_int_equal(fleet.n_findings, 0);
    assert_true(fleet.nodes[4].cells[0].clock_hz == 0);
    assert_close(fleet.nodes[3].cells[0].clock_hz, 3e9, 1e-6);
    ert_fleet_free(&fleet);
}

/* Times, of which one is the least that a float holds, and one less than that. */
static void plant_tiny_times(unsigned i, struct ert_node_record *record)
{
    struct ert_node_ceiling *load = &record->ceilings[1];
    snprintf(load->unit, sizeof load->unit, "s");
    if (i == 3)
        load->value = 2e-38;
    if (i == 4)
        load->value = 1e-60;
}

static void numbers_stay_finite(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, plant_tiny_times);
    for (size_t i = 0; i < fleet.n_nodes; i++)
        for (uint32_t c = 0; c < fleet.nodes[i].n_cells; c++)
            assert_true(isfinite(fleet.nodes[i].cells[c].change) &&
                        isfinite(fleet.nodes[i].cells[c].value));
    assert_contains(find(&fleet, ERT_FLEET_INCONSISTENT, "n03")->sentence,
                    "the record is not used");
    find(&fleet, ERT_FLEET_INCONSISTENT, "n04");
    ert_fleet_free(&fleet);
}

/* Half of the nodes have another BIOS and are 5 % slower; one of those is 5 % slower than they. */
static void change_bios(unsigned i, struct ert_node_record *record)
{
    snprintf(record->fingerprint.bios, sizeof record->fingerprint.bios,
             i < 25 ? "B2" : "B1");
    if (i >= 25)
        record->ceilings[1].value *= 0.95;
    if (i == 30)
        record->ceilings[1].value *= 0.95;
    if (i == 7)
        record->fingerprint.memory_bytes *= 0.97;
}

static void firmware_has_a_median_of_its_own(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, change_bios);
    assert_int_equal(count(&fleet, ERT_FLEET_SLOW), 1);
    find(&fleet, ERT_FLEET_SLOW, "n30");
    assert_contains(find(&fleet, ERT_FLEET_DRIFT,
                         "n25,n26,n27,n28,n29,n30,n31,n32,n33,n34,n35,n36,n37,n38,n39")
                        ->sentence,
                    "BIOS 'B1' on 15 of 40 nodes, 'B2' on 25; the 15 are 4.");
    assert_contains(find(&fleet, ERT_FLEET_DRIFT, "n07")->sentence,
                    "memory is not 476.8 GiB on 1 of 40");
    ert_fleet_free(&fleet);
}

/* Twenty nodes have a BIOS each, and those behind them one. */
static void give_bioses(unsigned i, struct ert_node_record *record)
{
    snprintf(record->fingerprint.bios, sizeof record->fingerprint.bios, "B%u",
             i < 20 ? i : 20);
}

static void the_most_frequent_setting_is_found_among_many(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, give_bioses);
    assert_contains(find(&fleet, ERT_FLEET_DRIFT, "n03")->sentence,
                    "BIOS 'B3' on 1 of 40 nodes, 'B20' on 20");
    assert_contains(find(&fleet, ERT_FLEET_DRIFT, "")->sentence, "BIOS: 5 more values");
    assert_int_equal(count(&fleet, ERT_FLEET_DRIFT), 16);
    ert_fleet_free(&fleet);
}

static void halve_memory(unsigned i, struct ert_node_record *record)
{
    record->fingerprint.memory_bytes /= i + 1;
}

static void of_two_nodes_one_has_too_little_memory(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, 2, halve_memory);
    assert_contains(find(&fleet, ERT_FLEET_DRIFT, "n01")->sentence,
                    "memory is not 476.8 GiB on 1 of 2 nodes");
    ert_fleet_free(&fleet);
}

/* n01 is slower than recorded each time, n02 once, n03 the one time that it was compared. */
static void change_recorded(unsigned i, struct ert_node_record *record)
{
    struct ert_node_ceiling *load = &record->ceilings[1];
    const bool is_first = !is_later(record);
    load->verdict = i == 3 && is_first ? ERT_NODE_VERDICT_NONE : ERT_NODE_VERDICT_SAME;
    if (i == 1 || (i == 2 && is_first) || (i == 3 && !is_first)) {
        load->verdict = ERT_NODE_VERDICT_SLOWER;
        load->change = -0.04;
    }
}

static void recorded_ceilings_count_for_any_number_of_nodes(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, 2, change_recorded);
    assert_int_equal(count(&fleet, ERT_FLEET_CHANGED), 1);
    assert_int_equal(count(&fleet, ERT_FLEET_FEW), 0);
    assert_contains(find(&fleet, ERT_FLEET_CHANGED, "n01")->sentence,
                    "cpu DRAM-load is 4.0 % slower than its recorded value");
    ert_fleet_free(&fleet);
    fill(&fleet, 4, change_recorded);
    assert_int_equal(count(&fleet, ERT_FLEET_CHANGED), 2);
    assert_contains(find(&fleet, ERT_FLEET_CHANGED, "n03")->sentence, "is 4.0 % slower");
    ert_fleet_free(&fleet);
    fill(&fleet, 2, NULL);
    assert_int_equal(count(&fleet, ERT_FLEET_FEW), 1);
    assert_int_equal(ert_fleet_status(&fleet, NULL), ERT_NOT_VALID);
    ert_fleet_free(&fleet);
}

/* n05 broke after its first record; n06 never got further, n08 not twice; n07 has no DRAM ceiling. */
static void change_status(unsigned i, struct ert_node_record *record)
{
    const bool is_first = strcmp(record->created, "2026-11-23T10:00:00Z") == 0;
    if (i == 5 && !is_first)
        record->status = ERT_NODE_FAILED;
    if (i == 6 || (i == 8 && !is_first))
        record->status = ERT_NODE_INTERRUPTED;
    if (i == 7) {
        record->ceilings[1].value = 0;
        record->ceilings[1].unit[0] = '\0'; /* unknown, as `ert fleet node` writes it */
        snprintf(record->ceilings[1].reason, sizeof record->ceilings[1].reason, "no time");
    }
}

static void what_a_node_did_not_do_is_told(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, change_status);
    find(&fleet, ERT_FLEET_BROKEN, "n05");
    assert_int_equal(find(&fleet, ERT_FLEET_LATE, "n06")->severity, ERT_FLEET_BAD);
    assert_int_equal(find(&fleet, ERT_FLEET_LATE, "n08")->severity, ERT_FLEET_NOTE);
    assert_contains(find(&fleet, ERT_FLEET_NOT_MEASURED, "n07")->sentence,
                    "cpu DRAM-load was not measured: no time; 38 of 40 nodes have it");
    struct ert_strings drained =
        ert_fleet_hosts(&fleet, 1U << ERT_FLEET_BROKEN | 1U << ERT_FLEET_LATE);
    assert_int_equal(drained.n_texts, 2);
    assert_string_equal(drained.texts[0], "n05");
    assert_string_equal(drained.texts[1], "n06");
    ert_strings_free(&drained);
    ert_fleet_free(&fleet);
}

/* No node has the first ceiling, and n00, of the first record, lacks the other, too. */
static void forget_ceilings(unsigned i, struct ert_node_record *record)
{
    record->ceilings[0].value = 0;
    record->ceilings[0].unit[0] = '\0';
    if (i == 0) {
        record->ceilings[1].value = 0;
        record->ceilings[1].unit[0] = '\0';
    }
}

static void a_missing_ceiling_is_told_beside_one_that_nobody_has(void **state)
{
    struct ert_fleet fleet;
    fill(&fleet, NODES, forget_ceilings);
    assert_int_equal(count(&fleet, ERT_FLEET_NOT_MEASURED), 1);
    assert_int_equal(fleet.n_columns, 1);
    assert_contains(find(&fleet, ERT_FLEET_NOT_MEASURED, "n00")->sentence,
                    "cpu DRAM-load was not measured; 39 of 40 nodes have it");
    ert_fleet_free(&fleet);
}

/* Of one kind ten lines are printed, but no bad one is hidden by those that are open. */
static void lines_are_left_out_by_severity(void **state)
{
    struct ert_fleet fleet;
    char *text = NULL;
    size_t size;
    ert_fleet_begin(&fleet);
    for (int i = 0; i < 15; i++)
        if (i < 12)
            ert_fleet_find(&fleet, ERT_FLEET_LINK, "a", "link");
        else
            ert_fleet_find(&fleet, ERT_FLEET_LINK, "b", "link")->severity = ERT_FLEET_OPEN;
    ert_fleet_sort(&fleet);
    assert_int_equal(ert_file_collect(ert_fleet_forms[0].make, &fleet, &text, &size, NULL),
                     ERT_OK);
    assert_contains(text, "bad  link         and 2 more\nopen link         link\n");
    free(text);
    ert_fleet_free(&fleet);
}

static void nothing_is_no_verdict(void **state)
{
    struct ert_fleet fleet;
    ert_fleet_begin(&fleet);
    ert_fleet_judge(&fleet, 1);
    assert_int_equal(ert_fleet_status(&fleet, NULL), ERT_NOT_VALID);
    ert_fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_nodes_have_no_findings),
        cmocka_unit_test(a_list_of_hosts_is_cut_behind_a_name),
        cmocka_unit_test(the_clock_is_said),
        cmocka_unit_test(firmware_has_a_median_of_its_own),
        cmocka_unit_test(recorded_ceilings_count_for_any_number_of_nodes),
        cmocka_unit_test(what_a_node_did_not_do_is_told),
        cmocka_unit_test(a_clock_that_is_unknown_is_no_part_of_a_mean),
        cmocka_unit_test(numbers_stay_finite),
        cmocka_unit_test(the_most_frequent_setting_is_found_among_many),
        cmocka_unit_test(of_two_nodes_one_has_too_little_memory),
        cmocka_unit_test(a_missing_ceiling_is_told_beside_one_that_nobody_has),
        cmocka_unit_test(lines_are_left_out_by_severity),
        cmocka_unit_test(nothing_is_no_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
