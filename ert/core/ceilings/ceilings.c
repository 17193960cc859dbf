/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/ceilings.h"

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
enum { SCHEMA_MAJOR = 2, MAX_CURVE = 1 << 20 };

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

static const struct ert_field common_rows[] = {
#define ROW(...)  ERT_ROW_UNKNOWN(struct ert_ceiling, __VA_ARGS__)
#define TEXT(...) ERT_ROW_TEXT(struct ert_ceiling, __VA_ARGS__)
    TEXT(NULL, "name", name, true),
    TEXT(NULL, "kernel", kernel, true),
    ERT_ROW_EXACT(struct ert_ceiling, "value", RATE, value),
    ERT_ROW_RANGE(struct ert_ceiling, "interval", RATE_RANGE, low, high),
    ERT_ROW_EXACT(struct ert_ceiling, "best", RATE, best),
    ERT_ROW_EXACT(struct ert_ceiling, "n_samples", COUNT, n_samples),
    ROW(NULL, "between_runs", NUMBER, between),
    TEXT("launch", "variant", launch.name, false),
    TEXT("launch", "isa", launch.isa, false),
    ROW("launch", "threads", COUNT, launch.threads),
    ROW("launch", "blocks_per_sm", COUNT, launch.blocks),
    ROW("launch", "blocks", COUNT, blocks),
    ROW("launch", "requested_bytes", SIZE, requested_bytes),
    ROW(NULL, "clock_hz", NUMBER, clock_hz),
    ROW(NULL, "clock_low_hz", NUMBER, clock_low_hz),
    ROW("threads", "lockstep", RATE, lockstep),
    ROW("threads", "imbalance", NUMBER, imbalance),
    ROW("threads", "slowest_cpu", COUNT, slowest_cpu),
    ROW("threads", "slowest_share", NUMBER, slowest_share),
    ROW("sustained", "time_s", NUMBER, sustained_s),
    ROW("sustained", "falls_after_s", NUMBER, falls_after_s),
    ROW("burst", "value", RATE, burst),
    ROW("burst", "low", RATE, burst_low),
    ROW("burst", "high", RATE, burst_high),
    ROW("power", "power_w", NUMBER, power_w),
    ROW("power", "per_joule", NUMBER, per_joule),
    TEXT("power", "source", power_source, false),
    ROW(NULL, "theory", RATE, theory),
    TEXT(NULL, "theory_name", theory_name, false),
    TEXT(NULL, "theory_clock", theory_clock, false),
    ROW(NULL, "fraction_of_theory", NUMBER, fraction_of_theory),
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
#undef ROW
#undef TEXT
};

/* Members of every ceiling, after its rounds; the launch has two further rows in ERT's mode. */
static const struct ert_field last_rows[] = {
    ERT_ROW(struct ert_ceiling, "launch", "flops_per_element", COUNT, flops_per_element,
            LEFT_OUT),
    ERT_ROW(struct ert_ceiling, "launch", "trials", SIZE, most_passes, LEFT_OUT),
    ERT_ROW_WORD(struct ert_ceiling, "confidence", confidence_names, confidence),
};

static const struct ert_field compute_rows[] = {
    ERT_ROW_TEXT(struct ert_compute_ceiling, NULL, "type", type, true),
    ERT_ROW_TEXT(struct ert_compute_ceiling, NULL, "op", op, true),
    ERT_ROW_TEXT(struct ert_compute_ceiling, NULL, "unit", unit, false),
    ERT_ROW_FLAG(struct ert_compute_ceiling, NULL, "roof", roof),
};

static const struct ert_field memory_rows[] = {
    ERT_ROW_TEXT(struct ert_memory_ceiling, NULL, "level", level, true),
    ERT_ROW_TEXT(struct ert_memory_ceiling, NULL, "pattern", pattern, true),
    ERT_ROW_EXACT(struct ert_memory_ceiling, "roof", FLAG, roof),
    ERT_ROW_UNKNOWN(struct ert_memory_ceiling, NULL, "actual_bytes", SIZE, actual_bytes),
    ERT_ROW_RANGE(struct ert_memory_ceiling, "plateau_bytes", RANGE, plateau_bytes[0],
                  plateau_bytes[1]),
    ERT_ROW_UNKNOWN(struct ert_memory_ceiling, "capacity_bytes", "measured", NUMBER,
                    capacity_measured_bytes),
    ERT_ROW_UNKNOWN(struct ert_memory_ceiling, "capacity_bytes", "reported", NUMBER,
                    capacity_reported_bytes),
};

