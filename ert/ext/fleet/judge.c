/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges a fleet's table: finds outliers of each group and column, and everything else. */
#include "ert/core/base/alloc.h"
#include "ert/core/base/strings.h"
#include "ert/core/base/units.h"
#include "ert/ext/fleet/fleet.h"
#include "ert/ext/fleet/hosts.h"
#include "ert/ext/fleet/record.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int judge_compare_names(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sets the hosts of a finding, and appends them to the sentence, cut after a whole name. Frees the names. */
static void name_hosts(struct ert_fleet_finding *finding, struct ert_strings *names)
{
    enum { LONGEST = 100 };
    char *list = NULL;
    size_t size = 0;
    FILE *out = ert_xcheck(open_memstream(&list, &size), 1);
    qsort(names->texts, names->n_texts, sizeof *names->texts, judge_compare_names);
    for (size_t i = 0; i < names->n_texts; i++)
        fprintf(out, "%s%s", i ? "," : "", names->texts[i]);
    ert_xcheck(fclose(out) == 0 ? list : NULL, names->n_texts);
    size_t n = strlen(list);
    if (n > LONGEST)
        for (n = LONGEST; n > 0 && list[n - 1] != ',';)
            n--;
    char *sentence =
        ert_xprintf("%s: %.*s%s", finding->sentence, (int)n, list, list[n] ? "..." : "");
    free(finding->host);
    free(finding->sentence);
    finding->host = list;
    finding->sentence = sentence;
    ert_strings_free(names);
}

/* ---- outliers ---- */

/*
 * A cell's place. Memory and time are in proportion to the cells that there are, not to nodes x columns: a
 * node may name as many ceilings as it likes.
 */
struct place {
    uint32_t column, node, cell; /* fleet->nodes[node].cells[cell] */
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->column != y->column ? (x->column < y->column ? -1 : 1)
                                  : (x->node > y->node) - (x->node < y->node);
}

/* The cells of n nodes, sorted by column, then node (malloc). */
static struct place *places_of(const struct ert_fleet *fleet, const uint32_t *nodes,
                               size_t n, size_t *n_places)
{
    size_t n_all = 0, at = 0;
    for (size_t i = 0; i < n; i++)
        n_all += fleet->nodes[nodes[i]].n_cells;
    struct place *places = ert_xcalloc(n_all, sizeof *places);
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < fleet->nodes[nodes[i]].n_cells; k++)
            places[at++] =
                (struct place){fleet->nodes[nodes[i]].cells[k].column, nodes[i], k};
    if (n_all > 0)
        qsort(places, n_all, sizeof *places, compare_places);
    *n_places = n_all;
    return places;
}

/* Where the places of the column of places[begin] end. */
static size_t places_end(const struct place *places, size_t n, size_t begin)
{
    size_t end = begin;
    while (end < n && places[end].column == places[begin].column)
        end++;
    return end;
}

/* The cells of one column in a group of nodes, and which of them are judged. */
struct view {
    struct ert_fleet *fleet;
    const struct place *places;
    size_t n_places;
    struct ert_fleet_cell **cells; /* [n_places], as are the nodes */
    struct ert_outliers_node *nodes;
    size_t n;
};

static void judge_gather(struct view *view)
{
    view->n = 0;
    for (size_t i = 0; i < view->n_places; i++) {
        struct ert_fleet_node *node = &view->fleet->nodes[view->places[i].node];
        struct ert_fleet_cell *cell = &node->cells[view->places[i].cell];
        if (cell->n == 0)
            continue;
        view->cells[view->n] = cell;
        view->nodes[view->n++] = (struct ert_outliers_node){
            .value = cell->value,
            .best = cell->best,
            .error = cell->error,
            .detectable = cell->detectable,
            .n = cell->n,
            .part = node->part,
        };
    }
}

