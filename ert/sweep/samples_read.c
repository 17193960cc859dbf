/* samples_read: reads "ert-samples/3" back; ERT_USAGE names file, path and value. */
#include "ert/sweep/samples.h"

#include "ert/base/json.h"
#include "ert/machine/machine_json.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/samples_fields.h"
#include "ert/sweep/sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t *parameter_of(struct ert_case *case_, size_t i)
{
    return (uint32_t *)(void *)((char *)case_ + ert_case_parameters[i].offset);
}

static enum ert_status read_u32(struct ert_json at, const char *key, uint32_t *value,
                                struct ert_error *error)
{
    uint64_t wide;
    ERT_TRY(ert_json_u64(at, key, 0, UINT32_MAX, &wide, error));
    *value = (uint32_t)wide;
    return ERT_OK;
}

/* Rates of the samples were in no file before version 3: passes by time. */
static enum ert_status find_columns(struct ert_json at,
                                    const cJSON *items[ERT_N_SAMPLE_COLUMNS], size_t *n,
                                    struct ert_error *error)
{
    for (size_t c = 0; c < ERT_N_SAMPLE_COLUMNS; c++) {
        const struct ert_sample_column *column = &ert_sample_columns[c];
        struct ert_json list;
        items[c] = NULL;
        if (column->is_optional && !ert_json_has(at, column->key))
            continue;
        ERT_TRY(ert_json_array(at, column->key, &list, error));
        if (c > 0 && ert_json_length(list) != *n)
            return ert_fail(error, ERT_USAGE, "%s: %s: %zu values, time_s has %zu", at.file,
                            list.path, ert_json_length(list), *n);
        *n = ert_json_length(list);
        items[c] = list.node->child;
    }
    return ERT_OK;
}

static enum ert_status read_value(struct ert_json at,
                                  const struct ert_sample_column *column, size_t i,
                                  const cJSON *item, struct ert_sample *sample,
                                  struct ert_error *error)
{
    char *target = (char *)sample + column->offset;
    double value = item->valuedouble;
    double least = column->offset == offsetof(struct ert_sample, time_s) ? 1e-12 : 0;
    if (!cJSON_IsNumber(item) || !(value >= least && value <= 0x1p63))
        return ert_fail(error, ERT_USAGE, "%s: %s.%s[%zu]: must be a number of at least %g",
                        at.file, at.path, column->key, i, least);
    if (column->is_u64)
        *(uint64_t *)(void *)target = (uint64_t)fmin(value, 0x1p62);
    else
        *(double *)(void *)target = value;
    return ERT_OK;
}

/* The passes of one sample's threads. */
static enum ert_status read_threads(struct ert_json at, size_t i, const cJSON *list,
                                    struct ert_sample *sample, struct ert_error *error)
{
    int n = cJSON_GetArraySize(list);
    if (!cJSON_IsArray(list))
        return ert_fail(error, ERT_USAGE, "%s: %s.thread_passes[%zu]: must be a list",
                        at.file, at.path, i);
    if (n == 0)
        return ERT_OK;
    sample->thread_passes = calloc((size_t)n, sizeof *sample->thread_passes);
    if (!sample->thread_passes)
        return ert_fail(error, ERT_FAILED, "no memory for %d threads", n);
    for (const cJSON *item = list->child; item; item = item->next) {
        if (!cJSON_IsNumber(item) ||
            !(item->valuedouble >= 0 && item->valuedouble < 0x1p62)) {
            free(sample->thread_passes);
            return ert_fail(error, ERT_USAGE,
                            "%s: %s.thread_passes[%zu][%u]: must be a number of at least 0",
                            at.file, at.path, i, sample->n_threads);
        }
        sample->thread_passes[sample->n_threads++] = item->valuedouble;
    }
    return ERT_OK;
}

