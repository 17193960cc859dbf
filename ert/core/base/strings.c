/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/strings.h"

#include "ert/core/base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

/*
 * It begins with a number of each process's own: texts come from files, and a file of texts that were chosen
 * to collide would make each search as long as the table.
 */
static uint64_t strings_hash(const char *text)
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
    return hash;
}

/* The slot of a text, or the free one that it will have. */
static uint32_t *slot_of(const struct ert_strings *strings, const char *text)
{
    uint64_t at = strings_hash(text) % strings->n_slots;
    while (strings->slots[at] && strcmp(strings->texts[strings->slots[at] - 1], text) != 0)
        at = (at + 1) % strings->n_slots;
    return &strings->slots[at];
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
    if (2 * strings->n_texts >= strings->n_slots) { /* fuller, searches become long */
        free(strings->slots);
        strings->n_slots = 2 * strings->n_slots + 16;
        strings->slots = ert_xcalloc(strings->n_slots, sizeof *strings->slots);
        for (size_t i = 0; i < strings->n_texts; i++)
            *slot_of(strings, strings->texts[i]) = (uint32_t)i + 1;
    }
    uint32_t *slot = slot_of(strings, text);
    if (!*slot) {
        const size_t bytes = strlen(text) + 1;
        strings->texts = ert_xgrow(strings->texts, strings->n_texts, &strings->capacity,
                                   sizeof *strings->texts);
        strings->texts[strings->n_texts++] =
            memcpy(ert_strings_grow(strings, NULL, 0, bytes), text, bytes);
        *slot = (uint32_t)strings->n_texts;
    }
    return *slot - 1;
}

size_t ert_strings_find(const struct ert_strings *strings, const char *text)
{
    const uint32_t *slot = strings->n_slots > 0 ? slot_of(strings, text) : NULL;
    return slot && *slot ? *slot - 1 : SIZE_MAX;
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
