/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fleet/simulate.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/random.h"
#include "ert/ext/fleet/fleet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>

const char *const ert_simulate_shapes[] = {"normal", "t5", "skewed", NULL};

const struct ert_simulate ert_simulate_defaults = {
    .nodes = 1000,
    .ceilings = 20,
    .seed = 1,
    .spread = 0.005,
    .noise = 0.002,
    .dips = 0.002,
    .bad_share = 0.01,
    .bad_by = 0.05,
    .bad_ceilings = 1,
};

/* A stream of random numbers for each random quantity. */
enum { NOISE = 1, DIPS, DEPTHS, PLACES, DEVIATIONS };

/* Numbers per index: Student's distribution with 5 degrees of freedom takes six normal ones. */
enum { DRAWS = 16 };

static uint64_t stream(const struct ert_simulate *simulate, unsigned of)
{
    return ert_random_u64(simulate->seed, of);
}

/* Box and Muller, Annals of Mathematical Statistics 29 (1958). */
static double normal(uint64_t seed, uint64_t index)
{
    double radius = sqrt(-2 * log(1 - ert_random_unit(seed, 2 * index)));
    return radius * cos(2 * M_PI * ert_random_unit(seed, 2 * index + 1));
}

/* The three shapes, with standard deviation 1, for normal and t5 also median 0; negative is slow. */
static double deviation(const struct ert_simulate *simulate, uint64_t index)
{
    const uint64_t seed = stream(simulate, DEVIATIONS), first = DRAWS / 2 * index;
    double squares = 0;
    switch (simulate->shape) {
    case ERT_SIMULATE_SKEWED: /* Gamma(2): the sum of two exponentials; mean 2, variance 2 */
        return (2 + log(1 - ert_random_unit(seed, 2 * first)) +
                log(1 - ert_random_unit(seed, 2 * first + 1))) *
               M_SQRT1_2;
    case ERT_SIMULATE_T5: /* variance 5 / 3 */
        for (uint64_t i = 1; i <= 5; i++)
            squares += pow(normal(seed, first + i), 2);
        return normal(seed, first) / sqrt(squares / 5) * sqrt(0.6);
    default:
        return normal(seed, first);
    }
}

bool ert_simulate_is_bad(const struct ert_simulate *simulate, uint64_t node)
{
    return floor((double)(node + 1) * simulate->bad_share) >
           floor((double)node * simulate->bad_share);
}

bool ert_simulate_is_slow(const struct ert_simulate *simulate, uint64_t node,
                          uint64_t ceiling)
{
    uint64_t first = ert_random_u64(stream(simulate, PLACES), node) % simulate->ceilings;
    return ert_simulate_is_bad(simulate, node) &&
           (ceiling + simulate->ceilings - first) % simulate->ceilings <
               simulate->bad_ceilings;
}

void ert_simulate_host(const struct ert_simulate *simulate, uint64_t node,
                       char text[ERT_HOST_TEXT])
{
    int digits = snprintf(NULL, 0, "%" PRIu64, simulate->nodes - 1);
    snprintf(text, ERT_HOST_TEXT, "n%0*" PRIu64, digits, node);
}

static double speed_of(const struct ert_simulate *simulate, uint64_t node, uint64_t ceiling)
{
    const uint64_t place = node * simulate->ceilings + ceiling;
    const uint64_t sample = simulate->day * 1000 + simulate->sample;
    const uint64_t index = sample * simulate->nodes * simulate->ceilings + place;
    double speed = 1 + simulate->spread * deviation(simulate, place);
    speed *= 1 + simulate->noise * normal(stream(simulate, NOISE), index);
    if (ert_random_unit(stream(simulate, DIPS), index) < simulate->dips)
        speed *= 0.97 - 0.07 * ert_random_unit(stream(simulate, DEPTHS), index);
    if (ert_simulate_is_slow(simulate, node, ceiling))
        speed *= 1 - simulate->bad_by - simulate->drift * (double)simulate->day;
    return fmax(speed, 1e-3);
}

