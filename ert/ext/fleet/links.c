/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/links.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/ext/fleet/outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE ERT_PAIR_NONE
/* ln of the speed of a pair without a rate. Not -infinity, whose differences are NaN. */
#define SILENT (-1000.0)
/* Standard error of a median / (standard deviation / sqrt(n)): sqrt(pi / 2). */
#define MEDIAN_ERROR 1.2533
/* LEAST_GROUP: hosts of a group; KINDS of tested parts: groups, hosts, pairs. */
enum { LEAST_GROUP = 3, KINDS = 3 };

/* A pair in the runs that measured it. */
struct pair {
    uint32_t a, b;
    uint64_t runs; /* a bit each */
    enum ert_net_state state;
    double speed; /* ln, relative to what is typical of the pair's place */
};

struct work {
    const struct ert_link_input *in;
    struct ert_links *links;
    size_t capacity; /* of its findings */
    struct pair *pairs;
    size_t n_pairs;
    size_t *first;    /* [n_hosts + 1]: where each host's pairs begin in `own` */
    size_t *own;      /* pairs by host, each at both ends */
    uint32_t *groups; /* [n_hosts]: NONE if the group has too few hosts */
    double typical[2];
    double scatter;
    /* How much slower hosts and groups make their pairs, in ln of the speed: 0 or below. */
    double *of_hosts, *of_groups; /* [n_hosts], [n_groups] */
    double *scratch;              /* [4 * n_pairs + 2 * (n_hosts + n_groups)] */
};

/* ---- pairs of several runs ---- */

static uint32_t runs_of(uint64_t runs)
{
    return (uint32_t)__builtin_popcountll(runs);
}

static int compare_ends(uint32_t a, uint32_t b, uint32_t of_a, uint32_t of_b)
{
    return a != of_a ? (a < of_a ? -1 : 1) : (b > of_b) - (b < of_b);
}

static int compare_pairs(const void *left_pair, const void *right_pair)
{
    const struct pair *x = left_pair, *y = right_pair;
    const int order = compare_ends(x->a, x->b, y->a, y->b);
    return order ? order : (x->speed > y->speed) - (x->speed < y->speed);
}

/*
 * Makes one pair of the samples of each, with its fastest speed, since what disturbs a run does not repeat.
 * What failed once remains: right data do not undo wrong ones.
 */
static void join_runs(struct work *work)
{
    const struct ert_link_input *in = work->in;
    const double sign = in->better == ERT_BETTER_LOW ? -1 : 1;
    struct pair *pairs = work->pairs;
    for (size_t i = 0; i < in->n_samples; i++) {
        const struct ert_link_sample *from = &in->samples[i];
        const bool is_ok = from->state == ERT_NET_OK;
        pairs[i] = (struct pair){from->a, from->b, 1ULL << from->run % 64, from->state,
                                 is_ok ? sign * log(from->value) : SILENT};
    }
    if (in->n_samples > 0)
        qsort(pairs, in->n_samples, sizeof *pairs, compare_pairs);
    for (size_t i = 0, end; i < in->n_samples; i = end) {
        for (end = i + 1; end < in->n_samples && pairs[end].a == pairs[i].a &&
                          pairs[end].b == pairs[i].b;)
            end++;
        struct pair joined = pairs[pairs[i].state == ERT_NET_OK ? end - 1 : i];
        for (size_t j = i; j < end; j++)
            joined.runs |= pairs[j].runs;
        pairs[work->n_pairs++] = joined;
    }
}

/* ---- places ---- */

static bool links_is_within(const struct work *work, uint32_t a, uint32_t b)
{
    return work->groups[a] != NONE && work->groups[a] == work->groups[b];
}

/* Sets the groups of hosts, if they have enough hosts. */
static void take_groups(struct work *work)
{
    const struct ert_link_input *in = work->in;
    size_t *n = ert_xcalloc(in->n_groups, sizeof *n);
    for (uint32_t i = 0; i < in->n_hosts && in->groups; i++)
        if (in->groups[i] < in->n_groups)
            n[in->groups[i]]++;
    for (uint32_t i = 0; i < in->n_hosts; i++) {
        uint32_t group = in->groups ? in->groups[i] : NONE;
        work->groups[i] = group < in->n_groups && n[group] >= LEAST_GROUP ? group : NONE;
    }
    free(n);
}

