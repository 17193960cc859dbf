/* SPDX-License-Identifier: BSD-3-Clause */
/* dram: the theoretical bandwidth of DRAM as a user states it, for platforms that do not report it. */
#ifndef ERT_MACHINE_DRAM_H
#define ERT_MACHINE_DRAM_H

#include "ert/core/machine/machine.h"

struct ert_dram {
    double rate_bytes_per_s;
    char formula[96]; /* "8 channels x 8 B x 4800 MT/s", or the text if it is a rate */
};

/*
 * Reads "8xDDR5-4800" (64-bit channels, so 8 bytes per transfer, of all memory that the run uses; DDR3 to
 * DDR5; MT/s) or a rate such as "307.2GB/s" (units of ert_units_parse_size). who: the option or key that
 * has the text, for the error. ERT_USAGE for another form, ERT_DRAM_TEXT or more characters, more than 1024
 * channels, and values outside 400 to 20000 MT/s or 1 MB/s to 1 PB/s.
 */
enum ert_status ert_dram_parse(const char *who, const char *text, struct ert_dram *dram,
                               struct ert_error *error);

/* Whether the user's statement gives the theoretical bandwidth of this level. */
bool ert_dram_is_stated(const struct ert_device *device, const char *level);

/*
 * Stores a statement, as ert_dram_parse reads it, in all CPUs that have a level "DRAM", for
 * ert_theory_peaks. ERT_USAGE where there is none: the statement is about no other memory.
 */
enum ert_status ert_dram_state(struct ert_machine *machine, const char *text,
                               struct ert_error *error);

#endif
