#include "ert/base/json_text.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* cJSON copies a number into 64 bytes and reads what fits. */
enum { LONGEST_NUMBER = 63 };

struct scan {
    const char *text, *at, *end;
    const char *problem; /* static text, NULL while all is well */
};

static bool refuse(struct scan *scan, const char *at, const char *problem)
{
    scan->at = at;
    scan->problem = problem;
    return false;
}

static void skip_blanks(struct scan *scan)
{
    scan->at += strspn(scan->at, " \t\r\n");
}

size_t ert_json_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    if (c[0] < 0x80)
        return c[0] != 0;
    /* Lead bytes with the range of the second byte; the rest are 80 to BF (RFC 3629, section 4). */
    static const struct {
        unsigned char first, last, low, high;
        size_t length;
    } rows[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3},
        {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (c[0] < rows[i].first || c[0] > rows[i].last)
            continue;
        if (c[1] < rows[i].low || c[1] > rows[i].high)
            return 0;
        for (size_t k = 2; k < rows[i].length; k++)
            if (c[k] < 0x80 || c[k] > 0xbf)
                return 0;
        return rows[i].length;
    }
    return 0;
}

/* The four hexadecimal digits after "\u"; -1 when they are not. */
static int hex4(const char *at)
{
    if (strspn(at, "0123456789abcdefABCDEF") < 4)
        return -1;
    char digits[5];
    memcpy(digits, at, 4);
    digits[4] = '\0';
    return (int)strtol(digits, NULL, 16);
}

/* Behind a backslash. \u0000 is refused: C strings would end there. */
static bool check_escape(struct scan *scan)
{
    const char *start = scan->at - 1;
    if (*scan->at != 'u') {
        if (!*scan->at || !strchr("\"\\/bfnrt", *scan->at))
            return refuse(scan, start, "unknown escape in a string");
        scan->at++;
        return true;
    }
    int code = hex4(scan->at + 1);
    if (code < 0)
        return refuse(scan, start, "\\u must have four hexadecimal digits");
    if (code == 0)
        return refuse(scan, start, "a string may not hold \\u0000");
    scan->at += 5;
    if (code < 0xd800 || code > 0xdfff)
        return true;
    int low = scan->at[0] == '\\' && scan->at[1] == 'u' ? hex4(scan->at + 2) : -1;
    if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return refuse(scan, start, "half a surrogate pair in a string");
    scan->at += 6;
    return true;
}

static bool check_string(struct scan *scan)
{
    const char *start = scan->at++;
    while (*scan->at != '"') {
        unsigned char c = (unsigned char)*scan->at;
        if (scan->at == scan->end)
            return refuse(scan, start, "a string without an end");
        if (c < 0x20)
            return refuse(scan, scan->at, "a control character in a string");
        if (c == '\\') {
            scan->at++;
            if (!check_escape(scan))
                return false;
            continue;
        }
        size_t length = ert_json_utf8_length(scan->at);
        if (length == 0)
            return refuse(scan, scan->at, "bytes that are not UTF-8");
        scan->at += length;
    }
    scan->at++;
    return true;
}

static bool skip_digits(struct scan *scan)
{
    size_t n = strspn(scan->at, "0123456789");
    scan->at += n;
    return n > 0;
}

static bool check_number(struct scan *scan)
{
    const char *start = scan->at;
    if (*scan->at == '-')
        scan->at++;
    bool good = true;
    if (*scan->at == '0')
        scan->at++;
    else
        good = skip_digits(scan);
    if (good && *scan->at == '.') {
        scan->at++;
        good = skip_digits(scan);
    }
    if (good && (*scan->at == 'e' || *scan->at == 'E')) {
        scan->at++;
        if (*scan->at == '+' || *scan->at == '-')
            scan->at++;
        good = skip_digits(scan);
    }
    if (!good || (*scan->at && strchr("+-.0123456789eExX", *scan->at)))
        return refuse(scan, start, "malformed number");
    if (scan->at - start > LONGEST_NUMBER)
        return refuse(scan, start, "a number of more than 63 characters");
    if (!isfinite(strtod(start, NULL)))
        return refuse(scan, start, "a number too large for a double");
    return true;
}

static bool check_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strncmp(scan->at, words[i], strlen(words[i])) == 0) {
            scan->at += strlen(words[i]);
            return true;
        }
    return refuse(scan, scan->at,
                  scan->at == scan->end ? "the text ends where a value should be"
                                        : "not a JSON value");
}

static bool check_key(struct scan *scan)
{
    if (*scan->at != '"')
        return refuse(scan, scan->at, "expected a key in quotes");
    if (!check_string(scan))
        return false;
    skip_blanks(scan);
    if (*scan->at != ':')
        return refuse(scan, scan->at, "expected ':' after the key");
    scan->at++;
    skip_blanks(scan);
    return true;
}

static bool check_value(struct scan *scan, int depth);

/* An object or an array: `open` is '{' or '['. Recursion is bounded by ERT_JSON_DEPTH. */
static bool check_container(struct scan *scan, char open, int depth)
{
    const char close = open == '{' ? '}' : ']';
    if (depth > ERT_JSON_DEPTH)
        return refuse(scan, scan->at, "nested deeper than 64");
    scan->at++;
    skip_blanks(scan);
    if (*scan->at == close) {
        scan->at++;
        return true;
    }
    for (;;) {
        if (open == '{' && !check_key(scan))
            return false;
        if (!check_value(scan, depth + 1))
            return false;
        skip_blanks(scan);
        if (*scan->at == close)
            break;
        if (*scan->at != ',')
            return refuse(scan, scan->at,
                          open == '{' ? "expected ',' or '}'" : "expected ',' or ']'");
        scan->at++;
        skip_blanks(scan);
    }
    scan->at++;
    return true;
}

static bool check_value(struct scan *scan, int depth)
{
    char c = *scan->at;
    if (c == '{' || c == '[')
        return check_container(scan, c, depth);
    if (c == '"')
        return check_string(scan);
    if (c == '-' || (c >= '0' && c <= '9'))
        return check_number(scan);
    return check_word(scan);
}

enum ert_status ert_json_check_text(const char *text, size_t size, const char *file,
                                    struct ert_error *error)
{
    struct scan scan = {.text = text, .at = text, .end = text + size};
    skip_blanks(&scan);
    if (check_value(&scan, 1)) {
        skip_blanks(&scan);
        if (scan.at == scan.end)
            return ERT_OK;
        refuse(&scan, scan.at, "text after the value");
    }
    size_t line = 1;
    const char *line_start = text;
    for (const char *p = text; p < scan.at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    return ert_fail(error, ERT_USAGE, "%s:%zu:%zu: %s", file, line,
                    (size_t)(scan.at - line_start) + 1, scan.problem);
}
