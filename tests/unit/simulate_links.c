/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate_links: fleets of hosts with one planted fault or none, judged by links.h: all pairs or matchings,
 * in one run, then in three. Prints the table of results/fleet/links.md.
 *
 *     simulate_links [RUNS]
 */
#include "ert/core/base/alloc.h"
#include "ert/core/base/random.h"
#include "ert/ext/fleet/links.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum fault { FAULT_NONE, FAULT_HOST, FAULT_LINK, FAULT_SWITCH, FAULT_HANG };
enum noise { NOISE_NORMAL, NOISE_T3, NOISE_DIPS };

struct fleet {
    uint32_t n, group_size;
    enum fault fault;
    enum noise noise;
    double slowdown; /* of the fault: 0.05 is 5 % */
    uint64_t seed, drawn;
    uint32_t run;
    double *hosts; /* ln of the speed of each */
    struct ert_link_sample *samples;
    size_t n_samples;
};

static double unit(struct fleet *fleet)
{
    return ert_random_unit(fleet->seed, fleet->drawn++);
}

/* Box and Muller, "A note on the generation of random normal deviates" (1958). */
static double normal(struct fleet *fleet)
{
    double radius = sqrt(-2 * log(1 - unit(fleet)));
    return radius * cos(6.283185307179586 * unit(fleet));
}

/* One measurement's noise: 2 %, or with tails, in ln. */
static double noise(struct fleet *fleet)
{
    double value = 0.02 * normal(fleet);
    if (fleet->noise == NOISE_T3) {
        double squares = 0;
        for (int i = 0; i < 3; i++)
            squares += pow(normal(fleet), 2);
        return value / sqrt(squares / 3);
    }
    if (fleet->noise == NOISE_DIPS && unit(fleet) < 0.005)
        value += log(1 - 0.1 - 0.4 * unit(fleet)); /* 10 to 50 % slower for a moment */
    return value;
}

/* The planted fault: host 3, the pair 1 - 2, switch 1. */
static bool is_planted(const struct fleet *fleet, uint32_t a, uint32_t b)
{
    switch (fleet->fault) {
    case FAULT_HOST:
    case FAULT_HANG:
        return a == 3 || b == 3;
    case FAULT_LINK:
        return (a == 1 && b == 2) || (a == 2 && b == 1);
    case FAULT_SWITCH:
        return (a / fleet->group_size == 1) != (b / fleet->group_size == 1);
    default:
        return false;
    }
}

static void measure(struct fleet *fleet, uint32_t a, uint32_t b)
{
    bool within = a / fleet->group_size == b / fleet->group_size;
    bool planted = is_planted(fleet, a, b);
    double speed = fmin(fleet->hosts[a], fleet->hosts[b]) + noise(fleet) +
                   (within ? 0 : -0.1) + (planted ? log(1 - fleet->slowdown) : 0);
    fleet->samples[fleet->n_samples++] = (struct ert_link_sample){
        .a = a,
        .b = b,
        .value = 24e9 * exp(speed),
        .state = planted && fleet->fault == FAULT_HANG ? ERT_NET_TIMEOUT : ERT_NET_OK,
        .run = fleet->run};
}

static void measure_rounds(struct fleet *fleet)
{
    struct ert_pair_rounds rounds;
    uint32_t *partner = ert_xcalloc(fleet->n, sizeof *partner);
    ert_pair_rounds_make(fleet->n, ert_pair_rounds_default(fleet->n),
                         fleet->seed + fleet->run, &rounds);
    fleet->samples = ert_xrealloc(
        fleet->samples, fleet->n_samples + (size_t)rounds.n_rounds * (fleet->n / 2),
        sizeof *fleet->samples);
    for (uint32_t r = 0; r < rounds.n_rounds; r++) {
        ert_pair_rounds_partners(&rounds, r, partner);
        for (uint32_t a = 0; a < fleet->n; a++)
            if (partner[a] != ERT_PAIR_NONE && a < partner[a])
                measure(fleet, a, partner[a]);
    }
    ert_pair_rounds_free(&rounds);
    free(partner);
}

static bool is_fault(const struct fleet *fleet, const struct ert_link_finding *finding)
{
    switch (fleet->fault) {
    case FAULT_HOST:
        return finding->kind == ERT_LINK_HOST && finding->a == 3 &&
               finding->state == ERT_NET_OK;
    case FAULT_HANG:
        return finding->kind == ERT_LINK_HOST && finding->a == 3 &&
               finding->state == ERT_NET_TIMEOUT;
    case FAULT_LINK:
        return finding->kind == ERT_LINK_PAIR && finding->a + finding->b == 3 &&
               finding->a > 0 && finding->b > 0;
    case FAULT_SWITCH:
        return finding->kind == ERT_LINK_GROUP && finding->a == 1;
    default:
        return false;
    }
}

struct counts {
    size_t found, suspects, false_verdicts;
};

/* A verdict is what three runs say, or how a pair failed; many pairs say the same of a switch. */
static bool is_verdict(const struct ert_link_finding *finding)
{
    return finding->n_runs >= ERT_LINK_RUNS || finding->state != ERT_NET_OK ||
           finding->kind == ERT_LINK_GROUP;
}