static void judge_keep(const struct view *view)
{
    for (size_t i = 0; i < view->n; i++) {
        const struct ert_outliers_node *judged = &view->nodes[i];
        struct ert_fleet_cell *cell = view->cells[i];
        cell->change = (float)fmin(judged->change, FLT_MAX);
        cell->verdict = (uint8_t)judged->verdict;
        cell->z = (float)judged->z;
        cell->limit = (float)judged->limit;
    }
}

/* Names the nodes of a column that are in its long slow tail. */
static void find_tail(struct ert_fleet *fleet, const struct view *view,
                      const struct ert_fleet_judged *judged)
{
    const struct ert_outliers *about = &judged->about;
    const struct ert_fleet_column *column = &fleet->columns[judged->column];
    struct ert_strings names = {0};
    float least = -1, most = 0;
    for (size_t i = 0; i < view->n_places; i++) {
        const struct ert_fleet_node *node = &fleet->nodes[view->places[i].node];
        const struct ert_fleet_cell *cell = &node->cells[view->places[i].cell];
        if (cell->verdict != ERT_OUTLIER_TAIL)
            continue;
        ert_strings_keep(&names, node->host);
        least = fmaxf(least, cell->change);
        most = fminf(most, cell->change);
    }
    if (names.n_texts == 0)
        return;
    struct ert_fleet_finding *finding = ert_fleet_find(
        fleet, ERT_FLEET_SLOW_TAIL, "",
        "%zu of %zu nodes are %.1f to %.1f %% slower in %s %s every time, but the "
        "distribution has a long slow tail (%zu nodes between 2.5 spreads and the limit, "
        "%.0f in a normal one): they are its end rather than faulty",
        names.n_texts, about->n, -100 * least, -100 * most, column->device, column->name,
        about->n_shoulder, about->expected_shoulder);
    finding->column = (int)judged->column;
    finding->change = most;
    name_hosts(finding, &names);
}

/* The median clock of the nodes of a column; 0 if none is known. */
static double judge_clock(const struct view *view)
{
    double *clocks = ert_xcalloc(view->n, sizeof *clocks);
    size_t n = 0;
    for (size_t i = 0; i < view->n; i++)
        if (view->cells[i]->clock_hz > 0)
            clocks[n++] = view->cells[i]->clock_hz;
    double median = n > 0 ? ert_stats_median(clocks, n) : 0;
    free(clocks);
    return median;
}

/* Judges a column of a group. chance 0: only counts the comparisons. */
static size_t judge_column(struct view *view, double chance,
                           struct ert_fleet_judged *judged)
{
    struct ert_fleet *fleet = view->fleet;
    const struct ert_fleet_column *column = &fleet->columns[view->places->column];
    judge_gather(view);
    if (chance > 0) {
        judged->about =
            ert_outliers_judge(view->nodes, view->n,
                               column->is_time ? ERT_BETTER_LOW : ERT_BETTER_HIGH, chance);
        judged->clock_hz = judge_clock(view);
        fleet->n_fast += judged->about.n_fast;
        judge_keep(view);
        find_tail(fleet, view, judged);
    }
    return view->n >= ERT_OUTLIERS_LEAST ? view->n : 0;
}

/* Judges all columns of a group, and sets its list of them. */
static size_t judge_group(struct ert_fleet *fleet, size_t g, const uint32_t *order,
                          struct view *view, double chance)
{
    struct ert_fleet_group *group = &fleet->groups[g];
    size_t n, n_tests = 0, n_columns = 0;
    struct place *places = places_of(fleet, order, group->n_nodes, &n);
    for (size_t i = 0; i < n; i = places_end(places, n, i))
        n_columns++;
    free(group->columns);
    group->columns = ert_xcalloc(n_columns, sizeof *group->columns);
    group->n_columns = 0;
    for (size_t i = 0, end; i < n; i = end) {
        end = places_end(places, n, i);
        struct ert_fleet_judged *judged = &group->columns[group->n_columns++];
        judged->column = places[i].column;
        view->places = places + i;
        view->n_places = end - i;
        n_tests += judge_column(view, chance, judged);
    }
    free(places);
    return n_tests;
}

