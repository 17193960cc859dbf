/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/cli/commands.h"

#include "analysis/core/points/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

const char *const rfl_outputs[] = {"text", "markdown", "csv", NULL};

/* Whether a file has nothing but the end of a line. */
static bool inputs_is_empty(FILE *stream)
{
    int first = getc(stream);
    first = first == '\r' ? getc(stream) : first;
    return (first == '\n' ? getc(stream) : first) == EOF;
}

enum ert_status rfl_ceilings_read(const char *file, struct ert_ceilings *ceilings,
                                  struct ert_error *error)
{
    struct ert_error why;
    struct rfl_points points = {0};
    struct stat about = {0};
    bool is_ceilings = false;
    if (stat(file, &about) == 0 && S_ISFIFO(about.st_mode)) /* its text comes only once */
        return ert_ceilings_read(file, ceilings, error);
    enum ert_status status = rfl_file_read(file, ceilings, &points, &is_ceilings, &why);
    rfl_points_free(&points);
    if (is_ceilings)
        return status == ERT_OK ? ERT_OK : ert_fail(error, status, "%s", why.text);
    FILE *stream = fopen(file, "r");
    if (!stream)
        return ert_fail(error, ERT_USAGE, "%.200s: %s", file, strerror(errno));
    bool is_empty = inputs_is_empty(stream);
    fclose(stream);
    if (S_ISDIR(about.st_mode))
        return ert_fail(error, ERT_USAGE, "%.200s: is a folder, must be a file", file);
    return ert_fail(error, ERT_USAGE, "%.200s: %s", file,
                    is_empty ? "is empty"
                    : status == ERT_OK
                        ? "contains points of a profile; give the ceilings first"
                        : "not a ceilings.json; `ert run` makes one");
}

bool rfl_is_by_hand(const struct rfl_hand *hand)
{
    static const struct rfl_hand none = RFL_HAND;
    return hand->flops > 0 || hand->bytes || hand->time_s > 0 || hand->name ||
           hand->instructions > 0 || hand->energy_j > 0 || hand->fma_share >= 0 ||
           hand->is_actual || strcmp(hand->type, none.type) != 0 ||
           strcmp(hand->unit, none.unit) != 0;
}
