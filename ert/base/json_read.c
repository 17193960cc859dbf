#include "ert/base/file.h"
#include "ert/base/json.h"
#include "ert/base/json_text.h"
#include "ert/base/json_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/*
 * ERT_USAGE when a key stands twice in one object: readers disagree on which one counts. Sorted,
 * because comparing each with each takes hours on a hostile file.
 */
static enum ert_status check_keys(const cJSON *object, const char *file,
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
                ert_fail(error, ERT_USAGE, "%s: the key '%.64s' stands twice in one object",
                         file, keys[i]);
    if (keys != few)
        free(keys);
    return status;
}

enum ert_status ert_json_check_tree(const cJSON *node, const char *file,
                                    struct ert_error *error)
{
    if (cJSON_IsObject(node))
        ERT_TRY(check_keys(node, file, error));
    for (const cJSON *child = node->child; child; child = child->next)
        ERT_TRY(ert_json_check_tree(child, file, error));
    return ERT_OK;
}

enum ert_status ert_json_parse(const char *text, size_t size, const char *file,
                               cJSON **root, struct ert_error *error)
{
    ERT_TRY(ert_json_check_text(text, size, file, error));
    cJSON *tree = cJSON_ParseWithLength(text, size);
    enum ert_status status = tree ? ert_json_check_tree(tree, file, error)
                                  : ert_fail(error, ERT_FAILED, "%s: out of memory", file);
    if (status != ERT_OK) {
        cJSON_Delete(tree);
        return status;
    }
    *root = tree;
    return ERT_OK;
}

enum ert_status ert_json_read(const char *file, cJSON **root, struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    ERT_TRY(ert_file_read(file, ERT_JSON_MAX_BYTES, &text, &size, error));
    enum ert_status status = ert_json_parse(text, size, file, root, error);
    free(text);
    return status;
}
