/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: cJSON behind checks of what it is lenient with, typed access, and a printer of our own: cJSON's loses
 * the last bit of a double, leaves in what acts on a terminal, and knows no rows.
 */
#include "ert/core/base/json.h"

#include "ert/core/base/file.h"
#include "ert/core/base/text.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES ((size_t)1 << 30)

static const char blanks[] = " \t\r\n";

/* ERT_USAGE with "FILE:LINE:COLUMN: what"; columns count bytes, from 1. */
static enum ert_status json_refuse(const char *text, const char *at, const char *file,
                                   const char *problem, struct ert_error *error)
{
    size_t line = 1;
    const char *line_start = text;
    for (const char *p = text; p < at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    return ert_fail(error, ERT_USAGE, "%s:%zu:%zu: %s", file, line,
                    (size_t)(at - line_start) + 1, problem);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * ERT_USAGE when a key appears twice in one object: readers disagree on which one counts. Sorted,
 * because comparing each with each takes hours on a hostile file.
 */
static enum ert_status json_check_keys(const cJSON *object, const char *file,
                                       struct ert_error *error)
{
    size_t n = 0;
    const char **keys = calloc((size_t)cJSON_GetArraySize(object) + 1, sizeof *keys);
    enum ert_status status = ERT_OK;
    if (!keys)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    for (const cJSON *child = object->child; child; child = child->next)
        keys[n++] = child->string;
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 1; i < n && status == ERT_OK; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            status =
                ert_fail(error, ERT_USAGE,
                         "%s: the key '%.64s' appears twice in one object", file, keys[i]);
    free(keys);
    return status;
}

/* cJSON takes any bytes; a text of ours needs none that act on a terminal. NULL: no fault. */
static const char *json_fault_of(const char *text)
{
    uint32_t character;
    for (size_t length; *text; text += length)
        if ((length = ert_utf8(text, &character)) == 0)
            return "bytes that are not UTF-8";
        else if (ert_text_acts(character))
            return "a control character in a string";
    return NULL;
}

/* What cJSON's tree may hold and a file of ours may not; key: of the node, or of the list that it is in. */
static enum ert_status json_check(const cJSON *node, const char *key, const char *file,
                                  struct ert_error *error)
{
    const char *problem = NULL;
    if (node->string && !(problem = json_fault_of(node->string)))
        key = node->string;
    if (!problem && cJSON_IsString(node))
        problem = json_fault_of(node->valuestring);
    if (cJSON_IsNumber(node) && !isfinite(node->valuedouble))
        problem = "a number too large for a double";
    if (problem)
        return ert_fail(error, ERT_USAGE, "%s: %s%.64s%s%s", file, *key ? "'" : "", key,
                        *key ? "': " : "", problem);
    if (cJSON_IsObject(node))
        ERT_TRY(json_check_keys(node, file, error));
    for (const cJSON *child = node->child; child; child = child->next)
        ERT_TRY(json_check(child, key, file, error));
    return ERT_OK;
}

enum ert_status ert_json_parse(const char *text, size_t size, const char *file,
                               cJSON **root, struct ert_error *error)
{
    const char *behind;
    errno = 0;
    cJSON *tree = cJSON_ParseWithLengthOpts(text, size, &behind, false);
    if (!tree && errno == ENOMEM)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    if (!tree)
        return json_refuse(text, behind, file, "not JSON from here on, or cut off", error);
    enum ert_status status = json_check(tree, "", file, error);
    behind += strspn(behind, blanks);
    if (status == ERT_OK && behind != text + size)
        status = json_refuse(text, behind, file, "text after the value", error);
    if (status == ERT_OK)
        *root = tree;
    else
        cJSON_Delete(tree);
    return status;
}

enum ert_status ert_json_read(const char *file, cJSON **root, struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    ERT_TRY(ert_file_read(file, MAX_BYTES, &text, &size, error));
    enum ert_status status = ert_json_parse(text, size, file, root, error);
    free(text);
    return status;
}

/* Begins an error with "FILE: PATH: ", or "FILE: " at the root. */
#define FAIL_AT(error, at, format, ...)                                                    \
    ert_fail(error, ERT_USAGE, "%.200s%s%s: " format, (at).file ? (at).file : "JSON",      \
             (at).path[0] ? ": " : "", (at).path, __VA_ARGS__)

static enum ert_status wrong_type(struct ert_json at, const char *wanted,
                                  struct ert_error *error)
{
    static const struct {
        int type;
        const char *name;
    } rows[] = {
        {cJSON_NULL,   "null"     },
        {cJSON_False,  "false"    },
        {cJSON_True,   "true"     },
        {cJSON_Number, "a number" },
        {cJSON_String, "a string" },
        {cJSON_Array,  "an array" },
        {cJSON_Object, "an object"},
    };
    const char *name = "nothing";
    for (size_t i = 0; at.node && i < ERT_LENGTH(rows); i++)
        if ((at.node->type & 0xff) == rows[i].type)
            name = rows[i].name;
    return FAIL_AT(error, at, "%s, must be %s", name, wanted);
}

cJSON *ert_json_add_object(cJSON *array)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToArray(array, object);
    return object;
}

struct ert_json ert_json_root(const cJSON *root, const char *file)
{
    return (struct ert_json){.node = root, .file = file};
}

bool ert_json_has(struct ert_json at, const char *key)
{
    const cJSON *child = cJSON_GetObjectItemCaseSensitive(at.node, key);
    return child && !cJSON_IsNull(child);
}

/* The value of a key; its node is NULL when it is not there. */
static struct ert_json child_of(struct ert_json at, const char *key)
{
    struct ert_json child = {.node = cJSON_GetObjectItemCaseSensitive(at.node, key),
                             .file = at.file};
    size_t length = strlen(at.path);
    memcpy(child.path, at.path, length);
    snprintf(child.path + length, sizeof child.path - length, "%s%s", length ? "." : "",
             key);
    return child;
}

/* The value of a key that must be there, of a type that `is_type` knows (NULL: any). */
static enum ert_status get(struct ert_json at, const char *key,
                           cJSON_bool (*is_type)(const cJSON *), const char *wanted,
                           struct ert_json *value, struct ert_error *error)
{
    if (!cJSON_IsObject(at.node))
        return wrong_type(at, "an object", error);
    struct ert_json child = child_of(at, key);
    if (!child.node)
        return FAIL_AT(error, child, "%s", "missing");
    if (is_type && !is_type(child.node))
        return wrong_type(child, wanted, error);
    *value = child;
    return ERT_OK;
}

enum ert_status ert_json_object(struct ert_json at, const char *key, struct ert_json *value,
                                struct ert_error *error)
{
    return get(at, key, cJSON_IsObject, "an object", value, error);
}

enum ert_status ert_json_array(struct ert_json at, const char *key, struct ert_json *value,
                               struct ert_error *error)
{
    return get(at, key, cJSON_IsArray, "an array", value, error);
}

enum ert_status ert_json_as_string(struct ert_json at, const char **value,
                                   struct ert_error *error)
{
    if (!cJSON_IsString(at.node) || !at.node->valuestring)
        return wrong_type(at, "a string", error);
    *value = at.node->valuestring;
    return ERT_OK;
}

enum ert_status ert_json_string(struct ert_json at, const char *key, const char **value,
                                struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, NULL, NULL, &child, error));
    return ert_json_as_string(child, value, error);
}