static enum ert_status read_samples(struct ert_json at, struct ert_point *point,
                                    struct ert_error *error)
{
    /* A file with a million samples reads in linear time: walk the lists side by side. */
    const cJSON *items[ERT_N_SAMPLE_COLUMNS], *threads = NULL;
    size_t n = 0;
    ERT_TRY(find_columns(at, items, &n, error));
    if (ert_json_has(at, "thread_passes")) {
        struct ert_json list;
        ERT_TRY(ert_json_array(at, "thread_passes", &list, error));
        if (ert_json_length(list) != n)
            return ert_fail(error, ERT_USAGE, "%s: %s: %zu lists, time_s has %zu values",
                            at.file, list.path, ert_json_length(list), n);
        threads = list.node->child;
    }
    for (size_t i = 0; i < n; i++) {
        struct ert_sample sample = {0};
        for (size_t c = 0; c < ERT_N_SAMPLE_COLUMNS; c++) {
            if (!items[c])
                continue;
            ERT_TRY(read_value(at, &ert_sample_columns[c], i, items[c], &sample, error));
            items[c] = items[c]->next;
        }
        if (sample.passes == 0 && !(sample.rate_per_s > 0))
            return ert_fail(
                error, ERT_USAGE,
                "%s: %s.passes[%zu]: 0 without a rate_per_s, must be at least 1", at.file,
                at.path, i);
        if (threads) {
            ERT_TRY(read_threads(at, i, threads, &sample, error));
            threads = threads->next;
        }
        enum ert_status status = ert_point_add(point, &sample, error);
        free(sample.thread_passes);
        ERT_TRY(status);
    }
    return ERT_OK;
}

static enum ert_status read_variant(struct ert_json at, struct ert_variant *variant,
                                    struct ert_error *error)
{
    ERT_TRY(ert_json_copy_string(at, "name", variant->name, sizeof variant->name, error));
    ERT_TRY(ert_json_copy_string(at, "isa", variant->isa, sizeof variant->isa, error));
    ERT_TRY(read_u32(at, "threads", &variant->threads, error));
    return read_u32(at, "blocks", &variant->blocks, error);
}

static enum ert_status read_work(struct ert_json at, struct ert_work *work,
                                 struct ert_error *error)
{
    ERT_TRY(ert_json_u64(at, "working_set_bytes", 0, UINT64_C(1) << 62,
                         &work->working_set_bytes, error));
    ERT_TRY(ert_json_double(at, "bytes_per_pass", 0, 0x1p62, &work->bytes_per_pass, error));
    ERT_TRY(ert_json_double(at, "flops_per_pass", 0, 0x1p62, &work->flops_per_pass, error));
    if (ert_json_has(at, "loads_per_pass"))
        ERT_TRY(
            ert_json_double(at, "loads_per_pass", 0, 0x1p62, &work->loads_per_pass, error));
    ERT_TRY(read_u32(at, "blocks", &work->blocks, error));
    return read_u32(at, "threads", &work->threads, error);
}

static enum ert_status read_parts(struct ert_json at, struct ert_sustained *sustained,
                                  struct ert_error *error)
{
    for (size_t c = 0; c < ERT_N_PART_COLUMNS; c++) {
        const struct ert_sample_column *column = &ert_part_columns[c];
        struct ert_json list;
        ERT_TRY(ert_json_array(at, column->key, &list, error));
        const size_t n = ert_json_length(list);
        if (n <= sustained->n_settling || n > ERT_MAX_PARTS ||
            (c > 0 && n != sustained->n_parts))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %zu values, must be as many as the others', above %u "
                            "and at most %d",
                            at.file, list.path, n, sustained->n_settling, ERT_MAX_PARTS);
        sustained->n_parts = (uint32_t)n;
        for (size_t i = 0; i < n; i++) {
            const cJSON *item = ert_json_element(list, i).node;
            char *target = (char *)&sustained->parts[i] + column->offset;
            if (!cJSON_IsNumber(item) ||
                !(item->valuedouble >= 0 && item->valuedouble <= 0x1p62))
                return ert_fail(error, ERT_USAGE,
                                "%s: %s[%zu]: must be a number from 0 to 2^62", at.file,
                                list.path, i);
            if (column->is_u64)
                *(uint64_t *)(void *)target = (uint64_t)item->valuedouble;
            else
                *(double *)(void *)target = item->valuedouble;
        }
    }
    return ERT_OK;
}

