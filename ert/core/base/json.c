/* SPDX-License-Identifier: BSD-3-Clause */
/* json: a check of the text, cJSON's tree behind it, typed access, and a printer of our own. */
#include "ert/core/base/json.h"

#include "ert/core/base/file.h"
#include "ert/core/base/text.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 64,     /* nothing of ours needs more, and parsers recurse */
    LONGEST_NUMBER = 63 /* cJSON copies a number into 64 bytes and reads what fits */
};
#define MAX_BYTES ((size_t)1 << 30)
/*
 * A tree takes some 80 bytes a value, forty times its text where that is a list of zeros. The samples of a
 * run on 64 CPUs are 125,000 values.
 */
#define MAX_VALUES ((size_t)1 << 21)

/*
 * The check: whether a text is JSON as RFC 8259 has it. cJSON is lenient ("01", raw control characters, any
 * bytes as UTF-8), and its error says no line.
 */
struct scan {
    const char *at, *end;
    const char *problem; /* static text, NULL while all is well */
    const char *key;     /* NULL, or of a top-level array to be found, as it is spelled */
    const char *list, *rest; /* so: behind its bracket, and its closing bracket */
    bool is_line;            /* the file's name has the line already */
    size_t n_values;         /* of the tree that will be built at once */
};

static bool base_json_refuse(struct scan *scan, const char *at, const char *problem)
{
    scan->at = at;
    scan->problem = problem;
    return false;
}

static void base_json_skip_blanks(struct scan *scan)
{
    scan->at += strspn(scan->at, " \t\r\n");
}

/* The four hexadecimal digits after "\u"; -1 when they are not. */
static int hex4(const char *at)
{
    if (strspn(at, "0123456789abcdefABCDEF") < 4)
        return -1;
    char digits[5];
    memcpy(digits, at, 4);
    digits[4] = '\0';
    return (int)strtol(digits, NULL, 16);
}

/* None is needed in a text of ours, and none may come to a terminal. */
static const char control[] = "a control character in a string";

/* Behind a backslash. */
static bool check_escape(struct scan *scan)
{
    const char *start = scan->at - 1;
    if (*scan->at != 'u') {
        if (*scan->at && strchr("bfnrt", *scan->at))
            return base_json_refuse(scan, start, control);
        if (!*scan->at || !strchr("\"\\/", *scan->at))
            return base_json_refuse(scan, start, "unknown escape in a string");
        scan->at++;
        return true;
    }
    int code = hex4(scan->at + 1);
    if (code < 0)
        return base_json_refuse(scan, start, "\\u must have four hexadecimal digits");
    if (ert_text_acts((uint32_t)code))
        return base_json_refuse(scan, start, control);
    scan->at += 5;
    if (code < 0xd800 || code > 0xdfff)
        return true;
    int low = scan->at[0] == '\\' && scan->at[1] == 'u' ? hex4(scan->at + 2) : -1;
    if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return base_json_refuse(scan, start, "unpaired surrogate in a string");
    scan->at += 6;
    return true;
}

static bool check_string(struct scan *scan)
{
    const char *start = scan->at++;
    while (*scan->at != '"') {
        if (scan->at == scan->end)
            return base_json_refuse(scan, start, "unterminated string");
        uint32_t character;
        size_t length = ert_utf8(scan->at, &character);
        if (length == 0)
            return base_json_refuse(scan, scan->at, "bytes that are not UTF-8");
        if (ert_text_acts(character))
            return base_json_refuse(scan, scan->at, control);
        scan->at += length;
        if (character == '\\' && !check_escape(scan))
            return false;
    }
    scan->at++;
    return true;
}

static bool check_number(struct scan *scan)
{
    static const char digits[] = "0123456789";
    const char *start = scan->at, *at = start + (*start == '-');
    size_t n = strspn(at, digits);
    bool good = n == 1 || (n > 1 && *at != '0');
    at += n;
    if (good && *at == '.') {
        n = strspn(++at, digits);
        at += n;
        good = n > 0;
    }
    if (good && (*at == 'e' || *at == 'E')) {
        at += at[1] == '+' || at[1] == '-' ? 2 : 1;
        n = strspn(at, digits);
        at += n;
        good = n > 0;
    }
    if (!good || (*at && strchr("+-.0123456789eExX", *at)))
        return base_json_refuse(scan, start, "malformed number");
    if (at - start > LONGEST_NUMBER)
        return base_json_refuse(scan, start, "a number of more than 63 characters");
    if (!isfinite(strtod(start, NULL)))
        return base_json_refuse(scan, start, "a number too large for a double");
    scan->at = at;
    return true;
}

