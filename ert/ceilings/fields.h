/*
 * fields: structs to JSON objects and back by one table of rows per struct, so that what is written
 * and what is read cannot drift apart. It knows no schema; ceilings_json has the tables.
 */
#ifndef ERT_CEILINGS_FIELDS_H
#define ERT_CEILINGS_FIELDS_H

#include "ert/base/json.h"

#include <stdbool.h>
#include <stddef.h>

enum ert_field_kind {
    ERT_FIELD_TEXT,      /* char[size] */
    ERT_FIELD_NUMBER,    /* double, 0 to ERT_FIELD_MAX */
    ERT_FIELD_SIZE,      /* double, 0 to 2^62: what becomes a uint64_t */
    ERT_FIELD_COUNT,     /* uint32_t */
    ERT_FIELD_FLAG,      /* bool */
    ERT_FIELD_RANGE,     /* two doubles as [low, high], low <= high not required */
    ERT_FIELD_RATE,      /* as NUMBER; the key gets the rate's unit as its suffix */
    ERT_FIELD_RATE_RANGE /* as RANGE, with the suffix */
};

/* Above any rate or size of a machine; what is larger is a mistake of the file. */
#define ERT_FIELD_MAX 1e24

struct ert_field {
    const char *group; /* key of the nested object that it stands in, or NULL */
    const char *key;
    enum ert_field_kind kind;
    size_t offset;     /* in the struct */
    size_t size;       /* of a text; of a range: offset of its second number */
    bool required;     /* a file without it is refused */
    bool zero_unknown; /* 0 is written as null */
};

/*
 * Row generators. UNKNOWN: optional, 0 is unknown and stands as null. FLAG: optional. EXACT: required,
 * and 0 is a value. RANGE: required, two members as [low, high].
 */
#define ERT_ROW_TEXT(type, group, key, member, required)                                   \
    {                                                                                      \
        group, key, ERT_FIELD_TEXT, offsetof(type, member), sizeof(((type *)0)->member),   \
            required, 0                                                                    \
    }
#define ERT_ROW_UNKNOWN(type, group, key, kind, member)                                    \
    {                                                                                      \
        group, key, ERT_FIELD_##kind, offsetof(type, member), 0, false, true               \
    }
#define ERT_ROW_FLAG(type, group, key, member)                                             \
    {                                                                                      \
        group, key, ERT_FIELD_FLAG, offsetof(type, member), 0, false, false                \
    }
#define ERT_ROW_EXACT(type, key, kind, member)                                             \
    {                                                                                      \
        NULL, key, ERT_FIELD_##kind, offsetof(type, member), 0, true, false                \
    }
#define ERT_ROW_RANGE(type, key, kind, low, high)                                          \
    {                                                                                      \
        NULL, key, ERT_FIELD_##kind, offsetof(type, low), offsetof(type, high), true,      \
            false                                                                          \
    }

/* The rows of an array and their number, as the two functions below take them. */
#define ERT_ROWS(rows) (rows), sizeof(rows) / sizeof((rows)[0])

/*
 * Adds the fields of *source to the object. suffix: "_flop_per_s" or "_bytes_per_s", what rates are
 * named by. False when memory runs out.
 */
bool ert_fields_write(cJSON *object, const struct ert_field *rows, size_t n_rows,
                      const char *suffix, const void *source);

/*
 * Reads them into *target. Absent and null fields stay 0 or "" unless required; unknown keys are
 * accepted. ERT_USAGE with file, path, value and limit.
 */
enum ert_status ert_fields_read(struct ert_json at, const struct ert_field *rows,
                                size_t n_rows, const char *suffix, void *target,
                                struct ert_error *error);

#endif