static enum ert_status read_sustained(struct ert_json at, struct ert_sustained *sustained,
                                      struct ert_error *error)
{
    if (ert_json_has(at, "began_unix_s"))
        ERT_TRY(
            ert_json_double(at, "began_unix_s", 0, 1e11, &sustained->began_unix_s, error));
    ERT_TRY(ert_json_double(at, "time_s", 1e-12, 1e6, &sustained->time_s, error));
    ERT_TRY(ert_json_double(at, "rate_per_s", 1e-12, 1e18, &sustained->rate_per_s, error));
    ERT_TRY(ert_json_double(at, "power_w", 0, 1e6, &sustained->power_w, error));
    ERT_TRY(ert_json_double(at, "clock_hz", 0, 1e12, &sustained->clock_hz, error));
    ERT_TRY(ert_json_double(at, "clock_low_hz", 0, 1e12, &sustained->clock_low_hz, error));
    ERT_TRY(
        ert_json_u64(at, "throttle", 0, UINT64_C(1) << 62, &sustained->throttle, error));
    ERT_TRY(read_u32(at, "n_settling", &sustained->n_settling, error));
    ERT_TRY(ert_json_copy_string(at, "source", sustained->source, sizeof sustained->source,
                                 error));
    ERT_TRY(ert_json_copy_string(at, "no_power", sustained->no_power,
                                 sizeof sustained->no_power, error));
    return read_parts(at, sustained, error);
}

/*
 * Files of version 2.0.0 name no section: their points are of the three that there were.
 */
static enum ert_status read_section(struct ert_json at, struct ert_point *point,
                                    struct ert_error *error)
{
    static const enum ert_section of_class[] = {
        ERT_SECTION_LEVELS, ERT_SECTION_COMPUTE, ERT_SECTION_MIXED, ERT_SECTION_LATENCY,
        ERT_SECTION_ACCESS, ERT_SECTION_LINKS,   ERT_SECTION_ERT110};
    const char *name;
    point->section = of_class[ert_kernel_row(point->case_.kernel)->class_];
    if (!ert_json_has(at, "section"))
        return ERT_OK;
    ERT_TRY(ert_json_string(at, "section", &name, error));
    if (!ert_section_find(name, &point->section))
        return ert_fail(error, ERT_USAGE, "%s: %s.section: '%s' is no section", at.file,
                        at.path, name);
    return ERT_OK;
}

/* Finds a word in a list; ERT_USAGE names the word and the path of its key. */
static enum ert_status read_word(struct ert_json at, const char *key,
                                 const char *const *words, int n, int *index,
                                 struct ert_error *error)
{
    const char *word;
    ERT_TRY(ert_json_string(at, key, &word, error));
    for (int i = 0; i < n; i++)
        if (strcmp(words[i], word) == 0) {
            *index = i;
            return ERT_OK;
        }
    return ert_fail(error, ERT_USAGE, "%s: %s.%s: '%s' is not one of the known words",
                    at.file, at.path, key, word);
}

/* What a kernel's ceilings are rates of: a measured point without it has none. */
static enum ert_status check_work(struct ert_json at, const struct ert_point *point,
                                  struct ert_error *error)
{
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    const char *key = NULL;
    if (point->status != ERT_POINT_MEASURED || point->n_samples == 0)
        return ERT_OK;
    if (row->class_ == ERT_CLASS_COMPUTE && !(point->work.flops_per_pass > 0))
        key = "flops_per_pass";
    else if ((row->class_ == ERT_CLASS_MEMORY || row->class_ == ERT_CLASS_MIXED) &&
             !(point->work.bytes_per_pass > 0))
        key = "bytes_per_pass";
    if (!key)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: %s.work.%s: 0, must be above 0 for the kernel %s, which was "
                    "measured",
                    at.file, at.path, key, row->name);
}

