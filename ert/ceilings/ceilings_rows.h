/*
 * ceilings_rows: how each element of a device's lists stands in JSON: the tables of keys, and the
 * words of enums. ceilings_json walks them.
 */
#ifndef ERT_CEILINGS_CEILINGS_ROWS_H
#define ERT_CEILINGS_CEILINGS_ROWS_H

#include "ert/base/json.h"
#include "ert/ceilings/ceilings.h"

/* One array inside struct ert_device_ceilings. */
struct ert_ceilings_list {
    const char *key;
    size_t list, count; /* offsets of the array and of its size_t length */
    size_t max;         /* elements that fit */
    size_t size_bytes;  /* of one element */
    bool required;      /* a file without it is refused; otherwise it is empty */
    bool (*write)(cJSON *object, const void *element); /* false: out of memory */
    enum ert_status (*read)(struct ert_json at, void *element, struct ert_error *error);
};

enum { ERT_N_CEILINGS_LISTS = 5 + ERT_N_EXTRA_KINDS };
extern const struct ert_ceilings_list ert_ceilings_lists[ERT_N_CEILINGS_LISTS];

#endif
