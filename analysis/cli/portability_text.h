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

struct rfl_platform_options {
    bool is_application; /* best known time / time; else the share of the binding roof */
    const char *best;    /* "PLATFORM=TIME,...", NULL: the shortest of each profile */
    const char *device;  /* of ceilings with several; NULL: not said */
    bool fastest;        /* of each run only its fastest point, under the name of the run */
};

/*
 * Reads platforms, from words of them or from one list, and joins their points' efficiencies.
 * ERT_USAGE for what cannot be read or is not said.
 */
enum ert_status rfl_platforms_read(const struct rfl_platform_options *options,
                                   const char **words, size_t n_words,
                                   struct rfl_efficiencies *all, struct ert_error *error);

/* Each case's efficiencies and metric. */
enum ert_status rfl_portability_write(FILE *out, const struct rfl_efficiencies *all,
                                      enum rfl_efficiency_kind kind,
                                      enum rfl_table_format format,
                                      struct ert_error *error);
enum ert_status rfl_portability_write_json(FILE *out, const struct rfl_efficiencies *all,
                                           enum rfl_efficiency_kind kind,
                                           struct ert_error *error);

#endif
