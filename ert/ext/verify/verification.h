/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * verification: measures recorded ceilings again, for `ert verify` and `ert fleet node`: plan, run, repeated
 * measurements where needed, and the summary.
 */
#ifndef ERT_CLI_VERIFICATION_H
#define ERT_CLI_VERIFICATION_H

#include "ert/ext/verify/verify.h"

struct ert_cli_verify_options {
    const char *device, *only; /* as of ert_verify_plan() */
    double margin;             /* the least relative slowdown that counts */
    double budget_s;           /* per device, and half as much for repeated measurements */
    bool dedicated, strict;
    FILE *progress; /* see ert_cli_measure() */
};

/* The defaults. */
#define ERT_CLI_VERIFY_OPTIONS                                                             \
    {                                                                                      \
        .device = "all", .margin = 0.01, .budget_s = 30                                    \
    }

struct ert_cli_verification {
    struct ert_cli_verify_options options;
    struct ert_ceilings recorded;
    struct ert_samples *samples; /* malloc, owned */
    struct ert_verify_row *rows; /* malloc, owned */
    size_t n;
};

/*
 * Reads the recorded file and finds the devices of this machine. The caller closes *verification, also after
 * an error. argc, argv: for the provenance.
 */
enum ert_status ert_cli_verify_open(const char *file,
                                    const struct ert_cli_verify_options *options, int argc,
                                    char *const *argv,
                                    struct ert_cli_verification *verification,
                                    struct ert_error *error);
void ert_cli_verify_close(struct ert_cli_verification *verification);

/* As ert_verify_plan(): ERT_USAGE if a device is of another model than the recorded one. */
enum ert_status ert_cli_verify_plan(struct ert_cli_verification *verification,
                                    struct ert_error *error);

/* Measures and compares. Returns the status of the run; the rows are valid in any case. */
enum ert_status ert_cli_verify_measure(struct ert_cli_verification *verification,
                                       struct ert_error *error);

/* The summary, which determines the exit code. */
struct ert_cli_verify_summary {
    size_t counts[ERT_N_VERIFY], n_open;
    const struct ert_verify_row *open; /* the first of those open */
    const struct ert_verify_row
        *slow_core; /* of a VM: slower, though only its cores use it */
    const char *
        not_judged; /* a device with main ceilings of which none can be judged; NULL: none */
};

struct ert_cli_verify_summary
ert_cli_verify_summarize(const struct ert_cli_verification *verification);

/*
 * ERT_FAILED if any is slower or missing, or if a cgroup grants fewer CPUs than the recorded run had threads;
 * ERT_NOT_VALID if no main ceiling of a device can be judged, or (strict) any cannot, or if what only the
 * cores of a virtual machine use is slower, as other guests on them would make it.
 */
enum ert_status ert_cli_verify_judge(const struct ert_cli_verification *verification,
                                     struct ert_error *error);

#endif
