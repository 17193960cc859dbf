/* The half of counters that runs ncu. */
#include "gpp/study/counters.h"

#include "ert/validate/ncu_csv.h"
#include "ert/validate/ncu_tool.h"
#include "ert/validate/symbols.h"
#include "ert/validate/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_WORDS = 48 };

/* A version of si214 with all its passes takes half a minute, one of si510 fourteen times that. */
static const double timeout_s = 3600;

enum ert_status gpp_ncu_open(const char *given, struct gpp_ncu *ncu,
                             struct ert_error *error)
{
    const char *names[GPP_N_METRICS];
    size_t n = 0, n_certain;
    if (!given)
        ERT_TRY(ert_ncu_find(ncu->path, sizeof ncu->path, error));
    else if (access(given, X_OK) != 0 || strlen(given) >= sizeof ncu->path)
        return ert_fail(error, ERT_USAGE, "--ncu: %.200s: not a program", given);
    else
        snprintf(ncu->path, sizeof ncu->path, "%s", given);
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        if (gpp_metrics[i].is_certain)
            names[n++] = gpp_metrics[i].name;
    n_certain = n;
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        if (!gpp_metrics[i].is_certain)
            names[n++] = gpp_metrics[i].name;
    ert_ncu_known(ncu->path, names, n, n_certain, ncu->metrics, sizeof ncu->metrics);
    return ERT_OK;
}

/* Whether a table of at least one launch is in the text. */
static bool has_launches(const char *text)
{
    struct ert_ncu_launches launches = {0};
    static const char *const none[] = {"Kernel Name"};
    bool is_there =
        ert_ncu_csv_read(text, none, 1, &launches, NULL) == ERT_OK && launches.n > 0;
    ert_ncu_csv_free(&launches);
    return is_there;
}

enum ert_status gpp_ncu_run(const struct gpp_ncu *ncu, const char *const *words,
                            bool is_cold, char **csv, struct ert_error *error)
{
    char program[4096], reason[256];
    struct ert_tool_output output = {0};
    ert_symbols_program(program, sizeof program);
    const char *argv[MAX_WORDS] = {ncu->path,
                                   "--csv",
                                   "--page",
                                   "raw",
                                   "--print-units",
                                   "base",
                                   "--clock-control",
                                   "none",
                                   "--cache-control",
                                   is_cold ? "all" : "none",
                                   "--kernel-name-base",
                                   "function",
                                   "--kernel-name",
                                   "regex:^gpp_v[0-9]+$",
                                   "--metrics",
                                   ncu->metrics,
                                   program};
    size_t n = 0;
    while (argv[n])
        n++;
    for (; *words && n + 1 < MAX_WORDS; words++)
        argv[n++] = *words;
    ERT_TRY(ert_tool_run(argv, timeout_s, &output, error));
    enum ert_status status = ERT_OK;
    if (has_launches(output.out)) {
        *csv = output.out;
        output.out = NULL;
    } else {
        const char *where = strstr(output.out, "==ERROR==") ? output.out : output.err;
        ert_ncu_explain(where, "ert-gpp", reason, sizeof reason);
        status = ert_fail(error, ERT_UNAVAILABLE, "%s", reason);
    }
    ert_tool_free(&output);
    return status;
}
