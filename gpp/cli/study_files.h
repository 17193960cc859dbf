/*
 * study_files: the folder of a study: what is there already goes aside, and who counts.
 */
#ifndef GPP_CLI_STUDY_FILES_H
#define GPP_CLI_STUDY_FILES_H

#include "gpp/study/take.h"

#include <stdio.h>

/* Names in a folder; the longest that the reports can write. */
enum { GPP_CLI_NAME = 1024 };

struct gpp_cli_files {
    char folder[GPP_CLI_NAME];
    char study[GPP_CLI_NAME + 16];
    char csv[2][GPP_CLI_NAME + 16]; /* ncu's tables, with FMA and without */
};

/*
 * Names them and checks that the folder can be written to. ERT_USAGE for a name that is too long,
 * ERT_FAILED with the reason.
 */
enum ert_status gpp_cli_files_open(const char *folder, struct gpp_cli_files *files,
                                   struct ert_error *error);

/* Moves an earlier study's files aside, with ncu's tables or not, and prints where to. */
enum ert_status gpp_cli_files_begin(const struct gpp_cli_files *files, bool has_csv,
                                    FILE *out, struct ert_error *error);

/* Prints the files that are there. */
void gpp_cli_files_list(const struct gpp_cli_files *files, FILE *out);

/* The words of the command line for counters. */
struct gpp_cli_counting {
    const char *counters, *ncu, *system;
    bool is_gpu;      /* the study's device */
    bool only_no_fma; /* and contraction: a single file is of it */
};

/*
 * Chooses who counts, and says it in note[size]. "auto": ncu on a GPU where it is installed, else nobody.
 * ERT_USAGE for ncu on a CPU, a file that cannot be read, sizes that are none; ERT_UNAVAILABLE for "ncu"
 * where it is not installed. files: names its tables; those that were given take their place.
 */
enum ert_status gpp_cli_counting(const struct gpp_cli_counting *words,
                                 struct gpp_cli_files *files, struct gpp_counting *counting,
                                 char *note, size_t size, struct ert_error *error);

#endif
