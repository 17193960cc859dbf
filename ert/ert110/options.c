#include "ert/ert110/options.h"

#include <stdio.h>
#include <string.h>

const struct ert110_options ert110_defaults = {.memory_bytes = UINT64_C(1) << 30,
                                               .set_min = 1,
                                               .trials_min = 1,
                                               .align_bytes = 64,
                                               .at_once = 2,
                                               .growth = 1.1};

/* Passes of the last region of a set, 0 when there is none. */
static uint64_t last_trials(const struct ert110_options *ert110, bool is_c, uint64_t fit)
{
    uint64_t first = is_c ? ert110->trials_min : 1;
    uint64_t most = fit > 1 ? fit : 1;
    if (!is_c && most < ert110->trials_min)
        most = ert110->trials_min;
    uint64_t trials = first <= most ? first : 0;
    while (trials && trials <= most / 2)
        trials *= 2;
    return trials;
}

uint64_t ert110_first(const struct ert110_options *ert110, enum ert_kernel_id kernel,
                      uint64_t trials)
{
    uint64_t first = trials / (trials & -trials);
    while (kernel == ERT_KERNEL_ert_c_fp64 && first < ert110->trials_min && first < trials)
        first *= 2;
    return first;
}

uint32_t ert110_blocks(const struct ert_gpu *gpu, uint32_t threads)
{
    uint32_t per_sm = gpu->max_threads_per_sm ? gpu->max_threads_per_sm : 2048;
    return gpu->n_sms * per_sm / threads;
}

void ert110_name(const struct ert_case *case_, struct ert_variant *variant)
{
    size_t used = strlen(variant->name);
    if (case_->blocks > 0) {
        snprintf(variant->name, sizeof variant->name, "%u x %u", case_->blocks,
                 case_->block_threads);
        variant->threads = case_->block_threads;
        return;
    }
    snprintf(variant->name + used, sizeof variant->name - used, ", %u threads",
             case_->concurrency);
    variant->threads = case_->concurrency;
}

size_t ert110_sets(const struct ert110_options *ert110, enum ert_kernel_id kernel,
                   uint32_t n_threads, struct ert110_set *sets, size_t max)
{
    bool is_c = kernel == ERT_KERNEL_ert_c_fp64;
    uint64_t part = ert110->memory_bytes / n_threads;
    uint64_t most =
        part / ert110->align_bytes * ert110->align_bytes / ert_kernel_ert110_bytes(kernel);
    size_t count = 0;
    for (uint64_t n = ert110->set_min; n <= most && count < max;) {
        uint64_t trials = last_trials(ert110, is_c, most / n);
        if (trials)
            sets[count++] = (struct ert110_set){n, trials};
        uint64_t next = (uint64_t)(ert110->growth * (double)n);
        n = next > n ? next : n + 1;
    }
    return count;
}

void ert110_to_json(const struct ert110_options *ert110, cJSON *root)
{
    cJSON *threads = cJSON_AddArrayToObject(root, "ert110_threads");
    for (uint32_t i = 0; i < ert110->n_threads; i++)
        cJSON_AddItemToArray(threads, cJSON_CreateNumber(ert110->threads[i]));
    cJSON *shapes = cJSON_AddArrayToObject(root, "ert110_shapes");
    for (uint32_t i = 0; i < ert110->n_shapes; i++) {
        const int pair[] = {(int)ert110->shapes[i].blocks, (int)ert110->shapes[i].threads};
        cJSON_AddItemToArray(shapes, cJSON_CreateIntArray(pair, 2));
    }
}

static enum ert_status read_list(struct ert_json at, const char *key, struct ert_json *list,
                                 struct ert_error *error)
{
    ERT_TRY(ert_json_array(at, key, list, error));
    if (ert_json_length(*list) > ERT110_MAX_LIST)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, must be at most %d",
                        at.file, list->path, ert_json_length(*list), ERT110_MAX_LIST);
    return ERT_OK;
}

static enum ert_status read_count(struct ert_json at, double most, uint32_t *count,
                                  struct ert_error *error)
{
    double value;
    ERT_TRY(ert_json_as_double(at, 1, most, &value, error));
    if (value != (double)(uint32_t)value)
        return ert_fail(error, ERT_USAGE, "%s: %s: %g, must be a whole number", at.file,
                        at.path, value);
    *count = (uint32_t)value;
    return ERT_OK;
}

static enum ert_status read_shape(struct ert_json at, struct ert110_shape *shape,
                                  struct ert_error *error)
{
    if (!cJSON_IsArray(at.node) || ert_json_length(at) != 2)
        return ert_fail(error, ERT_USAGE, "%s: %s: must be [blocks, threads]", at.file,
                        at.path);
    ERT_TRY(read_count(ert_json_element(at, 0), 2147483647, &shape->blocks, error));
    return read_count(ert_json_element(at, 1), 1024, &shape->threads, error);
}

enum ert_status ert110_from_json(struct ert_json at, struct ert110_options *ert110,
                                 struct ert_error *error)
{
    struct ert_json list;
    if (ert_json_has(at, "ert110_threads")) {
        ERT_TRY(read_list(at, "ert110_threads", &list, error));
        ert110->n_threads = 0;
        for (size_t i = 0; i < ert_json_length(list); i++)
            ERT_TRY(read_count(ert_json_element(list, i), 65536,
                               &ert110->threads[ert110->n_threads++], error));
    }
    if (ert_json_has(at, "ert110_shapes")) {
        ERT_TRY(read_list(at, "ert110_shapes", &list, error));
        ert110->n_shapes = 0;
        for (size_t i = 0; i < ert_json_length(list); i++)
            ERT_TRY(read_shape(ert_json_element(list, i),
                               &ert110->shapes[ert110->n_shapes++], error));
    }
    return ERT_OK;
}
