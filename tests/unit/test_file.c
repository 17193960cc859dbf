/* SPDX-License-Identifier: BSD-3-Clause */
/* file: whole files, atomic writes, and what a full disk or a read-only folder gives. */
#include "tests/unit/test.h"

#include "ert/core/base/file.h"

#include <dirent.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

/* What a child ends with where the system does not take from it what it should lack: memory, or root. */
enum { NOT_HERE = 77 };

static bool is_not_here(int status)
{
    bool is = WEXITSTATUS(status) == NOT_HERE;
    if (is)
        printf("# not tried: memory has no limit here, or root is the only user\n");
    return is;
}

/* "NAME" in the test's folder; up to four at a time. */
static const char *in(const char *name)
{
    static char path[4][512];
    static int next;
    next = (next + 1) % 4;
    snprintf(path[next], sizeof path[next], "%s/%s", folder, name);
    return path[next];
}

static size_t count_entries(const char *path)
{
    size_t n = 0;
    DIR *dir = opendir(path);
    assert_non_null(dir);
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
        n += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    if (!dir) {
        unlink(path);
        return;
    }
    for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
        char child[600];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
        remove_all(child);
    }
    closedir(dir);
    rmdir(path);
}

static int set_up(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/ert-test-file-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    chmod(folder, 0700);
    remove_all(folder);
    return 0;
}

static void assert_file_is(const char *file, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    struct ert_error error = {0};
    assert_int_equal(ert_file_read(file, 1000, &text, &size, &error), ERT_OK);
    assert_int_equal(size, strlen(expected));
    assert_string_equal(text, expected);
    free(text);
}

static void a_file_comes_back_as_written(void **state)
{
    struct ert_error error = {0};
    assert_int_equal(ert_file_write(in("a"), "first", 5, &error), ERT_OK);
    assert_file_is(in("a"), "first");
    assert_int_equal(ert_file_write(in("a"), "", 0, &error), ERT_OK);
    assert_file_is(in("a"), "");
    assert_int_equal(count_entries(folder), 1); /* no temporary file stays */
}

static void a_large_file_comes_back(void **state)
{
    const size_t size = 1000003;
    char *text = malloc(size), *back = NULL;
    size_t back_size = 0;
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(i * 7 % 251);
    struct ert_error error = {0};
    assert_int_equal(ert_file_write(in("large"), text, size, &error), ERT_OK);
    assert_int_equal(ert_file_read(in("large"), size, &back, &back_size, &error), ERT_OK);
    assert_int_equal(back_size, size);
    assert_memory_equal(back, text, size);
    assert_int_equal(back[size], 0);
    free(back);
    back = NULL;
    assert_int_equal(ert_file_read(in("large"), size - 1, &back, &back_size, &error),
                     ERT_USAGE);
    assert_contains(error.text, "at most 1000002 bytes");
    assert_null(back);
    free(text);
}

static void files_that_cannot_be_read(void **state)
{
    char *text = NULL;
    size_t size = 0;
    struct ert_error error = {0};
    assert_int_equal(ert_file_read(in("none"), 10, &text, &size, &error), ERT_USAGE);
    assert_contains(error.text, "/none: cannot read: No such file");
    assert_int_equal(ert_file_read(folder, 10, &text, &size, &error), ERT_USAGE);
    assert_contains(error.text, "Is a directory");
    assert_int_equal(ert_file_read("/dev/zero", 100000, &text, &size, &error), ERT_USAGE);
    assert_contains(error.text, "too large");
    assert_null(text);
}

