/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A unit or its prefix; tables of prefixes go from the largest down. */
struct unit {
    const char *name;
    double scale;
};

enum { N_SI = 7, SI_PETA = 1, SI_GIGA = 3 };
static const struct unit si[N_SI] = {
    {"E", 1e18},
    {"P", 1e15},
    {"T", 1e12},
    {"G", 1e9 },
    {"M", 1e6 },
    {"k", 1e3 },
    {"",  1   },
};

static const struct unit time_prefixes[] = {
    {"",  1   },
    {"m", 1e-3},
    {"u", 1e-6},
    {"n", 1e-9},
};

static const struct unit size_names[] = {
    {"B",   1     },
    {"KiB", 0x1p10},
    {"MiB", 0x1p20},
    {"GiB", 0x1p30},
    {"TiB", 0x1p40},
    {"PiB", 0x1p50},
    {"kB",  1e3   },
    {"KB",  1e3   },
    {"MB",  1e6   },
    {"GB",  1e9   },
    {"TB",  1e12  },
    {"PB",  1e15  },
};

static const struct unit time_names[] = {
    {"s",   1   },
    {"ms",  1e-3},
    {"us",  1e-6},
    {"ns",  1e-9},
    {"min", 60  },
    {"h",   3600},
};

/* Rounded to four significant digits, so that 999.96 G and 1.000 T cannot both be right. */
static double round4(double value)
{
    char text[ERT_UNITS_TEXT];
    snprintf(text, sizeof text, "%.3e", value);
    return strtod(text, NULL);
}

static struct ert_text format(double value, const struct unit *prefixes, size_t n_prefixes,
                              const char *unit, bool pad)
{
    /* GB/s holds up to 10 TB/s: memory rates of today's machines compare without moving the point. */
    bool is_bandwidth = strcmp(unit, "B/s") == 0;
    struct ert_text text = {"-"};
    if (!isfinite(value))
        return text;
    double rounded = round4(value);
    const struct unit *prefix = prefixes;
    while (prefix < prefixes + n_prefixes - 1 &&
           fabs(rounded) < prefix->scale * (is_bandwidth && *prefix->name == 'T' ? 10 : 1))
        prefix++;
    double scaled = rounded / prefix->scale + 0.0, size = fabs(scaled); /* no "-0" */
    bool is_plain = size >= 1e7 || (!pad && size < 1e4) || size < 1e-3;
    int decimals = size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
    snprintf(text.text, sizeof text.text, is_plain ? "%.*g %s%s" : "%.*f %s%s",
             is_plain ? 4 : decimals, scaled, prefix->name, unit);
    return text;
}

struct ert_text ert_units_bandwidth(double rate_bytes_per_s)
{
    return format(rate_bytes_per_s, si + SI_PETA, N_SI - SI_PETA, "B/s", true);
}

struct ert_text ert_units_amount(double amount, const char *unit)
{
    return format(amount, si, N_SI, unit, true);
}

struct ert_text ert_units_operations(double rate_per_s, const char *operation)
{
    const char *unit = strncmp(operation, "op", 2) == 0     ? "OP/s"
                       : strncmp(operation, "inst", 4) == 0 ? "inst/s"
                                                            : "FLOP/s";
    return format(rate_per_s, si, N_SI, unit, true);
}

struct ert_text ert_units_rate(double value, const char *unit)
{
    if (strcmp(unit, "s") == 0)
        return ert_units_time(value);
    if (strcmp(unit, "Hz") == 0)
        return ert_units_frequency(value);
    if (strcmp(unit, "1/s") == 0)
        return format(value, si, N_SI, "/s", true);
    return strncmp(unit, "byte", 4) == 0 ? ert_units_bandwidth(value)
                                         : ert_units_operations(value, unit);
}

struct ert_pair_text ert_units_pair(double first, const char *between, double last,
                                    const char *unit)
{
    struct ert_text low = ert_units_rate(first, unit), high = ert_units_rate(last, unit);
    struct ert_pair_text pair;
    char *low_unit = strchr(low.text, ' '), *high_unit = strchr(high.text, ' ');
    if (low_unit && high_unit && strcmp(low_unit, high_unit) == 0)
        *low_unit = '\0';
    snprintf(pair.text, sizeof pair.text, "%s%s%s", low.text, between, high.text);
    return pair;
}

