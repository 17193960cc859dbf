/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/program.h"

#include "ert/core/base/config.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum ert_status unknown_option(const struct ert_opt *rows, size_t n_rows,
                                      const char *word, struct ert_error *error)
{
    char all[800] = "";
    for (size_t i = 0; i < n_rows; i++)
        ert_append(all, sizeof all, "%s--%s", i ? ", " : "", rows[i].name);
    return ert_fail(error, ERT_USAGE, "unknown option '%.64s'; known options: %s", word,
                    all[0] ? all : "none");
}

static const struct ert_opt *find_row(const struct ert_opt *rows, size_t n_rows,
                                      const char *text)
{
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < n_rows; i++)
        if (strlen(rows[i].name) == length && strncmp(rows[i].name, text, length) == 0)
            return &rows[i];
    return NULL;
}

/* A limit as the help and the errors write it: in the unit that the user types. */
static struct ert_text limit_text(const struct ert_opt *row, double limit)
{
    struct ert_text text;
    if (row->kind == ERT_OPT_SIZE)
        return ert_units_capacity(limit >= 0x1p64 ? UINT64_MAX : (uint64_t)limit);
    if (row->kind == ERT_OPT_TIME)
        return ert_units_time(limit);
    snprintf(text.text, sizeof text.text,
             limit == floor(limit) && limit < 0x1p63 ? "%.0f" : "%.15g", limit);
    return text;
}

static enum ert_status check_range(const struct ert_opt *row, const char *text,
                                   double value, struct ert_error *error)
{
    if (value < row->min)
        return ert_fail(error, ERT_USAGE, "--%s: %.64s, must be at least %s", row->name,
                        text, limit_text(row, row->min).text);
    if (value > row->max)
        return ert_fail(error, ERT_USAGE, "--%s: %.64s, must be at most %s", row->name,
                        text, limit_text(row, row->max).text);
    return ERT_OK;
}

static enum ert_status program_read_count(const struct ert_opt *row, const char *text,
                                          uint64_t *count, struct ert_error *error)
{
    if (!text[0] || text[strspn(text, "0123456789")] != '\0')
        return ert_fail(error, ERT_USAGE, "--%s: '%.64s': must be a whole number",
                        row->name, text);
    errno = 0;
    *count = strtoull(text, NULL, 10);
    if (errno == ERANGE)
        return ert_fail(error, ERT_USAGE, "--%s: %.64s, too large", row->name, text);
    return ERT_OK;
}

static enum ert_status read_choice(const struct ert_opt *row, const char *text,
                                   const char **choice, struct ert_error *error)
{
    char list[256];
    const size_t i = ert_word_find(row->choices, text, list, sizeof list);
    if (i == SIZE_MAX)
        return ert_fail(error, ERT_USAGE, "--%s: '%.64s': must be one of %s", row->name,
                        text, list);
    *choice = row->choices[i];
    return ERT_OK;
}

static enum ert_status program_read_number(const struct ert_opt *row, const char *text,
                                           double *number, struct ert_error *error)
{
    char *end = NULL;
    /* strtod() alone also takes "0x10", "inf" and leading blanks. */
    const bool is_decimal = text[strspn(text, "+-.0123456789eE")] == '\0';
    *number = is_decimal ? strtod(text, &end) : 0;
    if (!is_decimal || end == text || *end || !isfinite(*number))
        return ert_fail(error, ERT_USAGE, "--%s: '%.64s' is not a number", row->name, text);
    return ERT_OK;
}

static enum ert_status program_read_value(const struct ert_opt *row, const char *text,
                                          void *target, struct ert_error *error)
{
    struct ert_error reason;
    enum ert_status status = ERT_OK;
    double number = 0;
    uint64_t count = 0;
    switch (row->kind) {
    case ERT_OPT_FLAG:
        *(bool *)target = true;
        return ERT_OK;
    case ERT_OPT_TEXT:
        *(const char **)target = text;
        return ERT_OK;
    case ERT_OPT_CHOICE:
        return read_choice(row, text, target, error);
    case ERT_OPT_NUMBER:
        ERT_TRY(program_read_number(row, text, &number, error));
        break;
    case ERT_OPT_COUNT:
        ERT_TRY(program_read_count(row, text, &count, error));
        break;
    case ERT_OPT_SIZE:
        status = ert_units_parse_size(text, &count, &reason);
        break;
    case ERT_OPT_TIME:
        status = ert_units_parse_time(text, &number, &reason);
        break;
    }
    if (status != ERT_OK)
        return ert_fail(error, ERT_USAGE, "--%s: %.400s", row->name, reason.text);
    const bool is_count = row->kind == ERT_OPT_COUNT || row->kind == ERT_OPT_SIZE;
    ERT_TRY(check_range(row, text, is_count ? (double)count : number, error));
    if (is_count)
        *(uint64_t *)target = count;
    else
        *(double *)target = number;
    return ERT_OK;
}