void ert_simulate_node(const struct ert_simulate *simulate, uint64_t node,
                       struct ert_node_record *record)
{
    static const struct ert_node_fingerprint machine = {
        .cpu = "Simulated CPU", .packages = 2, .cores = 128, .pus = 256, .isa = "avx512"};
    const time_t created =
        1767225600 + (time_t)(86400 * simulate->day + 60 * simulate->sample); /* 2026 */
    struct tm utc;
    ert_node_free(record);
    snprintf(record->tool, sizeof record->tool, "simulated");
    ert_simulate_host(simulate, node, record->host);
    strftime(record->created, sizeof record->created, "%Y-%m-%dT%H:%M:%SZ",
             gmtime_r(&created, &utc));
    snprintf(record->job, sizeof record->job, "%" PRIu64, simulate->day + 1);
    record->kind = ERT_NODE_MEASURE;
    record->fingerprint = machine;
    record->ceilings = ert_xcalloc(simulate->ceilings, sizeof *record->ceilings);
    for (uint64_t c = 0; c < simulate->ceilings; c++) {
        struct ert_node_ceiling *ceiling = &record->ceilings[record->n_ceilings++];
        const double value = 1e9 * (double)(c + 1) * speed_of(simulate, node, c);
        snprintf(ceiling->device, sizeof ceiling->device, "cpu");
        snprintf(ceiling->name, sizeof ceiling->name, "ceiling-%" PRIu64, c + 1);
        snprintf(ceiling->unit, sizeof ceiling->unit, "byte/s");
        ceiling->value = value;
        ceiling->error = simulate->noise;
        ceiling->low = value * (1 - 1.645 * simulate->noise);
        ceiling->high = value * (1 + 1.645 * simulate->noise);
        ceiling->detectable = 5 * simulate->noise;
        ceiling->is_main = true;
    }
}

/* ---- rates ---- */

/* Flags nodes that have a verdict among `verdicts`, bits of enum ert_outlier; returns how many. */
static size_t flag(const struct ert_fleet *fleet, unsigned verdicts, bool *flags)
{
    size_t n = 0;
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        flags[i] = false;
        for (uint32_t c = 0; c < fleet->nodes[i].n_cells; c++)
            flags[i] |= verdicts >> fleet->nodes[i].cells[c].verdict & 1;
        n += flags[i];
    }
    return n;
}

/* Measures all nodes once, and flagged ones (NULL: none) `repeats` times more. */
static void measure(const struct ert_simulate *simulate, const bool *again,
                    uint64_t repeats, double false_alarms, struct ert_fleet *fleet)
{
    struct ert_node_record record = {.host = ""};
    struct ert_simulate when = *simulate;
    ert_fleet_begin(fleet);
    for (uint64_t sample = 0; sample <= (again ? repeats : 0); sample++) {
        when.sample = simulate->sample + sample;
        for (uint64_t i = 0; i < simulate->nodes; i++) {
            if (sample > 0 && !again[i])
                continue;
            ert_simulate_node(&when, i, &record);
            ert_fleet_add(fleet, &record);
        }
    }
    ert_node_free(&record);
    ert_fleet_judge(fleet, false_alarms);
}

void ert_simulate_run(const struct ert_simulate *simulate, uint64_t repeats,
                      double false_alarms, struct ert_simulate_rates *rates)
{
    struct ert_fleet fleet;
    bool *slow = ert_xcalloc(simulate->nodes, 1), *tail = ert_xcalloc(simulate->nodes, 1);
    double *limits = ert_xcalloc(simulate->ceilings, sizeof *limits);
    measure(simulate, NULL, 0, false_alarms, &fleet);
    rates->n_first +=
        flag(&fleet, 1U << ERT_OUTLIER_SUSPECT | 1U << ERT_OUTLIER_NEAR, slow);
    ert_fleet_free(&fleet);
    measure(simulate, slow, repeats, false_alarms, &fleet);
    flag(&fleet, 1U << ERT_OUTLIER_SLOW, slow);
    flag(&fleet, 1U << ERT_OUTLIER_TAIL, tail);
    for (uint64_t i = 0; i < simulate->nodes; i++) {
        const bool is_bad = ert_simulate_is_bad(simulate, i);
        rates->n_bad += is_bad;
        *(is_bad ? &rates->n_found : &rates->n_wrong) += slow[i];
        *(is_bad ? &rates->n_found_as_tail : &rates->n_wrong_as_tail) +=
            !slow[i] && tail[i];
    }
    for (size_t c = 0; c < fleet.n_columns; c++) {
        rates->n_heavy += fleet.groups[0].columns[c].about.is_heavy;
        limits[c] = fleet.groups[0].columns[c].about.limit;
    }
    rates->limit += ert_stats_upper_median(limits, fleet.n_columns);
    free(limits);
    free(slow);
    free(tail);
    ert_fleet_free(&fleet);
}
