/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dram: the theoretical bandwidth of DRAM as a user states it, for platforms that do not. Pure.
 */
#ifndef ERT_MACHINE_DRAM_H
#define ERT_MACHINE_DRAM_H

#include "ert/machine/machine.h"

struct ert_dram {
    double rate_bytes_per_s;
    char formula
        [96]; /* "8 channels x 8 B x 4800 MT/s", or the text itself where it is a rate */
};

/*
 * Reads "8xDDR5-4800" (channels of 64 bit, so 8 bytes a transfer, of all memory that the run uses; DDR3
 * to DDR5; million transfers per second) or a rate such as "307.2GB/s" (the units of
 * ert_units_parse_size). who: the option or key that the text is of, for the error. ERT_USAGE for
 * another form, ERT_DRAM_TEXT or more characters, more than 1024 channels, and what is outside of 400
 * to 20000 MT/s or 1 MB/s to 1 PB/s.
 */
enum ert_status ert_dram_parse(const char *who, const char *text, struct ert_dram *dram,
                               struct ert_error *error);

/* Whether the user's statement is the theory of this level. */
bool ert_dram_is_stated(const struct ert_device *device, const char *level);

/*
 * Notes a statement that ert_dram_parse takes in the CPUs that have a level "DRAM", for
 * ert_theory_peaks. ERT_USAGE where there is none: no other memory's theory is meant.
 */
enum ert_status ert_dram_state(struct ert_machine *machine, const char *text,
                               struct ert_error *error);

#endif