/* The indexes of the nodes, sorted by group (malloc); begins[n_groups + 1]. */
static uint32_t *judge_by_group(const struct ert_fleet *fleet, size_t *begins)
{
    uint32_t *order = ert_xcalloc(fleet->n_nodes, sizeof *order);
    size_t at = 0;
    for (size_t g = 0; g < fleet->n_groups; g++) {
        begins[g] = at;
        at += fleet->groups[g].n_nodes;
    }
    begins[fleet->n_groups] = at;
    size_t *next = ert_xcalloc(fleet->n_groups, sizeof *next);
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const uint32_t g = fleet->nodes[i].group;
        order[begins[g] + next[g]++] = (uint32_t)i;
    }
    free(next);
    return order;
}

static void judge_outliers(struct ert_fleet *fleet, const uint32_t *order,
                           const size_t *begins)
{
    struct view view = {.fleet = fleet,
                        .cells = ert_xcalloc(fleet->n_nodes, sizeof *view.cells),
                        .nodes = ert_xcalloc(fleet->n_nodes, sizeof *view.nodes)};
    for (int pass = 0; pass < 2; pass++) {
        double chance =
            fleet->n_tests ? fleet->false_alarms / (double)fleet->n_tests : 0.01;
        for (size_t g = 0; g < fleet->n_groups; g++) {
            size_t n = judge_group(fleet, g, order + begins[g], &view,
                                   pass ? fmin(chance, 0.01) : 0);
            fleet->n_tests += pass ? 0 : n;
        }
    }
    free(view.cells);
    free(view.nodes);
}

/* ---- sentences about a node ---- */

/* The cell of a node with this verdict and the largest slowdown, or -1; *n: how many have the verdict. */
static int worst_of(const struct ert_fleet_node *node, enum ert_outlier verdict,
                    uint32_t *n)
{
    int worst = -1; /* of node->cells */
    float most = 0;
    *n = 0;
    for (uint32_t k = 0; k < node->n_cells; k++) {
        const struct ert_fleet_cell *cell = &node->cells[k];
        if (cell->n == 0 || cell->verdict != verdict)
            continue;
        ++*n;
        if (worst < 0 || cell->change < most) {
            worst = (int)k;
            most = cell->change;
        }
    }
    return worst;
}

static void find_slow(struct ert_fleet *fleet, const struct ert_fleet_node *node,
                      enum ert_outlier verdict, enum ert_fleet_kind kind)
{
    uint32_t n;
    const int worst = worst_of(node, verdict, &n);
    if (worst < 0)
        return;
    const struct ert_fleet_cell *cell = &node->cells[worst];
    const struct ert_fleet_column *column = &fleet->columns[cell->column];
    const struct ert_fleet_judged *judged =
        ert_fleet_judged(&fleet->groups[node->group], cell->column);
    static const char *const times[] = {"", "measured once: measure it again",
                                        "both times: measure it once more"};
    char clock[128] = "";
    if (cell->clock_hz > 0)
        snprintf(clock, sizeof clock, "; its clock: %s",
                 ert_units_pair(cell->clock_hz, ", median ", judged->clock_hz, "Hz").text);
    struct ert_fleet_finding *finding = ert_fleet_find_in(
        fleet, kind, node, cell->column, n, cell->change,
        "is %.1f %% slower than the median of %zu nodes (%s; limit %.1f %%), %s%s",
        -100 * cell->change, judged->about.n,
        ert_units_pair(cell->value, ", median ", judged->about.median, column->unit).text,
        100 * cell->limit,
        cell->n < ERT_LENGTH(times) ? times[cell->n] : "every time it was measured", clock);
    finding->expected = judged->about.median;
    finding->z = cell->z;
}

