/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/ceilings.h"

#include "ert/core/base/alloc.h"
#include "ert/core/ceilings/traffic.h"
#include "ert/core/ceilings/upgrade.h"
#include "ert/core/machine/machine_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema_name[] = "ert-ceilings/";
enum { OLDEST_MAJOR = 2, SCHEMA_MAJOR = 4 };

static const char *const peak_words[] = {"flop/s", "byte/s", NULL};

/*
 * The rows are the file: its writer and reader; ceilings.schema.json describes each key. A key MUST be there;
 * or MAY, where 0 is a value; or is there if it is KNOWN, that is neither 0 nor "", or TRUE. Values and rates
 * are in the ceiling's `unit`; other numbers say their unit in the key.
 */
enum {
    MUST = ERT_ZERO_VALUE,
    MAY = ERT_ZERO_OPTIONAL,
    KNOWN = ERT_ZERO_NULL,
    TRUE = ERT_ZERO_LEFT_OUT
};
#define ROW(type, group_, key_, kind_, member, zero_)                                      \
    {                                                                                      \
        .group = (group_), .key = (key_), .kind = ERT_FIELD_##kind_,                       \
        .zero = (enum ert_field_zero)(zero_), .offset = offsetof(struct type, member),     \
        .size = sizeof(((struct type *)0)->member)                                         \
    }
#define WORD(type, key, words, member) ERT_ROW_WORD(struct type, key, words, member)

#define R(...) ROW(ert_ceilings, __VA_ARGS__)
static const struct ert_field file_rows[] = {
    R(NULL, "created", TIME, created, MUST),
    R(NULL, "status", TEXT, status, MUST),
    R(NULL, "mode", TEXT, mode, MAY),
};
#undef R

#define R(...) ROW(ert_device_ceilings, __VA_ARGS__)
static const struct ert_field device_rows[] = {
    R(NULL, "id", TEXT, device, MUST),
    R(NULL, "valid", FLAG, valid, MUST),
    R(NULL, "warnings", TEXT, warnings, MAY),
    R(NULL, "held_hz", NUMBER, held_hz, KNOWN),
    R(NULL, "between_runs", NUMBER, between, KNOWN),
    R("activity", "elapsed_s", NUMBER, activity.elapsed_s, KNOWN),
    R("activity", "n_cpus", COUNT, activity.n_cpus, KNOWN),
    R("activity", "own_share", NUMBER, activity.own, KNOWN),
    R("activity", "foreign_share", NUMBER, activity.foreign, KNOWN),
    R("activity", "steal_share", NUMBER, activity.steal, KNOWN),
    R("activity", "other_runs", TEXT, activity.other_runs, MAY),
};
#undef R

#define R(...)           ROW(ert_ceiling, __VA_ARGS__)
#define KEY(key_, kind_) R(NULL, #key_, kind_, key.key_, KNOWN)
static const struct ert_field ceiling_rows[] = {
    WORD(ert_ceiling, "kind", ert_ceiling_kind_words, kind),
    R(NULL, "name", TEXT, name, KNOWN),
    R(NULL, "value", NUMBER, value, MUST),
    WORD(ert_ceiling, "unit", ert_unit_words, unit),
    R(NULL, "low", NUMBER, low, MUST),
    R(NULL, "high", NUMBER, high, MUST),
    KEY(level, TEXT),
    KEY(pattern, TEXT),
    KEY(type, TEXT),
    KEY(op, TEXT),
    R(NULL, "execution_unit", TEXT, key.unit, KNOWN),
    KEY(of, TEXT),
    KEY(from, TEXT),
    KEY(to, TEXT),
    KEY(axis, TEXT),
    KEY(count, COUNT),
    KEY(ilp, COUNT),
    KEY(access_bytes, U64),
    R(NULL, "roof", FLAG, is_roof, TRUE),
    R("theory", "value", NUMBER, theory, KNOWN),
    WORD(ert_ceiling, "confidence", ert_confidence_words, confidence),
    R(NULL, "kernel", TEXT, kernel, KNOWN),
};
#undef KEY
#undef R

