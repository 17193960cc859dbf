/*
 * bench: one point on an open device: prepare, calibrate, time, verify, keep the sample; and what a
 * device's run shares about its progress and faults. Internal to sweep: rounds.c decides which point
 * comes when.
 */
#ifndef ERT_SWEEP_BENCH_H
#define ERT_SWEEP_BENCH_H

#include "ert/sweep/run.h"

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
    double start_s, done, todo; /* seconds, guessed cost of what is done and of all */
    bool lost;
    size_t n_faults;
    struct ert_error fault; /* the first one of this device */
};

/*
 * Takes one sample of a point; the first time the number of passes is calibrated and the results are
 * verified, later only of small sets and in the last round. ERT_UNAVAILABLE when the machine cannot
 * hold the set or another point has the same one; bench->lost is set when the device is.
 */
enum ert_status ert_bench_measure(struct ert_bench *bench, struct ert_point *point,
                                  bool last_round, struct ert_error *error);

/*
 * Meters a measured point for config.power_s. ERT_UNAVAILABLE where nothing can be metered; the
 * backend must have a meter.
 */
enum ert_status ert_bench_power(struct ert_bench *bench, struct ert_point *point,
                                struct ert_error *error);

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