/* Lists the pairs of each host. */
static void index_pairs(struct work *work)
{
    const uint32_t n_hosts = work->in->n_hosts;
    for (size_t i = 0; i < work->n_pairs; i++) {
        work->first[work->pairs[i].a + 1]++;
        work->first[work->pairs[i].b + 1]++;
    }
    for (uint32_t host = 0; host < n_hosts; host++)
        work->first[host + 1] += work->first[host];
    size_t *next = ert_xcalloc((size_t)n_hosts + 1, sizeof *next);
    memcpy(next, work->first, n_hosts * sizeof *next);
    for (size_t i = 0; i < work->n_pairs; i++) {
        work->own[next[work->pairs[i].a]++] = i;
        work->own[next[work->pairs[i].b]++] = i;
    }
    free(next);
}

/*
 * The typical speed of a sound pair: the median over hosts of each host's median, since one slow host of four
 * is in half of the pairs.
 */
static void take_typical(struct work *work, bool within)
{
    double *medians = work->scratch, *values = medians + work->in->n_hosts;
    size_t n_medians = 0;
    for (uint32_t host = 0; host < work->in->n_hosts; host++) {
        size_t n = 0;
        for (size_t j = work->first[host]; j < work->first[host + 1]; j++) {
            const struct pair *pair = &work->pairs[work->own[j]];
            if (pair->state == ERT_NET_OK &&
                links_is_within(work, pair->a, pair->b) == within)
                values[n++] = pair->speed;
        }
        if (n > 0)
            medians[n_medians++] = ert_stats_upper_median(values, n);
    }
    work->typical[within] =
        n_medians > 0 ? ert_stats_upper_median(medians, n_medians) : NAN;
}

static void take_place_out(struct work *work)
{
    take_typical(work, false);
    take_typical(work, true);
    for (size_t i = 0; i < work->n_pairs; i++) {
        struct pair *pair = &work->pairs[i];
        double typical = work->typical[links_is_within(work, pair->a, pair->b)];
        if (pair->state == ERT_NET_OK)
            pair->speed -= isnan(typical) ? pair->speed : typical;
    }
}

/* ---- effects of the larger parts ---- */

/* The effect of the slowest of a pair's parts. */
static double explained(const struct work *work, size_t i)
{
    const struct pair *pair = &work->pairs[i];
    uint32_t a = work->groups[pair->a], b = work->groups[pair->b];
    double effect = fmin(work->of_hosts[pair->a], work->of_hosts[pair->b]);
    if (a != NONE)
        effect = fmin(effect, work->of_groups[a]);
    if (b != NONE)
        effect = fmin(effect, work->of_groups[b]);
    return effect;
}

static double left(const struct work *work, size_t i)
{
    return work->pairs[i].speed - explained(work, i);
}

/* ---- limits ---- */

/* Quantiles for a chance: Student's for a spread estimated from n values, the normal one if it is known. */
struct quantiles {
    double student, normal;
    double floor; /* smaller slowdowns are not reported */
};

/* For n parts of one kind; the false alarms are divided among the kinds. */
static struct quantiles quantiles(const struct work *work, size_t n)
{
    double chance = fmin(work->in->false_alarms / KINDS / fmax((double)n, 1), 0.25);
    return (struct quantiles){
        ert_outliers_quantile(chance, n), ert_outliers_quantile(chance, SIZE_MAX),
        work->in->shares_cpus ? ERT_LINK_FLOOR_SHARED : ERT_LINK_FLOOR};
}

/* A limit in ln of the speed, below 0. */
static double links_limit_of(struct quantiles by, double spread)
{
    double sure =
        fmin(by.student * spread, fmax(-log1p(-ERT_LINK_SOUND), by.normal * spread));
    return -fmax(sure, -log1p(-by.floor));
}

/*
 * 1.4826 times the median distance of a host's pairs from its median: the upper median, since a third of
 * three distances are those of the medians themselves, 0.
 */
static double scatter(struct work *work)
{
    double *distances = work->scratch, *values = distances + 2 * work->n_pairs;
    size_t n_distances = 0;
    for (uint32_t host = 0; host < work->in->n_hosts; host++) {
        size_t n = 0;
        for (size_t j = work->first[host]; j < work->first[host + 1]; j++)
            if (work->pairs[work->own[j]].state == ERT_NET_OK)
                values[n++] = work->pairs[work->own[j]].speed;
        double middle = ert_stats_upper_median(values, n);
        for (size_t j = 0; j < n; j++)
            distances[n_distances++] = fabs(values[j] - middle);
    }
    return 1.4826 * ert_stats_upper_median(distances, n_distances);
}

