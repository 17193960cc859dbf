/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every file of tests/data/FORMAT is recognized by the importer of that name, and by no other; every importer
 * has such a folder, and takes any part of any of these files without a crash.
 */
#include "tests/unit/import_cpu_fixture.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"

#include <dirent.h>

/* Calls use() with the text of each example of a format; returns how many there are. */
static size_t each_example(const struct rfl_importer *importer,
                           void (*use)(const struct rfl_importer *importer,
                                       const char *file, char *text, size_t size))
{
    char folder[1024], *text;
    size_t n = 0, size;
    data_file(importer->name, folder);
    DIR *entries = opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));) {
        if (entry->d_name[0] == '.' || strstr(entry->d_name, ".md"))
            continue;
        char *file = ert_xprintf("%s/%s", folder, entry->d_name);
        if (ert_file_read(file, 1 << 20, &text, &size, &error) != ERT_OK)
            fail_msg("%s", error.text);
        use(importer, file, text, size);
        free(text);
        free(file);
        n++;
    }
    if (entries)
        closedir(entries);
    return n;
}

static void check_format(const struct rfl_importer *importer, const char *file, char *text,
                         size_t size)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    (void)size;
    for (size_t j = 0; j < n; j++)
        if (importers[j]->recognizes(text) != (importers[j] == importer))
            fail_msg("%s %s %s", importers[j]->name,
                     importers[j] == importer ? "does not recognize" : "recognizes", file);
}

static void each_example_has_one_format(void **state)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t j = 0; j < n; j++)
        if (each_example(importers[j], check_format) == 0)
            fail_msg("%s has no example: tests/data/%s/ must have one", importers[j]->name,
                     importers[j]->name);
}

static void other_text_has_no_format(void **state)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "a,b,c\n1,2,3\n",
                                        "{}",
                                        "{\"schema\": \"ert-ceilings/4\"}",
                                        "1;2;3;4;5;6\n",
                                        "Metric, the units of measurement\n",
                                        "# Package of events\n"};
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        for (size_t j = 0; j < n; j++)
            if (importers[j]->recognizes(texts[i]))
                fail_msg("%s recognizes '%s'", importers[j]->name, texts[i]);
}

/* Sanitizer builds see what goes over an end; the outcome of a cut text may be either. */
static void cut_text(const struct rfl_importer *importer, const char *file, char *text,
                     size_t size)
{
    size_t n, step = size / 24 + 1;
    (void)importer;
    (void)file;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t cut = size; cut > 0; cut = cut > step ? cut - step : 0) {
        text[cut - 1] = '\0';
        for (size_t j = 0; j < n; j++)
            if (import_text(importers[j], text, NULL) != ERT_OK)
                assert_true(*error.text != '\0');
    }
}

static void cut_texts_do_no_harm(void **state)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t j = 0; j < n; j++)
        each_example(importers[j], cut_text);
}

static void a_format_can_be_named(void **state)
{
    const struct rfl_importer *importer;
    assert_int_equal(rfl_importer_find("likwid", &importer, &error), ERT_OK);
    assert_ptr_equal(importer, &rfl_import_likwid);
    assert_int_equal(rfl_importer_find("tau", &importer, &error), ERT_USAGE);
    assert_contains(error.text, "likwid-csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_example_has_one_format),
        cmocka_unit_test(other_text_has_no_format),
        cmocka_unit_test(cut_texts_do_no_harm),
        cmocka_unit_test(a_format_can_be_named),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
