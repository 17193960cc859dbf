/* problem: named systems, which sizes can be, and the arrays: made, checked, cut, freed. */
#include "gpp/problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * si214 is the paper's; of si510 it gives only times and rates, which are those of 13.8 times the
 * (n, igp, ig) count: 2.4 times each size makes 13.80. tiny and small are for tests and CPUs: odd, prime,
 * unequal.
 */
const struct gpp_system gpp_systems[] = {
    {"tiny",  {29, 23, 101, 2},       "for tests: primes, 0.13 million iterations"  },
    {"small", {211, 101, 2003, 2},    "for CPUs: primes, 85 million iterations"     },
    {"si214", {800, 1385, 11075, 2},  "Si-214 of the paper, 24.5 billion iterations"},
    {"si510", {1920, 3321, 26555, 2}, "like Si-510: 13.80 times si214"              },
};
const size_t gpp_n_systems = sizeof gpp_systems / sizeof gpp_systems[0];

enum ert_status gpp_system_find(const char *name, const struct gpp_system **system,
                                struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0, used = 0; i < gpp_n_systems; i++) {
        if (strcmp(gpp_systems[i].name, name) == 0) {
            *system = &gpp_systems[i];
            return ERT_OK;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 gpp_systems[i].name);
    }
    return ert_fail(error, ERT_USAGE,
                    "no system '%.64s'; there are: %s, or sizes NBANDSxNGPOWNxNCOULS", name,
                    list);
}

/* A run of digits up to `end`; false for anything else, and above 2^64. */
static int read_count(const char **text, char end, size_t *count)
{
    char *after;
    if (**text < '0' || **text > '9')
        return 0;
    unsigned long long value = strtoull(*text, &after, 10);
    if (*after != end || after - *text > 18)
        return 0;
    *count = (size_t)value;
    *text = after + (end != '\0');
    return 1;
}

enum ert_status gpp_sizes_parse(const char *text, struct gpp_sizes *sizes,
                                struct ert_error *error)
{
    struct gpp_sizes read = *sizes;
    const char *rest = text;
    if (!read_count(&rest, 'x', &read.nbands) || !read_count(&rest, 'x', &read.ngpown) ||
        !read_count(&rest, '\0', &read.ncouls))
        return ert_fail(error, ERT_USAGE,
                        "sizes '%.64s', must be NBANDSxNGPOWNxNCOULS, e.g. 61x67x103",
                        text);
    *sizes = read;
    return ERT_OK;
}

enum ert_status gpp_sizes_check(const struct gpp_sizes *sizes, struct ert_error *error)
{
    const size_t limit = (size_t)INT32_MAX; /* indices are int in the kernels */
    const struct {
        const char *name;
        size_t value, limit;
    } rows[] = {
        {"nbands", sizes->nbands, limit     },
        {"ngpown", sizes->ngpown, limit     },
        {"ncouls", sizes->ncouls, limit     },
        {"nw",     sizes->nw,     GPP_MAX_NW},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value < 1 || rows[i].value > rows[i].limit)
            return ert_fail(error, ERT_USAGE, "%s: %zu, must be 1 to %zu", rows[i].name,
                            rows[i].value, rows[i].limit);
    /* Three products below 2^62 each would still fit in 64 bits when they are summed. */
    double bytes = 32.0 * (double)sizes->ngpown * (double)sizes->ncouls +
                   16.0 * (double)sizes->nbands * (double)sizes->ncouls +
                   16.0 * (double)sizes->nbands * (double)sizes->ngpown;
    if (bytes > 0x1p61)
        return ert_fail(error, ERT_USAGE,
                        "nbands %zu, ngpown %zu, ncouls %zu: %.4g bytes of inputs, must be "
                        "at most 2^61",
                        sizes->nbands, sizes->ngpown, sizes->ncouls, bytes);
    return ERT_OK;
}

uint64_t gpp_sizes_bytes(const struct gpp_sizes *sizes)
{
    uint64_t nbands = sizes->nbands, ngpown = sizes->ngpown, ncouls = sizes->ncouls;
    uint64_t complexes = 2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown;
    return 16 * complexes + 8 * (nbands * sizes->nw + ngpown + nbands);
}

double gpp_sizes_iterations(const struct gpp_sizes *sizes)
{
    return (double)sizes->nbands * (double)sizes->ngpown * (double)sizes->ncouls *
           (double)sizes->nw;
}

enum ert_status gpp_memory_check(const char *what, uint64_t needed_bytes,
                                 uint64_t available_bytes, struct ert_error *error)
{
    if (needed_bytes <= available_bytes)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: %" PRIu64 " bytes needed, %" PRIu64 " available", what,
                    needed_bytes, available_bytes);
}

