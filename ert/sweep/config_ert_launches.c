/* config_ert_launches: which thread counts and launches ERT would run, of its sets and products. */
#include "ert/sweep/config_ert_parts.h"

#include <stdlib.h>

/* Pairs of two sets whose product a third allows (all, where that is absent). */
struct pairs {
    uint32_t first[ERT_LBNL_MAX_SET], second[ERT_LBNL_MAX_SET], products[ERT_LBNL_MAX_SET];
    size_t n_first, n_second, n_products;
};

static bool is_allowed(const struct pairs *pairs, uint64_t product)
{
    for (size_t i = 0; i < pairs->n_products; i++)
        if (pairs->products[i] == product)
            return true;
    return pairs->n_products == 0;
}

static enum ert_status too_many(const struct ert_reading *reading, const char *key)
{
    return ert_fail(reading->error, ERT_USAGE, "%s: %s: more than %d in all",
                    reading->file->name, key, ERT_MAX_CLASSIC);
}

static enum ert_status add_threads(struct ert_reading *reading, const struct pairs *pairs,
                                   uint64_t threads)
{
    struct ert_classic *classic = &reading->config->classic;
    if (!is_allowed(pairs, threads))
        return ERT_OK;
    if (threads > 65536)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_MPI_PROCS times ERT_OPENMP_THREADS: %llu, must be at "
                        "most 65536 (ERT_PROCS_THREADS chooses)",
                        reading->file->name, (unsigned long long)threads);
    for (uint32_t i = 0; i < classic->n_threads; i++)
        if (classic->threads[i] == threads)
            return ERT_OK;
    if (classic->n_threads == ERT_MAX_CLASSIC)
        return too_many(reading, "processes times threads");
    classic->threads[classic->n_threads++] = (uint32_t)threads;
    return ERT_OK;
}

/* Processes times threads: here all are threads of one process. */
static enum ert_status read_threads(struct ert_reading *reading, struct pairs *pairs)
{
    const struct ert_lbnl_file *file = reading->file;
    struct ert_error *error = reading->error;
    reading->config->classic.n_threads = 0;
    if (reading->has_mpi)
        ERT_TRY(ert_lbnl_set(file, "ERT_MPI_PROCS", pairs->first, &pairs->n_first, error));
    if (reading->has_openmp)
        ERT_TRY(ert_lbnl_set(file, "ERT_OPENMP_THREADS", pairs->second, &pairs->n_second,
                             error));
    if (reading->has_mpi && reading->has_openmp)
        ERT_TRY(ert_lbnl_set(file, "ERT_PROCS_THREADS", pairs->products, &pairs->n_products,
                             error));
    for (size_t i = 0; i < (pairs->n_first ? pairs->n_first : 1); i++)
        for (size_t j = 0; j < (pairs->n_second ? pairs->n_second : 1); j++)
            ERT_TRY(add_threads(reading, pairs,
                                (uint64_t)(pairs->n_first ? pairs->first[i] : 1) *
                                    (pairs->n_second ? pairs->second[j] : 1)));
    if (reading->has_mpi)
        ert_config_ert_remark(
            reading, "ERT_MPI: one process: ranks times threads of each are threads "
                     "here");
    if (reading->config->classic.n_threads == 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: ERT_PROCS_THREADS: no ERT_MPI_PROCS times ERT_OPENMP_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

static enum ert_status read_shapes(struct ert_reading *reading, struct pairs *pairs)
{
    struct ert_classic *classic = &reading->config->classic;
    const struct ert_lbnl_file *file = reading->file;
    ERT_TRY(ert_lbnl_set(file, "ERT_GPU_BLOCKS", pairs->first, &pairs->n_first,
                         reading->error));
    ERT_TRY(ert_lbnl_set(file, "ERT_GPU_THREADS", pairs->second, &pairs->n_second,
                         reading->error));
    ERT_TRY(ert_lbnl_set(file, "ERT_BLOCKS_THREADS", pairs->products, &pairs->n_products,
                         reading->error));
    classic->n_shapes = 0;
    for (size_t i = 0; i < pairs->n_first; i++)
        for (size_t j = 0; j < pairs->n_second; j++) {
            if (!is_allowed(pairs, (uint64_t)pairs->first[i] * pairs->second[j]))
                continue;
            if (pairs->second[j] > 1024)
                return ert_lbnl_fail(file, ert_lbnl_find(file, "ERT_GPU_THREADS"),
                                     reading->error, "must be at most 1024 per block");
            if (classic->n_shapes == ERT_MAX_CLASSIC)
                return too_many(reading, "blocks and threads");
            classic->shapes[classic->n_shapes++] =
                (struct ert_classic_shape){pairs->first[i], pairs->second[j]};
        }
    if (classic->n_shapes == 0)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_BLOCKS_THREADS: no ERT_GPU_BLOCKS times ERT_GPU_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

enum ert_status ert_config_ert_launches(struct ert_reading *reading)
{
    struct pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return ert_fail(reading->error, ERT_FAILED, "no memory for the launches");
    enum ert_status status =
        reading->has_gpu ? read_shapes(reading, pairs) : read_threads(reading, pairs);
    free(pairs);
    return status;
}
