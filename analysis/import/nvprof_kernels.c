#include "analysis/import/nvprof_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum place { TO_WORK, TO_TRAFFIC, TO_INSTRUCTIONS, TO_WARPS };

/*
 * Sums of metrics. Operations: flop_count_* counts an FMA as 2, and of half-precision pairs both
 * numbers; *_fma counts it as 1. Transactions of L1, L2, memory and the host are of 32 bytes.
 * shared_*_transactions are left out: their size goes with the GPU, and nvprof does not print it.
 * achieved_occupancy is of 64 warps on all GPUs that nvprof counts on (cc 3.0 to 7.2).
 * A quantity of several recipes takes the first that the file has all metrics of.
 */
static const struct recipe {
    const char *what;
    enum place place;
    const char *name, *text;
    const char *fma; /* the metric of the FMAs, for their share */
    double weights[6];
    const char *metrics[6];
} recipes[] = {
#define ROW(...)                                                                           \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
#define LIST(...)                                                                          \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
#define FLOPS(type, p)                                                                     \
    ROW(type " flops", TO_WORK, type, "flop_count_" p, "flop_count_" p "_fma", LIST(1),    \
        LIST("flop_count_" p)),                                                            \
        ROW(type " flops", TO_WORK, type, "flop_count_" p "_{add + mul + 2 fma}",          \
            "flop_count_" p "_fma", LIST(1, 1, 2),                                         \
            LIST("flop_count_" p "_add", "flop_count_" p "_mul", "flop_count_" p "_fma"))
    FLOPS("fp64", "dp"),
    FLOPS("fp32", "sp"),
    FLOPS("fp16", "hp"),
    ROW("L1 bytes", TO_TRAFFIC, "L1", "(gld + gst + local + atomic)_transactions x 32 B",
        NULL, LIST(32, 32, 32, 32, 32),
        LIST("gld_transactions", "gst_transactions", "local_load_transactions",
             "local_store_transactions", "atomic_transactions")),
    ROW("L1 bytes", TO_TRAFFIC, "L1", "(gld + gst)_transactions x 32 B", NULL, LIST(32, 32),
        LIST("gld_transactions", "gst_transactions")),
    ROW("L2 bytes", TO_TRAFFIC, "L2", "l2_{read,write}_transactions x 32 B", NULL,
        LIST(32, 32), LIST("l2_read_transactions", "l2_write_transactions")),
    ROW("HBM bytes", TO_TRAFFIC, "HBM", "dram_{read,write}_transactions x 32 B", NULL,
        LIST(32, 32), LIST("dram_read_transactions", "dram_write_transactions")),
    ROW("HBM bytes", TO_TRAFFIC, "HBM", "dram_read_bytes + dram_write_bytes", NULL,
        LIST(1, 1), LIST("dram_read_bytes", "dram_write_bytes")),
    ROW("host bytes", TO_TRAFFIC, "host", "sysmem_{read,write}_transactions x 32 B", NULL,
        LIST(32, 32), LIST("sysmem_read_transactions", "sysmem_write_transactions")),
    ROW("instructions", TO_INSTRUCTIONS, "", "inst_executed", NULL, LIST(1),
        LIST("inst_executed")),
    ROW("warps per SM", TO_WARPS, "", "achieved_occupancy x 64", NULL, LIST(64),
        LIST("achieved_occupancy")),
#undef ROW
};
enum { N_RECIPES = sizeof recipes / sizeof recipes[0], MAX_TERMS = 6 };

static const char *const metrics[RFL_NVPROF_METRICS] = {
    "flop_count_dp",
    "flop_count_dp_add",
    "flop_count_dp_mul",
    "flop_count_dp_fma",
    "flop_count_sp",
    "flop_count_sp_add",
    "flop_count_sp_mul",
    "flop_count_sp_fma",
    "flop_count_hp",
    "flop_count_hp_add",
    "flop_count_hp_mul",
    "flop_count_hp_fma",
    "gld_transactions",
    "gst_transactions",
    "local_load_transactions",
    "local_store_transactions",
    "atomic_transactions",
    "l2_read_transactions",
    "l2_write_transactions",
    "dram_read_transactions",
    "dram_write_transactions",
    "dram_read_bytes",
    "dram_write_bytes",
    "sysmem_read_transactions",
    "sysmem_write_transactions",
    "inst_executed",
    "achieved_occupancy",
};

