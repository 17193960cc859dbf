#include "analysis/import/likwid.h"

#include <stdlib.h>

/*
 * A cell's number; *has false when it has none ("-", nan). may_be_negative: for differences of
 * counters, as KNL's MCDRAM in cache mode. Errors as ert_lines_number.
 */
static enum ert_status read_number(const struct ert_lines *lines, const char *name,
                                   const char *text, bool may_be_negative, double *value,
                                   bool *has, struct ert_error *error)
{
    enum ert_number kind;
    bool is_negative =
        may_be_negative && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
    ERT_TRY(ert_lines_number(lines, name, text + is_negative, value, &kind, error));
    *has = kind == ERT_NUMBER;
    if (!*has)
        *value = 0;
    if (is_negative)
        *value = -*value;
    return ERT_OK;
}

enum ert_status rfl_likwid_totals(const struct ert_lines *lines, const char *name,
                                  char *const *values, size_t n, bool is_stat,
                                  bool may_be_negative, struct rfl_likwid_totals *totals,
                                  struct ert_error *error)
{
    *totals = (struct rfl_likwid_totals){0};
    for (size_t i = 0; i < n; i++) {
        double value;
        bool has;
        ERT_TRY(read_number(lines, name, values[i], may_be_negative, &value, &has, error));
        totals->n += has;
        if (is_stat ? i == 0 : 1)
            totals->sum += value;
        if (is_stat ? i == 2 : value > totals->largest)
            totals->largest = value;
    }
    return ERT_OK;
}

enum ert_status rfl_likwid_runtimes(struct rfl_likwid_group *group,
                                    const struct ert_lines *lines, const char *name,
                                    char *const *values, size_t n, bool is_stat,
                                    struct ert_error *error)
{
    struct rfl_likwid_totals totals;
    ERT_TRY(rfl_likwid_totals(lines, name, values, n, is_stat, false, &totals, error));
    group->has_runtime = totals.n > 0;
    group->runtime_s = totals.largest;
    if (is_stat)
        return ERT_OK;
    if (n > group->room) {
        double *grown = realloc(group->runtimes_s, n * sizeof *grown);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "no memory for %zu threads", n);
        group->runtimes_s = grown;
        group->room = n;
    }
    group->n_threads = n;
    for (size_t i = 0; i < n; i++) {
        bool has;
        ERT_TRY(
            read_number(lines, name, values[i], false, &group->runtimes_s[i], &has, error));
    }
    return ERT_OK;
}

enum ert_status rfl_likwid_integrate(const struct rfl_likwid_group *group,
                                     const struct ert_lines *lines, const char *name,
                                     char *const *values, size_t n, bool is_stat,
                                     bool may_be_negative, double *amount, bool *has,
                                     struct ert_error *error)
{
    *amount = 0;
    *has = false;
    for (size_t i = 0; i < n && !(is_stat && i > 0); i++) {
        double rate, runtime_s = group->runtime_s;
        bool is_number;
        ERT_TRY(
            read_number(lines, name, values[i], may_be_negative, &rate, &is_number, error));
        if (!is_stat && i < group->n_threads && group->runtimes_s[i] > 0)
            runtime_s = group->runtimes_s[i];
        *amount += rate * runtime_s;
        *has |= is_number;
    }
    *has &= group->has_runtime;
    return ERT_OK;
}