/* ---- findings ---- */

/* Adds a finding; effect and limit are in ln of the speed. */
static struct ert_link_finding *links_add(struct work *work, enum ert_link_kind kind,
                                          uint32_t a, uint32_t b, double effect,
                                          double limit)
{
    struct ert_links *links = work->links;
    links->findings = ert_xgrow(links->findings, links->n_findings, &work->capacity,
                                sizeof *links->findings);
    struct ert_link_finding *finding = &links->findings[links->n_findings++];
    *finding = (struct ert_link_finding){
        .kind = kind, .a = a, .b = b, .change = expm1(effect), .limit = expm1(limit)};
    return finding;
}

/* ---- groups ---- */

/* The pairs between two groups, a <= b, or within one, and their median speed. */
struct cell {
    uint32_t a, b;
    size_t n;
    double speed;
};

static int compare_cells(const void *left_cell, const void *right_cell)
{
    const struct cell *x = left_cell, *y = right_cell;
    return compare_ends(x->a, x->b, y->a, y->b);
}

static struct cell *table_of_groups(struct work *work, size_t *n)
{
    struct cell *cells = ert_xcalloc(work->n_pairs, sizeof *cells);
    size_t n_own = 0;
    for (size_t i = 0; i < work->n_pairs; i++) {
        const struct pair *pair = &work->pairs[i];
        uint32_t a = work->groups[pair->a], b = work->groups[pair->b];
        if (a != NONE && b != NONE)
            cells[n_own++] = (struct cell){a < b ? a : b, a < b ? b : a, 1, pair->speed};
    }
    qsort(cells, n_own, sizeof *cells, compare_cells);
    *n = 0;
    for (size_t i = 0, j; i < n_own; i = j) {
        for (j = i; j < n_own && compare_cells(&cells[i], &cells[j]) == 0; j++)
            work->scratch[j - i] = cells[j].speed;
        struct cell cell = {cells[i].a, cells[i].b, j - i,
                            ert_stats_upper_median(work->scratch, j - i)};
        cells[(*n)++] = cell;
    }
    return cells;
}

/* A row's median; *n_pairs: of the row. NaN for fewer than 2 cells: either group might be slow. */
static double links_row_of(struct work *work, const struct cell *cells, size_t n,
                           uint32_t group, size_t *n_pairs)
{
    size_t n_row = 0;
    *n_pairs = 0;
    for (size_t i = 0; i < n; i++)
        if (cells[i].a == group || cells[i].b == group) {
            work->scratch[n_row++] = cells[i].speed;
            *n_pairs += cells[i].n;
        }
    return n_row < 2 ? NAN : ert_stats_upper_median(work->scratch, n_row);
}

/* The scatter among medians of parts; two have none. */
static double scatter_among(const double *values, size_t n)
{
    return n > 2 ? ert_stats_mad(values, n) : 0;
}

/* The spread of one median, at least what follows from its n_pairs. */
static double links_spread_of(const struct work *work, double among, size_t n_pairs)
{
    return fmax(among, MEDIAN_ERROR * work->scatter / sqrt((double)n_pairs));
}

static void find_slow_groups(struct work *work, const struct cell *cells, size_t n)
{
    uint32_t n_groups = work->in->n_groups;
    double *rows = ert_xcalloc(2 * (size_t)n_groups, sizeof *rows),
           *known = rows + n_groups;
    size_t *n_pairs = ert_xcalloc(n_groups, sizeof *n_pairs), n_known = 0;
    for (uint32_t g = 0; g < n_groups; g++) {
        rows[g] = links_row_of(work, cells, n, g, &n_pairs[g]);
        if (!isnan(rows[g]))
            known[n_known++] = rows[g];
    }
    const struct quantiles by = quantiles(work, n_known);
    const double among = scatter_among(known, n_known);
    for (uint32_t g = 0; g < n_groups; g++) {
        double limit = links_limit_of(by, links_spread_of(work, among, n_pairs[g]));
        if (!(rows[g] < limit))
            continue;
        work->of_groups[g] = rows[g];
        links_add(work, ERT_LINK_GROUP, g, NONE, rows[g], limit)->n_pairs =
            (uint32_t)n_pairs[g];
    }
    free(n_pairs);
    free(rows);
}

