/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * device_run: the points of one open device: prepare, calibrate, time, verify, keep the sample; in which
 * order they are measured, how often, and for how long; and what a device's run shares about its progress
 * and faults. Internal to sweep.
 */
#ifndef ERT_SWEEP_DEVICE_RUN_H
#define ERT_SWEEP_DEVICE_RUN_H

#include "ert/sweep/hooks.h"

#include <pthread.h>

/* What the devices of one run share. */
struct ert_device_run_shared {
    /*
     * Held while samples are changed or hooks are called: devices may be measured side by side, and
     * a checkpoint of one writes the samples of all.
     */
    pthread_mutex_t lock;
    double checkpoint_s; /* when the last checkpoint was written; 0: never */
    double writing_s;    /* how long that took */
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
    double window_s;            /* of CPUs: how long a window is */
    double start_s, done, todo; /* seconds, guessed cost of what is done and of all */
    bool lost;
    bool is_checked; /* the results of the last region were */
    size_t n_faults;
    struct ert_error fault; /* the first one of this device */
};

/* How long a window is on a machine that was observed so; needs config and observation. */
double ert_device_run_window_s(const struct ert_device_run *run);

/*
 * Takes one sample of a point; the first time the number of passes is calibrated and the results are
 * verified, later where that is cheap. ERT_UNAVAILABLE when the machine cannot hold the set or another
 * point has the same one; run->lost is set when the device is.
 */
enum ert_status ert_device_run_measure(struct ert_device_run *run, struct ert_point *point,
                                       struct ert_error *error);

/* How long the regions of a point are to be, in s. */
double ert_device_run_region_s(const struct ert_device_run *run,
                               const struct ert_point *point);

/* Whether another point is of the same section and case but for the requested set. */
bool ert_device_run_is_neighbour(const struct ert_point *other,
                                 const struct ert_point *point);

/* Whether the user wants to stop. */
bool ert_device_run_stopped(const struct ert_device_run *run);

/* Tells the progress hook what is measured; message: something that the user should see, or NULL. */
void ert_device_run_report(struct ert_device_run *run, const char *what,
                           const char *message);

/* Keeps a fault with the point, and as the device's fault when it is the first. */
void ert_device_run_keep_fault(struct ert_device_run *run, struct ert_point *point,
                               const struct ert_error *error);

/*
 * Lets the checkpoint hook write the samples so far, but not more often than every few seconds; its
 * failure is the device's fault.
 */
void ert_device_run_checkpoint(struct ert_device_run *run);

/* How the rounds ended; the later ones are worse. */
enum ert_rounds_end {
    ERT_ROUNDS_DONE,
    ERT_ROUNDS_OUT_OF_TIME,
    ERT_ROUNDS_LOST,
    ERT_ROUNDS_STOPPED
};

/*
 * Measures the points of some sections of the device: all of them config.rounds times, then those
 * that the leaders hook chose until they are settled, at most config.leader_rounds times.
 * chosen[n_points] is scratch. A budget cuts what matters least; the main rooflines are measured once
 * in any case. ERT_ROUNDS_OUT_OF_TIME: some points were not measured at all.
 */
enum ert_rounds_end ert_rounds_all(struct ert_device_run *run,
                                   const bool sections[ERT_N_SECTIONS], bool *chosen);

/*
 * The sustained rates of the winners of ceilings: of those that become roofs and that a power limit may
 * hold (a type's matrix products and multiply-adds, a GPU's memory), each with the rivals that might be
 * faster then, and its loads; config.sustained_all: of all. A power that cannot be metered is a note.
 */
enum ert_rounds_end ert_rounds_sustained(struct ert_device_run *run, bool *chosen);

#endif