enum ert_status ert_opt_parse(const struct ert_opt *rows, size_t n_rows, int argc,
                              char **argv, void *options, const char **words,
                              size_t max_words, size_t *n_words, struct ert_error *error)
{
    bool only_words = false;
    size_t n = 0;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
            continue;
        }
        if (only_words || word[0] != '-' || word[1] == '\0') {
            if (n == max_words)
                return ert_fail(error, ERT_USAGE,
                                "unexpected argument '%.64s'; at most %zu allowed", word,
                                max_words);
            words[n++] = word;
            continue;
        }
        const struct ert_opt *row =
            word[1] == '-' ? find_row(rows, n_rows, word + 2) : NULL;
        if (!row)
            return unknown_option(rows, n_rows, word, error);
        const char *equals = strchr(word, '='), *value = equals ? equals + 1 : NULL;
        if (row->kind == ERT_OPT_FLAG && value)
            return ert_fail(error, ERT_USAGE, "--%s: takes no value, but '%.64s' was given",
                            row->name, value);
        if (row->kind != ERT_OPT_FLAG && !value) {
            /* A next word that is an option itself is a forgotten value, not a file "--quick". */
            if (i + 1 >= argc || strncmp(argv[i + 1], "--", 2) == 0)
                return ert_fail(error, ERT_USAGE, "--%s: value %s is missing", row->name,
                                row->argument ? row->argument : "");
            value = argv[++i];
        }
        ERT_TRY(program_read_value(row, value, (char *)options + row->offset, error));
    }
    if (n_words)
        *n_words = n;
    return ERT_OK;
}

/* What a row says behind its help: the choices, or the range. */
static void write_limits(FILE *out, const struct ert_opt *row)
{
    for (size_t i = 0; row->kind == ERT_OPT_CHOICE && row->choices[i]; i++)
        fprintf(out, "%s%s%s", i ? ", " : " [", row->choices[i],
                row->choices[i + 1] ? "" : "]");
    if (row->kind == ERT_OPT_COUNT || row->kind == ERT_OPT_SIZE ||
        row->kind == ERT_OPT_TIME || row->kind == ERT_OPT_NUMBER)
        fprintf(out, " [%s to %s]", limit_text(row, row->min).text,
                limit_text(row, row->max).text);
}

void ert_opt_help(FILE *out, const struct ert_opt *rows, size_t n_rows)
{
    size_t width = 0;
    for (size_t i = 0; i < n_rows; i++) {
        size_t length =
            strlen(rows[i].name) + (rows[i].argument ? strlen(rows[i].argument) + 1 : 0);
        if (length > width)
            width = length;
    }
    for (size_t i = 0; i < n_rows; i++) {
        int length = fprintf(out, "  --%s%s%s", rows[i].name, rows[i].argument ? " " : "",
                             rows[i].argument ? rows[i].argument : "");
        fprintf(out, "%*s  %s", (int)(width + 4) - length, "", rows[i].help);
        write_limits(out, &rows[i]);
        fputc('\n', out);
    }
}

/* The i-th command, those of extensions behind the others; NULL after the last. */
static const struct ert_command *program_command(const struct ert_program *program,
                                                 size_t i)
{
    size_t n = 0;
    while (program->commands[n])
        n++;
    if (i < n)
        return program->commands[i];
    return program->extensions ? program->extensions[i - n] : NULL;
}

static void program_help(const struct ert_program *program, FILE *out)
{
    fprintf(out, "usage: %s COMMAND [OPTIONS]%s%s\n%s\n\n", program->name,
            *program->words ? " " : "", program->words, program->purpose);
    const struct ert_command *command;
    for (size_t i = 0; (command = program_command(program, i)); i++)
        fprintf(out, "  %-13s%s\n", command->name, command->summary);
    fprintf(out,
            "\n`%s COMMAND --help` lists a command's options; also: --help, --version.\n"
            "Exit codes: %s.\n",
            program->name, program->exits);
}

