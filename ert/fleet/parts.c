/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/parts.h"

#include "ert/base/alloc.h"
#include "ert/base/strings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void ert_parts_write(FILE *out, const char *text)
{
    const size_t size = strlen(text);
    const uint64_t hash = ert_strings_hash(text);
    for (size_t at = 0; at < size;) {
        char line[ERT_PART_BYTES];
        int head =
            snprintf(line, sizeof line, "ert-part %016" PRIx64 " %zu %zu ", hash, size, at);
        size_t n = sizeof line - 1 - (size_t)head;
        n = n < size - at ? n : size - at;
        fprintf(out, "%s%.*s\n", line, (int)n, text + at);
        fflush(out); /* one write(2) each, which a pipe keeps in one piece */
        at += n;
    }
}

static struct ert_parts_text *find(struct ert_parts *parts, uint64_t hash, size_t size)
{
    for (size_t i = 0; i < parts->n; i++)
        if (parts->texts[i].hash == hash && parts->texts[i].size == size)
            return &parts->texts[i];
    if (parts->most > 0 && parts->n >= parts->most)
        return NULL;
    parts->texts =
        ert_xgrow(parts->texts, parts->n, &parts->capacity, sizeof *parts->texts);
    struct ert_parts_text *text = &parts->texts[parts->n++];
    *text = (struct ert_parts_text){.hash = hash, .size = size};
    text->text = ert_xcalloc(size + 1, 1);
    return text;
}

enum ert_part_kind ert_parts_add(struct ert_parts *parts, const char *line, char **text)
{
    uint64_t hash;
    size_t size, at;
    int head = 0;
    if (sscanf(line, "ert-part %16" SCNx64 " %zu %zu%n", &hash, &size, &at, &head) != 3 ||
        line[head] != ' ' || size > ERT_PARTS_MOST || at >= size)
        return ERT_PART_NONE;
    const char *piece = line + head + 1;
    const size_t n = strlen(piece);
    if (n > size - at)
        return ERT_PART_NONE;
    struct ert_parts_text *whole = find(parts, hash, size);
    if (!whole)
        return ERT_PART_NONE;
    memcpy(whole->text + at, piece, n);
    whole->n += n;
    if (whole->n < size)
        return ERT_PART_KEPT;
    *text = whole->text;
    *whole = parts->texts[--parts->n];
    if (ert_strings_hash(*text) == hash)
        return ERT_PART_LAST;
    free(*text);
    *text = NULL;
    return ERT_PART_NONE;
}

void ert_parts_free(struct ert_parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
        free(parts->texts[i].text);
    free(parts->texts);
    *parts = (struct ert_parts){0};
}
