#include "analysis/cli/portability_text.h"

#include "ert/base/json.h"

#include <string.h>

static enum ert_status copy(char *to, size_t room, const char *from, size_t length,
                            const char *what, struct ert_error *error)
{
    if (length >= room)
        return ert_fail(error, ERT_USAGE, "a %s of %zu bytes, at most %zu", what, length,
                        room - 1);
    memcpy(to, from, length);
    to[length] = '\0';
    return ERT_OK;
}

enum ert_status rfl_platform_parse(const char *word, struct rfl_platform_words *words,
                                   struct ert_error *error)
{
    *words = (struct rfl_platform_words){0};
    const char *colon = strchr(word, ':');
    if (!colon || !colon[1])
        return ert_fail(error, ERT_USAGE,
                        "portability: '%.200s', must be [NAME=]CEILINGS:PROFILE", word);
    size_t name = strcspn(word, "=/:");
    if (word[name] == '=' && name > 0) {
        ERT_TRY(copy(words->name, sizeof words->name, word, name, "name", error));
        word += name + 1;
    }
    ERT_TRY(copy(words->ceilings, sizeof words->ceilings, word, (size_t)(colon - word),
                 "file name", error));
    return copy(words->profile, sizeof words->profile, colon + 1, strlen(colon + 1),
                "file name", error);
}

/* A file of the list, relative to the list's folder; "" when the key is not there. */
static enum ert_status file_of(struct ert_json at, const char *key, const char *list,
                               char *file, size_t room, struct ert_error *error)
{
    char name[512];
    const char *slash = strrchr(list, '/');
    ERT_TRY(ert_json_copy_string(at, key, name, sizeof name, error));
    bool is_relative = *name && *name != '/' && slash;
    int length = snprintf(file, room, "%.*s%s", is_relative ? (int)(slash - list + 1) : 0,
                          list, name);
    if (length < 0 || (size_t)length >= room)
        return ert_fail(error, ERT_USAGE, "%.200s: %s: a file name of more than %zu bytes",
                        list, key, room - 1);
    return ERT_OK;
}

static enum ert_status read_platform(struct ert_json at, const char *list,
                                     struct rfl_platform_words *words,
                                     struct ert_error *error)
{
    static const char *const keys[] = {"name", "ceilings", "profile", "device", NULL};
    const char *profile;
    *words = (struct rfl_platform_words){0};
    ERT_TRY(ert_json_only_keys(at, keys, error));
    ERT_TRY(ert_json_string(at, "profile", &profile, error));
    ERT_TRY(ert_json_copy_string(at, "name", words->name, sizeof words->name, error));
    ERT_TRY(ert_json_copy_string(at, "device", words->device, sizeof words->device, error));
    ERT_TRY(file_of(at, "ceilings", list, words->ceilings, sizeof words->ceilings, error));
    return file_of(at, "profile", list, words->profile, sizeof words->profile, error);
}

static enum ert_status read_list(const cJSON *root, const char *file,
                                 struct rfl_platform_words *words, size_t room, size_t *n,
                                 struct ert_error *error)
{
    static const char *const keys[] = {"schema", "platforms", NULL};
    struct ert_json at = ert_json_root(root, file), list;
    const char *schema;
    ERT_TRY(ert_json_string(at, "schema", &schema, error));
    if (strcmp(schema, "ert-platforms/1") != 0)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: schema: '%.60s', must be 'ert-platforms/1'", file, schema);
    ERT_TRY(ert_json_only_keys(at, keys, error));
    ERT_TRY(ert_json_array(at, "platforms", &list, error));
    *n = ert_json_length(list);
    if (*n > room)
        return ert_fail(error, ERT_USAGE, "%.200s: platforms: %zu of them, at most %zu",
                        file, *n, room);
    for (size_t i = 0; i < *n; i++)
        ERT_TRY(read_platform(ert_json_element(list, i), file, &words[i], error));
    return ERT_OK;
}

enum ert_status rfl_platform_list(const char *file, struct rfl_platform_words *words,
                                  size_t room, size_t *n, struct ert_error *error)
{
    cJSON *root;
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status = read_list(root, file, words, room, n, error);
    cJSON_Delete(root);
    return status;
}
