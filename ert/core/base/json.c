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
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 }; /* nothing of ours needs more, and parsers recurse */
#define MAX_BYTES ((size_t)1 << 30)
/*
 * A tree takes some 80 bytes a value, forty times its text where that is a list of zeros. The samples of a
 * run on 64 CPUs are 125,000 values.
 */
#define MAX_VALUES ((size_t)1 << 21)

static const char blanks[] = " \t\r\n";

/*
 * What is looked at before cJSON builds a tree: how large that would be, and what it would take though it is
 * no JSON or ends a string in its middle. It also finds a list. The grammar is cJSON's business.
 */
struct scan {
    const char *at, *end;
    const char *key; /* NULL, or of a top-level array to be found, as it is spelled */
    const char *list, *rest; /* so: behind its bracket, and its closing bracket */
    const char *problem;     /* static text, NULL while all is well */
};

/* Up to the closing quote; escapes must not give NUL, which cJSON also makes of bad digits. */
static void scan_string(struct scan *scan)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++) {
        if (*scan->at == '\\' && *++scan->at == 'u' &&
            (strspn(scan->at + 1, digits) < 4 || strncmp(scan->at + 1, "0000", 4) == 0))
            scan->problem = "\\u must have four hexadecimal digits, and not be 0";
        if (!*scan->at)
            scan->problem = "a string that does not end";
        if (scan->problem)
            return;
    }
    if (scan->at == scan->end)
        scan->problem = "a string that does not end";
}

/* Whether the array that is looked for begins behind the string from `start` to scan->at. */
static void scan_key(struct scan *scan, const char *start)
{
    const char *next = scan->at + 1 + strspn(scan->at + 1, blanks);
    if (scan->at - start != (ptrdiff_t)strlen(scan->key) || *next != ':' ||
        strncmp(start, scan->key, strlen(scan->key)) != 0)
        return;
    next += 1 + strspn(next + 1, blanks);
    scan->list = *next == '[' ? next + 1 : NULL;
}

static void scan_text(struct scan *scan)
{
    size_t n_values = 1, before = 0; /* before: those besides the list's elements */
    int depth = 0;
    for (; scan->at < scan->end && !scan->problem; scan->at++) {
        const char *start = scan->at + 1, byte = *scan->at;
        const bool is_in_list = scan->list && scan->at >= scan->list && !scan->rest;
        if (byte == '"') {
            before = scan->list ? before : n_values;
            scan_string(scan);
            if (scan->key && !scan->list && depth == 1 && !scan->problem)
                scan_key(scan, start);
        } else if (byte == '[' || byte == '{' || byte == ',') {
            depth += byte != ',';
            /* The elements of the list become trees one at a time. */
            n_values = is_in_list && depth == 2 && byte == ',' ? before : n_values + 1;
            if (n_values > MAX_VALUES)
                scan->problem = "more than 2097152 values";
            else if (depth > MAX_DEPTH)
                scan->problem = "nested deeper than 64";
        } else if (byte == ']' || byte == '}') {
            depth--;
            if (is_in_list && depth == 1) {
                scan->rest = scan->at;
                n_values = before;
            }
        } else if ((unsigned char)byte < ' ' && (!byte || !strchr(blanks, byte))) {
            scan->problem = "a control character";
        }
        if (scan->problem)
            return;
    }
}

/* A text that is read, and what errors call it. */
struct source {
    const char *text, *file;
    bool is_line; /* the file's name has the line already */
};

