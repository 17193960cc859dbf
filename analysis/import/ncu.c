/*
 * Nsight Compute's CSV, both layouts: one row per launch and metric (--csv with --metrics or the
 * details page), or one per launch with a row of units first (--csv --page raw). Columns are found by
 * name; what the program and ncu print between the rows is skipped.
 *
 * Launches become points: each its own, or those of one kernel (of one process, on one device) summed.
 * Operations, bytes, time and instructions are summed; clocks and warps are means weighted by time;
 * rates and averages are never summed. A quantity that one of the launches lacks is left out of the sum,
 * with the reason; a launch that failed is left out as a whole.
 *
 * Counts were compared with kernels of known work on an H200 with ncu 2025.3; what was found stands beside
 * the recipes.
 */
#include "analysis/import/common.h"
#include "analysis/import/import.h"

#include "ert/base/alloc.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum metric {
    NCU_NONE,
#define ERT_NCU(id, ...)          NCU_##id,
#define ERT_NCU_COUNTED(id, ...)  NCU_##id,
#define ERT_NCU_OPTIONAL(id, ...) NCU_##id,
#define ERT_NCU_VALUE(id, ...)    NCU_##id,
#include "ert/base/ncu_metrics.def"
    NCU_N_METRICS
};

/* Of several names of a metric the first wins. */
static const struct name {
    const char *name;
    enum metric metric;
    enum ert_measure measure;
    /*
     * LABEL: of the details page, where several metrics share one, so that another unit is another.
     * AS_PRINTED: in any unit.
     */
    enum { EXACT, LABEL, AS_PRINTED } unit;
} rows[] = {
#define NAME(id, measure, name)              {name, NCU_##id, ERT_IN_##measure, EXACT},
#define ERT_NCU                              NAME
#define ERT_NCU_COUNTED                      NAME
#define ERT_NCU_OPTIONAL                     NAME
#define ERT_NCU_ALSO                         NAME
#define ERT_NCU_LABEL(id, measure, name)     {name, NCU_##id, ERT_IN_##measure, LABEL},
#define ERT_NCU_VALUE(id, key, factor, name) {name, NCU_##id, ERT_IN_COUNTS, AS_PRINTED},
#include "ert/base/ncu_metrics.def"
};
enum { N_ROWS = ERT_LENGTH(rows) };

/* The names as an index for look-ups; built once per file. */
struct names {
    const struct name *sorted[N_ROWS];
};

static int compare(const void *a, const void *b)
{
    return strcmp((*(const struct name *const *)a)->name,
                  (*(const struct name *const *)b)->name);
}

/* NULL: none that is known. */
static const struct name *find_name(const struct names *names, const char *name)
{
    const struct name wanted = {.name = name}, *key = &wanted;
    const struct name *const *found =
        bsearch(&key, names->sorted, N_ROWS, sizeof names->sorted[0], compare);
    return found ? *found : NULL;
}

/* The name to tell a user which metric is meant. */
static const char *metric_name(enum metric metric)
{
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].metric == metric)
            return rows[i].name;
    return "?";
}

/* "A or B": all names of a metric; a file holds one of them. */
static const char *metric_names(enum metric metric, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < N_ROWS && used < size; i++)
        if (rows[i].metric == metric)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " or " : "",
                                     rows[i].name);
    return text;
}

/*
 * What a value in `unit` is multiplied by. *fits is false, without an error, for a label whose unit is
 * of another measure.
 */
static enum ert_status read_unit(const struct ert_lines *lines, const struct name *name,
                                 const char *unit, double *factor, bool *fits,
                                 struct ert_error *error)
{
    static const char *const wanted[] = {
        "a time (ns, usecond ...)",
        "bytes (byte, Mbyte, GB ...)",
        "a rate of bytes (Gbyte/s ...)",
        "a frequency (hz, Ghz, cycle/nsecond ...)",
        "a percentage (%)",
        "a count (inst, cycle, sector, warp ...)",
    };
    enum ert_measure measure;
    *factor = 1;
    *fits = name->unit == AS_PRINTED ||
            (ert_units_read(unit, &measure, factor) && measure == name->measure);
    if (*fits || name->unit == LABEL)
        return ERT_OK;
    return ert_lines_fail(lines, error, "%.100s: unit '%.40s', must be %s", name->name,
                          unit, wanted[name->measure]);
}

enum quantity {
#define NCU_QUANTITY(id, ...) NCU_Q_##id,
#define NCU_NUMBER(id, ...)   NCU_Q_##id,
#define NCU_RECIPE(...)
#include "analysis/import/ncu_recipes.def"
#define ERT_NCU_VALUE(id, ...) NCU_Q_##id,
#include "ert/base/ncu_metrics.def"
    NCU_N_QUANTITIES
};

