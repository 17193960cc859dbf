#include "gpp/study/study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define METRIC(id, key, certain, fold, factor, name)                                       \
    [GPP_M_##id] = {key, certain, fold, factor, name}
const struct gpp_metric_row gpp_metrics[GPP_N_METRICS] = {
#include "gpp/study/metrics.def"
};

void gpp_counted_clear(struct gpp_counted *counted)
{
    *counted = (struct gpp_counted){.is_there = false};
    counted->runs = counted->flops = counted->fma_share = NAN;
    counted->flops_recipe = "";
    for (size_t i = 0; i < GPP_N_LEVELS; i++) {
        counted->bytes[i] = NAN;
        counted->bytes_recipes[i] = "";
    }
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        counted->values[i] = NAN;
}

void gpp_placed_clear(struct gpp_placed *placed)
{
    *placed = (struct gpp_placed){.is_there = false};
    placed->mix_flop_per_s = placed->mix_fraction = placed->fraction =
        placed->attainable_flop_per_s = NAN;
    for (size_t i = 0; i < GPP_N_LEVELS; i++)
        placed->level_fractions[i] = NAN;
}

enum ert_status gpp_study_add(struct gpp_study *study, const struct gpp_version *version,
                              size_t nw, bool no_fma, struct gpp_study_row **row,
                              struct ert_error *error)
{
    if (study->n_rows == study->room) {
        size_t room = study->room ? 2 * study->room : 32;
        struct gpp_study_row *rows = realloc(study->rows, room * sizeof *rows);
        if (!rows)
            return ert_fail(error, ERT_FAILED, "no memory for %zu rows of a study", room);
        study->rows = rows;
        study->room = room;
    }
    struct gpp_study_row *added = &study->rows[study->n_rows++];
    *added = (struct gpp_study_row){.nw = nw, .error = NAN};
    added->m.version = version;
    added->m.options.no_fma = no_fma;
    added->counts.flops_recipe = added->counts.bytes_recipe = "";
    gpp_counted_clear(&added->counted);
    gpp_placed_clear(&added->placed);
    *row = added;
    return ERT_OK;
}

bool gpp_row_is_measured(const struct gpp_study_row *row)
{
    return row->m.time_s > 0;
}

double gpp_row_iterations(const struct gpp_study *study, const struct gpp_study_row *row)
{
    struct gpp_sizes sizes = study->sizes;
    sizes.nw = row->nw;
    return gpp_sizes_iterations(&sizes);
}

static double formula_flops(const struct gpp_study *study, const struct gpp_study_row *row)
{
    return row->counts.flops * gpp_row_iterations(study, row);
}

double gpp_row_flops(const struct gpp_study *study, const struct gpp_study_row *row)
{
    return row->counted.flops > 0 ? row->counted.flops : formula_flops(study, row);
}

double gpp_row_fma_share(const struct gpp_study_row *row)
{
    return row->counted.flops > 0 ? row->counted.fma_share : row->counts.fma_share;
}

double gpp_row_rate(const struct gpp_study *study, const struct gpp_study_row *row)
{
    return gpp_row_flops(study, row) / row->m.time_s;
}

double gpp_row_bytes(const struct gpp_study_row *row, enum gpp_level level)
{
    if (row->counted.is_there)
        return row->counted.bytes[level];
    return level == GPP_MEMORY ? row->counts.bytes : NAN;
}

double gpp_row_intensity(const struct gpp_study *study, const struct gpp_study_row *row,
                         enum gpp_level level)
{
    double bytes = gpp_row_bytes(row, level);
    return bytes > 0 ? gpp_row_flops(study, row) / bytes : NAN;
}

double gpp_row_fp64_pipe(const struct gpp_study_row *row)
{
    const double *values = row->counted.values;
    return isnan(values[GPP_M_FP64_PIPE]) ? values[GPP_M_FP64_ISSUE]
                                          : values[GPP_M_FP64_PIPE];
}

double gpp_row_difference(const struct gpp_study *study, const struct gpp_study_row *row)
{
    return row->counted.flops / formula_flops(study, row) - 1;
}

const char *gpp_level_name(const struct gpp_study *study, enum gpp_level level)
{
    static const char *const names[GPP_N_LEVELS] = {"L1", "shared", "L2", "HBM"};
    const bool is_cpu = strcmp(study->device, "cpu") == 0;
    return level == GPP_MEMORY && is_cpu ? "DRAM" : names[level];
}

const struct gpp_study_row *gpp_study_find(const struct gpp_study *study,
                                           const struct gpp_version *version, size_t nw,
                                           bool no_fma)
{
    for (size_t i = 0; i < study->n_rows; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        if (row->m.version == version && row->nw == nw && row->m.options.no_fma == no_fma)
            return row;
    }
    return NULL;
}

size_t gpp_study_rows(const struct gpp_study *study, size_t nw, bool no_fma,
                      const struct gpp_study_row **rows, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < study->n_rows && found < n; i++) {
        const struct gpp_study_row *row = &study->rows[i];
        if (row->nw == nw && row->m.options.no_fma == no_fma && gpp_row_is_measured(row))
            rows[found++] = row;
    }
    return found;
}

bool gpp_study_no_fma(const struct gpp_study *study)
{
    for (size_t i = 0; i < study->n_rows; i++)
        if (!study->rows[i].m.options.no_fma)
            return false;
    return study->n_rows > 0;
}

bool gpp_study_has_energies(const struct gpp_study *study)
{
    for (size_t i = 1; i < study->n_rows; i++)
        if (study->rows[i].nw != study->rows[0].nw ||
            study->rows[i].m.options.no_fma != study->rows[0].m.options.no_fma)
            return true;
    return false;
}

void gpp_study_free(struct gpp_study *study)
{
    if (!study)
        return;
    free(study->rows);
    rfl_strings_free(&study->strings);
    *study = (struct gpp_study){.n_rows = 0};
}
