/*
 * config_ert_parts: what the files that read ERT's configurations share. Internal to sweep.
 */
#ifndef ERT_ERT110_FILE_PARTS_H
#define ERT_ERT110_FILE_PARTS_H

#include "ert/ert110/keys.h"
#include "ert/sweep/config.h"

/* The file while it is read, and what was found so far. */
struct ert110_reading {
    const struct ert110_file *file;
    struct ert_config *config;
    struct ert_error *error;
    bool has_mpi, has_openmp, has_gpu;
};

/* Appends a remark to the config; where all are taken the last says so. */
void ert110_remark(struct ert110_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says of every key of the file that is not applied why, and of keys that stand twice. */
void ert110_remark_ignored(struct ert110_reading *reading);

/* Thread counts, or launch shapes of GPUs: config_ert_launches.c. */
enum ert_status ert110_file_launches(struct ert110_reading *reading);

#endif