static const struct ert_field extra_rows[] = {
    ERT_ROW_TEXT(struct ert_extra, NULL, "of", of, false),
    ERT_ROW_TEXT(struct ert_extra, NULL, "level", level, false),
    ERT_ROW_TEXT(struct ert_extra, NULL, "from", from, false),
    ERT_ROW_TEXT(struct ert_extra, NULL, "to", to, false),
    ERT_ROW_TEXT(struct ert_extra, NULL, "pattern", pattern, false),
    ERT_ROW_TEXT(struct ert_extra, NULL, "axis", axis, false),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "count", COUNT, count),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "ilp", COUNT, ilp),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "access_bytes", U64, access_bytes),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "stride_bytes", COUNT, stride_bytes),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "actual_bytes", SIZE, actual_bytes),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "alone", RATE, alone),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "aggregate", RATE, aggregate),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "lockstep", RATE, lockstep),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "imbalance", NUMBER, imbalance),
};

static const struct ert_field peak_rows[] = {
    ERT_ROW_TEXT(struct ert_peak, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_peak, NULL, "clock", clock, false),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "clock_hz", NUMBER, clock_hz),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "per_clock", NUMBER, per_clock),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "value", RATE, value),
    ERT_ROW_TEXT(struct ert_peak, NULL, "formula", formula, false),
    ERT_ROW_TEXT(struct ert_peak, NULL, "source", source, false),
    ERT_ROW_TEXT(struct ert_peak, NULL, "unknown", unknown, false),
};

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

/* Units of rates and the suffixes of their keys. */
static const struct {
    const char *unit, *suffix;
} units[] = {
    {"flop/s", "_flop_per_s" },
    {"op/s",   "_op_per_s"   },
    {"inst/s", "_inst_per_s" },
    {"byte/s", "_bytes_per_s"},
    {"1/s",    "_per_s"      },
    {"s",      "_s"          },
};

static const char *const peak_words[] = {"flop/s", "byte/s", NULL};
static const char *const extra_words[] = {"flop/s", "op/s", "inst/s", "byte/s",
                                          "1/s",    "s",    NULL};

/* One array inside struct ert_device_ceilings. */
struct list {
    const char *key;
    enum kind { PLAIN, PEAK, COMPUTE, MEMORY, EXTRA } kind;
    size_t list, count; /* offsets of the array and of its size_t length */
    size_t max;         /* elements that fit */
    size_t size_bytes;  /* of one element */
    const struct ert_field *rows;
    size_t n_rows;
};

