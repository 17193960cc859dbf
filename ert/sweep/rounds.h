/*
 * rounds: over the points of one open device, interleaved, several times; then over those that
 * decide a ceiling. Internal to sweep.
 */
#ifndef ERT_SWEEP_ROUNDS_H
#define ERT_SWEEP_ROUNDS_H

#include "ert/sweep/bench.h"

/* How the rounds ended; the later ones are worse. */
enum ert_rounds_end {
    ERT_ROUNDS_DONE,
    ERT_ROUNDS_OUT_OF_TIME,
    ERT_ROUNDS_LOST,
    ERT_ROUNDS_STOPPED
};

/*
 * Measures the points of some sections of the device: all of them config.rounds times, then those
 * that the leaders hook chose config.leader_rounds times. chosen[n_points] is scratch. The budget
 * never cuts the first round.
 */
enum ert_rounds_end ert_rounds_all(struct ert_bench *bench,
                                   const bool sections[ERT_N_SECTIONS], bool *chosen);

/*
 * Meters the winner of each ceiling, where config.power_s and the backend let it. What cannot be
 * metered is no fault: the first reason becomes a note, and the rest is not tried.
 */
enum ert_rounds_end ert_rounds_power(struct ert_bench *bench, bool *chosen);

#endif
