/* SPDX-License-Identifier: BSD-3-Clause */
/* folder of a recording: its lock, and what is put aside. */
#include "tests/unit/test.h"

#include "analysis/ext/record/folder.h"
#include "ert/core/base/file.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

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
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/ert-test-folder-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
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

static void a_lock_has_one_holder_who_is_named(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_folder_lock first = {0}, second = {0};
    char who[64];
    assert_int_equal(rfl_folder_lock(in("lock"), &first, &error), ERT_OK);
    assert_int_equal(rfl_folder_lock(in("lock"), &first, &error), ERT_OK); /* kept */
    assert_int_equal(rfl_folder_lock(in("lock"), &second, &error), ERT_FAILED);
    snprintf(who, sizeof who, "another run is using this folder: pid %ld on ",
             (long)getpid());
    assert_contains(error.text, who);
    assert_contains(error.text, " since 20");
    rfl_folder_unlock(&second); /* of someone who has none */
    assert_int_equal(count_entries(folder), 1);
    rfl_folder_unlock(&first);
    rfl_folder_unlock(&first);
    assert_int_equal(count_entries(folder), 0);
    assert_int_equal(rfl_folder_lock(in("lock"), &second, &error), ERT_OK);
    rfl_folder_unlock(&second);
}

static void the_lock_of_a_dead_process_is_none(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_folder_lock lock = {0};
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(rfl_folder_lock(in("lock"), &lock, &error));
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(count_entries(folder), 1);
    assert_int_equal(rfl_folder_lock(in("lock"), &lock, &error), ERT_OK);
    rfl_folder_unlock(&lock);
    assert_int_equal(count_entries(folder), 0);
}

/* A folder that was removed and made again belongs to whoever locks it first. */
static void a_lock_whose_file_is_gone_is_taken_anew(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_folder_lock first = {0}, second = {0};
    assert_int_equal(rfl_folder_lock(in("lock"), &first, &error), ERT_OK);
    assert_int_equal(unlink(in("lock")), 0);
    assert_int_equal(rfl_folder_lock(in("lock"), &second, &error), ERT_OK);
    assert_int_equal(rfl_folder_lock(in("lock"), &first, &error), ERT_FAILED);
    rfl_folder_unlock(&first);
    assert_int_equal(count_entries(folder), 1); /* the second one's */
    rfl_folder_unlock(&second);
    assert_int_equal(rfl_folder_lock(in("lock"), &first, &error), ERT_OK);
    rfl_folder_unlock(&first);
}

static void existing_files_move_to_their_time(void **state)
{
    (void)state;
    char name[256], stamp[RFL_FOLDER_STAMP] = "x";
    const char *const file = name;
    struct ert_error error = {0};
    snprintf(name, sizeof name, "%s", in("samples.json"));
    assert_int_equal(rfl_folder_put_aside(&file, 1, stamp, &error), ERT_OK);
    assert_string_equal(stamp, "");
    /* 2001-09-09T01:46:40Z is 1e9 seconds after the epoch. */
    const struct timeval times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    static const char *const expected[] = {"samples.20010909T014640Z.json",
                                           "samples.20010909T014640Z-2.json",
                                           "samples.20010909T014640Z-3.json"};
    for (size_t i = 0; i < 3; i++) {
        char content[2] = {(char)('a' + i), '\0'};
        assert_int_equal(ert_file_write(in("samples.json"), content, 1, &error), ERT_OK);
        assert_int_equal(utimes(in("samples.json"), times), 0);
        assert_int_equal(rfl_folder_put_aside(&file, 1, stamp, &error), ERT_OK);
        assert_non_null(strstr(expected[i], stamp));
        assert_file_is(in(expected[i]), content);
        assert_int_equal(access(in("samples.json"), F_OK), -1);
    }
}

/* One stamp for all, the newest file's; where one name is taken, all get another. */
static void files_of_a_set_move_together(void **state)
{
    (void)state;
    char names[3][256], stamp[RFL_FOLDER_STAMP];
    const char *set[3];
    struct ert_error error = {0};
    assert_int_equal(ert_file_make_folder(in("set"), &error), ERT_OK);
    for (size_t i = 0; i < 3; i++) {
        static const char *const files[] = {"set/a.json", "set/b.json", "set/c.svg"};
        snprintf(names[i], sizeof names[i], "%s", in(files[i]));
        set[i] = names[i];
    }
    assert_int_equal(rfl_folder_put_aside(set, 3, stamp, &error), ERT_OK);
    assert_string_equal(stamp, "");
    for (size_t round = 0; round < 2; round++) {
        for (size_t i = 0; i < 3; i++) {
            const time_t time = 1000000000 + (time_t)(i * (1 - round));
            const struct timeval times[2] = {{.tv_sec = time}, {.tv_sec = time}};
            if (i == 1 && round == 1)
                continue; /* one is missing */
            assert_int_equal(ert_file_write(set[i], "x", 1, &error), ERT_OK);
            assert_int_equal(utimes(set[i], times), 0);
        }
        if (round == 1)
            assert_int_equal(
                ert_file_write(in("set/b.20010909T014640Z.json"), "y", 1, &error), ERT_OK);
        assert_int_equal(rfl_folder_put_aside(set, 3, stamp, &error), ERT_OK);
        assert_string_equal(stamp, round ? "20010909T014640Z-2" : "20010909T014642Z");
        assert_int_equal(count_entries(in("set")), round ? 6 : 3);
    }
    assert_file_is(in("set/c.20010909T014640Z-2.svg"), "x");
    assert_file_is(in("set/b.20010909T014640Z.json"), "y");
}

static void names_without_extension_move_too(void **state)
{
    (void)state;
    char name[PATH_MAX], stamp[RFL_FOLDER_STAMP];
    const char *const file = name;
    struct ert_error error = {0};
    const struct timeval times[2] = {{.tv_sec = 0}, {.tv_sec = 0}};
    assert_int_equal(ert_file_make_folder(in("v1.0"), &error), ERT_OK);
    assert_int_equal(ert_file_write(in("v1.0/.profile"), "x", 1, &error), ERT_OK);
    assert_int_equal(utimes(in("v1.0/.profile"), times), 0);
    snprintf(name, sizeof name, "%s", in("v1.0/.profile"));
    assert_int_equal(rfl_folder_put_aside(&file, 1, stamp, &error), ERT_OK);
    assert_int_equal(access(in("v1.0/.profile.19700101T000000Z"), F_OK), 0);

    /* As long as a name may be, so that none is longer. */
    size_t length = (size_t)snprintf(name, sizeof name, "%s/", in("v1.0"));
    while (length < sizeof name - 16)
        length += (size_t)snprintf(name + length, sizeof name - length, "./");
    snprintf(name + length, sizeof name - length, "x");
    assert_int_equal(ert_file_write(in("v1.0/x"), "x", 1, &error), ERT_OK);
    assert_int_equal(rfl_folder_put_aside(&file, 1, stamp, &error), ERT_FAILED);
    assert_contains(error.text, "too long");
    assert_int_equal(access(in("v1.0/x"), F_OK), 0);
}

#define FOLDER_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_lock_has_one_holder_who_is_named),
        FOLDER_TEST(the_lock_of_a_dead_process_is_none),
        FOLDER_TEST(a_lock_whose_file_is_gone_is_taken_anew),
        FOLDER_TEST(existing_files_move_to_their_time),
        FOLDER_TEST(files_of_a_set_move_together),
        FOLDER_TEST(names_without_extension_move_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