#define LIST(key, kind, member, max, rows)                                                 \
    {                                                                                      \
        key, kind, offsetof(struct ert_device_ceilings, member),                           \
            offsetof(struct ert_device_ceilings, n_##member), max,                         \
            sizeof(((struct ert_device_ceilings *)0)->member[0]), ERT_ROWS(rows)           \
    }
#define EXTRAS(key, kind) LIST(key, EXTRA, extra[kind], ERT_MAX_EXTRA, extra_rows)
#define EXTRA_LISTS(X)                                                                     \
    X("latency", ERT_EXTRA_LATENCY), X("access", ERT_EXTRA_ACCESS),                        \
        X("concurrency", ERT_EXTRA_CONCURRENCY), X("links", ERT_EXTRA_LINK),               \
        X("numa", ERT_EXTRA_NUMA), X("core_kinds", ERT_EXTRA_CORE_KIND),                   \
        X("multi_gpu", ERT_EXTRA_MULTI_GPU), X("network", ERT_EXTRA_NETWORK),              \
        X("collectives", ERT_EXTRA_COLLECTIVE)

#define WORD(key, kind) [kind] = key
const char *const ert_extra_words[ERT_N_EXTRA_KINDS] = {EXTRA_LISTS(WORD)};

static const struct list lists[] = {
    LIST("theory", PEAK, peaks, ERT_MAX_PEAKS, peak_rows),
    LIST("compute", COMPUTE, compute, ERT_MAX_COMPUTE, compute_rows),
    LIST("memory", MEMORY, memory, ERT_MAX_MEMORY, memory_rows),
    EXTRA_LISTS(EXTRAS),
    LIST("not_measured", PLAIN, not_measured, ERT_MAX_NOT_MEASURED, not_measured_rows),
    LIST("unattributed", PLAIN, unattributed, ERT_MAX_PLATEAUS, unattributed_rows),
};

static bool is_ceiling(const struct list *list)
{
    return list->kind == COMPUTE || list->kind == MEMORY || list->kind == EXTRA;
}

/* The index in units[] of an element's rates; a type's operations are "flop", "op" or "inst". */
static size_t unit_index(const struct list *list, const void *element)
{
    char unit[16] = "byte/s";
    size_t i = 0;
    if (list->kind == COMPUTE)
        snprintf(unit, sizeof unit, "%s/s",
                 ert_operation_of(((const struct ert_compute_ceiling *)element)->type));
    if (list->kind == EXTRA)
        snprintf(unit, sizeof unit, "%s", ((const struct ert_extra *)element)->operation);
    if (list->kind == PEAK)
        snprintf(unit, sizeof unit, "%s",
                 peak_words[((const struct ert_peak *)element)->unit]);
    while (i + 1 < ERT_LENGTH(units) && strcmp(units[i].unit, unit) != 0)
        i++;
    return i;
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
                                       struct ert_ceiling *common, struct ert_error *error)
{
    uint32_t n_clocks = 0;
    ERT_TRY(read_rounds(at, suffix, common->rounds, &common->n_rounds, error));
    ERT_TRY(read_rounds(at, clock_suffix, common->rounds_clock_hz, &n_clocks, error));
    if (n_clocks != 0 && n_clocks != common->n_rounds)
        return ert_fail(
            error, ERT_USAGE,
            "%s: %s.rounds_clock_hz: %u elements, must be as many as rounds: %u", at.file,
            at.path, n_clocks, common->n_rounds);
    return ERT_OK;
}

static void write_element(cJSON *object, const struct list *list, const void *element)
{
    size_t unit = unit_index(list, element);
    const char *suffix = units[unit].suffix;
    const struct ert_ceiling *common = element; /* if it is one */
    if (list->kind == PEAK || list->kind == EXTRA)
        cJSON_AddStringToObject(object, "unit", units[unit].unit);
    if (is_ceiling(list)) {
        ert_fields_write(object, ERT_ROWS(common_rows), suffix, element);
        write_rounds(object, suffix, common->rounds, common->n_rounds);
        write_rounds(object, clock_suffix, common->rounds_clock_hz,
                     common->rounds_clock_hz[0] > 0 ? common->n_rounds : 0);
        ert_fields_write(object, ERT_ROWS(last_rows), suffix, element);
    }
    ert_fields_write(object, list->rows, list->n_rows, suffix, element);
}

cJSON *ert_peaks_to_json(const struct ert_peak *peaks, size_t n)
{
    cJSON *array = cJSON_CreateArray();
    for (size_t i = 0; i < n; i++)
        write_element(ert_json_add_object(array), &lists[0], &peaks[i]); /* "theory" */
    return array;
}

static void ceilings_write_list(cJSON *device, const struct list *list,
                                const struct ert_device_ceilings *from)
{
    size_t n = *(const size_t *)(const void *)((const char *)from + list->count);
    const char *elements = (const char *)from + list->list;
    cJSON *array = cJSON_AddArrayToObject(device, list->key);
    for (size_t i = 0; i < n; i++)
        write_element(ert_json_add_object(array), list, elements + i * list->size_bytes);
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
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ceilings_write_list(object, &lists[i], from);
    ert_fields_write_list(object, "curve", ERT_ROWS(curve_rows), from->curve,
                          sizeof from->curve[0], from->n_curve);
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
static enum ert_status check_launch(struct ert_json at, const struct ert_ceiling *common,
                                    struct ert_error *error)
{
    uint32_t flops = common->flops_per_element, most = 1u << (ERT_N_MIXED_FLOPS - 1);
    const struct {
        const char *key;
        double value, low, high;
    } rows[] = {
        {"threads",         common->launch.threads,  1, common->blocks ? 1024 : 65536},
        {"blocks",          common->blocks,          0, INT32_MAX                    },
        {"trials",          common->most_passes,     1, 0x1p62                       },
        {"requested_bytes", common->requested_bytes, 1, 0x1p62                       },
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
    if (ceiling->most_passes > 0)
        return ERT_OK; /* the mean of a level's sets, of which the interval is one's */
    const struct ert_burst burst = ert_ceiling_burst(ceiling);
    const double of_theory = ceiling->fraction_of_theory * ceiling->theory;
    const double value = ceiling->value;
    double least = INFINITY, most = 0;
    for (uint32_t i = 0; i < ceiling->n_rounds; i++) {
        least = fmin(least, ceiling->rounds[i]);
        most = fmax(most, ceiling->rounds[i]);
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

static enum ert_status read_element(struct ert_json at, const struct list *list,
                                    void *element, struct ert_error *error)
{
    unsigned unit = 0; /* given by the element itself */
    const struct ert_field unit_row = {.key = "unit",
                                       .kind = ERT_FIELD_WORD,
                                       .words =
                                           list->kind == PEAK ? peak_words : extra_words};
    if (list->kind == PEAK || list->kind == EXTRA)
        ERT_TRY(ert_fields_read(at, &unit_row, 1, "", &unit, error));
    if (list->kind == PEAK)
        ((struct ert_peak *)element)->unit = (enum ert_peak_unit)unit;
    if (list->kind == EXTRA)
        snprintf(((struct ert_extra *)element)->operation,
                 sizeof((struct ert_extra *)element)->operation, "%s", extra_words[unit]);
    if (list->kind == COMPUTE)
        ((struct ert_compute_ceiling *)element)->roof = true; /* unless it says otherwise */
    const char *suffix = units[unit_index(list, element)].suffix;
    ERT_TRY(ert_fields_read(at, list->rows, list->n_rows, suffix, element, error));
    if (!is_ceiling(list))
        return ERT_OK;
    suffix = units[unit_index(list, element)].suffix; /* its type is known now */
    ERT_TRY(ert_fields_read(at, ERT_ROWS(common_rows), suffix, element, error));
    ERT_TRY(ert_fields_read(at, ERT_ROWS(last_rows), suffix, element, error));
    ERT_TRY(check_launch(at, element, error));
    ERT_TRY(read_all_rounds(at, suffix, element, error));
    return ert_ceiling_check(element, at.file, at.path, error);
}

static enum ert_status check_length(struct ert_json array, size_t max,
                                    struct ert_error *error)
{
    if (ert_json_length(array) <= max)
        return ERT_OK;
    return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %zu are read",
                    array.file, array.path, ert_json_length(array), max);
}

static enum ert_status ceilings_read_list(struct ert_json at, const struct list *list,
                                          struct ert_device_ceilings *to,
                                          struct ert_error *error)
{
    struct ert_json array;
    if (list->kind != COMPUTE && list->kind != MEMORY && !ert_json_has(at, list->key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, list->key, &array, error));
    ERT_TRY(check_length(array, list->max, error));
    size_t n = ert_json_length(array);
    for (size_t i = 0; i < n; i++)
        ERT_TRY(read_element(ert_json_element(&array, i), list,
                             (char *)to + list->list + i * list->size_bytes, error));
    *(size_t *)(void *)((char *)to + list->count) = n;
    return ERT_OK;
}

static enum ert_status read_curve(struct ert_json at, struct ert_device_ceilings *to,
                                  struct ert_error *error)
{
    struct ert_json array;
    if (!ert_json_has(at, "curve"))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, "curve", &array, error));
    ERT_TRY(check_length(array, MAX_CURVE, error));
    size_t n = ert_json_length(array);
    to->curve = calloc(n ? n : 1, sizeof *to->curve);
    if (!to->curve)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu points", at.file, n);
    uint32_t n_read = 0;
    ERT_TRY(ert_fields_read_list(at, "curve", ERT_ROWS(curve_rows), to->curve,
                                 sizeof to->curve[0], MAX_CURVE, &n_read, error));
    to->n_curve = n_read;
    return ERT_OK;
}

/*
 * Whether the levels and ends that a ceiling names are the machine's: `verify` and `validate` measure what
 * they say. A file may have a device without levels, from figures that somebody published; labels of ERT's
 * mode are not levels.
 */
static enum ert_status ceilings_check_places(const struct ert_ceilings *ceilings,
                                             const struct ert_device_ceilings *of,
                                             const char *file, struct ert_error *error)
{
    const struct ert_device *device = ert_machine_device(ceilings->machine, of->device);
    for (size_t i = 0; i < of->n_memory && device->n_levels && !*ceilings->mode; i++) {
        const char *name = of->memory[i].common.name, *level = of->memory[i].level;
        size_t n = strlen(level);
        if (!ert_device_level(device, level))
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: no level '%.15s' in the device", file,
                            of->device, name, level);
        if (strncmp(name, level, n) != 0 || name[n] != '-')
            return ert_fail(error, ERT_USAGE,
                            "%s: %s: %.31s: level '%.15s' is not that of its name", file,
                            of->device, name, level);
    }
    for (int kind = 0; kind < ERT_N_EXTRA_KINDS; kind++)
        for (size_t i = 0; i < of->n_extra[kind]; i++) {
            const struct ert_extra *extra = &of->extra[kind][i];
            const bool needs_level = kind == ERT_EXTRA_LATENCY || kind == ERT_EXTRA_ACCESS;
            const char *const ends[] = {extra->from, extra->to};
            if ((*extra->level || needs_level) && device->n_levels &&
                !ert_device_level(device, extra->level))
                return ert_fail(error, ERT_USAGE,
                                "%s: %s: %.31s: no level '%.15s' in the device", file,
                                of->device, extra->common.name, extra->level);
            for (size_t end = 0; kind == ERT_EXTRA_LINK && end < ERT_LENGTH(ends); end++)
                if (strcmp(ends[end], "host") != 0 &&
                    !ert_machine_device(ceilings->machine, ends[end]))
                    return ert_fail(error, ERT_USAGE,
                                    "%s: %s: %.31s: no device '%.15s' in the machine", file,
                                    of->device, extra->common.name, ends[end]);
        }
    return ERT_OK;
}

/* Reads the index-th device; those before it have been read. */
static enum ert_status ceilings_read_device(struct ert_json at,
                                            const struct ert_machine *machine,
                                            struct ert_device_ceilings *devices,
                                            size_t index, struct ert_error *error)
{
    struct ert_device_ceilings *to = &devices[index];
    ERT_TRY(ert_fields_read(at, ERT_ROWS(device_rows), "", to, error));
    if (!ert_machine_device(machine, to->device))
        return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' is no device of the machine",
                        at.file, at.path, to->device);
    for (size_t i = 0; i < index; i++)
        if (strcmp(devices[i].device, to->device) == 0)
            return ert_fail(error, ERT_USAGE, "%s: %s.id: '%s' appears twice", at.file,
                            at.path, to->device);
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ERT_TRY(ceilings_read_list(at, &lists[i], to, error));
    return read_curve(at, to, error);
}

