/*
 * utf8: the characters of a text. Machine names come from files: any byte may stand in them.
 */
#ifndef RFL_PLOT_UTF8_H
#define RFL_PLOT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * The character at *text, which moves on to the next; 0 at the end. Bytes that are no UTF-8
 * (RFC 3629), and control characters, which XML 1.0 forbids, give U+FFFD each.
 */
uint32_t rfl_utf8_next(const char **text);

/* Writes a character as UTF-8 and NUL into text[5]; returns its length. */
size_t rfl_utf8_put(uint32_t character, char text[5]);

#endif
