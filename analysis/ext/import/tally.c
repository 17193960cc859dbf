/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"
#include "ert/ext/ncu/units.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

enum family {
#define FAMILY(id, recipe) FAMILY_##id,
#include "analysis/ext/import/events.def"
    N_FAMILIES
};

static const char *const recipes[N_FAMILIES] = {
#define FAMILY(id, recipe) recipe,
#include "analysis/ext/import/events.def"
};

static const struct event {
    const char *glob;
    enum rfl_sum_of sum;
    double weight;
    const char *unit;
    enum family family;
    const char *label;
} events[] = {
#define EVENT(glob, sum, weight, unit, family, label)                                      \
    {glob, RFL_##sum, weight, unit, FAMILY_##family, label},
#include "analysis/ext/import/events.def"
};

struct rfl_tally_entry {
    const struct event *row;
    /* Equal texts are the same pointer. PMU: of cores, else "". */
    const char *name, *printed, *pmu, *unit, *where;
    double value, share; /* share: of the time, by which its PMU's counts are multiplied */
    const char *why;     /* there is no number */
    bool is_part;        /* of an entry that is the sum over units or places */
};

/*
 * Splits an event in place into its name and its PMU: "cpu_core/cycles/u", "uncore_imc_3/x/", "x:u",
 * "x [uncore_imc_3]", "X[UNIT2]", "cpu/event=1,name=x/".
 */
static char *split_event(char *text, const char **pmu)
{
    char *name = text, *slash = strchr(text, '/'), *bracket = strchr(text, '['), *at;
    *pmu = "";
    if (slash) {
        *slash = '\0';
        *pmu = text;
        name = slash + 1;
        name[strcspn(name, "/")] = '\0';
        if ((at = strstr(name, "name=")))
            name = at + 5;
        name[strcspn(name, strchr(name, '=') ? "" : ",")] = '\0';
    } else if (bracket) {
        *pmu = bracket + 1;
        bracket[strcspn(bracket, "]")] = '\0';
        *bracket = '\0';
        while (bracket > text && bracket[-1] == ' ')
            *--bracket = '\0';
    }
    while ((at = strrchr(name, ':')) && at[1] && !at[1 + strspn(at + 1, "ukhGHpPSDWIeb")])
        *at = '\0';
    return name;
}

/* The name as in events.def. */
static const char *canonical(struct ert_strings *strings, char *name)
{
    static const char arith[] = "fp_arith_", retired[] = "fp_arith_inst_retired_",
                      retired2[] = "fp_arith_inst_retired2_";
    for (char *at = name; *at; at++)
        *at = strchr(".:-", *at) ? '_' : (char)tolower((unsigned char)*at);
    size_t alias = strncmp(name, retired2, sizeof retired2 - 1) == 0 ? sizeof retired2 - 1
                   : strncmp(name, retired, sizeof retired - 1) == 0 ? 0
                   : strncmp(name, arith, sizeof arith - 1) == 0     ? sizeof arith - 1
                                                                     : 0;
    return ert_strings_format(strings, "%s%s", alias ? retired : "", name + alias);
}

static const struct event *find_event(const char *name)
{
    for (size_t i = 0; i < ERT_LENGTH(events); i++)
        if (fnmatch(events[i].glob, name, 0) == 0)
            return &events[i];
    return NULL;
}

bool rfl_tally_knows(const char *event)
{
    struct ert_strings strings = {0};
    const char *pmu;
    char *text = ert_xstrdup(event);
    bool knows = find_event(canonical(&strings, split_event(text, &pmu))) != NULL;
    free(text);
    ert_strings_free(&strings);
    return knows;
}

bool rfl_tally_suspects(const char *event)
{
    static const char *const parts[] = {"fp_",  "flop", "tensor", "hmma", "imma",  "dmma",
                                        "simd", "sse",  "avx",    "amx",  "cas_",  "_cas",
                                        "imc",  "dram", "mcdram", "hbm",  "umc",   "vec_",
                                        "_fp",  "sve",  "mmx",    "x87",  "matrix"};
    for (size_t i = 0; i < ERT_LENGTH(parts); i++)
        if (strcasestr(event, parts[i]))
            return true;
    return false;
}

static bool is_operations(enum rfl_sum_of sum)
{
    return sum >= RFL_FP64 && sum <= RFL_ALL_TYPES;
}

/*
 * Whether an event of a PMU counts what one kind of core of a hybrid CPU does: "cpu_atom/cycles/",
 * "armv8_cortex_a55/instructions/".
 */
static bool is_core_kind(const char *pmu, const struct event *row)
{
    bool is_of_cores = row && (row->sum == RFL_CYCLES || row->sum == RFL_INSTRUCTIONS ||
                               is_operations(row->sum));
    return strncmp(pmu, "cpu_", 4) == 0 || (is_of_cores && *pmu && strcmp(pmu, "cpu") != 0);
}

/* The factor of a value; false for a unit that its event cannot have. */
static bool factor_of(const char *unit, const char *expected, double *factor)
{
    bool is_bytes = strcmp(expected, "CAS") == 0;
    enum ert_measure measure, wanted = is_bytes    ? ERT_IN_BYTES
                                       : *expected ? ERT_IN_SECONDS
                                                   : ERT_IN_COUNTS;
    if (!*unit || strcmp(unit, expected) == 0) {
        unit = expected;
        *factor = is_bytes ? 64 : 1;
        if (is_bytes || *expected == 'J')
            return true;
    }
    return *expected != 'J' && ert_units_read(unit, &measure, factor) && measure == wanted;
}

/* ---- adding ---- */

/* Adds an event to a list, once. */
static void tally_list(struct rfl_tally *tally, struct rfl_names *names, const char *event)
{
    size_t before = tally->listed.n_texts;
    ert_strings_format(&tally->listed, "%p %s", (void *)names, event);
    if (tally->listed.n_texts > before)
        rfl_names_add(names, 160, event);
}

/* The entry of this event, unit and place; a new one (*is_new) if there is none. */
static struct rfl_tally_entry *find_entry(struct rfl_tally *tally,
                                          const struct rfl_count *count, bool *is_new)
{
    struct ert_strings *texts = &tally->in->points->strings;
    const char *pmu;
    char *text = ert_xstrdup(count->event);
    const char *name = canonical(texts, split_event(text, &pmu));
    const struct event *row = find_event(name);
    struct rfl_tally_entry entry = {.row = row,
                                    .name = name,
                                    .printed = ert_strings_keep(texts, count->event),
                                    .where = ert_strings_keep(texts, count->where)};
    /* "uncore_imc" is the sum over uncore_imc_0 ...; the Atom's event names its PMU */
    bool is_atom = row && (row->family == FAMILY_ATOM || row->family == FAMILY_ATOM_OLD);
    bool is_core = strchr(count->event, '/') && is_core_kind(pmu, row);
    entry.pmu = ert_strings_keep(texts, is_core ? pmu : is_atom && !*pmu ? "cpu_atom" : "");
    bool is_unit = *pmu && isdigit((unsigned char)pmu[strlen(pmu) - 1]);
    entry.unit = ert_strings_keep(texts, is_unit && !*entry.pmu ? pmu : "");
    free(text);
    size_t before = tally->keys.n_texts;
    size_t index = ert_strings_index(
        &tally->keys, ert_strings_format(texts, "%s\x1f%s\x1f%s\x1f%s", entry.name,
                                         entry.pmu, entry.unit, entry.where));
    *is_new = index == before;
    if (!*is_new)
        return &tally->entries[index];
    tally->entries =
        ert_xgrow(tally->entries, tally->n, &tally->capacity, sizeof *tally->entries);
    tally->entries[tally->n] = entry;
    return &tally->entries[tally->n++];
}

void rfl_tally_add(struct rfl_tally *tally, const struct rfl_count *count)
{
    bool is_new;
    double factor = 0, value = count->cell.value;
    const char *why = count->cell.why;
    struct rfl_tally_entry *entry = find_entry(tally, count, &is_new);
    if (!entry->row) {
        entry->why = why;
        tally_list(tally, &tally->ignored, count->event);
        if ((why || value > 0) && rfl_tally_suspects(count->event))
            tally_list(tally, &tally->suspect, count->event);
        return;
    }
    tally->n_known++;
    if (count->is_unsupported) {
        if (!tally->unsupported)
            tally->unsupported = entry->printed;
        why = is_new ? "" : entry->why; /* 0 beside others of its type */
    } else if (!why && !factor_of(count->unit, entry->row->unit, &factor)) {
        why = ert_strings_format(&tally->in->points->strings, "unit '%.40s' is not known",
                                 count->unit);
    }
    bool is_better = is_new || (entry->why && !why) ||
                     (!entry->why && !why && count->share > entry->share);
    if (!is_new && !entry->why && !why)
        tally_list(tally, &tally->twice, count->event);
    if (!is_better)
        return;
    entry->value = why ? 0 : factor * entry->row->weight * value;
    entry->share = count->share;
    entry->why = why;
    entry->printed = rfl_points_text(tally->in->points, count->event);
}

/* ---- deciding ---- */

/* Whether a core's PMU, or a place, has no number at all, but another one has: the task did not run there. */
static bool is_unused(const struct rfl_tally *tally, const struct rfl_tally_entry *entry)
{
    bool others = false;
    for (const struct rfl_tally_entry *at = tally->entries; at < tally->entries + tally->n;
         at++) {
        if (at->why || *at->unit)
            continue;
        if (at->pmu == entry->pmu && at->where == entry->where)
            return false;
        others |= *at->pmu && *entry->pmu ? at->pmu != entry->pmu
                  : at->pmu == entry->pmu ? at->name == entry->name
                                          : false;
    }
    return others;
}

/*
 * Whether another entry is the sum over units or places that this one is a part of, or one of the kinds of
 * cores over which this one is the sum.
 */
static bool is_part(const struct rfl_tally *tally, const struct rfl_tally_entry *entry)
{
    for (const struct rfl_tally_entry *at = tally->entries; at < tally->entries + tally->n;
         at++)
        if (at != entry && at->name == entry->name && !at->why &&
            ((at->pmu == entry->pmu && (!*at->unit || at->unit == entry->unit)) ||
             (*at->pmu && !*entry->pmu && !*entry->unit)) &&
            (!*at->where || at->where == entry->where))
            return true;
    return false;
}

/* The share of the time in which a kind of cores ran the task: that of its event that ran longest. */
static double share_of(const struct rfl_tally *tally, const char *pmu)
{
    double share = 0;
    for (size_t i = 0; i < tally->n; i++)
        if (tally->entries[i].pmu == pmu && !tally->entries[i].why)
            share = fmax(share, tally->entries[i].share);
    return share;
}

/* ---- sums ---- */

/* The counts of a family and a PMU that are added. */
struct rfl_tally_group {
    enum rfl_sum_of sum;
    enum family family;
    const char *pmu;
    double value;
    const struct rfl_tally_entry *lost; /* one without a number; or NULL */
    bool is_used;                       /* not another family */
};

static struct rfl_tally_group *find_group(const struct rfl_tally *tally,
                                          enum rfl_sum_of sum, enum family family,
                                          const char *pmu)
{
    for (size_t i = 0; i < tally->n_groups; i++) {
        struct rfl_tally_group *group = &tally->groups[i];
        if (group->sum == sum && group->family == family && strcmp(group->pmu, pmu) == 0)
            return group;
    }
    return NULL;
}

static bool is_counted(const struct rfl_tally_entry *entry)
{
    return entry->row && !entry->is_part && (!entry->why || *entry->why);
}

static void add_to_group(struct rfl_tally *tally, const struct rfl_tally_entry *entry)
{
    const struct event *row = entry->row;
    struct rfl_tally_group *group = find_group(tally, row->sum, row->family, entry->pmu);
    if (!group) {
        tally->groups = ert_xgrow(tally->groups, tally->n_groups, &tally->group_capacity,
                                  sizeof *tally->groups);
        group = &tally->groups[tally->n_groups++];
        *group = (struct rfl_tally_group){
            .sum = row->sum, .family = row->family, .pmu = entry->pmu};
    }
    group->value = row->sum == RFL_DURATION_S ? fmax(group->value, entry->value)
                                              : group->value + entry->value;
    group->lost = entry->why ? entry : group->lost;
}

/* Groups the counts, in the order of families, and chooses one of those that count the same. */
static void make_groups(struct rfl_tally *tally)
{
    for (enum family family = 0; family < N_FAMILIES; family++)
        for (size_t i = 0; i < tally->n; i++)
            if (is_counted(&tally->entries[i]) && tally->entries[i].row->family == family)
                add_to_group(tally, &tally->entries[i]);
    for (size_t i = 0; i < tally->n_groups; i++) {
        struct rfl_tally_group *best = NULL;
        for (size_t j = 0; j < tally->n_groups; j++) {
            struct rfl_tally_group *group = &tally->groups[j];
            if (group->sum == tally->groups[i].sum && group->pmu == tally->groups[i].pmu &&
                (!best || (best->lost && !group->lost)))
                best = group;
        }
        tally->groups[i].is_used = best == &tally->groups[i];
    }
}

void rfl_tally_settle(struct rfl_tally *tally)
{
    struct ert_strings pmus = {0};
    double total = 0;
    for (size_t i = 0; i < tally->n; i++) {
        struct rfl_tally_entry *entry = &tally->entries[i];
        if (entry->why && is_unused(tally, entry))
            entry->share = -1;
        entry->is_part = is_part(tally, entry);
        if (*entry->pmu)
            ert_strings_index(&pmus, entry->pmu);
    }
    for (size_t i = 0; i < tally->n; i++)
        if (tally->entries[i].share < 0) {
            tally->entries[i].why = NULL;
            tally->entries[i].value = tally->entries[i].share = 0;
        }
    for (size_t i = 0; i < pmus.n_texts; i++)
        total += share_of(tally, rfl_points_text(tally->in->points, pmus.texts[i]));
    /* counted for a whole machine, each kind runs all the time */
    bool is_shared = pmus.n_texts > 1 && total < 1.05;
    for (size_t i = 0; i < pmus.n_texts && is_shared; i++)
        ert_append(tally->shares, sizeof tally->shares, "%s%s %.4g %%", i ? ", " : "",
                   pmus.texts[i],
                   100 *
                       share_of(tally, rfl_points_text(tally->in->points, pmus.texts[i])));
    for (size_t i = 0; i < tally->n; i++) {
        struct rfl_tally_entry *entry = &tally->entries[i];
        double factor = is_shared && *entry->pmu ? share_of(tally, entry->pmu) : 1;
        bool is_scaled = !entry->why && entry->row && entry->share < 0.9995 * factor;
        if (is_scaled && entry->value > 0 &&
            (!tally->multiplexed || entry->share < tally->least_share)) {
            tally->multiplexed = entry->printed;
            tally->least_share = entry->share;
        }
        entry->value *= factor;
    }
    ert_strings_free(&pmus);
    make_groups(tally);
}

static const char *why_lost(const struct rfl_tally *tally,
                            const struct rfl_tally_entry *lost)
{
    bool is_plain = *tally->lost && strstr(lost->why, ": '<");
    return ert_strings_format(&tally->in->points->strings, "%s did not count %s (%s)",
                              tally->tool, lost->printed,
                              is_plain ? tally->lost : lost->why);
}

double rfl_tally_sum(const struct rfl_tally *tally, enum rfl_sum_of sum, const char **why)
{
    double value = NAN;
    for (size_t i = 0; i < tally->n_groups; i++) {
        const struct rfl_tally_group *group = &tally->groups[i];
        if (group->sum != sum || !group->is_used)
            continue;
        if (group->lost && why)
            *why = why_lost(tally, group->lost);
        if (group->lost)
            return NAN;
        value = isnan(value) ? group->value : value + group->value;
    }
    return value;
}

/* ---- putting ---- */

/* Adds a group's events and weights to a text: "scalar_double + 4 x 256b_packed_double of ...". */
static void add_terms(const struct rfl_tally *tally, const struct rfl_tally_group *group,
                      char *text, size_t size)
{
    enum { N_SHOWN = 4 };
    struct ert_strings names = {0};
    char terms[1024] = "";
    for (size_t i = 0; i < tally->n; i++) {
        const struct rfl_tally_entry *entry = &tally->entries[i];
        size_t before = names.n_texts;
        if (!is_counted(entry) || entry->row->sum != group->sum ||
            entry->row->family != group->family || entry->pmu != group->pmu ||
            ert_strings_index(&names, entry->name) < before || before >= N_SHOWN)
            continue;
        const char *label = entry->row->label ? entry->row->label : entry->printed;
        ert_append(terms, sizeof terms, "%s", before ? " + " : "");
        if (entry->row->weight > 1)
            ert_append(terms, sizeof terms, "%g x ", entry->row->weight);
        ert_append(terms, sizeof terms, "%.*s", (int)strcspn(label, "["), label);
    }
    if (names.n_texts > N_SHOWN)
        ert_append(terms, sizeof terms, " + %zu more", names.n_texts - N_SHOWN);
    ert_strings_free(&names);
    const char *recipe = recipes[group->family], *at = strstr(recipe, "%s");
    ert_append(text, size, "%s%.*s%s%s%s%s", *text ? " + " : "", (int)(at - recipe), recipe,
               terms, at + 2, *group->pmu ? " on " : "", group->pmu);
}

static bool has_scalar(const struct rfl_tally *tally, const struct rfl_tally_group *group)
{
    for (size_t i = 0; i < tally->n; i++) {
        const struct rfl_tally_entry *entry = &tally->entries[i];
        if (is_counted(entry) && entry->row->sum == group->sum && entry->row->label &&
            strncmp(entry->row->label, "scalar_", 7) == 0)
            return true;
    }
    return false;
}

static void warn_alternative(const char *used, const char *other, struct rfl_point *point)
{
    rfl_points_warn(point, "not added, since it counts the same as %s: %s", used, other);
}

/* Warns of kinds of cores that ran the program and whose operations of a type were not counted. */
static void warn_other_cores(const struct rfl_tally *tally, enum rfl_sum_of sum,
                             const char *type, struct rfl_point *point)
{
    for (size_t i = 0; i < tally->n; i++) {
        const char *pmu = tally->entries[i].pmu;
        bool has = !*pmu || !(share_of(tally, pmu) > 0.01);
        for (size_t g = 0; g < tally->n_groups && !has; g++)
            has = tally->groups[g].sum == sum && tally->groups[g].pmu == pmu;
        if (!has)
            rfl_points_warn(point, "%s: not counted on %s, so there can be more", type,
                            pmu);
    }
}

static void tally_put_work(const struct rfl_tally *tally, enum rfl_sum_of sum,
                           const char *type, struct rfl_point *point)
{
    const char *why = NULL;
    char recipe[1536] = "", others[1536] = "", what[32];
    double flops = rfl_tally_sum(tally, sum, &why);
    bool is_arith = false, lacks_scalar = false;
    snprintf(what, sizeof what, "%s flops", type);
    if (why)
        rfl_points_missing(point, what, "%s", why);
    if (isnan(flops))
        return;
    for (size_t i = 0; i < tally->n_groups; i++) {
        const struct rfl_tally_group *group = &tally->groups[i];
        if (group->sum != sum)
            continue;
        add_terms(tally, group, group->is_used ? recipe : others, sizeof recipe);
        if (group->is_used && group->family == FAMILY_FP_ARITH) {
            is_arith = true;
            lacks_scalar = !has_scalar(tally, group);
        }
    }
    if (*others)
        warn_alternative(recipe, others, point);
    ert_append(recipe, sizeof recipe, " (%s)%s", tally->tool,
               is_arith ? "; an FMA counts as two, its share is unknown" : "");
    rfl_points_work(point, type, "core", flops, NAN, recipe);
    warn_other_cores(tally, sum, type, point);
    if (lacks_scalar)
        rfl_points_warn(
            point, "%s: the scalar operations were not counted (%s), so there can be more",
            type, recipe);
}

/* The names of events of operations that counted none. */
static const char *zeros(struct rfl_tally *tally, struct rfl_names *names)
{
    for (size_t i = 0; i < tally->n; i++) {
        const struct rfl_tally_entry *entry = &tally->entries[i];
        if (entry->row && is_operations(entry->row->sum) && !entry->why &&
            entry->value == 0)
            tally_list(tally, names, entry->printed);
    }
    return rfl_names_end(names);
}

static void put_all_work(struct rfl_tally *tally, struct rfl_point *point)
{
    const char *why = NULL;
    struct rfl_names zero = {.left_out = 0};
    size_t n_missing = point->n_missing;
    for (size_t i = 0; i < RFL_N_FP_TYPES; i++)
        tally_put_work(tally, (enum rfl_sum_of)(RFL_FP64 + i), rfl_fp_types[i], point);
    bool is_lost = point->n_missing > n_missing;
    if (point->n_work == 0 && !is_lost &&
        (rfl_tally_sum(tally, RFL_ALL_TYPES, &why) > 0 || why)) {
        tally_put_work(tally, RFL_ALL_TYPES, "fp64", point);
        rfl_points_warn(point,
                        "the event counts fp64 and fp32 operations together: all are taken "
                        "as fp64, correct only for code in double precision");
        is_lost = why != NULL;
    }
    const char *zero_names = zeros(tally, &zero), *ignored = rfl_names_end(&tally->ignored);
    if (point->n_work > 0 || is_lost)
        return;
    if (*ignored || *zero_names || tally->help)
        rfl_points_missing(point, "operations", "no operations were counted%s%s%s%s%s%s",
                           *zero_names ? "; 0 by " : "", zero_names,
                           *ignored ? "; not used: " : "", ignored, tally->help ? "; " : "",
                           tally->help ? tally->help : "");
}

/* Whether each event of a sub-channel has its twin. */
static bool has_twins(const struct rfl_tally *tally, enum family family)
{
    int balance = 0;
    for (size_t i = 0; i < tally->n; i++) {
        const struct rfl_tally_entry *entry = &tally->entries[i];
        if (is_counted(entry) && entry->row->family == family)
            balance += strstr(entry->name, "sch0")   ? 1
                       : strstr(entry->name, "sch1") ? -1
                                                     : 0;
    }
    return balance == 0;
}

/* Puts the traffic of a memory: of the first family that has it all. sum: of the reads. */
static void tally_put_level(const struct rfl_tally *tally, enum rfl_sum_of sum,
                            const char *level, struct rfl_point *point)
{
    char what[24], used[512] = "";
    const char *reason = NULL;
    snprintf(what, sizeof what, "%s bytes", level);
    for (enum family family = 0; family < N_FAMILIES; family++) {
        const struct rfl_tally_entry *lost = NULL;
        const struct rfl_tally_group *parts[3]; /* reads, writes, all */
        bool has[3];
        char terms[512] = "";
        for (unsigned part = 0; part < 3; part++) {
            parts[part] = find_group(tally, sum + part, family, "");
            has[part] = parts[part] && !parts[part]->lost;
            lost = !lost && parts[part] ? parts[part]->lost : lost;
        }
        bool has_both = has[0] && has[1], is_whole = has_twins(tally, family);
        for (unsigned part = 0; part < 3; part++)
            if (has[part] && (part < 2 ? has_both || !has[2] : !has_both))
                add_terms(tally, parts[part], terms, sizeof terms);
        if (!*terms && !lost)
            continue;
        if (*used && *terms) {
            warn_alternative(used, terms, point);
        } else if (!*used && is_whole && (has_both || has[2])) {
            snprintf(used, sizeof used, "%s", terms);
            ert_append(terms, sizeof terms, ": requests of 64 bytes (%s)", tally->tool);
            rfl_points_accesses(point, level,
                                has_both ? parts[0]->value + parts[1]->value
                                         : parts[2]->value,
                                has_both ? parts[0]->value : NAN, true, terms);
        } else if (!*used && !reason) {
            reason = lost        ? why_lost(tally, lost)
                     : !is_whole ? "only one of two sub-channels was counted"
                     : has[0]    ? "only reads were counted, both are needed"
                                 : "only writes were counted, both are needed";
        }
    }
    if (!*used && reason)
        rfl_points_missing(point, what, "%s", reason);
}

static void put_accesses(const struct rfl_tally *tally, struct rfl_point *point)
{
    for (size_t i = 0; i < tally->n; i++)
        if (tally->entries[i].row && tally->entries[i].row->sum == RFL_ACCESSES &&
            !tally->entries[i].why) {
            rfl_points_missing(
                point, "L1 bytes",
                "%s counts loads and stores, not their width: bytes at L1 need Intel SDE",
                tally->entries[i].printed);
            return;
        }
}

void rfl_tally_put(struct rfl_tally *tally, struct rfl_point *point)
{
    put_all_work(tally, point);
    tally_put_level(tally, RFL_DRAM_READ, "DRAM", point);
    tally_put_level(tally, RFL_MCDRAM_READ, "MCDRAM", point);
    put_accesses(tally, point);
    double instructions = rfl_tally_sum(tally, RFL_INSTRUCTIONS, NULL),
           energy_j = rfl_tally_sum(tally, RFL_ENERGY_J, NULL),
           clock_s = rfl_tally_sum(tally, RFL_TASK_CLOCK_S, NULL),
           cycles = rfl_tally_sum(tally, RFL_CYCLES, NULL);
    if (instructions > 0)
        point->instructions = instructions;
    if (energy_j > 0)
        point->energy_j = energy_j;
    if (cycles > 0 && clock_s > 0)
        point->clock_hz = cycles / clock_s;
    if (*tally->shares)
        rfl_points_warn(point,
                        "kinds of cores ran the program one after the other (%s of the "
                        "time): each one's counts are multiplied by its share",
                        tally->shares);
    const char *twice = rfl_names_end(&tally->twice),
               *suspect = rfl_names_end(&tally->suspect);
    if (*twice)
        rfl_points_warn(point, "counted more than once, used once: %s", twice);
    if (*suspect)
        rfl_points_warn(point, "not used, though they can count operations or bytes: %s",
                        suspect);
    if (tally->unsupported)
        rfl_points_warn(point,
                        "%s is not supported here: its count is taken as 0 if other events "
                        "of its type were counted",
                        tally->unsupported);
    if (tally->multiplexed)
        rfl_points_warn(point,
                        "%s was counted %.4g %% of the time and scaled up: events were "
                        "multiplexed, count fewer at once",
                        tally->multiplexed, 100 * tally->least_share);
}

void rfl_tally_clear(struct rfl_tally *tally)
{
    free(tally->entries);
    free(tally->groups);
    ert_strings_free(&tally->keys);
    ert_strings_free(&tally->listed);
    *tally = (struct rfl_tally){
        .in = tally->in, .tool = tally->tool, .lost = tally->lost, .help = tally->help};
}
