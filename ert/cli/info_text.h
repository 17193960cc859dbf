/*
 * info_text: a machine and its theoretical peaks as text for a terminal of 100 columns. It
 * discovers nothing.
 */
#ifndef ERT_CLI_INFO_TEXT_H
#define ERT_CLI_INFO_TEXT_H

#include "ert/machine/machine.h"
#include "ert/machine/theory.h"

#include <stdio.h>

/* Host, system and tool; nothing for what is unknown. */
void ert_info_print_provenance(FILE *out, const struct ert_provenance *provenance);

/* One device: what it is, its clocks, features, memory, levels. */
void ert_info_print_device(FILE *out, const struct ert_device *device);

/* A device as one line: id, name, PCI address, UUID. */
void ert_info_print_line(FILE *out, const struct ert_device *device);

/* Peaks as a table with formulas, and the sources as numbered notes below it. */
void ert_info_print_peaks(FILE *out, const struct ert_peak *peaks, size_t n_peaks);

/* The machine's notes; nothing when there are none. */
void ert_info_print_notes(FILE *out, const struct ert_machine *machine);

/* Prints a text in lines of at most 100 columns: `first` before the first, blanks before others. */
void ert_info_print_wrapped(FILE *out, const char *first, const char *text);

#endif
