/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/ceilings.h"

#include "ert/core/base/alloc.h"
#include "ert/core/machine/machine_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Written to the file, so that nobody mistakes the interval for the scatter of single samples. */
#define INTERVAL_OF                                                                        \
    "the value of the next run falls into it with 90 % probability: bootstrap of the "     \
    "estimate over the rounds, and what runs differ by"

static const char schema_name[] = "ert-ceilings/";
enum { SCHEMA_MAJOR = 2 };

static const char *const confidence_names[] = {"high", "medium", "low", NULL};

static const struct ert_field file_rows[] = {
    ERT_ROW_TIME(struct ert_ceilings, "created", created, VALUE),
    ERT_ROW_TEXT(struct ert_ceilings, NULL, "status", status, true),
    ERT_ROW_TEXT(struct ert_ceilings, NULL, "mode", mode, false),
};

static const struct ert_field device_rows[] = {
#define ROW(...)  ERT_ROW_UNKNOWN(struct ert_device_ceilings, __VA_ARGS__)
#define TEXT(...) ERT_ROW_TEXT(struct ert_device_ceilings, __VA_ARGS__)
    TEXT(NULL, "id", device, true),
    ROW(NULL, "held_hz", NUMBER, held_hz),
    ROW("activity", "elapsed_s", NUMBER, activity.elapsed_s),
    ROW("activity", "n_cpus", COUNT, activity.n_cpus),
    ROW("activity", "own_share", NUMBER, activity.own),
    ROW("activity", "foreign_share", NUMBER, activity.foreign),
    ROW("activity", "steal_share", NUMBER, activity.steal),
    TEXT("activity", "other_runs", activity.other_runs, false),
    ROW(NULL, "between_runs", NUMBER, between),
    ERT_ROW_EXACT(struct ert_device_ceilings, "valid", FLAG, valid),
    TEXT(NULL, "warnings", warnings, false),
#undef ROW
#undef TEXT
};

/* The tool, for readers that do not need the whole machine. Not read back. */
static const struct ert_field tool_rows[] = {
    ERT_ROW_TEXT(struct ert_provenance, "tool", "version", tool_version, false),
    ERT_ROW_TEXT(struct ert_provenance, "tool", "git", git, false),
    ERT_ROW_TEXT(struct ert_provenance, "tool", "compiler", compiler, false),
    ERT_ROW_TEXT(struct ert_provenance, "tool", "flags", flags, false),
};

static const struct ert_field ceiling_rows[] = {
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "kernel", kernel, true),
    ERT_ROW_EXACT(struct ert_ceiling, "value", RATE, value),
    ERT_ROW_RANGE(struct ert_ceiling, "interval", RATE_RANGE, low, high),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "theory", RATE, theory),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "fraction_of_theory", NUMBER,
                    fraction_of_theory),
    ERT_ROW_WORD(struct ert_ceiling, "confidence", confidence_names, confidence),
};

static const struct ert_field compute_rows[] = {
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "type", key.type, true),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "op", key.op, true),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "unit", key.unit, false),
    ERT_ROW_FLAG(struct ert_ceiling, NULL, "roof", is_roof),
};

static const struct ert_field memory_rows[] = {
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "level", key.level, true),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "pattern", key.pattern, true),
    ERT_ROW_EXACT(struct ert_ceiling, "roof", FLAG, is_roof),
};

static const struct ert_field other_rows[] = {
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "of", key.of, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "level", key.level, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "from", key.from, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "to", key.to, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "pattern", key.pattern, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "axis", key.axis, false),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "count", COUNT, key.count),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "ilp", COUNT, key.ilp),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "access_bytes", U64, key.access_bytes),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "stride_bytes", COUNT, key.stride_bytes),
};

