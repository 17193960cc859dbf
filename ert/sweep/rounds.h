/*
 * rounds: over the points of one open device, interleaved, several times; then over those that
 * decide a ceiling. Internal to sweep.
 */
#ifndef ERT_SWEEP_ROUNDS_H
#define ERT_SWEEP_ROUNDS_H

#include "ert/sweep/device_run.h"

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
