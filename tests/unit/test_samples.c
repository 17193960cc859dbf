/* SPDX-License-Identifier: BSD-3-Clause */
/* samples: what no run writes is refused by its path, and files of older versions by their version. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/json_fixture.h"

#include "ert/core/fit/fit.h"
#include "ert/core/sweep/samples.h"

#include <errno.h>

static cJSON *read_example(void)
{
    const char *source = getenv("top_srcdir");
    char name[512];
    cJSON *root = NULL;
    struct ert_error error = {0};
    snprintf(name, sizeof name, "%s/tests/data/corpus/samples/tiny.json",
             source ? source : ".");
    if (ert_json_read(name, &root, &error) != ERT_OK)
        fail_msg("%s", error.text);
    /* Whole lists of a build with all extensions. */
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(root, "config"), "kernels");
    cJSON_DeleteItemFromObject(cJSON_GetObjectItem(root, "config"), "sections");
    return root;
}

/* Reads the tree as a file. */
static enum ert_status read_tree(const cJSON *root, struct ert_samples *samples,
                                 struct ert_error *error)
{
    assert_int_equal(ert_json_write(file, root, NULL), ERT_OK);
    return ert_samples_read(file, samples, error);
}

static cJSON *first(const cJSON *object, const char *list)
{
    return cJSON_GetArrayItem(cJSON_GetObjectItem(object, list), 0);
}

enum place { ROOT, DEVICE, POINT, SAMPLES };

static cJSON *object_of(cJSON *root, enum place place)
{
    cJSON *device = first(root, "devices"), *point = first(device, "points");
    cJSON *const objects[] = {root, device, point, cJSON_GetObjectItem(point, "samples")};
    return objects[place];
}

/* The first point has two samples, whose rates are passes by time. */
static const struct {
    enum place place;
    const char *key, *text, *words;
} changes[] = {
    {ROOT,    "schema",        "\"ert-samples/5\"",
     "'ert-samples/5', this program reads ert-samples/4"                                       },
    {ROOT,    "schema",        "7",                 "schema: a number, must be a string"       },
    {DEVICE,  "device",        "\"gpu9\"",          "'gpu9' is not among machine.devices"      },
    {POINT,   "kernel",        "\"none\"",          "points[0].kernel: "                       },
    {SAMPLES, "time_s",        "[0, 1]",            "samples.time_s[0]: must be a number from" },
    {SAMPLES, "passes",        "[0, 1]",            "samples.passes[0]: 0 without a rate_per_s"},
    {SAMPLES, "passes",        "[1]",               "passes: 1 values, time_s has 2"           },
    {SAMPLES, "thread_passes", "[7, 8]",            "samples.thread_passes[0]: must be a list" },
    {SAMPLES, "thread_passes", "[[1, -1], []]",     "thread_passes[0][1]: must be a number"    },
};

static void bad_content_is_refused(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        struct ert_error error = {0};
        cJSON *root = read_example(), *object = object_of(root, changes[i].place);
        cJSON_DeleteItemFromObject(object, changes[i].key);
        cJSON_AddItemToObject(object, changes[i].key, cJSON_Parse(changes[i].text));
        assert_int_equal(read_tree(root, samples, &error), ERT_USAGE);
        assert_contains(error.text, file);
        assert_contains(error.text, changes[i].words);
        cJSON_Delete(root);
    }
    free(samples);
}

/* Two results of a device are no device's: what counts on one each would look behind the shorter. */
static void a_device_stands_once(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    cJSON *root = read_example(), *devices = cJSON_GetObjectItem(root, "devices");
    cJSON_AddItemToArray(devices, cJSON_Duplicate(first(root, "devices"), true));
    assert_int_equal(read_tree(root, samples, &error), ERT_USAGE);
    assert_contains(error.text, "devices[1].device: 'fake0' appears twice");
    cJSON_Delete(root);
    free(samples);
}

/* Whatever else such a file has: power_s was a key of its config. */
static void an_older_version_says_so(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    cJSON *root = read_example();
    cJSON_SetValuestring(cJSON_GetObjectItem(root, "schema"), "ert-samples/1");
    cJSON_AddNumberToObject(cJSON_GetObjectItem(root, "config"), "power_s", 1);
    assert_int_equal(read_tree(root, samples, &error), ERT_USAGE);
    assert_contains(error.text, "'ert-samples/1' is older than this program");
    assert_contains(error.text,
                    "with the ert that wrote it (commit 3e94cb0), or measure again");
    cJSON_Delete(root);
    free(samples);
}

/* 256 working sets of a sweep are read, one more is not. */
static void a_sweep_longer_than_any_plan_is_refused(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    cJSON *root = read_example(), *device = first(root, "devices");
    cJSON *points = cJSON_GetObjectItem(device, "points");
    cJSON *point = cJSON_Duplicate(first(device, "points"), true);
    while (cJSON_GetArraySize(points) > 0)
        cJSON_DeleteItemFromArray(points, 0);
    for (int i = 0; i < 257; i++) {
        cJSON *copy = cJSON_Duplicate(point, true);
        cJSON_SetNumberValue(cJSON_GetObjectItem(copy, "requested_bytes"), 4096 * (1 + i));
        cJSON_AddItemToArray(points, copy);
    }
    assert_int_equal(read_tree(root, samples, &error), ERT_USAGE);
    assert_contains(error.text, "devices[0].points: of fma_fp64, registers, more than 256");
    cJSON_DeleteItemFromArray(points, 0);
    assert_int_equal(read_tree(root, samples, &error), ERT_OK);
    ert_samples_free(samples);
    cJSON_Delete(point);
    cJSON_Delete(root);
    free(samples);
}

