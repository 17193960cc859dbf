/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/cli/results.h"

#include "ert/core/backend/backend.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"
#include "ert/core/fit/conditions.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/machine/dram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_COLUMNS = 80, LEAST_COLUMNS = 60, INDENT = 12 };

/* Devices of the same name whose main ceilings differ by less share a description. */
static const double same_device = 0.02;

static void answer_say(FILE *out, const char *name, const char *words)
{
    char first[INDENT + 1];
    snprintf(first, sizeof first, "%-*s", INDENT, name);
    ert_text_wrap(out, first, 0, words,
                  ert_text_columns(fileno(out), LEAST_COLUMNS, DEFAULT_COLUMNS));
}

/* Parts separated by commas. */
struct list {
    char text[4096];
};

static void __attribute__((format(printf, 2, 3)))
list_add(struct list *list, const char *format, ...)
{
    char part[128];
    ERT_FORMAT(part, sizeof part, format);
    ert_list_add(list->text, sizeof list->text, part);
}

/* Prints before, the list, and after; each may be "". */
static void say_list(FILE *out, const char *name, const char *before,
                     const struct list *list, const char *after)
{
    char text[sizeof list->text + 2048];
    snprintf(text, sizeof text, "%s%s%s%s%s", before, *before && *list->text ? " " : "",
             list->text, *after && (*before || *list->text) ? " " : "", after);
    answer_say(out, name, text);
}

/* The device's fastest ceiling for a type, preferring FMA, but not of divisions and roots; NULL: none. */
static const struct ert_ceiling *answer_peak_of(const struct ert_device_ceilings *device,
                                                const char *type, bool is_tensor)
{
    static const char *const slow[] = {"div", "sqrt", "rcp", NULL};
    const struct ert_ceiling_span of = ert_ceilings_of(device, ERT_CEILING_COMPUTE);
    const struct ert_ceiling *best = NULL;
    for (size_t i = 0; i < of.n; i++) {
        const struct ert_ceiling *one = &of.at[i];
        if (!one->is_roof || strcmp(one->key.type, type) != 0 ||
            ert_word_find(slow, one->key.op, NULL, 0) != SIZE_MAX ||
            (strcmp(one->key.unit, "tensor") == 0) != is_tensor)
            continue;
        bool is_fma = strcmp(one->key.op, "fma") == 0;
        if (!best || is_fma ||
            (strcmp(best->key.op, "fma") != 0 && one->value > best->value))
            best = one;
    }
    return best;
}

/* More levels than any machine has: further ones are not in the answer. */
enum { MOST_LEVELS = 6 * ERT_MAX_LEVELS };

/* The device that the answer describes. */
struct subject {
    const struct ert_device *device;
    const struct ert_device_ceilings *ceilings;
    const struct ert_ceiling *fp64, *fp32; /* NULL: not measured */
    size_t n_levels;
    struct level {
        const char *name;
        const struct ert_ceiling *load, *best; /* NULL as above */
        bool has_load;                         /* false: `load` is the best */
    } levels[MOST_LEVELS];
};

static struct level *answer_find_level(struct subject *subject, const char *name)
{
    size_t i = 0;
    while (i < subject->n_levels && strcmp(subject->levels[i].name, name) != 0)
        i++;
    if (i == subject->n_levels && i < MOST_LEVELS)
        subject->levels[subject->n_levels++] = (struct level){.name = name};
    return i < MOST_LEVELS ? &subject->levels[i] : NULL;
}

/* Its levels: those of the machine, and others that have ceilings: ERT's mode has its own labels. */
static struct subject subject_of(const struct ert_ceilings *ceilings, size_t index)
{
    const struct ert_device_ceilings *of = &ceilings->devices[index];
    struct subject subject = {.device = ert_machine_device(ceilings->machine, of->device),
                              .ceilings = of,
                              .fp64 = answer_peak_of(of, "fp64", false),
                              .fp32 = answer_peak_of(of, "fp32", false)};
    for (uint32_t i = 0; i < subject.device->n_levels; i++)
        answer_find_level(&subject, subject.device->levels[i].name);
    const struct ert_ceiling_span memory = ert_ceilings_of(of, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n; i++) {
        const struct ert_ceiling *one = &memory.at[i];
        struct level *level = answer_find_level(&subject, one->key.level);
        if (!level)
            continue;
        if (!level->best || one->value > level->best->value)
            level->best = one;
        level->has_load = level->has_load || strcmp(one->key.pattern, "load") == 0;
        if (!level->has_load)
            level->load = level->best;
        else if (strcmp(one->key.pattern, "load") == 0)
            level->load = one;
    }
    return subject;
}