static bool check_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < ERT_LENGTH(words); i++)
        if (strncmp(scan->at, words[i], strlen(words[i])) == 0) {
            scan->at += strlen(words[i]);
            return true;
        }
    return base_json_refuse(scan, scan->at,
                            scan->at == scan->end ? "unexpected end, expected a value"
                                                  : "not a JSON value");
}

/* Up to the value; *is_list: the key is that of the array to be found. */
static bool check_key(struct scan *scan, bool *is_list)
{
    const char *start = scan->at + 1;
    if (*scan->at != '"')
        return base_json_refuse(scan, scan->at, "expected a key in quotes");
    if (!check_string(scan))
        return false;
    *is_list = scan->key && !scan->list &&
               scan->at - 1 - start == (ptrdiff_t)strlen(scan->key) &&
               strncmp(start, scan->key, strlen(scan->key)) == 0;
    base_json_skip_blanks(scan);
    if (*scan->at != ':')
        return base_json_refuse(scan, scan->at, "expected ':' after the key");
    scan->at++;
    base_json_skip_blanks(scan);
    return true;
}

static bool check_value(struct scan *scan, int depth);

/* An object or an array. Recursion is bounded by MAX_DEPTH. */
static bool check_container(struct scan *scan, int depth)
{
    const bool is_object = *scan->at == '{';
    const char close = is_object ? '}' : ']';
    if (depth > MAX_DEPTH)
        return base_json_refuse(scan, scan->at, "nested deeper than 64");
    scan->at++;
    base_json_skip_blanks(scan);
    for (bool more = *scan->at != close; more;) {
        bool is_list = false;
        if (is_object && !check_key(scan, &is_list))
            return false;
        is_list = is_list && depth == 1 && *scan->at == '[';
        if (is_list)
            scan->list = scan->at + 1;
        /* The elements of that list become trees one at a time. */
        const bool is_element = depth == 2 && scan->list && !scan->rest;
        const size_t before = scan->n_values;
        if (is_element)
            scan->n_values = 0;
        if (!check_value(scan, depth + 1))
            return false;
        if (is_element)
            scan->n_values = before;
        if (is_list)
            scan->rest = scan->at - 1;
        base_json_skip_blanks(scan);
        more = *scan->at != close;
        if (more && *scan->at != ',')
            return base_json_refuse(
                scan, scan->at, is_object ? "expected ',' or '}'" : "expected ',' or ']'");
        scan->at += more;
        if (more)
            base_json_skip_blanks(scan);
    }
    scan->at++;
    return true;
}

static bool check_value(struct scan *scan, int depth)
{
    char c = *scan->at;
    if (++scan->n_values > MAX_VALUES)
        return base_json_refuse(scan, scan->at, "more than 2097152 values");
    if (c == '{' || c == '[')
        return check_container(scan, depth);
    if (c == '"')
        return check_string(scan);
    if (c == '-' || (c >= '0' && c <= '9'))
        return check_number(scan);
    return check_word(scan);
}

