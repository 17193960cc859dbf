/* SPDX-License-Identifier: BSD-3-Clause */
/* What a shell offers, from the rows that also parse and help. */
#include "ert/core/base/program.h"

#include <string.h>

/* What the name of an argument in the help says of what it may be; the first name within it counts. */
static const struct {
    const char *name, *offer;
} arguments[] = {
    {"CEILINGS", ":files json"  },
    {"SAMPLES",  ":files json"  },
    {"FLEET",    ":files json"  },
    {"POINTS",   ":files json"  },
    {"RECORDS",  ":files ndjson"},
    {"FILE",     ":files"       },
    {"PROFILE",  ":files"       },
    {"DIR",      ":folders"     },
    {"PROGRAM",  ":programs"    },
};

static void offer(FILE *out, const char *typed, const char *dashes, const char *name,
                  const char *about)
{
    char candidate[256];
    snprintf(candidate, sizeof candidate, "%s%s", dashes, name);
    if (strncmp(candidate, typed, strlen(typed)) == 0)
        fprintf(out, "%s\t%s\n", candidate, about);
}

static void offer_argument(FILE *out, const char *name, const char *otherwise)
{
    for (size_t i = 0; i < ERT_LENGTH(arguments); i++)
        if (strstr(name, arguments[i].name)) {
            fprintf(out, "%s\n", arguments[i].offer);
            return;
        }
    fputs(otherwise, out);
}

static void offer_value(FILE *out, const struct ert_opt *row, const char *typed)
{
    if (row->kind != ERT_OPT_CHOICE)
        offer_argument(out, row->argument, "");
    else
        for (size_t i = 0; row->choices[i]; i++)
            offer(out, typed, "", row->choices[i], "");
}

/* The n-th word by the usage line, "CEILINGS... [PROFILE...]"; its last one is also what comes behind it. */
static void offer_word(FILE *out, const char *usage, size_t n)
{
    char text[256], *rest = NULL, *at = NULL;
    snprintf(text, sizeof text, "%s", usage);
    for (char *next = strtok_r(text, " ", &rest); next && strcmp(next, "|") != 0;
         next = strtok_r(NULL, " ", &rest)) {
        if (strstr(next, "--"))
            continue;
        at = next;
        if (n-- == 0)
            break;
    }
    if (at)
        offer_argument(out, at, ":files\n");
}

static const struct ert_opt *complete_row_of(const struct ert_command *command,
                                             const char *word)
{
    for (size_t i = 0; strncmp(word, "--", 2) == 0 && i < command->n_options; i++)
        if (strcmp(command->options[i].name, word + 2) == 0)
            return &command->options[i];
    return NULL;
}

static void complete_command(const struct ert_command *command, int n, char **words,
                             FILE *out)
{
    const char *typed = words[n - 1];
    bool only_words = false;
    size_t n_words = 0;
    for (int i = 0; i < n - 1; i++) {
        const struct ert_opt *row = only_words ? NULL : complete_row_of(command, words[i]);
        if (row && row->kind != ERT_OPT_FLAG) {
            if (++i == n - 1) {
                offer_value(out, row, typed);
                return;
            }
            continue;
        }
        if (!only_words && strcmp(words[i], "--") == 0)
            only_words = true;
        else
            n_words += only_words || words[i][0] != '-';
    }
    if (!only_words && (typed[0] == '-' || !command->words[0])) {
        for (size_t i = 0; i < command->n_options; i++)
            offer(out, typed, "--", command->options[i].name, command->options[i].help);
        if (!complete_row_of(command, "--help"))
            offer(out, typed, "--", "help", "lists the options");
    } else {
        offer_word(out, command->words, n_words);
    }
}

void ert_complete(const struct ert_program *program, const struct ert_command *command,
                  int n, char **words, FILE *out)
{
    while (program && n > 1) {
        command = ert_program_find(program, words[0]);
        /* `PROGRAM help COMMAND` goes to the same commands. */
        if (command)
            program = command->program;
        else if (strcmp(words[0], "help") != 0)
            return;
        words++;
        n--;
    }
    if (n < 1)
        return;
    if (!program) {
        complete_command(command, n, words, out);
        return;
    }
    for (size_t i = 0; (command = ert_program_command(program, i)); i++)
        offer(out, words[0], "", command->name, command->summary);
    offer(out, words[0], "", "help", "the options of a command");
    offer(out, words[0], "--", "help", "lists the commands");
    offer(out, words[0], "--", "version", "the version");
}
