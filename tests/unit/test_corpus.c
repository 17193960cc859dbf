/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * corpus: what a fuzzer has found, and examples that reach deep, through every reader: nothing
 * crashes, leaks (with sanitizers) or hangs. What is said of each file, other tests say.
 */
#include "tests/unit/test.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"
#include "ert/core/base/strings.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/readers.h"

#include <dirent.h>

/* Calls use() with the files of a folder of tests/data; returns how many there are. */
static size_t each_file(const char *name, void (*use)(size_t index, const char *file),
                        size_t index)
{
    const char *top = getenv("top_srcdir");
    char *folder = ert_xprintf("%s/tests/data/%s", top ? top : ".", name);
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;
    while (entries && (entry = readdir(entries))) {
        if (entry->d_name[0] == '.')
            continue;
        char *file = ert_xprintf("%s/%s", folder, entry->d_name);
        use(index, file);
        free(file);
        n++;
    }
    if (entries)
        closedir(entries);
    free(folder);
    return n;
}

static size_t each_of_corpus(size_t reader, void (*use)(size_t index, const char *file),
                             size_t index)
{
    char *folder = ert_xprintf("corpus/%s", readers_name(reader));
    size_t n = each_file(folder, use, index);
    free(folder);
    return n;
}

/* The folders of inputs in tests/data, but for the findings of each reader (corpus). */
static const char *const *examples(void)
{
    enum { MOST = 64 };
    static const char *names[MOST + 1];
    static struct ert_strings kept;
    const char *top = getenv("top_srcdir");
    char *folder = ert_xprintf("%s/tests/data", top ? top : ".");
    DIR *entries = names[0] ? NULL : opendir(folder);
    for (const struct dirent *entry; entries && (entry = readdir(entries));)
        if (!strchr(entry->d_name, '.') && strcmp(entry->d_name, "corpus") != 0 &&
            strcmp(entry->d_name, "golden") != 0) {
            size_t i = ert_strings_index(&kept, entry->d_name);
            assert_true(i < MOST);
            names[i] = kept.texts[i];
        }
    if (entries)
        closedir(entries);
    free(folder);
    return names;
}

static size_t read_all(size_t index)
{
    size_t n = 0;
    for (size_t i = 0; readers_name(i); i++)
        n += each_of_corpus(i, readers_read, index);
    for (const char *const *name = examples(); *name; name++)
        n += each_file(*name, readers_read, index);
    return n;
}

/* Of its own format and of all others. */
static void every_reader_survives_every_file(void **state)
{
    for (size_t i = 0; readers_name(i); i++)
        if (read_all(i) < 30)
            fail_msg("%s read %zu files: the examples are not where they were",
                     readers_name(i), read_all(i));
}

/* A file, damaged in some ways that are always the same; `make fuzz` tries many more. */
static void read_mutants(size_t index, const char *file)
{
    enum { MUTANTS = 24, LIMIT = 64 << 10 };
    struct ert_error error;
    char *text;
    size_t size;
    if (ert_file_read(file, LIMIT, &text, &size, &error) != ERT_OK)
        return; /* large ones take too long here */
    uint8_t *mutant = ert_xcalloc(1, 4 * LIMIT);
    for (uint64_t seed = 0; seed < MUTANTS; seed++) {
        memcpy(mutant, text, size);
        readers_read_bytes(index, mutant, mutate(mutant, size, 4 * LIMIT, seed));
    }
    free(mutant);
    free(text);
}

/* A reader's own files: its corpus, and the examples of what its name begins with. */
static void every_reader_survives_mutants(void **state)
{
    for (size_t i = 0; readers_name(i); i++) {
        size_t n = each_of_corpus(i, read_mutants, i);
        for (const char *const *name = examples(); *name; name++)
            if (strncmp(readers_name(i), *name, strlen(*name)) == 0)
                n += each_file(*name, read_mutants, i);
        if (n == 0)
            fail_msg("%s: no files", readers_name(i));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reader_survives_every_file),
        cmocka_unit_test(every_reader_survives_mutants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