static void command_help(const struct ert_program *program,
                         const struct ert_command *command, FILE *out)
{
    fprintf(out, "usage: %s %s [OPTIONS]%s%s\n%s\n\n", program->name, command->name,
            *command->words ? " " : "", command->words, command->summary);
    ert_opt_help(out, command->options, command->n_options);
    if (command->notes)
        command->notes(out);
}

static const struct ert_command *program_find(const struct ert_program *program,
                                              const char *name, struct ert_error *error)
{
    char list[256] = "";
    const struct ert_command *command;
    for (size_t i = 0; (command = program_command(program, i)); i++) {
        if (strcmp(command->name, name) == 0)
            return command;
        ert_list_add(list, sizeof list, command->name);
    }
    ert_fail(error, ERT_USAGE, "no command '%.64s'; there are: %s", name, list);
    return NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

/* Names and files go from here to tables, charts and messages. */
static enum ert_status program_check_words(const struct ert_command *command, int argc,
                                           char **argv, struct ert_error *error)
{
    for (int i = 1; i < argc && !(command->passes_words && strcmp(argv[i], "--") == 0); i++)
        if (ert_text_control(argv[i]))
            return ert_fail(error, ERT_USAGE,
                            "argument %d, '%.200s': has a control character", i, argv[i]);
    return ERT_OK;
}

/* `PROGRAM help [COMMAND]`; where that is a program, `PROGRAM help COMMAND [COMMAND]` */
static enum ert_status run_help(const struct ert_program *program, int argc, char **argv,
                                FILE *out, struct ert_error *error)
{
    const struct ert_command *command = argc ? program_find(program, argv[0], error) : NULL;
    if (argc && !command)
        return ERT_USAGE;
    if (command && command->program)
        return run_help(command->program, argc - 1, argv + 1, out, error);
    if (argc > 1)
        return ert_fail(error, ERT_USAGE,
                        "unexpected argument '%.64s'; help takes one command", argv[1]);
    if (command)
        command_help(program, command, out);
    else
        program_help(program, out);
    return ERT_OK;
}

static enum ert_status program_run(const struct ert_program *program, int argc, char **argv,
                                   FILE *out, struct ert_error *error)
{
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
        return run_help(program, argc - 2, argv + 2, out, error);
    if (strcmp(argv[1], "--version") == 0) {
        fprintf(out, "%s %s\n", program->name, PACKAGE_VERSION);
        return ERT_OK;
    }
    const struct ert_command *command = program_find(program, argv[1], error);
    if (!command)
        return ERT_USAGE;
    if (wants_help(argc - 2, argv + 2)) {
        command_help(program, command, out);
        return ERT_OK;
    }
    ERT_TRY(program_check_words(command, argc, argv, error));
    return command->run(argc - 2, argv + 2, error);
}

/*
 * Where 0, 1 or 2 is closed, a file that is opened would become what is printed to. Printing to what is
 * opened here, to read alone, fails as before.
 */
static void occupy_streams(void)
{
    int descriptor;
    while ((descriptor = open("/dev/null", O_RDONLY)) >= 0 && descriptor <= STDERR_FILENO)
        continue;
    if (descriptor >= 0)
        close(descriptor);
}

int ert_program_main(const struct ert_program *program, int argc, char **argv, FILE *out,
                     FILE *err)
{
    struct ert_error error = {ERT_OK, ""};
    const struct ert_command *command =
        argc < 2 ? NULL : program_find(program, argv[1], NULL);
    if (command && command->program)
        return ert_program_main(command->program, argc - 1, argv + 1, out, err);
    occupy_streams();
    signal(SIGCHLD, SIG_DFL); /* ignored, as by a daemon, ends of children are not told */
    signal(SIGXFSZ, SIG_IGN); /* a file beyond `ulimit -f` is an error of writing */
    if (argc < 2) {
        program_help(program, err);
        return ERT_USAGE;
    }
    enum ert_status status = program_run(program, argc, argv, out, &error);
    /* Before the error, so that it is the last line where both streams end in one file. */
    errno = 0;
    bool is_written = fflush(out) == 0 && !ferror(out);
    int why = errno ? errno : EIO;
    if (status != ERT_OK && error.text[0])
        ert_text_print(err, ERT_TEXT_PLAIN, "%s: %s\n", program->name, error.text);
    if (is_written)
        return status;
    fprintf(err, "%s: standard output: %s\n", program->name, strerror(why));
    return status == ERT_OK || status == ERT_NOT_VALID ? ERT_FAILED : status;
}
