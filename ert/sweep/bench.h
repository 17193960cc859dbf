/*
 * bench: one point on an open device: prepare, calibrate, time, verify, keep the sample; and what a
 * device's run shares about its progress and faults. Internal to sweep: rounds.c decides which point
 * comes when.
 */
#ifndef ERT_SWEEP_BENCH_H
#define ERT_SWEEP_BENCH_H

#include "ert/sweep/hooks.h"

#include <pthread.h>

/* What the devices of one run share. */
struct ert_bench_shared {
    /*
     * Held while samples are changed or hooks are called: devices may be measured side by side, and
     * a checkpoint of one writes the samples of all.
     */
    pthread_mutex_t lock;
    double checkpoint_s; /* when the last checkpoint was written; 0: never */
    double writing_s;    /* how long that took */
};

/* The state of measuring one device. */
struct ert_bench {
    struct ert_samples *samples;
    struct ert_device_samples *device;
    const struct ert_backend *backend;
    const struct ert_device *about;
    struct ert_session *session;
    const struct ert_run_hooks *hooks;
    struct ert_bench_shared *shared;
    double window_s;            /* of CPUs: how long a window is */
    double start_s, done, todo; /* seconds, guessed cost of what is done and of all */
    bool lost;
    bool is_checked; /* the results of the last region were */
    size_t n_faults;
    struct ert_error fault; /* the first one of this device */
};

/* How long a window is on a machine that was observed so; needs config and observation. */
double ert_bench_window_s(const struct ert_bench *bench);

/*
 * Takes one sample of a point; the first time the number of passes is calibrated and the results are
 * verified, later where that is cheap. ERT_UNAVAILABLE when the machine cannot hold the set or another
 * point has the same one; bench->lost is set when the device is.
 */
enum ert_status ert_bench_measure(struct ert_bench *bench, struct ert_point *point,
                                  struct ert_error *error);

/* Checks what the last region of this point, just measured, left, unless that was done. */
enum ert_status ert_bench_check(struct ert_bench *bench, struct ert_point *point,
                                struct ert_error *error);

/*
 * Runs a measured point for config.sustained_s without a pause, and checks its results. ERT_UNAVAILABLE
 * where the backend cannot.
 */
enum ert_status ert_bench_sustain(struct ert_bench *bench, struct ert_point *point,
                                  struct ert_error *error);

/* How long the regions of a point are to be, in s. */
double ert_bench_region_s(const struct ert_bench *bench, const struct ert_point *point);

/* Whether another point is of the same section and case but for the wanted set. */
bool ert_bench_is_neighbour(const struct ert_point *other, const struct ert_point *point);

/* Seconds since the device's run began, opening included. */
double ert_bench_elapsed_s(const struct ert_bench *bench);

/* Whether the user wants to stop; whether the device's time budget is used up. */
bool ert_bench_stopped(const struct ert_bench *bench);
bool ert_bench_out_of_time(const struct ert_bench *bench);

/* Tells the progress hook what is measured; message: something that the user should see, or NULL. */
void ert_bench_report(struct ert_bench *bench, const char *what, const char *message);

/* Keeps a fault with the point, and as the device's fault when it is the first. */
void ert_bench_keep_fault(struct ert_bench *bench, struct ert_point *point,
                          const struct ert_error *error);

/*
 * Lets the checkpoint hook write the samples so far, but not more often than every few seconds; its
 * failure is the device's fault.
 */
void ert_bench_checkpoint(struct ert_bench *bench);

#endif
