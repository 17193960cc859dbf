/* SPDX-License-Identifier: BSD-3-Clause */
/* ceilings: the file format: every field comes back, and what is no ceilings file is refused. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "ert/core/base/json.h"
#include "ert/core/ceilings/ceilings.h"

#include <math.h>
#include <unistd.h>

static char file[] = "/tmp/ert-ceilings-XXXXXX";

static int make_file(void **state)
{
    int descriptor = mkstemp(file);
    return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
    return unlink(file);
}

#define SET(text, words) snprintf(text, sizeof(text), "%s", words)

/* Every member different and not 0, so that a forgotten or mixed-up key shows. */
static void fill_common(struct ert_ceiling *ceiling, double seed)
{
    /* the last of the seven digits that a file has */
    const double step = pow(10, floor(log10(seed)) - 6);
    double next = seed;
    SET(ceiling->name, "L1-load");
    SET(ceiling->kernel, "load");
    ceiling->value = next += step;
    ceiling->low = next += step;
    ceiling->high = next += step;
    ceiling->evidence->best = next += step;
    ceiling->evidence->n_samples = 21;
    ceiling->evidence->n_rounds = 2;
    ceiling->evidence->rounds[0] = 0.98765 * ceiling->value;
    ceiling->evidence->rounds[1] = 1.25 * ceiling->value;
    ceiling->evidence->between = 0.0123;
    SET(ceiling->evidence->launch.name, "132x1024");
    ceiling->evidence->launch.threads = 1024;
    ceiling->evidence->blocks = 264;
    ceiling->evidence->clock_hz = next += step;
    ceiling->evidence->power_w = next += step;
    ceiling->theory = 2 * ceiling->value;
    ceiling->fraction_of_theory = 0.5;
    ceiling->confidence = ERT_CONFIDENCE_MEDIUM;
    SET(ceiling->evidence->warning, "wide & \"quoted\"\\\xc3\xa9");
}

static void fill_memory(struct ert_ceiling *ceiling)
{
    fill_common(ceiling, 1e12);
    SET(ceiling->key.level, "L1");
    SET(ceiling->key.pattern, "load");
    ceiling->is_roof = true;
    ceiling->evidence->actual_bytes = 4096.5;
    ceiling->evidence->capacity_measured_bytes = 48000;
}

static void fill_device(struct ert_device_ceilings *device)
{
    SET(device->device, "gpu0");
    device->n_peaks = device->n_not_measured = device->n_unattributed = 1;
    device->peaks = calloc(1, sizeof *device->peaks);
    device->not_measured = calloc(1, sizeof *device->not_measured);
    device->unattributed = calloc(1, sizeof *device->unattributed);
    assert_true(device->peaks && device->not_measured && device->unattributed);
    struct ert_peak *peak = &device->peaks[0];
    SET(peak->name, "HBM");
    SET(peak->clock, "memory");
    peak->unit = ERT_PEAK_BYTE_PER_S;
    peak->per_clock = 1504;
    peak->value = 4.814e12;
    SET(peak->formula, "2 x 3.201 GHz x 6016 bit / 8");
    SET(peak->source, "driver");
    SET(peak->unknown, "not really");
    struct ert_ceiling *compute = add_ceiling(device, ERT_CEILING_COMPUTE, "");
    fill_common(compute, 33e12);
    SET(compute->name, "fp64-fma");
    SET(compute->key.type, "fp64");
    SET(compute->key.op, "fma");
    SET(compute->key.unit, "core");
    fill_memory(add_ceiling(device, ERT_CEILING_MEMORY, ""));
    SET(device->not_measured[0].name, "L3-load");
    SET(device->not_measured[0].reason, "no plateau");
    struct ert_ceiling *rate = add_ceiling(device, ERT_CEILING_NETWORK, "");
    fill_common(rate, 1e6);
    SET(rate->key.of, "message-rate");
    rate->unit = ERT_UNIT_PER_S;
    SET(rate->key.from, "host");
    SET(rate->key.to, "host");
    rate->key.count = 16;
    rate->key.access_bytes = UINT64_C(4) << 30;
    struct ert_unattributed_plateau *plateau = &device->unattributed[0];
    SET(plateau->kernel, "load");
    SET(plateau->path, "cached");
    plateau->bytes[0] = 1e6;
    plateau->bytes[1] = 2e6;
    plateau->rate_bytes_per_s = 1e11;
    SET(plateau->why, "between L2 and L3");
    device->held_hz = 1.98e9;
    device->valid = true;
    SET(device->warnings, "none");
}

