#include "ert/cli/plan_text.h"

#include "ert/base/units.h"
#include "ert/machine/theory.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/sets.h"

#include <string.h>

void ert_cli_assume_isa(struct ert_machine *machine)
{
    static const struct ert_isa unknown;
    for (uint32_t i = 0; i < machine->n_devices; i++) {
        struct ert_device *device = &machine->devices[i];
        if (strcmp(device->backend, "cpu") == 0 &&
            memcmp(&device->cpu.isa, &unknown, sizeof unknown) == 0)
            device->cpu.isa = ert_theory_isa(device);
    }
}

static const struct ert_numa_node *find_node(const struct ert_device *device,
                                             uint32_t os_index)
{
    for (uint32_t i = 0; i < device->cpu.n_numa; i++)
        if (device->cpu.numa[i].os_index == os_index)
            return &device->cpu.numa[i];
    return NULL;
}

/* "4 x MCDRAM of 4 GiB, nodes 4,5,6,7: bound, each thread to its nearest" */
static void print_memory(FILE *out, const struct ert_device *device,
                         const struct ert_level *level)
{
    char size[ERT_UNITS_TEXT], numbers[256] = "";
    uint32_t n = 0;
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        size_t used = strlen(numbers);
        if (ert_level_has_node(level, &device->cpu.numa[i]))
            snprintf(numbers + used, sizeof numbers - used, "%s%u", n++ ? "," : "",
                     device->cpu.numa[i].os_index);
    }
    const char *how = "by first touch, near each thread";
    if (ert_sets_far_node(device, level))
        how = n > 1 ? "bound, each thread to its nearest" : "bound";
    fprintf(out, "  memory: %u x %s of %s, node%s %s: %s\n", level->count, level->name,
            level->size_bytes ? ert_units_capacity(level->size_bytes, size)
                              : "unknown size",
            n > 1 ? "s" : "", numbers, how);
}

static void print_cpu(FILE *out, const struct ert_device_samples *plan,
                      const struct ert_device *device)
{
    uint32_t least = 0, most = 0;
    for (size_t i = 0; i < plan->n_points; i++) {
        const struct ert_point *point = &plan->points[i];
        bool is_sweep = point->section == ERT_SECTION_CONCURRENCY;
        uint32_t threads = point->variant.threads;
        if (is_sweep && (least == 0 || threads < least))
            least = threads;
        if (is_sweep && threads > most)
            most = threads;
    }
    uint32_t threads = 0;
    for (size_t i = 0; i < plan->n_points && threads == 0; i++)
        if (plan->points[i].section == ERT_SECTION_LEVELS ||
            plan->points[i].section == ERT_SECTION_COMPUTE)
            threads = plan->points[i].variant.threads;
    if (threads)
        fprintf(out, "  threads: %u on %u cores of %u hardware threads\n", threads,
                device->cpu.n_cores_usable, device->cpu.n_pus_usable);
    if (most)
        fprintf(out, "  threads in section concurrency: %u to %u\n", least, most);
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_MEMORY && device->cpu.n_numa > 0)
            print_memory(out, device, &device->levels[i]);
}

/* Whether two points share a line; ERT's own sweep has one for each thread count or launch. */
static bool is_alike(const struct ert_point *a, const struct ert_point *b)
{
    return a->case_.kernel == b->case_.kernel && a->case_.path == b->case_.path &&
           a->case_.from == b->case_.from && a->case_.to == b->case_.to &&
           (a->ert110_trials == 0 || strcmp(a->variant.name, b->variant.name) == 0);
}

/* The flops per element of some points, "1, 2, 8", each once where they stand together. */
static const char *flops_of(const struct ert_point *first, const struct ert_point *last,
                            char *text, size_t size)
{
    *text = '\0';
    for (const struct ert_point *point = first; point <= last; point++) {
        size_t used = strlen(text);
        uint32_t flops = point->case_.flops_per_element;
        if (point == first || flops != point[-1].case_.flops_per_element)
            snprintf(text + used, size - used, "%s%u", used ? ", " : "", flops);
    }
    return text;
}

/* "sets of 1 MiB to 32 MiB", and in which memory where that is not near the threads. */
static void print_line(FILE *out, const struct ert_device *device,
                       const struct ert_point *first, const struct ert_point *last)
{
    char low[ERT_UNITS_TEXT], high[ERT_UNITS_TEXT];
    const struct ert_case *case_ = &first->case_;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    ert_units_capacity(case_->working_set_bytes, low);
    ert_units_capacity(last->case_.working_set_bytes, high);
    size_t n = (size_t)(last - first) + 1;
    fprintf(out, "  %-12s %-10s %4zu %-7s", ert_kernel_row(case_->kernel)->name,
            ert_path_name(case_->path), n, n == 1 ? "point," : "points,");
    if (case_->working_set_bytes)
        fprintf(out, strcmp(low, high) == 0 ? " sets of %s," : " sets of %s to %s,", low,
                high);
    char flops[64];
    if (first->ert110_trials)
        fprintf(out, " %s flops,", flops_of(first, last, flops, sizeof flops));
    fprintf(out, " %s", first->variant.name);
    const struct ert_numa_node *node =
        is_cpu && case_->to ? find_node(device, case_->to - 1) : NULL;
    if (node && case_->from)
        fprintf(out, ", package %u in %s of node %u", case_->from - 1, node->kind,
                node->os_index);
    else if (node)
        fprintf(out, ", in %s", node->kind);
    fputc('\n', out);
}

void ert_cli_print_plan(FILE *out, const struct ert_samples *samples)
{
    for (size_t d = 0; d < samples->n_devices; d++) {
        const struct ert_device_samples *plan = &samples->devices[d];
        const struct ert_device *device =
            ert_machine_device(&samples->machine, plan->device);
        char time[ERT_UNITS_TEXT];
        fprintf(out, "%s: %zu points, about %s\n", plan->device, plan->n_points,
                ert_units_time(ert_plan_estimate_s(samples, d), time));
        if (device->kind == ERT_DEVICE_CPU)
            print_cpu(out, plan, device);
        for (size_t i = 0, last; i < plan->n_points; i = last + 1) {
            for (last = i; last + 1 < plan->n_points &&
                           is_alike(&plan->points[i], &plan->points[last + 1]);)
                last++;
            print_line(out, device, &plan->points[i], &plan->points[last]);
        }
        for (size_t i = 0; i < plan->n_absent; i++)
            fprintf(out, "  %-12s not here: %s\n", plan->absent[i].name,
                    plan->absent[i].reason);
    }
}