static void say_peaks(FILE *out, const struct subject *subject)
{
    const struct ert_ceiling *tensor = answer_peak_of(subject->ceilings, "fp64", true);
    const struct ert_ceiling *tensor16 = answer_peak_of(subject->ceilings, "bf16", true);
    const struct {
        const char *name;
        const struct ert_ceiling *peak;
        bool is_expected;
    } rows[] = {
        {"FP64",        subject->fp64, true },
        {"FP32",        subject->fp32, true },
        {"FP64 tensor", tensor,        false},
        {"BF16 tensor", tensor16,      false},
    };
    struct list list = {""};
    for (size_t i = 0; i < ERT_LENGTH(rows); i++) {
        if (rows[i].peak)
            list_add(&list, "%s %s", rows[i].name,
                     ert_units_operations(rows[i].peak->value, "flop").text);
        else if (rows[i].is_expected)
            list_add(&list, "%s not measured", rows[i].name);
    }
    say_list(out, "  peak", "", &list, "");
}

static void say_bandwidths(FILE *out, const struct subject *subject)
{
    const char *after = "";
    struct list list = {""};
    for (size_t i = 0; i < subject->n_levels; i++) {
        const struct level *level = &subject->levels[i];
        if (!level->load) {
            list_add(&list, "%s not measured", level->name);
            continue;
        }
        list_add(
            &list, "%s %s", level->name,
            ert_units_pair(level->load->value, " / ", level->best->value, "byte/s").text);
        after = level->has_load ? "(load / best pattern)" : "";
    }
    say_list(out, "  bandwidth", subject->n_levels ? "" : "no memory level is known", &list,
             after);
}

/* The intensity from which FP64 limits a kernel that only loads, or FP32 if FP64 was not measured. */
static void say_ridges(FILE *out, const struct subject *subject)
{
    const struct ert_ceiling *peak = subject->fp64 ? subject->fp64 : subject->fp32;
    struct list list = {""};
    for (const struct level *level = subject->levels;
         level < subject->levels + subject->n_levels; level++)
        if (peak && level->load)
            list_add(&list, "%s %.3g", level->name, peak->value / level->load->value);
    if (*list.text)
        say_list(out, "  ridge", subject->fp64 ? "FP64:" : "FP32:", &list,
                 "FLOP/byte (of loads)");
    else
        answer_say(out, "  ridge", "unknown: requires a peak and a bandwidth");
}

static void list_share(struct list *known, char unknown[128], const char *name,
                       const struct ert_ceiling *ceiling, bool is_stated)
{
    if (!(ceiling->fraction_of_theory > 0))
        ert_append(unknown, 128, "%s%s", *unknown ? ", " : "", name);
    else if (is_stated)
        list_add(known, "%s %.0f %% of the stated %s", name,
                 100 * ceiling->fraction_of_theory,
                 ert_units_bandwidth(ceiling->theory).text);
    else
        list_add(known, "%s %.0f %%", name, 100 * ceiling->fraction_of_theory);
}

static void say_theory(FILE *out, const struct subject *subject)
{
    char unknown[128] = "", after[192] = "";
    struct list known = {""};
    if (subject->fp64)
        list_share(&known, unknown, "FP64", subject->fp64, false);
    if (subject->fp32)
        list_share(&known, unknown, "FP32", subject->fp32, false);
    for (const struct level *level = subject->levels;
         level < subject->levels + subject->n_levels; level++)
        if (level->load)
            list_share(&known, unknown, level->name, level->load,
                       ert_dram_is_stated(subject->device, level->name));
    if (*unknown)
        ert_append(after, sizeof after, "%sno theory for %s", *known.text ? "- " : "",
                   unknown);
    say_list(out, "  of theory", "", &known, after);
}

