/*
 * page_json: JSON written straight to a stream, for a <script type="application/json"> of a page.
 * A profile of 100,000 launches is too large for a tree of cJSON nodes, and text in a page
 * must not end the script that it stands in. Private to page.
 */
#ifndef RFL_PLOT_PAGE_JSON_H
#define RFL_PLOT_PAGE_JSON_H

#include "analysis/strings.h"

#include <stdbool.h>
#include <stdio.h>

struct rfl_page_json {
    FILE *out;
    bool follows;             /* something stands before, in the same brackets */
    struct rfl_strings texts; /* of rfl_page_index; freed when all is written */
};

/* '{' or '[' as the value of a key (NULL in an array), and the end, '}' or ']'. */
void rfl_page_open(struct rfl_page_json *json, const char *key, char bracket);
void rfl_page_close(struct rfl_page_json *json, char bracket);

/*
 * Values. Numbers have the fewest digits that read back equal; those that are not finite are null.
 * Texts: '<', '>', '&', U+2028, U+2029 and control characters as \u escapes, bytes that are no
 * UTF-8 as U+FFFD.
 */
void rfl_page_number(struct rfl_page_json *json, const char *key, double value);
void rfl_page_text(struct rfl_page_json *json, const char *key, const char *text);
void rfl_page_bool(struct rfl_page_json *json, const char *key, bool value);

/* Six digits, for ratios of measured numbers: a page of 100,000 points is large enough. */
void rfl_page_short(struct rfl_page_json *json, const char *key, double value);

/* The same, left out where it is unknown: 0 or not finite; "". */
void rfl_page_known(struct rfl_page_json *json, const char *key, double value);
void rfl_page_words(struct rfl_page_json *json, const char *key, const char *text);

/* The number of a text (NULL is ""); records say it in place of the text. */
void rfl_page_index(struct rfl_page_json *json, const char *key, const char *text);

/* The texts as an array. */
void rfl_page_list(struct rfl_page_json *json, const char *key);

/* Writes a text as HTML: '<', '>', '&' and quotes escaped. */
void rfl_page_html(FILE *out, const char *text);

#endif