#define R(...) ROW(ert_evidence, __VA_ARGS__)
static const struct ert_field evidence_rows[] = {
    R(NULL, "warning", TEXT, warning, KNOWN),
    R(NULL, "n_samples", COUNT, n_samples, KNOWN),
    R(NULL, "best", NUMBER, best, KNOWN),
    R(NULL, "between_runs", NUMBER, between, KNOWN),
    R("launch", "variant", TEXT, launch.name, KNOWN),
    R("launch", "threads", COUNT, launch.threads, KNOWN),
    R("launch", "blocks", COUNT, blocks, KNOWN),
    R("launch", "requested_bytes", SIZE, requested_bytes, KNOWN),
    R("launch", "flops_per_element", COUNT, flops_per_element, KNOWN),
    R("launch", "trials", SIZE, most_passes, KNOWN),
    R(NULL, "actual_bytes", SIZE, actual_bytes, KNOWN),
    R("capacity", "measured_bytes", NUMBER, capacity_measured_bytes, KNOWN),
    R(NULL, "clock_hz", NUMBER, clock_hz, KNOWN),
    R(NULL, "throttle_reasons", TEXT, throttle_reasons, KNOWN),
    R("sustained", "time_s", NUMBER, sustained_s, KNOWN),
    R("sustained", "falls_after_s", NUMBER, falls_after_s, KNOWN),
    R("burst", "value", NUMBER, burst, KNOWN),
    R("burst", "low", NUMBER, burst_low, KNOWN),
    R("burst", "high", NUMBER, burst_high, KNOWN),
    R("burst", "clock_hz", NUMBER, burst_clock_hz, KNOWN),
    R("power", "power_w", NUMBER, power_w, KNOWN),
    R("power", "per_joule", NUMBER, per_joule, KNOWN),
    R("power", "source", TEXT, power_source, KNOWN),
    R("lockstep", "value", NUMBER, lockstep, KNOWN),
    R(NULL, "alone", NUMBER, alone, KNOWN),
    R(NULL, "aggregate", NUMBER, aggregate, KNOWN),
    R("runs", "n", COUNT, n_runs, KNOWN),
    R("runs", "low", NUMBER, runs_low, KNOWN),
    R("runs", "high", NUMBER, runs_high, KNOWN),
    R("proof", "code", TEXT, proof.code.word, KNOWN),
    R("proof", "code_text", TEXT, proof.code.text, KNOWN),
    R("proof", "counters", TEXT, proof.counters.word, KNOWN),
    R("proof", "counters_text", TEXT, proof.counters.text, KNOWN),
    R("proof", "profiler", TEXT, proof.profiler, KNOWN),
    R("proof", "bytes_ratio", NUMBER, proof.bytes_ratio, KNOWN),
    R("proof", "flops_ratio", NUMBER, proof.flops_ratio, KNOWN),
    R("proof", "deeper_share", NUMBER, proof.deeper_share, KNOWN),
    R("proof", "hit_rate", NUMBER, proof.hit_rate, KNOWN),
};
#undef R

/* Derived from kernel and device; not read back. */
#define R(...) ROW(ert_traffic, "traffic", __VA_ARGS__)
static const struct ert_field traffic_rows[] = {
    R("read_share", NUMBER, reads, MAY),
    R("moved_per_byte", NUMBER, actual, MAY),
    R("moved_read_share", NUMBER, actual_reads, MAY),
    R("streaming", FLAG, is_streaming, TRUE),
};
#undef R

#define R(...) ROW(ert_peak, NULL, __VA_ARGS__)
static const struct ert_field peak_rows[] = {
    R("name", TEXT, name, MUST),
    WORD(ert_peak, "unit", peak_words, unit),
    R("value", NUMBER, value, KNOWN),
    R("clock", TEXT, clock, KNOWN),
    R("per_clock", NUMBER, per_clock, KNOWN),
    R("formula", TEXT, formula, KNOWN),
    R("source", TEXT, source, KNOWN),
    R("unknown", TEXT, unknown, KNOWN),
};
#undef R

#define R(...) ROW(ert_not_measured, NULL, __VA_ARGS__)
static const struct ert_field not_measured_rows[] = {
    R("name", TEXT, name, MUST),
    R("reason", TEXT, reason, MUST),
};
#undef R

#define R(...) ROW(ert_unattributed_plateau, NULL, __VA_ARGS__)
static const struct ert_field unattributed_rows[] = {
    R("kernel", TEXT, kernel, MUST),
    R("path", TEXT, path, MUST),
    R("first_bytes", NUMBER, bytes[0], MUST),
    R("last_bytes", NUMBER, bytes[1], MUST),
    R("rate_bytes_per_s", NUMBER, rate_bytes_per_s, MUST),
    R("why", TEXT, why, KNOWN),
};
#undef R

/*
 * Series: objects that share most of their values as one object with arrays, and back. What is equal in all
 * of them is there once, and every other key has an array, 0 or "" where an object lacks it.
 */
static cJSON *series_fold(const cJSON *const *objects, size_t n);