/* What GPUs of a model attained. */
static const struct model {
    const char *name;
    unsigned n;
    const char *ceiling;
    double least, median, most;
} models[] = {
#define ERT_MODEL(...) {__VA_ARGS__},
#include "ert/cli/models.def"
};

/* Where it lies among them. */
static void say_models(FILE *out, const struct subject *subject)
{
    const struct ert_ceiling_span all = ert_ceilings_main(subject->ceilings);
    struct list list = {""};
    char before[64] = "";
    for (const struct model *model = models; model < models + ERT_LENGTH(models); model++)
        for (size_t i = 0; i < all.n && strcmp(subject->device->name, model->name) == 0;
             i++)
            if (strcmp(all.at[i].name, model->ceiling) == 0) {
                const double share = 100 / model->median;
                snprintf(before, sizeof before,
                         "of the median of %u runs (they):", model->n);
                list_add(&list, "%s %.1f %% (%.1f .. %.1f)", model->ceiling,
                         share * all.at[i].value, share * model->least,
                         share * model->most);
            }
    if (*list.text)
        say_list(out, "  its model", before, &list, "");
}

/* Advice for bad conditions, by their names (conditions.c). */
static const char stop_others[] = "stop the other programs (`top` shows them) or reserve "
                                  "the whole node (sbatch --exclusive)";
static const char other_host[] =
    "other guests use this host: measure at a quieter time, or on a dedicated host";
static const char more_cpus[] = "request as many CPUs as threads, or give --threads";
static const char one_by_one[] = "do not measure a device with two runs at once";
static const char free_gpu[] = "end the other processes on the GPU";
static const char cool_gpu[] = "check power and cooling";

static const char whole_cores[] = "cores are shared: reserve whole cores or the whole node "
                                  "(sbatch --exclusive), or use a dedicated host";

/* is_shared: the verdict mentions a note too, and without bad conditions it gives the advice. */
static const struct advice {
    const char *condition, *advice;
    bool is_shared;
} advices[] = {
    {"other work",      stop_others, true },
    {"other runs",      one_by_one,  false},
    {"steal",           other_host,  true },
    {"core sharing",    whole_cores, true },
    {"quota",           more_cpus,   false},
    {"other processes", free_gpu,    false},
    {"throttling",      cool_gpu,    false},
};

/* The advice for a condition with this verdict, bad or, if is_shared, a note; else NULL. */
static const struct advice *advice_for(const struct ert_condition *condition,
                                       enum ert_condition_verdict verdict)
{
    for (size_t i = 0; i < ERT_LENGTH(advices); i++)
        if (strcmp(advices[i].condition, condition->name) == 0 &&
            condition->verdict == verdict &&
            (verdict == ERT_CONDITION_BAD || advices[i].is_shared))
            return &advices[i];
    return NULL;
}

/* The width of the widest main ceiling that is settled. */
static double answer_widest(const struct ert_device_ceilings *ceilings)
{
    const struct ert_ceiling *list[ERT_MAX_MAIN];
    double width = 0;
    for (size_t i = ert_settled_main(ceilings, list); i-- > 0;)
        if (ert_settled_is(list[i], NULL, 0))
            width = fmax(width, ert_settled_width(list[i]));
    return width;
}

static bool has_ended(const char *status)
{
    return strcmp(status, "complete") == 0 || strcmp(status, "budget") == 0;
}