/* Finds ceilings that are slower than the recorded ones in every record that compared them. */
static void find_slower_than_recorded(struct ert_fleet *fleet,
                                      const struct ert_fleet_node *node)
{
    uint32_t n = 0;
    const struct ert_fleet_cell *worst = NULL;
    for (uint32_t k = 0; k < node->n_cells; k++) {
        const struct ert_fleet_cell *cell = &node->cells[k];
        if (cell->n_slower == 0 || cell->n_slower < cell->n_compared)
            continue;
        if (n++ == 0 || cell->recorded_change < worst->recorded_change)
            worst = cell;
    }
    if (n == 0)
        return;
    ert_fleet_find_in(
        fleet, ERT_FLEET_CHANGED, node, worst->column, n, worst->recorded_change,
        "is %.1f %% slower than its recorded value (now %s)", -100 * worst->recorded_change,
        ert_units_rate(worst->value, fleet->columns[worst->column].unit).text);
}

static void find_status(struct ert_fleet *fleet, const struct ert_fleet_node *node)
{
    static const struct {
        enum ert_node_status status;
        enum ert_fleet_kind kind;
        const char *words;
    } rows[] = {
        {ERT_NODE_FAILED,      ERT_FLEET_BROKEN,    "its last measurement failed"       },
        {ERT_NODE_INTERRUPTED, ERT_FLEET_LATE,      "its last measurement was cut short"},
        {ERT_NODE_NOT_VALID,   ERT_FLEET_NOT_VALID, "its last measurement is not valid" },
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        if (node->status != rows[i].status)
            continue;
        struct ert_fleet_finding *finding =
            ert_fleet_find(fleet, rows[i].kind, node->host, "%s: %s%s%s", node->host,
                           rows[i].words, *node->reason ? ": " : "", node->reason);
        if (node->n_ok > 0 && rows[i].kind != ERT_FLEET_BROKEN)
            finding->severity = ERT_FLEET_NOTE; /* an earlier record is good */
    }
}

static int judge_compare_missing(const void *a, const void *b)
{
    const struct ert_fleet_missing *x = a, *y = b;
    const int order = strcmp(x->device, y->device);
    return order ? order : strcmp(x->name, y->name);
}

/* Why the node lacks the ceiling; NULL if it has no record that says so. */
static const char *missing_why(const struct ert_fleet_node *node,
                               const struct ert_fleet_column *column)
{
    const struct ert_fleet_missing wanted = {column->device, column->name, NULL};
    const struct ert_fleet_missing *found = bsearch(&wanted, node->missing, node->n_missing,
                                                    sizeof wanted, judge_compare_missing);
    return found ? found->reason : NULL;
}

/* Whether half of the group have the column: there are at most twice as many as a node has. */
static bool is_common(const struct ert_fleet_group *group,
                      const struct ert_fleet_judged *judged)
{
    return 2 * judged->about.n >= group->n_nodes;
}

/* Finds ceilings that nodes of a group lack but half of it have. */
static void find_not_measured(struct ert_fleet *fleet, size_t g, const uint32_t *order)
{
    const struct ert_fleet_group *group = &fleet->groups[g];
    struct ert_fleet_judged *common = ert_xcalloc(group->n_columns, sizeof *common);
    size_t n_common = 0;
    for (size_t i = 0; i < group->n_columns; i++)
        if (is_common(group, &group->columns[i]))
            common[n_common++] = group->columns[i];
    for (size_t i = 0; i < group->n_nodes; i++) {
        struct ert_fleet_node *node = &fleet->nodes[order[i]];
        const char *reason = "";
        uint32_t n = 0, first = 0;
        if (node->n_missing > 0)
            qsort(node->missing, node->n_missing, sizeof *node->missing,
                  judge_compare_missing);
        for (size_t k = 0; k < n_common && node->n_missing > 0; k++) {
            const char *why = NULL;
            if (ert_fleet_cell(node, common[k].column)->n == 0)
                why = missing_why(node, &fleet->columns[common[k].column]);
            if (why && n++ == 0) {
                reason = why;
                first = (uint32_t)k;
            }
        }
        if (n > 0)
            ert_fleet_find_in(fleet, ERT_FLEET_NOT_MEASURED, node, common[first].column, n,
                              0, "was not measured%s%s; %zu of %zu nodes have it",
                              *reason ? ": " : "", reason, common[first].about.n,
                              group->n_nodes);
    }
    free(common);
}

