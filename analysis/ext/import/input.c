/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/import.h"

#include "ert/ext/base/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const size_t largest_file = (size_t)1 << 30;

/* Cuts off the mark of UTF-8, if there is one. ERT_USAGE for UTF-16, with a mark or plainly so. */
static enum ert_status input_check(const char *file, char *text, size_t n,
                                   struct ert_error *error)
{
    static const char mark[] = "\xef\xbb\xbf";
    const size_t length = strncmp(text, mark, 3) == 0 ? 3 : 0;
    bool is_wide =
        n >= 4 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0 ||
                   (!text[0] != !text[1] && !text[0] == !text[2] && !text[1] == !text[3]));
    memmove(text, text + length, n + 1 - length);
    return is_wide ? ert_fail(error, ERT_USAGE,
                              "%.200s: is UTF-16, as '>' of PowerShell writes it: "
                              "`iconv -f UTF-16 -t UTF-8` makes UTF-8 of it",
                              file)
                   : ERT_OK;
}

/* Opens a file and reads its head; *is_file: it can be read again. */
static enum ert_status input_open(const char *file, char *head, size_t size,
                                  struct ert_lines *lines, bool *is_file,
                                  struct ert_error *error)
{
    struct stat about;
    ERT_TRY(ert_lines_open(file, lines, error));
    *is_file = stat(file, &about) == 0 && S_ISREG(about.st_mode);
    size_t n = *is_file ? fread(head, 1, size - 1, lines->stream) : 0;
    head[n] = '\0';
    enum ert_status status = ert_lines_end(lines, error);
    if (status == ERT_OK)
        status = input_check(file, head, n, error);
    if (status != ERT_OK)
        ert_lines_close(lines);
    else if (*is_file)
        rewind(lines->stream);
    return status;
}

/* Whether a head is JSON of unknown schema, and no trace: the keys may be in any order. */
static bool input_lacks_schema(const char *head)
{
    return head[strspn(head, " \t\r\n")] == '{' && !strstr(head, "\"ert-") &&
           !strstr(head, RFL_TRACE_KEY);
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
    bool is_file;
    size_t n;
    *text = NULL;
    ERT_TRY(input_open(file, head, size, &lines, &is_file, error));
    enum ert_status status = ERT_OK;
    if (!is_file || input_lacks_schema(head))
        status = ert_lines_rest(&lines, largest_file, text, &n, error);
    ert_lines_close(&lines);
    if (status != ERT_OK || !*text)
        return status;
    status = input_check(file, *text, n, error);
    if (!is_file)
        snprintf(head, size, "%s", *text);
    input_add_schema(head, size, *text);
    if (is_file || status != ERT_OK) {
        free(*text);
        *text = NULL;
    }
    return status;
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

/* Files that the Python package reads: all that is before their first NUL, or a key that they have. */
#define PYTHON ": `python3 -m roofline points FILE --out points.json` makes points of it"
static const struct {
    const char *before_nul, *key, *cause;
} foreign[] = {
    {"SQLite format 3", NULL,                       "SQLite, as Nsight Systems exports it" PYTHON},
    {"NVR",             NULL,                       "a report of Nsight Compute" PYTHON          },
    {NULL,              "\"rocprofiler-sdk-tool\"", "JSON of rocprofv3" PYTHON                   },
    {NULL,              RFL_LBNL_KEY,
     "results of LBNL's ERT: `python3 -m roofline ert-ceilings FILE --out "
     "ceilings.json` makes ceilings of them"                                                     },
};

static const char *const nvprof_marks[] = {
    "NVPROF is profiling",
    "Profiling result:",
    "Metric result:",
    "Time(%),Time,Calls",
    "\"Time(%)\",\"Time\",\"Calls\"",
    "\"Kernel\",\"Invocations\",\"Metric Name\"",
    "\"Context\",\"Stream\",\"Kernel\"",
    "\"Start\",\"Duration\",\"Grid X\"",
};

const char *rfl_input_cause(const char *head)
{
    for (size_t i = 0; i < ERT_LENGTH(nvprof_marks); i++)
        if (strstr(head, nvprof_marks[i]))
            return "a profile of nvprof" PYTHON;
    for (size_t i = 0; i < ERT_LENGTH(foreign); i++)
        if (foreign[i].key ? strstr(head, foreign[i].key) != NULL
                           : strcmp(head, foreign[i].before_nul) == 0)
            return foreign[i].cause;
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
    return has_semicolons ? "';' separates its cells, as a spreadsheet or another locale "
                            "writes them: use the tool's own file, made with LC_ALL=C"
                          : NULL;
}