static enum ert_status read_point(struct ert_json at, struct ert_point *point,
                                  struct ert_error *error)
{
    const char *name;
    struct ert_json part;
    int status = 0;
    struct ert_error why;
    ERT_TRY(ert_json_string(at, "kernel", &name, error));
    if (ert_kernel_find(name, &point->case_.kernel, &why) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "%s: %s.kernel: %s", at.file, at.path, why.text);
    ERT_TRY(read_section(at, point, error));
    if (ert_json_has(at, "at_once"))
        ERT_TRY(read_u32(at, "at_once", &point->at_once, error));
    for (size_t i = 0; i < ERT_N_CASE_PARAMETERS; i++)
        if (ert_json_has(at, ert_case_parameters[i].key))
            ERT_TRY(read_u32(at, ert_case_parameters[i].key, parameter_of(&point->case_, i),
                             error));
    ERT_TRY(ert_json_string(at, "path", &name, error));
    if (!ert_path_find(name, &point->case_.path))
        return ert_fail(error, ERT_USAGE, "%s: %s.path: '%s' is no path", at.file, at.path,
                        name);
    ERT_TRY(read_u32(at, "flops_per_element", &point->case_.flops_per_element, error));
    ERT_TRY(ert_json_u64(at, "wanted_bytes", 0, UINT64_C(1) << 62,
                         &point->case_.working_set_bytes, error));
    ERT_TRY(read_u32(at, "variant_index", &point->case_.variant, error));
    ERT_TRY(ert_json_object(at, "variant", &part, error));
    ERT_TRY(read_variant(part, &point->variant, error));
    ERT_TRY(ert_json_object(at, "work", &part, error));
    ERT_TRY(read_work(part, &point->work, error));
    ERT_TRY(read_word(at, "status", ert_point_statuses, 4, &status, error));
    point->status = (enum ert_point_status)status;
    ERT_TRY(ert_json_copy_string(at, "reason", point->reason, sizeof point->reason, error));
    ERT_TRY(ert_json_u64(at, "passes", 0, UINT64_C(1) << 62, &point->passes, error));
    if (ert_json_has(at, "trials"))
        ERT_TRY(ert_json_u64(at, "trials", 1, UINT64_C(1) << 62, &point->trials, error));
    /* "power" of older files is not read: their GPUs idled between the metered kernels. */
    if (ert_json_has(at, "sustained")) {
        ERT_TRY(ert_json_object(at, "sustained", &part, error));
        ERT_TRY(read_sustained(part, &point->sustained, error));
    }
    ERT_TRY(ert_json_object(at, "samples", &part, error));
    ERT_TRY(read_samples(part, point, error));
    return check_work(at, point, error);
}

static enum ert_status read_observation(struct ert_json at,
                                        struct ert_observation *observation,
                                        struct ert_error *error)
{
    struct ert_json list;
    int sharing = 0;
    for (size_t i = 0; i < ERT_N_OBSERVATION_ROWS; i++)
        ERT_TRY(ert_json_double(
            at, ert_observation_rows[i].key, 0, 1e6,
            (double *)(void *)((char *)observation + ert_observation_rows[i].offset),
            error));
    ERT_TRY(read_u32(at, "gap_cpu", &observation->gap_cpu, error));
    ERT_TRY(read_word(at, "sharing", ert_sharing_words, ERT_N_SHARINGS, &sharing, error));
    observation->sharing = (enum ert_sharing)sharing;
    ERT_TRY(ert_json_array(at, "cpus", &list, error));
    size_t n = ert_json_length(list);
    uint32_t *cpus = calloc(n + 1, sizeof *cpus);
    if (!cpus)
        return ert_fail(error, ERT_FAILED, "no memory for %zu CPUs", n);
    observation->cpus = cpus;
    for (const cJSON *item = list.node->child; item; item = item->next) {
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) ||
            item->valuedouble > UINT32_MAX)
            return ert_fail(error, ERT_USAGE, "%s: %s[%u]: must be the number of a CPU",
                            at.file, list.path, observation->n_cpus);
        cpus[observation->n_cpus++] = (uint32_t)item->valuedouble;
    }
    return ERT_OK;
}

