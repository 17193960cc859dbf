/* The half of study_json that reads. */
#include "gpp/study/study_fields.h"
#include "gpp/study/study_json.h"

#include "ert/base/json.h"

#include <string.h>

static enum ert_status read_number(struct ert_json at, const struct gpp_field *field,
                                   struct rfl_strings *strings, void *to,
                                   struct ert_error *error)
{
    (void)strings;
    return ert_json_double(at, field->key, 0, 1e300, to, error);
}

static enum ert_status read_u32(struct ert_json at, const struct gpp_field *field,
                                struct rfl_strings *strings, void *to,
                                struct ert_error *error)
{
    uint64_t count;
    (void)strings;
    ERT_TRY(ert_json_u64(at, field->key, 0, UINT32_MAX, &count, error));
    *(uint32_t *)to = (uint32_t)count;
    return ERT_OK;
}

static enum ert_status read_size(struct ert_json at, const struct gpp_field *field,
                                 struct rfl_strings *strings, void *to,
                                 struct ert_error *error)
{
    uint64_t count;
    (void)strings;
    ERT_TRY(ert_json_u64(at, field->key, 0, INT32_MAX, &count, error));
    *(size_t *)to = (size_t)count;
    return ERT_OK;
}

static enum ert_status read_bool(struct ert_json at, const struct gpp_field *field,
                                 struct rfl_strings *strings, void *to,
                                 struct ert_error *error)
{
    (void)strings;
    return ert_json_bool(at, field->key, to, error);
}

static enum ert_status read_text(struct ert_json at, const struct gpp_field *field,
                                 struct rfl_strings *strings, void *to,
                                 struct ert_error *error)
{
    (void)strings;
    return ert_json_copy_string(at, field->key, to, field->size, error);
}

static enum ert_status read_kept(struct ert_json at, const struct gpp_field *field,
                                 struct rfl_strings *strings, void *to,
                                 struct ert_error *error)
{
    const char *text, *kept;
    ERT_TRY(ert_json_string(at, field->key, &text, error));
    kept = rfl_strings_keep(strings, text);
    if (!kept)
        return ert_fail(error, ERT_FAILED, "no memory for a text of %zu bytes",
                        strlen(text));
    *(const char **)to = kept;
    return ERT_OK;
}

static enum ert_status (*const readers[])(struct ert_json at, const struct gpp_field *field,
                                          struct rfl_strings *strings, void *to,
                                          struct ert_error *error) = {
    [GPP_FIELD_NUMBER] = read_number, [GPP_FIELD_U32] = read_u32,
    [GPP_FIELD_SIZE] = read_size,     [GPP_FIELD_BOOL] = read_bool,
    [GPP_FIELD_TEXT] = read_text,     [GPP_FIELD_KEPT] = read_kept,
};

static enum ert_status read_field(struct ert_json at, const struct gpp_field *field,
                                  struct rfl_strings *strings, void *base,
                                  struct ert_error *error)
{
    if (!ert_json_has(at, field->key))
        return ERT_OK;
    return readers[field->kind](at, field, strings, (char *)base + field->offset, error);
}

static enum ert_status read_fields(struct ert_json at, const struct gpp_fields *fields,
                                   struct rfl_strings *strings, void *base,
                                   struct ert_error *error)
{
    for (size_t i = 0; i < fields->n; i++)
        ERT_TRY(read_field(at, &fields->fields[i], strings, base, error));
    return ERT_OK;
}

/* The fields of an object that must be there. */
static enum ert_status read_object(struct ert_json at, const char *key,
                                   const struct gpp_fields *fields,
                                   struct rfl_strings *strings, void *base,
                                   struct ert_error *error)
{
    struct ert_json object;
    ERT_TRY(ert_json_object(at, key, &object, error));
    return read_fields(object, fields, strings, base, error);
}

