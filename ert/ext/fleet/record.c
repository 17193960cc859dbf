/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/record.h"

#include "ert/core/base/alloc.h"
#include "ert/core/ceilings/ceilings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"verify", "measure", NULL};
const char *const ert_node_statuses[] = {"ok", "not valid", "failed", "interrupted", NULL};
static const char *const verdicts[] = {"",        "same", "slower", "faster", "cannot tell",
                                       "missing", NULL};

/* ---- the rows ---- */

#define TEXT(key, member, required) ERT_ROW_TEXT(ROW_OF, NULL, key, member, required)
#define NUMBER(key, kind, member)   ERT_ROW(ROW_OF, NULL, key, kind, member, OPTIONAL)

#define ROW_OF struct ert_node_record
static const struct ert_field record_rows[] = {
    TEXT("tool", tool, true),
    TEXT("git", git, false),
    TEXT("host", host, true),
    ERT_ROW_TIME(ROW_OF, "created", created, VALUE),
    TEXT("job", job, false),
    ERT_ROW_WORD(ROW_OF, "kind", kinds, kind),
    ERT_ROW_WORD(ROW_OF, "status", ert_node_statuses, status),
    TEXT("reason", reason, false),
    ERT_ROW_WITHIN(ROW_OF, "elapsed_s", NUMBER, elapsed_s, OPTIONAL, 0, 1e7),
};
#undef ROW_OF

#define ROW_OF struct ert_node_fingerprint
static const struct ert_field fingerprint_rows[] = {
    TEXT("cpu", cpu, false),       NUMBER("packages", COUNT, packages),
    NUMBER("cores", COUNT, cores), NUMBER("pus", COUNT, pus),
    TEXT("isa", isa, false),       TEXT("microcode", microcode, false),
    TEXT("bios", bios, false),     NUMBER("memory_bytes", SIZE, memory_bytes),
    TEXT("kernel", kernel, false), TEXT("governor", governor, false),
};
#undef ROW_OF

#define ROW_OF struct ert_node_gpu
static const struct ert_field gpu_rows[] = {
    TEXT("device", device, true),
    TEXT("model", model, true),
    TEXT("driver", driver, false),
    NUMBER("memory_bytes", SIZE, memory_bytes),
    NUMBER("power_limit_w", NUMBER, power_limit_w),
    NUMBER("boost_hz", NUMBER, boost_hz),
};
#undef ROW_OF

#define ROW_OF struct ert_node_ceiling
static const struct ert_field ceiling_rows[] = {
    TEXT("device", device, true),
    TEXT("name", name, true),
    TEXT("unit", unit, true),
    ERT_ROW_EXACT(ROW_OF, "value", NUMBER, value),
    NUMBER("low", NUMBER, low),
    NUMBER("high", NUMBER, high),
    NUMBER("error", NUMBER, error),
    NUMBER("detectable", NUMBER, detectable),
    ERT_ROW_WITHIN(ROW_OF, "clock_hz", NUMBER, clock_hz, OPTIONAL, 0, 1e12),
    ERT_ROW_FLAG(ROW_OF, NULL, "main", is_main),
    ERT_ROW_WORD(ROW_OF, "verdict", verdicts, verdict),
    ERT_ROW_WITHIN(ROW_OF, "change", NUMBER, change, OPTIONAL, -1, ERT_FIELD_MAX),
    TEXT("reason", reason, false),
};
#undef ROW_OF

#define ROW_OF struct ert_node_warning
static const struct ert_field warning_rows[] = {
    TEXT("device", device, false),
    TEXT("text", text, true),
};
#undef ROW_OF

struct ert_node_ceiling *ert_node_add_ceiling(struct ert_node_record *record)
{
    record->ceilings =
        ert_xrealloc(record->ceilings, record->n_ceilings + 1, sizeof *record->ceilings);
    return memset(&record->ceilings[record->n_ceilings++], 0, sizeof *record->ceilings);
}

void ert_node_warn(struct ert_node_record *record, const char *device, const char *text)
{
    record->warnings =
        ert_xrealloc(record->warnings, record->n_warnings + 1, sizeof *record->warnings);
    struct ert_node_warning *warning = &record->warnings[record->n_warnings++];
    *warning = (struct ert_node_warning){.device = ""};
    snprintf(warning->device, sizeof warning->device, "%s", device);
    ert_append(warning->text, sizeof warning->text, "%s", text);
}

void ert_node_free(struct ert_node_record *record)
{
    free(record->ceilings);
    free(record->warnings);
    *record = (struct ert_node_record){.n_ceilings = 0};
}

/* ---- writing and reading ---- */

static cJSON *record_to_json(const struct ert_node_record *record)
{
    const struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", ERT_NODE_SCHEMA);
    ert_fields_write(root, ERT_ROWS(record_rows), record);
    cJSON *object = cJSON_AddObjectToObject(root, "fingerprint");
    ert_fields_write(object, ERT_ROWS(fingerprint_rows), fingerprint);
    ert_fields_write_list(object, "gpus", ERT_ROWS(gpu_rows), fingerprint->gpus,
                          sizeof *fingerprint->gpus, fingerprint->n_gpus);
    ert_fields_write_list(root, "ceilings", ERT_ROWS(ceiling_rows), record->ceilings,
                          sizeof *record->ceilings, record->n_ceilings);
    ert_fields_write_list(root, "warnings", ERT_ROWS(warning_rows), record->warnings,
                          sizeof *record->warnings, record->n_warnings);
    return root;
}