/* The values of a key: one of all, a group of such values, or an array with a value of each object. */
static cJSON *series_value(const cJSON *const *objects, size_t n, const char *key)
{
    const cJSON **values = ert_calloc(n, sizeof *values);
    const cJSON *some = NULL;
    bool are_equal = true;
    for (size_t i = 0; values && i < n; i++) {
        values[i] = cJSON_GetObjectItemCaseSensitive(objects[i], key);
        are_equal = are_equal && values[i] && cJSON_Compare(values[i], values[0], true);
        some = values[i] ? values[i] : some;
    }
    cJSON *value = NULL;
    if (values && are_equal)
        value = cJSON_Duplicate(some, true);
    else if (values && cJSON_IsObject(some))
        value = series_fold(values, n);
    else if (values)
        value = cJSON_CreateArray();
    for (size_t i = 0; values && i < n && cJSON_IsArray(value); i++)
        cJSON_AddItemToArray(value, values[i] ? cJSON_Duplicate(values[i], true)
                                    : cJSON_IsString(some) ? cJSON_CreateString("")
                                                           : cJSON_CreateNumber(0));
    free(values);
    return value;
}

/* objects[]: NULL is one without any key. */
static cJSON *series_fold(const cJSON *const *objects, size_t n)
{
    cJSON *folded = cJSON_CreateObject();
    for (size_t i = 0; i < n; i++)
        for (const cJSON *child = objects[i] ? objects[i]->child : NULL; child;
             child = child->next)
            if (!cJSON_GetObjectItemCaseSensitive(folded, child->string))
                cJSON_AddItemToObject(folded, child->string,
                                      series_value(objects, n, child->string));
    return folded;
}

/* Adds to the array one object that stands for objects[n], n at least 1, which it frees. */
static void series_add(cJSON *array, cJSON *const *objects, size_t n)
{
    cJSON_AddItemToArray(array, series_fold((const cJSON *const *)objects, n));
    for (size_t i = 0; i < n; i++)
        cJSON_Delete(objects[i]);
}

enum { MAX_LENGTH = 1 << 13 };

/* *n: 0 until the first array is found. */
static enum ert_status series_length(struct ert_json at, size_t *n, struct ert_error *error)
{
    for (const cJSON *child = at.node->child; child; child = child->next) {
        struct ert_json group;
        const size_t length = (size_t)cJSON_GetArraySize(child);
        if (cJSON_IsObject(child)) {
            ERT_TRY(ert_json_object(at, child->string, &group, error));
            ERT_TRY(series_length(group, n, error));
        } else if (cJSON_IsArray(child) && *n > 0 && length != *n) {
            return ert_fail(error, ERT_USAGE, "%s: %s.%.40s: %zu elements, others have %zu",
                            at.file, at.path, child->string, length, *n);
        } else if (cJSON_IsArray(child)) {
            *n = length;
            if (length == 0 || length > MAX_LENGTH)
                return ert_fail(error, ERT_USAGE,
                                "%s: %s.%.40s: %zu elements, must be 1 to %d", at.file,
                                at.path, child->string, length, MAX_LENGTH);
        }
    }
    return ERT_OK;
}

/* The number of objects that one stands for: the length of its arrays, 1 without any. */
static enum ert_status series_of(struct ert_json at, size_t *n, struct ert_error *error)
{
    *n = 0;
    ERT_TRY(series_length(at, n, error));
    *n = *n ? *n : 1;
    return ERT_OK;
}

/* A copy of the i-th of these objects; the caller's. NULL without memory. */
static cJSON *series_at(const cJSON *object, size_t i)
{
    cJSON *one = cJSON_CreateObject();
    for (const cJSON *child = object->child; child; child = child->next) {
        const cJSON *value =
            cJSON_IsArray(child) ? cJSON_GetArrayItem(child, (int)i) : child;
        if (cJSON_IsObject(value))
            cJSON_AddItemToObject(one, child->string, series_at(value, i));
        else if (!cJSON_IsNull(value))
            cJSON_AddItemToObject(one, child->string, cJSON_Duplicate(value, true));
    }
    return one;
}

