/* SPDX-License-Identifier: BSD-3-Clause */
/* strings: the same text is the same pointer, however many and however long. */
#include "tests/unit/test.h"

#include "analysis/strings.h"

static void the_same_text_is_the_same_pointer(void **state)
{
    (void)state;
    struct ert_strings strings = {0};
    char text[] = "kernel";
    const char *first = ert_strings_keep(&strings, text);
    text[0] = 'K';
    assert_string_equal(first, "kernel");
    assert_ptr_equal(ert_strings_keep(&strings, "kernel"), first);
    assert_ptr_not_equal(ert_strings_keep(&strings, text), first);
    assert_string_equal(ert_strings_keep(&strings, ""), "");
    assert_ptr_equal(ert_strings_keep(&strings, ""), ert_strings_keep(&strings, ""));
    ert_strings_free(&strings);
    ert_strings_free(&strings);
}

static void pointers_stay_as_the_store_grows(void **state)
{
    (void)state;
    enum { N = 5000 };
    static const char *kept[N];
    struct ert_strings strings = {0};
    char text[64];
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "void kernel_%d(double const *, int)", i);
        kept[i] = ert_strings_keep(&strings, text);
    }
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "void kernel_%d(double const *, int)", i);
        assert_string_equal(kept[i], text);
        assert_ptr_equal(ert_strings_keep(&strings, text), kept[i]);
    }
    assert_int_equal(strings.n_texts, N);
    assert_int_equal(ert_strings_find(&strings, kept[N - 1]), N - 1);
    assert_int_equal(ert_strings_find(&strings, "none"), SIZE_MAX);
    ert_strings_free(&strings);
}

/* Texts around the size of a block, and far above it, between short ones. */
static void long_texts(void **state)
{
    (void)state;
    static const size_t lengths[] = {70000, 2, 1, 65534, 3, 65535, 65536, 5, 300000, 7};
    enum { N = sizeof lengths / sizeof lengths[0] };
    const char *kept[N];
    struct ert_strings strings = {0};
    for (size_t i = 0; i < N; i++) {
        char *text = malloc(lengths[i] + 1);
        assert_non_null(text);
        memset(text, 'a' + (int)i, lengths[i]);
        text[lengths[i]] = '\0';
        kept[i] = ert_strings_keep(&strings, text);
        free(text);
    }
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(strlen(kept[i]), lengths[i]);
        assert_int_equal(kept[i][lengths[i] - 1], 'a' + (int)i);
    }
    ert_strings_free(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_is_the_same_pointer),
        cmocka_unit_test(pointers_stay_as_the_store_grows),
        cmocka_unit_test(long_texts),
    };
    return cmocka_run_group_tests_name("strings", tests, NULL, NULL);
}
