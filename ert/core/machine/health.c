/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/health.h"

#include "ert/core/base/alloc.h"

#include <stdio.h>
#include <string.h>

const char *const ert_health_words[] = {"ok", "note", "bad", "unknown", NULL};

const struct ert_field ert_health_rows[ERT_N_HEALTH_ROWS] = {
#define FACT struct ert_health_fact
    ERT_ROW_TEXT(FACT, NULL, "device", device, true),
    ERT_ROW_TEXT(FACT, NULL, "fact", fact, true),
    ERT_ROW(FACT, NULL, "value", MAYBE, value, OPTIONAL),
    ERT_ROW(FACT, NULL, "limit", MAYBE, limit, OPTIONAL),
    ERT_ROW_TEXT(FACT, NULL, "unit", unit, false),
    ERT_ROW_WORD(FACT, "state", ert_health_words, state),
    ERT_ROW_TEXT(FACT, NULL, "text", text, false),
#undef FACT
};

struct ert_health_fact *ert_health_add(struct ert_health *health, const char *device,
                                       const char *fact, double value,
                                       enum ert_health_state state, const char *format, ...)
{
    health->facts = ert_xrealloc(health->facts, health->n + 1, sizeof *health->facts);
    struct ert_health_fact *added = &health->facts[health->n++];
    *added = (struct ert_health_fact){.value = value, .limit = -1, .state = state};
    snprintf(added->device, sizeof added->device, "%s", device);
    snprintf(added->fact, sizeof added->fact, "%s", fact);
    ERT_FORMAT(added->text, sizeof added->text, format);
    return added;
}

void ert_health_unknown(struct ert_health *health, const char *device, const char *fact,
                        const char *why)
{
    ert_health_add(health, device, fact, -1, ERT_HEALTH_UNKNOWN, "%s", why);
}

void ert_health_count(struct ert_health *health, const char *device, const char *fact,
                      double count, enum ert_health_state state, const char *what)
{
    ert_health_add(health, device, fact, count, count > 0 ? state : ERT_HEALTH_OK,
                   "%.0f %s", count, what);
}

void ert_health_of(struct ert_health *health, const char *device, const char *fact,
                   double value, double limit, const char *unit,
                   enum ert_health_state state)
{
    struct ert_health_fact *added =
        ert_health_add(health, device, fact, value, value < limit ? state : ERT_HEALTH_OK,
                       "%g of %g%s%s", value, limit, *unit ? " " : "", unit);
    added->limit = limit;
    snprintf(added->unit, sizeof added->unit, "%s", unit);
}
