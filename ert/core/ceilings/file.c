/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/ceilings.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"
#include "ert/core/ceilings/series.h"
#include "ert/core/ceilings/traffic.h"
#include "ert/core/machine/machine_json.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char schema_name[] = "ert-ceilings/";
enum { SCHEMA_MAJOR = 3 };

/* Written to the file, so that nobody mistakes the interval for the scatter of single samples. */
static const char interval_of[] =
    "the value of the next run falls into it with 90 % probability: bootstrap of the "
    "estimate over the rounds, and what runs differ by";

static const char *const peak_words[] = {"flop/s", "byte/s", NULL};

/*
 * The rows are the file: its writer, reader and schema. A key MUST be there; or MAY, where 0 is a value; or
 * is there if it is KNOWN, that is neither 0 nor "". Values and rates are in the ceiling's `unit`; other
 * numbers say their unit in the key.
 */
enum { MUST = ERT_ZERO_VALUE, MAY = ERT_ZERO_OPTIONAL, KNOWN = ERT_ZERO_NULL };
#define ROW(type, group_, key_, kind_, member, zero_, about_)                              \
    {                                                                                      \
        .group = (group_), .key = (key_), .kind = ERT_FIELD_##kind_,                       \
        .zero = (enum ert_field_zero)(zero_), .offset = offsetof(struct type, member),     \
        .size = sizeof(((struct type *)0)->member), .about = (about_)                      \
    }
#define WORD(type, key_, words_, member, about_)                                           \
    {                                                                                      \
        .key = (key_), .kind = ERT_FIELD_WORD, .offset = offsetof(struct type, member),    \
        .words = (words_), .about = (about_)                                               \
    }

#define R(...) ROW(ert_ceilings, __VA_ARGS__)
static const struct ert_field file_rows[] = {
    R(NULL, "created", TIME, created, MUST, "when the samples were taken"),
    R(NULL, "status", TEXT, status, MUST,
      "of the run: complete, interrupted, budget, failed"),
    R(NULL, "mode", TEXT, mode, MAY,
      "of measuring: ert-1.1.0 compatible: levels are named and derived as LBNL's ERT "
      "does"),
};
#undef R

/* The tool, for readers that do not need the whole machine. Not read back. */
#define R(...) ROW(ert_provenance, "tool", __VA_ARGS__)
static const struct ert_field tool_rows[] = {
    R("version", TEXT, tool_version, MAY, "of ert"),
    R("git", TEXT, git, MAY, "the commit that it was built from"),
    R("compiler", TEXT, compiler, MAY, "that built it"),
    R("flags", TEXT, flags, MAY, "with which it was built"),
};
#undef R

#define R(...) ROW(ert_device_ceilings, __VA_ARGS__)
static const struct ert_field device_rows[] = {
    R(NULL, "id", TEXT, device, MUST, "a device of the machine: cpu, gpu0"),
    R(NULL, "valid", FLAG, valid, MUST,
      "whether the run's conditions allow to use the values"),
    R(NULL, "warnings", TEXT, warnings, MAY, "why they do not, separated by ;"),
    R(NULL, "held_hz", NUMBER, held_hz, KNOWN,
      "median clock that the compute ceilings held"),
    R(NULL, "between_runs", NUMBER, between, KNOWN,
      "relative standard deviation between runs, from the drift within this one"),
    R("activity", "elapsed_s", NUMBER, activity.elapsed_s, KNOWN,
      "how long it was measured"),
    R("activity", "n_cpus", COUNT, activity.n_cpus, KNOWN,
      "CPUs that the process could use"),
    R("activity", "own_share", NUMBER, activity.own, KNOWN, "of their time: this process"),
    R("activity", "foreign_share", NUMBER, activity.foreign, KNOWN, "other processes"),
    R("activity", "steal_share", NUMBER, activity.steal, KNOWN, "other guests of the host"),
    R("activity", "other_runs", TEXT, activity.other_runs, MAY,
      "other runs of ert on the device at that time"),
};
#undef R

