/* SPDX-License-Identifier: BSD-3-Clause */
/* fixture_file: files of tests/data as text. */
#ifndef ERT_TESTS_UNIT_FIXTURE_FILE_H
#define ERT_TESTS_UNIT_FIXTURE_FILE_H

#include "tests/unit/test.h"

#include "ert/core/base/file.h"

/* The text of tests/data/NAME (the caller frees it); fails the test when it cannot be read. */
static inline char *fixture_text(const char *name)
{
    const char *source = getenv("top_srcdir");
    char file[1024], *text;
    size_t size;
    struct ert_error error = {0};
    snprintf(file, sizeof file, "%s/tests/data/%s", source ? source : ".", name);
    if (ert_file_read(file, 64 << 20, &text, &size, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return text;
}

#endif
