/*
 * A mutator for files in JSON: one value of the tree is changed, so that the file stays JSON and what is
 * behind the parser is reached. Bytes that are not JSON, and one mutation in four, are libFuzzer's own.
 */
#include <cjson/cJSON.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static unsigned draw(unsigned *state, unsigned n)
{
    /* xorshift32, Marsaglia, Journal of Statistical Software 8 (2003). */
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % n;
}

static size_t count(const cJSON *node)
{
    size_t n = 1;
    for (const cJSON *child = node->child; child; child = child->next)
        n += count(child);
    return n;
}

/* The index-th node in the order of the file, and its parent. */
static cJSON *find(cJSON *node, size_t *index, cJSON **parent)
{
    if ((*index)-- == 0)
        return node;
    for (cJSON *child = node->child, *found; child; child = child->next) {
        cJSON *above = node;
        if ((found = find(child, index, &above))) {
            *parent = above;
            return found;
        }
    }
    return NULL;
}

static cJSON *value(const cJSON *other, unsigned *state)
{
    static const double numbers[] = {0,    1,     2,      3,      7,      -1,     0.5,
                                     64,   65536, 1e6,    1e9,    1e12,   1e24,   1e300,
                                     1e-9, 1e-12, 0x1p31, 0x1p32, 0x1p53, 0x1p62, 1e308};
    static const char *const texts[] = {"",     "x",  "cpu",  "gpu0",
                                        "fp64", "L1", "DRAM", "load"};
    switch (draw(state, 8)) {
    case 0:
        return cJSON_CreateNull();
    case 1:
        return cJSON_CreateBool(draw(state, 2));
    case 2:
        return cJSON_CreateString(texts[draw(state, sizeof texts / sizeof texts[0])]);
    case 3:
        return cJSON_Duplicate(other, 1);
    default:
        return cJSON_CreateNumber(numbers[draw(state, sizeof numbers / sizeof numbers[0])]);
    }
}

/* Removes, doubles or replaces one element; *node is below *parent. */
static void mutate(cJSON *root, unsigned *state)
{
    size_t n = count(root), at = 1 + draw(state, (unsigned)n),
           from = draw(state, (unsigned)n);
    cJSON *parent = NULL, *above = NULL;
    cJSON *node = find(root, &at, &parent), *other = find(root, &from, &above);
    if (!node || !parent)
        return;
    switch (draw(state, 6)) {
    case 0:
        cJSON_Delete(cJSON_DetachItemViaPointer(parent, node));
        return;
    case 1:
        if (cJSON_IsArray(parent))
            cJSON_AddItemToArray(parent, cJSON_Duplicate(node, 1));
        return;
    default:
        if (cJSON_IsNumber(node) && draw(state, 3) == 0) {
            cJSON_SetNumberHelper(node, node->valuedouble * (draw(state, 2) ? 2 : 0.5));
            return;
        }
        cJSON *made = value(other, state);
        if (!made)
            return;
        free(made->string); /* a copy has its own key */
        made->string = node->string ? strdup(node->string) : NULL;
        cJSON_ReplaceItemViaPointer(parent, node, made);
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    unsigned state = seed | 1;
    cJSON *root = draw(&state, 4) ? cJSON_ParseWithLength((const char *)data, size) : NULL;
    if (!root)
        return LLVMFuzzerMutate(data, size, max_size);
    for (unsigned i = 0, n = 1 + draw(&state, 3); i < n; i++)
        mutate(root, &state);
    char *text = cJSON_PrintUnformatted(root);
    size_t length = text ? strlen(text) : 0;
    bool fits = text && length <= max_size;
    if (fits)
        memcpy(data, text, length);
    cJSON_free(text);
    cJSON_Delete(root);
    return fits ? length : LLVMFuzzerMutate(data, size, max_size);
}
