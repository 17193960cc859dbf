/*
 * bench: one point on an open device: prepare, calibrate, time, verify, keep the sample. Internal to
 * sweep: run.c decides which point comes when.
 */
#ifndef ERT_SWEEP_BENCH_H
#define ERT_SWEEP_BENCH_H

#include "ert/sweep/run.h"

/* The state of measuring one device. */
struct ert_bench {
    struct ert_samples *samples;
    struct ert_device_samples *device;
    const struct ert_backend *backend;
    const struct ert_device *about;
    struct ert_session *session;
    const struct ert_run_hooks *hooks;
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

#endif