/* ---- sentences about many nodes ---- */

const char *const ert_fleet_drift_names[ERT_N_FLEET_DRIFT] = {
    [ERT_FLEET_TOOL] = "ert",          [ERT_FLEET_MICROCODE] = "microcode",
    [ERT_FLEET_BIOS] = "BIOS",         [ERT_FLEET_KERNEL] = "kernel",
    [ERT_FLEET_GOVERNOR] = "governor", [ERT_FLEET_DRIVER] = "driver",
    [ERT_FLEET_POWER] = "power limit", [ERT_FLEET_BOOST] = "boost clock",
};

/* Appends the main ceiling in which nodes with this value are slowest, if by the floor or more. */
static void say_effect(const struct ert_fleet *fleet, size_t g, const uint32_t *order,
                       int drift, const char *value, char *text, size_t size)
{
    const struct ert_fleet_group *group = &fleet->groups[g];
    double *changes = ert_xcalloc(group->n_nodes, sizeof *changes), most = 0;
    const struct ert_fleet_column *worst = NULL;
    size_t n_worst = 0;
    for (size_t c = 0; c < group->n_columns; c++) {
        const struct ert_fleet_judged *judged = &group->columns[c];
        const struct ert_fleet_column *column = &fleet->columns[judged->column];
        size_t n = 0;
        if (!column->is_main || !is_common(group, judged))
            continue;
        for (size_t i = 0; i < group->n_nodes; i++) {
            const struct ert_fleet_node *node = &fleet->nodes[order[i]];
            const struct ert_fleet_cell *cell = ert_fleet_cell(node, judged->column);
            double ratio = cell->n ? cell->value / judged->about.median : 0;
            if (node->drift[drift] == value && cell->n)
                changes[n++] = column->is_time ? 1 / ratio - 1 : ratio - 1;
        }
        double median = n >= ERT_OUTLIERS_LEAST_PART ? ert_stats_median(changes, n) : 0;
        if (median < most) {
            most = median;
            n_worst = n;
            worst = column;
        }
    }
    free(changes);
    if (worst && -most >= ERT_OUTLIERS_FLOOR)
        ert_append(text, size, "; the %zu are %.1f %% slower in %s %s", n_worst,
                   -100 * most, worst->device, worst->name);
}

/* Names the nodes of a group that have a value of a setting other than the most frequent one. */
static void find_other(struct ert_fleet *fleet, size_t g, const uint32_t *order, int drift,
                       const char *value, const char *usual, size_t n_usual)
{
    const size_t n = fleet->groups[g].n_nodes;
    struct ert_strings names = {0};
    char effect[192] = "";
    for (size_t i = 0; i < n; i++)
        if (fleet->nodes[order[i]].drift[drift] == value)
            ert_strings_keep(&names, fleet->nodes[order[i]].host);
    say_effect(fleet, g, order, drift, value, effect, sizeof effect);
    name_hosts(ert_fleet_find(fleet, ERT_FLEET_DRIFT, "",
                              "%s '%s' on %zu of %zu nodes, '%s' on %zu%s",
                              ert_fleet_drift_names[drift], value, names.n_texts, n, usual,
                              n_usual, effect),
               &names);
}

