#include "ert/ceilings/ceilings_rows.h"

#include "ert/base/fields.h"
#include "ert/ceilings/ceilings_rows_beside.h"

#include <stdio.h>
#include <string.h>

static const struct ert_field common_rows[] = {
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "kernel", kernel, true),
    ERT_ROW_EXACT(struct ert_ceiling, "value", RATE, value),
    ERT_ROW_RANGE(struct ert_ceiling, "interval", RATE_RANGE, low, high),
    ERT_ROW_EXACT(struct ert_ceiling, "best", RATE, best),
    ERT_ROW_EXACT(struct ert_ceiling, "n_samples", COUNT, n_samples),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "between_runs", NUMBER, between),
    ERT_ROW_TEXT(struct ert_ceiling, "launch", "variant", launch.name, false),
    ERT_ROW_TEXT(struct ert_ceiling, "launch", "isa", launch.isa, false),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "launch", "threads", COUNT, launch.threads),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "launch", "blocks_per_sm", COUNT, launch.blocks),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "launch", "blocks", COUNT, blocks),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "launch", "asked_bytes", SIZE, asked_bytes),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "clock_hz", NUMBER, clock_hz),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "clock_low_hz", NUMBER, clock_low_hz),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "threads", "lockstep", RATE, lockstep),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "threads", "imbalance", NUMBER, imbalance),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "threads", "slowest_cpu", COUNT, slowest_cpu),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "threads", "slowest_share", NUMBER, slowest_share),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "sustained", "time_s", NUMBER, sustained_s),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "sustained", "falls_after_s", NUMBER,
                    falls_after_s),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "burst", "value", RATE, burst),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "burst", "low", RATE, burst_low),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "burst", "high", RATE, burst_high),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "power", "power_w", NUMBER, power_w),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "power", "per_joule", NUMBER, per_joule),
    ERT_ROW_TEXT(struct ert_ceiling, "power", "source", power_source, false),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "theory", RATE, theory),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "theory_name", theory_name, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "theory_clock", theory_clock, false),
    ERT_ROW_UNKNOWN(struct ert_ceiling, NULL, "fraction_of_theory", NUMBER,
                    fraction_of_theory),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "held_by", held_by, false),
    ERT_ROW_TEXT(struct ert_ceiling, NULL, "doubt", doubt, false),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "runs", "n", COUNT, n_runs),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "runs", "low", RATE, runs_low),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "runs", "high", RATE, runs_high),
    ERT_ROW_TEXT(struct ert_ceiling, "proof", "code", proof.code, false),
    ERT_ROW_TEXT(struct ert_ceiling, "proof", "code_text", proof.code_text, false),
    ERT_ROW_TEXT(struct ert_ceiling, "proof", "counters", proof.counters, false),
    ERT_ROW_TEXT(struct ert_ceiling, "proof", "counters_text", proof.counters_text, false),
    ERT_ROW_TEXT(struct ert_ceiling, "proof", "profiler", proof.profiler, false),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "proof", "bytes_ratio", NUMBER, proof.bytes_ratio),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "proof", "flops_ratio", NUMBER, proof.flops_ratio),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "proof", "deeper_share", NUMBER,
                    proof.deeper_share),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "proof", "hit_rate", NUMBER, proof.hit_rate),
};

/* Written in ERT's mode only. */
static const struct ert_field ert110_rows[] = {
    ERT_ROW_UNKNOWN(struct ert_ceiling, "launch", "flops_per_element", COUNT,
                    ert110.flops_per_element),
    ERT_ROW_UNKNOWN(struct ert_ceiling, "launch", "trials", SIZE, ert110.trials),
};

static const struct ert_field compute_rows[] = {
    ERT_ROW_TEXT(struct ert_compute_ceiling, NULL, "type", type, true),
    ERT_ROW_TEXT(struct ert_compute_ceiling, NULL, "op", op, true),
    ERT_ROW_TEXT(struct ert_compute_ceiling, NULL, "unit", unit, false),
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
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "access_bytes", COUNT, access_bytes),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "stride_bytes", COUNT, stride_bytes),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "working_set_bytes", SIZE, working_set_bytes),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "alone", RATE, alone),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "aggregate", RATE, aggregate),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "lockstep", RATE, lockstep),
    ERT_ROW_UNKNOWN(struct ert_extra, NULL, "imbalance", NUMBER, imbalance),
};

static const struct ert_field memory_rows[] = {
    ERT_ROW_TEXT(struct ert_memory_ceiling, NULL, "level", level, true),
    ERT_ROW_TEXT(struct ert_memory_ceiling, NULL, "pattern", pattern, true),
    ERT_ROW_EXACT(struct ert_memory_ceiling, "roof", FLAG, roof),
    ERT_ROW_UNKNOWN(struct ert_memory_ceiling, NULL, "working_set_bytes", SIZE,
                    working_set_bytes),
    ERT_ROW_RANGE(struct ert_memory_ceiling, "plateau_bytes", RANGE, plateau_bytes[0],
                  plateau_bytes[1]),
    ERT_ROW_UNKNOWN(struct ert_memory_ceiling, "capacity_bytes", "measured", NUMBER,
                    capacity_measured_bytes),
    ERT_ROW_UNKNOWN(struct ert_memory_ceiling, "capacity_bytes", "reported", NUMBER,
                    capacity_reported_bytes),
};

