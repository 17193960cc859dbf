/*
 * machine_rows: the fields of struct ert_machine as rows (key, kind, place), one table per struct,
 * so that writing, reading and their tests cannot drift apart. Private to the machine room.
 */
#ifndef ERT_MACHINE_MACHINE_ROWS_H
#define ERT_MACHINE_MACHINE_ROWS_H

#include "ert/machine/machine.h"

enum ert_member_kind {
    ERT_MEMBER_TEXT,    /* char[size] */
    ERT_MEMBER_U32,     /* uint32_t */
    ERT_MEMBER_U64,     /* uint64_t; 0 is unknown and written as null */
    ERT_MEMBER_NUMBER,  /* double; 0 is unknown and written as null */
    ERT_MEMBER_LOAD,    /* double; negative is unknown and written as null */
    ERT_MEMBER_ORDINAL, /* int, from 0 */
    ERT_MEMBER_FLAG,    /* bool */
    ERT_N_MEMBER_KINDS
};

struct ert_member {
    const char *key; /* with the unit; NULL ends a table */
    enum ert_member_kind kind;
    size_t offset, size;
};

extern const struct ert_member ert_provenance_rows[], ert_device_rows[], ert_level_rows[],
    ert_cpu_rows[], ert_isa_rows[], ert_numa_rows[], ert_core_kind_rows[], ert_gpu_rows[];

/* The words of the enums, in their order, NULL-terminated. */
extern const char *const ert_device_kind_words[], *const ert_level_kind_words[];

#endif
