/* The events of perf_recipes.def: for the importer's help, and for who lacks some on a known CPU. */
#include "analysis/import/perf.h"

#include <string.h>

const char rfl_perf_how[] = "perf stat -x ';' -o FILE -e "
                            "duration_time,task-clock,cycles,EVENTS ./a.out; EVENTS, and "
                            "what counts the memory of the whole machine, by CPU:"
#define RFL_PERF_RECIPE(id, cpus, operations, memory)                                      \
    "\n                    " cpus ": " operations "; -a " memory
#define RFL_PERF_CPUS(...)
#include "analysis/import/perf_recipes.def"
    ;

enum recipe_id {
#define RFL_PERF_RECIPE(id, ...) RECIPE_##id,
#define RFL_PERF_CPUS(...)
#include "analysis/import/perf_recipes.def"
};

static const struct recipe {
    const char *cpus, *operations, *memory;
} recipes[] = {
#define RFL_PERF_RECIPE(id, ...) [RECIPE_##id] = {__VA_ARGS__},
#define RFL_PERF_CPUS(...)
#include "analysis/import/perf_recipes.def"
};

static const struct {
    const char *vendor;
    uint32_t family, first, last;
    enum recipe_id id;
} cpus[] = {
#define RFL_PERF_RECIPE(...)
#define RFL_PERF_CPUS(vendor, family, first, last, id)                                     \
    {vendor, family, first, last, RECIPE_##id},
#include "analysis/import/perf_recipes.def"
};

static const struct recipe *find(const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++)
        if (strcmp(cpus[i].vendor, cpu->vendor) == 0 && cpus[i].family == cpu->family &&
            cpus[i].first <= cpu->model && cpu->model <= cpus[i].last)
            return &recipes[cpus[i].id];
    return NULL;
}

static void advise(struct rfl_points *points, struct rfl_missing *missing,
                   const struct recipe *recipe)
{
    char text[640];
    bool is_work = strcmp(missing->what, "operations") == 0;
    if (!is_work && strcmp(missing->what, "DRAM bytes") != 0)
        return;
    snprintf(text, sizeof text, "%.400s; on %s: perf stat %s %s", missing->reason,
             recipe->cpus, is_work ? "-e" : "-a",
             is_work ? recipe->operations : recipe->memory);
    missing->reason = rfl_points_text(points, text);
}

void rfl_perf_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    const struct recipe *recipe = find(cpu);
    for (size_t i = 0; recipe && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_missing; j++)
            if (strcmp(points->points[i].format, rfl_import_perf.name) == 0)
                advise(points, &points->points[i].missing[j], recipe);
}
