/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * valgrind: counts by instrumentation, where no counter may be read: our Valgrind tool (analysis/valgrind).
 * It sees each process that the program starts; their counts are added up.
 */
#include "analysis/record/record.h"
#include "ert/base/config.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char tool[] = "roofline-amd64-linux";

/*
 * Slow-downs in user time under Valgrind 3.19 on a Zen 5: STREAM in L1 and in DRAM, a stencil, a matrix
 * product (results/epyc-turin-vm/valgrind): 26 to 158. A run that may take longer than long_s is announced.
 */
static const double least_slow_down = 26, most_slow_down = 158, long_s = 60;

/* Where the tool lies, seen from this program: in the folder of the build, or of an installation. */
static const char *const places[] = {"valgrind", "../libexec/roofline/valgrind"};

static bool find_tool(char folder[PATH_MAX])
{
    char self[PATH_MAX] = "", file[2 * PATH_MAX];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 || !strrchr(self, '/'))
        return false;
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < ERT_LENGTH(places); i++) {
        snprintf(file, sizeof file, "%s/%s", self, places[i]);
        if (!realpath(file, folder))
            continue;
        snprintf(file, sizeof file, "%s/%s", folder, tool);
        if (access(file, X_OK) == 0)
            return true;
    }
    return false;
}

static bool works(const struct rfl_record *record, char *why, size_t size)
{
    char path[PATH_MAX];
    struct ert_error error;
    (void)record;
    if (ert_tool_find("valgrind", NULL, path, sizeof path, &error) != ERT_OK)
        snprintf(why, size, "%s: install it (Debian: `apt install valgrind`)", error.text);
    else if (!find_tool(path))
        snprintf(why, size, "its tool is not there: %s",
                 *RFL_VALGRIND_REASON ? RFL_VALGRIND_REASON : "`make` has not built it");
    else
        return true;
    return false;
}

static enum ert_status record_valgrind(struct rfl_record *record, struct ert_error *error)
{
    char library[PATH_MAX];
    const char *folder;
    struct ert_tool_end end;
    if (!find_tool(library))
        return ert_fail(error, ERT_UNAVAILABLE, "valgrind: its tool is not there");
    ERT_TRY(rfl_record_fresh(record, "valgrind", &folder, error));
    const char *const words[] = {"valgrind",
                                 "--tool=roofline",
                                 "--trace-children=yes",
                                 "-q",
                                 ert_strings_format(&record->points->strings,
                                                    "--out-file=%s/%%p.txt", folder),
                                 NULL},
                      *const environment[] = {ert_strings_format(&record->points->strings,
                                                                 "VALGRIND_LIB=%s",
                                                                 library),
                                              NULL};
    if (record->end.elapsed_s > long_s / most_slow_down)
        record->say("counting by instrumentation: %g to %g times the %.3g s alone (--with "
                    "time: not)",
                    least_slow_down, most_slow_down, record->end.elapsed_s);
    ERT_TRY(rfl_record_run(record, words, environment, "valgrind", &end, error));
    enum ert_status status =
        rfl_record_import_all(record, folder, &rfl_import_valgrind, error);
    if ((end.signal == SIGILL || end.exit_code == 128 + SIGILL) && !record->end.signal)
        return ert_fail(
            error, ERT_FAILED,
            "under valgrind the program met an instruction that valgrind does not know, "
            "as those of AVX-512: build it with -march=x86-64-v3 (%s/valgrind.log)",
            record->folder);
    return status;
}

const struct rfl_recorder rfl_recorder_valgrind = {
    .name = "valgrind",
    .summary = "counts by instrumentation, anywhere and without rights: slow, no AVX-512",
    .device = RFL_IMPORT_CPU,
    .works = works,
    .record = record_valgrind,
};
