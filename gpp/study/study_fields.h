/*
 * study_fields: the keys of study.json as rows: one table per object serves writing and reading.
 * Private to study_json.
 */
#ifndef GPP_STUDY_STUDY_FIELDS_H
#define GPP_STUDY_STUDY_FIELDS_H

#include "gpp/study/study.h"

#define GPP_STUDY_SCHEMA "ert-gpp-study/1"

enum gpp_field_kind {
    GPP_FIELD_NUMBER, /* double; NaN and infinity are left out */
    GPP_FIELD_U32,    /* 0 is left out */
    GPP_FIELD_SIZE,
    GPP_FIELD_BOOL,
    GPP_FIELD_TEXT, /* char[size]; "" is left out */
    GPP_FIELD_KEPT  /* const char * of the study's strings; "" is left out */
};

struct gpp_field {
    const char *key;
    enum gpp_field_kind kind;
    size_t offset, size;
};

struct gpp_fields {
    size_t n;
    const struct gpp_field *fields;
};

/* Of the structs that they are named after; formulas: struct gpp_counts. */
extern const struct gpp_fields gpp_fields_study, gpp_fields_sizes, gpp_fields_shares,
    gpp_fields_row, gpp_fields_formulas, gpp_fields_counted, gpp_fields_placed;

#endif
