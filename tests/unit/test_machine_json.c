/* SPDX-License-Identifier: BSD-3-Clause */
/* machine_json: every field comes back, and bad files give the path, the value and the limit. */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"
#include "ert/core/machine/discover.h"
#include "ert/core/machine/machine_json.h"

#include <unistd.h>

static struct ert_machine written, restored;
static struct ert_error error;

/* Fills each member of a struct with a value of its own. */
static void fill_rows(const struct ert_field *rows, size_t n_rows, void *target,
                      unsigned *seed)
{
    for (size_t i = 0; i < n_rows; i++) {
        void *place = (char *)target + rows[i].offset;
        unsigned n = ++*seed;
        switch (rows[i].kind) {
        case ERT_FIELD_TEXT:
            snprintf(place, rows[i].size, "t\"%u\\", n);
            break;
        case ERT_FIELD_COUNT: /* an ordinal is an int */
            *(uint32_t *)place = (rows[i].max > 0 ? (uint32_t)rows[i].max : INT32_MAX) - n;
            break;
        case ERT_FIELD_U64:
            *(uint64_t *)place = (uint64_t)(rows[i].max > 0 ? rows[i].max : 0x1p53) - n;
            break;
        case ERT_FIELD_NUMBER:
        case ERT_FIELD_MAYBE:
            *(double *)place = 1e9 / 3 + n;
            break;
        case ERT_FIELD_FLAG:
            *(bool *)place = n % 2;
            break;
        case ERT_FIELD_WORD:
            *(unsigned *)place = n % 2;
            break;
        default:
            fail();
        }
    }
}
#define fill(rows, target, seed) fill_rows(ERT_ROWS(rows), target, seed)

static void fill_cpu(struct ert_device *device, unsigned *seed)
{
    struct ert_cpu *cpu = &device->cpu;
    device->kind = ERT_DEVICE_CPU;
    fill(ert_cpu_rows, cpu, seed);
    fill(ert_isa_rows, &cpu->isa, seed);
    cpu->n_numa = ERT_MAX_NUMA;
    cpu->n_core_kinds = ERT_MAX_CORE_KINDS;
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        fill(ert_numa_rows, &cpu->numa[i], seed);
    for (uint32_t i = 0; i < cpu->n_core_kinds; i++)
        fill(ert_core_kind_rows, &cpu->core_kinds[i], seed);
}

/* The largest machine that the struct holds. */
static void fill_machine(struct ert_machine *machine)
{
    unsigned seed = 0;
    *machine = (struct ert_machine){.n_devices = ERT_MAX_DEVICES};
    fill(ert_provenance_rows, &machine->provenance, &seed);
    for (uint32_t i = 0; i < machine->n_devices; i++) {
        struct ert_device *device = &machine->devices[i];
        fill(ert_device_rows, device, &seed);
        device->n_levels = ERT_MAX_LEVELS;
        for (uint32_t j = 0; j < device->n_levels; j++) {
            fill(ert_level_rows, &device->levels[j], &seed);
            device->levels[j].kind = (enum ert_level_kind)(j % 3);
            device->levels[j].path = (enum ert_path)(j % ERT_N_PATHS);
        }
        if (i == 0) {
            fill_cpu(device, &seed);
        } else {
            device->kind = ERT_DEVICE_GPU;
            fill(ert_gpu_rows, &device->gpu, &seed);
        }
    }
    for (int i = 0; i < ERT_MAX_NOTES; i++)
        ert_machine_note(machine, "note %d, \"quoted\"", i);
}

/* Through a real file, as the ceilings are written. */
static enum ert_status round_trip(void)
{
    char file[] = "/tmp/ert-machine-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    cJSON *json = ert_machine_to_json(&written), *back = NULL;
    assert_non_null(json);
    enum ert_status status = ert_json_write(file, json, &error);
    cJSON_Delete(json);
    if (status == ERT_OK)
        status = ert_json_read(file, &back, &error);
    if (status == ERT_OK)
        status = ert_machine_from_json(ert_json_root(back, file), &restored, &error);
    cJSON_Delete(back);
    unlink(file);
    return status;
}

static void every_field_comes_back(void **state)
{
    fill_machine(&written);
    if (round_trip() != ERT_OK)
        fail_msg("%s", error.text);
    assert_memory_equal(&written, &restored, sizeof written);
}

static size_t size_of(const struct ert_field *row)
{
    static const size_t sizes[] = {
        [ERT_FIELD_NUMBER] = sizeof(double), [ERT_FIELD_MAYBE] = sizeof(double),
        [ERT_FIELD_U64] = sizeof(uint64_t),  [ERT_FIELD_COUNT] = sizeof(uint32_t),
        [ERT_FIELD_FLAG] = sizeof(bool),     [ERT_FIELD_WORD] = sizeof(unsigned),
    };
    return row->kind == ERT_FIELD_TEXT ? row->size : sizes[row->kind];
}