#define R(...)                   ROW(ert_ceiling, __VA_ARGS__)
#define KEY(key_, kind_, about_) R(NULL, #key_, kind_, key.key_, KNOWN, about_)
static const struct ert_field ceiling_rows[] = {
    WORD(ert_ceiling, "kind", ert_ceiling_kind_words, kind, "what it limits"),
    R(NULL, "name", TEXT, name, KNOWN, "fp64-fma, L1-load; a series has none"),
    R(NULL, "value", NUMBER, value, MUST, ERT_CEILING_VALUE),
    WORD(ert_ceiling, "unit", ert_unit_words, unit,
         "of value and of all rates; of s, less is better"),
    R(NULL, "low", NUMBER, low, MUST, "the next run's value lies between low and high"),
    R(NULL, "high", NUMBER, high, MUST, "with 90 % probability"),
    KEY(level, TEXT, "of the device: L1, HBM"),
    KEY(pattern, TEXT, "of reads and writes: load, copy, triad, h2d-pinned"),
    KEY(type, TEXT, "compute: fp64, bf16, int32"),
    KEY(op, TEXT, "compute: fma, add, mma"),
    R(NULL, "execution_unit", TEXT, key.unit, KNOWN, "compute: core, tensor, avx512"),
    KEY(of, TEXT, "the ceiling that was measured so; network, collective: the test"),
    KEY(from, TEXT, "link: host, gpu0; numa: package0; core_kind: the kind"),
    KEY(to, TEXT, "link: gpu1; numa: node1"),
    KEY(axis, TEXT, "concurrency: what count counts, threads or warps-per-sm"),
    KEY(count, COUNT, "on that axis; else how many took part"),
    KEY(ilp, COUNT, "independent operations in flight per thread"),
    KEY(access_bytes, U64, "of one access; network, collective: of a message"),
    KEY(stride_bytes, COUNT, "between accesses"),
    R(NULL, "roof", FLAG, is_roof, MAY,
      "whether it is the best of its level, or of its type and operation"),
    R("theory", "value", NUMBER, theory, KNOWN,
      "theoretical peak at the clock of the samples"),
    R("theory", "fraction", NUMBER, fraction_of_theory, KNOWN,
      "value / theory, never clipped"),
    WORD(ert_ceiling, "confidence", ert_confidence_words, confidence, "in the value"),
    R(NULL, "kernel", TEXT, kernel, KNOWN, "that measured it (ert list)"),
};
#undef KEY
#undef R

