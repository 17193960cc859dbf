#include "ert/ceilings/ceilings_rows_beside.h"

#include "ert/base/fields.h"
#include "ert/ceilings/ceilings.h"

#include <stdio.h>
#include <string.h>

static const struct ert_field peak_rows[] = {
    ERT_ROW_TEXT(struct ert_peak, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_peak, NULL, "clock", clock, false),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "clock_hz", NUMBER, clock_hz),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "per_clock", NUMBER, per_clock),
    ERT_ROW_UNKNOWN(struct ert_peak, NULL, "value", RATE, value),
    ERT_ROW_TEXT(struct ert_peak, NULL, "formula", formula, false),
    ERT_ROW_TEXT(struct ert_peak, NULL, "source", source, false),
    ERT_ROW_TEXT(struct ert_peak, NULL, "unknown", unknown, false),
};

static const struct ert_field absent_rows[] = {
    ERT_ROW_TEXT(struct ert_absent, NULL, "name", name, true),
    ERT_ROW_TEXT(struct ert_absent, NULL, "reason", reason, true),
};

static const struct ert_field stray_rows[] = {
    ERT_ROW_TEXT(struct ert_stray_plateau, NULL, "kernel", kernel, true),
    ERT_ROW_TEXT(struct ert_stray_plateau, NULL, "path", path, true),
    ERT_ROW_RANGE(struct ert_stray_plateau, "plateau_bytes", RANGE, bytes[0], bytes[1]),
    ERT_ROW_EXACT(struct ert_stray_plateau, "rate_bytes_per_s", NUMBER, rate_bytes_per_s),
    ERT_ROW_TEXT(struct ert_stray_plateau, NULL, "why", why, false),
};

enum ert_status ert_ceilings_read_word(struct ert_json at, const char *key,
                                       const char *const *names, size_t n, size_t *index,
                                       struct ert_error *error)
{
    const char *word;
    ERT_TRY(ert_json_string(at, key, &word, error));
    for (*index = 0; *index < n; (*index)++)
        if (strcmp(names[*index], word) == 0)
            return ERT_OK;
    char list[96] = "";
    for (size_t i = 0, used = 0; i < n && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 names[i]);
    return ert_fail(error, ERT_USAGE, "%s: %s.%s: '%s', must be one of %s", at.file,
                    at.path, key, word, list);
}

static const char *const peak_units[] = {"flop/s", "byte/s"};
static const char *const peak_suffixes[] = {ERT_FLOP_RATE, ERT_BYTE_RATE};

bool ert_ceilings_write_peak(cJSON *object, const void *element)
{
    const struct ert_peak *peak = element;
    return cJSON_AddStringToObject(object, "unit", peak_units[peak->unit]) &&
           ert_fields_write(object, ERT_ROWS(peak_rows), peak_suffixes[peak->unit], peak);
}

enum ert_status ert_ceilings_read_peak(struct ert_json at, void *element,
                                       struct ert_error *error)
{
    struct ert_peak *peak = element;
    size_t unit;
    ERT_TRY(ert_ceilings_read_word(at, "unit", peak_units, 2, &unit, error));
    peak->unit = (enum ert_peak_unit)unit;
    return ert_fields_read(at, ERT_ROWS(peak_rows), peak_suffixes[unit], peak, error);
}

bool ert_ceilings_write_absent(cJSON *object, const void *element)
{
    return ert_fields_write(object, ERT_ROWS(absent_rows), "", element);
}

enum ert_status ert_ceilings_read_absent(struct ert_json at, void *element,
                                         struct ert_error *error)
{
    return ert_fields_read(at, ERT_ROWS(absent_rows), "", element, error);
}

bool ert_ceilings_write_stray(cJSON *object, const void *element)
{
    return ert_fields_write(object, ERT_ROWS(stray_rows), "", element);
}

enum ert_status ert_ceilings_read_stray(struct ert_json at, void *element,
                                        struct ert_error *error)
{
    return ert_fields_read(at, ERT_ROWS(stray_rows), "", element, error);
}
