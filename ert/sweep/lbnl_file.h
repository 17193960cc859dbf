/*
 * lbnl_file: a configuration file of LBNL's ERT 1.1.0 as keys and values, read as its Python/ert_core.py
 * and ert_utils.py do (https://bitbucket.org/berkeleylab/cs-roofline-toolkit): a key and words per
 * line, '#' in the first column for comments, the last of several lines of a key counts. What the keys
 * mean is config_ert.h's business.
 */
#ifndef ERT_SWEEP_LBNL_FILE_H
#define ERT_SWEEP_LBNL_FILE_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ERT_LBNL_MAX_KEYS = 96, ERT_LBNL_TEXT = 512, ERT_LBNL_MAX_SET = 4096 };

struct ert_lbnl_row {
    size_t line; /* from 1 */
    char key[64];
    char value[ERT_LBNL_TEXT]; /* the words, one blank between them; "" none */
    bool was_there;            /* an earlier line had the key too */
};

struct ert_lbnl_file {
    const char *name; /* for errors; lives as long as this */
    size_t n;
    struct ert_lbnl_row rows[ERT_LBNL_MAX_KEYS];
};

/* Whether the head of a file is such a configuration: its first line with words begins with ERT_. */
bool ert_lbnl_recognizes(const char *head);

/* Reads all of it. ERT_USAGE names file and line of what is too long or too much. */
enum ert_status ert_lbnl_read(const char *name, struct ert_lbnl_file *file,
                              struct ert_error *error);

/* The row of a key, or NULL. */
const struct ert_lbnl_row *ert_lbnl_find(const struct ert_lbnl_file *file, const char *key);

/* Fails with ERT_USAGE: "FILE: line N: KEY: 'VALUE', TEXT". */
enum ert_status ert_lbnl_fail(const struct ert_lbnl_file *file,
                              const struct ert_lbnl_row *row, struct ert_error *error,
                              const char *text);

/* "True" or not: every other word is false in ERT; a word that is neither here is an error. */
enum ert_status ert_lbnl_flag(const struct ert_lbnl_file *file, const char *key,
                              bool *value, struct ert_error *error);

/*
 * A whole number from min to max, as a C compiler takes it: "1073741824", "0x10", "64UL". An absent
 * key leaves *value.
 */
enum ert_status ert_lbnl_number(const struct ert_lbnl_file *file, const char *key,
                                uint64_t min, uint64_t max, uint64_t *value,
                                struct ert_error *error);

/* Numbers and ranges, "1,2,6-8", ascending and each once. *n is 0 for an absent key. */
enum ert_status ert_lbnl_set(const struct ert_lbnl_file *file, const char *key,
                             uint32_t set[ERT_LBNL_MAX_SET], size_t *n,
                             struct ert_error *error);

#endif