static void say_verdict(FILE *out, const struct subject *subject, const char *status,
                        const struct ert_condition *conditions, size_t n)
{
    const struct ert_device_ceilings *ceilings = subject->ceilings;
    size_t n_all = ert_ceilings_main(ceilings).n;
    size_t n_open = ert_settled_count_open(ceilings), n_main;
    char open[ERT_WARNINGS_TEXT];
    size_t n_main_open = ert_settled_open(ceilings, open, sizeof open, &n_main);
    char text[2 * ERT_WARNINGS_TEXT] = ""; /* with room for notes of conditions */
    if (!has_ended(status))
        ert_append(text, sizeof text, "INCOMPLETE (%s); ", status);
    if (!ceilings->valid)
        ert_append(text, sizeof text, "NOT VALID: %s",
                   *ceilings->warnings ? ceilings->warnings : "no reason recorded");
    else if (n_main_open > 0)
        ert_append(text, sizeof text,
                   "usable but for %s, not settled; the other peaks and bandwidths are "
                   "known to %.2g %%",
                   open, 100 * answer_widest(ceilings));
    else
        ert_append(text, sizeof text, "valid: peak and bandwidths are known to %.2g %%",
                   100 * answer_widest(ceilings));
    if (n_open > 0)
        ert_append(text, sizeof text, "; %zu of %zu ceilings not settled (ert show)",
                   n_open, n_all);
    if (ceilings->valid && *ceilings->warnings)
        ert_append(text, sizeof text, "; %s", ceilings->warnings);
    for (size_t i = 0; i < n; i++)
        if (advice_for(&conditions[i], ERT_CONDITION_NOTE))
            ert_append(text, sizeof text, "; shared node: %s", conditions[i].text);
        else if (strcmp(conditions[i].name, "other work") == 0 &&
                 conditions[i].verdict == ERT_CONDITION_UNKNOWN)
            ert_append(text, sizeof text, "; %s", conditions[i].text);
    answer_say(out, "  verdict", text);
}

/* Appends the advice for all conditions with this verdict; returns whether there was any. */
static bool append_advices(char *text, size_t size, const struct ert_device *device,
                           const struct ert_condition *conditions, size_t n,
                           enum ert_condition_verdict verdict)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    size_t before = strlen(text);
    for (size_t i = 0; i < n; i++) {
        const struct advice *advice = advice_for(&conditions[i], verdict);
        if (!advice)
            continue;
        ert_append(text, size, "%s", advice->advice);
        if (advice->advice == free_gpu && backend && backend->shows_processes)
            ert_append(text, size, " (`%s` shows them)", backend->shows_processes);
        if (advice->advice == cool_gpu && backend && backend->shows_clocks)
            ert_append(text, size, " (`%s`)", backend->shows_clocks);
        ert_append(text, size, "; ");
    }
    return strlen(text) > before;
}

static void say_advice(FILE *out, const struct subject *subject, const char *status,
                       const struct ert_condition *conditions, size_t n)
{
    char text[1024] = "", open[ERT_WARNINGS_TEXT];
    size_t n_main;
    size_t n_open = ert_settled_open(subject->ceilings, open, sizeof open, &n_main);
    bool is_said = append_advices(text, sizeof text, subject->device, conditions, n,
                                  ERT_CONDITION_BAD);
    if (!has_ended(status))
        ert_append(text, sizeof text, "measure again and let the run finish");
    else if (!subject->ceilings->valid) {
        is_said = is_said || append_advices(text, sizeof text, subject->device, conditions,
                                            n, ERT_CONDITION_NOTE);
        ert_append(
            text, sizeof text, "%s",
            is_said ? "then measure again"
                    : "measure again with more time (--budget 120) or on a quiet machine; "
                      "--repeat 3 shows how far runs differ");
    } else if (n_open > 0)
        ert_append(text, sizeof text,
                   "use what is settled; for the rest measure again with more time "
                   "(--budget 120) or on a quiet machine");
    else
        ert_append(text, sizeof text, "%s: these ceilings can be used",
                   is_said ? "nothing else" : "nothing");
    answer_say(out, "  to do", text);
}

/* Whether two devices have the same ceiling, except for noise, or both have none. */
static bool answer_is_same(const struct ert_ceiling *a, const struct ert_ceiling *b)
{
    return !a || !b ? a == b
                    : fabs(a->value - b->value) <=
                          same_device * fmax(fabs(a->value), fabs(b->value));
}

/* Whether two devices have the same name and, except for noise, the same answer. */
static bool are_alike(const struct subject *a, struct subject *b)
{
    bool are = strcmp(a->device->name, b->device->name) == 0 &&
               a->ceilings->valid == b->ceilings->valid &&
               answer_is_same(a->fp64, b->fp64) && answer_is_same(a->fp32, b->fp32);
    for (size_t i = 0; i < a->n_levels && are; i++) {
        const struct level *other = answer_find_level(b, a->levels[i].name);
        are = other && answer_is_same(a->levels[i].load, other->load);
    }
    return are;
}

