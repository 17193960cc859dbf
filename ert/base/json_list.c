/* A file's long list, an element at a time. */
#include "ert/base/file.h"
#include "ert/base/json.h"
#include "ert/base/json_text.h"
#include "ert/base/json_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All below walks text that ert_json_check_text() has found to be JSON, so it looks for no faults. */

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* From the opening quote to behind the closing one. */
static const char *skip_string(const char *at)
{
    for (at++; *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at + 1;
}

/* From the first character of a value to behind its last. */
static const char *skip_value(const char *at)
{
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        else if (*at == '}' || *at == ']')
            depth--;
        at++;
    } while (depth > 0 || !strchr(",]} \t\r\n", *at));
    return at;
}

/*
 * Behind the bracket of the top-level key's array, or NULL: there is none, or it is spelled with
 * escapes, and then the tree has it.
 */
static const char *find_list(const char *text, const char *key)
{
    const char *at = skip_space(text);
    size_t length = strlen(key);
    if (*at != '{')
        return NULL;
    at = skip_space(at + 1);
    while (*at == '"') {
        const char *name = at + 1, *end = skip_string(at);
        at = skip_space(skip_space(end) + 1);
        if (*at == '[' && (size_t)(end - 1 - name) == length &&
            strncmp(name, key, length) == 0)
            return at + 1;
        at = skip_space(skip_value(at));
        at = skip_space(at + (*at == ','));
    }
    return NULL;
}

/* Parses the text of [from, to); its keys are checked. */
static enum ert_status parse(const char *from, const char *to, const char *file,
                             cJSON **tree, struct ert_error *error)
{
    cJSON *parsed = cJSON_ParseWithLength(from, (size_t)(to - from));
    enum ert_status status = parsed
                                 ? ert_json_check_tree(parsed, file, error)
                                 : ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    if (status != ERT_OK) {
        cJSON_Delete(parsed);
        return status;
    }
    *tree = parsed;
    return ERT_OK;
}

/* The tree of all but the list's elements, of which there is none before `from` or from `to` on. */
static enum ert_status parse_rest(struct ert_json_list *list, const char *from,
                                  const char *to, const char *end, struct ert_error *error)
{
    size_t before = (size_t)(from - list->text), after = (size_t)(end - to);
    char *text = malloc(before + after + 1);
    if (!text)
        return ert_fail(error, ERT_FAILED, "%s: out of memory", list->file);
    memcpy(text, list->text, before);
    memcpy(text + before, to, after);
    enum ert_status status =
        parse(text, text + before + after, list->file, &list->root, error);
    free(text);
    return status;
}

enum ert_status ert_json_list_open(const char *file, const char *key,
                                   struct ert_json_list *list, struct ert_error *error)
{
    size_t size = 0;
    *list = (struct ert_json_list){.file = file, .key = key};
    ERT_TRY(ert_file_read(file, ERT_JSON_MAX_BYTES, &list->text, &size, error));
    enum ert_status status = ert_json_check_text(list->text, size, file, error);
    const char *from = status == ERT_OK ? find_list(list->text, key) : NULL;
    if (status == ERT_OK && from) {
        const char *to = skip_space(from);
        list->at = to;
        while (*to != ']') {
            to = skip_space(skip_value(to));
            to = skip_space(to + (*to == ','));
        }
        list->end = to;
        status = parse_rest(list, from, to, list->text + size, error);
    } else if (status == ERT_OK) {
        status = parse(list->text, list->text + size, file, &list->root, error);
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
        const cJSON *array = cJSON_IsObject(list->root)
                                 ? cJSON_GetObjectItemCaseSensitive(list->root, list->key)
                                 : NULL;
        element->node = list->index == 0 ? (cJSON_IsArray(array) ? array->child : NULL)
                        : list->last     ? list->last->next
                                         : NULL;
        list->last = element->node;
    } else if (list->at < list->end) {
        const char *to = skip_value(list->at);
        cJSON_Delete(list->element);
        list->element = NULL;
        ERT_TRY(parse(list->at, to, list->file, &list->element, error));
        element->node = list->element;
        list->at = skip_space(to);
        list->at = skip_space(list->at + (*list->at == ','));
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
