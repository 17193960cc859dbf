/* SPDX-License-Identifier: BSD-3-Clause */
/* error: texts are kept, nothing overflows, NULL is allowed; and the clock and random modules. */
#include "tests/unit/test.h"

#include "ert/core/base/clock.h"
#include "ert/core/base/random.h"

static enum ert_status pass_on(enum ert_status inner, int *reached, struct ert_error *error)
{
    ERT_TRY(inner == ERT_OK ? ERT_OK : ert_fail(error, inner, "which: %d, limit %d", 7, 5));
    *reached += 1;
    return ERT_OK;
}

static void status_and_text_are_kept(void **state)
{
    struct ert_error error = {0};
    int reached = 0;
    assert_int_equal(pass_on(ERT_UNAVAILABLE, &reached, &error), ERT_UNAVAILABLE);
    assert_int_equal(error.status, ERT_UNAVAILABLE);
    assert_string_equal(error.text, "which: 7, limit 5");
    assert_int_equal(reached, 0);
    assert_int_equal(pass_on(ERT_OK, &reached, &error), ERT_OK);
    assert_int_equal(reached, 1);
    assert_int_equal(pass_on(ERT_USAGE, &reached, NULL), ERT_USAGE);
}

static void a_long_text_is_cut(void **state)
{
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct ert_error error = {0};
    assert_int_equal(ert_fail(&error, ERT_FAILED, "%s", text), ERT_FAILED);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_string_equal(error.text + sizeof error.text - 5, "x...");
    char small[8] = "a", least[3] = "";
    ert_append(small, sizeof small, "%s",
               "bc\xc3\xa9\xc3\xa9\xc3\xa9"); /* e with an accent */
    assert_string_equal(small, "abc...");
    ert_append(least, sizeof least, "%s", "abc");
    assert_string_equal(least, "ab");
}

static void the_values_are_the_exit_codes(void **state)
{
    assert_int_equal(ERT_OK, 0);
    assert_int_equal(ERT_FAILED, 1);
    assert_int_equal(ERT_USAGE, 2);
    assert_int_equal(ERT_UNAVAILABLE, 3);
    assert_int_equal(ERT_NOT_VALID, 4);
}

static void the_clock_never_goes_back(void **state)
{
    double last_s = ert_clock_now_s();
    for (int i = 0; i < 1000; i++) {
        double now_s = ert_clock_now_s();
        assert_true(now_s >= last_s);
        last_s = now_s;
    }
    ert_clock_sleep_s(-1);
    ert_clock_sleep_s(0);
    ert_clock_sleep_s(NAN);
    double start_s = ert_clock_now_s();
    ert_clock_sleep_s(2e-3);
    assert_true(ert_clock_now_s() - start_s >= 2e-3); /* "at least" is the contract */
}

static void dates_are_iso_8601(void **state)
{
    char text[21], small[5] = "full";
    ert_clock_date(text, sizeof text);
    assert_int_equal(strlen(text), 20);
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    for (size_t i = 0; i < 20; i++) {
        if (form[i] == 'd')
            assert_in_range(text[i], '0', '9');
        else
            assert_int_equal(text[i], form[i]);
    }
    ert_clock_date(small, sizeof small);
    assert_string_equal(small, "");
}

/*
 * SplitMix64 with seed 1234567: the first outputs of the reference implementation (Vigna,
 * https://prng.di.unimi.it/splitmix64.c), as many projects' tests list them.
 */
static void random_numbers_are_splitmix64(void **state)
{
    static const uint64_t expected[] = {UINT64_C(6457827717110365317),
                                        UINT64_C(3203168211198807973),
                                        UINT64_C(9817491932198370423)};
    for (uint64_t i = 0; i < 3; i++)
        assert_true(ert_random_u64(1234567, i) == expected[i]);
    for (uint64_t i = 0; i < 1000; i++) {
        double unit = ert_random_unit(3, i);
        assert_true(unit >= 0 && unit < 1);
    }
}

static void rows_are_found_by_name(void **state)
{
    static const struct {
        const char *name;
        int value;
    } rows[] = {
        {"one", 1},
        {"two", 2}
    };
    char list[ERT_LIST_TEXT] = "before";
    assert_ptr_equal(ert_list_find(rows, 2, sizeof rows[0], "two", list), &rows[1]);
    assert_null(ert_list_find(rows, 2, sizeof rows[0], "twos", list));
    assert_string_equal(list, "one, two");
    assert_null(ert_list_find(rows, 0, sizeof rows[0], "one", list));
    assert_string_equal(list, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_and_text_are_kept),
        cmocka_unit_test(a_long_text_is_cut),
        cmocka_unit_test(the_values_are_the_exit_codes),
        cmocka_unit_test(the_clock_never_goes_back),
        cmocka_unit_test(dates_are_iso_8601),
        cmocka_unit_test(random_numbers_are_splitmix64),
        cmocka_unit_test(rows_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