#define R(...) ROW(ert_evidence, __VA_ARGS__)
static const struct ert_field evidence_rows[] = {
    R(NULL, "warning", TEXT, warning, KNOWN, "why the confidence is not high"),
    R(NULL, "n_samples", COUNT, n_samples, KNOWN, "behind the value"),
    R(NULL, "best", NUMBER, best, KNOWN, "the fastest sample; never the value"),
    R(NULL, "between_runs", NUMBER, between, KNOWN,
      "relative standard deviation between runs"),
    R("theory", "name", TEXT, theory_name, KNOWN, "of the device's list theory"),
    R("theory", "clock", TEXT, theory_clock, KNOWN, "of the same row"),
    R("launch", "variant", TEXT, launch.name, KNOWN, "of the kernel: the fastest"),
    R("launch", "isa", TEXT, launch.isa, KNOWN, "instruction set"),
    R("launch", "threads", COUNT, launch.threads, KNOWN, "of a GPU: per block"),
    R("launch", "blocks_per_sm", COUNT, launch.blocks, KNOWN, "resident at once"),
    R("launch", "blocks", COUNT, blocks, KNOWN, "launched"),
    R("launch", "requested_bytes", SIZE, requested_bytes, KNOWN,
      "set asked of the backend"),
    R("launch", "flops_per_element", COUNT, flops_per_element, KNOWN, "in ERT's mode"),
    R("launch", "trials", SIZE, most_passes, KNOWN, "in ERT's mode"),
    R(NULL, "actual_bytes", SIZE, actual_bytes, KNOWN, "size of the set that was measured"),
    R("plateau", "first_bytes", NUMBER, plateau_bytes[0], KNOWN,
      "its level's smallest set"),
    R("plateau", "last_bytes", NUMBER, plateau_bytes[1], KNOWN, "its level's largest set"),
    R("capacity", "measured_bytes", NUMBER, capacity_measured_bytes, KNOWN,
      "where the plateau ends"),
    R("capacity", "reported_bytes", NUMBER, capacity_reported_bytes, KNOWN,
      "by the topology, of the whole device"),
    R(NULL, "clock_hz", NUMBER, clock_hz, KNOWN, "held during the samples, median"),
    R(NULL, "clock_low_hz", NUMBER, clock_low_hz, KNOWN,
      "of the slowest tenth of the samples"),
    R(NULL, "throttle_reasons", TEXT, throttle_reasons, KNOWN,
      "as the driver reports them"),
    R("sustained", "time_s", NUMBER, sustained_s, KNOWN, "how long value lasted"),
    R("sustained", "falls_after_s", NUMBER, falls_after_s, KNOWN,
      "when the rate fell below that of short regions"),
    R("burst", "value", NUMBER, burst, KNOWN,
      "rate of short regions, where value is sustained"),
    R("burst", "low", NUMBER, burst_low, KNOWN, "its interval"),
    R("burst", "high", NUMBER, burst_high, KNOWN, "its interval"),
    R("power", "power_w", NUMBER, power_w, KNOWN, "while sustained"),
    R("power", "per_joule", NUMBER, per_joule, KNOWN, "flop or byte per joule"),
    R("power", "source", TEXT, power_source, KNOWN, "of the power"),
    R("lockstep", "value", NUMBER, lockstep, KNOWN,
      "number of threads or devices times the slowest one's rate"),
    R("lockstep", "imbalance", NUMBER, imbalance, KNOWN, "slowest / mean"),
    R("lockstep", "slowest_cpu", COUNT, slowest_cpu, KNOWN, "the slowest most often"),
    R("lockstep", "slowest_share", NUMBER, slowest_share, KNOWN,
      "of the windows in which it was"),
    R(NULL, "alone", NUMBER, alone, KNOWN, "multi_gpu: the device's value alone"),
    R(NULL, "aggregate", NUMBER, aggregate, KNOWN, "multi_gpu: sum of all devices' values"),
    R("runs", "n", COUNT, n_runs, KNOWN, "ert run --repeat: runs behind value"),
    R("runs", "low", NUMBER, runs_low, KNOWN, "least of their values"),
    R("runs", "high", NUMBER, runs_high, KNOWN, "greatest of their values"),
    R("proof", "code", TEXT, proof.code.word, KNOWN,
      "whether the machine code is what the kernel claims: agrees, differs, unavailable"),
    R("proof", "code_text", TEXT, proof.code.text, KNOWN, "what the loop contains"),
    R("proof", "counters", TEXT, proof.counters.word, KNOWN,
      "whether hardware counters agree"),
    R("proof", "counters_text", TEXT, proof.counters.text, KNOWN, "what they counted"),
    R("proof", "profiler", TEXT, proof.profiler, KNOWN, "ncu, perf"),
    R("proof", "bytes_ratio", NUMBER, proof.bytes_ratio, KNOWN, "counted / computed bytes"),
    R("proof", "flops_ratio", NUMBER, proof.flops_ratio, KNOWN,
      "counted / computed operations"),
    R("proof", "deeper_share", NUMBER, proof.deeper_share, KNOWN,
      "of the bytes that reached the next deeper level"),
    R("proof", "hit_rate", NUMBER, proof.hit_rate, KNOWN, "of the ceiling's level"),
};
#undef R

/* Derived from kernel and device; not read back. */
#define R(...) ROW(ert_traffic, "traffic", __VA_ARGS__)
static const struct ert_field traffic_rows[] = {
    R("read_share", NUMBER, reads, MAY, "of the bytes that the code requests"),
    R("moved_per_byte", NUMBER, actual, MAY,
      "bytes that move per byte requested, write-allocates included"),
    R("moved_read_share", NUMBER, actual_reads, MAY, "of the bytes that move"),
    R("streaming", FLAG, is_streaming, MAY, "non-temporal stores"),
};
#undef R

#define R(...) ROW(ert_peak, NULL, __VA_ARGS__)
static const struct ert_field peak_rows[] = {
    R("name", TEXT, name, MUST, "as the ceilings are named, or a memory's level"),
    WORD(ert_peak, "unit", peak_words, unit, "of value"),
    R("value", NUMBER, value, KNOWN, "per_clock * clock_hz"),
    R("clock", TEXT, clock, KNOWN, "base, boost, held, memory"),
    R("clock_hz", NUMBER, clock_hz, KNOWN, "of value"),
    R("per_clock", NUMBER, per_clock, KNOWN, "of the whole device"),
    R("formula", TEXT, formula, KNOWN, "of value"),
    R("source", TEXT, source, KNOWN, "of the formula"),
    R("unknown", TEXT, unknown, KNOWN, "why there is no value"),
};
#undef R