#define ROW(...)  ERT_ROW_UNKNOWN(struct ert_evidence, __VA_ARGS__)
#define TEXT(...) ERT_ROW_TEXT(struct ert_evidence, __VA_ARGS__)
static const struct ert_field evidence_rows[] = {
    ERT_ROW_EXACT(struct ert_evidence, "best", RATE, best),
    ERT_ROW_EXACT(struct ert_evidence, "n_samples", COUNT, n_samples),
    ROW(NULL, "between_runs", NUMBER, between),
    TEXT("launch", "variant", launch.name, false),
    TEXT("launch", "isa", launch.isa, false),
    ROW("launch", "threads", COUNT, launch.threads),
    ROW("launch", "blocks_per_sm", COUNT, launch.blocks),
    ROW("launch", "blocks", COUNT, blocks),
    ROW("launch", "requested_bytes", SIZE, requested_bytes),
    ERT_ROW(struct ert_evidence, "launch", "flops_per_element", COUNT, flops_per_element,
            LEFT_OUT),
    ERT_ROW(struct ert_evidence, "launch", "trials", SIZE, most_passes, LEFT_OUT),
    ROW(NULL, "clock_hz", NUMBER, clock_hz),
    ROW(NULL, "clock_low_hz", NUMBER, clock_low_hz),
    ROW("sustained", "time_s", NUMBER, sustained_s),
    ROW("sustained", "falls_after_s", NUMBER, falls_after_s),
    ROW("burst", "value", RATE, burst),
    ROW("burst", "low", RATE, burst_low),
    ROW("burst", "high", RATE, burst_high),
    ROW("power", "power_w", NUMBER, power_w),
    ROW("power", "per_joule", NUMBER, per_joule),
    TEXT("power", "source", power_source, false),
    TEXT(NULL, "theory_name", theory_name, false),
    TEXT(NULL, "theory_clock", theory_clock, false),
    TEXT(NULL, "throttle_reasons", throttle_reasons, false),
    TEXT(NULL, "warning", warning, false),
    ROW("runs", "n", COUNT, n_runs),
    ROW("runs", "low", RATE, runs_low),
    ROW("runs", "high", RATE, runs_high),
    TEXT("proof", "code", proof.code.word, false),
    TEXT("proof", "code_text", proof.code.text, false),
    TEXT("proof", "counters", proof.counters.word, false),
    TEXT("proof", "counters_text", proof.counters.text, false),
    TEXT("proof", "profiler", proof.profiler, false),
    ROW("proof", "bytes_ratio", NUMBER, proof.bytes_ratio),
    ROW("proof", "flops_ratio", NUMBER, proof.flops_ratio),
    ROW("proof", "deeper_share", NUMBER, proof.deeper_share),
    ROW("proof", "hit_rate", NUMBER, proof.hit_rate),
};

static const struct ert_field threads_rows[] = {
    ROW("threads", "lockstep", RATE, lockstep),
    ROW("threads", "imbalance", NUMBER, imbalance),
    ROW("threads", "slowest_cpu", COUNT, slowest_cpu),
    ROW("threads", "slowest_share", NUMBER, slowest_share),
};

static const struct ert_field set_rows[] = {
    ROW(NULL, "actual_bytes", SIZE, actual_bytes),
    ERT_ROW_RANGE(struct ert_evidence, "plateau_bytes", RANGE, plateau_bytes[0],
                  plateau_bytes[1]),
    ROW("capacity_bytes", "measured", NUMBER, capacity_measured_bytes),
    ROW("capacity_bytes", "reported", NUMBER, capacity_reported_bytes),
};

static const struct ert_field part_rows[] = {
    ROW(NULL, "actual_bytes", SIZE, actual_bytes), ROW(NULL, "alone", RATE, alone),
    ROW(NULL, "aggregate", RATE, aggregate),       ROW(NULL, "lockstep", RATE, lockstep),
    ROW(NULL, "imbalance", NUMBER, imbalance),
};
#undef ROW
#undef TEXT

/* The rows of a kind besides those of all: of the ceiling, and of its evidence. */
struct kind_rows {
    const struct ert_field *own;
    size_t n_own;
    struct {
        const struct ert_field *rows;
        size_t n;
    } evidence[2];
};

static const struct kind_rows *rows_of(enum ert_ceiling_kind kind)
{
    static const struct kind_rows compute =
                                      {
                                          ERT_ROWS(compute_rows),
                                          {{ERT_ROWS(threads_rows)}}
    },
                                  memory = {ERT_ROWS(memory_rows),
                                            {{ERT_ROWS(threads_rows)},
                                             {ERT_ROWS(set_rows)}}},
                                  other = {ERT_ROWS(other_rows), {{ERT_ROWS(part_rows)}}};
    return kind == ERT_CEILING_COMPUTE  ? &compute
           : kind == ERT_CEILING_MEMORY ? &memory
                                        : &other;
}