uint64_t gpp_memory_available_bytes(void)
{
    char line[128];
    unsigned long long kib = 0;
    uint64_t available_bytes = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return available_bytes;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            available_bytes = (uint64_t)kib * 1024;
    fclose(file);
    return available_bytes;
}

void gpp_problem_arrays(struct gpp_problem *problem, struct gpp_array arrays[GPP_N_ARRAYS])
{
    const struct gpp_sizes *s = &problem->sizes;
    const struct gpp_array rows[GPP_N_ARRAYS] = {
        {"wtilde", 2 * s->ngpown * s->ncouls, s->ncouls, 1, &problem->wtilde},
        {"eps",    2 * s->ngpown * s->ncouls, s->ncouls, 1, &problem->eps   },
        {"aqsn",   2 * s->nbands * s->ncouls, s->ncouls, 1, &problem->aqsn  },
        {"aqsm",   2 * s->nbands * s->ngpown, s->ngpown, 1, &problem->aqsm  },
        {"wx",     s->nbands * s->nw,         s->nw,     0, &problem->wx    },
        {"vcoul",  s->ngpown,                 s->ngpown, 0, &problem->vcoul },
        {"occ",    s->nbands,                 s->nbands, 0, &problem->occ   },
    };
    memcpy(arrays, rows, sizeof rows);
}

enum ert_status gpp_problem_allocate(struct gpp_problem *problem, struct ert_error *error)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    gpp_problem_arrays(problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        *arrays[i].data = NULL;
    for (size_t i = 0; i < GPP_N_ARRAYS; i++) {
        size_t bytes = (arrays[i].n * sizeof(double) + 63) / 64 * 64;
        *arrays[i].data = aligned_alloc(64, bytes);
        if (*arrays[i].data)
            continue;
        gpp_problem_free(problem);
        return ert_fail(error, ERT_FAILED, "no memory for %s: %zu bytes", arrays[i].name,
                        bytes);
    }
    return ERT_OK;
}

void gpp_problem_free(struct gpp_problem *problem)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    if (!problem)
        return;
    gpp_problem_arrays(problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++) {
        free(*arrays[i].data);
        *arrays[i].data = NULL;
    }
}

/* "wtilde[3][17], imaginary part" of the k-th double of an array. */
static void say_where(const struct gpp_array *array, size_t k, char *text, size_t size)
{
    size_t value = array->is_complex ? k / 2 : k;
    const char *part = !array->is_complex ? "" : k % 2 ? ", imaginary part" : ", real part";
    if (array->n == array->columns)
        snprintf(text, size, "%s[%zu]", array->name, value);
    else
        snprintf(text, size, "%s[%zu][%zu]%s", array->name, value / array->columns,
                 value % array->columns, part);
}

enum ert_status gpp_problem_check(const struct gpp_problem *problem, const char *source,
                                  struct ert_error *error)
{
    struct gpp_problem copy = *problem; /* gpp_problem_arrays() gives places to write to */
    struct gpp_array arrays[GPP_N_ARRAYS];
    char where[96];
    gpp_problem_arrays(&copy, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        for (size_t k = 0; k < arrays[i].n; k++) {
            double value = (*arrays[i].data)[k];
            if (isfinite(value))
                continue;
            say_where(&arrays[i], k, where, sizeof where);
            return ert_fail(error, ERT_USAGE, "%s: %s: %g, must be finite", source, where,
                            value);
        }
    return ERT_OK;
}

enum ert_status gpp_problem_rows(const struct gpp_problem *problem, size_t first,
                                 size_t step, size_t count, struct gpp_problem *part,
                                 struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct gpp_problem made = {.sizes = *s, .seed = problem->seed};
    size_t row_bytes = 2 * s->ncouls * sizeof(double);
    made.sizes.ngpown = count;
    ERT_TRY(gpp_problem_allocate(&made, error));
    for (size_t i = 0; i < count; i++) {
        size_t from = first + i * step;
        memcpy(made.wtilde + 2 * i * s->ncouls, problem->wtilde + 2 * from * s->ncouls,
               row_bytes);
        memcpy(made.eps + 2 * i * s->ncouls, problem->eps + 2 * from * s->ncouls,
               row_bytes);
        made.vcoul[i] = problem->vcoul[from];
        for (size_t n = 0; n < s->nbands; n++)
            memcpy(made.aqsm + 2 * (n * count + i),
                   problem->aqsm + 2 * (n * s->ngpown + from), 2 * sizeof(double));
    }
    memcpy(made.aqsn, problem->aqsn, s->nbands * row_bytes);
    memcpy(made.wx, problem->wx, s->nbands * s->nw * sizeof(double));
    memcpy(made.occ, problem->occ, s->nbands * sizeof(double));
    *part = made;
    return ERT_OK;
}