enum ert_status ert_node_write(FILE *out, const struct ert_node_record *record,
                               struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    cJSON *root = record_to_json(record);
    FILE *line = open_memstream(&text, &size);
    bool is_whole = line && errno != ENOMEM;
    if (is_whole)
        is_whole = ert_json_print_line(line, root, NULL) == ERT_OK;
    is_whole = line && fclose(line) == 0 && is_whole;
    cJSON_Delete(root);
    enum ert_status status = ERT_OK;
    if (!is_whole)
        status = ert_fail(error, ERT_FAILED, "no memory for the record");
    else if (size > ERT_NODE_LINE_BYTES)
        status = ert_fail(error, ERT_FAILED, "the record has %zu bytes, at most %d", size,
                          ERT_NODE_LINE_BYTES);
    else
        fwrite(text, 1, size, out); /* at once: lines of several writers stay whole */
    free(text);
    return status;
}

/* Reads the lists; their memory is proportional to the length of the line, which is limited. */
static enum ert_status record_read_lists(struct ert_json at, struct ert_node_record *record,
                                         struct ert_error *error)
{
    struct ert_json ceilings, warnings;
    ERT_TRY(ert_json_array(at, "ceilings", &ceilings, error));
    ERT_TRY(ert_json_array(at, "warnings", &warnings, error));
    record->ceilings = ert_xcalloc(ert_json_length(ceilings), sizeof *record->ceilings);
    record->warnings = ert_xcalloc(ert_json_length(warnings), sizeof *record->warnings);
    ERT_TRY(ert_fields_read_list(at, "ceilings", ERT_ROWS(ceiling_rows), record->ceilings,
                                 sizeof *record->ceilings, ERT_NODE_CEILINGS,
                                 &record->n_ceilings, error));
    return ert_fields_read_list(at, "warnings", ERT_ROWS(warning_rows), record->warnings,
                                sizeof *record->warnings, ERT_NODE_CEILINGS,
                                &record->n_warnings, error);
}

enum ert_status ert_node_read(struct ert_json at, struct ert_node_record *record,
                              struct ert_error *error)
{
    struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    struct ert_json object;
    ERT_TRY(ert_fields_read(at, ERT_ROWS(record_rows), record, error));
    if (!ert_host_is_name(record->host))
        return ert_fail(error, ERT_USAGE,
                        "%s: host: '%.100s', must be a host's name: letters, digits, '.', "
                        "'-' and '_'",
                        at.file, record->host);
    ERT_TRY(ert_json_object(at, "fingerprint", &object, error));
    ERT_TRY(ert_fields_read(object, ERT_ROWS(fingerprint_rows), fingerprint, error));
    ERT_TRY(ert_fields_read_list(object, "gpus", ERT_ROWS(gpu_rows), fingerprint->gpus,
                                 sizeof *fingerprint->gpus, ERT_NODE_MAX_GPUS,
                                 &fingerprint->n_gpus, error));
    return record_read_lists(at, record, error);
}

enum ert_status ert_node_check(const struct ert_node_record *record,
                               struct ert_error *error)
{
    static const double least = 1e-24;
    struct ert_evidence none = {.n_rounds = 0};
    for (uint32_t i = 0; i < record->n_ceilings; i++) {
        const struct ert_node_ceiling *own = &record->ceilings[i];
        struct ert_ceiling ceiling = {
            .value = own->value, .low = own->low, .high = own->high, .evidence = &none};
        if (!(own->value > 0)) /* not measured */
            continue;
        if (!isfinite(own->value) || own->value < least || !(own->error >= 0))
            return ert_fail(error, ERT_USAGE, "%s: %s %s: value %g, error %g", record->host,
                            own->device, own->name, own->value, own->error);
        snprintf(ceiling.name, sizeof ceiling.name, "%s", own->name);
        if (own->low > 0 || own->high > 0) /* else unknown */
            ERT_TRY(ert_ceiling_check(&ceiling, record->host, own->device, error));
    }
    return ERT_OK;
}

/* ---- files of lines ---- */

static enum ert_status record_parse(struct ert_records *records, const char *text,
                                    struct ert_json *at, const char **schema,
                                    struct ert_error *error)
{
    const size_t size = strlen(text);
    if (records->lines.is_cut)
        return ert_fail(error, ERT_USAGE, "%s: has a byte of 0", records->place);
    if (size > ERT_NODE_LINE_BYTES)
        return ert_fail(error, ERT_USAGE, "%s: a line of %zu bytes, at most %d",
                        records->place, size, ERT_NODE_LINE_BYTES);
    ERT_TRY(ert_json_parse(text, size, records->place, &records->root, error));
    *at = ert_json_root(records->root, records->place);
    return ert_json_string(*at, "schema", schema, error);
}

enum ert_status ert_records_next(struct ert_records *records, struct ert_json *at,
                                 const char **schema, struct ert_error *error)
{
    struct ert_lines *lines = &records->lines;
    struct ert_error why;
    const char *text;
    *schema = NULL;
    cJSON_Delete(records->root);
    records->root = NULL;
    do {
        text = ert_lines_next(lines);
        if (!text && ert_lines_end(lines, &why) != ERT_OK)
            return ert_fail(error, ERT_FAILED, "%s", why.text);
        if (!text)
            return ERT_OK;
    } while (!text[strspn(text, " \t")] && !lines->is_cut);
    snprintf(records->place, sizeof records->place, "%.400s:%zu", lines->file,
             lines->number);
    return record_parse(records, text, at, schema, error);
}

void ert_records_close(struct ert_records *records)
{
    cJSON_Delete(records->root);
    records->root = NULL;
    ert_lines_close(&records->lines);
}