const char *const ert_ceiling_kind_words[] = {
    "compute", "memory",     "latency",   "access",  "concurrency", "links",
    "numa",    "core_kinds", "multi_gpu", "network", "collectives", NULL};

static const char *const peak_words[] = {"flop/s", "byte/s", NULL};

static const struct ert_field peak_rows[] = {
    ERT_ROW_WORD(struct ert_peak, "unit", peak_words, unit),
    ERT_ROW_TEXT(struct ert_peak, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_peak, NULL, "clock", clock, false),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "clock_hz", NUMBER, clock_hz),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "per_clock", NUMBER, per_clock),
    ERT_ROW_TEXT(struct ert_peak, NULL, "formula", formula, false),
    ERT_ROW_TEXT(struct ert_peak, NULL, "source", source, false),
    ERT_ROW_TEXT(struct ert_peak, NULL, "unknown", unknown, false),
};
static const struct ert_field peak_value =
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "value", RATE, value);

static const struct ert_field not_measured_rows[] = {
    ERT_ROW_TEXT(struct ert_not_measured, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_not_measured, NULL, "reason", reason, true),
};

static const struct ert_field unattributed_rows[] = {
    ERT_ROW_TEXT(struct ert_unattributed_plateau, NULL, "kernel", kernel, true),
    ERT_ROW_TEXT(struct ert_unattributed_plateau, NULL, "path", path, true),
    ERT_ROW_RANGE(struct ert_unattributed_plateau, "plateau_bytes", RANGE, bytes[0],
                  bytes[1]),
    ERT_ROW_EXACT(struct ert_unattributed_plateau, "rate_bytes_per_s", NUMBER,
                  rate_bytes_per_s),
    ERT_ROW_TEXT(struct ert_unattributed_plateau, NULL, "why", why, false),
};

static const struct ert_field curve_rows[] = {
    ERT_ROW_TEXT(struct ert_curve_point, NULL, "kernel", kernel, true),
    ERT_ROW_TEXT(struct ert_curve_point, NULL, "path", path, true),
    ERT_ROW_TEXT(struct ert_curve_point, NULL, "variant", variant, false),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "flops_per_element", COUNT,
                    flops_per_element),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "actual_bytes", NUMBER, actual_bytes),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "rate_bytes_per_s", NUMBER,
                    rate_bytes_per_s),
    ERT_ROW_UNKNOWN(struct ert_curve_point, NULL, "perf_flop_per_s", NUMBER,
                    perf_flop_per_s),
    ERT_ROW_EXACT(struct ert_curve_point, "n_samples", COUNT, n_samples),
};

/* The lists of a device that are not of ceilings. */
static const struct list {
    const char *key;
    size_t list, count; /* offsets in struct ert_device_ceilings */
    size_t size_bytes;  /* of one element */
    const struct ert_field *rows;
    size_t n_rows;
} lists[] = {
#define LIST(key, member, rows)                                                            \
    {                                                                                      \
        key, offsetof(struct ert_device_ceilings, member),                                 \
            offsetof(struct ert_device_ceilings, n_##member),                              \
            sizeof(*((struct ert_device_ceilings *)0)->member), ERT_ROWS(rows)             \
    }
    LIST("theory", peaks, peak_rows),
    LIST("not_measured", not_measured, not_measured_rows),
    LIST("unattributed", unattributed, unattributed_rows),
    LIST("curve", curve, curve_rows),
#undef LIST
};

const char *const ert_unit_words[] = {"flop/s", "op/s", "inst/s", "byte/s",
                                      "1/s",    "s",    NULL};
static const char *const suffixes[] = {"_flop_per_s",  "_op_per_s", "_inst_per_s",
                                       "_bytes_per_s", "_per_s",    "_s"};

static const char *peak_suffix(const struct ert_peak *peak)
{
    return suffixes[peak->unit == ERT_PEAK_BYTE_PER_S ? ERT_UNIT_BYTE_PER_S
                                                      : ERT_UNIT_FLOP_PER_S];
}

/* "rounds_flop_per_s": [...], "rounds_clock_hz": [...]; left out if there are none. */
static void write_rounds(cJSON *object, const char *suffix, const double *rounds,
                         uint32_t n_rounds)
{
    char key[32];
    snprintf(key, sizeof key, "rounds%s", suffix);
    if (n_rounds > 0)
        cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray(rounds, (int)n_rounds));
}

