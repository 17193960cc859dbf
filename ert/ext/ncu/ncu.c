/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ncu/ncu.h"

#include "ert/ext/base/tool.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Of a question that needs no kernel; a driver that starts for the first time takes some seconds. */
static const double question_s = 600;

enum ert_status ert_ncu_find(char *path, size_t size, struct ert_error *error)
{
    static const char *const folders[] = {"/opt/nvidia/nsight-compute/*",
                                          "/usr/local/cuda/bin", "/opt/cuda/bin",
                                          "/usr/local/cuda-*/bin", NULL};
    return ert_tool_find("ncu", folders, path, size, error);
}

void ert_ncu_known(const char *ncu, const char *const *metrics, size_t n, size_t n_certain,
                   char *list, size_t size)
{
    const char *const argv[] = {ncu, "--query-metrics", NULL};
    struct ert_tool_output known = {0};
    struct ert_error error = {0};
    bool asked = n > n_certain && ert_tool_run(argv, question_s, &known, &error) == ERT_OK;
    size_t used = 0;
    list[0] = '\0';
    for (size_t m = 0; m < n && used < size; m++) {
        char name[96];
        snprintf(name, sizeof name, "%.*s ", (int)strcspn(metrics[m], "."), metrics[m]);
        if (m >= n_certain && !(asked && strstr(known.out, name)))
            continue;
        used +=
            (size_t)snprintf(list + used, size - used, "%s%s", used ? "," : "", metrics[m]);
    }
    ert_tool_free(&known);
}

void ert_ncu_explain(const char *text, const char *program, char *reason, size_t size)
{
    char own[64], line[256];
    const char *const words[] = {"==ERROR==", own, "No kernels were profiled", NULL};
    snprintf(own, sizeof own, "%s: ", program);
    if (strstr(text, "ERR_NVGPUCTRPERM")) {
        snprintf(reason, size,
                 "the driver restricts GPU counters to administrators (ERR_NVGPUCTRPERM): "
                 "run as root, or load nvidia with NVreg_RestrictProfilingToAdminUsers=0");
        return;
    }
    ert_tool_line(text, words, line, sizeof line);
    snprintf(reason, size, "ncu: %.200s", *line ? line : "no output");
}