/* The tables hold each member: the sizes of their rows and the padding make up the structs. */
static void tables_are_complete(void **state)
{
    static const struct {
        const struct ert_field *rows;
        size_t n_rows, size, others,
            padding; /* others: of members that other tables hold */
    } tables[] = {
        {ERT_ROWS(ert_provenance_rows), sizeof(struct ert_provenance), 0, 0},
        {ERT_ROWS(ert_device_rows),     sizeof(struct ert_device),
         sizeof(enum ert_device_kind) + sizeof(uint32_t) +
             ERT_MAX_LEVELS * sizeof(struct ert_level) + sizeof(struct ert_cpu) +
             sizeof(struct ert_gpu),
         8                                                                 },
        {ERT_ROWS(ert_level_rows),      sizeof(struct ert_level),      0, 3},
        {ERT_ROWS(ert_cpu_rows),        sizeof(struct ert_cpu),
         sizeof(struct ert_isa) + 2 * sizeof(uint32_t) +
             ERT_MAX_NUMA * sizeof(struct ert_numa_node) +
             ERT_MAX_CORE_KINDS * sizeof(struct ert_core_kind),
         5                                                                 },
        {ERT_ROWS(ert_isa_rows),        sizeof(struct ert_isa),        0, 0},
        {ERT_ROWS(ert_numa_rows),       sizeof(struct ert_numa_node),  0, 8},
        {ERT_ROWS(ert_core_kind_rows),  sizeof(struct ert_core_kind),  0, 4},
        {ERT_ROWS(ert_gpu_rows),        sizeof(struct ert_gpu),        0, 4},
    };
    struct {
        char first;
        double second;
    } aligned;
    if ((char *)&aligned.second - &aligned.first != 8)
        return; /* another ABI: its padding is not the one above */
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        size_t sum = tables[i].others + tables[i].padding;
        for (size_t k = 0; k < tables[i].n_rows; k++)
            sum += size_of(&tables[i].rows[k]);
        if (sum != tables[i].size)
            fail_msg("table of %s: rows and padding %zu bytes, the struct %zu",
                     tables[i].rows->key, sum, tables[i].size);
    }
}

static void this_machine_comes_back(void **state)
{
    char program[] = "ert", option[] = "--out", folder[] = "a folder";
    char *argv[] = {program, option, folder, NULL};
    written = (struct ert_machine){0};
    unsetenv("HWLOC_XMLFILE");
    if (ert_discover_host(NULL, &written, &error) != ERT_OK)
        fail_msg("%s", error.text);
    ert_discover_provenance(&written, 3, argv);
    assert_string_equal(written.provenance.command, "ert --out 'a folder'");
    assert_true(written.provenance.host[0] && written.provenance.kernel[0]);
    assert_true(written.provenance.git[0] && written.provenance.compiler[0]);
    if (round_trip() != ERT_OK)
        fail_msg("%s", error.text);
    assert_memory_equal(&written, &restored, sizeof written);
}

/* A command line longer than the field says that it was cut. */
static void long_command_is_cut(void **state)
{
    char word[400], *argv[] = {word, word, NULL};
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    written = (struct ert_machine){0};
    ert_discover_provenance(&written, 2, argv);
    size_t length = strlen(written.provenance.command);
    assert_int_equal(length, sizeof written.provenance.command - 1);
    assert_string_equal(written.provenance.command + length - 3, "...");
}

static void empty_object_is_unknown(void **state)
{
    cJSON *json = cJSON_Parse("{}");
    assert_int_equal(
        ert_machine_from_json(ert_json_root(json, "m.json"), &restored, &error), ERT_OK);
    cJSON_Delete(json);
    assert_int_equal(restored.n_devices, 0);
}

static void bad_content_is_named(void **state)
{
    /* Single quotes stand for double ones. CPU: a machine of one CPU with these members. */
#define X64          "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define CPU(members) "{'devices': [{'kind': 'cpu', " members "}]}"
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"{'devices': 3}",                                       "devices"            },
        {"{'devices': [{'id': 'cpu'}]}",                         "devices[0].kind"    },
        {"{'devices': [{'kind': 'tpu'}]}",                       "must be one of"     },
        {CPU("'id': 7"),                                         "devices[0].id"      },
        {CPU("'id': 'a name of more than 15 bytes'"),            "devices[0].id"      },
        {CPU("'base_hz': -1"),                                   "devices[0].base_hz" },
        {CPU("'cpu': {'n_cores': 1.5}"),                         "cpu.n_cores"        },
        {CPU("'cpu': {'isa': {'avx': 1}}"),                      "isa.avx"            },
        {CPU("'levels': [{'kind': 'cache', 'path': 'tunnel'}]"),
         "'tunnel', must be one of cached"                                            },
        {CPU("'levels': [{'count': 8193}]"),                     "at most 8192"       },
        {CPU("'levels': [{'size_bytes': 2e15}]"),                "levels[0].size_byte"},
        {CPU("'levels': [{},{},{},{},{},{},{},{},{}]"),          "9 elements, at most"},
        {"{'notes': [1]}",                                       "notes[0]"           },
        {"{'notes': ['', '" X64 X64 X64 X64 "']}",               "notes[1]: 256 bytes"},
    };
#undef CPU
#undef X64
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s", cases[i].text);
        for (char *at = text; (at = strchr(at, '\''));)
            *at = '"';
        cJSON *json = cJSON_Parse(text);
        assert_non_null(json);
        struct ert_machine before = {.n_notes = 3};
        error = (struct ert_error){0};
        restored = before;
        enum ert_status status =
            ert_machine_from_json(ert_json_root(json, "m.json"), &restored, &error);
        cJSON_Delete(json);
        if (status != ERT_USAGE)
            fail_msg("%s: status %d", cases[i].text, status);
        assert_contains(error.text, "m.json");
        assert_contains(error.text, cases[i].words);
        assert_memory_equal(&restored, &before, sizeof restored);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_comes_back),  cmocka_unit_test(tables_are_complete),
        cmocka_unit_test(this_machine_comes_back), cmocka_unit_test(long_command_is_cut),
        cmocka_unit_test(empty_object_is_unknown), cmocka_unit_test(bad_content_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