/* RFL_NVPROF_METRICS: none of ours. */
static size_t metric_of(const char *name)
{
    size_t m = 0;
    while (m < RFL_NVPROF_METRICS && !(metrics[m] && strcmp(metrics[m], name) == 0))
        m++;
    return m;
}

static enum ert_status find_kernel(struct rfl_nvprof *nvprof, const char *name,
                                   const char *device, struct rfl_nvprof_kernel **kernel,
                                   struct ert_error *error)
{
    const struct rfl_kernel_key key = {rfl_points_text(nvprof->points, name), NULL,
                                       rfl_points_text(nvprof->points, device)};
    size_t number, before = nvprof->index.n;
    ERT_TRY(rfl_kernel_find(&nvprof->index, key, &number, error));
    if (number >= nvprof->room) {
        size_t room = nvprof->room ? 2 * nvprof->room : 64;
        struct rfl_nvprof_kernel *kernels =
            realloc(nvprof->kernels, room * sizeof *kernels);
        if (!kernels) {
            nvprof->index.n = before;
            return ert_fail(error, ERT_FAILED, "no memory for %zu kernels", room);
        }
        nvprof->kernels = kernels;
        nvprof->room = room;
    }
    if (number == before)
        nvprof->kernels[number] =
            (struct rfl_nvprof_kernel){.name = key.name, .device = key.device};
    *kernel = &nvprof->kernels[number];
    return ERT_OK;
}

static bool is_wanted(const struct rfl_nvprof *nvprof, const char *kernel)
{
    return *kernel && *kernel != '[' && /* "[CUDA memcpy HtoD]" */
           (!nvprof->options->region || strstr(kernel, nvprof->options->region));
}

enum ert_status rfl_nvprof_metric(struct rfl_nvprof *nvprof, const char *kernel,
                                  const char *device, const char *metric,
                                  const char *invocations, const char *average,
                                  struct ert_error *error)
{
    size_t m = metric_of(metric);
    struct rfl_nvprof_kernel *found;
    enum ert_number kind;
    double n, value;
    if (!is_wanted(nvprof, kernel))
        return ERT_OK;
    ERT_TRY(find_kernel(nvprof, kernel, device, &found, error));
    if (m == RFL_NVPROF_METRICS)
        return ERT_OK;
    ERT_TRY(ert_lines_number(nvprof->lines, "Invocations", invocations, &n, &kind, error));
    ERT_TRY(ert_lines_number(nvprof->lines, metric, average, &value, &kind, error));
    if (found->rows[m])
        return ert_fail(
            error, ERT_USAGE, "%.200s: row %zu: %s of %.80s stands twice, first in row %zu",
            nvprof->lines->file, nvprof->lines->number, metric, kernel, found->rows[m]);
    found->values[m] = kind == ERT_NUMBER ? value * n : NAN;
    found->rows[m] = nvprof->lines->number;
    found->invocations = fmax(found->invocations, n);
    return ERT_OK;
}

enum ert_status rfl_nvprof_time(struct rfl_nvprof *nvprof, const char *kernel,
                                const char *device, const char *time, const char *unit,
                                double calls, struct ert_error *error)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {
        {"s",  1   },
        {"ms", 1e-3},
        {"us", 1e-6},
        {"ns", 1e-9}
    };
    struct rfl_nvprof_kernel *found;
    enum ert_number kind;
    double value;
    size_t u = 0;
    if (!is_wanted(nvprof, kernel))
        return ERT_OK;
    while (u < sizeof units / sizeof units[0] && strcmp(units[u].unit, unit) != 0)
        u++;
    if (u == sizeof units / sizeof units[0])
        return ert_fail(error, ERT_USAGE,
                        "%.200s: row %zu: time in '%.40s', must be s, ms, us or ns",
                        nvprof->lines->file, nvprof->lines->number, unit);
    ERT_TRY(ert_lines_number(nvprof->lines, "time", time, &value, &kind, error));
    ERT_TRY(find_kernel(nvprof, kernel, device, &found, error));
    found->time_s += value * units[u].factor;
    found->calls += calls;
    return ERT_OK;
}