static enum ert_status read_metrics(struct ert_json row, struct gpp_counted *counted,
                                    struct ert_error *error)
{
    struct ert_json at, metrics;
    ERT_TRY(ert_json_object(row, "counted", &at, error));
    if (!ert_json_has(at, "metrics"))
        return ERT_OK;
    ERT_TRY(ert_json_object(at, "metrics", &metrics, error));
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        if (ert_json_has(metrics, gpp_metrics[i].key))
            ERT_TRY(ert_json_double(metrics, gpp_metrics[i].key, 0, 1e300,
                                    &counted->values[i], error));
    return ERT_OK;
}

/* What others divide by. */
static enum ert_status check_formulas(struct ert_json at, const struct gpp_counts *counts,
                                      struct ert_error *error)
{
    if (!(counts->flops > 0))
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.formulas.flops_per_iteration: %g, must be above 0", at.file,
                        at.path, counts->flops);
    if (!(counts->launches >= 1))
        return ert_fail(error, ERT_USAGE,
                        "%s: %s.formulas.launches: %g, must be at least 1", at.file,
                        at.path, counts->launches);
    return ERT_OK;
}

static enum ert_status read_row(struct ert_json at, struct gpp_study *study,
                                struct ert_error *error)
{
    const char *name;
    const struct gpp_version *version;
    struct gpp_study_row *row;
    struct rfl_strings *strings = &study->strings;
    bool has_fma;
    struct ert_error unknown;
    ERT_TRY(ert_json_string(at, "version", &name, error));
    if (gpp_version_find(name, &version, &unknown) != ERT_OK)
        return ert_fail(error, ERT_USAGE, "%s: %s.version: %.400s", at.file, at.path,
                        unknown.text);
    ERT_TRY(ert_json_bool(at, "fma", &has_fma, error));
    ERT_TRY(gpp_study_add(study, version, 0, !has_fma, &row, error));
    ERT_TRY(read_fields(at, &gpp_fields_row, strings, row, error));
    if (row->nw < 1 || row->nw > GPP_MAX_NW)
        return ert_fail(error, ERT_USAGE, "%s: %s.nw: %zu, must be 1 to %d", at.file,
                        at.path, row->nw, GPP_MAX_NW);
    if (!gpp_row_is_measured(row))
        return ERT_OK;
    ERT_TRY(
        read_object(at, "formulas", &gpp_fields_formulas, strings, &row->counts, error));
    ERT_TRY(check_formulas(at, &row->counts, error));
    ERT_TRY(read_object(at, "counted", &gpp_fields_counted, strings, &row->counted, error));
    ERT_TRY(read_metrics(at, &row->counted, error));
    return read_object(at, "placed", &gpp_fields_placed, strings, &row->placed, error);
}

static enum ert_status read_study(struct ert_json at, struct gpp_study *study,
                                  struct ert_error *error)
{
    char schema[32];
    struct ert_json rows;
    ERT_TRY(ert_json_copy_string(at, "schema", schema, sizeof schema, error));
    if (strcmp(schema, GPP_STUDY_SCHEMA) != 0)
        return ert_fail(error, ERT_USAGE,
                        "%s: schema: '%s', must be '" GPP_STUDY_SCHEMA "'", at.file,
                        schema);
    ERT_TRY(read_fields(at, &gpp_fields_study, &study->strings, study, error));
    ERT_TRY(ert_json_u64(at, "seed", 0, (uint64_t)1 << 53, &study->seed, error));
    ERT_TRY(read_object(at, "sizes", &gpp_fields_sizes, NULL, &study->sizes, error));
    ERT_TRY(gpp_sizes_check(&study->sizes, error));
    ERT_TRY(read_object(at, "shares", &gpp_fields_shares, NULL, &study->shares, error));
    ERT_TRY(ert_json_array(at, "rows", &rows, error));
    for (size_t i = 0; i < ert_json_length(rows); i++)
        ERT_TRY(read_row(ert_json_element(rows, i), study, error));
    return ERT_OK;
}

enum ert_status gpp_study_read(const char *file, struct gpp_study *study,
                               struct ert_error *error)
{
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status = read_study(ert_json_root(root, file), study, error);
    cJSON_Delete(root);
    return status;
}
