/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device_run: measures the points of one open device (prepare, calibrate, time, verify, keep the sample) in
 * the order of its schedule, and reports progress and faults. Internal to sweep.
 */
#ifndef ERT_SWEEP_DEVICE_RUN_H
#define ERT_SWEEP_DEVICE_RUN_H

#include "ert/core/sweep/hooks.h"
#include "ert/core/sweep/schedule.h"

#include <pthread.h>

/* What the devices of one run share. */
struct ert_device_run_shared {
    /*
     * Held while samples are changed or hooks are called: devices may be measured side by side, and
     * any device's checkpoint writes the samples of all.
     */
    pthread_mutex_t lock;
    double checkpoint_s; /* when the last checkpoint was written; 0: never */
    double writing_s;    /* how long writing it took */
};

/* The state of measuring one device. */
struct ert_device_run {
    struct ert_samples *samples;
    struct ert_device_samples *device;
    const struct ert_backend *backend;
    const struct ert_device *about;
    struct ert_session *session;
    const struct ert_run_hooks *hooks;
    struct ert_device_run_shared *shared;
    struct ert_schedule schedule;  /* opened and closed by the caller */
    double window_s;               /* CPUs: length of a common window */
    size_t n_windows, n_disturbed; /* taken; of these, those that had to be taken again */
    double start_s, done, todo; /* the begin; estimated cost in s of what is done, of all */
    bool lost;
    bool is_checked; /* the results of the last region were verified */
    size_t n_faults;
    struct ert_error fault; /* this device's first */
};

/* The window length in s that suits the gaps seen in device->observation. */
double ert_device_run_window_s(const struct ert_device_run *run);

/*
 * Takes one sample of a point. The first call calibrates the number of passes and verifies the results;
 * later calls verify where that is cheap. ERT_UNAVAILABLE when the machine cannot hold the set or another
 * point rounds to the same one; sets run->lost when the device is lost.
 */
enum ert_status ert_device_run_measure(struct ert_device_run *run, struct ert_point *point,
                                       struct ert_error *error);

/* Intended length of a point's timed regions, in s. */
double ert_device_run_region_s(const struct ert_device_run *run,
                               const struct ert_point *point);

/* Whether two distinct points have the same section and spec, apart from the requested set. */
bool ert_device_run_is_neighbour(const struct ert_point *other,
                                 const struct ert_point *point);

/* Whether the user wants to stop. */
bool ert_device_run_stopped(const struct ert_device_run *run);

/* Calls the progress hook. what: the point; message: something that the user should see, or NULL. */
void ert_device_run_report(struct ert_device_run *run, const char *what,
                           const char *message);

/* Marks the point as failed (ERT_UNAVAILABLE: skipped) and keeps the first failure as the device's fault. */
void ert_device_run_keep_fault(struct ert_device_run *run, struct ert_point *point,
                               const struct ert_error *error);

/* Calls the checkpoint hook, every few seconds at most; its failure is the device's if it is the first. */
void ert_device_run_checkpoint(struct ert_device_run *run);

/* How the rounds ended, from best to worst. */
enum ert_rounds_end {
    ERT_ROUNDS_DONE,
    ERT_ROUNDS_OUT_OF_TIME,
    ERT_ROUNDS_LOST,
    ERT_ROUNDS_STOPPED
};

/*
 * Measures the points of some sections of the device by its schedule; the candidates hook chooses the
 * candidates. ERT_ROUNDS_OUT_OF_TIME: some points were not measured at all.
 */
enum ert_rounds_end ert_rounds_all(struct ert_device_run *run,
                                   const bool sections[ERT_N_SECTIONS]);

/*
 * Measures the sustained rates that the schedule wants of the points that won a ceiling. Where power cannot
 * be metered, the device's notes say so.
 */
enum ert_rounds_end ert_rounds_sustained(struct ert_device_run *run);

#endif
