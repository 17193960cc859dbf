/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * theory: theoretical peaks of a device, each with its formula and source. Pure: from struct
 * ert_device alone. A part that is not in the tables gives a row with `unknown` set; nothing is
 * guessed.
 */
#ifndef ERT_MACHINE_THEORY_H
#define ERT_MACHINE_THEORY_H

#include "ert/machine/machine.h"

enum { ERT_MAX_PEAKS = 192 };

#ifdef __cplusplus
extern "C" {
#endif

enum ert_peak_unit { ERT_PEAK_FLOP_PER_S, ERT_PEAK_BYTE_PER_S };

struct ert_peak {
    char name[32];  /* "fp64-fma", "L1-load", "HBM"; as the ceilings are named */
    char clock[16]; /* "avx", "base", "boost", "held" or "memory" */
    double clock_hz;
    enum ert_peak_unit unit;
    double per_clock;  /* flop or byte per clock of the whole device; 0 when unknown */
    double value;      /* per_clock * clock_hz; 0 when unknown */
    char formula[160]; /* "132 SM x 64 lanes x 2 flop x 1.980 GHz" */
    char source[160];
    char unknown[160]; /* why it is unknown, or "" */
};

struct ert_peak_list; /* rows that are being made, and the clocks that they are for */

/*
 * Adds a peak at every clock: per_clock flop or byte of the whole device; format: how per_clock comes about,
 * to which the clock is added. Or one whose number is unknown, and why.
 */
void ert_peaks_add(struct ert_peak_list *list, const char *name, enum ert_peak_unit unit,
                   double per_clock, const char *source, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
void ert_peaks_unknown(struct ert_peak_list *list, const char *name,
                       enum ert_peak_unit unit, const char *reason);

/* Adds what a vendor says of a device: of GPUs all but the memory, whose clock and bus tell it. */
typedef void (*ert_peaks_of)(const struct ert_device *device, struct ert_peak_list *list);

/*
 * Writes the peaks of a device at its base and boost clock, FLOP/s also at the clock of dense vector
 * code where a document gives one (Xeon Phi), and all at held_hz where it is not 0, into
 * peaks[0..*n_peaks) (at most ERT_MAX_PEAKS). Those of lesser instruction sets ("fp64-fma-avx2") only
 * at the clock that ert_theory_find() prefers. n_cores: cores in use on a CPU (0: all usable ones). own:
 * of the device's backend, or NULL; ert_backend_peaks() finds it.
 */
void ert_theory_peaks(const struct ert_device *device, uint32_t n_cores, double held_hz,
                      ert_peaks_of own, struct ert_peak peaks[ERT_MAX_PEAKS],
                      size_t *n_peaks);

/*
 * The peak that a ceiling is judged by: for a compute ceiling "fp64-fma", for a memory ceiling
 * "L1-load", falling back from "HBM-copy" to "HBM"; at the clock
 * "held" when there, else "avx", else "boost", else "base"; "memory" for memories. NULL when no row knows a
 * value.
 */
const struct ert_peak *ert_theory_find(const struct ert_peak *peaks, size_t n_peaks,
                                       const char *name);

/*
 * The instruction sets of general use that a device's core has by its model, for the plan of a machine
 * that only a file describes; nothing may be run by it. All false for a model that is in no table.
 */
struct ert_isa ert_theory_isa(const struct ert_device *device);

#ifdef __cplusplus
}
#endif
#endif