/* Units of rates and the suffixes of their keys. */
static const struct {
    const char *unit, *suffix;
} operations[] = {
    {"flop/s", ERT_FLOP_RATE},
    {"op/s",   "_op_per_s"  },
    {"inst/s", "_inst_per_s"},
    {"byte/s", ERT_BYTE_RATE},
    {"s",      "_s"         },
};
enum { N_OPERATIONS = sizeof operations / sizeof operations[0] };

/* "rounds_flop_per_s": [...]; left out where there are none. */
static bool write_rounds(cJSON *object, const char *suffix,
                         const struct ert_ceiling *common)
{
    char key[32];
    snprintf(key, sizeof key, "rounds%s", suffix);
    if (common->n_rounds == 0)
        return true;
    cJSON *array = cJSON_CreateDoubleArray(common->rounds, (int)common->n_rounds);
    if (array && cJSON_AddItemToObject(object, key, array))
        return true;
    cJSON_Delete(array);
    return false;
}

static enum ert_status read_rounds(struct ert_json at, const char *suffix,
                                   struct ert_ceiling *common, struct ert_error *error)
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
        const cJSON *value = ert_json_element(array, i).node;
        if (!cJSON_IsNumber(value) || !(value->valuedouble > 0) ||
            value->valuedouble > ERT_FIELD_MAX)
            return ert_fail(error, ERT_USAGE,
                            "%s: %s[%zu]: must be a number above 0 up to %g", array.file,
                            array.path, i, ERT_FIELD_MAX);
        common->rounds[i] = value->valuedouble;
    }
    common->n_rounds = (uint32_t)n;
    return ERT_OK;
}

static bool write_common(cJSON *object, const char *suffix,
                         const struct ert_ceiling *common)
{
    return ert_fields_write(object, ERT_ROWS(common_rows), suffix, common) &&
           write_rounds(object, suffix, common) &&
           (common->ert110.flops_per_element == 0 ||
            ert_fields_write(object, ERT_ROWS(ert110_rows), suffix, common)) &&
           cJSON_AddStringToObject(object, "confidence",
                                   ert_confidence_name(common->confidence));
}

/*
 * A ceiling with a flop count is run again as its launch says (ert110_case.h): what no run can have written
 * is refused here, once for all who do.
 */
static enum ert_status check_launch(struct ert_json at, const struct ert_ceiling *common,
                                    struct ert_error *error)
{
    uint32_t flops = common->ert110.flops_per_element, most = 1u << (ERT_N_MIXED_FLOPS - 1);
    const struct {
        const char *key;
        double value, low, high;
    } rows[] = {
        {"threads",     common->launch.threads, 1, common->blocks ? 1024 : 65536},
        {"blocks",      common->blocks,         0, INT32_MAX                    },
        {"trials",      common->ert110.trials,  1, 0x1p62                       },
        {"asked_bytes", common->asked_bytes,    1, 0x1p62                       },
    };
    if (flops == 0)
        return ERT_OK;
    if ((flops & (flops - 1)) != 0 || flops > most)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.launch.flops_per_element: %u, must be a power of two up to "
                        "%u",
                        at.file, at.path, flops, most);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value < rows[i].low || rows[i].value > rows[i].high)
            return ert_fail(error, ERT_USAGE,
                            "%s: %s.launch.%s: %.12g, must be from %g to %.12g", at.file,
                            at.path, rows[i].key, rows[i].value, rows[i].low, rows[i].high);
    return ERT_OK;
}

static enum ert_status read_common(struct ert_json at, const char *suffix,
                                   struct ert_ceiling *common, struct ert_error *error)
{
    const char *names[3];
    size_t index;
    for (size_t i = 0; i < 3; i++)
        names[i] = ert_confidence_name((enum ert_confidence)i);
    ERT_TRY(ert_fields_read(at, ERT_ROWS(common_rows), suffix, common, error));
    ERT_TRY(ert_fields_read(at, ERT_ROWS(ert110_rows), suffix, common, error));
    ERT_TRY(check_launch(at, common, error));
    ERT_TRY(read_rounds(at, suffix, common, error));
    ERT_TRY(ert_ceilings_read_word(at, "confidence", names, 3, &index, error));
    common->confidence = (enum ert_confidence)index;
    return ERT_OK;
}