enum ert_status ert_json_as_double(struct ert_json at, double min, double max,
                                   double *value, struct ert_error *error)
{
    if (!cJSON_IsNumber(at.node))
        return wrong_type(at, "a number", error);
    double number = at.node->valuedouble;
    if (!isfinite(number))
        return FAIL_AT(error, at, "%s", "must be a finite number");
    if (number < min)
        return FAIL_AT(error, at, "%.15g, must be at least %.15g", number, min);
    if (number > max)
        return FAIL_AT(error, at, "%.15g, must be at most %.15g", number, max);
    *value = number;
    return ERT_OK;
}

enum ert_status ert_json_double(struct ert_json at, const char *key, double min, double max,
                                double *value, struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, NULL, NULL, &child, error));
    return ert_json_as_double(child, min, max, value, error);
}

enum ert_status ert_json_u64(struct ert_json at, const char *key, uint64_t min,
                             uint64_t max, uint64_t *value, struct ert_error *error)
{
    /* cJSON keeps doubles: above 2^53 a neighbour of the written number would come back. */
    const uint64_t exact = UINT64_C(1) << 53;
    struct ert_json child;
    ERT_TRY(get(at, key, cJSON_IsNumber, "a number", &child, error));
    double number = child.node->valuedouble;
    if (!(number == floor(number)) || isinf(number))
        return FAIL_AT(error, child, "%.15g, must be a whole number", number);
    if (max > exact)
        max = exact;
    if (number < 0 || (number <= (double)exact && (uint64_t)number < min))
        return FAIL_AT(error, child, "%.16g, must be at least %" PRIu64, number, min);
    if (number > (double)max)
        return FAIL_AT(error, child, "%.16g, must be at most %" PRIu64, number, max);
    *value = (uint64_t)number;
    return ERT_OK;
}

