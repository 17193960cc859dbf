/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verification: recorded ceilings measured again, as `ert verify` and `ert fleet node` do it: plan, run, what
 * needs it measured once more, and the verdict of all.
 */
#ifndef ERT_CLI_VERIFICATION_H
#define ERT_CLI_VERIFICATION_H

#include "ert/ceilings/verify.h"

struct ert_cli_verify_options {
    const char *device;
    double margin,
        detect;      /* relative slowdowns: what "same" excludes, what must be found */
    double budget_s; /* of a device, and half as much for what is measured once more */
    bool faster_fails, dedicated;
    FILE *progress; /* as of ert_cli_measure() */
};

/* The defaults. */
#define ERT_CLI_VERIFY_OPTIONS                                                             \
    {                                                                                      \
        .device = "all", .margin = 0.01, .detect = 0.1, .budget_s = 30                     \
    }

struct ert_cli_verification {
    struct ert_cli_verify_options options;
    struct ert_ceilings recorded;
    struct ert_samples *samples; /* malloc, owned */
    struct ert_verify_row *rows; /* malloc, owned */
    size_t n;
};

/*
 * Reads the recorded file and finds the devices of this machine. *verification is the caller's to close, also
 * after an error. argc, argv: for the provenance.
 */
enum ert_status ert_cli_verify_open(const char *file,
                                    const struct ert_cli_verify_options *options, int argc,
                                    char *const *argv,
                                    struct ert_cli_verification *verification,
                                    struct ert_error *error);
void ert_cli_verify_close(struct ert_cli_verification *verification);

/* As ert_verify_plan(): ERT_USAGE where a device is another model than the recorded one. */
enum ert_status ert_cli_verify_plan(struct ert_cli_verification *verification,
                                    struct ert_error *error);

/* Measures and compares. The status is that of the run; the rows say in any case what is known. */
enum ert_status ert_cli_verify_measure(struct ert_cli_verification *verification,
                                       struct ert_error *error);

/* The verdict of all: what the exit code says. */
struct ert_cli_verify_summary {
    size_t counts[ERT_N_VERIFY], n_open; /* of ceilings; also of clocks */
    size_t n, n_per_cycle, n_clocks[ERT_N_VERIFY];
    const struct ert_verify_row *open; /* the first of those */
    const struct ert_verify_row *least_sure;
};

struct ert_cli_verify_summary
ert_cli_verify_summarize(const struct ert_cli_verification *verification);

/* ERT_FAILED for what is slower or missing, ERT_NOT_VALID where main ceilings cannot be judged. */
enum ert_status ert_cli_verify_judge(const struct ert_cli_verification *verification,
                                     struct ert_error *error);

#endif
