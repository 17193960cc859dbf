#include "ert/machine/health.h"

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
