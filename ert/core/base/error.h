/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * error: how a function of this project says that it failed.
 *
 * What can fail returns an ert_status and takes a struct ert_error last. The first function that
 * knows what went wrong writes the text (what, which, value, limit); callers pass it on unchanged.
 * Nothing here prints or exits: only the cli modules do, and alloc.h where memory runs out.
 */
#ifndef ERT_BASE_ERROR_H
#define ERT_BASE_ERROR_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of elements of an array. */
#define ERT_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* The values are the exit codes of the three programs. */
enum ert_status {
    ERT_OK = 0,
    ERT_FAILED = 1,
    ERT_USAGE = 2,       /* bad words, options, config values or input files */
    ERT_UNAVAILABLE = 3, /* not to be had on this machine or in this build */
    ERT_NOT_VALID = 4    /* measured, but under conditions that make the numbers invalid */
};

struct ert_error {
    enum ert_status status;
    char text[2048];
};

/*
 * Writes a formatted text (cut at 2047 bytes) and the status into *error and returns the status,
 * so that a caller can write `return ert_fail(error, ERT_USAGE, ...)`. error may be NULL.
 */
enum ert_status ert_fail(struct ert_error *error, enum ert_status status,
                         const char *format, ...) __attribute__((format(printf, 3, 4)));

/* vsnprintf(3), but that a text that is cut ends with "...". */
void ert_vformat(char *text, size_t size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* In a function whose last parameters are a format and its arguments: what they say into text[size]. */
#define ERT_FORMAT(text, size, format)                                                     \
    do {                                                                                   \
        va_list ert_arguments;                                                             \
        va_start(ert_arguments, format);                                                   \
        ert_vformat(text, size, format, ert_arguments);                                    \
        va_end(ert_arguments);                                                             \
    } while (0)

/* Appends to text[size]; what does not fit is cut. */
void ert_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends ", NAME" (first "NAME") to a list of what there is, as errors say it; what does not fit is cut. */
void ert_list_add(char *list, size_t size, const char *name);

/*
 * The row of a name among n rows of `size` bytes that begin with a const char *, NULL: none; list[LIST] has
 * all their names then, as errors list them.
 */
enum { ERT_LIST_TEXT = 256 };
const void *ert_list_find(const void *rows, size_t n, size_t size, const char *name,
                          char list[ERT_LIST_TEXT]);

/*
 * The index of a word in a NULL-terminated list, SIZE_MAX: it is none of them; list[size], if it is not NULL,
 * has all of them then.
 */
size_t ert_word_find(const char *const *words, const char *word, char *list, size_t size);

/* Passes a failure of `call` on to the caller of the function it stands in. */
#define ERT_TRY(call)                                                                      \
    do {                                                                                   \
        enum ert_status ert_try_status = (call);                                           \
        if (ert_try_status != ERT_OK)                                                      \
            return ert_try_status;                                                         \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
