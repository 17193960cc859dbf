#include "analysis/plot/page_json.h"

#include "analysis/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 1024 };

static void begin(struct rfl_page_json *json, const char *key)
{
    if (json->follows)
        fputc(',', json->out);
    if (key)
        fprintf(json->out, "\"%s\":", key);
    json->follows = true;
}

void rfl_page_open(struct rfl_page_json *json, const char *key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->out);
    json->follows = false;
}

void rfl_page_close(struct rfl_page_json *json, char bracket)
{
    fputc(bracket, json->out);
    json->follows = true;
}

void rfl_page_number(struct rfl_page_json *json, const char *key, double value)
{
    char text[40];
    begin(json, key);
    if (!isfinite(value)) {
        fputs("null", json->out);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, json->out);
}

void rfl_page_short(struct rfl_page_json *json, const char *key, double value)
{
    begin(json, key);
    fprintf(json->out, isfinite(value) ? "%.6g" : "null", value);
}

/* What JSON must escape, and what would end or change the script that the JSON stands in. */
static bool is_plain(uint32_t character)
{
    return character >= 0x20 && character != '"' && character != '\\' && character != '<' &&
           character != '>' && character != '&' && character != 0x7f &&
           character != 0x2028 && character != 0x2029;
}

void rfl_page_text(struct rfl_page_json *json, const char *key, const char *text)
{
    uint32_t character;
    char bytes[5];
    begin(json, key);
    fputc('"', json->out);
    while ((character = rfl_utf8_next(&text)) != 0)
        if (is_plain(character)) {
            rfl_utf8_put(character, bytes);
            fputs(bytes, json->out);
        } else {
            fprintf(json->out, "\\u%04x", (unsigned)character);
        }
    fputc('"', json->out);
}

void rfl_page_bool(struct rfl_page_json *json, const char *key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->out);
}

void rfl_page_known(struct rfl_page_json *json, const char *key, double value)
{
    if (isfinite(value) && value != 0)
        rfl_page_number(json, key, value);
}

void rfl_page_words(struct rfl_page_json *json, const char *key, const char *text)
{
    if (text && *text)
        rfl_page_text(json, key, text);
}

/* FNV-1a, 64 bit: http://www.isthe.com/chongo/tech/comp/fnv/ */
static size_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (size_t)(hash ^ hash >> 32);
}

/* The slot of a text: its own, or the empty one where it belongs. */
static uint32_t *slot_of(const struct rfl_page_texts *texts, const char *text)
{
    size_t slot = hash_of(text) & (texts->n_slots - 1);
    while (texts->slots[slot] && strcmp(texts->texts[texts->slots[slot] - 1], text) != 0)
        slot = (slot + 1) & (texts->n_slots - 1);
    return &texts->slots[slot];
}

/* Twice the slots, at most half of them full. */
static bool grow(struct rfl_page_texts *texts)
{
    size_t room = texts->n_slots ? 2 * texts->n_slots : FIRST_SLOTS;
    const char **grown = realloc(texts->texts, room / 2 * sizeof *grown);
    uint32_t *slots = calloc(room, sizeof *slots);
    if (grown)
        texts->texts = grown;
    if (!grown || !slots) {
        free(slots);
        return false;
    }
    free(texts->slots);
    texts->slots = slots;
    texts->n_slots = room;
    for (size_t i = 0; i < texts->n_texts; i++)
        *slot_of(texts, texts->texts[i]) = (uint32_t)i + 1;
    return true;
}

void rfl_page_index(struct rfl_page_json *json, const char *key, const char *text)
{
    struct rfl_page_texts *texts = &json->texts;
    if (texts->n_texts >= texts->n_slots / 2 && !grow(texts)) {
        texts->failed = true;
        rfl_page_number(json, key, 0);
        return;
    }
    uint32_t *slot = slot_of(texts, text ? text : "");
    if (!*slot) {
        texts->texts[texts->n_texts++] = text ? text : "";
        *slot = (uint32_t)texts->n_texts;
    }
    rfl_page_number(json, key, *slot - 1);
}

void rfl_page_list(struct rfl_page_json *json, const char *key)
{
    rfl_page_open(json, key, '[');
    for (size_t i = 0; i < json->texts.n_texts; i++)
        rfl_page_text(json, NULL, json->texts.texts[i]);
    rfl_page_close(json, ']');
}

void rfl_page_free(struct rfl_page_json *json)
{
    free(json->texts.texts);
    free(json->texts.slots);
}

void rfl_page_html(FILE *out, const char *text)
{
    uint32_t character;
    char bytes[5];
    while ((character = rfl_utf8_next(&text)) != 0)
        if (character < 0x80 && strchr("<>&\"'", (int)character)) {
            fprintf(out, "&#%u;", (unsigned)character);
        } else {
            rfl_utf8_put(character, bytes);
            fputs(bytes, out);
        }
}