/* Lists of a device: as elements, or folded into series of those that agree in `fold`. */
static const struct list {
    const char *key;
    size_t list, count; /* offsets in struct ert_device_ceilings */
    size_t size_bytes;  /* of one element */
    const struct ert_field *rows;
    size_t n_rows;
    const char *fold; /* NULL: not folded */
} lists[] = {
#define LIST(key, member, rows, fold)                                                      \
    {                                                                                      \
        key, offsetof(struct ert_device_ceilings, member),                                 \
            offsetof(struct ert_device_ceilings, n_##member),                              \
            sizeof(*((struct ert_device_ceilings *)0)->member), ERT_ROWS(rows), fold       \
    }
    LIST("theory", peaks, peak_rows, "source"),
    LIST("not_measured", not_measured, not_measured_rows, NULL),
    LIST("unattributed", unattributed, unattributed_rows, NULL),
#undef LIST
};

/* Ceilings of concurrency are folded, as they have hundreds of points. */
static bool is_series(enum ert_ceiling_kind kind)
{
    return kind == ERT_CEILING_CONCURRENCY;
}

static bool are_of_one_series(const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    return a->kind == b->kind && strcmp(a->key.of, b->key.of) == 0 &&
           strcmp(a->key.level, b->key.level) == 0;
}

static double file_shorten(double value, int digits)
{
    char text[32];
    snprintf(text, sizeof text, "%.*g", digits, value);
    return strtod(text, NULL);
}

static double file_best_round(const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    const bool is_time = ceiling->unit == ERT_UNIT_S;
    double best = evidence->rounds[0];
    for (uint32_t i = 1; i < evidence->n_rounds; i++)
        best = is_time ? fmin(best, evidence->rounds[i]) : fmax(best, evidence->rounds[i]);
    return best;
}

/* As shares of the rate of short regions, so that five digits are enough. */
static void file_write_rounds(cJSON *object, const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    const double rate = ert_ceiling_burst(ceiling).value, best = file_best_round(ceiling);
    cJSON *rounds = cJSON_AddArrayToObject(object, "rounds");
    for (uint32_t i = 0; i < evidence->n_rounds; i++)
        cJSON_AddItemToArray(
            rounds, cJSON_CreateNumber(file_shorten(evidence->rounds[i] / rate, 5)));
    if (evidence->n_samples != evidence->n_rounds ||
        fabs(best - evidence->best) > 1e-4 * best)
        return;
    cJSON_DeleteItemFromObject(object, "n_samples"); /* the rounds are all samples */
    cJSON_DeleteItemFromObject(object, "best");
}

/* device: NULL, or of a memory ceiling. */
static void file_write_ceiling(cJSON *object, const struct ert_ceiling *ceiling,
                               const struct ert_device *device)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    struct ert_traffic traffic;
    ert_fields_write(object, ERT_ROWS(ceiling_rows), ceiling);
    ert_fields_write(object, ERT_ROWS(evidence_rows), evidence);
    if (ceiling->kind > ERT_CEILING_MEMORY)
        cJSON_DeleteItemFromObject(object, "roof"); /* all of these are */
    if (is_series(ceiling->kind)) {
        cJSON_DeleteItemFromObject(object, "name"); /* follows from the key */
        return;
    }
    if (ceiling->kind == ERT_CEILING_MEMORY && ert_traffic_of(device, ceiling, &traffic))
        ert_fields_write(object, ERT_ROWS(traffic_rows), &traffic);
    file_write_rounds(object, ceiling);
}

/* NULL without memory, as below; errno says it at the end. */
static void file_shorten_all(cJSON *object)
{
    for (cJSON *child = object ? object->child : NULL; child; child = child->next) {
        const size_t n = child->string ? strlen(child->string) : 0;
        if (n >= 5 && strcmp(child->string + n - 5, "bytes") == 0)
            continue;
        if (cJSON_IsNumber(child))
            cJSON_SetNumberHelper(child, file_shorten(child->valuedouble, 7));
        file_shorten_all(child);
    }
}

/* Takes away what says nothing: null, "", {} and [], except the lists that are always there. */
static void file_drop_unknown(cJSON *object)
{
    for (cJSON *child = object ? object->child : NULL, *next; child; child = next) {
        next = child->next;
        if (cJSON_IsObject(child) || (cJSON_IsArray(child) && cJSON_IsObject(child->child)))
            file_drop_unknown(child);
        const bool is_empty =
            cJSON_IsNull(child) || (cJSON_IsString(child) && !*child->valuestring) ||
            ((cJSON_IsObject(child) || cJSON_IsArray(child)) && !child->child);
        if (is_empty && cJSON_IsObject(object) && strcmp(child->string, "ceilings") != 0 &&
            strcmp(child->string, "devices") != 0)
            cJSON_Delete(cJSON_DetachItemViaPointer(object, child));
    }
}

/* Adds objects[n] as one; what is unknown in all of them has gone before, so that no array holds it alone. */
static void file_fold(cJSON *array, cJSON **objects, size_t *n)
{
    for (size_t i = 0; i < *n; i++)
        file_drop_unknown(objects[i]);
    if (*n)
        series_add(array, objects, *n);
    *n = 0;
}

