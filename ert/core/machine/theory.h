/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * theory: theoretical peaks of a device, each with its formula and source, derived from struct ert_device
 * alone. A core that is not in the tables gets rows with `unknown` set; nothing is guessed.
 */
#ifndef ERT_MACHINE_THEORY_H
#define ERT_MACHINE_THEORY_H

#include "ert/core/machine/machine.h"

enum { ERT_MAX_PEAKS = 192 };

#ifdef __cplusplus
extern "C" {
#endif

enum ert_peak_unit { ERT_PEAK_FLOP_PER_S, ERT_PEAK_BYTE_PER_S };

struct ert_peak {
    char name[32];  /* "fp64-fma", "L1-load", "HBM"; as the ceilings are named */
    char clock[16]; /* "base", "boost", "held" or "memory" */
    enum ert_peak_unit unit;
    double per_clock;  /* flop or byte per clock, whole device; 0 when unknown */
    double value;      /* per_clock times the clock; 0 when unknown */
    char formula[160]; /* "132 SM x 64 lanes x 2 flop x 1.980 GHz" */
    char source[160];
    char unknown[160]; /* why it is unknown, or "" */
};

struct ert_peak_list; /* the rows so far, and the clocks that they are computed for */

/*
 * Adds a peak at every clock, or one that is unknown, with the reason. per_clock: flop or byte of the whole
 * device; format: the formula of per_clock, to which the clock is appended.
 */
void ert_peaks_add(struct ert_peak_list *list, const char *name, enum ert_peak_unit unit,
                   double per_clock, const char *source, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void ert_peaks_unknown(struct ert_peak_list *list, const char *name,
                       enum ert_peak_unit unit, const char *reason);

/* Adds a backend's peaks of a device; a GPU's memory peak follows from its memory clock and bus width. */
typedef void (*ert_peaks_of)(const struct ert_device *device, struct ert_peak_list *list);

/*
 * Writes the peaks of a device into peaks[0..*n_peaks), at most ERT_MAX_PEAKS: at its base and boost clock,
 * and at held_hz if it is not 0; those of lesser instruction sets ("fp64-fma-avx2") only at the held, else
 * the boost, else the base clock. n_cores: cores in use on a CPU (0: all usable ones). own: of the device's
 * backend (ert_backend_peaks()), or NULL.
 */
void ert_theory_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                      ert_peaks_of own, struct ert_peak peaks[ERT_MAX_PEAKS],
                      size_t *n_peaks);

/*
 * The peak that a ceiling is compared with, by its name: "fp64-fma", "L1-load", or "HBM" if there is no
 * "HBM-copy"; at the first clock there is of "held", "boost", "base", and of "memory" for memories.
 * NULL when no row has a value.
 */
const struct ert_peak *ert_theory_find(const struct ert_peak *peaks, size_t n_peaks,
                                       const char *name);

#ifdef __cplusplus
}
#endif
#endif
