/*
 * corpus: what a fuzzer has found, and examples that reach deep, through every reader: nothing
 * crashes, leaks (with sanitizers) or hangs. What is said of each file, other tests say.
 */
#include "tests/unit/test.h"

#include "tests/fuzz/readers.h"

#include <dirent.h>

static size_t read_folder(size_t index, const char *folder)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    size_t n = 0;
    while (entries && (entry = readdir(entries))) {
        char file[512];
        snprintf(file, sizeof file, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.')
            continue;
        readers_read(index, file);
        n++;
    }
    if (entries)
        closedir(entries);
    return n;
}

/* The folders of example files: each reader's findings, and what the importers' own tests read. */
static size_t read_all(size_t index)
{
    static const char *const examples[] = {"advisor", "ert",    "gpp",  "likwid", "ncu",
                                           "nersc",   "nvprof", "page", "papi",   "perf",
                                           "points",  "sde",    "vtune"};
    const char *top = getenv("top_srcdir");
    char folder[400];
    size_t n = 0;
    for (size_t i = 0; readers_name(i); i++) {
        snprintf(folder, sizeof folder, "%s/tests/data/corpus/%s", top ? top : ".",
                 readers_name(i));
        n += read_folder(index, folder);
    }
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        snprintf(folder, sizeof folder, "%s/tests/data/%s", top ? top : ".", examples[i]);
        n += read_folder(index, folder);
    }
    return n;
}

/* Of its own format and of all others. */
static void every_reader_survives_every_file(void **state)
{
    (void)state;
    for (size_t i = 0; readers_name(i); i++)
        if (read_all(i) < 30)
            fail_msg("%s read %zu files: the examples are not where they were",
                     readers_name(i), read_all(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reader_survives_every_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