static enum ert_status read_rounds(struct ert_json at, const char *suffix, double *rounds,
                                   uint32_t *n_rounds, struct ert_error *error)
{
    char key[32];
    struct ert_json array;
    snprintf(key, sizeof key, "rounds%s", suffix);
    if (!ert_json_has(at, key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, key, &array, error));
    size_t n = ert_json_length(array);
    if (n > ERT_MAX_ROUNDS)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %d are read",
                        array.file, array.path, n, ERT_MAX_ROUNDS);
    for (size_t i = 0; i < n; i++) {
        const cJSON *value = ert_json_element(&array, i).node;
        if (!cJSON_IsNumber(value) || !(value->valuedouble > 0) ||
            value->valuedouble > ERT_FIELD_MAX)
            return ert_fail(error, ERT_USAGE,
                            "%s: %s[%zu]: must be a number above 0 up to %g", array.file,
                            array.path, i, ERT_FIELD_MAX);
        rounds[i] = value->valuedouble;
    }
    *n_rounds = (uint32_t)n;
    return ERT_OK;
}

static const char clock_suffix[] = "_clock_hz";

static enum ert_status read_all_rounds(struct ert_json at, const char *suffix,
                                       struct ert_evidence *evidence,
                                       struct ert_error *error)
{
    uint32_t n_clocks = 0;
    ERT_TRY(read_rounds(at, suffix, evidence->rounds, &evidence->n_rounds, error));
    ERT_TRY(read_rounds(at, clock_suffix, evidence->rounds_clock_hz, &n_clocks, error));
    if (n_clocks != 0 && n_clocks != evidence->n_rounds)
        return ert_fail(
            error, ERT_USAGE,
            "%s: %s.rounds_clock_hz: %u elements, must be as many as rounds: %u", at.file,
            at.path, n_clocks, evidence->n_rounds);
    return ERT_OK;
}

static void write_ceiling(cJSON *object, const struct ert_ceiling *ceiling)
{
    const struct kind_rows *rows = rows_of(ceiling->kind);
    const struct ert_evidence *evidence = ceiling->evidence;
    const char *suffix = suffixes[ceiling->unit];
    if (ceiling->kind > ERT_CEILING_MEMORY)
        cJSON_AddStringToObject(object, "unit", ert_unit_words[ceiling->unit]);
    ert_fields_write(object, ERT_ROWS(ceiling_rows), suffix, ceiling);
    ert_fields_write(object, rows->own, rows->n_own, suffix, ceiling);
    write_rounds(object, suffix, evidence->rounds, evidence->n_rounds);
    write_rounds(object, clock_suffix, evidence->rounds_clock_hz,
                 evidence->rounds_clock_hz[0] > 0 ? evidence->n_rounds : 0);
    ert_fields_write(object, ERT_ROWS(evidence_rows), suffix, evidence);
    for (size_t i = 0; i < ERT_LENGTH(rows->evidence); i++)
        ert_fields_write(object, rows->evidence[i].rows, rows->evidence[i].n, suffix,
                         evidence);
}

cJSON *ert_peaks_to_json(const struct ert_peak *peaks, size_t n)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++) {
        cJSON *object = ert_json_add_object(array);
        ert_fields_write(object, ERT_ROWS(peak_rows), "", &peaks[i]);
        ert_fields_write(object, &peak_value, 1, peak_suffix(&peaks[i]), &peaks[i]);
    }
    return array;
}

static void ceilings_write_list(cJSON *device, const struct list *list,
                                const struct ert_device_ceilings *from)
{
    const char *base = (const char *)from;
    const size_t n = *(const size_t *)(const void *)(base + list->count);
    if (list == &lists[0])
        cJSON_AddItemToObject(device, list->key, ert_peaks_to_json(from->peaks, n));
    else
        ert_fields_write_list(device, list->key, list->rows, list->n_rows,
                              *(void *const *)(const void *)(base + list->list),
                              list->size_bytes, n);
}