void rfl_nvprof_remark(struct rfl_nvprof *nvprof, const char *line)
{
    nvprof->is_forbidden = nvprof->is_forbidden || strstr(line, "ERR_NVGPUCTRPERM");
}

static const struct recipe *choose(const struct rfl_nvprof_kernel *kernel, size_t from,
                                   size_t *n_there)
{
    *n_there = 0;
    for (size_t r = from; r < N_RECIPES && strcmp(recipes[r].what, recipes[from].what) == 0;
         r++) {
        bool has_all = true;
        for (size_t t = 0; t < MAX_TERMS && recipes[r].metrics[t]; t++) {
            size_t m = metric_of(recipes[r].metrics[t]);
            has_all = has_all && kernel->rows[m] && !isnan(kernel->values[m]);
            *n_there += kernel->rows[m] > 0;
        }
        if (has_all)
            return &recipes[r];
    }
    return NULL;
}

/* Says which metric of a recipe there is none of; of the last one, which needs the fewest. */
static void note_absent(struct rfl_nvprof *nvprof, struct rfl_point *point,
                        const struct rfl_nvprof_kernel *kernel, const struct recipe *recipe)
{
    for (size_t t = 0; t < MAX_TERMS && recipe->metrics[t]; t++) {
        size_t m = metric_of(recipe->metrics[t]);
        if (!kernel->rows[m])
            rfl_points_missing(nvprof->points, point, recipe->what, "no metric %s",
                               recipe->metrics[t]);
        else if (isnan(kernel->values[m]))
            rfl_points_missing(nvprof->points, point, recipe->what,
                               "row %zu: %s: no number", kernel->rows[m],
                               recipe->metrics[t]);
        else
            continue;
        return;
    }
}

/* Whether a metric's name has one of the words. */
static bool has_word(const char *metric, const char *const words[3])
{
    for (size_t i = 0; i < 3; i++)
        if (strstr(metric, words[i]))
            return true;
    return false;
}

/* Of a recipe's bytes those that were read; atomics are both, so the others tell. */
static double read_bytes(const struct rfl_nvprof_kernel *kernel,
                         const struct recipe *recipe, double sum)
{
    static const char *const reads[] = {"read", "gld", "load"}, *const writes[] = {"write",
                                                                                   "gst",
                                                                                   "store"};
    double read = 0, written = 0;
    for (size_t t = 0; t < MAX_TERMS && recipe->metrics[t]; t++) {
        double bytes = recipe->weights[t] * kernel->values[metric_of(recipe->metrics[t])];
        read += has_word(recipe->metrics[t], reads) ? bytes : 0;
        written += has_word(recipe->metrics[t], writes) ? bytes : 0;
    }
    return read + written > 0 ? sum * (read / (read + written)) : NAN;
}