static struct ert_ceilings filled(void)
{
    struct ert_ceilings ceilings = {.n_devices = 1};
    SET(ceilings.created, "2026-11-21T03:10:00Z");
    SET(ceilings.status, "budget");
    ceilings.machine = calloc(1, sizeof *ceilings.machine);
    ceilings.devices = calloc(1, sizeof *ceilings.devices);
    assert_non_null(ceilings.machine);
    assert_non_null(ceilings.devices);
    ceilings.machine->n_devices = 1;
    ceilings.machine->devices[0].kind = ERT_DEVICE_GPU;
    SET(ceilings.machine->devices[0].id, "gpu0");
    SET(ceilings.machine->devices[0].name, "A GPU");
    fill_device(&ceilings.devices[0]);
    return ceilings;
}

/* Both sides start as zeros, so that padding is equal and memcmp sees every member. */
static void every_field_comes_back(void **state)
{
    struct ert_ceilings out = filled(), in = {0};
    struct ert_error error = {0};
    assert_int_equal(ert_ceilings_write(file, &out, &error), ERT_OK);
    if (ert_ceilings_read(file, &in, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(in.created, out.created);
    assert_string_equal(in.status, out.status);
    assert_int_equal(in.n_devices, 1);
    assert_string_equal(in.machine->devices[0].name, "A GPU");
    struct ert_device_ceilings *a = &in.devices[0], *b = &out.devices[0];
    assert_memory_equal(a->peaks, b->peaks, sizeof *a->peaks);
    assert_memory_equal(a->not_measured, b->not_measured, sizeof *a->not_measured);
    assert_memory_equal(a->unattributed, b->unattributed, sizeof *a->unattributed);
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        struct ert_ceiling *const read = &a->ceilings[i], *const written = &b->ceilings[i];
        assert_memory_equal(read->evidence, written->evidence, sizeof *read->evidence);
        free(read->evidence);
        read->evidence = written->evidence;
        assert_memory_equal(read, written, sizeof *read);
        read->evidence = NULL;
    }
    struct ert_device_ceilings c = *a;
    c.ceilings = b->ceilings;
    c.peaks = b->peaks;
    c.not_measured = b->not_measured;
    c.unattributed = b->unattributed;
    assert_memory_equal(&c, b, sizeof c);
    ert_ceilings_free(&in);
    ert_ceilings_free(&out);
}

static void planted_machines_come_back(void **state)
{
    for (int which = 0; which < PLANTED_COUNT; which++) {
        struct ert_ceilings out = planted_make((enum planted)which), in = {0};
        struct ert_error error = {0};
        assert_int_equal(ert_ceilings_write(file, &out, &error), ERT_OK);
        if (ert_ceilings_read(file, &in, &error) != ERT_OK)
            fail_msg("%s: %s", planted_names[which], error.text);
        assert_int_equal(in.n_devices, out.n_devices);
        for (size_t i = 0; i < in.n_devices; i++) {
            assert_int_equal(n_ceilings(&in.devices[i], ERT_CEILING_MEMORY),
                             n_ceilings(&out.devices[i], ERT_CEILING_MEMORY));
            for (size_t j = 0; j < n_ceilings(&in.devices[i], ERT_CEILING_MEMORY); j++)
                assert_true(memory_at(&in.devices[i], j)->value ==
                            memory_at(&out.devices[i], j)->value);
        }
        ert_ceilings_free(&in);
        ert_ceilings_free(&out);
    }
}

static void keys_carry_their_unit(void **state)
{
    struct ert_ceilings out = filled();
    cJSON *root = NULL;
    assert_int_equal(ert_ceilings_write(file, &out, NULL), ERT_OK);
    assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
    char *text = cJSON_PrintUnformatted(root);
    static const char *const keys[] = {
        "\"schema\":\"ert-ceilings/4\"",
        "\"value\":",
        "\"unit\":\"flop/s\"",
        "\"unit\":\"byte/s\"",
        "\"unit\":\"1/s\"",
        "\"theory\":{\"value\":",
        "\"execution_unit\":\"core\"",
        "\"clock_hz\":",
        "\"actual_bytes\":",
        "\"capacity\":{\"measured_bytes\":",
        "\"traffic\":{\"read_share\":1,\"moved_per_byte\":1,",
        "\"kind\":\"gpu\"",
        "\"confidence\":\"medium\"",
        "\"launch\":{\"variant\":",
        "\"power_w\":"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        assert_contains(text, keys[i]);
    assert_null(strstr(text, "null")); /* what is unknown is not there */
    assert_null(strstr(text, "\"\""));
    cJSON_free(text);
    cJSON_Delete(root);
    ert_ceilings_free(&out);
}

/* The device (kind ""), or its first ceiling of a kind, or a list's first element. */
static cJSON *element(cJSON *root, const char *kind)
{
    cJSON *device = cJSON_GetArrayItem(cJSON_GetObjectItem(root, "devices"), 0), *one;
    if (!kind[0])
        return device;
    cJSON_ArrayForEach(
        one,
        cJSON_GetObjectItem(
            device,
            "ceilings")) if (strcmp(cJSON_GetStringValue(cJSON_GetObjectItem(one, "kind")),
                                    kind) == 0) return one;
    return cJSON_GetArrayItem(cJSON_GetObjectItem(device, kind), 0);
}

/* Puts a value, as JSON text, in the place of a key; without a text the key goes. */
static void replace(cJSON *object, const char *key, const char *text)
{
    cJSON_DeleteItemFromObject(object, key);
    if (text)
        cJSON_AddItemToObject(object, key, cJSON_Parse(text));
}

static const char uneven[] = "[{\"kind\": \"access\", \"value\": [1, 2], \"low\": [1]}]";
static const char no_elements[] = "[{\"kind\": \"access\", \"value\": []}]";

/* What is put where: kind NULL is the file itself, else as element() takes it. */
static const struct change {
    const char *list, *key, *text, *words;
} changes[] = {
    {NULL,      "schema",       "\"ert-ceilings/5\"",  "'ert-ceilings/5' is newer"               },
    {NULL,      "schema",       "\"ert-ceilings/1\"",  "'ert-ceilings/1', must be ert-ceilings/4"},
    {NULL,      "schema",       "\"ert-samples/1\"",   "must be ert-ceilings/4"                  },
    {NULL,      "schema",       "\"ert-ceilings/4x\"", "'ert-ceilings/4x'"                       },
    {NULL,      "machine",      NULL,                  "machine"                                 },
    {"",        "id",           "\"gpu7\"",            "'gpu7' is no device of the machine"      },
    {"",        "ceilings",     NULL,                  "devices[0].ceilings"                     },
    {"",        "series",       uneven,                "1 elements, others have 2"               },
    {"",        "series",       no_elements,           "0 elements, must be 1 to"                },
    {"",        "series",       "[7]",                 "devices[0].series[0]"                    },
    {"memory",  "value",        NULL,                  "ceilings[1].value"                       },
    {"memory",  "roof",         "\"yes\"",             "ceilings[1].roof"                        },
    {"memory",  "kind",         "\"roof\"",            "must be one of compute, memory"          },
    {"memory",  "unit",         "\"GB/s\"",            "must be one of flop/s, op/s"             },
    {"memory",  "confidence",   "\"total\"",           "must be one of high, medium, low"        },
    {"memory",  "launch",       "{\"blocks\": -1}",    "launch.blocks: -1"                       },
    {"compute", "value",        "-1",                  "ceilings[0].value"                       },
    {"compute", "value",        "1e25",                "1e+24"                                   },
    {"compute", "n_samples",    "1.5",                 "ceilings[0].n_samples"                   },
    {"theory",  "unit",         "\"GB/s\"",            "must be one of flop/s, byte/s"           },
    {"compute", "value",        "66e12",               "value is 6.6e+13, outside its interval"  },
    {"compute", "low",          "66e12",               "value is 3.3e+13, outside its interval"  },
    {"compute", "rounds",       "[0.5, 0.75]",         "3.3e+13, outside its rounds: 1.65e+13"   },
    {"memory",  "rounds",       "[2, 3]",              "outside its rounds: 2e+12 to 3e+12"      },
    {"network", "value",        "2e6",                 "outside its interval"                    },
    {"memory",  "actual_bytes", "1e20",                "ceilings[1].actual_bytes: 1e+20"         },
};

/* Of a mode, a compute ceiling's launch: what no run writes. */
static void launches_that_cannot_be_are_refused(void **state)
{
#define REQUESTED ", \"requested_bytes\": 64"
    static const struct {
        const char *launch, *words; /* words NULL: this is accepted */
    } rows[] = {
        {"8, \"threads\": 4, \"trials\": 2" REQUESTED, NULL                        },
        {"3, \"threads\": 4, \"trials\": 2" REQUESTED, "per_element: 3,"           },
        {"4096, \"threads\": 4",                       "per_element: 4096,"        },
        {"8, \"trials\": 2" REQUESTED,                 "launch.threads: 0, must"   },
        {"8, \"threads\": 65537, \"trials\": 2",       "launch.threads: 65537,"    },
        {"8, \"threads\": 1025, \"blocks\": 9",        "from 1 to 1024"            },
        {"8, \"threads\": 9, \"blocks\": 4294967295",  "launch.blocks"             },
        {"8, \"threads\": 4" REQUESTED,                "launch.trials: 0, must"    },
        {"8, \"threads\": 4, \"trials\": 1e20",        "1e+20"                     },
        {"8, \"threads\": 4, \"trials\": 2",           "launch.requested_bytes: 0,"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_ceilings out = filled(), in = {0};
        struct ert_error error = {0};
        cJSON *root = NULL;
        char text[160];
        snprintf(text, sizeof text, "{\"flops_per_element\": %s}", rows[i].launch);
        assert_int_equal(ert_ceilings_write(file, &out, NULL), ERT_OK);
        assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
        replace(element(root, "compute"), "launch", text);
        assert_int_equal(ert_json_write(file, root, NULL), ERT_OK);
        assert_int_equal(ert_ceilings_read(file, &in, &error),
                         rows[i].words ? ERT_USAGE : ERT_OK);
        if (rows[i].words)
            assert_contains(error.text, rows[i].words);
        ert_ceilings_free(&in);
        cJSON_Delete(root);
        ert_ceilings_free(&out);
    }
}

static void bad_content_is_refused(void **state)
{
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const struct change *change = &changes[i];
        struct ert_ceilings out = filled(), in = {0};
        struct ert_error error = {0};
        cJSON *root = NULL;
        assert_int_equal(ert_ceilings_write(file, &out, NULL), ERT_OK);
        assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
        replace(change->list ? element(root, change->list) : root, change->key,
                change->text);
        assert_int_equal(ert_json_write(file, root, NULL), ERT_OK);
        assert_int_equal(ert_ceilings_read(file, &in, &error), ERT_USAGE);
        assert_contains(error.text, file);
        assert_contains(error.text, change->words);
        assert_null(in.devices);
        assert_null(in.machine);
        cJSON_Delete(root);
        ert_ceilings_free(&out);
    }
}

/* `ert verify` counts on one list of points per device. */
static void a_device_stands_once(void **state)
{
    struct ert_ceilings out = filled(), in = {0};
    struct ert_error error = {0};
    cJSON *root = NULL;
    assert_int_equal(ert_ceilings_write(file, &out, NULL), ERT_OK);
    assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
    cJSON_AddItemToArray(cJSON_GetObjectItem(root, "devices"),
                         cJSON_Duplicate(element(root, ""), true));
    assert_int_equal(ert_json_write(file, root, NULL), ERT_OK);
    assert_int_equal(ert_ceilings_read(file, &in, &error), ERT_USAGE);
    assert_contains(error.text, "devices[1].id: 'gpu0' appears twice");
    cJSON_Delete(root);
    ert_ceilings_free(&out);
}

static void unknown_keys_and_minor_versions_are_accepted(void **state)
{
    struct ert_ceilings out = filled(), in = {0};
    cJSON *root = NULL;
    assert_int_equal(ert_ceilings_write(file, &out, NULL), ERT_OK);
    assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
    replace(root, "schema", "\"ert-ceilings/4.2\"");
    replace(root, "new", "1");
    replace(element(root, "memory"), "hue", "\"blue\"");
    replace(element(root, ""), "unattributed", NULL);
    assert_int_equal(ert_json_write(file, root, NULL), ERT_OK);
    assert_int_equal(ert_ceilings_read(file, &in, NULL), ERT_OK);
    assert_int_equal(in.devices[0].n_unattributed, 0);
    cJSON_Delete(root);
    ert_ceilings_free(&in);
    ert_ceilings_free(&out);
}

/* Those of an older file are rates. Where the rounds are all samples, the rest follows from them. */
static void rounds_are_shares(void **state)
{
    static const char *const versions[] = {"\"ert-ceilings/4\"", "\"ert-ceilings/3\""},
                             *const rounds[] = {"[0.5, 1.25]", "[16.5e12, 41.25e12]"};
    for (int i = 0; i < 2; i++) {
        struct ert_ceilings out = filled(), in = {0};
        cJSON *root = NULL;
        assert_int_equal(ert_ceilings_write(file, &out, NULL), ERT_OK);
        assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
        cJSON *one = element(root, "compute");
        replace(root, "schema", versions[i]);
        replace(one, "rounds", rounds[i]);
        replace(one, "n_samples", NULL);
        replace(one, "best", NULL);
        replace(element(root, "memory"), "rounds", NULL);
        replace(element(root, "network"), "rounds", NULL);
        assert_int_equal(ert_json_write(file, root, NULL), ERT_OK);
        assert_int_equal(ert_ceilings_read(file, &in, NULL), ERT_OK);
        const struct ert_evidence *read = in.devices[0].ceilings[0].evidence;
        assert_close(read->rounds[0], 16.5e12, 1e-6);
        assert_close(read->best, 41.25e12, 1e-6);
        assert_int_equal(read->n_samples, 2);
        cJSON_Delete(root);
        ert_ceilings_free(&in);
        ert_ceilings_free(&out);
    }
}

/* A file of ert-ceilings/2, as a run wrote it; written as /4, it says the same. */
static void version_2_is_read(void **state)
{
    struct ert_ceilings old, in;
    struct ert_error error = {0};
    char name[1024];
    const char *source = getenv("top_srcdir");
    snprintf(name, sizeof name, "%s/tests/data/corpus/ceilings/version-2.json",
             source ? source : ".");
    if (ert_ceilings_read(name, &old, &error) != ERT_OK)
        fail_msg("%s", error.text);
    const struct ert_device_ceilings *device = &old.devices[0];
    const struct ert_ceiling *fma = compute_at(device, 0), *load = memory_at(device, 0);
    const struct ert_evidence *evidence = fma->evidence;
    assert_string_equal(fma->name, "fp64-fma");
    assert_true(*fma->key.type && *fma->key.op && *fma->key.unit && fma->is_roof);
    assert_int_equal(fma->unit, ERT_UNIT_FLOP_PER_S);
    assert_close(fma->value, 201765147305.50684, 1e-12);
    assert_close(fma->low, 198849049861.54672, 1e-12);
    assert_close(fma->high, 204564834693.7653, 1e-12);
    assert_int_equal(evidence->n_rounds, 8);
    assert_close(evidence->rounds[7], 201236900000, 1e-12);
    assert_close(evidence->lockstep, 201765147305.50684, 1e-12);
    assert_string_equal(evidence->launch.name, "plain");
    assert_true(load->unit == ERT_UNIT_BYTE_PER_S);
    assert_true(load->evidence->capacity_measured_bytes > 0);
    assert_int_equal(ceiling_at(device, ERT_CEILING_LATENCY, 0)->unit, ERT_UNIT_S);
    assert_true(device->n_peaks == 3 && *device->peaks[0].unknown);
    assert_int_equal(device->n_not_measured, 3);
    assert_int_equal(ert_ceilings_write(file, &old, &error), ERT_OK);
    if (ert_ceilings_read(file, &in, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (size_t d = 0; d < old.n_devices; d++) {
        assert_int_equal(in.devices[d].n, old.devices[d].n);
        for (size_t i = 0; i < in.devices[d].n; i++) {
            const struct ert_ceiling *a = &in.devices[d].ceilings[i],
                                     *b = &old.devices[d].ceilings[i];
            assert_close(a->value, b->value, 1e-6);
            assert_close(a->high, b->high, 1e-6);
            assert_close(a->evidence->lockstep, b->evidence->lockstep, 1e-6);
            assert_memory_equal(&a->key, &b->key, sizeof a->key);
        }
    }
    ert_ceilings_free(&in);
    ert_ceilings_free(&old);
}

/* Hundreds of points are one object with arrays, and come back with their names. */
static void series_are_one_object(void **state)
{
    struct ert_ceilings out = filled(), in = {0};
    struct ert_error error = {0};
    cJSON *root = NULL;
    struct ert_device_ceilings *device = &out.devices[0];
    for (uint32_t i = 0; i < 40; i++) {
        struct ert_ceiling *ceiling = add_ceiling(device, ERT_CEILING_CONCURRENCY, "");
        SET(ceiling->key.of, i < 30 ? "fp64-fma" : "L1-load");
        SET(ceiling->key.axis, "threads");
        ceiling->unit = i < 30 ? ERT_UNIT_FLOP_PER_S : ERT_UNIT_BYTE_PER_S;
        ceiling->key.count = i + 1;
        ceiling->value = ceiling->low = ceiling->high = 1e9 * (i + 1);
        ceiling->evidence->proof.hit_rate = i == 7 ? 0.5 : 0;
        SET(ceiling->evidence->warning, i % 2 ? "odd" : "");
        ert_ceiling_set_name(ceiling);
    }
    assert_int_equal(ert_ceilings_write(file, &out, &error), ERT_OK);
    assert_int_equal(ert_json_read(file, &root, NULL), ERT_OK);
    const cJSON *series = cJSON_GetObjectItem(element(root, ""), "series");
    assert_int_equal(cJSON_GetArraySize(series), 2);
    const cJSON *first = cJSON_GetArrayItem(series, 0);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(first, "value")), 30);
    assert_true(cJSON_IsString(cJSON_GetObjectItem(first, "of")));
    assert_true(cJSON_IsString(cJSON_GetObjectItem(first, "warning")->child));
    cJSON_Delete(root);
    if (ert_ceilings_read(file, &in, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(n_ceilings(&in.devices[0], ERT_CEILING_CONCURRENCY), 40);
    for (uint32_t i = 0; i < 40; i++) {
        struct ert_ceiling *a = ceiling_at(device, ERT_CEILING_CONCURRENCY, i),
                           *b = ceiling_at(&in.devices[0], ERT_CEILING_CONCURRENCY, i);
        assert_memory_equal(a->evidence, b->evidence, sizeof *a->evidence);
        assert_string_equal(a->name, b->name);
        assert_memory_equal(&a->key, &b->key, sizeof a->key);
        assert_true(a->value == b->value && a->unit == b->unit);
    }
    ert_ceilings_free(&in);
    ert_ceilings_free(&out);
}

static void freeing_twice_is_fine(void **state)
{
    struct ert_ceilings ceilings = planted_make(PLANTED_H200);
    ert_ceilings_free(&ceilings);
    ert_ceilings_free(&ceilings);
    ert_ceilings_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_comes_back),
        cmocka_unit_test(planted_machines_come_back),
        cmocka_unit_test(keys_carry_their_unit),
        cmocka_unit_test(bad_content_is_refused),
        cmocka_unit_test(launches_that_cannot_be_are_refused),
        cmocka_unit_test(a_device_stands_once),
        cmocka_unit_test(unknown_keys_and_minor_versions_are_accepted),
        cmocka_unit_test(rounds_are_shares),
        cmocka_unit_test(version_2_is_read),
        cmocka_unit_test(series_are_one_object),
        cmocka_unit_test(freeing_twice_is_fine),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