static void ceilings_write_device(cJSON *object, const struct ert_ceilings *ceilings,
                                  size_t index)
{
    const struct ert_device_ceilings *from = &ceilings->devices[index];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    const char *kind = device && device->kind == ERT_DEVICE_GPU ? "gpu" : "cpu";
    ert_fields_write(object, ERT_ROWS(device_rows), "", from);
    cJSON_AddStringToObject(object, "kind", kind);
    cJSON_AddStringToObject(object, "name", device ? device->name : "");
    for (int k = 0; k < ERT_N_CEILING_KINDS; k++) {
        const struct ert_ceiling_span of = ert_ceilings_of(from, (enum ert_ceiling_kind)k);
        cJSON *list = cJSON_AddArrayToObject(object, ert_ceiling_kind_words[k]);
        for (size_t i = 0; i < of.n; i++)
            write_ceiling(ert_json_add_object(list), &of.at[i]);
    }
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ceilings_write_list(object, &lists[i], from);
}

/* NULL without memory. */
static cJSON *ceilings_to_json(const struct ert_ceilings *ceilings)
{
    char schema[32];
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    snprintf(schema, sizeof schema, "%s%d", schema_name, SCHEMA_MAJOR);
    cJSON_AddStringToObject(root, "schema", schema);
    ert_fields_write(root, ERT_ROWS(tool_rows), "", &ceilings->machine->provenance);
    ert_fields_write(root, ERT_ROWS(file_rows), "", ceilings);
    if (*ceilings->mode_data)
        cJSON_AddItemToObject(root, "mode_data", cJSON_Parse(ceilings->mode_data));
    cJSON_AddStringToObject(root, "value_of", ERT_CEILING_VALUE);
    cJSON_AddStringToObject(root, "interval_of", INTERVAL_OF);
    cJSON_AddItemToObject(root, "machine", ert_machine_to_json(ceilings->machine));
    cJSON *devices = cJSON_AddArrayToObject(root, "devices");
    for (size_t i = 0; i < ceilings->n_devices; i++)
        ceilings_write_device(ert_json_add_object(devices), ceilings, i);
    if (errno != ENOMEM)
        return root;
    cJSON_Delete(root);
    return NULL;
}

/* "ert-ceilings/2" and "ert-ceilings/2.4" are read; a newer major version is refused by name. */
static enum ert_status ceilings_check_schema(struct ert_json root, struct ert_error *error)
{
    const char *schema;
    char *end;
    ERT_TRY(ert_json_string(root, "schema", &schema, error));
    size_t length = strlen(schema_name);
    long major =
        strncmp(schema, schema_name, length) ? 0 : strtol(schema + length, &end, 10);
    if (major > SCHEMA_MAJOR)
        return ert_fail(error, ERT_USAGE,
                        "%s: schema '%s' is newer than this program, which reads %s%d",
                        root.file, schema, schema_name, SCHEMA_MAJOR);
    if (major != SCHEMA_MAJOR || (*end != '\0' && *end != '.'))
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

/* Above what writing and reading a number with six digits may change. */
static const double agreement = 1e-3;

static bool is_between(double value, double low, double high)
{
    return value >= low * (1 - agreement) && value <= high * (1 + agreement);
}

enum ert_status ert_ceiling_check(const struct ert_ceiling *ceiling, const char *file,
                                  const char *path, struct ert_error *error)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    if (evidence->most_passes > 0)
        return ERT_OK; /* the mean of a level's sets, of which the interval is one's */
    const struct ert_burst burst = ert_ceiling_burst(ceiling);
    const double of_theory = ceiling->fraction_of_theory * ceiling->theory;
    const double value = ceiling->value;
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < evidence->n_rounds; i++) {
        least = fmin(least, evidence->rounds[i]);
        most = fmax(most, evidence->rounds[i]);
    }
    const struct {
        const char *what, *of;
        double value, low, high;
        bool is_known;
    } rows[] = {
        {"value",              "its interval", value,       ceiling->low, ceiling->high, 1            },
        {"burst",              "its interval", burst.value, burst.low,    burst.high,    1            },
        {"burst",              "its rounds",   burst.value, least,        most,          most > 0     },
        {"fraction of theory", "the value",    of_theory,   value,        value,         of_theory > 0},
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        if (rows[i].is_known && !is_between(rows[i].value, rows[i].low, rows[i].high))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: %s is %.6g, outside %s: %.6g to %.6g", file,
                            path, ceiling->name, rows[i].what, rows[i].value, rows[i].of,
                            rows[i].low, rows[i].high);
    return ERT_OK;
}