/* JSON's memory, of which one piece is not there; freed at the end, also what a failure leaves lying. */
static struct {
    size_t n, lacking;
    void *pieces[1 << 14];
} memory;

static void *give(size_t size)
{
    assert_true(memory.n < sizeof memory.pieces / sizeof memory.pieces[0]);
    bool lacks = memory.n == memory.lacking;
    void *piece = lacks ? NULL : malloc(size);
    memory.pieces[memory.n++] = piece;
    if (lacks)
        errno = ENOMEM; /* as malloc(3) */
    return piece;
}

static void keep(void *piece)
{
    (void)piece;
}

/* Writes with JSON's memory without the piece of that number; how many pieces it took. */
static size_t write_without(size_t lacking, const struct ert_samples *samples,
                            const struct ert_ceilings *ceilings, enum ert_status *status,
                            struct ert_error *error)
{
    cJSON_InitHooks(&(cJSON_Hooks){give, keep});
    memory.n = 0;
    memory.lacking = lacking;
    *status = samples ? ert_samples_write(file, samples, error)
                      : ert_ceilings_write(file, ceilings, error);
    cJSON_InitHooks(NULL);
    for (size_t i = 0; i < memory.n; i++)
        free(memory.pieces[i]);
    return memory.n;
}

/* Whatever piece it is: a file that lacked something would be taken for a whole one. */
static void nothing_is_written_where_memory_lacks(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_ceilings ceilings;
    cJSON *root = read_example();
    enum ert_status status;
    assert_int_equal(read_tree(root, samples, NULL), ERT_OK);
    ert_fit(samples, &ceilings);
    cJSON_Delete(root);
    for (int is_samples = 0; is_samples < 2; is_samples++) {
        const struct ert_samples *of = is_samples ? samples : NULL;
        struct ert_error error = {0};
        size_t n = write_without(SIZE_MAX, of, &ceilings, &status, &error);
        assert_int_equal(status, ERT_OK);
        assert_true(n > 300);
        for (size_t i = 0; i < n; i++) {
            write_without(i, of, &ceilings, &status, &error);
            assert_int_equal(status, ERT_FAILED);
            assert_contains(error.text, "memory");
        }
    }
    ert_ceilings_free(&ceilings);
    ert_samples_free(samples);
    free(samples);
}

/* Work so little that no rate of it is a number: no ceiling, and its reason. */
static void points_without_a_rate_have_no_ceiling(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_ceilings ceilings;
    struct ert_error error = {0};
    cJSON *root = read_example(), *point;
    cJSON_ArrayForEach(point, cJSON_GetObjectItem(first(root, "devices"), "points"))
    {
        cJSON *work = cJSON_GetObjectItem(point, "work");
        cJSON *lists = cJSON_GetObjectItem(point, "samples"), *time;
        cJSON_SetNumberValue(cJSON_GetObjectItem(work, "flops_per_pass"), 5e-324);
        cJSON_ArrayForEach(time, cJSON_GetObjectItem(lists, "passes"))
            cJSON_SetNumberValue(time, 1);
        cJSON_ArrayForEach(time, cJSON_GetObjectItem(lists, "time_s"))
            cJSON_SetNumberValue(time, 1e6);
    }
    assert_int_equal(read_tree(root, samples, &error), ERT_OK);
    ert_fit(samples, &ceilings);
    assert_int_equal(n_ceilings(&ceilings.devices[0], ERT_CEILING_COMPUTE), 0);
    assert_true(ceilings.devices[0].n_not_measured > 0);
    ert_ceilings_free(&ceilings);
    ert_samples_free(samples);
    cJSON_Delete(root);
    free(samples);
}

/* A backend's buffer of passes may outlive no session: what it left there without threads is not kept. */
static void what_a_backend_owns_is_not_kept(void **state)
{
    (void)state;
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    double passes[2] = {3, 4};
    assert_non_null(samples);
    samples->n_devices = 1;
    samples->devices[0].n_points = 1;
    samples->devices[0].points = calloc(1, sizeof *samples->devices[0].points);
    struct ert_point *point = samples->devices[0].points;
    for (uint32_t n_threads = 0; n_threads <= 2; n_threads += 2) {
        const struct ert_sample sample = {
            .time_s = 1, .passes = 3, .n_threads = n_threads, .thread_passes = passes};
        assert_int_equal(ert_point_add(point, &sample, &error), ERT_OK);
    }
    assert_null(point->samples[0].thread_passes);
    assert_true(point->samples[1].thread_passes != passes);
    assert_true(point->samples[1].thread_passes[1] == 4);
    ert_samples_free(samples);
    free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        JSON_TEST(bad_content_is_refused),
        JSON_TEST(a_device_stands_once),
        JSON_TEST(an_older_version_says_so),
        JSON_TEST(a_sweep_longer_than_any_plan_is_refused),
        JSON_TEST(nothing_is_written_where_memory_lacks),
        JSON_TEST(points_without_a_rate_have_no_ceiling),
        cmocka_unit_test(what_a_backend_owns_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
