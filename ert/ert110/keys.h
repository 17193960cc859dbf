/*
 * ert110_keys: a configuration file of LBNL's ERT 1.1.0 as keys and values, read as its Python/ert_core.py
 * and ert_utils.py do (https://bitbucket.org/berkeleylab/cs-roofline-toolkit): a key and words per
 * line, '#' in the first column for comments, the last of several lines of a key counts. What the keys
 * mean is ert110_file.h's business.
 */
#ifndef ERT_ERT110_KEYS_H
#define ERT_ERT110_KEYS_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ERT110_MAX_KEYS = 96, ERT110_TEXT = 512, ERT110_MAX_SET = 4096 };

struct ert110_row {
    size_t line; /* from 1 */
    char key[64];
    char value[ERT110_TEXT]; /* the words, one blank between them; "" none */
    bool was_there;          /* an earlier line had the key too */
};

struct ert110_file {
    const char *name; /* for errors; lives as long as this */
    size_t n;
    struct ert110_row rows[ERT110_MAX_KEYS];
};

/* Whether the head of a file is such a configuration: its first line with words begins with ERT_. */
bool ert110_recognizes(const char *head);

/* Reads all of it. ERT_USAGE names file and line of what is too long or too much. */
enum ert_status ert110_read(const char *name, struct ert110_file *file,
                            struct ert_error *error);

/* The row of a key, or NULL. */
const struct ert110_row *ert110_find(const struct ert110_file *file, const char *key);

/* Fails with ERT_USAGE: "FILE: line N: KEY: 'VALUE', TEXT". */
enum ert_status ert110_fail(const struct ert110_file *file, const struct ert110_row *row,
                            struct ert_error *error, const char *text);

/* "True" or not: every other word is false in ERT; a word that is neither here is an error. */
enum ert_status ert110_flag(const struct ert110_file *file, const char *key, bool *value,
                            struct ert_error *error);

/*
 * A whole number from min to max, as a C compiler takes it: "1073741824", "0x10", "64UL". An absent
 * key leaves *value.
 */
enum ert_status ert110_number(const struct ert110_file *file, const char *key, uint64_t min,
                              uint64_t max, uint64_t *value, struct ert_error *error);

/* Numbers and ranges, "1,2,6-8", ascending and each once. *n is 0 for an absent key. */
enum ert_status ert110_set(const struct ert110_file *file, const char *key,
                           uint32_t set[ERT110_MAX_SET], size_t *n,
                           struct ert_error *error);

#endif