static void file_write_ceilings(cJSON *object, const struct ert_device_ceilings *from,
                                const struct ert_device *device)
{
    cJSON *ceilings = cJSON_AddArrayToObject(object, "ceilings"),
          *series = cJSON_AddArrayToObject(object, "series");
    cJSON **objects = ert_calloc(from->n + 1, sizeof *objects);
    size_t n = 0;
    for (size_t i = 0; objects && i < from->n; i++) {
        const struct ert_ceiling *ceiling = &from->ceilings[i];
        if (n && !are_of_one_series(ceiling - 1, ceiling))
            file_fold(series, objects, &n);
        cJSON *one =
            is_series(ceiling->kind) ? cJSON_CreateObject() : ert_json_add_object(ceilings);
        file_write_ceiling(one, ceiling, device);
        if (is_series(ceiling->kind))
            objects[n++] = one;
    }
    file_fold(series, objects, &n);
    free(objects);
}

cJSON *ert_peaks_to_json(const struct ert_peak *peaks, size_t n)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++)
        ert_fields_write(ert_json_add_object(array), ERT_ROWS(peak_rows), &peaks[i]);
    return array;
}

static bool are_folded(const struct list *list, const cJSON *a, const cJSON *b)
{
    return list->fold &&
           cJSON_Compare(cJSON_GetObjectItemCaseSensitive(a, list->fold),
                         cJSON_GetObjectItemCaseSensitive(b, list->fold), true);
}

static void file_write_list(cJSON *device, const struct list *list,
                            const struct ert_device_ceilings *from)
{
    const char *base = (const char *)from,
               *at = *(char *const *)(const void *)(base + list->list);
    const size_t n_all = *(const size_t *)(const void *)(base + list->count);
    cJSON *array = cJSON_AddArrayToObject(device, list->key);
    cJSON **objects = ert_calloc(n_all + 1, sizeof *objects);
    size_t n = 0;
    for (size_t i = 0; objects && i < n_all; i++, at += list->size_bytes) {
        cJSON *one = cJSON_CreateObject();
        ert_fields_write(one, list->rows, list->n_rows, at);
        if (n && !are_folded(list, objects[0], one))
            file_fold(array, objects, &n);
        objects[n++] = one;
    }
    file_fold(array, objects, &n);
    free(objects);
}

static void file_write_device(cJSON *object, const struct ert_ceilings *ceilings,
                              size_t index)
{
    const struct ert_device_ceilings *from = &ceilings->devices[index];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    const char *kind = device && device->kind == ERT_DEVICE_GPU ? "gpu" : "cpu";
    ert_fields_write(object, ERT_ROWS(device_rows), from);
    cJSON_AddStringToObject(object, "kind", kind);
    cJSON_AddStringToObject(object, "name", device ? device->name : "");
    file_write_ceilings(object, from, device);
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        file_write_list(object, &lists[i], from);
}

/* NULL without memory. */
static cJSON *file_to_json(const struct ert_ceilings *ceilings)
{
    char schema[32];
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    snprintf(schema, sizeof schema, "%s%d", schema_name, SCHEMA_MAJOR);
    cJSON_AddStringToObject(root, "schema", schema);
    ert_fields_write(root, ERT_ROWS(file_rows), ceilings);
    if (*ceilings->mode_data)
        cJSON_AddItemToObject(root, "mode_data", cJSON_Parse(ceilings->mode_data));
    cJSON_AddStringToObject(root, "value_of", ERT_CEILING_VALUE);
    cJSON_AddItemToObject(root, "machine", ert_machine_to_json(ceilings->machine));
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    for (size_t i = 0; i < ceilings->n_devices; i++)
        file_write_device(ert_json_add_object(devices), ceilings, i);
    file_drop_unknown(root);
    file_shorten_all(devices);
    if (errno != ENOMEM)
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* "ert-ceilings/4", "ert-ceilings/4.2", /3 and /2 are read; others are refused by name. */
static enum ert_status file_check_schema(struct ert_json root, struct ert_error *error)
{
    const char *schema;
    char *end = NULL;
    const size_t length = strlen(schema_name);
    ERT_TRY(ert_json_string(root, "schema", &schema, error));
    const long major =
        strncmp(schema, schema_name, length) ? 0 : strtol(schema + length, &end, 10);
    if (major > SCHEMA_MAJOR)
        return ert_fail(error, ERT_USAGE,
                        "%s: schema '%s' is newer than this program, which reads %s%d",
                        root.file, schema, schema_name, SCHEMA_MAJOR);
    if (major < OLDEST_MAJOR || (*end != '\0' && *end != '.'))
        return ert_fail(error, ERT_USAGE, "%s: schema '%s', must be %s%d", root.file,
                        schema, schema_name, SCHEMA_MAJOR);
    return ERT_OK;
}

/*
 * A ceiling with a flop count can be run again with its launch: so values that no run can
 * have written are refused here, for all callers.
 */
static enum ert_status check_launch(struct ert_json at, const struct ert_ceiling *ceiling,
                                    struct ert_error *error)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    uint32_t flops = evidence->flops_per_element, most = 1u << (ERT_N_MIXED_FLOPS - 1);
    const struct {
        const char *key;
        double value, low, high;
    } rows[] = {
        {"threads",         evidence->launch.threads,  1, evidence->blocks ? 1024 : 65536},
        {"blocks",          evidence->blocks,          0, INT32_MAX                      },
        {"trials",          evidence->most_passes,     1, 0x1p62                         },
        {"requested_bytes", evidence->requested_bytes, 1, 0x1p62                         },
    };
    if (flops == 0)
        return ERT_OK;
    if ((flops & (flops - 1)) != 0 || flops > most)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.launch.flops_per_element: %u, must be a power of two up to "
                        "%u",
                        at.file, at.path, flops, most);
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        if (rows[i].value < rows[i].low || rows[i].value > rows[i].high)
            return ert_fail(error, ERT_USAGE,
                            "%s: %s.launch.%s: %.12g, must be from %g to %.12g", at.file,
                            at.path, rows[i].key, rows[i].value, rows[i].low, rows[i].high);
    return ERT_OK;
}

