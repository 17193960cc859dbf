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

static void every_reader_survives_its_corpus(void **state)
{
    (void)state;
    const char *top = getenv("top_srcdir");
    for (size_t i = 0; readers_name(i); i++) {
        char folder[400];
        snprintf(folder, sizeof folder, "%s/tests/data/corpus/%s", top ? top : ".",
                 readers_name(i));
        if (read_folder(i, folder) == 0)
            fail_msg("%s: no corpus of the reader %s", folder, readers_name(i));
    }
}

/* Every reader against the files of all others. */
static void every_reader_survives_other_formats(void **state)
{
    (void)state;
    const char *top = getenv("top_srcdir");
    for (size_t i = 0; readers_name(i); i++)
        for (size_t k = 0; readers_name(k); k++) {
            char folder[400];
            snprintf(folder, sizeof folder, "%s/tests/data/corpus/%s", top ? top : ".",
                     readers_name(k));
            read_folder(i, folder);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reader_survives_its_corpus),
        cmocka_unit_test(every_reader_survives_other_formats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
