/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/strings.h"

#include "ert/core/base/alloc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/*
 * It begins with a number of each process's own: texts come from files, and a file of texts that were chosen
 * to collide would make each search as long as the table.
 */
static uint32_t strings_hash(const char *text)
{
    uint64_t hash = 0;
    const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM); /* 16 bytes */
    if (random)
        memcpy(&hash, random, sizeof hash);
    for (size_t left = strlen(text), n; left; left -= n, text += n) {
        uint64_t part = 0;
        n = left < sizeof part ? left : sizeof part;
        memcpy(&part, text, n);
        hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* The slot of a text, or the free one that it will have. text NULL: of one that no slot has. */
static struct ert_strings_slot *slot_of(const struct ert_strings *strings, uint32_t hash,
                                        const char *text)
{
    struct ert_strings_slot *slots = strings->slots;
    size_t at = hash % strings->n_slots;
    while (slots[at].number && (!text || slots[at].hash != hash ||
                                strcmp(strings->texts[slots[at].number - 1], text) != 0))
        at = (at + 1) % strings->n_slots;
    return &slots[at];
}

static void strings_spread(struct ert_strings *strings)
{
    struct ert_strings_slot *before = strings->slots;
    const size_t n = strings->n_slots;
    strings->n_slots = 2 * n + 16;
    strings->slots = ert_xcalloc(strings->n_slots, sizeof *strings->slots);
    for (size_t i = 0; i < n; i++)
        if (before[i].number)
            *slot_of(strings, before[i].hash, NULL) = before[i];
    free(before);
}

void *ert_strings_grow(struct ert_strings *strings, void *memory, size_t before,
                       size_t bytes)
{
    enum {
        LEAST = 512,
        DOUBLED = 7
    }; /* bytes of the first block: many stores have few texts */
    const size_t aligned = (bytes + 7) / 8 * 8, had = (before + 7) / 8 * 8;
    char *at = memory && (char *)memory + had == strings->free ? memory : strings->free;
    if (!at || aligned > (size_t)(strings->end - at)) {
        size_t size = (size_t)LEAST
                      << (strings->n_blocks < DOUBLED ? strings->n_blocks : DOUBLED);
        size = aligned > size ? aligned : size;
        strings->blocks = ert_xgrow(strings->blocks, strings->n_blocks,
                                    &strings->block_capacity, sizeof *strings->blocks);
        at = strings->blocks[strings->n_blocks++] = ert_xrealloc(NULL, size, 1);
        strings->end = at + size;
    }
    if (before && at != memory)
        memcpy(at, memory, before);
    strings->free = at + aligned;
    return at;
}

size_t ert_strings_index(struct ert_strings *strings, const char *text)
{
    if (4 * strings->n_texts >= 3 * strings->n_slots) /* fuller, searches become long */
        strings_spread(strings);
    const uint32_t hash = strings_hash(text);
    struct ert_strings_slot *slot = slot_of(strings, hash, text);
    if (!slot->number) {
        const size_t bytes = strlen(text) + 1;
        strings->texts = ert_xgrow(strings->texts, strings->n_texts, &strings->capacity,
                                   sizeof *strings->texts);
        strings->texts[strings->n_texts++] =
            memcpy(ert_strings_grow(strings, NULL, 0, bytes), text, bytes);
        *slot = (struct ert_strings_slot){(uint32_t)strings->n_texts, hash};
    }
    return slot->number - 1;
}

size_t ert_strings_find(const struct ert_strings *strings, const char *text)
{
    const struct ert_strings_slot *slot =
        strings->n_slots > 0 ? slot_of(strings, strings_hash(text), text) : NULL;
    return slot && slot->number ? slot->number - 1 : SIZE_MAX;
}

const char *ert_strings_keep(struct ert_strings *strings, const char *text)
{
    size_t index = ert_strings_index(strings, text);
    return strings->texts[index];
}

const char *ert_strings_vformat(struct ert_strings *strings, const char *format,
                                va_list arguments)
{
    char *text = ert_xvprintf(format, arguments);
    const char *kept = ert_strings_keep(strings, text);
    free(text);
    return kept;
}

const char *ert_strings_format(struct ert_strings *strings, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *kept = ert_strings_vformat(strings, format, arguments);
    va_end(arguments);
    return kept;
}

void ert_strings_free(struct ert_strings *strings)
{
    for (size_t i = 0; i < strings->n_blocks; i++)
        free(strings->blocks[i]);
    free(strings->blocks);
    free(strings->texts);
    free(strings->slots);
    *strings = (struct ert_strings){0};
}
