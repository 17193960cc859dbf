#include "ert/base/file.h"
#include "ert/base/json.h"
#include "ert/base/json_text.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The fewest digits that read back equal. cJSON's own printer compares with a tolerance of one
 * epsilon and so loses the last bit. Up to 15 digits always survive and %g drops trailing zeros, so
 * the search starts there; subnormal numbers have fewer.
 */
static void write_number(FILE *out, double value)
{
    char text[40];
    if (!isfinite(value)) {
        fputs("null", out);
        return;
    }
    for (int digits = fabs(value) < DBL_MIN ? 1 : DBL_DIG; digits <= DBL_DECIMAL_DIG;
         digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

/* Bytes that are not UTF-8 (a host name, a word of the command) become U+FFFD: always valid. */
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (const char *p = text ? text : ""; *p;) {
        size_t length = ert_json_utf8_length(p);
        if (length == 0)
            fputs("\xef\xbf\xbd", out);
        else if (length > 1)
            fwrite(p, 1, length, out);
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p == '\t')
            fputs("\\t", out);
        else if ((unsigned char)*p < 0x20)
            fprintf(out, "\\u%04x", (unsigned)*p);
        else
            fputc(*p, out);
        p += length ? length : 1;
    }
    fputc('"', out);
}

static void new_line(FILE *out, int depth)
{
    fputc('\n', out);
    for (int i = 0; i < depth; i++)
        fputs("  ", out);
}

/* Arrays of plain values stay on one line: a point's samples are a row, not a column. */
static bool is_row(const cJSON *array)
{
    for (const cJSON *child = array->child; child; child = child->next)
        if (cJSON_IsObject(child) || cJSON_IsArray(child))
            return false;
    return true;
}

/* false for what is not JSON (cJSON's raw and invalid nodes) or nested deeper than readers take. */
static bool write_value(FILE *out, const cJSON *node, int depth)
{
    if (cJSON_IsNull(node) || cJSON_IsBool(node))
        return fputs(cJSON_IsNull(node)   ? "null"
                     : cJSON_IsTrue(node) ? "true"
                                          : "false",
                     out) >= 0;
    if (cJSON_IsNumber(node)) {
        write_number(out, node->valuedouble);
        return true;
    }
    if (cJSON_IsString(node)) {
        write_string(out, node->valuestring);
        return true;
    }
    const bool is_object = cJSON_IsObject(node);
    if ((!is_object && !cJSON_IsArray(node)) || depth >= ERT_JSON_DEPTH)
        return false;
    const bool row = !is_object && is_row(node);
    fputc(is_object ? '{' : '[', out);
    for (const cJSON *child = node->child; child; child = child->next) {
        if (!row)
            new_line(out, depth + 1);
        if (is_object) {
            write_string(out, child->string);
            fputs(": ", out);
        }
        if (!write_value(out, child, depth + 1))
            return false;
        if (child->next)
            fputs(row ? ", " : ",", out);
    }
    if (!row && node->child)
        new_line(out, depth);
    fputc(is_object ? '}' : ']', out);
    return true;
}

enum ert_status ert_json_print(FILE *out, const cJSON *root, struct ert_error *error)
{
    bool whole = write_value(out, root, 0);
    fputc('\n', out);
    if (!whole)
        return ert_fail(error, ERT_FAILED,
                        "cannot write: not JSON, or nested deeper than %d", ERT_JSON_DEPTH);
    return ERT_OK;
}

enum ert_status ert_json_write(const char *file, const cJSON *root, struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    bool whole = write_value(out, root, 0);
    fputc('\n', out);
    bool broken = ferror(out) != 0;
    broken = fclose(out) != 0 || broken;
    enum ert_status status;
    if (!whole)
        status = ert_fail(error, ERT_FAILED,
                          "%s: cannot write: not JSON, or nested deeper than %d", file,
                          ERT_JSON_DEPTH);
    else if (broken)
        status = ert_fail(error, ERT_FAILED, "%s: cannot write: out of memory", file);
    else
        status = ert_file_write(file, text, size, error);
    free(text);
    return status;
}