/*
 * Marks the roofs of a device. Whether a file has each ceiling once, and as roofs those that its values make
 * roofs; ERT's mode has its own.
 */
static enum ert_status check_roofs(struct ert_json at, bool is_ert_mode,
                                   struct ert_device_ceilings *of, struct ert_error *error)
{
    const size_t n = of->n_compute + of->n_memory;
    bool *was_roof = malloc(of->n_memory + 1);
    if (!was_roof)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", at.file);
    for (size_t i = 0; i < of->n_memory; i++)
        was_roof[i] = of->memory[i].roof;
    ert_ceilings_mark_roofs(of);
    enum ert_status status = ERT_OK;
    for (size_t i = 0; i < of->n_memory && !is_ert_mode && status == ERT_OK; i++)
        if (was_roof[i] != of->memory[i].roof)
            status = ert_fail(error, ERT_USAGE,
                              "%s: %s.memory[%zu].roof: %s, but %.31s is %sthe fastest of "
                              "%.15s",
                              at.file, at.path, i, was_roof[i] ? "true" : "false",
                              of->memory[i].common.name, was_roof[i] ? "not " : "",
                              of->memory[i].level);
    for (size_t i = 0; i < n && !is_ert_mode && status == ERT_OK; i++)
        for (size_t j = 0; j < i && status == ERT_OK; j++) {
            const char *name = ert_ceiling_at(of, i)->name;
            if (strcmp(name, ert_ceiling_at(of, j)->name) == 0)
                status = ert_fail(error, ERT_USAGE, "%s: %s: %.31s appears twice", at.file,
                                  at.path, name);
        }
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
    ERT_TRY(check_length(devices, ERT_MAX_DEVICES, error));
    size_t n = ert_json_length(devices);
    to->machine = calloc(1, sizeof *to->machine);
    to->devices = calloc(n ? n : 1, sizeof *to->devices);
    if (!to->machine || !to->devices)
        return ert_fail(error, ERT_FAILED, "%s: out of memory for %zu devices", root.file,
                        n);
    to->n_devices = n;
    ERT_TRY(ert_machine_from_json(machine, to->machine, error));
    for (size_t i = 0; i < n; i++) {
        struct ert_json device = ert_json_element(&devices, i);
        ERT_TRY(ceilings_read_device(device, to->machine, to->devices, i, error));
        ERT_TRY(ceilings_check_places(to, &to->devices[i], root.file, error));
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
        free(ceilings->devices[i].curve);
    free(ceilings->devices);
    free(ceilings->machine);
    memset(ceilings, 0, sizeof *ceilings);
}

const struct ert_ceiling *ert_ceiling_at(const struct ert_device_ceilings *device, size_t i)
{
    return i < device->n_compute ? &device->compute[i].common
                                 : &device->memory[i - device->n_compute].common;
}

struct ert_burst ert_ceiling_burst(const struct ert_ceiling *ceiling)
{
    if (ceiling->burst > 0)
        return (struct ert_burst){ceiling->burst, ceiling->burst_low, ceiling->burst_high};
    return (struct ert_burst){ceiling->value, ceiling->low, ceiling->high};
}

/* Whether its stores are non-temporal: comparable only with code that uses them. */
static bool is_streaming(const struct ert_memory_ceiling *ceiling)
{
    enum ert_kernel_id kernel;
    return ert_kernel_find(ceiling->common.kernel, &kernel, NULL) == ERT_OK &&
           ert_kernel_row(kernel)->memory_only;
}

/* Whether a is to be its level's roof rather than b, which comes later in the list. */
static bool is_above(const struct ert_memory_ceiling *a, const struct ert_memory_ceiling *b)
{
    bool a_streams = is_streaming(a), b_streams = is_streaming(b);
    return a_streams == b_streams ? a->common.value >= b->common.value : b_streams;
}

void ert_ceilings_mark_roofs(struct ert_device_ceilings *device)
{
    for (size_t i = 0; i < device->n_memory; i++) {
        struct ert_memory_ceiling *ceiling = &device->memory[i];
        ceiling->roof = ceiling->common.value > 0;
        for (size_t j = 0; j < i && ceiling->roof; j++) {
            struct ert_memory_ceiling *before = &device->memory[j];
            if (!before->roof || strcmp(before->level, ceiling->level) != 0)
                continue;
            ceiling->roof = !is_above(before, ceiling);
            before->roof = !ceiling->roof;
        }
    }
}

const char *ert_confidence_name(enum ert_confidence confidence)
{
    return confidence_names[confidence];
}

const char *ert_operation_of(const char *type)
{
    for (int i = 0; i < ERT_N_TYPES; i++)
        if (strcmp(ert_type_name((enum ert_type)i), type) == 0)
            return ert_type_operation((enum ert_type)i);
    return "flop";
}
