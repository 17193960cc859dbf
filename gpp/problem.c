/* problem: the arrays of a problem: made, checked, cut, freed. */
#include "gpp/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
