#include "analysis/plot/utf8.h"

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
