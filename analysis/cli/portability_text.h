/*
 * portability_text: efficiencies and their metric (analysis/portability.h) as tables and JSON, and
 * the list of platforms that roofline portability reads.
 */
#ifndef RFL_CLI_PORTABILITY_TEXT_H
#define RFL_CLI_PORTABILITY_TEXT_H

#include "analysis/portability.h"
#include "analysis/table.h"

#include <stdio.h>

enum rfl_efficiency_kind { RFL_EFFICIENCY_GIVEN, RFL_ARCHITECTURAL, RFL_APPLICATION };

/* One platform as the user names it; texts "" where not given. */
struct rfl_platform_words {
    char name[128], ceilings[1024], profile[1024], device[16];
};

/* Reads "[NAME=]CEILINGS:PROFILE". ERT_USAGE for another form or a text that is too long. */
enum ert_status rfl_platform_parse(const char *word, struct rfl_platform_words *words,
                                   struct ert_error *error);

/*
 * Reads a list, {"schema": "ert-platforms/1", "platforms": [{"name", "ceilings", "profile", "device"},
 * ...]}: at most `room` of them; files are relative to the list's folder. ERT_USAGE.
 */
enum ert_status rfl_platform_list(const char *file, struct rfl_platform_words *words,
                                  size_t room, size_t *n, struct ert_error *error);

/* Each case's efficiencies and metric. */
enum ert_status rfl_portability_write(FILE *out, const struct rfl_efficiencies *all,
                                      enum rfl_efficiency_kind kind,
                                      enum rfl_table_format format,
                                      struct ert_error *error);
enum ert_status rfl_portability_write_json(FILE *out, const struct rfl_efficiencies *all,
                                           enum rfl_efficiency_kind kind,
                                           struct ert_error *error);

#endif