/* ---- hosts ---- */

struct host {
    double middle, best; /* median of its pairs; 0.9 quantile */
    size_t n;
};

static struct host *measure_hosts(struct work *work)
{
    struct host *hosts = ert_xcalloc(work->in->n_hosts, sizeof *hosts);
    for (uint32_t i = 0; i < work->in->n_hosts; i++) {
        size_t n = 0;
        for (size_t j = work->first[i]; j < work->first[i + 1]; j++)
            work->scratch[n++] = left(work, work->own[j]);
        hosts[i] = (struct host){ert_stats_upper_median(work->scratch, n),
                                 ert_stats_quantile(work->scratch, n, 0.9), n};
    }
    return hosts;
}

/* Counts a host's pairs below a speed, and its runs; if most failed, sets how one of them ended. */
static void count_low(struct work *work, struct ert_link_finding *finding, double below)
{
    uint64_t runs = 0;
    for (size_t j = work->first[finding->a]; j < work->first[finding->a + 1]; j++) {
        const struct pair *pair = &work->pairs[work->own[j]];
        finding->n_low += left(work, work->own[j]) < below;
        runs |= pair->runs;
        if (pair->state != ERT_NET_OK && below < SILENT / 4)
            finding->state = pair->state;
    }
    finding->n_runs = runs_of(runs);
}

static void find_slow_hosts(struct work *work)
{
    struct host *hosts = measure_hosts(work);
    double *middles = work->scratch, *bests = middles + work->in->n_hosts;
    size_t n = 0;
    for (uint32_t i = 0; i < work->in->n_hosts; i++) {
        if (hosts[i].n < 2)
            continue; /* one pair does not tell which end is slow */
        middles[n] = hosts[i].middle;
        bests[n++] = hosts[i].best;
    }
    const struct quantiles by = quantiles(work, n);
    const double among = scatter_among(middles, n);
    double best = ert_stats_upper_median(bests, n);
    for (uint32_t i = 0; i < work->in->n_hosts; i++) {
        const struct host *host = &hosts[i];
        if (host->n < 2)
            continue;
        double limit = links_limit_of(by, links_spread_of(work, among, host->n));
        if (host->middle >= limit || host->best - best > host->middle / 2)
            continue;
        struct ert_link_finding *finding =
            links_add(work, ERT_LINK_HOST, i, NONE, host->middle, limit);
        finding->n_pairs = (uint32_t)host->n;
        count_low(work, finding, host->middle / 2);
        work->of_hosts[i] = host->middle;
    }
    free(hosts);
}

/* ---- pairs ---- */

static void find_slow_pairs(struct work *work)
{
    size_t n = 0; /* rates without an effect of a larger part */
    for (size_t i = 0; i < work->n_pairs; i++)
        if (work->pairs[i].state == ERT_NET_OK && explained(work, i) >= 0)
            work->scratch[n++] = fabs(left(work, i));
    double spread = 1.4826 * ert_stats_upper_median(work->scratch, n);
    double limit = links_limit_of(quantiles(work, n), spread);
    for (size_t i = 0; i < work->n_pairs; i++) {
        const struct pair *pair = &work->pairs[i];
        if (left(work, i) >= limit)
            continue;
        struct ert_link_finding *finding =
            links_add(work, ERT_LINK_PAIR, pair->a, pair->b, left(work, i), limit);
        finding->state = pair->state;
        finding->n_runs = runs_of(pair->runs);
        finding->n_pairs = finding->n_low = 1;
    }
}

/* ---- everything ---- */

/* Sets the finding's values, in the unit of the samples. */
static void fill_in(const struct work *work, struct ert_link_finding *finding)
{
    bool within =
        finding->kind == ERT_LINK_PAIR && links_is_within(work, finding->a, finding->b);
    double sign = work->in->better == ERT_BETTER_LOW ? -1 : 1;
    double typical = work->typical[within], effect = log1p(finding->change);
    if (isnan(typical))
        typical = work->typical[!within];
    finding->expected = isnan(typical) ? 0 : exp(sign * typical);
    finding->value = effect < SILENT / 2 ? 0 : finding->expected * exp(sign * effect);
}

static int links_compare_findings(const void *a, const void *b)
{
    const struct ert_link_finding *x = a, *y = b;
    if ((x->state == ERT_NET_OK) != (y->state == ERT_NET_OK))
        return x->state == ERT_NET_OK ? 1 : -1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->change != y->change)
        return x->change < y->change ? -1 : 1;
    return compare_ends(x->a, x->b, y->a, y->b);
}