enum ert_status ert_json_bool(struct ert_json at, const char *key, bool *value,
                              struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, cJSON_IsBool, "true or false", &child, error));
    *value = cJSON_IsTrue(child.node);
    return ERT_OK;
}

size_t ert_json_length(struct ert_json array)
{
    return cJSON_IsArray(array.node) ? (size_t)cJSON_GetArraySize(array.node) : 0;
}

struct ert_json ert_json_element(struct ert_json *array, size_t index)
{
    struct ert_json element = {.file = array->file};
    size_t length = strlen(array->path);
    memcpy(element.path, array->path, length);
    snprintf(element.path + length, sizeof element.path - length, "[%zu]", index);
    if (!cJSON_IsArray(array->node))
        return element;
    if (!array->element || index < array->index) {
        array->element = array->node->child;
        array->index = 0;
    }
    for (; array->element && array->index < index; array->index++)
        array->element = array->element->next;
    element.node = array->element;
    return element;
}

enum ert_status ert_json_copy_string(struct ert_json at, const char *key, char *text,
                                     size_t size, struct ert_error *error)
{
    struct ert_json child = child_of(at, key);
    const char *value = "";
    if (child.node)
        ERT_TRY(ert_json_as_string(child, &value, error));
    size_t length = strlen(value);
    if (length >= size)
        return FAIL_AT(error, child, "%zu bytes, must be at most %zu", length, size - 1);
    memcpy(text, value, length + 1);
    return ERT_OK;
}

enum ert_status ert_json_only_keys(struct ert_json at, const char *const *keys,
                                   struct ert_error *error)
{
    if (!cJSON_IsObject(at.node))
        return wrong_type(at, "an object", error);
    for (const cJSON *child = at.node->child; child; child = child->next) {
        char list[576]; /* those of a config take 480 */
        if (ert_word_find(keys, child->string, list, sizeof list) == SIZE_MAX)
            return FAIL_AT(error, at, "unknown key '%.64s'; known keys: %s", child->string,
                           list);
    }
    return ERT_OK;
}

/*
 * The fewest digits that read back equal. cJSON's own printer compares with a tolerance of one epsilon and so
 * loses the last bit. Most numbers are counts, or need 16 or 17 digits, so the search begins there, of
 * subnormal ones with one. What 15 digits are enough for has a 1 or 9 behind them, or a 0, which %g drops.
 */
