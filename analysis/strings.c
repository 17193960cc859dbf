#include "analysis/strings.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rfl_append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

void rfl_append_item(char *text, size_t size, const char *item)
{
    rfl_append(text, size, "%s%s", *text ? ", " : "", item);
}

void rfl_names_add(struct rfl_names *names, size_t limit, const char *name)
{
    if (strlen(names->text) + strlen(name) + 3 > limit)
        names->left_out++;
    else
        rfl_append_item(names->text, sizeof names->text, name);
}

const char *rfl_names_end(struct rfl_names *names)
{
    if (names->left_out)
        rfl_append(names->text, sizeof names->text, " and %zu more", names->left_out);
    return names->text;
}

enum { REPLACEMENT = 0xfffd };

/* First byte of a sequence: mask, value, bytes that follow, smallest character it may hold. */
static const struct {
    unsigned char mask, value, more;
    uint32_t least;
} forms[] = {
    {0x80, 0x00, 0, 0      },
    {0xe0, 0xc0, 1, 0x80   },
    {0xf0, 0xe0, 2, 0x800  },
    {0xf8, 0xf0, 3, 0x10000},
};

static uint32_t decode(const unsigned char *bytes, size_t *length)
{
    *length = 1;
    for (size_t f = 0; f < sizeof forms / sizeof forms[0]; f++) {
        if ((bytes[0] & forms[f].mask) != forms[f].value)
            continue;
        uint32_t character = bytes[0] & (unsigned char)~forms[f].mask;
        for (size_t i = 1; i <= forms[f].more; i++) {
            if ((bytes[i] & 0xc0) != 0x80)
                return REPLACEMENT;
            character = character << 6 | (bytes[i] & 0x3f);
        }
        if (character < forms[f].least || character > 0x10ffff ||
            (character >= 0xd800 && character <= 0xdfff))
            return REPLACEMENT;
        *length = forms[f].more + 1u;
        return character;
    }
    return REPLACEMENT;
}

uint32_t rfl_utf8_next(const char **text)
{
    if (!**text)
        return 0;
    size_t length;
    uint32_t character = decode((const unsigned char *)*text, &length);
    *text += length;
    int forbidden = character < 0x20 || (character >= 0x7f && character < 0xa0) ||
                    (character & 0xfffe) == 0xfffe;
    return forbidden ? REPLACEMENT : character;
}

size_t rfl_utf8_put(uint32_t character, char text[5])
{
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = character < 0x80      ? 0
                  : character < 0x800   ? 1
                  : character < 0x10000 ? 2
                                        : 3;
    for (size_t i = more; i > 0; i--) {
        text[i] = (char)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    text[0] = (char)(lead[more] | character);
    text[more + 1] = '\0';
    return more + 1;
}

void rfl_name_cut(const char *name, char *text, size_t size)
{
    size_t length = 0;
    if (strlen(name) < size) {
        memcpy(text, name, strlen(name) + 1);
        return;
    }
    for (const char *at = name;;) {
        rfl_utf8_next(&at);
        if ((size_t)(at - name) > size - 3)
            break;
        length = (size_t)(at - name);
    }
    snprintf(text, size, "%.*s..", (int)length, name);
}