/* are_rates: they are no shares, in a file of /3. */
static enum ert_status file_read_rounds(struct ert_json at, bool are_rates,
                                        struct ert_ceiling *ceiling,
                                        struct ert_error *error)
{
    struct ert_evidence *evidence = ceiling->evidence;
    const double unit = are_rates ? 1 : ert_ceiling_burst(ceiling).value;
    struct ert_json array;
    if (!ert_json_has(at, "rounds"))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, "rounds", &array, error));
    size_t n = ert_json_length(array);
    if (n > ERT_MAX_ROUNDS)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %d are read",
                        array.file, array.path, n, ERT_MAX_ROUNDS);
    for (size_t i = 0; i < n; i++) {
        ERT_TRY(ert_json_as_double(ert_json_element(&array, i), 1e-24, ERT_FIELD_MAX,
                                   &evidence->rounds[i], error));
        evidence->rounds[i] *= unit;
    }
    evidence->n_rounds = (uint32_t)n;
    if (n > 0 && evidence->n_samples == 0) {
        evidence->n_samples = evidence->n_rounds;
        evidence->best = file_shorten(file_best_round(ceiling), 7);
    }
    return ERT_OK;
}

/* What a kind's ceilings must have, besides what all must. */
static const struct {
    enum ert_ceiling_kind kind;
    const char *key;
} needed[] = {
    {ERT_CEILING_COMPUTE,     "type"   },
    {ERT_CEILING_COMPUTE,     "op"     },
    {ERT_CEILING_COMPUTE,     "kernel" },
    {ERT_CEILING_MEMORY,      "level"  },
    {ERT_CEILING_MEMORY,      "pattern"},
    {ERT_CEILING_MEMORY,      "kernel" },
    {ERT_CEILING_LATENCY,     "level"  },
    {ERT_CEILING_CONCURRENCY, "of"     },
    {ERT_CEILING_LINK,        "from"   },
    {ERT_CEILING_LINK,        "to"     },
};

static enum ert_status file_read_ceiling(struct ert_json at, bool are_rates,
                                         struct ert_ceiling *ceiling,
                                         struct ert_error *error)
{
    struct ert_evidence *evidence = ceiling->evidence;
    ceiling->is_roof = ceiling->kind > ERT_CEILING_MEMORY;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(ceiling_rows), ceiling, error));
    ERT_TRY(ert_fields_read(at, ERT_ROWS(evidence_rows), evidence, error));
    if (!is_series(ceiling->kind) && !ert_json_has(at, "name"))
        return ert_fail(error, ERT_USAGE, "%s: %s.name: missing", at.file, at.path);
    for (size_t i = 0; i < ERT_LENGTH(needed); i++)
        if (needed[i].kind == ceiling->kind && !ert_json_has(at, needed[i].key))
            return ert_fail(error, ERT_USAGE, "%s: %s.%s: missing", at.file, at.path,
                            needed[i].key);
    if (is_series(ceiling->kind))
        ert_ceiling_set_name(ceiling);
    ERT_TRY(check_launch(at, ceiling, error));
    ERT_TRY(file_read_rounds(at, are_rates, ceiling, error));
    if (ceiling->theory > 0)
        ceiling->fraction_of_theory = file_shorten(ceiling->value / ceiling->theory, 7);
    return ert_ceiling_check(ceiling, at.file, at.path, error);
}

/* Adds a ceiling of the kind that the file says. */
static enum ert_status file_add_ceiling(struct ert_json at, struct ert_device_ceilings *to,
                                        struct ert_error *error)
{
    struct ert_ceiling of = {.kind = ERT_CEILING_COMPUTE};
    ERT_TRY(ert_fields_read(at, ceiling_rows, 1, &of, error));
    struct ert_ceiling *ceiling = ert_ceiling_add(to, of.kind);
    if (!ceiling)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu ceilings", at.file,
                        to->n);
    return file_read_ceiling(at, to->has_rates, ceiling, error);
}

