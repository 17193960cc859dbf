/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/record.h"

#include "ert/base/alloc.h"

#include <errno.h>
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
    NUMBER("elapsed_s", NUMBER, elapsed_s),
};
#undef ROW_OF

#define ROW_OF struct ert_node_fingerprint
static const struct ert_field fingerprint_rows[] = {
    TEXT("cpu", cpu, false),
    NUMBER("packages", COUNT, packages),
    NUMBER("cores", COUNT, cores),
    NUMBER("pus", COUNT, pus),
    TEXT("isa", isa, false),
    TEXT("microcode", microcode, false),
    TEXT("bios", bios, false),
    TEXT("memory", memory, false),
    NUMBER("memory_bytes", SIZE, memory_bytes),
    TEXT("kernel", kernel, false),
    TEXT("governor", governor, false),
};
#undef ROW_OF

#define ROW_OF struct ert_node_gpu
static const struct ert_field gpu_rows[] = {
    TEXT("device", device, true),
    TEXT("model", model, true),
    TEXT("vbios", vbios, false),
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
    NUMBER("clock_hz", NUMBER, clock_hz),
    ERT_ROW_FLAG(ROW_OF, NULL, "follows_clock", follows_clock),
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

/* The lists of a record: what is read grows with the line, which is limited. */
struct list {
    const char *key;
    const struct ert_field *rows;
    size_t n_rows, offset, n_offset, size;
    const void *blank; /* an element of which nothing is known; NULL: all zero */
};

static const struct ert_health_fact blank_fact = {.value = -1, .limit = -1};

#define LIST(key, rows, member, blank)                                                     \
    {                                                                                      \
        key, ERT_ROWS(rows), offsetof(struct ert_node_record, member),                     \
            offsetof(struct ert_node_record, n_##member),                                  \
            sizeof *((struct ert_node_record *)0)->member, blank                           \
    }
static const struct list lists[] = {
    LIST("ceilings", ceiling_rows, ceilings, NULL),
    LIST("health", ert_health_rows, health, &blank_fact),
    LIST("warnings", warning_rows, warnings, NULL),
};

static void **list_of(const struct list *list, struct ert_node_record *record)
{
    return (void **)(void *)((char *)record + list->offset);
}

static uint32_t *length_of(const struct list *list, struct ert_node_record *record)
{
    return (uint32_t *)(void *)((char *)record + list->n_offset);
}

static void *add(size_t index, struct ert_node_record *record)
{
    const struct list *list = &lists[index];
    void **elements = list_of(list, record);
    const uint32_t n = (*length_of(list, record))++;
    *elements = ert_xrealloc(*elements, n + 1, list->size);
    return memset((char *)*elements + n * list->size, 0, list->size);
}

struct ert_node_ceiling *ert_node_add_ceiling(struct ert_node_record *record)
{
    return add(0, record);
}

void ert_node_warn(struct ert_node_record *record, const char *device, const char *format,
                   ...)
{
    struct ert_node_warning *warning = add(2, record);
    snprintf(warning->device, sizeof warning->device, "%s", device);
    ERT_FORMAT(warning->text, sizeof warning->text, format);
}

void ert_node_free(struct ert_node_record *record)
{
    if (!record)
        return;
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        free(*list_of(&lists[i], record));
    *record = (struct ert_node_record){.n_ceilings = 0};
}

/* ---- writing and reading ---- */

static cJSON *to_json(const struct ert_node_record *record)
{
    const struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddStringToObject(root, "schema", ERT_NODE_SCHEMA);
    ert_fields_write(root, ERT_ROWS(record_rows), "", record);
    cJSON *object = cJSON_AddObjectToObject(root, "fingerprint");
    ert_fields_write(object, ERT_ROWS(fingerprint_rows), "", fingerprint);
    ert_fields_write_list(object, "gpus", ERT_ROWS(gpu_rows), fingerprint->gpus,
                          sizeof *fingerprint->gpus, fingerprint->n_gpus);
    const void *const elements[] = {record->ceilings, record->health, record->warnings};
    const uint32_t n[] = {record->n_ceilings, record->n_health, record->n_warnings};
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ert_fields_write_list(root, lists[i].key, lists[i].rows, lists[i].n_rows,
                              elements[i], lists[i].size, n[i]);
    return root;
}

enum ert_status ert_node_write(FILE *out, const struct ert_node_record *record,
                               struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    cJSON *root = to_json(record);
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

static enum ert_status read_list(struct ert_json at, const struct list *list,
                                 struct ert_node_record *record, struct ert_error *error)
{
    struct ert_json array;
    ERT_TRY(ert_json_array(at, list->key, &array, error));
    const size_t n = ert_json_length(array);
    void **elements = list_of(list, record);
    *elements = ert_xcalloc(n, list->size);
    for (size_t i = 0; list->blank && i < n; i++)
        memcpy((char *)*elements + i * list->size, list->blank, list->size);
    return ert_fields_read_list(at, list->key, list->rows, list->n_rows, *elements,
                                list->size, n, length_of(list, record), error);
}

enum ert_status ert_node_read(struct ert_json at, struct ert_node_record *record,
                              struct ert_error *error)
{
    struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    struct ert_json object;
    const char *schema;
    ERT_TRY(ert_json_string(at, "schema", &schema, error));
    if (strcmp(schema, ERT_NODE_SCHEMA) != 0)
        return ert_fail(error, ERT_USAGE, "%s: schema '%.40s', must be " ERT_NODE_SCHEMA,
                        at.file, schema);
    ERT_TRY(ert_fields_read(at, ERT_ROWS(record_rows), "", record, error));
    if (!ert_host_is_name(record->host))
        return ert_fail(error, ERT_USAGE,
                        "%s: host: '%.100s', must be a host's name: letters, digits, '.', "
                        "'-' and '_'",
                        at.file, record->host);
    ERT_TRY(ert_json_object(at, "fingerprint", &object, error));
    ERT_TRY(ert_fields_read(object, ERT_ROWS(fingerprint_rows), "", fingerprint, error));
    ERT_TRY(ert_fields_read_list(object, "gpus", ERT_ROWS(gpu_rows), fingerprint->gpus,
                                 sizeof *fingerprint->gpus, ERT_NODE_MAX_GPUS,
                                 &fingerprint->n_gpus, error));
    for (size_t i = 0; i < ERT_LENGTH(lists); i++)
        ERT_TRY(read_list(at, &lists[i], record, error));
    return ERT_OK;
}

/* ---- files of lines ---- */

enum ert_status ert_records_open(const char *file, struct ert_records *records,
                                 struct ert_error *error)
{
    *records = (struct ert_records){.root = NULL};
    return ert_lines_open(strcmp(file, "-") == 0 ? "/dev/stdin" : file, &records->lines,
                          error);
}

static enum ert_status parse(struct ert_records *records, const char *text,
                             struct ert_json *at, const char **schema,
                             struct ert_error *error)
{
    const size_t size = strlen(text);
    if (records->lines.is_cut)
        return ert_fail(error, ERT_USAGE, "%s: has a byte of 0", records->place);
    if (size > ERT_NODE_LINE_BYTES)
        return ert_fail(error, ERT_USAGE, "%s: a line of %zu bytes, at most %d",
                        records->place, size, ERT_NODE_LINE_BYTES);
    ERT_TRY(ert_json_parse_line(text, size, records->place, &records->root, error));
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
    return parse(records, text, at, schema, error);
}

void ert_records_close(struct ert_records *records)
{
    cJSON_Delete(records->root);
    records->root = NULL;
    ert_lines_close(&records->lines);
}