/* Where a quantity goes in a point, and how those of several launches become one. */
enum place {
    NCU_TO_TIME,
    NCU_TO_WORK,
    NCU_TO_TRAFFIC,
    NCU_TO_SUM,  /* a number of the point, summed */
    NCU_TO_MEAN, /* weighted by time */
    NCU_TO_MAX,
    NCU_TO_VALUE_SUM, /* one of its values */
    NCU_TO_VALUE_MEAN
};

static const struct quantity_row {
    const char *what; /* for rfl_points_missing */
    enum place place;
    const char *name, *unit; /* type and unit, level, or value */
    bool expected; /* its absence is noted even where none of its metrics is there */
    size_t offset; /* in struct rfl_point, of the places for its numbers */
} quantities[NCU_N_QUANTITIES] = {
#define ROW(id, what, place, ...)          [NCU_Q_##id] = {what, NCU_TO_##place, __VA_ARGS__},
#define NCU_QUANTITY(id, what, place, ...) ROW(id, what, place, __VA_ARGS__, 0)
#define NCU_NUMBER(id, what, place, member)                                                \
    ROW(id, what, place, "", "", false, offsetof(struct rfl_point, member))
#define NCU_RECIPE(...)
#include "analysis/import/ncu_recipes.def"
#define ERT_NCU_VALUE(id, key, ...) ROW(id, key, VALUE_MEAN, key, "", false, 0)
#include "ert/base/ncu_metrics.def"
#undef ROW
};

enum { MAX_TERMS = 6 };