static enum ert_status read_ceiling(struct ert_json at, struct ert_ceiling *ceiling,
                                    struct ert_error *error)
{
    static const struct ert_field unit_row =
        ERT_ROW_WORD(struct ert_ceiling, "unit", ert_unit_words, unit);
    const struct kind_rows *rows = rows_of(ceiling->kind);
    ERT_TRY(ert_fields_read(at, rows->own, rows->n_own, "", ceiling, error));
    ceiling->unit = ceiling->kind == ERT_CEILING_COMPUTE
                        ? ert_unit_of_type(ceiling->key.type)
                        : ERT_UNIT_BYTE_PER_S;
    if (ceiling->kind > ERT_CEILING_MEMORY)
        ERT_TRY(ert_fields_read(at, &unit_row, 1, "", ceiling, error));
    const char *suffix = suffixes[ceiling->unit];
    ERT_TRY(ert_fields_read(at, ERT_ROWS(ceiling_rows), suffix, ceiling, error));
    ERT_TRY(ert_fields_read(at, ERT_ROWS(evidence_rows), suffix, ceiling->evidence, error));
    for (size_t i = 0; i < ERT_LENGTH(rows->evidence); i++)
        ERT_TRY(ert_fields_read(at, rows->evidence[i].rows, rows->evidence[i].n, suffix,
                                ceiling->evidence, error));
    ERT_TRY(check_launch(at, ceiling, error));
    ERT_TRY(read_all_rounds(at, suffix, ceiling->evidence, error));
    return ert_ceiling_check(ceiling, at.file, at.path, error);
}

static enum ert_status read_kind(struct ert_json at, enum ert_ceiling_kind kind,
                                 struct ert_device_ceilings *to, struct ert_error *error)
{
    struct ert_json array;
    if (kind > ERT_CEILING_MEMORY && !ert_json_has(at, ert_ceiling_kind_words[kind]))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, ert_ceiling_kind_words[kind], &array, error));
    size_t n = ert_json_length(array);
    for (size_t i = 0; i < n; i++) {
        struct ert_ceiling *ceiling = ert_ceiling_add(to, kind);
        if (!ceiling)
            return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu ceilings",
                            at.file, to->n);
        ERT_TRY(read_ceiling(ert_json_element(&array, i), ceiling, error));
    }
    return ERT_OK;
}

static enum ert_status ceilings_read_list(struct ert_json at, const struct list *list,
                                          struct ert_device_ceilings *to,
                                          struct ert_error *error)
{
    struct ert_json array;
    if (!ert_json_has(at, list->key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, list->key, &array, error));
    size_t n = ert_json_length(array);
    char *elements = ert_calloc(n ? n : 1, list->size_bytes);
    *(void **)(void *)((char *)to + list->list) = elements;
    if (!elements)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu of %s", at.file, n,
                        list->key);
    for (size_t i = 0; i < n; i++) {
        struct ert_json element = ert_json_element(&array, i);
        ERT_TRY(ert_fields_read(element, list->rows, list->n_rows, "",
                                elements + i * list->size_bytes, error));
        if (list == &lists[0])
            ERT_TRY(ert_fields_read(element, &peak_value, 1, peak_suffix(&to->peaks[i]),
                                    &to->peaks[i], error));
    }
    *(size_t *)(void *)((char *)to + list->count) = n;
    return ERT_OK;
}

/*
 * Whether the levels and ends that a ceiling names are the machine's: `verify` and `validate` measure what
 * they say. A file may have a device without levels, from figures that somebody published; labels of ERT's
 * mode are not levels.
 */
