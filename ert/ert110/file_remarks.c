/* config_ert_remarks: which keys of ERT change nothing here, and why. */
#include "ert/ert110/file_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ert110_remark(struct ert110_reading *reading, const char *format, ...)
{
    struct ert_config *config = reading->config;
    va_list arguments;
    if (config->n_remarks == ERT_MAX_REMARKS) {
        snprintf(config->remarks[ERT_MAX_REMARKS - 1], ERT_REMARK_BYTES,
                 "more than %d remarks: the rest are not kept", ERT_MAX_REMARKS - 1);
        return;
    }
    va_start(arguments, format);
    vsnprintf(config->remarks[config->n_remarks++], ERT_REMARK_BYTES, format, arguments);
    va_end(arguments);
}

/* Keys that change nothing here, in groups of one reason; "*" at the end: all that begin so. */
static const struct ignored {
    const char *keys[14];
    const char *reason;
} ignored[] = {
    {{"ERT_CC", "ERT_CFLAGS", "ERT_LD", "ERT_LDFLAGS", "ERT_LDLIBS", "ERT_MPI_CFLAGS",
      "ERT_MPI_LDFLAGS", "ERT_OPENMP_CFLAGS", "ERT_OPENMP_LDFLAGS", "ERT_GPU_CFLAGS",
      "ERT_GPU_LDFLAGS"},
     "nothing is compiled: the loops that gcc or nvcc make of ERT are in this program"},
    {{"ERT_RUN"},              "one process runs all of it, pinned by itself"         },
    {{"ERT_RESULTS"},          "results go to the folder of --out"                    },
    {{"ERT_GNUPLOT"},          "charts are drawn without it"                          },
    {{"ERT_SPEC_*"},           "theoretical peaks are the machine's own (`ert info`)" },
    {{"ERT_STRIDE"},           "no version of ERT reads it"                           },
};

/* Keys that are read below. */
static const char *const applied[] = {"ERT_DRIVER",
                                      "ERT_KERNEL",
                                      "ERT_FLOPS",
                                      "ERT_ALIGN",
                                      "ERT_MPI",
                                      "ERT_OPENMP",
                                      "ERT_GPU",
                                      "ERT_HIP",
                                      "ERT_OCL",
                                      "ERT_SYCL",
                                      "ERT_MPI_PROCS",
                                      "ERT_OPENMP_THREADS",
                                      "ERT_PROCS_THREADS",
                                      "ERT_GPU_BLOCKS",
                                      "ERT_GPU_THREADS",
                                      "ERT_BLOCKS_THREADS",
                                      "ERT_NUM_EXPERIMENTS",
                                      "ERT_MEMORY_MAX",
                                      "ERT_TRIALS_MIN",
                                      "ERT_WORKING_SET_MIN",
                                      "ERT_WSS_MULT",
                                      "ERT_PRECISION"};

static bool is_key(const char *pattern, const char *key)
{
    size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(pattern, key, length - 1) == 0;
    return strcmp(pattern, key) == 0;
}

static const struct ignored *ignored_of(const char *key)
{
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        for (size_t k = 0; ignored[i].keys[k]; k++)
            if (is_key(ignored[i].keys[k], key))
                return &ignored[i];
    return NULL;
}

static bool is_applied(const char *key)
{
    for (size_t i = 0; i < sizeof applied / sizeof applied[0]; i++)
        if (strcmp(applied[i], key) == 0)
            return true;
    return false;
}

/* One remark per reason, with the keys that the file has. */
void ert110_remark_ignored(struct ert110_reading *reading)
{
    const struct ert110_file *file = reading->file;
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++) {
        char list[160] = ""; /* the first group, whole, in 156 */
        size_t used = 0, n_more = 0;
        for (size_t r = 0; r < file->n; r++) {
            const char *key = file->rows[r].key;
            if (ignored_of(key) != &ignored[i])
                continue;
            if (n_more > 0 || used + strlen(key) + 2 >= sizeof list)
                n_more++;
            else
                used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                         used ? ", " : "", key);
        }
        if (n_more > 0)
            ert110_remark(reading, "%s and %zu more: not applied: %s", list, n_more,
                          ignored[i].reason);
        else if (*list)
            ert110_remark(reading, "%s: not applied: %s", list, ignored[i].reason);
    }
    for (size_t r = 0; r < file->n; r++) {
        const struct ert110_row *row = &file->rows[r];
        if (row->was_there)
            ert110_remark(reading, "%s stands more than once: the last, line %zu, counts",
                          row->key, row->line);
        if (!is_applied(row->key) && !ignored_of(row->key))
            ert110_remark(reading,
                          "%s: not applied: no key of ERT 1.1.0 that is known here",
                          row->key);
    }
}