/* sum(weight * metric) * times[0] * times[1] / per; metrics that are NCU_NONE: 1 */
static const struct recipe {
    enum quantity quantity;
    const char *text;
    struct {
        enum metric metric;
        double weight; /* 0 ends the list */
    } terms[MAX_TERMS];
    enum metric times[2], per;
    bool has_fma;         /* the last term is the FMAs' operations */
    const char *l2;       /* the definition of L2 bytes that it is, or NULL */
    const char *cc;       /* only for this compute capability, or NULL: any */
    const char *unusable; /* why it gives no count, only a reason; or NULL */
} recipes[] = {
/* The forms of a recipe. */
#define PLAIN        .per = NCU_NONE
#define FMA          .has_fma = true
#define BY(a, b)     .has_fma = true, .times = {NCU_##a, NCU_##b}
#define TIMES(a)     .times = {NCU_##a}
#define RATE         TIMES(TIME)
#define WHICH(which) .l2 = which
#define RATE_OF(l2)  RATE, WHICH(l2)
#define OVER(metric) .per = NCU_##metric
#define CC(only)     .cc = only
#define REASON(why)  .unusable = why
#define T(id, value)                                                                       \
    {                                                                                      \
        NCU_##id, value                                                                    \
    }
#define NCU_QUANTITY(...)
#define NCU_NUMBER(...)
#define NCU_RECIPE(of, how, form, ...)                                                     \
    {.quantity = NCU_Q_##of, .text = how, form, .terms = {__VA_ARGS__}},
#include "analysis/import/ncu_recipes.def"
#define ERT_NCU_VALUE(id, key, factor, name)                                               \
    {.quantity = NCU_Q_##id, .text = name, .terms = {T(id, factor)}},
#include "ert/base/ncu_metrics.def"
};
enum { N_RECIPES = ERT_LENGTH(recipes) };

/* The metrics of one launch. */
struct launch {
    /* Kept texts: equal ones are the same pointer. */
    const char *id, *process, *device, *cc, *name;
    size_t row; /* where it begins */
    double values[NCU_N_METRICS];
    enum ert_number kinds[NCU_N_METRICS];
    const struct name *names[NCU_N_METRICS]; /* as printed; NULL: not there */
    size_t rows[NCU_N_METRICS];
};

/* Whether a recipe is one for this launch and this choice of L2 bytes ("sm", "lts", NULL). */
static bool applies(const struct recipe *recipe, const struct launch *launch,
                    const char *l2)
{
    return (!recipe->cc || strcmp(recipe->cc, launch->cc) == 0) &&
           (!recipe->l2 || !l2 || strcmp(recipe->l2, l2) == 0);
}

static bool has(const struct launch *launch, enum metric metric)
{
    return metric == NCU_NONE ||
           (launch->names[metric] && launch->kinds[metric] == ERT_NUMBER);
}

/* The metric that a launch lacks for a recipe, and NCU_NONE when it has all. */
static enum metric lacks(const struct recipe *recipe, const struct launch *launch)
{
    for (size_t t = 0; t < MAX_TERMS && recipe->terms[t].weight > 0; t++)
        if (!has(launch, recipe->terms[t].metric))
            return recipe->terms[t].metric;
    for (size_t t = 0; t < 2; t++)
        if (!has(launch, recipe->times[t]))
            return recipe->times[t];
    /* A time from a clock that stood is none. */
    if (recipe->per != NCU_NONE &&
        (!has(launch, recipe->per) || !(launch->values[recipe->per] > 0)))
        return recipe->per;
    return NCU_NONE;
}

/*
 * Which metrics tell reads from writes; a pair's units cancel. The first of which the launch has all
 * tells. Atomics are left out: they are both. Local memory is there only where code spills, so it may
 * be absent.
 */
static const struct {
    enum quantity quantity;
    enum metric read, write, more_read, more_write; /* the last two may be absent */
} splits[] = {
    {NCU_Q_L1,     NCU_L1_GLOBAL_LD, NCU_L1_GLOBAL_ST,  NCU_L1_LOCAL_LD, NCU_L1_LOCAL_ST},
    {NCU_Q_SHARED, NCU_SHARED_LD,    NCU_SHARED_ST,     NCU_NONE,        NCU_NONE       },
    {NCU_Q_L2,     NCU_L2_TEX_READ,  NCU_L2_TEX_WRITE,  NCU_NONE,        NCU_NONE       },
    {NCU_Q_L2,     NCU_L2_XBAR_READ, NCU_L2_XBAR_WRITE, NCU_NONE,        NCU_NONE       },
    {NCU_Q_HBM,    NCU_DRAM_READ,    NCU_DRAM_WRITE,    NCU_NONE,        NCU_NONE       },
};

static double value_of(const struct launch *launch, enum metric metric)
{
    return metric != NCU_NONE && has(launch, metric) ? launch->values[metric] : 0;
}

/* Of a quantity's bytes the share that was read, by further metrics of the launch; NaN unknown. */
static double read_share(enum quantity quantity, const struct launch *launch)
{
    for (size_t i = 0; i < ERT_LENGTH(splits); i++) {
        if (splits[i].quantity != quantity || !has(launch, splits[i].read) ||
            !has(launch, splits[i].write))
            continue;
        double read =
            launch->values[splits[i].read] + value_of(launch, splits[i].more_read);
        double written =
            launch->values[splits[i].write] + value_of(launch, splits[i].more_write);
        return read + written > 0 ? read / (read + written) : NAN;
    }
    return NAN;
}

/* The quantity, of a launch that lacks nothing; *fma_share is NaN where it is unknown. */
static double value_by(const struct recipe *recipe, const struct launch *launch,
                       double *fma_share)
{
    double sum = 0, last = 0;
    for (size_t t = 0; t < MAX_TERMS && recipe->terms[t].weight > 0; t++)
        sum += last = recipe->terms[t].weight * launch->values[recipe->terms[t].metric];
    /* An FMA is one instruction of two operations. */
    *fma_share = recipe->has_fma && sum > 0 ? last / 2 / (sum - last / 2) : NAN;
    for (size_t t = 0; t < 2; t++)
        sum *= recipe->times[t] == NCU_NONE ? 1 : launch->values[recipe->times[t]];
    return recipe->per == NCU_NONE ? sum : sum / launch->values[recipe->per];
}

/* How a quantity of a kernel was counted so far: a recipe, as index + N_STATES, or one of these. */
enum { NCU_UNSEEN, NCU_ABSENT, NCU_DROPPED, N_STATES };

struct kernel {
    size_t point, failed_row;
    enum metric failed_metric;
    double n_failed;
    uint8_t states[NCU_N_QUANTITIES];
    double weights[NCU_N_QUANTITIES]; /* of the means */
};

struct sums {
    const struct rfl_import *in;
    struct kernel *kernels;
    size_t n, capacity;
    struct rfl_strings numbers; /* of the kernels; not in a list */
};

/* The kernel of a launch; a new one, with its point, where it is the first. */
static struct kernel *find_kernel(struct sums *sums, const struct launch *launch)
{
    struct rfl_points *points = sums->in->points;
    const char *name = launch->name;
    size_t number = 0;
    if (sums->in->options->list) {
        name = rfl_points_format(points, "%s #%s", launch->name, launch->id);
        sums->n = 0; /* one at a time: nothing is summed */
    } else {
        number = rfl_kernel_number(&sums->numbers, launch->name, launch->process,
                                   launch->device);
    }
    if (number == sums->n) {
        sums->kernels =
            ert_xgrow(sums->kernels, sums->n, &sums->capacity, sizeof *sums->kernels);
        /* finish_sums() takes the run back where all are the same */
        rfl_points_add(points, name)->run = rfl_points_format(
            points, "process %s, device %s", launch->process, launch->device);
        sums->kernels[sums->n++] = (struct kernel){.point = points->n - 1};
    }
    return &sums->kernels[number];
}

/* Valid until the next one is added. */
static struct rfl_point *point_of(const struct sums *sums, const struct kernel *kernel)
{
    return &sums->in->points->points[kernel->point];
}

/* Whether all that was counted is nan: *metric is one of those. */
static bool has_failed(const struct launch *launch, enum metric *metric)
{
    bool has_nan = false;
    for (size_t m = NCU_N_METRICS; m-- > 0;) {
        if (!launch->names[m] || m == NCU_REGISTERS || m == NCU_WARPS_LIMIT)
            continue;
        if (launch->kinds[m] == ERT_NUMBER)
            return false;
        if (launch->kinds[m] == ERT_NUMBER_NAN) {
            *metric = (enum metric)m;
            has_nan = true;
        }
    }
    return has_nan;
}

/* The first recipe of a quantity for which a launch has all; NULL: none. */
static const struct recipe *choose(const struct sums *sums, const struct launch *launch,
                                   enum quantity quantity)
{
    for (size_t i = 0; i < N_RECIPES; i++)
        if (recipes[i].quantity == quantity &&
            applies(&recipes[i], launch, sums->in->options->l2) &&
            lacks(&recipes[i], launch) == NCU_NONE)
            return &recipes[i];
    return NULL;
}

/* Of the recipes the one of which the launch has most; *n_there of its metrics. */
static const struct recipe *nearest(const struct sums *sums, const struct launch *launch,
                                    enum quantity quantity, size_t *n_there)
{
    const struct recipe *best = NULL;
    *n_there = 0;
    for (size_t i = 0; i < N_RECIPES; i++) {
        size_t there = 0;
        if (recipes[i].quantity != quantity || recipes[i].unusable ||
            !applies(&recipes[i], launch, sums->in->options->l2))
            continue;
        for (size_t t = 0; t < MAX_TERMS && recipes[i].terms[t].weight > 0; t++)
            there += launch->names[recipes[i].terms[t].metric] != NULL;
        if (!best || there > *n_there) {
            best = &recipes[i];
            *n_there = there;
        }
    }
    return best;
}

/* Says why a launch has no value of a quantity; silent where nobody would expect one. */
static void note_absent(struct sums *sums, struct rfl_point *point,
                        const struct launch *launch, enum quantity quantity, bool always)
{
    const struct quantity_row *row = &quantities[quantity];
    size_t n_there;
    if (row->place >= NCU_TO_VALUE_SUM)
        return;
    const struct recipe *recipe = nearest(sums, launch, quantity, &n_there);
    enum metric metric = recipe ? lacks(recipe, launch) : NCU_NONE;
    if (quantity == NCU_Q_TIME && metric == NCU_NONE) {
        /* All is there, and 0: no launch takes no time. */
        metric = recipe ? recipe->terms[0].metric : NCU_TIME;
        rfl_points_missing(point, row->what, "row %zu: %s: 0", launch->rows[metric],
                           launch->names[metric]->name);
        return;
    }
    if (metric == NCU_NONE || (!always && n_there == 0 && !row->expected))
        return;
    if (!launch->names[metric]) {
        char names[256];
        if (always)
            rfl_points_missing(point, row->what,
                               "no metric %s in row %zu, as there was in rows before",
                               metric_names(metric, names, sizeof names), launch->row);
        else if (row->place < NCU_TO_SUM)
            rfl_points_missing(point, row->what, "no metric %s", metric_name(metric));
        return;
    }
    static const char *const kinds[] = {"0", "no value", "nan"};
    rfl_points_missing(point, row->what, "row %zu: %s: %s", launch->rows[metric],
                       launch->names[metric]->name, kinds[launch->kinds[metric]]);
}

/* share: of FMA of operations, of reads of bytes. */
static enum ert_status put(struct sums *sums, struct kernel *kernel,
                           const struct recipe *recipe, double value, double share,
                           double time_s, struct ert_error *error)
{
    const struct quantity_row *row = &quantities[recipe->quantity];
    struct rfl_point *point = point_of(sums, kernel);
    double *field = (double *)((char *)point + row->offset);
    double weight = time_s > 0 && row->place != NCU_TO_VALUE_SUM ? time_s : 1,
           before = rfl_point_value(point, row->name);
    if (!isfinite(value))
        return ert_lines_fail(sums->in->lines, error, "%s: %g, too large", row->what,
                              value);
    switch (row->place) {
    case NCU_TO_TIME:
        point->time_s += value;
        point->time_recipe = recipe->text;
        break;
    case NCU_TO_WORK:
        return rfl_points_work(point, row->name, row->unit, value, share, recipe->text);
    case NCU_TO_TRAFFIC:
        /* Zero may become more with the next launch: settle() says what stayed zero. */
        return value > 0 ? rfl_points_accesses(point, row->name, value, share * value, true,
                                               recipe->text)
                         : ERT_OK;
    case NCU_TO_SUM:
        *field += value;
        break;
    case NCU_TO_MEAN:
        *field += value * weight;
        kernel->weights[recipe->quantity] += weight;
        break;
    case NCU_TO_MAX:
        *field = fmax(*field, value);
        break;
    case NCU_TO_VALUE_SUM:
    case NCU_TO_VALUE_MEAN:
        kernel->weights[recipe->quantity] += weight;
        return rfl_points_value(point, row->name,
                                (isnan(before) ? 0 : before) + value * weight);
    }
    return ERT_OK;
}

static void warn_of_l2(struct rfl_point *point, const struct launch *launch)
{
    /*
     * A100, H100 and H200 have an L2 of two halves. A read of 4.295 GB of memory on an H200 counts
     * 6.45 GB of lts__t_bytes, and 4.295 GB of lts__t_sectors_srcunit_tex x 32.
     */
    if (strcmp(launch->cc, "8.0") == 0 || strcmp(launch->cc, "9.0") == 0)
        rfl_points_warn(point,
                        "L2 bytes are lts__t_bytes: on cc %s they hold what the two halves "
                        "of L2 pass to each other, up to half as much again; "
                        "lts__t_sectors_srcunit_tex.sum counts the SMs' alone",
                        launch->cc);
}

/* What a reason of one quantity does to its sum: it is no longer one of all launches. */
static void drop(struct sums *sums, struct kernel *kernel, const struct launch *launch,
                 enum quantity quantity, bool is_absent)
{
    struct rfl_point *point = point_of(sums, kernel);
    uint8_t before = kernel->states[quantity];
    kernel->states[quantity] = NCU_DROPPED;
    if (is_absent)
        note_absent(sums, point, launch, quantity, true);
    else if (quantities[quantity].place < NCU_TO_VALUE_SUM)
        rfl_points_missing(point, quantities[quantity].what, "row %zu: %s", launch->row,
                           before == NCU_ABSENT
                               ? "counted, but not in the launches before"
                               : "counted by other metrics than in the launches before");
}

static enum ert_status add_quantity(struct sums *sums, struct kernel *kernel,
                                    const struct launch *launch, enum quantity quantity,
                                    double *time_s, struct ert_error *error)
{
    double value = 0, share = NAN;
    const struct recipe *recipe = choose(sums, launch, quantity);
    struct rfl_point *point = point_of(sums, kernel);
    uint8_t *state = &kernel->states[quantity];
    if (recipe)
        value = value_by(recipe, launch, &share);
    if (recipe && quantity == NCU_Q_TIME && value == 0)
        recipe = NULL;
    uint8_t now = recipe ? (uint8_t)(recipe - recipes + N_STATES) : (uint8_t)NCU_ABSENT;
    if (*state == NCU_UNSEEN) {
        *state = now;
        if (!recipe)
            note_absent(sums, point, launch, quantity, false);
        else if (recipe->unusable && value > 0)
            rfl_points_missing(point, quantities[quantity].what, "row %zu: %s: %s",
                               launch->row, metric_name(recipe->terms[0].metric),
                               recipe->unusable);
        else if (recipe->l2 && strcmp(recipe->l2, "lts") == 0)
            warn_of_l2(point, launch);
    } else if (*state != now && *state != NCU_DROPPED) {
        drop(sums, kernel, launch, quantity, !recipe);
    }
    if (!recipe || recipe->unusable || *state == NCU_DROPPED)
        return ERT_OK;
    if (quantity == NCU_Q_TIME)
        *time_s = value;
    if (quantities[quantity].place == NCU_TO_TRAFFIC)
        share = read_share(quantity, launch);
    return put(sums, kernel, recipe, value, share, *time_s, error);
}

/* Takes the i-th of *n items of `size` bytes out of an array. */
static void remove_at(void *array, size_t *n, size_t size, size_t i)
{
    char *at = (char *)array + i * size;
    memmove(at, at + size, (--*n - i) * size);
}

/* Takes a quantity that not all launches have out of the point again. */
static void remove_quantity(struct rfl_point *point, const struct quantity_row *row)
{
    if (row->place == NCU_TO_TIME) {
        point->time_s = 0;
        point->time_recipe = "";
    } else if (row->place >= NCU_TO_SUM && row->place < NCU_TO_VALUE_SUM) {
        *(double *)((char *)point + row->offset) = 0;
    }
    for (size_t i = 0; i < point->n_work && row->place == NCU_TO_WORK; i++)
        if (strcmp(point->work[i].type, row->name) == 0 &&
            strcmp(point->work[i].unit, row->unit) == 0)
            remove_at(point->work, &point->n_work, sizeof point->work[0], i--);
    for (size_t i = 0; i < point->n_traffic && row->place == NCU_TO_TRAFFIC; i++)
        if (strcmp(point->traffic[i].level, row->name) == 0)
            remove_at(point->traffic, &point->n_traffic, sizeof point->traffic[0], i--);
    for (size_t i = 0; i < point->n_values && row->place >= NCU_TO_VALUE_SUM; i++)
        if (strcmp(point->values[i].name, row->name) == 0)
            remove_at(point->values, &point->n_values, sizeof point->values[0], i--);
}

static void settle_quantity(struct sums *sums, struct kernel *kernel,
                            enum quantity quantity)
{
    const struct quantity_row *row = &quantities[quantity];
    struct rfl_point *point = point_of(sums, kernel);
    uint8_t state = kernel->states[quantity];
    double weight = kernel->weights[quantity];
    if (state == NCU_DROPPED)
        remove_quantity(point, row);
    else if (row->place == NCU_TO_VALUE_MEAN && weight > 0)
        rfl_points_value(point, row->name, rfl_point_value(point, row->name) / weight);
    else if (row->place == NCU_TO_MEAN && weight > 0)
        *(double *)((char *)point + row->offset) /= weight;
    else if (row->place == NCU_TO_TRAFFIC && row->expected && state >= N_STATES &&
             !rfl_point_traffic(point, row->name))
        rfl_points_traffic(point, row->name, 0, recipes[state - N_STATES].text);
}

/*
 * Integer instructions of a kernel that computes with floating-point numbers are addresses and loop
 * counters: not the work that its intensity is of.
 */
static void settle_integers(struct rfl_point *point)
{
    const struct quantity_row *row = &quantities[NCU_Q_INT32];
    for (size_t i = 0; i < point->n_work && point->n_work > 1; i++)
        if (strcmp(point->work[i].type, row->name) == 0) {
            rfl_points_missing(point, row->what,
                               "%.4g integer instructions are left out: beside "
                               "floating-point work they are mostly addresses",
                               point->work[i].flops);
            remove_quantity(point, row);
            return;
        }
}

static void settle_failures(struct sums *sums, const struct kernel *kernel)
{
    static const char *const all[] = {"time", "operations", "bytes"};
    struct rfl_point *point = point_of(sums, kernel);
    const char *metric = metric_name(kernel->failed_metric);
    if (kernel->n_failed > 0 && point->launches > 0)
        rfl_points_warn(
            point,
            "%.0f of %.0f launches failed and are left out, the first: row %zu: %s: nan",
            kernel->n_failed, kernel->n_failed + point->launches, kernel->failed_row,
            metric);
    for (size_t i = 0; i < 3 && kernel->n_failed > 0 && point->launches == 0; i++)
        rfl_points_missing(point, all[i],
                           "row %zu: %s and all other metrics: nan: the launch failed",
                           kernel->failed_row, metric);
}

/* Says which metrics there are none of, where no operations could be counted at all. */
static void settle_operations(struct sums *sums, const struct kernel *kernel)
{
    struct rfl_point *point = point_of(sums, kernel);
    for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
        if (quantities[q].place == NCU_TO_WORK && kernel->states[q] > NCU_ABSENT)
            return;
    if (point->launches > 0 && point->n_work == 0)
        rfl_points_missing(
            point, "operations",
            "no metrics sm__sass_thread_inst_executed_op_{dadd,dmul,dfma,fadd,fmul,ffma "
            "...}_pred_on.sum");
}

/* Ends the sums of one kernel: means, what not all launches have, what is missing. */
static void settle(struct sums *sums, struct kernel *kernel)
{
    for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
        settle_quantity(sums, kernel, (enum quantity)q);
    settle_integers(point_of(sums, kernel));
    settle_operations(sums, kernel);
    settle_failures(sums, kernel);
}

static enum ert_status add_launch(struct sums *sums, const struct launch *launch,
                                  struct ert_error *error)
{
    const struct rfl_import_options *options = sums->in->options;
    enum metric metric = NCU_NONE;
    double time_s = 0;
    if (options->region && !strstr(launch->name, options->region))
        return ERT_OK;
    struct kernel *kernel = find_kernel(sums, launch);
    if (has_failed(launch, &metric)) {
        if (kernel->n_failed++ == 0) {
            kernel->failed_row = launch->rows[metric];
            kernel->failed_metric = metric;
        }
    } else {
        point_of(sums, kernel)->launches++;
        for (size_t q = 0; q < NCU_N_QUANTITIES; q++)
            ERT_TRY(add_quantity(sums, kernel, launch, (enum quantity)q, &time_s, error));
    }
    if (options->list)
        settle(sums, kernel);
    return ERT_OK;
}

/* Ends those of all kernels, and shortens names; after the last launch. */
static void finish_sums(struct sums *sums)
{
    for (size_t i = 0; i < sums->n && !sums->in->options->list; i++)
        settle(sums, &sums->kernels[i]);
    rfl_kernels_end(sums->in);
}

/* The columns that say which launch a row is of. */
enum cell { ID, PROCESS, KERNEL, DEVICE, CC, N_CELLS };

/* And those of the long layout. */
enum { NAME = N_CELLS, UNIT, VALUE, N_LONG_CELLS };

static const char *const cell_names[N_LONG_CELLS] = {
    "ID", "Process ID",  "Kernel Name", "Device",
    "CC", "Metric Name", "Metric Unit", "Metric Value"};

/* A metric's column in the wide layout. */
struct column {
    const struct name *name;
    size_t column;
    double factor;
};

struct reader {
    const struct rfl_import *in;
    struct sums sums;
    struct names names;
    struct launch launch;
    bool is_open;   /* the long layout: rows of this launch may follow */
    bool has_units; /* the wide layout: the row of units was read */
    enum { NO_TABLE, LONG, WIDE } layout;
    size_t cells[N_LONG_CELLS], gpu_name;
    struct column columns[NCU_N_METRICS];
    size_t n_columns;
    char complaint[256]; /* the first ==ERROR== line */
    bool is_forbidden;
};

static enum ert_status flush(struct reader *reader, struct ert_error *error)
{
    if (!reader->is_open)
        return ERT_OK;
    reader->is_open = false;
    return add_launch(&reader->sums, &reader->launch, error);
}

static const char *keep(struct reader *reader, enum cell cell)
{
    return rfl_points_text(reader->in->points,
                           ert_lines_cell(reader->in->lines, reader->cells[cell]));
}

/* "Nsight Compute, NVIDIA H200, cc 9.0", once per set of points. */
static void note_origin(struct reader *reader)
{
    const struct launch *launch = &reader->launch;
    const char *gpu = ert_lines_cell(reader->in->lines, reader->gpu_name);
    char text[256];
    if (reader->in->points->origin)
        return;
    snprintf(text, sizeof text, "Nsight Compute%s%.100s%s%.16s", *gpu ? ", " : "", gpu,
             *launch->cc ? ", cc " : "", launch->cc);
    reader->in->points->origin = rfl_points_text(reader->in->points, text);
}

static void begin_launch(struct reader *reader)
{
    struct launch *launch = &reader->launch;
    memset(launch->names, 0, sizeof launch->names);
    launch->id = keep(reader, ID);
    launch->process = keep(reader, PROCESS);
    launch->device = keep(reader, DEVICE);
    launch->cc = keep(reader, CC);
    launch->name = keep(reader, KERNEL);
    launch->row = reader->in->lines->number;
    note_origin(reader);
}

/* Keeps a metric's value, unless the launch has it by a better name. */
static enum ert_status set_value(struct reader *reader, const struct name *name,
                                 double factor, const char *text, struct ert_error *error)
{
    struct launch *launch = &reader->launch;
    enum metric metric = name->metric;
    double value;
    enum ert_number kind;
    if (launch->names[metric] && launch->names[metric] <= name)
        return ERT_OK;
    ERT_TRY(ert_lines_number(reader->in->lines, name->name, text, &value, &kind, error));
    launch->names[metric] = name;
    launch->values[metric] = value * factor;
    launch->kinds[metric] = kind;
    launch->rows[metric] = reader->in->lines->number;
    return ERT_OK;
}

/* A header says which layout follows; ERT_USAGE when columns are not there. */
static enum ert_status read_header(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    ERT_TRY(flush(reader, error));
    for (size_t c = 0; c < N_LONG_CELLS; c++)
        reader->cells[c] = ert_lines_column(lines, cell_names[c]);
    reader->gpu_name = ert_lines_column(lines, "device__attribute_display_name");
    if (ert_lines_column(lines, "Average") != SIZE_MAX)
        return ert_lines_fail(lines, error,
                              "a summary (--print-summary): give the launches themselves");
    reader->layout = reader->cells[NAME] == SIZE_MAX ? WIDE : LONG;
    for (size_t c = KERNEL; c < N_LONG_CELLS; c++)
        if (reader->cells[c] == SIZE_MAX &&
            (c == KERNEL || (c > NAME && reader->layout == LONG)))
            return ert_lines_fail(lines, error, "no column '%s'", cell_names[c]);
    reader->n_columns = 0;
    reader->has_units = false;
    for (size_t i = 0; i < lines->n_cells && reader->layout == WIDE; i++) {
        const struct name *name = find_name(&reader->names, lines->cells[i]);
        if (!name || name->unit == LABEL)
            continue;
        size_t c = 0;
        while (c < reader->n_columns && reader->columns[c].name->metric != name->metric)
            c++;
        if (c == reader->n_columns)
            reader->columns[reader->n_columns++] = (struct column){name, i, 1};
        else if (name < reader->columns[c].name)
            reader->columns[c] = (struct column){name, i, 1};
    }
    return ERT_OK;
}

static enum ert_status read_units(struct reader *reader, struct ert_error *error)
{
    bool fits;
    for (size_t i = 0; i < reader->n_columns; i++) {
        struct column *column = &reader->columns[i];
        ERT_TRY(read_unit(reader->in->lines, column->name,
                          ert_lines_cell(reader->in->lines, column->column),
                          &column->factor, &fits, error));
    }
    reader->has_units = true;
    return ERT_OK;
}

static enum ert_status read_wide(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    if (!*ert_lines_cell(lines, reader->cells[KERNEL]))
        return read_units(reader, error);
    if (!reader->has_units && reader->n_columns)
        return ert_lines_fail(lines, error, "no row of units before it");
    begin_launch(reader);
    for (size_t i = 0; i < reader->n_columns; i++) {
        const struct column *column = &reader->columns[i];
        if (column->column >= lines->n_cells)
            return ert_lines_fail(lines, error, "%zu columns, no %s: cut off",
                                  lines->n_cells, column->name->name);
        ERT_TRY(set_value(reader, column->name, column->factor,
                          lines->cells[column->column], error));
    }
    return add_launch(&reader->sums, &reader->launch, error);
}

static bool is_same_launch(const struct reader *reader)
{
    const struct launch *launch = &reader->launch;
    const struct ert_lines *lines = reader->in->lines;
    return reader->is_open &&
           strcmp(ert_lines_cell(lines, reader->cells[ID]), launch->id) == 0 &&
           strcmp(ert_lines_cell(lines, reader->cells[PROCESS]), launch->process) == 0 &&
           strcmp(ert_lines_cell(lines, reader->cells[KERNEL]), launch->name) == 0;
}

static enum ert_status read_long(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    double factor = 1;
    bool fits;
    if (!is_same_launch(reader)) {
        ERT_TRY(flush(reader, error));
        begin_launch(reader);
        reader->is_open = true;
    }
    const struct name *name =
        find_name(&reader->names, ert_lines_cell(lines, reader->cells[NAME]));
    if (!name)
        return ERT_OK;
    if (reader->cells[VALUE] >= lines->n_cells)
        return ert_lines_fail(lines, error, "%zu columns, no value: cut off",
                              lines->n_cells);
    ERT_TRY(read_unit(lines, name, ert_lines_cell(lines, reader->cells[UNIT]), &factor,
                      &fits, error));
    return fits ? set_value(reader, name, factor,
                            ert_lines_cell(lines, reader->cells[VALUE]), error)
                : ERT_OK;
}

/* Lines that are no rows: the program's output, and what ncu has to say. */
static void read_remark(struct reader *reader, const char *line)
{
    reader->is_forbidden = reader->is_forbidden || strstr(line, "ERR_NVGPUCTRPERM");
    if (strncmp(line, "==ERROR==", 9) == 0 && !*reader->complaint)
        snprintf(reader->complaint, sizeof reader->complaint, "%s", line + 9);
}

static enum ert_status read_line(struct reader *reader, const char *line,
                                 struct ert_error *error)
{
    if (*line != '"') {
        read_remark(reader, line);
        return ERT_OK;
    }
    ERT_TRY(ert_lines_split(reader->in->lines, ',', error));
    if (ert_lines_column(reader->in->lines, "Kernel Name") != SIZE_MAX)
        return read_header(reader, error);
    return reader->layout == WIDE   ? read_wide(reader, error)
           : reader->layout == LONG ? read_long(reader, error)
                                    : ERT_OK;
}

static enum ert_status check_any(const struct reader *reader, struct ert_error *error)
{
    const char *file = reader->in->lines->file;
    if (reader->in->points->n > reader->in->first)
        return ERT_OK;
    if (reader->is_forbidden)
        return rfl_kernels_forbidden(file, error);
    if (*reader->complaint)
        return ert_fail(error, ERT_USAGE, "%.200s: no launch in it; ncu says:%.200s", file,
                        reader->complaint);
    if (reader->layout == NO_TABLE)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no table in it: was ncu called with --csv?", file);
    return ERT_OK;
}

static enum ert_status read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader *reader = ert_xcalloc(1, sizeof *reader);
    enum ert_status status = ERT_OK;
    reader->in = reader->sums.in = in;
    for (size_t i = 0; i < N_ROWS; i++)
        reader->names.sorted[i] = &rows[i];
    qsort(reader->names.sorted, N_ROWS, sizeof reader->names.sorted[0], compare);

    for (const char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = read_line(reader, line, error);
    if (status == ERT_OK)
        status = flush(reader, error);
    if (status == ERT_OK)
        finish_sums(&reader->sums);
    if (status == ERT_OK)
        status = ert_lines_end(in->lines, error);
    if (status == ERT_OK && !in->options->region)
        status = check_any(reader, error);
    free(reader->sums.kernels);
    rfl_strings_free(&reader->sums.numbers);
    free(reader);
    return status;
}

static bool recognizes(const char *head)
{
    return strstr(head, "==PROF==") || strstr(head, "\"Kernel Name\",") ||
           (strstr(head, "==ERROR==") && strstr(head, "ERR_NVGPUCTRPERM"));
}

const struct rfl_importer rfl_import_ncu = {
    .name = "ncu",
    .summary = "Nsight Compute's CSV: the raw page, the details page, or --metrics",
    .how = "ncu --csv --page raw --metrics gpu__time_duration.sum,"
           "sm__sass_thread_inst_executed_op_{dadd,dmul,dfma}_pred_on.sum,"
           "l1tex__t_bytes.sum,lts__t_sectors_srcunit_tex.sum,"
           "lts__t_sectors_srcunit_tex_op_{read,write}.sum,dram__bytes.sum,"
           "dram__bytes_{read,write}.sum,"
           "sm__cycles_elapsed.avg.per_second PROGRAM > FILE",
    .device = RFL_IMPORT_GPU,
    .recognizes = recognizes,
    .read = read,
};