static enum ert_status read_absent(struct ert_json at, struct ert_device_samples *device,
                                   struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(at, "absent", &list, error));
    size_t most = sizeof device->absent / sizeof device->absent[0];
    if (ert_json_length(list) > most)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu rows, at most %zu", at.file,
                        list.path, ert_json_length(list), most);
    for (size_t i = 0; i < ert_json_length(list); i++) {
        struct ert_json row = ert_json_element(list, i);
        struct ert_absent_kernel *absent = &device->absent[device->n_absent++];
        ERT_TRY(
            ert_json_copy_string(row, "name", absent->name, sizeof absent->name, error));
        ERT_TRY(ert_json_copy_string(row, "reason", absent->reason, sizeof absent->reason,
                                     error));
    }
    return ERT_OK;
}

/* Files of version 2.0.0 have none. */
static enum ert_status read_activity(struct ert_json at, struct ert_activity *activity,
                                     struct ert_error *error)
{
    struct ert_json part;
    if (!ert_json_has(at, "activity"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "activity", &part, error));
    ERT_TRY(read_u32(part, "n_cpus", &activity->n_cpus, error));
    ERT_TRY(ert_json_double(part, "elapsed_s", 0, 1e9, &activity->elapsed_s, error));
    ERT_TRY(ert_json_double(part, "own_share", 0, 1, &activity->own, error));
    ERT_TRY(ert_json_double(part, "foreign_share", 0, 1, &activity->foreign, error));
    return ert_json_double(part, "steal_share", 0, 1, &activity->steal, error);
}

static size_t find_set(const uint64_t *sets, size_t n, uint64_t bytes)
{
    size_t at = 0;
    while (at < n && sets[at] != bytes)
        at++;
    return at;
}

/* One kernel's sweep on one path is no longer than a plan's: the fit holds no more. */
static enum ert_status check_sweep(struct ert_json at,
                                   const struct ert_device_samples *device,
                                   enum ert_kernel_id kernel, enum ert_path path,
                                   struct ert_error *error)
{
    uint64_t sets[ERT_MAX_SETS + 1];
    size_t n_sets = 0, n = 0;
    for (size_t i = 0; i < device->n_points && n_sets <= ERT_MAX_SETS; i++) {
        const struct ert_point *point = &device->points[i];
        uint64_t bytes = point->case_.working_set_bytes;
        if (point->case_.kernel != kernel || point->case_.path != path ||
            (point->section != ERT_SECTION_LEVELS && point->section != ERT_SECTION_COMPUTE))
            continue;
        n++;
        /* Sets that are bound to other memories are no part of the sweep. */
        if (!point->case_.to && find_set(sets, n_sets, bytes) == n_sets)
            sets[n_sets++] = bytes;
    }
    if (n_sets <= ERT_MAX_SETS && n <= ERT_MAX_SWEEP)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE,
                    "%s: %s.points: of %s, %s, more than %d working sets or %d points",
                    at.file, at.path, ert_kernel_row(kernel)->name, ert_path_name(path),
                    ERT_MAX_SETS, ERT_MAX_SWEEP);
}

static enum ert_status check_sweeps(struct ert_json at,
                                    const struct ert_device_samples *device,
                                    struct ert_error *error)
{
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
        for (int path = 0; path < ERT_N_PATHS; path++)
            ERT_TRY(check_sweep(at, device, (enum ert_kernel_id)kernel, (enum ert_path)path,
                                error));
    return ERT_OK;
}