/* Adds one element of a list, whose capacity is always the next power of two. */
static enum ert_status file_add_row(struct ert_json at, const struct list *list,
                                    struct ert_device_ceilings *to, struct ert_error *error)
{
    void **const elements = (void **)(void *)((char *)to + list->list);
    size_t *const n = (size_t *)(void *)((char *)to + list->count);
    if ((*n & (*n - 1)) == 0) {
        void *grown = realloc(*elements, (*n ? 2 * *n : 1) * list->size_bytes);
        if (!grown)
            return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu of %s", at.file,
                            *n, list->key);
        *elements = grown;
    }
    char *element = (char *)*elements + (*n)++ * list->size_bytes;
    memset(element, 0, list->size_bytes);
    return ert_fields_read(at, list->rows, list->n_rows, element, error);
}

/* Reads an array of series element by element; list NULL: of ceilings. */
static enum ert_status file_read_series(struct ert_json at, const char *key,
                                        const struct list *list,
                                        struct ert_device_ceilings *to,
                                        struct ert_error *error)
{
    struct ert_json array;
    if (!ert_json_has(at, key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, key, &array, error));
    const size_t n_objects = ert_json_length(array);
    for (size_t i = 0, n; i < n_objects; i++) {
        const struct ert_json object = ert_json_element(&array, i);
        struct ert_json one = object;
        ERT_TRY(series_of(object, &n, error));
        for (size_t j = 0; j < n; j++) {
            cJSON *node = series_at(object.node, j);
            one.node = node;
            enum ert_status status = list ? file_add_row(one, list, to, error)
                                          : file_add_ceiling(one, to, error);
            cJSON_Delete(node);
            ERT_TRY(status);
        }
    }
    return ERT_OK;
}

/*
 * Whether the levels and ends that a ceiling names are the machine's: `verify` and `validate` measure what
 * they say. A file may have a device without levels, from figures that somebody published; labels of ERT's
 * mode are not levels.
 */
static enum ert_status file_check_place(const struct ert_ceilings *ceilings,
                                        const struct ert_device *device,
                                        const struct ert_ceiling *ceiling, const char *file,
                                        struct ert_error *error)
{
    const enum ert_ceiling_kind kind = ceiling->kind;
    const char *const level = ceiling->key.level, *const name = ceiling->name,
                      *const ends[] = {ceiling->key.from, ceiling->key.to};
    const size_t n = strlen(level);
    const bool is_memory = kind == ERT_CEILING_MEMORY,
               needs_level = kind == ERT_CEILING_LATENCY;
    if (device->n_levels && (is_memory ? !*ceilings->mode : *level || needs_level)) {
        if (!ert_device_level(device, level))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: no level '%.15s' in the device", file,
                            device->id, name, level);
        if (is_memory && (strncmp(name, level, n) != 0 || name[n] != '-'))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: level '%.15s' is not that of its name", file,
                            device->id, name, level);
    }
    for (size_t end = 0; kind == ERT_CEILING_LINK && end < ERT_LENGTH(ends); end++)
        if (strcmp(ends[end], "host") != 0 &&
            !ert_machine_device(ceilings->machine, ends[end]))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: no device '%.15s' in the machine", file,
                            device->id, name, ends[end]);
    return ERT_OK;
}

/* Reads the index-th device; those before it have been read. */
static enum ert_status file_read_device(struct ert_json at,
                                        const struct ert_ceilings *ceilings, size_t index,
                                        struct ert_error *error)
{
    struct ert_device_ceilings *to = &ceilings->devices[index];
    struct ert_json array;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(device_rows), to, error));
    const struct ert_device *device = ert_machine_device(ceilings->machine, to->device);
    if (!device)
        return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' is no device of the machine",
                        at.file, at.path, to->device);
    for (size_t i = 0; i < index; i++)
        if (strcmp(ceilings->devices[i].device, to->device) == 0)
            return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' appears twice", at.file,
                            at.path, to->device);
    ERT_TRY(ert_json_array(at, "ceilings", &array, error));
    const size_t n = ert_json_length(array);
    for (size_t i = 0; i < n; i++)
        ERT_TRY(file_add_ceiling(ert_json_element(&array, i), to, error));
    ERT_TRY(file_read_series(at, "series", NULL, to, error));
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ERT_TRY(file_read_series(at, lists[i].key, &lists[i], to, error));
    for (size_t i = 0; i < to->n; i++)
        ERT_TRY(file_check_place(ceilings, device, &to->ceilings[i], at.file, error));
    return ERT_OK;
}