static enum ert_status ceilings_check_place(const struct ert_ceilings *ceilings,
                                            const struct ert_device *device,
                                            const struct ert_ceiling *ceiling,
                                            const char *file, struct ert_error *error)
{
    const enum ert_ceiling_kind kind = ceiling->kind;
    const char *const level = ceiling->key.level, *const name = ceiling->name,
                      *const ends[] = {ceiling->key.from, ceiling->key.to};
    const size_t n = strlen(level);
    const bool is_memory = kind == ERT_CEILING_MEMORY,
               needs_level = kind == ERT_CEILING_LATENCY || kind == ERT_CEILING_ACCESS;
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
static enum ert_status ceilings_read_device(struct ert_json at,
                                            const struct ert_ceilings *ceilings,
                                            size_t index, struct ert_error *error)
{
    struct ert_device_ceilings *to = &ceilings->devices[index];
    ERT_TRY(ert_fields_read(at, ERT_ROWS(device_rows), "", to, error));
    const struct ert_device *device = ert_machine_device(ceilings->machine, to->device);
    if (!device)
        return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' is no device of the machine",
                        at.file, at.path, to->device);
    for (size_t i = 0; i < index; i++)
        if (strcmp(ceilings->devices[i].device, to->device) == 0)
            return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' appears twice", at.file,
                            at.path, to->device);
    for (int kind = 0; kind < ERT_N_CEILING_KINDS; kind++)
        ERT_TRY(read_kind(at, (enum ert_ceiling_kind)kind, to, error));
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ERT_TRY(ceilings_read_list(at, &lists[i], to, error));
    for (size_t i = 0; i < to->n; i++)
        ERT_TRY(ceilings_check_place(ceilings, device, &to->ceilings[i], at.file, error));
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
            status = ert_fail(error, ERT_USAGE,
                              "%s: %s.memory[%zu].roof: %s, but %.31s is %sthe fastest of "
                              "%.15s",
                              at.file, at.path, i, was_roof[i] ? "true" : "false",
                              memory.at[i].name, was_roof[i] ? "not " : "",
                              memory.at[i].key.level);
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

static enum ert_status read_root(struct ert_json root, struct ert_ceilings *to,
                                 struct ert_error *error)
{
    struct ert_json machine, devices;
    ERT_TRY(ceilings_check_schema(root, error));
    ERT_TRY(ert_fields_read(root, ERT_ROWS(file_rows), "", to, error));
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
        ERT_TRY(ceilings_read_device(device, to, i, error));
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
    enum ert_status status = read_root(ert_json_root(root, file), &read, error);
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
    cJSON *root = ceilings_to_json(ceilings);
    if (!root)
        return ert_fail(error, ERT_FAILED, "%s: not written: out of memory", file);
    enum ert_status status = ert_json_write(file, root, error);
    cJSON_Delete(root);
    return status;
}

enum ert_status ert_ceilings_print(FILE *out, const struct ert_ceilings *ceilings,
                                   struct ert_error *error)
{
    cJSON *root = ceilings_to_json(ceilings);
    enum ert_status status = root ? ert_json_print(out, root, error)
                                  : ert_fail(error, ERT_FAILED, "out of memory");
    cJSON_Delete(root);
    return status;
}

void ert_ceilings_free(struct ert_ceilings *ceilings)
{
    if (!ceilings)
        return;
    for (size_t i = 0; ceilings->devices && i < ceilings->n_devices; i++)
        ert_device_ceilings_free(&ceilings->devices[i]);
    free(ceilings->devices);
    free(ceilings->machine);
    memset(ceilings, 0, sizeof *ceilings);
}

void ert_device_ceilings_free(struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n; i++)
        free(device->ceilings[i].evidence);
    free(device->ceilings);
    free(device->peaks);
    free(device->not_measured);
    free(device->unattributed);
    free(device->curve);
    memset(device, 0, sizeof *device);
}

/* The ceilings of the kinds from `first` on, before those of `end`. */
static struct ert_ceiling_span span_of(const struct ert_device_ceilings *device, int first,
                                       int end)
{
    size_t from = 0, to;
    while (from < device->n && (int)device->ceilings[from].kind < first)
        from++;
    for (to = from; to < device->n && (int)device->ceilings[to].kind < end;)
        to++;
    return (struct ert_ceiling_span){device->ceilings + from, to - from};
}

