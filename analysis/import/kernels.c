#include "analysis/import/kernels.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_of(struct rfl_kernel_key key)
{
    /* Knuth's multiplicative hashing, 2^64 / the golden ratio. */
    static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (uintptr_t)key.name * factor;
    hash = (hash ^ (uintptr_t)key.process) * factor;
    hash = (hash ^ (uintptr_t)key.device) * factor;
    return (size_t)(hash >> 24);
}

/* The slot of a key, or the free one where it belongs. */
static uint32_t *slot_of(const struct rfl_kernel_index *index, struct rfl_kernel_key key)
{
    size_t i = hash_of(key) & (index->n_slots - 1);
    for (; index->slots[i]; i = (i + 1) & (index->n_slots - 1)) {
        const struct rfl_kernel_key *other = &index->keys[index->slots[i] - 1];
        if (other->name == key.name && other->process == key.process &&
            other->device == key.device)
            break;
    }
    return &index->slots[i];
}

/* Room for one key more; the hash table stays at most half full. */
static enum ert_status grow(struct rfl_kernel_index *index, struct ert_error *error)
{
    if (index->n < index->room)
        return ERT_OK;
    size_t room = index->room ? 2 * index->room : 64;
    struct rfl_kernel_key *keys = realloc(index->keys, room * sizeof *keys);
    if (keys)
        index->keys = keys;
    uint32_t *slots = calloc(2 * room, sizeof *slots);
    if (!keys || !slots) {
        free(slots);
        return ert_fail(error, ERT_FAILED, "no memory for %zu kernels", room);
    }
    free(index->slots);
    index->slots = slots;
    index->n_slots = 2 * room;
    index->room = room;
    for (size_t i = 0; i < index->n; i++)
        *slot_of(index, keys[i]) = (uint32_t)i + 1;
    return ERT_OK;
}

enum ert_status rfl_kernel_find(struct rfl_kernel_index *index, struct rfl_kernel_key key,
                                size_t *number, struct ert_error *error)
{
    ERT_TRY(grow(index, error));
    uint32_t *slot = slot_of(index, key);
    if (!*slot) {
        index->keys[index->n++] = key;
        *slot = (uint32_t)index->n;
    }
    *number = *slot - 1;
    return ERT_OK;
}

void rfl_kernel_index_free(struct rfl_kernel_index *index)
{
    free(index->keys);
    free(index->slots);
    *index = (struct rfl_kernel_index){0};
}

/* The length of a name without " #12". */
static size_t without_launch(const char *name)
{
    size_t length = strlen(name), end = length;
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    return end < length && end >= 2 && name[end - 1] == '#' && name[end - 2] == ' '
               ? end - 2
               : length;
}

/* Where the bracket opens that closes at `end` - 1, or `end`. */
static size_t opening(const char *name, size_t end)
{
    size_t depth = 0, i = end;
    while (i-- > 0) {
        depth += name[i] == ')';
        if (name[i] == '(' && --depth == 0)
            return i;
    }
    return end;
}

void rfl_kernel_short(const char *full, size_t *begin, size_t *length)
{
    static const char result[] = "void ", constant[] = " const";
    size_t end = without_launch(full), n = sizeof constant - 1;
    *begin = 0;
    *length = end;
    if (end > n && strncmp(full + end - n, constant, n) == 0)
        end -= n;
    if (end == 0 || full[end - 1] != ')')
        return;
    size_t open = opening(full, end);
    size_t from = strncmp(full, result, sizeof result - 1) == 0 ? sizeof result - 1 : 0;
    /* "(anonymous namespace)" alone, or the brackets of operator(), are no arguments. */
    if (open == end || open <= from ||
        (open >= 8 && strncmp(full + open - 8, "operator", 8) == 0))
        return;
    *begin = from;
    *length = open - from;
}

/* A full name and what it could become; equal texts are the same pointer. */
struct name {
    const char *full, *shorter;
};

static int compare(const void *a, const void *b)
{
    const struct name *left = a, *right = b;
    if (left->shorter != right->shorter)
        return (uintptr_t)left->shorter < (uintptr_t)right->shorter ? -1 : 1;
    return ((uintptr_t)left->full > (uintptr_t)right->full) -
           ((uintptr_t)left->full < (uintptr_t)right->full);
}

/* The short name with its launch, kept by the points; NULL when memory runs out. */
static const char *shorten(struct rfl_points *points, const char *full)
{
    size_t begin, length, launch = without_launch(full), rest = strlen(full + launch);
    rfl_kernel_short(full, &begin, &length);
    char *text = malloc(length + rest + 1);
    if (!text)
        return NULL;
    memcpy(text, full + begin, length);
    memcpy(text + length, full + launch, rest + 1);
    const char *kept = rfl_points_text(points, text);
    free(text);
    return kept;
}

/* Whether another full name shares the short one of names[i], sorted and each once. */
static bool is_ambiguous(const struct name *names, size_t n, size_t i)
{
    return (i > 0 && names[i - 1].shorter == names[i].shorter) ||
           (i + 1 < n && names[i + 1].shorter == names[i].shorter);
}

enum ert_status rfl_kernels_shorten(struct rfl_points *points, size_t first,
                                    struct ert_error *error)
{
    size_t n = points->n - first, n_names = 0;
    struct name *names = calloc(n + 1, sizeof *names);
    if (!names)
        return ert_fail(error, ERT_FAILED, "no memory for the names of %zu kernels", n);
    for (size_t i = 0; i < n; i++) {
        const char *full = points->points[first + i].name;
        names[i] = (struct name){full, shorten(points, full)};
        if (!names[i].shorter) {
            free(names);
            return ert_fail(error, ERT_FAILED, "no memory for the name %.100s", full);
        }
    }
    qsort(names, n, sizeof *names, compare);
    /* Each once: the same kernel may stand in many points. */
    for (size_t i = 0; i < n; i++)
        if (i == 0 || compare(&names[i], &names[i - 1]) != 0)
            names[n_names++] = names[i];
    for (size_t i = 0; i < n; i++) {
        struct rfl_point *point = &points->points[first + i];
        struct name wanted = {point->name, shorten(points, point->name)};
        const struct name *found = bsearch(&wanted, names, n_names, sizeof *names, compare);
        if (found && !is_ambiguous(names, n_names, (size_t)(found - names)))
            point->name = found->shorter;
    }
    free(names);
    return ERT_OK;
}

enum ert_status rfl_kernels_forbidden(const char *file, struct ert_error *error)
{
    return ert_fail(
        error, ERT_USAGE,
        "%.200s: the user was not allowed to read the GPU's counters (ERR_NVGPUCTRPERM): "
        "profile as root, or have the administrator load the driver with "
        "NVreg_RestrictProfilingToAdminUsers=0; without counters a code is placed by "
        "--flops, --bytes and --seconds",
        file);
}