/* ERT_USAGE with "FILE:LINE:COLUMN: what" (columns count bytes, from 1) unless all of it is one value. */
static enum ert_status check_text(struct scan *scan, const char *text, size_t size,
                                  const char *file, struct ert_error *error)
{
    scan->at = text;
    scan->end = text + size;
    base_json_skip_blanks(scan);
    if (check_value(scan, 1)) {
        base_json_skip_blanks(scan);
        if (scan->at == scan->end)
            return ERT_OK;
        base_json_refuse(scan, scan->at, "text after the value");
    }
    if (scan->is_line)
        return ert_fail(error, ERT_USAGE, "%s:%zu: %s", file, (size_t)(scan->at - text) + 1,
                        scan->problem);
    size_t line = 1;
    const char *line_start = text;
    for (const char *p = text; p < scan->at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    return ert_fail(error, ERT_USAGE, "%s:%zu:%zu: %s", file, line,
                    (size_t)(scan->at - line_start) + 1, scan->problem);
}

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * ERT_USAGE when a key appears twice in one object: readers disagree on which one counts. Sorted,
 * because comparing each with each takes hours on a hostile file.
 */
static enum ert_status base_json_check_keys(const cJSON *object, const char *file,
                                            struct ert_error *error)
{
    size_t n = 0, i = 0;
    for (const cJSON *child = object->child; child; child = child->next)
        n++;
    if (n < 2)
        return ERT_OK;
    const char *few[32], **keys = n <= 32 ? few : malloc(n * sizeof *keys);
    if (!keys)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    for (const cJSON *child = object->child; child; child = child->next)
        keys[i++] = child->string;
    qsort(keys, n, sizeof *keys, compare_keys);
    enum ert_status status = ERT_OK;
    for (i = 1; i < n && status == ERT_OK; i++)
        if (strcmp(keys[i - 1], keys[i]) == 0)
            status =
                ert_fail(error, ERT_USAGE,
                         "%s: the key '%.64s' appears twice in one object", file, keys[i]);
    if (keys != few)
        free(keys);
    return status;
}

static enum ert_status check_tree(const cJSON *node, const char *file,
                                  struct ert_error *error)
{
    if (cJSON_IsObject(node))
        ERT_TRY(base_json_check_keys(node, file, error));
    for (const cJSON *child = node->child; child; child = child->next)
        ERT_TRY(check_tree(child, file, error));
    return ERT_OK;
}

/* The tree of the first value of a checked text; *behind: where it ends, NULL is fine. */
static enum ert_status build(const char *text, size_t size, const char *file, cJSON **root,
                             const char **behind, struct ert_error *error)
{
    cJSON *tree = cJSON_ParseWithLengthOpts(text, size, behind, false);
    enum ert_status status = tree ? check_tree(tree, file, error)
                                  : ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    if (status == ERT_OK)
        *root = tree;
    else
        cJSON_Delete(tree);
    return status;
}

enum ert_status ert_json_parse(const char *text, size_t size, const char *file,
                               cJSON **root, struct ert_error *error)
{
    struct scan scan = {.key = NULL};
    ERT_TRY(check_text(&scan, text, size, file, error));
    return build(text, size, file, root, NULL, error);
}

enum ert_status ert_json_parse_line(const char *text, size_t size, const char *place,
                                    cJSON **root, struct ert_error *error)
{
    struct scan scan = {.is_line = true};
    ERT_TRY(check_text(&scan, text, size, place, error));
    return build(text, size, place, root, NULL, error);
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

/* The tree of all but the list's elements, which stand in [from, to). */
static enum ert_status build_rest(struct ert_json_list *list, size_t size, const char *from,
                                  const char *to, struct ert_error *error)
{
    size_t before = (size_t)(from - list->text), after = size - (size_t)(to - list->text);
    char *text = malloc(before + after + 1);
    if (!text)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", list->file);
    memcpy(text, list->text, before);
    memcpy(text + before, to, after);
    enum ert_status status =
        build(text, before + after, list->file, &list->root, NULL, error);
    free(text);
    return status;
}

enum ert_status ert_json_list_open(const char *file, const char *key,
                                   struct ert_json_list *list, struct ert_error *error)
{
    struct scan scan = {.key = key};
    size_t size = 0;
    bool is_wide;
    *list = (struct ert_json_list){.file = file, .key = key};
    ERT_TRY(ert_file_read(file, MAX_BYTES, &list->text, &size, error));
    size = ert_text_decode(list->text, size, &is_wide);
    enum ert_status status = check_text(&scan, list->text, size, file, error);
    if (status == ERT_OK && scan.list) {
        list->at = scan.list + strspn(scan.list, " \t\r\n");
        list->end = scan.rest;
        status = build_rest(list, size, scan.list, scan.rest, error);
    } else if (status == ERT_OK) { /* no such key, or one spelled with escapes */
        status = build(list->text, size, file, &list->root, NULL, error);
    }
    if (status != ERT_OK)
        ert_json_list_close(list);
    return status;
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
        cJSON_Delete(list->element);
        list->element = NULL;
        ERT_TRY(build(list->at, (size_t)(list->end - list->at), list->file, &list->element,
                      &list->at, error));
        element->node = list->element;
        list->at += strspn(list->at, " \t\r\n,");
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

static bool is_listed(const char *key, const char *const *keys)
{
    for (size_t i = 0; keys[i]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

enum ert_status ert_json_only_keys(struct ert_json at, const char *const *keys,
                                   struct ert_error *error)
{
    if (!cJSON_IsObject(at.node))
        return wrong_type(at, "an object", error);
    for (const cJSON *child = at.node->child; child; child = child->next) {
        if (is_listed(child->string, keys))
            continue;
        char list[576] = ""; /* those of a config take 480 */
        for (size_t i = 0; keys[i]; i++)
            ert_list_add(list, sizeof list, keys[i]);
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
static void base_json_write_number(FILE *out, double value)
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

static bool base_json_write_value(FILE *out, const cJSON *node, int depth, bool is_line);

static bool write_container(FILE *out, const cJSON *node, int depth, bool is_line)
{
    const bool is_object = cJSON_IsObject(node), row = is_line || is_row(node);
    if (depth >= MAX_DEPTH)
        return false;
    fputc(is_object ? '{' : '[', out);
    for (const cJSON *child = node->child; child; child = child->next) {
        if (!row)
            fprintf(out, "\n%*s", 2 * (depth + 1), "");
        if (is_object)
            ert_text_print(out, ERT_TEXT_QUOTED, "\"%s\": ", child->string);
        if (!base_json_write_value(out, child, depth + 1, is_line))
            return false;
        if (child->next)
            fputs(row ? ", " : ",", out);
    }
    if (!row && node->child)
        fprintf(out, "\n%*s", 2 * depth, "");
    fputc(is_object ? '}' : ']', out);
    return true;
}

/* false for what is not JSON (cJSON's raw and invalid nodes) or nested deeper than readers take. */
static bool base_json_write_value(FILE *out, const cJSON *node, int depth, bool is_line)
{
    if (cJSON_IsObject(node) || cJSON_IsArray(node))
        return write_container(out, node, depth, is_line);
    if (cJSON_IsNumber(node))
        base_json_write_number(out, node->valuedouble);
    else if (cJSON_IsString(node))
        ert_text_print(out, ERT_TEXT_QUOTED, "\"%s\"", node->valuestring);
    else if (cJSON_IsNull(node))
        fputs("null", out);
    else if (cJSON_IsBool(node))
        fputs(cJSON_IsTrue(node) ? "true" : "false", out);
    else
        return false;
    return true;
}

static enum ert_status base_json_print(FILE *out, const cJSON *root, bool is_line,
                                       struct ert_error *error)
{
    bool whole = base_json_write_value(out, root, 0, is_line);
    fputc('\n', out);
    if (!whole)
        return ert_fail(error, ERT_FAILED,
                        "cannot write: not JSON, or nested deeper than %d", MAX_DEPTH);
    return ERT_OK;
}

enum ert_status ert_json_print(FILE *out, const cJSON *root, struct ert_error *error)
{
    return base_json_print(out, root, false, error);
}

enum ert_status ert_json_print_line(FILE *out, const cJSON *root, struct ert_error *error)
{
    return base_json_print(out, root, true, error);
}

static enum ert_status print_file(const void *about, FILE *out, struct ert_error *error)
{
    const struct ert_json *root = about;
    if (ert_json_print(out, root->node, NULL) == ERT_OK)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED,
                    "%s: cannot write: not JSON, or nested deeper than %d", root->file,
                    MAX_DEPTH);
}

enum ert_status ert_json_write(const char *file, const cJSON *root, struct ert_error *error)
{
    const struct ert_json at = ert_json_root(root, file);
    return ert_file_write_made(file, print_file, &at, error);
}