/* Texts are kept once, so equal values are one pointer; unknown ones are "". */
static void judge_find_drift(struct ert_fleet *fleet, size_t g, const uint32_t *order)
{
    enum { MOST = 16 }; /* values that get their own finding */
    const size_t n = fleet->groups[g].n_nodes;
    const char **values = ert_xcalloc(n, sizeof *values);
    size_t *counts = ert_xcalloc(n, sizeof *counts);
    for (int drift = 0; drift < ERT_N_FLEET_DRIFT; drift++) {
        struct ert_strings known = {0};
        size_t most = 0;
        memset(counts, 0, n * sizeof *counts);
        for (size_t i = 0; i < n; i++) {
            const char *value = fleet->nodes[order[i]].drift[drift];
            const size_t v = *value ? ert_strings_index(&known, value) : n;
            if (v == n)
                continue;
            values[v] = value;
            counts[v]++;
            most = counts[v] > counts[most] ? v : most;
        }
        for (size_t v = 0, n_found = 0; v < known.n_texts && n_found < MOST; v++)
            if (v != most && ++n_found < MOST)
                find_other(fleet, g, order, drift, values[v], values[most], counts[most]);
        if (known.n_texts > MOST)
            ert_fleet_find(fleet, ERT_FLEET_DRIFT, "",
                           "%s: %zu more values among %zu nodes",
                           ert_fleet_drift_names[drift], known.n_texts - MOST, n);
        ert_strings_free(&known);
    }
    free(values);
    free(counts);
}

/*
 * Finds memory that differs from the median by more than 1 %: a module is missing or was mapped out. Of two
 * nodes the one with more memory is right.
 */
static void judge_find_memory(struct ert_fleet *fleet, size_t g, const uint32_t *order)
{
    const size_t n = fleet->groups[g].n_nodes;
    double *bytes = ert_xcalloc(n, sizeof *bytes);
    struct ert_strings names = {0};
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (fleet->nodes[order[i]].memory_bytes > 0)
            bytes[n_known++] = fleet->nodes[order[i]].memory_bytes;
    double median = ert_stats_upper_median(bytes, n_known);
    free(bytes);
    for (size_t i = 0; i < n; i++) {
        const struct ert_fleet_node *node = &fleet->nodes[order[i]];
        if (node->memory_bytes > 0 && fabs(node->memory_bytes / median - 1) > 0.01)
            ert_strings_keep(&names, node->host);
    }
    if (names.n_texts > 0)
        name_hosts(ert_fleet_find(
                       fleet, ERT_FLEET_DRIFT, "", "memory is not %s on %zu of %zu nodes",
                       ert_units_capacity((uint64_t)median).text, names.n_texts, n),
                   &names);
}

/* Finds groups with fewer GPUs than the largest one with the same CPUs: have they lost some? */
static void find_fewer_gpus(struct ert_fleet *fleet, const uint32_t *order,
                            const size_t *begins)
{
    const struct ert_fleet_group **largest =
        ert_xcalloc(fleet->n_groups, sizeof(struct ert_fleet_group *));
    for (size_t g = 0; g < fleet->n_groups; g++) {
        const struct ert_fleet_group *group = &fleet->groups[g],
                                     *so_far = largest[group->part];
        if (!so_far || group->n_nodes > so_far->n_nodes)
            largest[group->part] = group;
    }
    for (size_t g = 0; g < fleet->n_groups; g++) {
        const struct ert_fleet_group *group = &fleet->groups[g],
                                     *usual = largest[group->part];
        struct ert_strings names = {0};
        if (group->n_nodes == 0 || group->n_gpus >= usual->n_gpus)
            continue;
        for (size_t i = 0; i < group->n_nodes; i++)
            ert_strings_keep(&names, fleet->nodes[order[begins[g] + i]].host);
        name_hosts(ert_fleet_find(fleet, ERT_FLEET_DRIFT, "",
                                  "%u GPU%s on %zu node%s, %u on %zu with the same CPUs",
                                  group->n_gpus, ert_fleet_plural(group->n_gpus),
                                  group->n_nodes, ert_fleet_plural(group->n_nodes),
                                  usual->n_gpus, usual->n_nodes),
                   &names);
    }
    free(largest);
}