/* "_flop_per_s", of integers "_op_per_s", of instructions "_inst_per_s". */
static const char *compute_suffix(const char *type)
{
    for (int i = 0; i < ERT_N_TYPES; i++)
        if (strcmp(ert_type_name((enum ert_type)i), type) == 0)
            for (size_t k = 0; k < N_OPERATIONS; k++)
                if (strncmp(operations[k].unit, ert_type_operation((enum ert_type)i),
                            strlen(ert_type_operation((enum ert_type)i))) == 0)
                    return operations[k].suffix;
    return ERT_FLOP_RATE;
}

static bool write_compute(cJSON *object, const void *element)
{
    const struct ert_compute_ceiling *ceiling = element;
    return write_common(object, compute_suffix(ceiling->type), &ceiling->common) &&
           ert_fields_write(object, ERT_ROWS(compute_rows), ERT_FLOP_RATE, ceiling) &&
           cJSON_AddBoolToObject(object, "roof", ceiling->roof);
}

static enum ert_status read_compute(struct ert_json at, void *element,
                                    struct ert_error *error)
{
    struct ert_compute_ceiling *ceiling = element;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(compute_rows), ERT_FLOP_RATE, ceiling, error));
    ceiling->roof = true; /* files of version 2.0.0 have the best ones only */
    if (ert_json_has(at, "roof"))
        ERT_TRY(ert_json_bool(at, "roof", &ceiling->roof, error));
    return read_common(at, compute_suffix(ceiling->type), &ceiling->common, error);
}

static bool write_memory(cJSON *object, const void *element)
{
    const struct ert_memory_ceiling *ceiling = element;
    return write_common(object, ERT_BYTE_RATE, &ceiling->common) &&
           ert_fields_write(object, ERT_ROWS(memory_rows), ERT_BYTE_RATE, ceiling);
}

static enum ert_status read_memory(struct ert_json at, void *element,
                                   struct ert_error *error)
{
    struct ert_memory_ceiling *ceiling = element;
    ERT_TRY(read_common(at, ERT_BYTE_RATE, &ceiling->common, error));
    return ert_fields_read(at, ERT_ROWS(memory_rows), ERT_BYTE_RATE, ceiling, error);
}

static bool write_extra(cJSON *object, const void *element)
{
    const struct ert_extra *extra = element;
    size_t k = 0;
    while (k + 1 < N_OPERATIONS && strcmp(operations[k].unit, extra->operation) != 0)
        k++;
    return cJSON_AddStringToObject(object, "unit", operations[k].unit) &&
           write_common(object, operations[k].suffix, &extra->common) &&
           ert_fields_write(object, ERT_ROWS(extra_rows), operations[k].suffix, extra);
}

static enum ert_status read_extra(struct ert_json at, void *element,
                                  struct ert_error *error)
{
    struct ert_extra *extra = element;
    const char *units[N_OPERATIONS];
    size_t k;
    for (size_t i = 0; i < N_OPERATIONS; i++)
        units[i] = operations[i].unit;
    ERT_TRY(ert_ceilings_read_word(at, "unit", units, N_OPERATIONS, &k, error));
    snprintf(extra->operation, sizeof extra->operation, "%s", units[k]);
    ERT_TRY(read_common(at, operations[k].suffix, &extra->common, error));
    return ert_fields_read(at, ERT_ROWS(extra_rows), operations[k].suffix, extra, error);
}

#define LIST(key, member, max, required, write, read)                                      \
    {                                                                                      \
        key, offsetof(struct ert_device_ceilings, member),                                 \
            offsetof(struct ert_device_ceilings, n_##member), max,                         \
            sizeof(((struct ert_device_ceilings *)0)->member[0]), required, write, read    \
    }

#define EXTRA(key, kind)                                                                   \
    {                                                                                      \
        key, offsetof(struct ert_device_ceilings, extra[kind]),                            \
            offsetof(struct ert_device_ceilings, n_extra[kind]), ERT_MAX_EXTRA,            \
            sizeof(struct ert_extra), false, write_extra, read_extra                       \
    }

const struct ert_ceilings_list ert_ceilings_lists[ERT_N_CEILINGS_LISTS] = {
    LIST("theory", peaks, ERT_MAX_PEAKS, false, ert_ceilings_write_peak,
         ert_ceilings_read_peak),
    LIST("compute", compute, ERT_MAX_COMPUTE, true, write_compute, read_compute),
    LIST("memory", memory, ERT_MAX_MEMORY, true, write_memory, read_memory),
    EXTRA("latency", ERT_EXTRA_LATENCY),
    EXTRA("access", ERT_EXTRA_ACCESS),
    EXTRA("concurrency", ERT_EXTRA_CONCURRENCY),
    EXTRA("links", ERT_EXTRA_LINK),
    EXTRA("places", ERT_EXTRA_PLACE),
    EXTRA("together", ERT_EXTRA_TOGETHER),
    LIST("absent", absent, ERT_MAX_ABSENT, false, ert_ceilings_write_absent,
         ert_ceilings_read_absent),
    LIST("strays", strays, ERT_MAX_PLATEAUS, false, ert_ceilings_write_stray,
         ert_ceilings_read_stray),
};