/* ERT_USAGE with "FILE:LINE:COLUMN: what"; columns count bytes, from 1. */
static enum ert_status json_refuse(const struct source *source, const char *at,
                                   const char *problem, struct ert_error *error)
{
    size_t line = 1;
    const char *line_start = source->text;
    for (const char *p = source->text; p < at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    if (source->is_line)
        return ert_fail(error, ERT_USAGE, "%s:%zu: %s", source->file,
                        (size_t)(at - source->text) + 1, problem);
    return ert_fail(error, ERT_USAGE, "%s:%zu:%zu: %s", source->file, line,
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

/*
 * The tree of the first value of a part of a source's text; *behind: where it ends, or the fault is. *root
 * NULL and ERT_OK: it is no JSON.
 */
static enum ert_status json_build(const char *part, size_t size, const char *file,
                                  cJSON **root, const char **behind,
                                  struct ert_error *error)
{
    errno = 0;
    *root = cJSON_ParseWithLengthOpts(part, size, behind, false);
    if (!*root && errno == ENOMEM)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    enum ert_status status = *root ? json_check(*root, "", file, error) : ERT_OK;
    if (status != ERT_OK) {
        cJSON_Delete(*root);
        *root = NULL;
    }
    return status;
}

static const char not_json[] = "not JSON from here on, or cut off";

static enum ert_status json_parse(const struct source *source, size_t size, cJSON **root,
                                  struct ert_error *error)
{
    struct scan scan = {.at = source->text, .end = source->text + size};
    const char *behind;
    cJSON *tree;
    scan_text(&scan);
    if (scan.problem)
        return json_refuse(source, scan.at, scan.problem, error);
    ERT_TRY(json_build(source->text, size, source->file, &tree, &behind, error));
    if (!tree)
        return json_refuse(source, behind, not_json, error);
    behind += strspn(behind, blanks);
    if (behind != scan.end) {
        cJSON_Delete(tree);
        return json_refuse(source, behind, "text after the value", error);
    }
    *root = tree;
    return ERT_OK;
}

enum ert_status ert_json_parse(const char *text, size_t size, const char *file,
                               cJSON **root, struct ert_error *error)
{
    return json_parse(&(struct source){text, file, false}, size, root, error);
}

enum ert_status ert_json_parse_line(const char *text, size_t size, const char *place,
                                    cJSON **root, struct ert_error *error)
{
    return json_parse(&(struct source){text, place, true}, size, root, error);
}

enum ert_status ert_json_read(const char *file, cJSON **root, struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    bool is_wide;
    ERT_TRY(ert_file_read(file, MAX_BYTES, &text, &size, error));
    size = ert_text_decode(text, size, &is_wide);
    enum ert_status status = ert_json_parse(text, size, file, root, error);
    free(text);
    return status;
}

/* The tree of all but the list's elements. */
static enum ert_status json_build_rest(struct ert_json_list *list, size_t size,
                                       struct ert_error *error)
{
    const size_t before = (size_t)(list->at - list->text),
                 n_list = (size_t)(list->end - list->at);
    const struct source source = {list->text, list->file, false};
    char *text = malloc(size - n_list + 1);
    const char *behind;
    if (!text)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", list->file);
    memcpy(text, list->text, before);
    memcpy(text + before, list->end, size - n_list - before + 1);
    enum ert_status status =
        json_build(text, size - n_list, list->file, &list->root, &behind, error);
    if (status == ERT_OK && (!list->root || behind[strspn(behind, blanks)])) {
        const size_t at = (size_t)(behind - text);
        status = json_refuse(&source, list->text + at + (at > before ? n_list : 0),
                             not_json, error);
    }
    free(text);
    return status;
}

enum ert_status ert_json_list_open(const char *file, const char *key,
                                   struct ert_json_list *list, struct ert_error *error)
{
    size_t size = 0;
    bool is_wide;
    *list = (struct ert_json_list){.file = file, .key = key};
    ERT_TRY(ert_file_read(file, MAX_BYTES, &list->text, &size, error));
    size = ert_text_decode(list->text, size, &is_wide);
    const struct source source = {list->text, file, false};
    struct scan scan = {.at = list->text, .end = list->text + size, .key = key};
    scan_text(&scan);
    enum ert_status status = ERT_OK;
    if (scan.problem) {
        status = json_refuse(&source, scan.at, scan.problem, error);
    } else if (scan.rest) {
        list->at = scan.list + strspn(scan.list, blanks);
        list->end = scan.rest;
        status = json_build_rest(list, size, error);
    } else { /* no such key, or one spelled with escapes */
        status = json_parse(&source, size, &list->root, error);
    }
    if (status != ERT_OK)
        ert_json_list_close(list);
    return status;
}

/* The tree of the next element, up to and behind the comma. */
static enum ert_status json_list_take(struct ert_json_list *list, struct ert_error *error)
{
    const struct source source = {list->text, list->file, false};
    const char *behind;
    cJSON_Delete(list->element);
    list->element = NULL;
    ERT_TRY(json_build(list->at, (size_t)(list->end - list->at), list->file, &list->element,
                       &behind, error));
    if (!list->element)
        return json_refuse(&source, behind, not_json, error);
    list->at = behind + strspn(behind, blanks);
    if (list->at == list->end)
        return ERT_OK;
    const bool is_comma = *list->at == ',';
    if (is_comma)
        list->at += 1 + strspn(list->at + 1, blanks);
    return is_comma && list->at < list->end
               ? ERT_OK
               : json_refuse(&source, list->at, not_json, error);
}

enum ert_status ert_json_list_next(struct ert_json_list *list, struct ert_json *element,
                                   struct ert_error *error)
{
    *element = (struct ert_json){.file = list->file};
    snprintf(element->path, sizeof element->path, "%.32s[%zu]", list->key, list->index);
    if (!list->at) {
        const cJSON *array = cJSON_GetObjectItemCaseSensitive(list->root, list->key);
        element->node = list->index == 0 ? (cJSON_IsArray(array) ? array->child : NULL)
                        : list->last     ? list->last->next
                                         : NULL;
        list->last = element->node;
    } else if (list->at < list->end) {
        ERT_TRY(json_list_take(list, error));
        element->node = list->element;
    }
    list->index++;
    return ERT_OK;
}

void ert_json_list_close(struct ert_json_list *list)
{
    if (!list)
        return;
    cJSON_Delete(list->element);
    cJSON_Delete(list->root);
    free(list->text);
    *list = (struct ert_json_list){.file = NULL};
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
 * The fewest digits that read back equal. cJSON's own printer compares with a tolerance of one
 * epsilon and so loses the last bit. Up to 15 digits always survive and %g drops trailing zeros, so
 * the search starts there; subnormal numbers have fewer.
 */
static void json_write_number(FILE *out, double value)
{
    char text[40] = "null";
    int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    for (bool found = !isfinite(value); !found && digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        found = strtod(text, NULL) == value;
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

/* false for what is not JSON: cJSON's raw and invalid nodes. What lies `lines` deep is on one line. */
static bool json_write_value(FILE *out, const cJSON *node, int depth, int lines)
{
    const bool is_object = cJSON_IsObject(node),
               row = depth >= lines || !node || is_row(node);
    if (cJSON_IsNumber(node))
        json_write_number(out, node->valuedouble);
    else if (cJSON_IsString(node))
        ert_text_print(out, ERT_TEXT_QUOTED, "\"%s\"", node->valuestring);
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
        if (is_object)
            ert_text_print(out, ERT_TEXT_QUOTED, "\"%s\": ", child->string);
        if (!json_write_value(out, child, depth + 1, lines))
            return false;
        if (child->next)
            fputs(row ? ", " : ",", out);
    }
    if (!row && node->child)
        fprintf(out, "\n%*s", 2 * depth, "");
    fputc(is_object ? '}' : ']', out);
    return true;
}

/* A row is an element of an array of an element of an array: files have lists of devices, these of rows. */
enum { NO_LINES = 0, ROWS = 4, ALL_LINES = INT_MAX };

static enum ert_status json_print(FILE *out, const cJSON *root, int lines,
                                  struct ert_error *error)
{
    bool is_whole = json_write_value(out, root, 0, lines);
    fputc('\n', out);
    return is_whole ? ERT_OK : ert_fail(error, ERT_FAILED, "cannot write what is not JSON");
}

enum ert_status ert_json_print(FILE *out, const cJSON *root, struct ert_error *error)
{
    return json_print(out, root, ALL_LINES, error);
}

enum ert_status ert_json_print_line(FILE *out, const cJSON *root, struct ert_error *error)
{
    return json_print(out, root, NO_LINES, error);
}

static enum ert_status json_print_file(const void *root, FILE *out, struct ert_error *error)
{
    return json_print(out, root, ALL_LINES, error);
}

enum ert_status ert_json_print_rows(FILE *out, const cJSON *root, struct ert_error *error)
{
    return json_print(out, root, ROWS, error);
}

static enum ert_status json_print_file_rows(const void *root, FILE *out,
                                            struct ert_error *error)
{
    return json_print(out, root, ROWS, error);
}

enum ert_status ert_json_write_rows(const char *file, const cJSON *root,
                                    struct ert_error *error)
{
    return ert_file_write_made(file, json_print_file_rows, root, error);
}

enum ert_status ert_json_write(const char *file, const cJSON *root, struct ert_error *error)
{
    return ert_file_write_made(file, json_print_file, root, error);
}