/*
 * Marks the roofs of a device. Whether a file has each ceiling once, and as roofs those that its values make
 * roofs; ERT's mode has its own.
 */
static enum ert_status check_roofs(struct ert_json at, bool is_ert_mode,
                                   struct ert_device_ceilings *of, struct ert_error *error)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(of, ERT_CEILING_MEMORY),
                                  all = ert_ceilings_main(of);
    bool *was_roof = malloc(memory.n + 1);
    if (!was_roof)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", at.file);
    for (size_t i = 0; i < memory.n; i++)
        was_roof[i] = memory.at[i].is_roof;
    ert_ceilings_mark_roofs(of);
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < memory.n && !is_ert_mode && status == ERT_OK; i++)
        if (was_roof[i] != memory.at[i].is_roof)
            status = ert_fail(
                error, ERT_USAGE, "%s: %s: roof: %s, but %.31s is %sthe fastest of %.15s",
                at.file, at.path, was_roof[i] ? "true" : "false", memory.at[i].name,
                was_roof[i] ? "not " : "", memory.at[i].key.level);
    for (size_t i = 0; i < all.n && !is_ert_mode && status == ERT_OK; i++)
        for (size_t j = 0; j < i && status == ERT_OK; j++)
            if (strcmp(all.at[i].name, all.at[j].name) == 0)
                status = ert_fail(error, ERT_USAGE, "%s: %s: %.31s appears twice", at.file,
                                  at.path, all.at[i].name);
    free(was_roof);
    return status;
}

/* Kept as it is: what it means is the mode's business. */
static enum ert_status read_mode_data(struct ert_json root, struct ert_ceilings *to,
                                      struct ert_error *error)
{
    struct ert_json data;
    if (!ert_json_has(root, "mode_data"))
        return ERT_OK;
    ERT_TRY(ert_json_object(root, "mode_data", &data, error));
    if (cJSON_PrintPreallocated((cJSON *)data.node, to->mode_data, sizeof to->mode_data, 0))
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: mode_data: must be shorter than %zu bytes",
                    root.file, sizeof to->mode_data);
}

static enum ert_status file_read_root(struct ert_json root, struct ert_ceilings *to,
                                      struct ert_error *error)
{
    struct ert_json machine, devices;
    const char *schema;
    ERT_TRY(ert_json_string(root, "schema", &schema, error));
    ERT_TRY(ert_fields_read(root, ERT_ROWS(file_rows), to, error));
    ERT_TRY(read_mode_data(root, to, error));
    ERT_TRY(ert_json_object(root, "machine", &machine, error));
    ERT_TRY(ert_json_array(root, "devices", &devices, error));
    size_t n = ert_json_length(devices);
    if (n > ERT_MAX_DEVICES)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %d are read",
                        devices.file, devices.path, n, ERT_MAX_DEVICES);
    to->machine = calloc(1, sizeof *to->machine);
    to->devices = calloc(n ? n : 1, sizeof *to->devices);
    if (!to->machine || !to->devices)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu devices", root.file,
                        n);
    to->n_devices = n;
    ERT_TRY(ert_machine_from_json(machine, to->machine, error));
    for (size_t i = 0; i < n; i++) {
        struct ert_json device = ert_json_element(&devices, i);
        to->devices[i].has_rates = schema[sizeof schema_name - 1] < '4';
        ERT_TRY(file_read_device(device, to, i, error));
        ERT_TRY(check_roofs(device, *to->mode, &to->devices[i], error));
    }
    return ERT_OK;
}

enum ert_status ert_ceilings_read(const char *file, struct ert_ceilings *ceilings,
                                  struct ert_error *error)
{
    struct ert_ceilings read = {0};
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status = file_check_schema(ert_json_root(root, file), error);
    const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
    if (status == ERT_OK && strncmp(schema->valuestring, "ert-ceilings/2", 14) == 0)
        ert_ceilings_upgrade(root);
    if (status == ERT_OK)
        status = file_read_root(ert_json_root(root, file), &read, error);
    cJSON_Delete(root);
    if (status == ERT_OK)
        *ceilings = read;
    else
        ert_ceilings_free(&read);
    return status;
}

enum ert_status ert_ceilings_write(const char *file, const struct ert_ceilings *ceilings,
                                   struct ert_error *error)
{
    if (!ceilings->machine)
        return ert_fail(error, ERT_FAILED, "%s: not written: the ceilings have no machine",
                        file);
    cJSON *root = file_to_json(ceilings);
    if (!root)
        return ert_fail(error, ERT_FAILED, "%s: not written: out of memory", file);
    enum ert_status status = ert_json_write(file, root, error);
    cJSON_Delete(root);
    return status;
}
