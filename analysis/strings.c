#include "analysis/strings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16, FIRST_SLOTS = 256 };

/* FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv/ */
static uint64_t hash_of(const char *text)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(1099511628211);
    return hash;
}

/* The slot that holds the text, or the free one where it belongs. */
static struct rfl_string_slot *slot_of(struct rfl_string_slot *slots, size_t n_slots,
                                       const char *text, uint64_t hash)
{
    size_t i = (size_t)(hash ^ hash >> 32) & (n_slots - 1);
    while (slots[i].text && (slots[i].hash != hash || strcmp(slots[i].text, text) != 0))
        i = (i + 1) & (n_slots - 1);
    return &slots[i];
}

/* Keeps the table at most half full. */
static int grow(struct rfl_strings *strings)
{
    if (strings->n_slots && 2 * strings->n_texts < strings->n_slots)
        return 1;
    size_t n = strings->n_slots ? 2 * strings->n_slots : FIRST_SLOTS;
    struct rfl_string_slot *slots = calloc(n, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; i < strings->n_slots; i++) {
        struct rfl_string_slot *slot = &strings->slots[i];
        if (slot->text)
            *slot_of(slots, n, slot->text, slot->hash) = *slot;
    }
    free(strings->slots);
    strings->slots = slots;
    strings->n_slots = n;
    return 1;
}

/* Room for `size` bytes; a text longer than a block gets one of its own, before the open one. */
static char *take(struct rfl_strings *strings, size_t size)
{
    size_t last = strings->n_blocks;
    if (last && size <= BLOCK_BYTES - strings->used) {
        strings->used += size;
        return strings->blocks[last - 1] + strings->used - size;
    }
    char **blocks = realloc(strings->blocks, (last + 1) * sizeof *blocks);
    if (!blocks)
        return NULL;
    strings->blocks = blocks;
    char *block = malloc(size > BLOCK_BYTES ? size : BLOCK_BYTES);
    if (!block)
        return NULL;
    blocks[strings->n_blocks++] = block;
    if (size > BLOCK_BYTES && last) {
        blocks[last] = blocks[last - 1];
        blocks[last - 1] = block;
    } else {
        strings->used = size > BLOCK_BYTES ? BLOCK_BYTES : size;
    }
    return block;
}

const char *rfl_strings_keep(struct rfl_strings *strings, const char *text)
{
    if (!grow(strings))
        return NULL;
    uint64_t hash = hash_of(text);
    struct rfl_string_slot *slot = slot_of(strings->slots, strings->n_slots, text, hash);
    if (slot->text)
        return slot->text;
    size_t size = strlen(text) + 1;
    char *copy = take(strings, size);
    if (!copy)
        return NULL;
    memcpy(copy, text, size);
    strings->n_texts++;
    *slot = (struct rfl_string_slot){hash, copy};
    return copy;
}

const char *rfl_strings_vformat(struct rfl_strings *strings, const char *format,
                                va_list arguments)
{
    char *text = NULL;
    if (vasprintf(&text, format, arguments) < 0)
        return NULL;
    const char *kept = rfl_strings_keep(strings, text);
    free(text);
    return kept;
}

const char *rfl_strings_format(struct rfl_strings *strings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *kept = rfl_strings_vformat(strings, format, arguments);
    va_end(arguments);
    return kept;
}

void rfl_strings_free(struct rfl_strings *strings)
{
    for (size_t i = 0; i < strings->n_blocks; i++)
        free(strings->blocks[i]);
    free(strings->blocks);
    free(strings->slots);
    *strings = (struct rfl_strings){0};
}
