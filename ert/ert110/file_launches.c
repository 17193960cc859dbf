/* config_ert_launches: which thread counts and launches ERT would run, of its sets and products. */
#include "ert/ert110/file_parts.h"

#include <stdlib.h>

/* Pairs of two sets whose product a third allows (all, where that is absent). */
struct pairs {
    uint32_t first[ERT110_MAX_SET], second[ERT110_MAX_SET], products[ERT110_MAX_SET];
    size_t n_first, n_second, n_products;
};

static bool is_allowed(const struct pairs *pairs, uint64_t product)
{
    for (size_t i = 0; i < pairs->n_products; i++)
        if (pairs->products[i] == product)
            return true;
    return pairs->n_products == 0;
}

static enum ert_status too_many(const struct ert110_reading *reading, const char *key)
{
    return ert_fail(reading->error, ERT_USAGE, "%s: %s: more than %d in all",
                    reading->file->name, key, ERT110_MAX_LIST);
}

static enum ert_status add_threads(struct ert110_reading *reading,
                                   const struct pairs *pairs, uint64_t threads)
{
    struct ert110_options *ert110 = &reading->config->ert110;
    if (!is_allowed(pairs, threads))
        return ERT_OK;
    if (threads > 65536)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_MPI_PROCS times ERT_OPENMP_THREADS: %llu, must be at "
                        "most 65536 (ERT_PROCS_THREADS chooses)",
                        reading->file->name, (unsigned long long)threads);
    for (uint32_t i = 0; i < ert110->n_threads; i++)
        if (ert110->threads[i] == threads)
            return ERT_OK;
    if (ert110->n_threads == ERT110_MAX_LIST)
        return too_many(reading, "processes times threads");
    ert110->threads[ert110->n_threads++] = (uint32_t)threads;
    return ERT_OK;
}

/* Processes times threads: here all are threads of one process. */
static enum ert_status read_threads(struct ert110_reading *reading, struct pairs *pairs)
{
    const struct ert110_file *file = reading->file;
    struct ert_error *error = reading->error;
    reading->config->ert110.n_threads = 0;
    if (reading->has_mpi)
        ERT_TRY(ert110_set(file, "ERT_MPI_PROCS", pairs->first, &pairs->n_first, error));
    if (reading->has_openmp)
        ERT_TRY(
            ert110_set(file, "ERT_OPENMP_THREADS", pairs->second, &pairs->n_second, error));
    if (reading->has_mpi && reading->has_openmp)
        ERT_TRY(ert110_set(file, "ERT_PROCS_THREADS", pairs->products, &pairs->n_products,
                           error));
    for (size_t i = 0; i < (pairs->n_first ? pairs->n_first : 1); i++)
        for (size_t j = 0; j < (pairs->n_second ? pairs->n_second : 1); j++)
            ERT_TRY(add_threads(reading, pairs,
                                (uint64_t)(pairs->n_first ? pairs->first[i] : 1) *
                                    (pairs->n_second ? pairs->second[j] : 1)));
    if (reading->has_mpi)
        ert110_remark(reading,
                      "ERT_MPI: one process: ranks times threads of each are threads "
                      "here");
    if (reading->config->ert110.n_threads == 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: ERT_PROCS_THREADS: no ERT_MPI_PROCS times ERT_OPENMP_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

static enum ert_status read_shapes(struct ert110_reading *reading, struct pairs *pairs)
{
    struct ert110_options *ert110 = &reading->config->ert110;
    const struct ert110_file *file = reading->file;
    ERT_TRY(
        ert110_set(file, "ERT_GPU_BLOCKS", pairs->first, &pairs->n_first, reading->error));
    ERT_TRY(ert110_set(file, "ERT_GPU_THREADS", pairs->second, &pairs->n_second,
                       reading->error));
    ERT_TRY(ert110_set(file, "ERT_BLOCKS_THREADS", pairs->products, &pairs->n_products,
                       reading->error));
    ert110->n_shapes = 0;
    for (size_t i = 0; i < pairs->n_first; i++)
        for (size_t j = 0; j < pairs->n_second; j++) {
            if (!is_allowed(pairs, (uint64_t)pairs->first[i] * pairs->second[j]))
                continue;
            if (pairs->second[j] > 1024)
                return ert110_fail(file, ert110_find(file, "ERT_GPU_THREADS"),
                                   reading->error, "must be at most 1024 per block");
            if (ert110->n_shapes == ERT110_MAX_LIST)
                return too_many(reading, "blocks and threads");
            ert110->shapes[ert110->n_shapes++] =
                (struct ert110_shape){pairs->first[i], pairs->second[j]};
        }
    if (ert110->n_shapes == 0)
        return ert_fail(reading->error, ERT_USAGE,
                        "%s: ERT_BLOCKS_THREADS: no ERT_GPU_BLOCKS times ERT_GPU_THREADS "
                        "is among them",
                        file->name);
    return ERT_OK;
}

enum ert_status ert110_file_launches(struct ert110_reading *reading)
{
    struct pairs *pairs = calloc(1, sizeof *pairs);
    if (!pairs)
        return ert_fail(reading->error, ERT_FAILED, "no memory for the launches");
    enum ert_status status =
        reading->has_gpu ? read_shapes(reading, pairs) : read_threads(reading, pairs);
    free(pairs);
    return status;
}