static void open_work(const struct ert_link_input *in, struct ert_links *links,
                      struct work *work)
{
    size_t n = in->n_samples;
    work->in = in;
    work->links = links;
    work->pairs = ert_xcalloc(n, sizeof *work->pairs);
    work->first = ert_xcalloc((size_t)in->n_hosts + 1, sizeof *work->first);
    work->own = ert_xcalloc(2 * n, sizeof *work->own);
    work->groups = ert_xcalloc(in->n_hosts, sizeof *work->groups);
    work->of_hosts = ert_xcalloc(in->n_hosts, sizeof *work->of_hosts);
    work->of_groups = ert_xcalloc(in->n_groups, sizeof *work->of_groups);
    work->scratch = ert_xcalloc(4 * n + 2 * ((size_t)in->n_hosts + in->n_groups),
                                sizeof *work->scratch);
}

static void close_work(struct work *work)
{
    free(work->pairs);
    free(work->first);
    free(work->own);
    free(work->groups);
    free(work->of_hosts);
    free(work->of_groups);
    free(work->scratch);
}

void ert_links_judge(const struct ert_link_input *input, struct ert_links *links)
{
    struct work work = {0};
    *links = (struct ert_links){0};
    open_work(input, links, &work);
    take_groups(&work);
    join_runs(&work);
    index_pairs(&work);
    take_place_out(&work);
    work.scatter = scatter(&work);
    size_t n_cells;
    struct cell *cells = table_of_groups(&work, &n_cells);
    find_slow_groups(&work, cells, n_cells);
    free(cells);
    find_slow_hosts(&work);
    find_slow_pairs(&work);
    for (size_t i = 0; i < links->n_findings; i++)
        fill_in(&work, &links->findings[i]);
    if (links->n_findings > 0)
        qsort(links->findings, links->n_findings, sizeof *links->findings,
              links_compare_findings);
    close_work(&work);
}

void ert_links_free(struct ert_links *links)
{
    free(links->findings);
    *links = (struct ert_links){0};
}

/* ---- sentences ---- */

/* "-48 %", "-0.4 %" */
static struct ert_text percent(double change)
{
    struct ert_text text;
    snprintf(text.text, sizeof text.text, fabs(change) < 0.095 ? "%+.1f %%" : "%+.0f %%",
             100 * change);
    return text;
}

/* Verbs for findings, by their state. */
static const char *const verbs[] = {
    [ERT_NET_OK] = "is slow",
    [ERT_NET_TIMEOUT] = "timed out",
    [ERT_NET_WRONG] = "delivered wrong data",
    [ERT_NET_FAILED] = "failed",
};

/* The subject of a sentence: the part, its verb, and the number of pairs. */
static char *subject(const struct ert_link_finding *finding,
                     const struct ert_link_names *names)
{
    const char *const *of = finding->kind == ERT_LINK_GROUP ? names->groups : names->hosts;
    const char *a = of[finding->a], *b = finding->b == NONE ? "" : of[finding->b];
    const char *verb = verbs[finding->state];
    switch (finding->kind) {
    case ERT_LINK_GROUP:
        return ert_xprintf("switch %s %s in %u pairs", a, verb, finding->n_pairs);
    case ERT_LINK_PAIR:
        return ert_xprintf("%s - %s %s", a, b, verb);
    default:
        return ert_xprintf("%s %s with %u of its %u peers", a, verb, finding->n_low,
                           finding->n_pairs);
    }
}

char *ert_link_sentence(const struct ert_link_finding *finding,
                        const struct ert_link_names *names)
{
    char runs[48] = "", rates[160] = "";
    if (finding->state == ERT_NET_OK)
        snprintf(rates, sizeof rates, ": %s, where %s is typical (%s, limit %s)",
                 ert_units_rate(finding->value, names->unit).text,
                 ert_units_rate(finding->expected, names->unit).text,
                 percent(finding->change).text, percent(finding->limit).text);
    if (finding->n_runs > 1)
        snprintf(runs, sizeof runs, "; in %u runs", finding->n_runs);
    char *about = subject(finding, names);
    char *text = ert_xprintf("%s: %s%s%s", about, names->what, rates, runs);
    free(about);
    return text;
}
