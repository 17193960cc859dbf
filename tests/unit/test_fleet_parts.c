/* SPDX-License-Identifier: BSD-3-Clause */
/* parts: texts are whole again whatever comes between their parts, and never become another text. */
#include "tests/unit/test.h"

#include "ert/base/alloc.h"
#include "ert/fleet/parts.h"

/* A text of `size` bytes that differs with `seed` in every place. */
static char *make_text(size_t size, unsigned seed)
{
    char *text = ert_xcalloc(size + 1, 1);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)('!' + (i * i + seed + i / 7) % 90);
    return text;
}

enum { MOST_LINES = 4096 };

/* Its parts, without their newlines, and how many; every line is short. */
static size_t split(const char *text, char *lines[MOST_LINES])
{
    char *all = NULL, *rest = NULL;
    size_t size, n = 0;
    FILE *out = open_memstream(&all, &size);
    ert_parts_write(out, text);
    fclose(out);
    for (char *line = strtok_r(all, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        assert_true(strlen(line) < ERT_PART_BYTES);
        assert_true(n < MOST_LINES);
        lines[n++] = ert_xstrdup(line);
    }
    free(all);
    return n;
}

static void free_lines(char *lines[MOST_LINES], size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(lines[i]);
}

static void texts_of_any_size_come_back(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 400, 470, 511, 512, 513, 1000, 12345, 1 << 20};
    for (size_t k = 0; k < ERT_LENGTH(sizes); k++) {
        static char *lines[MOST_LINES];
        struct ert_parts parts = {0};
        char *text = make_text(sizes[k], 3), *back = NULL;
        size_t n = split(text, lines);
        for (size_t i = 0; i + 1 < n; i++)
            assert_int_equal(ert_parts_add(&parts, lines[i], &back), ERT_PART_KEPT);
        assert_int_equal(ert_parts_add(&parts, lines[n - 1], &back), ERT_PART_LAST);
        assert_string_equal(back, text);
        assert_int_equal(parts.n, 0);
        free(back);
        free(text);
        free_lines(lines, n);
        ert_parts_free(&parts);
    }
}

/* Two texts, the lines of one in reverse, with lines of others between them. */
static void texts_may_be_mixed(void **state)
{
    (void)state;
    static char *a[MOST_LINES], *b[MOST_LINES];
    struct ert_parts parts = {0};
    char *first = make_text(5000, 1), *second = make_text(5000, 2), *back = NULL;
    size_t n = split(first, a), n_whole = 0;
    assert_int_equal(split(second, b), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(ert_parts_add(&parts, "Module loaded", &back), ERT_PART_NONE);
        for (int k = 0; k < 2; k++)
            if (ert_parts_add(&parts, k ? b[n - 1 - i] : a[i], &back) == ERT_PART_LAST) {
                assert_string_equal(back, k ? second : first);
                free(back);
                n_whole++;
            }
    }
    assert_int_equal(n_whole, 2);
    free(first);
    free(second);
    free_lines(a, n);
    free_lines(b, n);
    ert_parts_free(&parts);
}

static void a_wrong_byte_is_no_text(void **state)
{
    (void)state;
    static char *lines[MOST_LINES];
    struct ert_parts parts = {0};
    char *text = make_text(2000, 5), *back = NULL;
    size_t n = split(text, lines);
    lines[1][300] ^= 1;
    for (size_t i = 0; i + 1 < n; i++)
        assert_int_equal(ert_parts_add(&parts, lines[i], &back), ERT_PART_KEPT);
    assert_int_equal(ert_parts_add(&parts, lines[n - 1], &back), ERT_PART_NONE);
    assert_null(back);
    assert_int_equal(parts.n, 0);
    free(text);
    free_lines(lines, n);
    ert_parts_free(&parts);
}

static void what_is_no_part_is_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "ert-part",
        "ert-part x 5 0 hello",
        "ert-part 0000000000000001 5 0",
        "ert-part 0000000000000001 5 0 too long",
        "ert-part 0000000000000001 5 5 a",
        "ert-part 0000000000000001 5 3 abc",
        "ert-part 0000000000000001 -1 0 a",
        "ert-part 0000000000000001 99999999999999999999999 0 a",
        "ert-part 0000000000000001 1048577 0 a",
        " ert-part 0000000000000001 1 0 a", /* and of that size, but with another hash: */
        "ert-part 0000000000000001 1 0 a",
    };
    struct ert_parts parts = {0};
    char *text = NULL;
    for (size_t i = 0; i < ERT_LENGTH(cases); i++)
        if (ert_parts_add(&parts, cases[i], &text) != ERT_PART_NONE)
            fail_msg("taken: %s", cases[i]);
    assert_null(text);
    ert_parts_free(&parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_any_size_come_back),
        cmocka_unit_test(texts_may_be_mixed),
        cmocka_unit_test(a_wrong_byte_is_no_text),
        cmocka_unit_test(what_is_no_part_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