/* The index-th of the devices, those before it read. */
static enum ert_status read_device(struct ert_json at, struct ert_samples *samples,
                                   size_t index, struct ert_error *error)
{
    struct ert_device_samples *device = &samples->devices[index];
    const struct ert_machine *machine = &samples->machine;
    struct ert_json list;
    ERT_TRY(
        ert_json_copy_string(at, "device", device->device, sizeof device->device, error));
    if (!ert_machine_device(machine, device->device))
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.device: '%s' is not among machine.devices", at.file,
                        at.path, device->device);
    for (size_t i = 0; i < index; i++)
        if (strcmp(samples->devices[i].device, device->device) == 0)
            return ert_fail(error, ERT_USAGE, "%s: %s.device: '%s' stands twice", at.file,
                            at.path, device->device);
    ERT_TRY(ert_plan_context(&samples->config, ert_machine_device(machine, device->device),
                             &device->context, error));
    ERT_TRY(
        ert_json_copy_string(at, "status", device->status, sizeof device->status, error));
    ERT_TRY(
        ert_json_copy_string(at, "reason", device->reason, sizeof device->reason, error));
    ERT_TRY(ert_json_copy_string(at, "notes", device->notes, sizeof device->notes, error));
    ERT_TRY(ert_json_double(at, "seconds_s", 0, 1e9, &device->seconds, error));
    if (ert_json_has(at, "observation")) {
        struct ert_json part;
        ERT_TRY(ert_json_object(at, "observation", &part, error));
        ERT_TRY(read_observation(part, &device->observation, error));
    }
    ERT_TRY(read_activity(at, &device->activity, error));
    ERT_TRY(read_absent(at, device, error));
    ERT_TRY(ert_json_array(at, "points", &list, error));
    size_t n = ert_json_length(list);
    device->points = calloc(n ? n : 1, sizeof *device->points);
    if (!device->points)
        return ert_fail(error, ERT_FAILED, "no memory for %zu points", n);
    device->n_points = n;
    for (size_t i = 0; i < n; i++)
        ERT_TRY(read_point(ert_json_element(list, i), &device->points[i], error));
    return check_sweeps(at, device, error);
}

/* Keys of versions 1 and 2 had other names: their files are refused before any key is. */
static enum ert_status check_schema(struct ert_json at, struct ert_error *error)
{
    const char *schema;
    const cJSON *provenance = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(at.node, "machine"), "provenance");
    const cJSON *git = cJSON_GetObjectItemCaseSensitive(provenance, "git");
    ERT_TRY(ert_json_string(at, "schema", &schema, error));
    if (strcmp(schema, ERT_SAMPLES_SCHEMA) == 0)
        return ERT_OK;
    if (strcmp(schema, "ert-samples/1") == 0 || strcmp(schema, "ert-samples/2") == 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: schema '%s' is older than this program, which "
                        "reads " ERT_SAMPLES_SCHEMA ": fit it with the ert that wrote it "
                        "(commit %.40s), or measure again with `ert run`",
                        at.file, schema,
                        cJSON_IsString(git) ? git->valuestring : "unknown");
    return ert_fail(error, ERT_USAGE,
                    "%s: schema '%.40s', this program reads " ERT_SAMPLES_SCHEMA, at.file,
                    schema);
}

static enum ert_status read_all(struct ert_json at, struct ert_samples *samples,
                                struct ert_error *error)
{
    struct ert_json part;
    ERT_TRY(check_schema(at, error));
    ERT_TRY(ert_json_copy_string(at, "created", samples->created, sizeof samples->created,
                                 error));
    ERT_TRY(
        ert_json_copy_string(at, "status", samples->status, sizeof samples->status, error));
    ERT_TRY(ert_json_object(at, "config", &part, error));
    ert_config_default(&samples->config);
    ERT_TRY(ert_config_from_json(part, &samples->config, error));
    ERT_TRY(ert_json_object(at, "machine", &part, error));
    ERT_TRY(ert_machine_from_json(part, &samples->machine, error));
    ERT_TRY(ert_json_array(at, "devices", &part, error));
    if (ert_json_length(part) > ERT_MAX_DEVICES)
        return ert_fail(error, ERT_USAGE, "%s: devices: %zu, at most %d", at.file,
                        ert_json_length(part), ERT_MAX_DEVICES);
    for (size_t i = 0; i < ert_json_length(part); i++) {
        samples->n_devices++;
        ERT_TRY(read_device(ert_json_element(part, i), samples, i, error));
    }
    return ERT_OK;
}

enum ert_status ert_samples_read(const char *file, struct ert_samples *samples,
                                 struct ert_error *error)
{
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    memset(samples, 0, sizeof *samples);
    enum ert_status status = read_all(ert_json_root(root, file), samples, error);
    if (status != ERT_OK)
        ert_samples_free(samples);
    cJSON_Delete(root);
    return status;
}
