/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/error.h"

#include <stdint.h>
#include <string.h>

void ert_vformat(char *text, size_t size, const char *format, va_list arguments)
{
    static const char cut[] = "...";
    if (vsnprintf(text, size, format, arguments) >= (int)size && size > sizeof cut) {
        size_t at = size - sizeof cut;
        while (at > 0 && (text[at] & 0xC0) == 0x80) /* not within a character of UTF-8 */
            at--;
        memcpy(text + at, cut, sizeof cut);
    }
}

enum ert_status ert_fail(struct ert_error *error, enum ert_status status,
                         const char *format, ...)
{
    if (!error)
        return status;
    ERT_FORMAT(error->text, sizeof error->text, format);
    error->status = status;
    return status;
}

void ert_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    ERT_FORMAT(text + used, size - used, format);
}

void ert_list_add(char *list, size_t size, const char *name)
{
    ert_append(list, size, "%s%s", *list ? ", " : "", name);
}

const void *ert_list_find(const void *rows, size_t n, size_t size, const char *name,
                          char list[ERT_LIST_TEXT])
{
    list[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        const void *row = (const char *)rows + i * size;
        if (strcmp(*(const char *const *)row, name) == 0)
            return row;
        ert_list_add(list, ERT_LIST_TEXT, *(const char *const *)row);
    }
    return NULL;
}

size_t ert_word_find(const char *const *words, const char *word, char *list, size_t size)
{
    if (list)
        list[0] = '\0';
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], word) == 0)
            return i;
        if (list)
            ert_list_add(list, size, words[i]);
    }
    return SIZE_MAX;
}