/* Finds groups too small to compare, with nodes that were not compared with recorded ceilings either. */
static void find_few(struct ert_fleet *fleet, size_t g, const uint32_t *order)
{
    const struct ert_fleet_group *group = &fleet->groups[g];
    struct ert_strings names = {0};
    if (group->n_nodes >= ERT_OUTLIERS_LEAST)
        return;
    for (size_t i = 0; i < group->n_nodes; i++)
        if (fleet->nodes[order[i]].n_compared == 0 && fleet->nodes[order[i]].n_ok > 0)
            ert_strings_keep(&names, fleet->nodes[order[i]].host);
    if (names.n_texts == 0)
        return;
    name_hosts(ert_fleet_find(fleet, ERT_FLEET_FEW, "",
                              "only %zu node%s this hardware (%s); it takes %d to tell "
                              "which is slow",
                              group->n_nodes, group->n_nodes == 1 ? " has" : "s have",
                              group->name, ERT_OUTLIERS_LEAST),
               &names);
}

/* ---- hosts ---- */

/* Finds expected nodes without a record that counts, and hosts that are not expected. */
static void find_hosts(struct ert_fleet *fleet)
{
    for (size_t i = 0; i < fleet->expected.n_texts; i++) {
        const char *host = fleet->expected.texts[i];
        if (ert_strings_find(&fleet->hosts, host) == SIZE_MAX)
            ert_fleet_find(fleet, ERT_FLEET_MISSING, host,
                           "%s: expected, but it has no record that counts", host);
    }
    const size_t n = fleet->unexpected.n_texts;
    const bool is_list = fleet->n_nodes > 0 || fleet->pairs.n_tests > 0;
    if (n == 0)
        return;
    struct ert_fleet_finding *finding =
        ert_fleet_find(fleet, ERT_FLEET_UNEXPECTED, "",
                       "%zu host%s with records that do not count, since %s not expected%s",
                       n, ert_fleet_plural(n), n == 1 ? "it is" : "they are",
                       is_list ? "" : "; no other has any: is --expect right?");
    finding->severity = is_list ? ERT_FLEET_NOTE : ERT_FLEET_OPEN;
    name_hosts(finding, &fleet->unexpected);
}

/* ---- all ---- */

/* Marks what of a node is said in one finding for all nodes that have it. */
static void mark(struct ert_fleet_node *node)
{
    size_t n[ERT_N_OUTLIER] = {0};
    for (size_t k = 0; k < node->n_cells; k++)
        n[node->cells[k].verdict] += node->cells[k].n > 0;
    if (n[ERT_OUTLIER_NEAR] > 0 && n[ERT_OUTLIER_SUSPECT] == 0)
        node->said |= 1U << ERT_FLEET_NEAR;
    if (n[ERT_OUTLIER_TRANSIENT] > 0)
        node->said |= 1U << ERT_FLEET_TRANSIENT;
    if (node->n_warnings > 0)
        node->said |= 1U << ERT_FLEET_WARNED;
}

static void find_all(struct ert_fleet *fleet, enum ert_fleet_kind kind, const char *words)
{
    struct ert_strings names = {0};
    for (size_t i = 0; i < fleet->n_nodes; i++)
        if (fleet->nodes[i].said & 1U << kind)
            ert_strings_keep(&names, fleet->nodes[i].host);
    if (names.n_texts > 0)
        name_hosts(ert_fleet_find(fleet, kind, "", "%zu node%s %s", names.n_texts,
                                  ert_fleet_plural(names.n_texts), words),
                   &names);
}

static int compare_nodes(const void *a, const void *b)
{
    return strverscmp(((const struct ert_fleet_node *)a)->host,
                      ((const struct ert_fleet_node *)b)->host);
}

static int judge_compare_findings(const void *a, const void *b)
{
    const struct ert_fleet_finding *x = a, *y = b;
    if (x->severity != y->severity)
        return x->severity < y->severity ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->change != y->change)
        return x->change < y->change ? -1 : 1;
    int order = strverscmp(x->host, y->host);
    return order ? order : strcmp(x->sentence, y->sentence);
}

