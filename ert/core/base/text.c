/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/text.h"

#include "ert/core/base/error.h"

#include <ctype.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t ert_utf8(const char *text, uint32_t *character)
{
    /* First byte of a sequence: mask, value, bytes that follow, smallest character it may hold. */
    static const struct {
        unsigned char mask, value, more;
        uint32_t least;
    } forms[] = {
        {0x80, 0x00, 0, 1      },
        {0xe0, 0xc0, 1, 0x80   },
        {0xf0, 0xe0, 2, 0x800  },
        {0xf8, 0xf0, 3, 0x10000},
    };
    const unsigned char *bytes = (const unsigned char *)text;
    size_t f = 0, i = 1;
    while (f < ERT_LENGTH(forms) && (bytes[0] & forms[f].mask) != forms[f].value)
        f++;
    if (f == ERT_LENGTH(forms))
        return 0;
    uint32_t code = bytes[0] & (unsigned char)~forms[f].mask;
    for (; i <= forms[f].more && (bytes[i] & 0xc0) == 0x80; i++)
        code = code << 6 | (bytes[i] & 0x3f);
    if (i <= forms[f].more || code < forms[f].least || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *character = code;
    return i;
}

bool ert_text_acts(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e ||
           c == 0x200f || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* What no output holds as it is: also what XML 1.0 and YAML forbid besides controls. */
static bool is_hidden(uint32_t c)
{
    return ert_text_acts(c) || c == 0xfffe || c == 0xffff;
}

uint32_t ert_utf8_next(const char **text)
{
    uint32_t character;
    if (!**text)
        return 0;
    size_t length = ert_utf8(*text, &character);
    *text += length ? length : 1;
    return length == 0 || is_hidden(character) ? 0xfffd : character;
}

size_t ert_utf8_fit(const char *text, size_t most)
{
    const char *end = text, *next = text;
    while (ert_utf8_next(&next) && (size_t)(next - text) <= most)
        end = next;
    return (size_t)(end - text);
}

const char *ert_text_control(const char *text)
{
    for (size_t length; *text; text += length ? length : 1) {
        uint32_t character = (unsigned char)*text;
        length = ert_utf8(text, &character);
        if (ert_text_acts(character) && character != '\t')
            return text;
    }
    return NULL;
}

enum { LONGEST_MADE = 12 };

/* Bytes that get an escape before them, bytes that become entities; whether what is hidden is shown. */
static const struct form {
    const char *special, *entities;
    char escape;
    bool shows;
} forms[] = {
    [ERT_TEXT_PLAIN] = {"",           "",      0,    true },
    [ERT_TEXT_MARKDOWN] = {"\\`*_[]#|~", "<&",    '\\', true },
    [ERT_TEXT_CSV] = {"\"",         "",      '"',  true },
    [ERT_TEXT_XML] = {"",           "<>&\"", 0,    false},
    [ERT_TEXT_QUOTED] = {"\\\"",       "",      '\\', false},
};

static const char *entity(char byte)
{
    static const char bytes[] = "<>&\"";
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
    return names[strchr(bytes, byte) - bytes];
}

static const char *base_text_show(uint32_t character, char made[LONGEST_MADE])
{
    if (character == '\n' || character == '\r')
        return character == '\n' ? "\\n" : "\\r";
    snprintf(made, LONGEST_MADE, character < 0x100 ? "\\x%02x" : "U+%04X",
             (unsigned)character);
    return made;
}

/* An underscore within a word is no emphasis (CommonMark 0.31.2, 6.2), and names are full of them. */
static bool is_in_word(const char *text, const char *at)
{
    return *at == '_' && at > text && isalnum((unsigned char)at[-1]) &&
           isalnum((unsigned char)at[1]);
}

/* What is written for the character of `text` from `at` to *end; NULL: itself. */
static const char *replacement(const struct form *form, const char *text, const char *at,
                               const char **end, char made[LONGEST_MADE])
{
    uint32_t character = (unsigned char)*at;
    const size_t length = ert_utf8(at, &character); /* 0: a byte that is no UTF-8 */
    *end = at + (length ? length : 1);
    if (length == 0 || is_hidden(character)) {
        if (!form->shows)
            return "\xef\xbf\xbd"; /* U+FFFD */
        return character == '\t' ? NULL : base_text_show(character, made);
    }
    if (strchr(form->entities, *at))
        return entity(*at);
    if (!strchr(form->special, *at) || is_in_word(text, at))
        return NULL;
    snprintf(made, LONGEST_MADE, "%c%c", form->escape, *at);
    return made;
}

void ert_text_write(FILE *out, enum ert_format format, const char *text)
{
    const bool is_cell = format == ERT_TEXT_CSV;
    const char *quote = is_cell && strpbrk(text, ",;\"\t\n\r") ? "\"" : "", *from = text,
               *at = text;
    char made[LONGEST_MADE];
    if (*quote)
        fputs(quote, out);
    while (*at) {
        /* most: special in no format, or not in JSON, which has the longest texts */
        if (isascii(*at) &&
            (isalnum(*at) || *at == ' ' ||
             (format == ERT_TEXT_QUOTED && isprint(*at) && *at != '"' && *at != '\\'))) {
            at++;
            continue;
        }
        const char *end, *with = replacement(&forms[format], text, at, &end, made);
        if (with) {
            fwrite(from, 1, (size_t)(at - from), out);
            fputs(with, out);
            from = end;
        }
        at = end;
    }
    fwrite(from, 1, (size_t)(at - from), out);
    if (*quote)
        fputs(quote, out);
}

size_t ert_text_width(const char *text)
{
    size_t width = 0;
    char made[LONGEST_MADE];
    for (const char *at = text; *at;) {
        const char *with = replacement(&forms[ERT_TEXT_PLAIN], text, at, &at, made);
        width += with ? strlen(with) : 1;
    }
    return width;
}

void ert_text_print(FILE *out, enum ert_format format, const char *layout, ...)
{
    va_list texts;
    va_start(texts, layout);
    for (const char *at; (at = strchr(layout, '%')); layout = at + 2) {
        fwrite(layout, 1, (size_t)(at - layout), out);
        ert_text_write(out, format, va_arg(texts, const char *));
    }
    va_end(texts);
    fputs(layout, out);
}

void ert_text_wrap(FILE *out, const char *first, size_t indent, const char *text,
                   size_t columns)
{
    ert_text_write(out, ERT_TEXT_PLAIN, first);
    size_t column = ert_text_width(first);
    indent = indent ? indent : column;
    for (bool is_begun = false; *text; is_begun = true) {
        char piece[512];
        size_t word = strcspn(text, " "), most = columns - indent;
        most = most < sizeof piece ? most : sizeof piece - 1;
        word = ert_utf8_fit(text, word < most ? word : most);
        if (column + is_begun + word > columns && column > indent) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (is_begun) {
            fputc(' ', out);
            column++;
        }
        snprintf(piece, sizeof piece, "%.*s", (int)word, text);
        ert_text_write(out, ERT_TEXT_PLAIN, piece);
        column += ert_text_width(piece);
        text += word + strspn(text + word, " ");
    }
    fputc('\n', out);
}

size_t ert_text_columns(int stream, size_t least, size_t otherwise)
{
    struct winsize size;
    if (!isatty(stream) || ioctl(stream, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return otherwise;
    return size.ws_col < least ? least : size.ws_col;
}