static void the_rights_are_those_of_the_umask(void **state)
{
    struct ert_error error = {0};
    struct stat status;
    mode_t old = umask(027);
    assert_int_equal(ert_file_write(in("rights"), "x", 1, &error), ERT_OK);
    umask(old);
    assert_int_equal(stat(in("rights"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
}

static void a_full_device_is_an_error(void **state)
{
    struct ert_error error = {0};
    assert_int_equal(ert_file_write("/dev/full", "x", 1, &error), ERT_FAILED);
    assert_contains(error.text, "/dev/full: cannot write: No space left");
}

static void a_device_is_written_to_and_stays(void **state)
{
    struct ert_error error = {0};
    struct stat status;
    assert_int_equal(ert_file_write("/dev/null", "x", 1, &error), ERT_OK);
    assert_int_equal(stat("/dev/null", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
}

/* A file-size limit stands for the full disk: the write stops half way with an errno. */
static void a_write_that_fails_half_way_keeps_the_old_file(void **state)
{
    struct ert_error error = {0};
    assert_int_equal(ert_file_write(in("kept"), "old", 3, &error), ERT_OK);
    fflush(stdout); /* the child must not write our buffered lines again */
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static const char text[8192] = "new";
        struct rlimit limit = {.rlim_cur = 4096, .rlim_max = 4096};
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(9);
        _exit(ert_file_write(in("kept"), text, sizeof text, &error));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ERT_FAILED);
    assert_file_is(in("kept"), "old");
    assert_int_equal(count_entries(folder), 1);
}

static enum ert_status write_much(const void *about, FILE *out, struct ert_error *error)
{
    (void)error;
    for (int i = 0; i < 1 << 14; i++)
        fprintf(out, "%1024d\n", *(const int *)about);
    return ERT_OK;
}

/* What would need 16 MiB with none to be had. A file of the first half would look whole. */
static void an_output_without_memory_is_an_error(void **state)
{
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its allocator ends the program */
#endif
    struct ert_error error = {0};
    const int number = 7;
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!limit_memory(1 << 20))
            _exit(NOT_HERE);
        _exit(ert_file_write_made(in("much"), write_much, &number, &error));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (!is_not_here(status))
        assert_int_equal(WEXITSTATUS(status), ERT_FAILED);
    assert_int_equal(count_entries(folder), 0);
}

static void folders_that_cannot_be_written(void **state)
{
    struct ert_error error = {0};
    assert_int_equal(ert_file_write(folder, "x", 1, &error), ERT_FAILED);
    assert_contains(error.text, "Is a directory");
    assert_int_equal(ert_file_write(in("none/a"), "x", 1, &error), ERT_FAILED);
    assert_contains(error.text, "none/a: cannot write: No such file");
    assert_int_equal(ert_file_write(in("file"), "x", 1, &error), ERT_OK);
    assert_int_equal(ert_file_make_folder(in("file"), &error), ERT_FAILED);
    assert_contains(error.text, "cannot make the folder: Not a directory");
    assert_int_equal(ert_file_make_folder(in("file/b/c"), &error), ERT_FAILED);
    assert_int_equal(ert_file_make_folder("", &error), ERT_FAILED);
    assert_int_equal(ert_file_make_folder("/proc/ert-no-such", &error), ERT_FAILED);
    assert_contains(error.text, "/proc/ert-no-such");
}

/* Rights do not hold root back, so the test becomes somebody else in a child. */
static void a_read_only_folder_is_an_error(void **state)
{
    assert_int_equal(chmod(folder, 0555), 0);
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct ert_error error = {0};
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(NOT_HERE);
        if (ert_file_make_folder(in("sub"), &error) != ERT_FAILED)
            _exit(3);
        _exit(ert_file_write(in("a"), "x", 1, &error) == ERT_FAILED ? 0 : 4);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (!is_not_here(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(count_entries(folder), 0);
}

static void folders_are_made_with_their_parents(void **state)
{
    struct ert_error error = {0};
    struct stat status;
    assert_int_equal(ert_file_make_folder(in("a//b/c/"), &error), ERT_OK);
    assert_int_equal(stat(in("a/b/c"), &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_int_equal(ert_file_make_folder(in("a/b/c"), &error), ERT_OK); /* again */
    assert_int_equal(ert_file_make_folder("/", &error), ERT_OK);
    assert_int_equal(ert_file_make_folder(".", &error), ERT_OK);
}

/* As `ert validate` writes into the file that OUT/ceilings.json leads to. */
static void a_link_stays_a_link(void **state)
{
    struct stat status;
    struct ert_error error = {0};
    assert_int_equal(ert_file_make_folder(in("dated"), &error), ERT_OK);
    assert_int_equal(ert_file_write(in("dated/a.json"), "old", 3, &error), ERT_OK);
    assert_int_equal(symlink("dated/a.json", in("a.json")), 0);
    assert_int_equal(ert_file_write(in("a.json"), "new", 3, &error), ERT_OK);
    assert_file_is(in("dated/a.json"), "new");
    assert_int_equal(lstat(in("a.json"), &status), 0);
    assert_true(S_ISLNK(status.st_mode));
}

static void first_lines(void **state)
{
    struct ert_error error = {0};
    char text[8] = "old";
    ert_file_first_line(text, sizeof text, "%s", in("none"));
    assert_string_equal(text, "");
    ert_file_first_line(text, sizeof text, "%s", folder);
    assert_string_equal(text, "");
    assert_int_equal(ert_file_write(in("one"), "abc\ndef\n", 8, &error), ERT_OK);
    ert_file_first_line(text, sizeof text, "%s", in("one"));
    assert_string_equal(text, "abc");
    assert_int_equal(ert_file_write(in("one"), "0123456789", 10, &error), ERT_OK);
    ert_file_first_line(text, sizeof text, "%s", in("one"));
    assert_string_equal(text, "0123456");
    assert_int_equal(ert_file_write(in("one"), "", 0, &error), ERT_OK);
    ert_file_first_line(text, sizeof text, "%s", in("one"));
    assert_string_equal(text, "");
}

static void values_of_keys(void **state)
{
    static const char lines[] =
        "MemTotals: 1 kB\nMem: 2\nMemTotal:   34 kB\nMemTotal: 5\nNAME=\"a b\"\nk\t: v";
    static const struct {
        const char *key, *value; /* NULL: not there */
    } rows[] = {
        {"MemTotal", "34 kB"  },
        {"NAME",     "\"a b\""},
        {"k",        "v"      },
        {"MemT",     NULL     },
        {"kB",       NULL     },
    };
    struct ert_error error = {0};
    char text[8] = "old";
    assert_false(ert_file_value(in("none"), "Mem", text, sizeof text));
    assert_string_equal(text, "");
    assert_int_equal(ert_file_write(in("one"), lines, sizeof lines - 1, &error), ERT_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(ert_file_value(in("one"), rows[i].key, text, sizeof text),
                         rows[i].value != NULL);
        assert_string_equal(text, rows[i].value ? rows[i].value : "");
    }
}

#define FILE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILE_TEST(a_file_comes_back_as_written),
        FILE_TEST(a_large_file_comes_back),
        FILE_TEST(files_that_cannot_be_read),
        FILE_TEST(the_rights_are_those_of_the_umask),
        FILE_TEST(a_full_device_is_an_error),
        FILE_TEST(a_device_is_written_to_and_stays),
        FILE_TEST(a_write_that_fails_half_way_keeps_the_old_file),
        FILE_TEST(an_output_without_memory_is_an_error),
        FILE_TEST(folders_that_cannot_be_written),
        FILE_TEST(a_read_only_folder_is_an_error),
        FILE_TEST(folders_are_made_with_their_parents),
        FILE_TEST(a_link_stays_a_link),
        FILE_TEST(first_lines),
        FILE_TEST(values_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