void ert_fleet_sort(struct ert_fleet *fleet)
{
    if (fleet->n_findings > 0)
        qsort(fleet->findings, fleet->n_findings, sizeof *fleet->findings,
              judge_compare_findings);
}

void ert_fleet_judge(struct ert_fleet *fleet, double false_alarms)
{
    size_t *begins = ert_xcalloc(fleet->n_groups + 1, sizeof *begins);
    fleet->false_alarms = false_alarms;
    if (fleet->n_nodes > 0)
        qsort(fleet->nodes, fleet->n_nodes, sizeof *fleet->nodes, compare_nodes);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        fleet->groups[fleet->nodes[i].group].n_nodes++;
    uint32_t *order = judge_by_group(fleet, begins);
    judge_outliers(fleet, order, begins);
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        struct ert_fleet_node *node = &fleet->nodes[i];
        mark(node);
        find_slow(fleet, node, ERT_OUTLIER_SLOW, ERT_FLEET_SLOW);
        find_slow(fleet, node, ERT_OUTLIER_SUSPECT, ERT_FLEET_SUSPECT);
        find_slower_than_recorded(fleet, node);
        find_status(fleet, node);
    }
    for (size_t g = 0; g < fleet->n_groups; g++) {
        find_not_measured(fleet, g, order + begins[g]);
        judge_find_drift(fleet, g, order + begins[g]);
        judge_find_memory(fleet, g, order + begins[g]);
        find_few(fleet, g, order + begins[g]);
    }
    find_fewer_gpus(fleet, order, begins);
    find_hosts(fleet);
    find_all(fleet, ERT_FLEET_NEAR,
             "close to the limit, measured once: another measurement would tell");
    find_all(fleet, ERT_FLEET_TRANSIENT, "slow once, but not when measured again");
    find_all(fleet, ERT_FLEET_WARNED, "with warnings in their records");
    free(order);
    free(begins);
    ert_fleet_sort(fleet);
}

struct ert_strings ert_fleet_hosts(const struct ert_fleet *fleet, unsigned kinds)
{
    struct ert_strings names = {0};
    for (size_t i = 0; i < fleet->n_findings; i++) {
        const struct ert_fleet_finding *finding = &fleet->findings[i];
        const bool is_less = finding->severity > ert_fleet_kinds[finding->kind].severity;
        if (!(kinds & 1U << finding->kind) || finding->peer || is_less)
            continue;
        for (const char *at = finding->host; *at; at += *at == ',') {
            const size_t n = strcspn(at, ",");
            ert_strings_format(&names, "%.*s", (int)n, at);
            at += n;
        }
    }
    if (names.n_texts > 0)
        qsort(names.texts, names.n_texts, sizeof *names.texts, judge_compare_names);
    return names;
}

enum ert_status ert_fleet_status(const struct ert_fleet *fleet, struct ert_error *error)
{
    size_t n[ERT_N_FLEET_SEVERITY] = {0};
    for (size_t i = 0; i < fleet->n_findings; i++)
        n[fleet->findings[i].severity]++;
    if (n[ERT_FLEET_BAD] > 0)
        return ert_fail(error, ERT_FAILED, "%zu bad finding%s", n[ERT_FLEET_BAD],
                        ert_fleet_plural(n[ERT_FLEET_BAD]));
    if (n[ERT_FLEET_OPEN] > 0)
        return ert_fail(error, ERT_NOT_VALID, "no verdict: %zu open finding%s",
                        n[ERT_FLEET_OPEN], ert_fleet_plural(n[ERT_FLEET_OPEN]));
    if (fleet->n_nodes == 0 && fleet->pairs.n_tests == 0)
        return ert_fail(error, ERT_NOT_VALID, "no verdict: no records");
    return ERT_OK;
}