static enum ert_status put(struct rfl_nvprof *nvprof, struct rfl_point *point,
                           const struct rfl_nvprof_kernel *kernel,
                           const struct recipe *recipe, struct ert_error *error)
{
    double sum = 0, share = NAN;
    size_t fma = recipe->fma ? metric_of(recipe->fma) : RFL_NVPROF_METRICS;
    for (size_t t = 0; t < MAX_TERMS && recipe->metrics[t]; t++)
        sum += recipe->weights[t] * kernel->values[metric_of(recipe->metrics[t])];
    if (fma < RFL_NVPROF_METRICS && kernel->rows[fma] && sum > 0)
        share = kernel->values[fma] / (sum - kernel->values[fma]);
    if (share > 1 || share < 0)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: row %zu: %s: %g, more than there are operations (%g)",
                        nvprof->lines->file, kernel->rows[fma], recipe->fma,
                        kernel->values[fma], sum);
    switch (recipe->place) {
    case TO_WORK:
        return rfl_points_work(nvprof->points, point, recipe->name, "core", sum, share,
                               recipe->text, error);
    case TO_TRAFFIC:
        /* Zero bytes of the host are no news. */
        return sum > 0 || strcmp(recipe->name, "host") != 0
                   ? rfl_points_accesses(nvprof->points, point, recipe->name, sum,
                                         read_bytes(kernel, recipe, sum), true,
                                         recipe->text, error)
                   : ERT_OK;
    case TO_INSTRUCTIONS:
        point->instructions = sum;
        break;
    case TO_WARPS:
        point->warps_per_sm = kernel->invocations > 0 ? sum / kernel->invocations : 0;
        break;
    }
    return ERT_OK;
}

static enum ert_status make_point(struct rfl_nvprof *nvprof,
                                  const struct rfl_nvprof_kernel *kernel,
                                  struct ert_error *error)
{
    struct rfl_point *point;
    ERT_TRY(rfl_points_add(nvprof->points, kernel->name, &point, error));
    point->run = kernel->device;
    point->launches = kernel->invocations > 0 ? kernel->invocations : kernel->calls;
    point->time_s = kernel->time_s;
    point->time_recipe = kernel->time_s > 0 ? "nvprof, GPU activities" : "";
    if (kernel->time_s > 0 && kernel->invocations > 0 &&
        kernel->calls != kernel->invocations) {
        point->time_s *= kernel->invocations / kernel->calls;
        rfl_points_warn(nvprof->points, point,
                        "timed in %.0f launches and counted in %.0f: the time is scaled",
                        kernel->calls, kernel->invocations);
    }
    if (!(kernel->time_s > 0))
        rfl_points_missing(nvprof->points, point, "time",
                           "metrics come without times: give a file of a run without "
                           "--metrics as well");
    if (!(kernel->invocations > 0))
        return ERT_OK;
    for (size_t r = 0; r < N_RECIPES; r++) {
        size_t n_there;
        if (r > 0 && strcmp(recipes[r].what, recipes[r - 1].what) == 0)
            continue;
        const struct recipe *recipe = choose(kernel, r, &n_there);
        bool is_expected =
            recipes[r].place == TO_TRAFFIC && strcmp(recipes[r].name, "host") != 0;
        if (recipe)
            ERT_TRY(put(nvprof, point, kernel, recipe, error));
        else if (n_there || is_expected)
            note_absent(nvprof, point, kernel, &recipes[r]);
    }
    return ERT_OK;
}

enum ert_status rfl_nvprof_finish(struct rfl_nvprof *nvprof, struct ert_error *error)
{
    struct rfl_points *points = nvprof->points;
    size_t first = points->n;
    bool is_one = true;
    for (size_t i = 0; i < nvprof->index.n; i++) {
        ERT_TRY(make_point(nvprof, &nvprof->kernels[i], error));
        is_one = is_one && nvprof->kernels[i].device == nvprof->kernels[0].device;
    }
    for (size_t i = first; i < points->n && is_one; i++)
        points->points[i].run = "";
    if (points->n == first && nvprof->is_forbidden && !nvprof->options->region)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: the user was not allowed to read the GPU's counters "
                        "(ERR_NVGPUCTRPERM): profile as root, or have the administrator "
                        "load the driver with NVreg_RestrictProfilingToAdminUsers=0; "
                        "without counters a code is placed by --flops, --bytes and "
                        "--seconds",
                        nvprof->lines->file);
    if (!points->origin && points->n > first)
        points->origin = "nvprof";
    return rfl_kernels_shorten(points, first, error);
}

void rfl_nvprof_free(struct rfl_nvprof *nvprof)
{
    rfl_kernel_index_free(&nvprof->index);
    free(nvprof->kernels);
    *nvprof = (struct rfl_nvprof){0};
}
