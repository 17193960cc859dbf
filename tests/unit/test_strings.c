/* SPDX-License-Identifier: BSD-3-Clause */
/* strings: the same text is the same pointer, however many and however long. */
#include "tests/unit/test.h"

#include "analysis/core/points/points.h"

#include <stdint.h>
#include <sys/auxv.h>

/* The store itself, with its comparisons counted. */
static size_t n_compared;

static int compare_counted(const char *a, const char *b)
{
    n_compared++;
    return strcmp(a, b);
}
#define strcmp compare_counted
#include "ert/core/base/strings.c"
#undef strcmp

static void the_same_text_is_the_same_pointer(void **state)
{
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

/* Lists that grow by turns of 1 and 5 entries, so in place and to another one, between texts. */
static void lists_keep_what_they_have(void **state)
{
    enum { N = 3000 };
    struct ert_strings strings = {0};
    size_t *lists[2] = {NULL, NULL}, n[2] = {0, 0};
    for (size_t i = 0; i < 2 * N; i++) {
        const size_t l = i % 6 == 0, bytes = sizeof *lists[l];
        lists[l] = ert_strings_grow(&strings, lists[l], n[l] * bytes, (n[l] + 1) * bytes);
        assert_int_equal((uintptr_t)lists[l] % bytes, 0);
        lists[l][n[l]++] = i;
        if (i % 7 == 0)
            ert_strings_format(&strings, "%zu", i);
    }
    for (size_t i = 0; i < n[1]; i++)
        assert_int_equal(lists[1][i], 6 * i);
    for (size_t i = 0; i < n[0]; i++)
        assert_int_equal(lists[0][i], i + i / 5 + 1);
    ert_strings_free(&strings);
}

static uint64_t fnv_1a(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

/* Texts of a file that were chosen to share a slot by a hash without a key, for each size of the table. */
static void texts_that_were_chosen_to_collide_do_not(void **state)
{
    enum { N = 1000, LEAST_SLOTS = 16 };
    struct ert_strings strings = {0};
    char text[32];
    n_compared = 0;
    for (unsigned i = 0; strings.n_texts < N; i++) {
        size_t n_slots = LEAST_SLOTS;
        while (n_slots < 2 * N)
            n_slots = 2 * n_slots + LEAST_SLOTS;
        snprintf(text, sizeof text, "n%u", i);
        if (fnv_1a(text) % n_slots == 0)
            ert_strings_index(&strings, text);
    }
    assert_true(n_compared < 10 * N);
    ert_strings_free(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_is_the_same_pointer),
        cmocka_unit_test(pointers_stay_as_the_store_grows),
        cmocka_unit_test(long_texts),
        cmocka_unit_test(lists_keep_what_they_have),
        cmocka_unit_test(texts_that_were_chosen_to_collide_do_not),
    };
    return cmocka_run_group_tests_name("strings", tests, NULL, NULL);
}
