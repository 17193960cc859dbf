/* SPDX-License-Identifier: BSD-3-Clause */
/* input_file: a problem survives its file bit for bit; a damaged file is refused by name. */
#include "tests/unit/test.h"

#include "gpp/problem.h"

#include "ert/core/base/file.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/ert-gpp-XXXXXX";
static char file[64];
static const struct gpp_sizes sizes = {5, 3, 7, 2};

static int make(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/inputs.bin", folder);
    return 0;
}

static int clean(void **state)
{
    (void)state;
    unlink(file);
    return rmdir(folder);
}

static void save(void)
{
    struct ert_error error;
    struct gpp_problem problem;
    assert_int_equal(gpp_problem_generate(&sizes, 3, &problem, &error), ERT_OK);
    assert_int_equal(gpp_problem_save(file, &problem, &error), ERT_OK);
    gpp_problem_free(&problem);
}

static void refuses(enum ert_status status, const char *words)
{
    struct ert_error error;
    struct gpp_problem problem = {.seed = 77};
    assert_int_equal(gpp_problem_load(file, &problem, &error), status);
    assert_contains(error.text, words);
    assert_contains(error.text, file);
    assert_true(problem.seed == 77 && !problem.eps); /* written on success only */
}

static void a_file_gives_the_same_problem(void **state)
{
    (void)state;
    struct ert_error error;
    struct gpp_problem problem, loaded;
    struct gpp_array left[GPP_N_ARRAYS], right[GPP_N_ARRAYS];
    assert_int_equal(gpp_problem_generate(&sizes, 3, &problem, &error), ERT_OK);
    assert_int_equal(gpp_problem_save(file, &problem, &error), ERT_OK);
    assert_int_equal(gpp_problem_load(file, &loaded, &error), ERT_OK);
    assert_memory_equal(&problem.sizes, &loaded.sizes, sizeof sizes);
    assert_true(loaded.seed == 3);
    gpp_problem_arrays(&problem, left);
    gpp_problem_arrays(&loaded, right);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        assert_memory_equal(*left[i].data, *right[i].data, left[i].n * sizeof(double));
    gpp_problem_free(&problem);
    gpp_problem_free(&loaded);
}

/* Every byte of the file, one bit at a time turned: always refused. */
static void any_damage_is_found(void **state)
{
    (void)state;
    struct ert_error error;
    char *bytes;
    size_t size;
    save();
    assert_int_equal(ert_file_read(file, 1 << 20, &bytes, &size, &error), ERT_OK);
    assert_true(size == 64 + gpp_sizes_bytes(&sizes));
    for (size_t i = 0; i < size; i++) {
        struct gpp_problem problem;
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
        assert_int_equal(ert_file_write(file, bytes, size, &error), ERT_OK);
        if (gpp_problem_load(file, &problem, &error) == ERT_OK)
            fail_msg("byte %zu turned, and not found", i);
        bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
    }
    bytes[200] = (char)(bytes[200] + 1);
    assert_int_equal(ert_file_write(file, bytes, size, &error), ERT_OK);
    refuses(ERT_USAGE, "damaged: checksum");
    bytes[6] = '2';
    assert_int_equal(ert_file_write(file, bytes, size, &error), ERT_OK);
    refuses(ERT_USAGE, "version '2'");
    free(bytes);
}

static void other_lengths_are_refused(void **state)
{
    (void)state;
    struct ert_error error;
    save();
    assert_int_equal(truncate(file, 500), 0);
    refuses(ERT_USAGE, "500 bytes, its header says");
    assert_int_equal(truncate(file, 20000), 0);
    refuses(ERT_USAGE, "20000 bytes, its header says");
    assert_int_equal(truncate(file, 10), 0);
    refuses(ERT_USAGE, "not an input file");
    assert_int_equal(ert_file_write(file, "", 0, &error), ERT_OK);
    refuses(ERT_USAGE, "not an input file");
}

static void values_that_are_not_finite_are_named(void **state)
{
    (void)state;
    struct ert_error error;
    struct gpp_problem problem;
    assert_int_equal(gpp_problem_generate(&sizes, 3, &problem, &error), ERT_OK);
    problem.eps[2 * (2 * 7 + 4) + 1] = NAN;
    assert_int_equal(gpp_problem_save(file, &problem, &error), ERT_OK);
    refuses(ERT_USAGE, "eps[2][4], imaginary part: nan, must be finite");
    problem.eps[2 * (2 * 7 + 4) + 1] = 0;
    problem.wx[3 * 2 + 1] = -INFINITY;
    assert_int_equal(gpp_problem_save(file, &problem, &error), ERT_OK);
    refuses(ERT_USAGE, "wx[3][1]: -inf");
    gpp_problem_free(&problem);
}

static void places_that_cannot_be(void **state)
{
    (void)state;
    struct ert_error error;
    struct gpp_problem problem;
    assert_int_equal(gpp_problem_load("/no/such", &problem, &error), ERT_USAGE);
    assert_contains(error.text, "/no/such: cannot read");
    assert_int_equal(gpp_problem_load("/tmp", &problem, &error), ERT_USAGE);
    assert_contains(error.text, "not a regular file");
    assert_int_equal(gpp_problem_generate(&sizes, 3, &problem, &error), ERT_OK);
    assert_int_equal(gpp_problem_save("/no/such/file", &problem, &error), ERT_FAILED);
    assert_contains(error.text, "/no/such/file: cannot write");
    gpp_problem_free(&problem);
}

/* What stands where the file is to go, or where it is written first, and is no plain file. */
static void nothing_is_written_through(void **state)
{
    (void)state;
    struct ert_error error;
    struct gpp_problem problem;
    struct stat about;
    char pipe[80], victim[80], link[96];
    snprintf(pipe, sizeof pipe, "%s/pipe", folder);
    snprintf(victim, sizeof victim, "%s/victim", folder);
    snprintf(link, sizeof link, "%s.%ld", file, (long)getpid());
    assert_int_equal(gpp_problem_generate(&sizes, 3, &problem, &error), ERT_OK);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(gpp_problem_save(pipe, &problem, &error), ERT_FAILED);
    assert_contains(error.text, "pipe: cannot write: not a regular file");
    assert_true(stat(pipe, &about) == 0 && S_ISFIFO(about.st_mode));
    assert_int_equal(ert_file_write(victim, "kept", 4, &error), ERT_OK);
    assert_int_equal(symlink(victim, link), 0);
    assert_int_equal(gpp_problem_save(file, &problem, &error), ERT_OK);
    assert_true(lstat(file, &about) == 0 && S_ISREG(about.st_mode));
    assert_true(stat(victim, &about) == 0 && about.st_size == 4);
    unlink(pipe);
    unlink(victim);
    gpp_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gives_the_same_problem),
        cmocka_unit_test(any_damage_is_found),
        cmocka_unit_test(other_lengths_are_refused),
        cmocka_unit_test(values_that_are_not_finite_are_named),
        cmocka_unit_test(places_that_cannot_be),
        cmocka_unit_test(nothing_is_written_through),
    };
    return cmocka_run_group_tests(tests, make, clean);
}
