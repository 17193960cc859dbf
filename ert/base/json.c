#include "ert/base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* "FILE: PATH", or "FILE" for the root, as every error begins. Room for both. */
struct place {
    char text[400];
};

static struct place place_of(struct ert_json at)
{
    struct place place;
    const char *file = at.file ? at.file : "JSON";
    snprintf(place.text, sizeof place.text, at.path[0] ? "%.200s: %s" : "%.200s", file,
             at.path);
    return place;
}

static const char *type_name(const cJSON *node)
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
    for (size_t i = 0; node && i < sizeof rows / sizeof rows[0]; i++)
        if ((node->type & 0xff) == rows[i].type)
            return rows[i].name;
    return "nothing";
}

static enum ert_status wrong_type(struct ert_json at, const char *wanted,
                                  struct ert_error *error)
{
    return ert_fail(error, ERT_USAGE, "%s: %s, must be %s", place_of(at).text,
                    type_name(at.node), wanted);
}

struct ert_json ert_json_root(const cJSON *root, const char *file)
{
    return (struct ert_json){.node = root, .file = file};
}

static struct ert_json child_of(struct ert_json at, const char *key)
{
    struct ert_json child = {.file = at.file};
    if (cJSON_IsObject(at.node))
        child.node = cJSON_GetObjectItemCaseSensitive(at.node, key);
    size_t length = strlen(at.path);
    memcpy(child.path, at.path, length + 1);
    snprintf(child.path + length, sizeof child.path - length, "%s%s", length ? "." : "",
             key);
    return child;
}

bool ert_json_has(struct ert_json at, const char *key)
{
    const cJSON *child =
        cJSON_IsObject(at.node) ? cJSON_GetObjectItemCaseSensitive(at.node, key) : NULL;
    return child && !cJSON_IsNull(child);
}

/* The value of a key that must be there. */
static enum ert_status get(struct ert_json at, const char *key, struct ert_json *value,
                           struct ert_error *error)
{
    if (!cJSON_IsObject(at.node))
        return wrong_type(at, "an object", error);
    struct ert_json child = child_of(at, key);
    if (!child.node)
        return ert_fail(error, ERT_USAGE, "%s: missing", place_of(child).text);
    *value = child;
    return ERT_OK;
}

enum ert_status ert_json_object(struct ert_json at, const char *key, struct ert_json *value,
                                struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, &child, error));
    if (!cJSON_IsObject(child.node))
        return wrong_type(child, "an object", error);
    *value = child;
    return ERT_OK;
}

enum ert_status ert_json_array(struct ert_json at, const char *key, struct ert_json *value,
                               struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, &child, error));
    if (!cJSON_IsArray(child.node))
        return wrong_type(child, "an array", error);
    *value = child;
    return ERT_OK;
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
    ERT_TRY(get(at, key, &child, error));
    return ert_json_as_string(child, value, error);
}

enum ert_status ert_json_as_double(struct ert_json at, double min, double max,
                                   double *value, struct ert_error *error)
{
    if (!cJSON_IsNumber(at.node))
        return wrong_type(at, "a number", error);
    double number = at.node->valuedouble;
    if (!isfinite(number))
        return ert_fail(error, ERT_USAGE, "%s: must be a finite number", place_of(at).text);
    if (number < min)
        return ert_fail(error, ERT_USAGE, "%s: %.15g, must be at least %.15g",
                        place_of(at).text, number, min);
    if (number > max)
        return ert_fail(error, ERT_USAGE, "%s: %.15g, must be at most %.15g",
                        place_of(at).text, number, max);
    *value = number;
    return ERT_OK;
}

enum ert_status ert_json_double(struct ert_json at, const char *key, double min, double max,
                                double *value, struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, &child, error));
    return ert_json_as_double(child, min, max, value, error);
}

enum ert_status ert_json_u64(struct ert_json at, const char *key, uint64_t min,
                             uint64_t max, uint64_t *value, struct ert_error *error)
{
    /* cJSON keeps doubles: above 2^53 a neighbour of the written number would come back. */
    const uint64_t exact = UINT64_C(1) << 53;
    struct ert_json child;
    ERT_TRY(get(at, key, &child, error));
    if (!cJSON_IsNumber(child.node))
        return wrong_type(child, "a number", error);
    double number = child.node->valuedouble;
    if (!(number == floor(number)) || isinf(number))
        return ert_fail(error, ERT_USAGE, "%s: %.15g, must be a whole number",
                        place_of(child).text, number);
    if (max > exact)
        max = exact;
    if (number < 0 || (number <= (double)exact && (uint64_t)number < min))
        return ert_fail(error, ERT_USAGE, "%s: %.16g, must be at least %" PRIu64,
                        place_of(child).text, number, min);
    if (number > (double)max)
        return ert_fail(error, ERT_USAGE, "%s: %.16g, must be at most %" PRIu64,
                        place_of(child).text, number, max);
    *value = (uint64_t)number;
    return ERT_OK;
}

enum ert_status ert_json_bool(struct ert_json at, const char *key, bool *value,
                              struct ert_error *error)
{
    struct ert_json child;
    ERT_TRY(get(at, key, &child, error));
    if (!cJSON_IsBool(child.node))
        return wrong_type(child, "true or false", error);
    *value = cJSON_IsTrue(child.node);
    return ERT_OK;
}

size_t ert_json_length(struct ert_json array)
{
    size_t n = 0;
    if (!cJSON_IsArray(array.node))
        return 0;
    for (const cJSON *child = array.node->child; child; child = child->next)
        n++;
    return n;
}

struct ert_json ert_json_element(struct ert_json array, size_t index)
{
    struct ert_json element = {.file = array.file};
    if (cJSON_IsArray(array.node) && index < INT32_MAX)
        element.node = cJSON_GetArrayItem(array.node, (int)index);
    size_t length = strlen(array.path);
    memcpy(element.path, array.path, length + 1);
    snprintf(element.path + length, sizeof element.path - length, "[%zu]", index);
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
        return ert_fail(error, ERT_USAGE, "%s: %zu bytes, must be at most %zu",
                        place_of(child).text, length, size - 1);
    /* Names of a file go to terminals: no escape sequence of it may act there. */
    for (size_t i = 0; i <= length; i++)
        text[i] = value[i] == '\033' ? '?' : value[i];
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
        size_t length = 0;
        for (size_t i = 0; keys[i] && length < sizeof list; i++)
            length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                       i ? ", " : "", keys[i]);
        return ert_fail(error, ERT_USAGE, "%s: unknown key '%.64s'; known are %s",
                        place_of(at).text, child->string, list);
    }
    return ERT_OK;
}
