/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * text: the characters of texts that were read, and the one way in which each format of ours writes them:
 * no text ends the string, cell or tag that it stands in, and none acts on a terminal. It knows no schema.
 */
#ifndef ERT_BASE_TEXT_H
#define ERT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * The length in bytes (1 to 4) of the UTF-8 character that the text begins with, and the character; 0 where
 * the bytes are none, as at the end (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF).
 */
size_t ert_utf8(const char *text, uint32_t *character);

/*
 * The character at *text, which moves on to the next; 0 at the end. Texts come from files: any byte may be
 * in them. Bytes that are no UTF-8, and characters that cannot be seen or that XML 1.0 forbids, give U+FFFD
 * each.
 */
uint32_t ert_utf8_next(const char **text);

/* The bytes of whole characters that the text begins with, at most `most`: where it may be cut. */
size_t ert_utf8_fit(const char *text, size_t most);

/*
 * Whether a character acts where it is printed instead of being seen: controls, separators of lines (U+2028,
 * U+2029), and what turns the direction of writing (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069; Unicode Technical Report 36, 2.5). Readers take none of them.
 */
bool ert_text_acts(uint32_t character);

/*
 * The first place where such a character stands, but for tabs, also as a byte of Latin-1 (0x9b is a
 * terminal's CSI); NULL: there is none.
 */
const char *ert_text_control(const char *text);

/* What a text is written for. Characters that act and bytes that are no UTF-8 are: */
enum ert_format {
    ERT_TEXT_PLAIN,    /* shown: \x1b, \n, U+202E; for terminals */
    ERT_TEXT_MARKDOWN, /* shown; GitHub's: within a line or a cell of a table */
    ERT_TEXT_CSV,      /* shown; a whole cell (RFC 4180) */
    ERT_TEXT_XML, /* U+FFFD, as below; SVG and HTML: elements, attributes in double quotes */
    ERT_TEXT_QUOTED /* between double quotes: JSON */
};

void ert_text_write(FILE *out, enum ert_format format, const char *text);

/* The characters of what is written for a terminal. */
size_t ert_text_width(const char *text);

/* Writes `layout`, whose every "%" is of a "%s", which stands for a text that is written as above. */
void ert_text_print(FILE *out, enum ert_format format, const char *layout, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Writes `first` and a text whose lines end at blanks, before the column, as plain text; lines but the first
 * begin with `indent` blanks, 0: as many as `first` is wide.
 */
void ert_text_wrap(FILE *out, const char *first, size_t indent, const char *text,
                   size_t columns);

/*
 * The columns of the terminal at `stream` (STDOUT_FILENO, STDERR_FILENO), at least `least`; `otherwise` if it
 * is not a terminal or does not say.
 */
size_t ert_text_columns(int stream, size_t least, size_t otherwise);

#endif
