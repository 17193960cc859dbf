#include "analysis/portability.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void spread(const double *efficiencies, size_t n, struct rfl_portability *result)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double efficiency = efficiencies[i];
        if (isnan(efficiency))
            continue;
        result->n_known++;
        result->n_above += efficiency > 1;
        result->min = fmin(result->min, efficiency); /* the number where one is NaN */
        result->max = fmax(result->max, efficiency);
        sum += efficiency;
    }
    if (!result->n_known)
        return;
    result->mean = sum / (double)result->n_known;
    for (size_t i = 0; i < n; i++)
        if (!isnan(efficiencies[i]))
            squares += (efficiencies[i] - result->mean) * (efficiencies[i] - result->mean);
    result->deviation = sqrt(squares / (double)result->n_known);
}

void rfl_portability(const double *efficiencies, const char *const *names, size_t n,
                     struct rfl_portability *result)
{
    double inverse = 0;
    *result = (struct rfl_portability){
        .metric = NAN, .min = NAN, .max = NAN, .mean = NAN, .deviation = NAN, .n = n};
    spread(efficiencies, n, result);
    if (n < 2) {
        snprintf(result->reason, sizeof result->reason,
                 "undefined: %zu platform%s, at least two make a set", n,
                 n == 1 ? "" : "s");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!(efficiencies[i] > 0)) {
            result->metric = 0;
            snprintf(result->reason, sizeof result->reason, "0 by definition: %s on %.100s",
                     isnan(efficiencies[i]) ? "no efficiency" : "an efficiency of 0",
                     names[i]);
            return;
        }
        inverse += 1 / efficiencies[i];
    }
    result->metric = (double)n / inverse;
    for (size_t i = 0; i < n; i++)
        if (efficiencies[i] > 1) {
            snprintf(result->reason, sizeof result->reason,
                     "check: above 100 %% on %.100s; kept as it is", names[i]);
            return;
        }
}

static const char *keep(struct rfl_efficiencies *efficiencies, const char *text)
{
    const char *kept = rfl_strings_keep(&efficiencies->strings, text);
    return kept ? kept : "";
}

enum ert_status rfl_efficiencies_platform(struct rfl_efficiencies *efficiencies,
                                          const char *name, struct ert_error *error)
{
    if (!*name)
        return ert_fail(error, ERT_USAGE, "a platform without a name");
    for (size_t i = 0; i < efficiencies->n_platforms; i++)
        if (strcmp(efficiencies->platforms[i], name) == 0)
            return ert_fail(error, ERT_USAGE, "the platform '%.100s' stands twice", name);
    if (efficiencies->n_platforms == RFL_MAX_PLATFORMS)
        return ert_fail(error, ERT_USAGE, "more than %d platforms", RFL_MAX_PLATFORMS);
    efficiencies->platforms[efficiencies->n_platforms++] = keep(efficiencies, name);
    return ERT_OK;
}

enum ert_status rfl_efficiencies_case(struct rfl_efficiencies *efficiencies,
                                      const char *name, struct rfl_portable_case **added,
                                      struct ert_error *error)
{
    if (efficiencies->n_cases == efficiencies->room) {
        size_t room = efficiencies->room ? 2 * efficiencies->room : 16;
        struct rfl_portable_case *grown =
            realloc(efficiencies->cases, room * sizeof *grown);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "no memory for %zu cases", room);
        efficiencies->cases = grown;
        efficiencies->room = room;
    }
    *added = &efficiencies->cases[efficiencies->n_cases++];
    (*added)->name = keep(efficiencies, name);
    (*added)->published = NAN;
    for (size_t i = 0; i < RFL_MAX_PLATFORMS; i++)
        (*added)->efficiencies[i] = NAN;
    return ERT_OK;
}

void rfl_efficiencies_free(struct rfl_efficiencies *efficiencies)
{
    free(efficiencies->cases);
    rfl_strings_free(&efficiencies->strings);
    *efficiencies = (struct rfl_efficiencies){0};
}
