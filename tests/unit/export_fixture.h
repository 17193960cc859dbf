/* SPDX-License-Identifier: BSD-3-Clause */
/* export_fixture: an export of planted ceilings as text, for test_export*.c. */
#ifndef ERT_TESTS_UNIT_EXPORT_FIXTURE_H
#define ERT_TESTS_UNIT_EXPORT_FIXTURE_H

#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/ext/export/export.h"

/* The text of a format (malloc, the caller's), NULL with *error when it fails. */
__attribute__((unused)) static char *export_text(const char *format,
                                                 const struct ert_ceilings *ceilings,
                                                 const char *device,
                                                 struct ert_error *error)
{
    const struct rfl_exporter *exporter;
    struct rfl_export_options options = {device, true};
    char *text = NULL;
    size_t size;
    *error = (struct ert_error){ERT_OK, ""};
    assert_int_equal(rfl_exporter_find(format, &exporter, error), ERT_OK);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    enum ert_status status = rfl_export_write(exporter, ceilings, &options, out, error);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(status, error->status);
    if (status == ERT_OK) {
        assert_null(strstr(text, "nan"));
        assert_null(strstr(text, "inf\n"));
        return text;
    }
    free(text);
    return NULL;
}

/* That a format gives exactly this text of a planted machine. */
__attribute__((unused)) static void gives_text(const char *format, enum planted which,
                                               const char *device, const char *expected)
{
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(which);
    char *text = export_text(format, &ceilings, device, &error);
    if (!text)
        fail_msg("%s: %s", format, error.text);
    assert_string_equal(text, expected);
    free(text);
    ert_ceilings_free(&ceilings);
}

/* That it fails with this status and says these words. */
__attribute__((unused)) static void refuses(const char *format, enum planted which,
                                            const char *device, enum ert_status status,
                                            const char *words)
{
    struct ert_error error;
    struct ert_ceilings ceilings = planted_make(which);
    char *text = export_text(format, &ceilings, device, &error);
    assert_null(text);
    assert_int_equal(error.status, status);
    assert_contains(error.text, words);
    ert_ceilings_free(&ceilings);
}

#endif