#define R(...) ROW(ert_not_measured, NULL, __VA_ARGS__)
static const struct ert_field not_measured_rows[] = {
    R("name", TEXT, name, MUST, "of the ceiling that is missing"),
    R("reason", TEXT, reason, MUST, "why"),
};
#undef R

#define R(...) ROW(ert_unattributed_plateau, NULL, __VA_ARGS__)
static const struct ert_field unattributed_rows[] = {
    R("kernel", TEXT, kernel, MUST, "whose curve has the plateau"),
    R("path", TEXT, path, MUST, "of its loads: cached, bypass-l1, shared"),
    R("first_bytes", NUMBER, bytes[0], MUST, "its smallest set"),
    R("last_bytes", NUMBER, bytes[1], MUST, "its largest set"),
    R("rate_bytes_per_s", NUMBER, rate_bytes_per_s, MUST, "on it"),
    R("why", TEXT, why, KNOWN, "no level has it"),
};
#undef R

/* Lists of a device: as elements, or folded into series (series.h) of those that agree in `fold`. */
static const struct list {
    const char *key, *about;
    size_t list, count; /* offsets in struct ert_device_ceilings */
    size_t size_bytes;  /* of one element */
    const struct ert_field *rows;
    size_t n_rows;
    const char *fold; /* NULL: not folded */
} lists[] = {
#define LIST(key, member, rows, fold, about)                                               \
    {                                                                                      \
        key, about, offsetof(struct ert_device_ceilings, member),                          \
            offsetof(struct ert_device_ceilings, n_##member),                              \
            sizeof(*((struct ert_device_ceilings *)0)->member), ERT_ROWS(rows), fold       \
    }
    LIST("theory", peaks, peak_rows, "name", "theoretical peaks, a series over the clocks"),
    LIST("not_measured", not_measured, not_measured_rows, NULL,
         "ceilings that are missing"),
    LIST("unattributed", unattributed, unattributed_rows, NULL,
         "plateaus that no level explains"),
#undef LIST
};

/* Which ceilings are folded, as they have hundreds of points. */
static bool is_series(enum ert_ceiling_kind kind)
{
    return kind == ERT_CEILING_ACCESS || kind == ERT_CEILING_CONCURRENCY;
}

static bool are_of_one_series(const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    return a->kind == b->kind && strcmp(a->key.of, b->key.of) == 0 &&
           strcmp(a->key.level, b->key.level) == 0;
}

static void file_write_numbers(cJSON *object, const char *key, const double *values,
                               uint32_t n)
{
    cJSON_AddItemToObject(object, key, cJSON_CreateDoubleArray(values, (int)n));
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
    file_write_numbers(object, "rounds", evidence->rounds, evidence->n_rounds);
    file_write_numbers(object, "rounds_clock_hz", evidence->rounds_clock_hz,
                       evidence->rounds_clock_hz[0] > 0 ? evidence->n_rounds : 0);
}

/* Seven digits exceed the precision of any rate or clock; sizes in bytes are exact. */
static double file_shorten(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", value);
    return strtod(text, NULL);
}

/* NULL without memory, as below; errno says it at the end. */
static void file_shorten_all(cJSON *object)
{
    for (cJSON *child = object ? object->child : NULL; child; child = child->next) {
        const size_t n = child->string ? strlen(child->string) : 0;
        if (n >= 5 && strcmp(child->string + n - 5, "bytes") == 0)
            continue;
        if (cJSON_IsNumber(child))
            cJSON_SetNumberHelper(child, file_shorten(child->valuedouble));
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
        ert_series_add(array, objects, *n);
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
    ert_fields_write(root, ERT_ROWS(tool_rows), &ceilings->machine->provenance);
    ert_fields_write(root, ERT_ROWS(file_rows), ceilings);
    if (*ceilings->mode_data)
        cJSON_AddItemToObject(root, "mode_data", cJSON_Parse(ceilings->mode_data));
    cJSON_AddStringToObject(root, "value_of", ERT_CEILING_VALUE);
    cJSON_AddStringToObject(root, "interval_of", interval_of);
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

/* "ert-ceilings/3" and "ert-ceilings/3.4" are read; another major version is refused by name. */
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
    if (major < SCHEMA_MAJOR || (*end != '\0' && *end != '.'))
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

static enum ert_status file_read_rounds(struct ert_json at, const char *key, double *rounds,
                                        uint32_t *n_rounds, struct ert_error *error)
{
    struct ert_json array;
    *n_rounds = 0;
    if (!ert_json_has(at, key))
        return ERT_OK;
    ERT_TRY(ert_json_array(at, key, &array, error));
    size_t n = ert_json_length(array);
    if (n > ERT_MAX_ROUNDS)
        return ert_fail(error, ERT_USAGE, "%s: %s: %zu elements, at most %d are read",
                        array.file, array.path, n, ERT_MAX_ROUNDS);
    for (size_t i = 0; i < n; i++)
        ERT_TRY(ert_json_as_double(ert_json_element(&array, i), 1e-24, ERT_FIELD_MAX,
                                   &rounds[i], error));
    *n_rounds = (uint32_t)n;
    return ERT_OK;
}

/* What a kind's ceilings must have, besides what all must. */
static const struct {
    enum ert_ceiling_kind kind;
    const char *key;
} needed[] = {
    {ERT_CEILING_COMPUTE,     "type"   },
    {ERT_CEILING_COMPUTE,     "op"     },
    {ERT_CEILING_COMPUTE,     "roof"   },
    {ERT_CEILING_COMPUTE,     "kernel" },
    {ERT_CEILING_MEMORY,      "level"  },
    {ERT_CEILING_MEMORY,      "pattern"},
    {ERT_CEILING_MEMORY,      "roof"   },
    {ERT_CEILING_MEMORY,      "kernel" },
    {ERT_CEILING_LATENCY,     "level"  },
    {ERT_CEILING_ACCESS,      "level"  },
    {ERT_CEILING_CONCURRENCY, "of"     },
    {ERT_CEILING_LINK,        "from"   },
    {ERT_CEILING_LINK,        "to"     },
};

static enum ert_status file_read_ceiling(struct ert_json at, struct ert_ceiling *ceiling,
                                         struct ert_error *error)
{
    struct ert_evidence *evidence = ceiling->evidence;
    uint32_t n_clocks;
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
    ERT_TRY(file_read_rounds(at, "rounds", evidence->rounds, &evidence->n_rounds, error));
    ERT_TRY(file_read_rounds(at, "rounds_clock_hz", evidence->rounds_clock_hz, &n_clocks,
                             error));
    if (n_clocks != 0 && n_clocks != evidence->n_rounds)
        return ert_fail(
            error, ERT_USAGE,
            "%s: %s.rounds_clock_hz: %u elements, must be as many as rounds: %u", at.file,
            at.path, n_clocks, evidence->n_rounds);
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
    return file_read_ceiling(at, ceiling, error);
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
        ERT_TRY(ert_series_length(object, &n, error));
        for (size_t j = 0; j < n; j++) {
            cJSON *node = ert_series_at(object.node, j);
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

enum ert_status ert_ceilings_print(FILE *out, const struct ert_ceilings *ceilings,
                                   struct ert_error *error)
{
    cJSON *root = file_to_json(ceilings);
    enum ert_status status = root ? ert_json_print(out, root, error)
                                  : ert_fail(error, ERT_FAILED, "out of memory");
    cJSON_Delete(root);
    return status;
}

/* ---- the schema ---- */

/* What groups of keys are about. */
static const struct {
    const char *group, *about;
} groups[] = {
    {"tool",      "the program that measured"                                         },
    {"activity",  "who used the host's CPUs while the device was measured"            },
    {"theory",    "the theoretical peak that the value is compared with"              },
    {"launch",    "the configuration that won"                                        },
    {"plateau",   "the sets on whose plateau the value lies"                          },
    {"capacity",  "of the level"                                                      },
    {"sustained", "of a value that was measured over a longer time"                   },
    {"burst",     "the rate of short regions"                                         },
    {"power",     "while the value was sustained"                                     },
    {"lockstep",  "what code that waits for the slowest thread or device attains"     },
    {"runs",      "of a value that is the median of several runs"                     },
    {"proof",     "what ert validate found"                                           },
    {"traffic",   "the bytes that the pattern moves, by ert's rule of write-allocates"},
};

static cJSON *schema_type(const struct ert_field *row)
{
    cJSON *type = cJSON_CreateObject();
    const bool is_whole = row->kind == ERT_FIELD_COUNT || row->kind == ERT_FIELD_U64,
               is_text = row->kind == ERT_FIELD_TEXT || row->kind == ERT_FIELD_TIME;
    if (row->kind == ERT_FIELD_WORD) {
        cJSON *words = cJSON_AddArrayToObject(type, "enum");
        for (const char *const *word = row->words; *word; word++)
            cJSON_AddItemToArray(words, cJSON_CreateString(*word));
        return type;
    }
    cJSON_AddStringToObject(type, "type",
                            is_text                       ? "string"
                            : row->kind == ERT_FIELD_FLAG ? "boolean"
                            : is_whole                    ? "integer"
                                                          : "number");
    if (!is_text && row->kind != ERT_FIELD_FLAG)
        cJSON_AddNumberToObject(type, "minimum", 0);
    return type;
}

/* {"type": "object", "description": ..., "properties": {}, "required": []}; returns the properties. */
static cJSON *schema_object(cJSON *schema, const char *about)
{
    cJSON_AddStringToObject(schema, "type", "object");
    cJSON_AddStringToObject(schema, "description", about);
    cJSON *properties = cJSON_AddObjectToObject(schema, "properties");
    cJSON_AddArrayToObject(schema, "required");
    return properties;
}

static void schema_add(cJSON *object, const char *key, const char *about, cJSON *type)
{
    cJSON_AddStringToObject(type, "description", about);
    cJSON_AddItemToObject(cJSON_GetObjectItemCaseSensitive(object, "properties"), key,
                          type);
}

/* Adds the properties of rows; in a series each is a value or an array of values. */
static void schema_add_rows(cJSON *object, const struct ert_field *rows, size_t n,
                            bool is_folded)
{
    for (size_t i = 0; i < n; i++) {
        cJSON *to = object, *type = schema_type(&rows[i]);
        cJSON *properties = cJSON_GetObjectItemCaseSensitive(object, "properties");
        if (rows[i].group) {
            size_t g = 0;
            while (g + 1 < ERT_LENGTH(groups) &&
                   strcmp(groups[g].group, rows[i].group) != 0)
                g++;
            to = cJSON_GetObjectItemCaseSensitive(properties, rows[i].group);
            if (!to) {
                to = cJSON_AddObjectToObject(properties, rows[i].group);
                schema_object(to, groups[g].about);
            }
        }
        if (rows[i].zero == ERT_ZERO_VALUE)
            cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(to, "required"),
                                 cJSON_CreateString(rows[i].key));
        if (is_folded) {
            cJSON *either = cJSON_CreateObject(), *array = cJSON_CreateObject(),
                  *kinds = cJSON_AddArrayToObject(either, "anyOf"),
                  *null = cJSON_CreateObject();
            cJSON_AddStringToObject(null, "type", "null");
            cJSON_AddStringToObject(array, "type", "array");
            cJSON *elements =
                cJSON_AddArrayToObject(cJSON_AddObjectToObject(array, "items"), "anyOf");
            cJSON_AddItemToArray(elements, cJSON_Duplicate(type, true));
            cJSON_AddItemToArray(elements, null);
            cJSON_AddItemToArray(kinds, type);
            cJSON_AddItemToArray(kinds, array);
            type = either;
        }
        schema_add(to, rows[i].key, rows[i].about, type);
    }
}

/* Adds an array of objects; returns their schema. */
static cJSON *schema_add_list(cJSON *object, const char *key, const char *about)
{
    cJSON *list = cJSON_CreateObject(), *items = cJSON_AddObjectToObject(list, "items");
    cJSON_AddStringToObject(list, "type", "array");
    schema_object(items, about);
    schema_add(object, key, about, list);
    return items;
}

/* "if" an element is of a kind, "then" what the kind needs is there. */
static void schema_add_needs(cJSON *items)
{
    cJSON *all = cJSON_AddArrayToObject(items, "allOf");
    for (size_t i = 0; i < ERT_LENGTH(needed); i++) {
        cJSON *rule = ert_json_add_object(all);
        cJSON *properties =
            cJSON_AddObjectToObject(cJSON_AddObjectToObject(rule, "if"), "properties");
        cJSON_AddStringToObject(cJSON_AddObjectToObject(properties, "kind"), "const",
                                ert_ceiling_kind_words[needed[i].kind]);
        cJSON *keys =
            cJSON_AddArrayToObject(cJSON_AddObjectToObject(rule, "then"), "required");
        cJSON_AddItemToArray(keys, cJSON_CreateString(needed[i].key));
    }
}

static void schema_add_text(cJSON *object, const char *key, const char *about)
{
    cJSON *type = cJSON_CreateObject();
    cJSON_AddStringToObject(type, "type", "string");
    schema_add(object, key, about, type);
}

static void schema_add_device(cJSON *device)
{
    static const struct ert_field rounds = {.kind = ERT_FIELD_NUMBER};
    static const char *const arrays[][2] = {
        {"rounds",          "values of single rounds, in order; of many an even selection"},
        {"rounds_clock_hz", "the clock during each of them"                               },
    };
    schema_add_text(device, "name", "as the machine names it");
    schema_add_text(device, "kind", "cpu or gpu");
    schema_add_rows(device, ERT_ROWS(device_rows), false);
    cJSON *ceilings = schema_add_list(device, "ceilings", "one measured limit"),
          *series = schema_add_list(device, "series",
                                    "limits over access sizes, strides, threads or warps: "
                                    "what differs between them is an array");
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(device, "required"),
                         cJSON_CreateString("ceilings"));
    for (int folded = 0; folded < 2; folded++) {
        cJSON *items = folded ? series : ceilings;
        schema_add_rows(items, ERT_ROWS(ceiling_rows), folded);
        schema_add_rows(items, ERT_ROWS(evidence_rows), folded);
        schema_add_needs(items);
    }
    schema_add_rows(ceilings, ERT_ROWS(traffic_rows), false);
    cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(ceilings, "required"),
                         cJSON_CreateString("name"));
    for (size_t i = 0; i < ERT_LENGTH(arrays); i++) {
        cJSON *array = cJSON_CreateObject();
        cJSON_AddStringToObject(array, "type", "array");
        cJSON_AddItemToObject(array, "items", schema_type(&rounds));
        schema_add(ceilings, arrays[i][0], arrays[i][1], array);
    }
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        schema_add_rows(schema_add_list(device, lists[i].key, lists[i].about),
                        lists[i].rows, lists[i].n_rows, lists[i].fold);
}

enum ert_status ert_ceilings_schema(FILE *out, struct ert_error *error)
{
    static const char about[] =
        "A machine's measured limits, written by ert and read by roofline. Values and "
        "rates "
        "of a ceiling are in its unit; other numbers say their unit in the key. What is "
        "unknown is absent. Keys that are not described here are allowed.";
    cJSON *root = cJSON_CreateObject(), *schema = cJSON_CreateObject(),
          *machine = cJSON_CreateObject();
    char title[32], pattern[48], id[96];
    snprintf(title, sizeof title, "%s%d", schema_name, SCHEMA_MAJOR);
    snprintf(pattern, sizeof pattern, "^%s(\\.[0-9]+)?$", title);
    snprintf(id, sizeof id, "urn:%.12s:%d", title, SCHEMA_MAJOR); /* urn:ert-ceilings:... */
    cJSON_AddStringToObject(root, "$schema",
                            "https://json-schema.org/draft/2020-12/schema");
    cJSON_AddStringToObject(root, "$id", id);
    cJSON_AddStringToObject(root, "title", title);
    schema_object(root, about);
    cJSON_AddStringToObject(schema, "type", "string");
    cJSON_AddStringToObject(schema, "pattern", pattern);
    schema_add(root, "schema", "the format and its version", schema);
    schema_add_rows(root, ERT_ROWS(tool_rows), false);
    schema_add_rows(root, ERT_ROWS(file_rows), false);
    schema_add_text(root, "value_of", "which estimate the values are");
    schema_add_text(root, "interval_of", "what low and high mean");
    cJSON *mode = cJSON_CreateObject();
    cJSON_AddStringToObject(mode, "type", "object");
    schema_add(root, "mode_data", "what the mode keeps for itself", mode);
    schema_object(machine, "");
    cJSON_DeleteItemFromObjectCaseSensitive(machine, "description");
    schema_add(root, "machine", "what ert found of it, as ert info --json writes it",
               machine);
    schema_add_device(schema_add_list(root, "devices", "a device and its ceilings"));
    static const char *const keys[] = {"schema", "machine", "devices"};
    for (size_t i = 0; i < ERT_LENGTH(keys); i++)
        cJSON_AddItemToArray(cJSON_GetObjectItemCaseSensitive(root, "required"),
                             cJSON_CreateString(keys[i]));
    enum ert_status status = ert_json_print(out, root, error);
    cJSON_Delete(root);
    return status;
}