static void json_write_number(FILE *out, double value, int most)
{
    char text[40] = "null", shorter[40];
    int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG + 1;
    if (value > 0 && value < 1e15 && value == (double)(int64_t)value)
        digits = snprintf(text, sizeof text, "%" PRId64, (int64_t)value);
    else if (isfinite(value) && most)
        snprintf(text, sizeof text, "%.*g", most, value);
    else if (isfinite(value))
        do
            snprintf(text, sizeof text, "%.*g", digits, value);
        while (strtod(text, NULL) != value && ++digits <= DBL_DECIMAL_DIG);
    if (digits == DBL_DIG + 1 && strchr("019", text[strcspn(text, "e") - 1])) {
        snprintf(shorter, sizeof shorter, "%.*g", DBL_DIG, value);
        if (strtod(shorter, NULL) == value)
            memcpy(text, shorter, sizeof text);
    }
    fputs(text, out);
}

/* Arrays of plain values stay on one line: a point's samples are a row, not a column. */
static bool is_row(const cJSON *node)
{
    if (cJSON_IsObject(node))
        return false;
    for (const cJSON *child = node->child; child; child = child->next)
        if (cJSON_IsObject(child) || cJSON_IsArray(child))
            return false;
    return true;
}

static void json_write_text(FILE *out, const char *text)
{
    fputc('"', out);
    ert_text_write(out, ERT_TEXT_QUOTED, text);
    fputc('"', out);
}

/* false for what is not JSON: cJSON's raw and invalid nodes. What lies `lines` deep: one line, no blanks. */
static bool json_write_value(FILE *out, const cJSON *node, int depth, int lines, int digits)
{
    const bool is_object = cJSON_IsObject(node),
               row = depth >= lines || !node || is_row(node);
    if (cJSON_IsNumber(node))
        json_write_number(out, node->valuedouble, digits);
    else if (cJSON_IsString(node))
        json_write_text(out, node->valuestring);
    else if (cJSON_IsNull(node))
        fputs("null", out);
    else if (cJSON_IsBool(node))
        fputs(cJSON_IsTrue(node) ? "true" : "false", out);
    if (!is_object && !cJSON_IsArray(node))
        return cJSON_IsNumber(node) || cJSON_IsString(node) || cJSON_IsNull(node) ||
               cJSON_IsBool(node);
    fputc(is_object ? '{' : '[', out);
    for (const cJSON *child = node->child; child; child = child->next) {
        if (!row)
            fprintf(out, "\n%*s", 2 * (depth + 1), "");
        if (is_object) {
            json_write_text(out, child->string);
            fputs(row ? ":" : ": ", out);
        }
        if (!json_write_value(out, child, depth + 1, lines, digits))
            return false;
        if (child->next)
            fputc(',', out);
    }
    if (!row && node->child)
        fprintf(out, "\n%*s", 2 * depth, "");
    fputc(is_object ? '}' : ']', out);
    return true;
}

static enum ert_status json_print(FILE *out, const cJSON *root, int lines, int digits,
                                  struct ert_error *error)
{
    bool is_whole = json_write_value(out, root, 0, lines, digits);
    fputc('\n', out);
    return is_whole ? ERT_OK : ert_fail(error, ERT_FAILED, "cannot write what is not JSON");
}

enum ert_status ert_json_print(FILE *out, const cJSON *root, struct ert_error *error)
{
    enum { ROWS = 4 }; /* an element of an array of an element of an array */
    return json_print(out, root, ROWS, 0, error);
}

enum ert_status ert_json_print_line(FILE *out, const cJSON *root, struct ert_error *error)
{
    return json_print(out, root, 0, 0, error);
}

void ert_json_print_rounded(FILE *out, const cJSON *root, int digits)
{
    json_print(out, root, 0, digits, NULL);
}

static enum ert_status json_print_file(const void *root, FILE *out, struct ert_error *error)
{
    return ert_json_print(out, root, error);
}

enum ert_status ert_json_write(const char *file, const cJSON *root, struct ert_error *error)
{
    return ert_file_write_made(file, json_print_file, root, error);
}
