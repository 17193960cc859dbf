/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * units: the only place where numbers meet unit names. Everywhere else values are SI doubles (s, byte,
 * flop/s, byte/s, Hz). Rates print with powers of 1000 (GB/s), capacities with powers of 1024 (KiB).
 */
#ifndef ERT_BASE_UNITS_H
#define ERT_BASE_UNITS_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Long enough for every text below. */
#define ERT_UNITS_TEXT 32

/* A text by value: ert_units_time(s).text lives as long as the whole expression that it is an argument in. */
struct ert_text {
    char text[ERT_UNITS_TEXT];
};
struct ert_pair_text {
    char text[2 * ERT_UNITS_TEXT + 8];
};

/*
 * A value with four significant digits and its unit, e.g. "4622 GB/s", "33.33 TFLOP/s",
 * "1.980 GHz", "4.25 ms", "48 KiB", "1.5 GiB". Infinite and NaN values print as "-". Trailing zeros
 * stay in rates and clocks (measured digits), and go in times and capacities.
 */
struct ert_text ert_units_bandwidth(double rate_bytes_per_s);
struct ert_text ert_units_performance(double perf_flop_per_s);
/* By the unit's name: "s", "Hz", "1/s", "byte" or "byte/s", or operations as below, with "/s" or without. */
struct ert_text ert_units_rate(double value, const char *unit);
/* Two of a unit with `between` between them, the same unit only once: "33.21 .. 33.40 TFLOP/s". */
struct ert_pair_text ert_units_pair(double first, const char *between, double last,
                                    const char *unit);
/* Operations by their name: "flop", "op" and "inst" give "1.920 POP/s", "1.045 Tinst/s". */
struct ert_text ert_units_operations(double rate_per_s, const char *operation);
struct ert_text ert_units_frequency(double frequency_hz);
struct ert_text ert_units_time(double time_s);
/* An amount of bytes or operations, with powers of 1000: "84.37 GB", "1.967 Tflop". */
struct ert_text ert_units_amount(double amount, const char *unit);
struct ert_text ert_units_capacity(uint64_t size_bytes);

/*
 * Reads a size such as "4096", "48KiB", "1.5 GiB", "2GB" (KiB = 1024, KB = kB = 1000; a plain
 * number is bytes; a fraction of a unit rounds to the nearest byte) into *size_bytes. ERT_USAGE for
 * anything else, negative, or above 2^62.
 */
enum ert_status ert_units_parse_size(const char *text, uint64_t *size_bytes,
                                     struct ert_error *error);

/* Reads a time such as "20", "20s", "1.5ms", "3min" into *time_s. ERT_USAGE as above. */
enum ert_status ert_units_parse_time(const char *text, double *time_s,
                                     struct ert_error *error);

#ifdef __cplusplus
}
#endif
#endif