struct ert_text ert_units_performance(double perf_flop_per_s)
{
    return ert_units_operations(perf_flop_per_s, "flop");
}

struct ert_text ert_units_frequency(double frequency_hz)
{
    return format(frequency_hz, si + SI_GIGA, N_SI - SI_GIGA, "Hz", true);
}

struct ert_text ert_units_time(double time_s)
{
    return format(time_s, time_prefixes, ERT_LENGTH(time_prefixes), "s", false);
}

struct ert_text ert_units_capacity(uint64_t size_bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    struct ert_text text;
    double size = (double)size_bytes;
    size_t i = 0;
    while (i + 1 < ERT_LENGTH(names) && round4(size) >= 1024) {
        size /= 1024;
        i++;
    }
    snprintf(text.text, sizeof text.text, "%.4g %s", round4(size), names[i]);
    return text;
}

/*
 * Splits "1.5 GiB" into the number's end and its unit; a plain number has the first row's. strtod
 * alone would also take "inf", "0x10", "-1" and leading blanks.
 */
static const struct unit *units_split(const char *text, const struct unit *units,
                                      size_t n_units, double *number, size_t *number_length)
{
    size_t digits = strspn(text, "0123456789");
    bool is_number = digits > 0 || (text[0] == '.' && strspn(text + 1, "0123456789") > 0);
    if (!is_number || (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')))
        return NULL;
    char *end = NULL;
    *number = strtod(text, &end);
    *number_length = (size_t)(end - text);
    if (*end == '\0')
        return &units[0];
    if (*end == ' ')
        end++;
    for (size_t i = 0; i < n_units; i++)
        if (strcmp(end, units[i].name) == 0)
            return &units[i];
    return NULL;
}

/* Says of a text that it is no size or time, and which units there are. */
static enum ert_status unknown(const char *text, const char *what, const struct unit *units,
                               size_t n_units, struct ert_error *error)
{
    char names[128] = "";
    for (size_t i = 0; i < n_units; i++)
        ert_list_add(names, sizeof names, units[i].name);
    return ert_fail(error, ERT_USAGE, "'%.64s': not a %s; must be a number and one of %s",
                    text, what, names);
}

enum ert_status ert_units_parse_size(const char *text, uint64_t *size_bytes,
                                     struct ert_error *error)
{
    const uint64_t limit = UINT64_C(1) << 62;
    double number = 0;
    size_t length = 0;
    const struct unit *unit =
        units_split(text, size_names, ERT_LENGTH(size_names), &number, &length);
    if (!unit)
        return unknown(text, "size", size_names, ERT_LENGTH(size_names), error);
    /* Whole numbers stay in integers: a double holds only 53 bits of them. */
    uint64_t scale = (uint64_t)unit->scale, whole = 0;
    bool is_whole = strspn(text, "0123456789") == length, fits;
    errno = 0;
    if (is_whole)
        whole = strtoull(text, NULL, 10);
    fits = is_whole ? errno != ERANGE && whole <= limit / scale
                    : number * unit->scale <= (double)limit;
    if (!fits)
        return ert_fail(error, ERT_USAGE,
                        "'%.64s': size too large, must be at most 4096 PiB", text);
    if (!is_whole && scale == 1 && number != floor(number))
        return ert_fail(error, ERT_USAGE, "'%.64s': must be a whole number of bytes", text);
    *size_bytes = is_whole ? whole * scale : (uint64_t)nearbyint(number * unit->scale);
    return ERT_OK;
}

enum ert_status ert_units_parse_time(const char *text, double *time_s,
                                     struct ert_error *error)
{
    double number = 0;
    size_t length = 0;
    const struct unit *unit =
        units_split(text, time_names, ERT_LENGTH(time_names), &number, &length);
    if (!unit)
        return unknown(text, "time", time_names, ERT_LENGTH(time_names), error);
    if (!isfinite(number * unit->scale))
        return ert_fail(error, ERT_USAGE, "'%.64s': time too large", text);
    *time_s = number * unit->scale;
    return ERT_OK;
}
