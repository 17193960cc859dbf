/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fields: structs to JSON objects and back by one table of rows per struct, so that what is written
 * and what is read cannot drift apart. It knows no schema.
 */
#ifndef ERT_BASE_FIELDS_H
#define ERT_BASE_FIELDS_H

#include "ert/core/base/json.h"

#include <stddef.h>

enum ert_field_kind {
    ERT_FIELD_TEXT,   /* char[size] */
    ERT_FIELD_TIME,   /* char[size]; "" or as ert_clock_date() writes it */
    ERT_FIELD_NUMBER, /* double, 0 to ERT_FIELD_MAX */
    ERT_FIELD_MAYBE,  /* double; negative is unknown and written as null */
    ERT_FIELD_SIZE,   /* double, 0 to 2^62: what becomes a uint64_t */
    ERT_FIELD_U64,    /* uint64_t; what cJSON's doubles hold */
    ERT_FIELD_COUNT,  /* uint32_t, or an int that is never negative */
    ERT_FIELD_FLAG,   /* bool */
    ERT_FIELD_SWITCH, /* bool, as 0 or 1 */
    ERT_FIELD_WORD    /* an enum, as its word */
};

/* Above any rate or size of a machine; what is larger is a mistake of the file. */
#define ERT_FIELD_MAX 1e24

/* What a row's 0 means, and whether its key must be there. */
enum ert_field_zero {
    ERT_ZERO_VALUE,    /* required; 0 is a value */
    ERT_ZERO_OPTIONAL, /* 0 is a value, and what an absent key means */
    ERT_ZERO_NULL,     /* optional; 0 is unknown, written as null */
    ERT_ZERO_LEFT_OUT  /* optional; 0 is not written */
};

struct ert_field {
    const char *group; /* key of the nested object that it stands in, or NULL */
    const char *key;
    enum ert_field_kind kind;
    enum ert_field_zero zero;
    size_t offset;            /* in the struct */
    size_t size;              /* of a text */
    double min, max;          /* of numbers; max 0: the kind's own limits */
    const char *const *words; /* of a word: by the enum's values, NULL-terminated */
};

/* Rows. ROW: a number or flag of the kind. WITHIN: with limits. FLAG: optional. EXACT: required, 0 too. */
#define ERT_ROW(type, group_, key_, kind_, member, zero_)                                  \
    {                                                                                      \
        .group = (group_), .key = (key_), .kind = ERT_FIELD_##kind_,                       \
        .zero = ERT_ZERO_##zero_, .offset = offsetof(type, member)                         \
    }
#define ERT_ROW_WITHIN(type, key_, kind_, member, zero_, min_, max_)                       \
    {                                                                                      \
        .key = (key_), .kind = ERT_FIELD_##kind_, .zero = ERT_ZERO_##zero_,                \
        .offset = offsetof(type, member), .min = (min_), .max = (max_)                     \
    }
#define ERT_ROW_WORD(type, key_, words_, member)                                           \
    {                                                                                      \
        .key = (key_), .kind = ERT_FIELD_WORD, .offset = offsetof(type, member),           \
        .words = (words_)                                                                  \
    }
#define ERT_ROW_TEXT(type, group_, key_, member, required)                                 \
    {                                                                                      \
        .group = (group_), .key = (key_), .kind = ERT_FIELD_TEXT,                          \
        .zero = (required) ? ERT_ZERO_VALUE : ERT_ZERO_OPTIONAL,                           \
        .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)              \
    }
#define ERT_ROW_TIME(type, key_, member, zero_)                                            \
    {                                                                                      \
        .key = (key_), .kind = ERT_FIELD_TIME, .zero = ERT_ZERO_##zero_,                   \
        .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)              \
    }
#define ERT_ROW_FLAG(type, group, key, member)                                             \
    ERT_ROW(type, group, key, FLAG, member, OPTIONAL)
#define ERT_ROW_EXACT(type, key, kind, member) ERT_ROW(type, NULL, key, kind, member, VALUE)

/* The rows of an array and their number, as the functions below take them. */
#define ERT_ROWS(rows) (rows), ERT_LENGTH(rows)

/*
 * Adds the fields of *source to the object. What memory lacks for is left out, and malloc(3) has set errno to
 * ENOMEM: who makes a tree that is to be written looks at that once, at its end, in place of each
 * cJSON_Add...().
 */
void ert_fields_write(cJSON *object, const struct ert_field *rows, size_t n_rows,
                      const void *source);

/*
 * Reads them into *target. Absent and null fields stay as they are unless required; unknown keys are
 * accepted. ERT_USAGE with file, path, value and limit.
 */
enum ert_status ert_fields_read(struct ert_json at, const struct ert_field *rows,
                                size_t n_rows, void *target, struct ert_error *error);

/* n structs of size_bytes each as an array of objects under `key`, and back: at most n_max of them. */
void ert_fields_write_list(cJSON *object, const char *key, const struct ert_field *rows,
                           size_t n_rows, const void *source, size_t size_bytes, size_t n);
enum ert_status ert_fields_read_list(struct ert_json at, const char *key,
                                     const struct ert_field *rows, size_t n_rows,
                                     void *target, size_t size_bytes, size_t n_max,
                                     uint32_t *n, struct ert_error *error);

/*
 * n structs of numbers as one array per row, and back: arrays of another length than n are ERT_USAGE;
 * one that is absent leaves its members, unless it is required.
 */
void ert_fields_write_columns(cJSON *object, const struct ert_field *rows, size_t n_rows,
                              const void *source, size_t size_bytes, size_t n);
enum ert_status ert_fields_read_columns(struct ert_json at, const struct ert_field *rows,
                                        size_t n_rows, void *target, size_t size_bytes,
                                        size_t n, struct ert_error *error);

#endif