static void say_device(FILE *out, const struct subject *subject,
                       const struct ert_ceilings *ceilings,
                       const struct ert_samples *samples)
{
    struct ert_condition conditions[ERT_MAX_CONDITIONS];
    const struct ert_device_ceilings *of = subject->ceilings;
    size_t n = ert_backend_is_fake(subject->device)
                   ? 0 /* the state of its host does not affect a planted machine */
                   : ert_conditions_of(ceilings, of, samples, conditions);
    const struct ert_ceiling_span memory = ert_ceilings_of(of, ERT_CEILING_MEMORY);
    uint32_t threads = memory.n ? memory.at[0].evidence->launch.threads : 0;
    fprintf(out, "%s: %s", subject->device->id, subject->device->name);
    if (subject->device->kind == ERT_DEVICE_CPU && threads)
        fprintf(out, ", %u thread%s", threads, threads == 1 ? "" : "s");
    fputc('\n', out);
    if (ert_ceilings_main(of).n == 0) {
        answer_say(out, "  verdict",
                   of->n ? "no roofs were measured, only what `ert show` lists"
                         : "nothing was measured: see the notes above");
        return;
    }
    say_peaks(out, subject);
    say_bandwidths(out, subject);
    say_ridges(out, subject);
    say_theory(out, subject);
    say_models(out, subject);
    say_verdict(out, subject, ceilings->status, conditions, n);
    say_advice(out, subject, ceilings->status, conditions, n);
}

static void say_files(FILE *out, const struct ert_cli_results *results)
{
    struct list list = {""};
    char folder[1104], stay[1200] = "";
    snprintf(folder, sizeof folder, "%s/:", results->folder);
    if (*results->out && !results->is_latest)
        snprintf(stay, sizeof stay, "(%s/latest: an earlier, valid run)", results->out);
    list_add(&list, "ceilings.json");
    if (results->has_samples)
        list_add(&list, "samples.json");
    for (size_t i = 0; i < results->plots.n_plots; i++)
        if (*results->plots.plots[i].file)
            list_add(&list, "%s", strrchr(results->plots.plots[i].file, '/') + 1);
    say_list(out, "files", folder, &list, stay);
}

static void say_next(FILE *out, const struct ert_ceilings *ceilings,
                     const struct ert_cli_results *results)
{
    char name[1200], text[2600];
    ert_cli_results_name(results, "ceilings.json", name, sizeof name);
    if (ert_cli_results_valid(ceilings))
        snprintf(text, sizeof text,
                 "ert show %s (every ceiling), roofline plot %s --out roofline.html", name,
                 name);
    else
        snprintf(text, sizeof text, "%s (all numbers so far: ert show %s)",
                 ceilings->machine->provenance.command, name);
    answer_say(out, "next", text);
}

void ert_cli_answer(FILE *out, const struct ert_ceilings *ceilings,
                    const struct ert_samples *samples,
                    const struct ert_cli_results *results)
{
    bool is_said[ERT_MAX_DEVICES] = {false};
    size_t n = ceilings->n_devices;
    struct subject *subjects = ert_xcalloc(n, sizeof *subjects);
    for (size_t i = 0; i < n; i++)
        subjects[i] = subject_of(ceilings, i);
    fputc('\n', out);
    for (size_t i = 0; i < n; i++) {
        if (is_said[i])
            continue;
        say_device(out, &subjects[i], ceilings, samples);
        const char *comma = "";
        for (size_t k = i + 1; k < n; k++) {
            if (is_said[k] || !are_alike(&subjects[i], &subjects[k]))
                continue;
            fprintf(out, "%s%s", comma, subjects[k].device->id);
            comma = ", ";
            is_said[k] = true;
        }
        if (*comma)
            fprintf(out, ": same as %s, within %.0f %%\n", subjects[i].device->id,
                    100 * same_device);
    }
    free(subjects);
    say_files(out, results);
    say_next(out, ceilings, results);
}
