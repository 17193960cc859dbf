/*
 * json_text: whether a text is JSON as RFC 8259 has it. cJSON, which builds the tree, is lenient
 * ("01", raw control characters, any bytes as UTF-8), and its error says no line. Private to base.
 */
#ifndef ERT_BASE_JSON_TEXT_H
#define ERT_BASE_JSON_TEXT_H

#include "ert/base/error.h"

#include <stddef.h>

/* Deeper nesting is refused: nothing of ours needs it, and parsers recurse. */
enum { ERT_JSON_DEPTH = 64 };

/*
 * ERT_USAGE with "FILE:LINE:COLUMN: what" (columns count bytes, from 1) unless text[0..size) is one
 * JSON value in UTF-8, nested at most ERT_JSON_DEPTH deep, with numbers that a double can hold.
 * text[size] must be NUL.
 */
enum ert_status ert_json_check_text(const char *text, size_t size, const char *file,
                                    struct ert_error *error);

/*
 * The length in bytes (1 to 4) of the UTF-8 character that starts at text, 0 when the bytes are not
 * one (RFC 3629: no surrogates, no overlong forms, at most U+10FFFF). Stops at a NUL.
 */
size_t ert_json_utf8_length(const char *text);

#endif