static void simulate(struct fleet *fleet, struct counts *counts)
{
    uint32_t *groups = ert_xcalloc(fleet->n, sizeof *groups);
    fleet->hosts = ert_xcalloc(fleet->n, sizeof *fleet->hosts);
    for (uint32_t i = 0; i < fleet->n; i++) {
        groups[i] = i / fleet->group_size;
        fleet->hosts[i] = 0.005 * normal(fleet);
    }
    measure_rounds(fleet);
    struct ert_link_input input = {.samples = fleet->samples,
                                   .n_samples = fleet->n_samples,
                                   .n_hosts = fleet->n,
                                   .groups = groups,
                                   .n_groups = (fleet->n - 1) / fleet->group_size + 1,
                                   .better = ERT_BETTER_HIGH,
                                   .false_alarms = ERT_LINK_FALSE_ALARMS};
    struct ert_links links;
    ert_links_judge(&input, &links);
    counts->suspects += links.n_findings;
    ert_links_free(&links);
    while (++fleet->run < ERT_LINK_RUNS)
        measure_rounds(fleet);
    input.samples = fleet->samples;
    input.n_samples = fleet->n_samples;
    ert_links_judge(&input, &links);
    bool found = false;
    for (size_t i = 0; i < links.n_findings; i++) {
        const struct ert_link_finding *finding = &links.findings[i];
        found = found || (is_verdict(finding) && is_fault(fleet, finding));
        counts->false_verdicts += is_verdict(finding) && !is_fault(fleet, finding);
    }
    counts->found += found;
    ert_links_free(&links);
    free(groups);
    free(fleet->hosts);
    free(fleet->samples);
}

static const struct {
    enum fault fault;
    double slowdown;
    const char *name;
} faults[] = {
    {FAULT_NONE,   0,    "none"           },
    {FAULT_HOST,   0.05, "host, -5 %"     },
    {FAULT_HOST,   0.2,  "host, -20 %"    },
    {FAULT_LINK,   0.2,  "link, -20 %"    },
    {FAULT_LINK,   0.5,  "link, -50 %"    },
    {FAULT_SWITCH, 0.05, "switch, -5 %"   },
    {FAULT_SWITCH, 0.3,  "switch, -30 %"  },
    {FAULT_HANG,   0,    "host that hangs"},
    {FAULT_HOST,   0.5,  "host, -50 %"    }
};
static const char *const noises[] = {"normal", "t3", "dips"};
static const struct size {
    uint32_t n, group_size;
    size_t share; /* of the runs: a large fleet takes its time */
} sizes[] = {
    {4,    4,  1 },
    {16,   4,  1 },
    {128,  16, 2 },
    {1000, 40, 50}
};

/* The fleets of one size, noise and fault, n_runs of them. */
static struct counts simulate_all(size_t s, size_t noise, size_t f, size_t n_runs)
{
    struct counts counts = {0};
    for (size_t run = 0; run < n_runs; run++) {
        struct fleet fleet = {.n = sizes[s].n,
                              .group_size = sizes[s].group_size,
                              .fault = faults[f].fault,
                              .noise = (enum noise)noise,
                              .slowdown = faults[f].slowdown,
                              .seed = ert_random_u64(s << 16 | noise << 8 | f, run)};
        simulate(&fleet, &counts);
    }
    return counts;
}

/* How often each fault is named in %; suspects where none is planted; false verdicts a fleet. */
static void print_row(size_t s, size_t noise, size_t n_runs)
{
    double suspects = 0, false_verdicts = 0, n_fleets = 0;
    printf("| %u | %s | %zu |", sizes[s].n, noises[noise], n_runs);
    for (size_t f = 0; f < ERT_LENGTH(faults); f++) {
        if (faults[f].fault == FAULT_SWITCH && sizes[s].group_size == sizes[s].n) {
            printf(" - |"); /* one switch */
            continue;
        }
        const struct counts counts = simulate_all(s, noise, f, n_runs);
        n_fleets += (double)n_runs;
        false_verdicts += (double)counts.false_verdicts;
        if (faults[f].fault == FAULT_NONE)
            suspects = (double)counts.suspects / (double)n_runs;
        else
            printf(" %.3g |", 100.0 * (double)counts.found / (double)n_runs);
        fflush(stdout);
    }
    printf(" %.3g | %.3g |\n", suspects, false_verdicts / n_fleets);
}

int main(int n_words, char **words)
{
    size_t n_runs = n_words > 1 ? strtoul(words[1], NULL, 10) : 200;
    printf("| hosts | noise | runs |");
    for (size_t f = 1; f < ERT_LENGTH(faults); f++)
        printf(" %s |", faults[f].name);
    printf(" suspects, none planted | false verdicts |\n| ---: | --- | ---: |");
    for (size_t f = 1; f < ERT_LENGTH(faults); f++)
        printf(" ---: |");
    printf(" ---: | ---: |\n");
    for (size_t s = 0; s < ERT_LENGTH(sizes); s++)
        for (size_t noise = 0; noise < ERT_LENGTH(noises); noise++)
            if (n_runs >= sizes[s].share)
                print_row(s, noise, n_runs / sizes[s].share);
    return 0;
}
