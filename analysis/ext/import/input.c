/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/input.h"

#include "ert/core/base/lines.h"
#include "ert/core/base/text.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t largest_file = (size_t)1 << 30;

/* The byte of a unit of UTF-16 that is its high one, 0 or 1; -1: it is another text. */
static int input_high_byte(const unsigned char *text, size_t n)
{
    if (n < 4)
        return -1;
    if ((text[0] == 0xff && text[1] == 0xfe) ||
        (text[0] && !text[1] && text[2] && !text[3]))
        return 1;
    return (text[0] == 0xfe && text[1] == 0xff) ||
                   (!text[0] && text[1] && !text[2] && text[3])
               ? 0
               : -1;
}

/*
 * Turns n bytes, behind which is a NUL, in place into UTF-8 without a byte order mark, and returns how many
 * these are. *is_wide: they were UTF-16, with a mark or plainly so. Its unpaired surrogates become U+FFFD,
 * and '?' stands for a character if there is no room, in a text of which most need three bytes.
 */
static size_t input_decode(char *text, size_t n, bool *is_wide)
{
    const unsigned char *bytes = (const unsigned char *)text;
    int high = input_high_byte(bytes, n);
    size_t mark = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, size = 0;
    uint32_t lead = 0;
    *is_wide = high >= 0;
    if (high < 0)
        memmove(text, text + mark, n + 1 - mark);
    for (size_t i = 0; i + 1 < n && high >= 0; i += 2) {
        uint32_t unit = (uint32_t)bytes[i + (size_t)high] << 8 | bytes[i + !high];
        bool is_trail = unit >= 0xdc00 && unit < 0xe000;
        uint32_t character = !is_trail ? unit
                             : lead    ? 0x10000 + ((lead & 0x3ff) << 10) + (unit & 0x3ff)
                                       : 0xfffd;
        char utf8[5];
        lead = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
        if (lead || unit == 0 || unit == 0xfeff)
            continue;
        size_t length = ert_utf8_put(character, utf8);
        if (size + length > i + 2) /* it would overtake what is not read yet */
            length = ert_utf8_put('?', utf8);
        memcpy(text + size, utf8, length);
        size += length;
    }
    if (high < 0)
        return n - mark;
    text[size] = '\0';
    return size;
}

/* Opens a file and reads its head; *is_file: it can be read again. */
static enum ert_status input_open(const char *file, char *head, size_t size,
                                  struct ert_lines *lines, bool *is_file, bool *is_wide,
                                  struct ert_error *error)
{
    struct stat about;
    ERT_TRY(ert_lines_open(file, lines, error));
    *is_file = fstat(fileno(lines->stream), &about) == 0 && S_ISREG(about.st_mode);
    size_t n = *is_file ? fread(head, 1, size - 1, lines->stream) : 0;
    head[n] = '\0';
    input_decode(head, n, is_wide);
    if (*is_file)
        rewind(lines->stream);
    return ERT_OK;
}

/* Whether a head is JSON of unknown schema: the keys may be in any order. */
static bool input_lacks_schema(const char *head)
{
    return head[strspn(head, " \t\r\n")] == '{' && !strstr(head, "\"ert-");
}

/*
 * Puts the schema of one of our JSON files at the end of its head[size], if it is farther behind in the text,
 * as where keys were sorted by name.
 */
static void input_add_schema(char *head, size_t size, const char *text)
{
    enum { ROOM = 64 };
    size_t length = strlen(head);
    for (const char *at = text;
         input_lacks_schema(head) && (at = strstr(at, "\"schema\""));) {
        at += strlen("\"schema\"");
        at += strspn(at, " \t\r\n:");
        if (strncmp(at, "\"ert-", 5) == 0)
            snprintf(head + (length + ROOM < size ? length : size - ROOM), ROOM, "%s", at);
    }
}

enum ert_status rfl_input_read(const char *file, char *head, size_t size, char **text,
                               struct ert_error *error)
{
    struct ert_lines lines;
    bool is_file, is_wide;
    size_t n;
    *text = NULL;
    ERT_TRY(input_open(file, head, size, &lines, &is_file, &is_wide, error));
    bool is_needed = !is_file || is_wide;
    enum ert_status status = ERT_OK;
    if (is_needed || input_lacks_schema(head))
        status = ert_lines_rest(&lines, largest_file, text, &n, error);
    ert_lines_close(&lines);
    if (status != ERT_OK || !*text)
        return status;
    input_decode(*text, n, &is_wide);
    if (is_needed)
        snprintf(head, size, "%s", *text);
    input_add_schema(head, size, *text);
    if (!is_needed) {
        free(*text);
        *text = NULL;
    }
    return ERT_OK;
}

enum ert_status rfl_head_read(const char *file, char *head, size_t size,
                              struct ert_error *error)
{
    char *text;
    struct stat about;
    *head = '\0';
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode))
        return ERT_OK;
    ERT_TRY(rfl_input_read(file, head, size, &text, error));
    free(text);
    return ERT_OK;
}

/* Whether a line begins with the tag of a launcher: "[1,0]<stdout>:", "[0] ", " 0: ". */
static bool input_is_tagged(const char *line)
{
    line += strspn(line, " ");
    bool is_bracket = *line == '[';
    const char *task = line + is_bracket, *end = task + strspn(task, "0123456789,");
    if (end == task)
        return false;
    return is_bracket ? strncmp(end, "] ", 2) == 0 || strncmp(end, "]<std", 5) == 0
                      : strncmp(end, ": ", 2) == 0;
}

static size_t input_count(const char *line, char separator)
{
    size_t n = 0;
    for (; *line && *line != '\n'; line++)
        n += *line == separator;
    return n;
}

const char *rfl_input_cause(const char *head)
{
    size_t n_lines = 0, n_tagged = 0, before = 0;
    bool has_semicolons = false;
    for (const char *line = head; *line; line += *line == '\n') {
        size_t n = input_count(line, ';');
        has_semicolons |= n > 2 && n == before && n > input_count(line, ',');
        before = n;
        n_lines++;
        n_tagged += input_is_tagged(line);
        line += strcspn(line, "\n");
    }
    if (2 * n_tagged > n_lines)
        return "its lines begin with the tags of a launcher: write a file per task (`srun "
               "--output=%t.csv`, `mpirun --output-filename`), or cut the tags off";
    return has_semicolons
               ? "';' separates its cells, as a spreadsheet or another locale writes them: "
                 "use the tool's own file, made with LC_ALL=C"
               : NULL;
}
