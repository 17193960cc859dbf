#include "analysis/plot/page_json.h"

#include "analysis/strings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

void rfl_page_index(struct rfl_page_json *json, const char *key, const char *text)
{
    size_t index = rfl_strings_index(&json->texts, text ? text : "");
    rfl_page_number(json, key, (double)index);
}

void rfl_page_list(struct rfl_page_json *json, const char *key)
{
    rfl_page_open(json, key, '[');
    for (size_t i = 0; i < json->texts.n_texts; i++)
        rfl_page_text(json, NULL, json->texts.texts[i]);
    rfl_page_close(json, ']');
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