struct ert_ceiling_span ert_ceilings_of(const struct ert_device_ceilings *device,
                                        enum ert_ceiling_kind kind)
{
    return span_of(device, (int)kind, (int)kind + 1);
}

struct ert_ceiling_span ert_ceilings_main(const struct ert_device_ceilings *device)
{
    return span_of(device, 0, ERT_CEILING_MEMORY + 1);
}

struct ert_ceiling *ert_ceiling_add(struct ert_device_ceilings *device,
                                    enum ert_ceiling_kind kind)
{
    struct ert_evidence *evidence = ert_calloc(1, sizeof *evidence);
    if (evidence && device->n == device->capacity) {
        const size_t capacity = device->capacity ? 2 * device->capacity : 64;
        struct ert_ceiling *grown = ert_calloc(capacity, sizeof *grown);
        if (grown) {
            if (device->n)
                memcpy(grown, device->ceilings, device->n * sizeof *grown);
            free(device->ceilings);
            device->ceilings = grown;
            device->capacity = capacity;
        }
    }
    if (!evidence || device->n == device->capacity) {
        free(evidence);
        return NULL;
    }
    const struct ert_ceiling_span until = span_of(device, 0, (int)kind + 1);
    struct ert_ceiling *added = device->ceilings + until.n;
    memmove(added + 1, added, (device->n++ - until.n) * sizeof *added);
    memset(added, 0, sizeof *added);
    added->kind = kind;
    added->is_roof = true;
    added->evidence = evidence;
    return added;
}

void ert_ceilings_remove(struct ert_device_ceilings *device, enum ert_ceiling_kind kind)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, kind);
    for (size_t i = 0; i < of.n; i++)
        free(of.at[i].evidence);
    device->n -= of.n;
    if (of.n)
        memmove(of.at, of.at + of.n,
                (size_t)(device->ceilings + device->n - of.at) * sizeof *of.at);
}

struct ert_burst ert_ceiling_burst(const struct ert_ceiling *ceiling)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    if (evidence->burst > 0)
        return (struct ert_burst){evidence->burst, evidence->burst_low,
                                  evidence->burst_high};
    return (struct ert_burst){ceiling->value, ceiling->low, ceiling->high};
}

/* Whether its stores are non-temporal: comparable only with code that uses them. */
static bool is_streaming(const struct ert_ceiling *ceiling)
{
    enum ert_kernel_id kernel;
    return ert_kernel_find(ceiling->kernel, &kernel, NULL) == ERT_OK &&
           ert_kernel_row(kernel)->memory_only;
}

/* Whether a is to be its level's roof rather than b, which comes later in the list. */
static bool is_above(const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    bool a_streams = is_streaming(a), b_streams = is_streaming(b);
    return a_streams == b_streams ? a->value >= b->value : b_streams;
}

void ert_ceilings_mark_roofs(struct ert_device_ceilings *device)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(device, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n; i++) {
        struct ert_ceiling *ceiling = &memory.at[i];
        ceiling->is_roof = ceiling->value > 0;
        for (size_t j = 0; j < i && ceiling->is_roof; j++) {
            struct ert_ceiling *before = &memory.at[j];
            if (!before->is_roof || strcmp(before->key.level, ceiling->key.level) != 0)
                continue;
            ceiling->is_roof = !is_above(before, ceiling);
            before->is_roof = !ceiling->is_roof;
        }
    }
}

const char *ert_confidence_name(enum ert_confidence confidence)
{
    return confidence_names[confidence];
}

enum ert_unit ert_unit_of_type(const char *type)
{
    const char *operation = strncmp(type, "int", 3) == 0 ? "op" : "flop";
    for (int i = 0; i < ERT_N_TYPES; i++)
        if (strcmp(ert_type_name((enum ert_type)i), type) == 0)
            operation = ert_type_operation((enum ert_type)i);
    return *operation == 'o'   ? ERT_UNIT_OP_PER_S
           : *operation == 'i' ? ERT_UNIT_INST_PER_S
                               : ERT_UNIT_FLOP_PER_S;
}
