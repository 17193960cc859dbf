/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/plot/network.h"

#include "ert/base/alloc.h"
#include "ert/base/lines.h"
#include "ert/base/units.h"
#include "ert/fleet/net_record.h"
#include "ert/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what was measured ---- */

static double *value_of(struct rfl_network *network, enum ert_net_test test)
{
    switch ((int)test) {
    case ERT_NET_LATENCY:
        return &network->latency_s;
    case ERT_NET_ONE_WAY:
        return &network->one_way_bytes_per_s;
    case ERT_NET_MESSAGE_RATE:
        return &network->rate_per_s;
    case ERT_NET_LOGGP_LATENCY:
        return &network->loggp.latency_s;
    case ERT_NET_LOGGP_OVERHEAD:
        return &network->loggp.overhead_s;
    case ERT_NET_LOGGP_GAP:
        return &network->loggp.gap_s;
    case ERT_NET_LOGGP_GAP_PER_BYTE:
        return &network->loggp.gap_per_byte_s;
    default:
        return NULL;
    }
}

enum ert_status rfl_network_of(const struct ert_device_ceilings *device,
                               struct rfl_network *network, struct ert_error *error)
{
    *network = (struct rfl_network){0};
    for (size_t i = 0; i < device->n_extra[ERT_EXTRA_NETWORK]; i++) {
        const struct ert_extra *extra = &device->extra[ERT_EXTRA_NETWORK][i];
        for (int test = 0; test < ERT_NET_N_TESTS; test++) {
            double *value = value_of(network, (enum ert_net_test)test);
            if (value && strcmp(extra->of, ert_net_test_words[test]) == 0)
                *value = extra->common.value;
        }
    }
    snprintf(network->name, sizeof network->name, "%.15s, ceilings of ert-net",
             device->device);
    return device->n_extra[ERT_EXTRA_NETWORK]
               ? ERT_OK
               : ert_fail(
                     error, ERT_UNAVAILABLE,
                     "%s has no ceilings of the network: `ert-net --into FILE` measures "
                     "them",
                     device->device);
}

/* The values of a test for all pairs, while a file is read. */
struct values {
    double *values;
    size_t n, capacity;
};

struct reader {
    struct rfl_network *network;
    struct values of[ERT_NET_N_TESTS];
};

static void keep(struct reader *reader, const struct ert_net_record *record)
{
    struct rfl_network *network = reader->network;
    if (record->line == ERT_NET_RUN)
        snprintf(network->name, sizeof network->name, "%.80s, %u hosts%s", record->mpi,
                 (unsigned)record->n_hosts,
                 record->memory == ERT_NET_GPU_MEMORY ? ", GPU memory" : "");
    if (record->line != ERT_NET_PAIR || record->repeat || record->state != ERT_NET_OK)
        return;
    if (record->messages && record->test == ERT_NET_ONE_WAY) {
        network->points = ert_xgrow(network->points, network->n_points, &network->capacity,
                                    sizeof *network->points);
        network->points[network->n_points++] =
            (struct ert_loggp_point){record->messages, record->size_bytes,
                                     record->messages * record->size_bytes / record->value};
        return;
    }
    struct values *of = &reader->of[record->test];
    of->values = ert_xgrow(of->values, of->n, &of->capacity, sizeof *of->values);
    of->values[of->n++] = record->value;
}

static enum ert_status read_lines(struct ert_lines *lines, struct reader *reader,
                                  struct ert_error *error)
{
    for (char *line; (line = ert_lines_next(lines));) {
        struct ert_net_record record = {0};
        char place[256];
        cJSON *root = NULL;
        snprintf(place, sizeof place, "%.200s:%zu", lines->file, lines->number);
        ERT_TRY(ert_json_parse_line(line, strlen(line), place, &root, error));
        enum ert_status status =
            ert_net_record_read(ert_json_root(root, place), &record, error);
        if (status == ERT_OK)
            keep(reader, &record);
        ert_net_record_free(&record);
        cJSON_Delete(root);
        ERT_TRY(status);
    }
    return ert_lines_end(lines, error);
}

enum ert_status rfl_network_read(const char *file, struct rfl_network *network,
                                 struct ert_error *error)
{
    struct reader reader = {.network = network};
    struct ert_lines lines;
    bool has = false;
    *network = (struct rfl_network){0};
    ERT_TRY(ert_lines_open(file, &lines, error));
    enum ert_status status = read_lines(&lines, &reader, error);
    ert_lines_close(&lines);
    for (int test = 0; test < ERT_NET_N_TESTS; test++) {
        struct values *of = &reader.of[test];
        double *value = value_of(network, (enum ert_net_test)test);
        if (value && of->n)
            *value = ert_stats_quantile(of->values, of->n, 0.5);
        has |= of->n > 0;
        free(of->values);
    }
    if (status == ERT_OK && !has && !network->n_points)
        status =
            ert_fail(error, ERT_UNAVAILABLE, "%.200s: no result between two hosts", file);
    return status;
}

void rfl_network_free(struct rfl_network *network)
{
    free(network->points);
    *network = (struct rfl_network){0};
}

/* ---- the message roofline ---- */

static const struct rfl_axes message_axes = {"Message size [byte]", "Bandwidth [byte/s]",
                                             "B", "B/s", false};

/* The numbers of messages per synchronization that have a line: those of ert-net's sweep. */
static const unsigned line_messages[] = {1, 8, 64};

static struct rfl_roof *add_level(struct rfl_scene *scene, double value)
{
    struct rfl_roof *roof = &scene->roofs[scene->n_levels++];
    *roof = (struct rfl_roof){.kind = RFL_ROOF_LEVEL, .value = value};
    return roof;
}

/* Call it after all levels are added. */
static struct rfl_roof *add_flat(struct rfl_scene *scene, double value)
{
    struct rfl_roof *roof = &scene->roofs[scene->n_levels + scene->n_flats++];
    *roof = (struct rfl_roof){.kind = RFL_ROOF_FMA, .value = value};
    return roof;
}

static int by_falling_value(const void *a, const void *b)
{
    const double first = ((const struct rfl_roof *)a)->value,
                 second = ((const struct rfl_roof *)b)->value;
    return (first < second) - (first > second);
}

/* Empty messages per second, n per synchronization; 0 unknown. */
static double rate_of(const struct rfl_network *network, unsigned n)
{
    const struct ert_loggp *loggp = &network->loggp;
    double time_s = loggp->latency_s > 0 ? ert_loggp_time(loggp, n, 0)
                    : n == 1             ? 2 * network->latency_s
                                         : 0;
    return time_s > 0 ? n / time_s : 0;
}

static void add_rates(const struct rfl_network *network, struct rfl_scene *scene)
{
    for (size_t i = 0; i < ERT_LENGTH(line_messages); i++) {
        const unsigned n = line_messages[i];
        double rate = rate_of(network, n);
        if (!(rate > 0))
            continue;
        struct rfl_roof *roof = add_level(scene, rate);
        snprintf(roof->level, sizeof roof->level, "n = %u", n);
        snprintf(roof->brief, sizeof roof->brief, "n = %u", n);
        snprintf(roof->full, sizeof roof->full, "n = %u: %s", n,
                 ert_units_rate(rate, "1/s").text);
    }
    if (network->loggp.gap_s > 0) {
        struct rfl_roof *roof = add_level(scene, 1 / network->loggp.gap_s);
        snprintf(roof->level, sizeof roof->level, "1/g");
        snprintf(roof->brief, sizeof roof->brief, "1/g");
        snprintf(roof->full, sizeof roof->full, "1/g: %s",
                 ert_units_rate(roof->value, "1/s").text);
    }
    if (network->rate_per_s > 0) {
        struct rfl_roof *roof = add_level(scene, network->rate_per_s);
        snprintf(roof->level, sizeof roof->level, "rate");
        snprintf(roof->brief, sizeof roof->brief, "message rate");
        snprintf(roof->full, sizeof roof->full, "message rate %s",
                 ert_units_rate(roof->value, "1/s").text);
    }
    qsort(scene->roofs, scene->n_levels, sizeof *scene->roofs, by_falling_value);
    scene->levels = scene->roofs;
    scene->flats = scene->roofs + scene->n_levels;
}

static void add_bandwidth(const struct rfl_network *network, struct rfl_scene *scene)
{
    const double by_model =
        network->loggp.gap_per_byte_s > 0 ? 1 / network->loggp.gap_per_byte_s : 0;
    if (network->one_way_bytes_per_s > 0) {
        struct rfl_roof *roof = add_flat(scene, network->one_way_bytes_per_s);
        snprintf(roof->brief, sizeof roof->brief, "one way");
        snprintf(roof->full, sizeof roof->full, "one way %s",
                 ert_units_bandwidth(roof->value).text);
    }
    if (by_model > 0) {
        struct rfl_roof *roof = add_flat(scene, by_model);
        roof->kind = RFL_ROOF_MIX;
        snprintf(roof->brief, sizeof roof->brief, "1/G");
        snprintf(roof->full, sizeof roof->full, "1/G %s",
                 ert_units_bandwidth(roof->value).text);
    }
    qsort(scene->flats, scene->n_flats, sizeof *scene->flats, by_falling_value);
}

static size_t level_of(const struct rfl_scene *scene, double messages)
{
    char name[sizeof scene->levels->level];
    size_t i = 0;
    snprintf(name, sizeof name, "n = %u", (unsigned)messages);
    while (i < scene->n_levels && strcmp(scene->levels[i].level, name) != 0)
        i++;
    return i;
}

static void add_dots(const struct rfl_network *network, struct rfl_scene *scene)
{
    scene->dots = ert_xcalloc(network->n_points + 1, sizeof *scene->dots);
    for (size_t i = 0; i < network->n_points; i++) {
        const struct ert_loggp_point *point = &network->points[i];
        size_t level = level_of(scene, point->messages);
        if (level < scene->n_levels)
            scene->dots[scene->n_dots++] =
                (struct rfl_dot){level, point->size_bytes,
                                 point->messages * point->size_bytes / point->time_s};
    }
}

/* ---- what a program sent ---- */

/* A call and a message size, summed over all ranks. */
struct sent {
    const char *call;
    double size_bytes, calls, messages, bytes, time_s;
};

struct sums {
    struct sent *sent; /* malloc */
    size_t n, capacity;
    double wait_s, waits; /* in calls that complete what others started */
    double started_bytes, started_messages;
    bool has_collectives;
};

static bool starts(const char *call)
{
    return strncmp(call, "MPI_I", 5) == 0 || strncmp(call, "MPI_Start", 9) == 0;
}

static bool completes(const char *call)
{
    return strncmp(call, "MPI_Wait", 8) == 0 || strncmp(call, "MPI_Test", 8) == 0;
}

static void add_row(struct sums *sums, const struct rfl_message_row *row)
{
    size_t i = 0;
    while (i < sums->n &&
           (sums->sent[i].call != row->call || sums->sent[i].size_bytes != row->size_bytes))
        i++;
    if (i == sums->n) {
        sums->sent = ert_xgrow(sums->sent, sums->n, &sums->capacity, sizeof *sums->sent);
        sums->sent[sums->n++] =
            (struct sent){.call = row->call, .size_bytes = row->size_bytes};
    }
    sums->sent[i].calls += row->calls;
    sums->sent[i].messages += row->messages;
    sums->has_collectives |= row->messages == 0;
    sums->sent[i].bytes += row->bytes;
    sums->sent[i].time_s += row->time_s;
    if (starts(row->call)) {
        sums->started_bytes += row->bytes;
        sums->started_messages += row->messages;
    }
}

static int by_falling_time(const void *a, const void *b)
{
    const double first = ((const struct sent *)a)->time_s,
                 second = ((const struct sent *)b)->time_s;
    return (first < second) - (first > second);
}

static void sum_up(const struct rfl_messages *messages, struct sums *sums)
{
    for (size_t i = 0; i < messages->n; i++) {
        const struct rfl_message_row *row = &messages->rows[i];
        if (completes(row->call)) {
            sums->wait_s += row->time_s;
            sums->waits += row->calls;
        } else if (row->calls > 0 && row->bytes > 0 && row->time_s > 0) {
            add_row(sums, row);
        }
    }
    for (size_t i = 0; i < sums->n; i++)
        if (starts(sums->sent[i].call))
            sums->sent[i].time_s +=
                sums->wait_s * sums->sent[i].bytes / sums->started_bytes;
    if (sums->n)
        qsort(sums->sent, sums->n, sizeof *sums->sent, by_falling_time);
}

static struct rfl_kernel *add_kernel(struct rfl_scene *scene, const char *name, double x,
                                     double y)
{
    struct rfl_kernel *kernel = &scene->kernels[scene->n_kernels];
    *kernel = (struct rfl_kernel){.order = scene->n_kernels, .n_marks = 1};
    snprintf(kernel->brief, sizeof kernel->brief, "%s", name);
    snprintf(kernel->instance, sizeof kernel->instance, "%s", name);
    kernel->series = scene->n_kernels++;
    kernel->marks[0].intensity_flop_per_byte = x;
    kernel->marks[0].perf_flop_per_s = y;
    return kernel;
}

static void add_sent(const struct rfl_messages *messages, size_t max_points,
                     struct rfl_scene *scene)
{
    struct sums sums = {NULL, 0, 0, 0, 0, 0, 0, false};
    sum_up(messages, &sums);
    for (size_t i = 0; i < sums.n && i < max_points; i++) {
        const struct sent *sent = &sums.sent[i];
        const double size_bytes =
            sent->bytes / (sent->messages > 0 ? sent->messages : sent->calls);
        char name[80];
        snprintf(name, sizeof name, "%.40s %s", sent->call,
                 ert_units_amount(size_bytes, "B").text);
        add_kernel(scene, name, size_bytes, sent->bytes / sent->time_s);
    }
    if (sums.n > max_points)
        rfl_scene_note(scene,
                       "%zu of %zu calls and sizes are drawn, those that take the most "
                       "time.",
                       max_points, sums.n);
    if (sums.n)
        rfl_scene_note(scene, "Points: what a rank sends during its calls, also to ranks "
                              "of its own host.");
    if (sums.has_collectives)
        rfl_scene_note(scene,
                       "Collectives: per call %s; their time includes waiting for other "
                       "ranks.",
                       messages->is_mpip ? "the rank's buffer (mpiP)"
                                         : "the least that a rank must send");
    if (sums.started_messages > 0 && sums.waits > 0)
        rfl_scene_note(
            scene,
            "MPI_Isend and similar: n = %.3g messages per wait; the waits' time is theirs.",
            sums.started_messages / sums.waits);
    if (messages->n && !sums.n)
        rfl_scene_note(scene, "The program sent nothing.");
    free(sums.sent);
}

/* ---- axes ---- */

static void widen(double *min, double *max, double value)
{
    *min = fmin(*min, value);
    *max = fmax(*max, value);
}

static double decade_below(double value)
{
    return pow(10, floor(log10(value) + 1e-9));
}

static double decade_above(double value)
{
    return pow(10, ceil(log10(value) - 1e-9));
}

static void message_range(struct rfl_scene *scene)
{
    scene->x_min = 8;
    scene->x_max = 4 << 20;
    for (size_t i = 0; i < scene->n_dots; i++)
        widen(&scene->x_min, &scene->x_max, scene->dots[i].intensity_flop_per_byte);
    for (size_t i = 0; i < scene->n_kernels; i++)
        widen(&scene->x_min, &scene->x_max,
              scene->kernels[i].marks[0].intensity_flop_per_byte);
    scene->x_min = decade_below(scene->x_min);
    scene->x_max = decade_above(scene->x_max);
    scene->y_min = INFINITY;
    scene->y_max = 0;
    for (size_t i = 0; i < scene->n_levels; i++)
        widen(&scene->y_min, &scene->y_max, scene->levels[i].value * scene->x_min);
    for (size_t i = 0; i < scene->n_flats; i++)
        widen(&scene->y_min, &scene->y_max, scene->flats[i].value);
    for (size_t i = 0; i < scene->n_dots; i++)
        widen(&scene->y_min, &scene->y_max, scene->dots[i].perf_flop_per_s);
    for (size_t i = 0; i < scene->n_kernels; i++)
        widen(&scene->y_min, &scene->y_max, scene->kernels[i].marks[0].perf_flop_per_s);
    scene->y_min = decade_below(scene->y_min);
    scene->y_max = decade_above(2 * scene->y_max);
}

enum ert_status rfl_network_scene(const struct rfl_network *network,
                                  const struct rfl_messages *messages, size_t max_points,
                                  struct rfl_scene *scene, struct ert_error *error)
{
    const struct ert_loggp *loggp = &network->loggp;
    *scene = (struct rfl_scene){.axes = &message_axes, .n_machines = 1};
    snprintf(scene->title, sizeof scene->title, "Message roofline");
    snprintf(scene->subtitle, sizeof scene->subtitle, "%s", network->name);
    snprintf(scene->dots_are, sizeof scene->dots_are, "measured (n messages at a time):");
    add_rates(network, scene);
    add_bandwidth(network, scene);
    if (!scene->n_levels && !scene->n_flats)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "no latency, rate or bandwidth of the network is known");
    add_dots(network, scene);
    ert_strings_keep(&scene->mark_levels, "NET");
    add_sent(messages, max_points, scene);
    if (!scene->n_kernels)
        ert_strings_free(&scene->mark_levels);
    message_range(scene);
    rfl_scene_note(scene, "n: messages per synchronization. Lines bound the model's curve "
                          "n s / T(n, s), which bends below their corners.");
    if (loggp->gap_per_byte_s > 0)
        rfl_scene_note(scene, "LogGP: L %s, o %s, g %s, 1/G %s.",
                       ert_units_time(loggp->latency_s).text,
                       ert_units_time(loggp->overhead_s).text,
                       ert_units_time(loggp->gap_s).text,
                       ert_units_bandwidth(1 / loggp->gap_per_byte_s).text);
    return ERT_OK;
}

/* ---- the Ridgeline ---- */

static const struct rfl_axes ridgeline_axes = {
    "Arithmetic intensity of memory [FLOP/byte]",
    "Arithmetic intensity of the network [FLOP/byte]", "FLOP/byte", "FLOP/byte", true};

/* The limits: operations per second, bytes per second. */
struct limits {
    const struct rfl_peak *peak;
    const struct rfl_bandwidth *memory, *network;
    double per_memory, per_network; /* P / M and P / N, FLOP/byte */
};

static const struct rfl_peak *peak_of(const struct rfl_roofs *roofs, const char *type)
{
    const struct rfl_peak *best = NULL;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *peak = &roofs->peaks[i];
        if ((!type || strcmp(peak->type, type) == 0) && peak->rate.is_roof &&
            strcmp(rfl_rate_unit(peak->type), "flop/s") == 0 &&
            (!best || peak->rate.value > best->rate.value))
            best = peak;
    }
    return best;
}

static enum ert_status find_limits(const struct rfl_roofs *roofs, const char *type,
                                   struct limits *limits, struct ert_error *error)
{
    const bool is_any = !type || strcmp(type, "all") == 0;
    limits->peak = peak_of(roofs, is_any ? "fp64" : type);
    if (is_any && !limits->peak)
        limits->peak = peak_of(roofs, NULL);
    limits->memory = rfl_roofs_level(roofs, "memory", NULL);
    limits->network = rfl_roofs_level(roofs, "NET", NULL);
    if (!limits->peak || !limits->memory || !limits->network)
        return ert_fail(error, ERT_UNAVAILABLE, "%s has no ceiling of %s", roofs->device,
                        !limits->peak ? "such operations"
                        : !limits->memory
                            ? "memory"
                            : "the network: `ert-net --into FILE` measures it");
    limits->per_memory = limits->peak->rate.value / limits->memory->rate.value;
    limits->per_network = limits->peak->rate.value / limits->network->rate.value;
    return ERT_OK;
}

/* The longest of the three times, relative to that of the operations. */
static const char *bound_of(double x, double y, const struct limits *limits)
{
    const double memory = limits->per_memory / x, network = limits->per_network / y;
    return fmax(memory, network) <= 1 ? "compute"
           : memory >= network        ? "memory"
                                      : "network";
}

/* The bytes at a level with this name, else at a memory with another name. */
static const struct rfl_traffic *memory_of(const struct rfl_point *point, const char *level)
{
    const struct rfl_traffic *found = rfl_point_traffic(point, level);
    for (size_t i = 0; i < point->n_traffic && !found; i++)
        if (rfl_level_depth(point->traffic[i].level) == RFL_DEPTH_MEMORY)
            found = &point->traffic[i];
    return found;
}

static void add_points(const struct rfl_scene_options *options, const char *level,
                       const struct limits *limits, struct rfl_scene *scene)
{
    const size_t max = options->max_kernels ? options->max_kernels : RFL_DEFAULT_KERNELS;
    size_t n_left = 0;
    for (size_t i = 0; options->points && i < options->points->n; i++) {
        const struct rfl_point *point = &options->points->points[i];
        const struct rfl_traffic *memory = memory_of(point, level),
                                 *network = rfl_point_traffic(point, "NET");
        double flops = rfl_point_flops(point);
        if (!(flops > 0) || !memory || !network) {
            rfl_scene_note(scene, "%s is not drawn: it has no %s.", point->name,
                           !(flops > 0) ? "operations"
                           : !memory    ? "bytes of memory"
                                        : "bytes of level NET");
            continue;
        }
        if (scene->n_kernels == max) {
            n_left++;
            continue;
        }
        double x = flops / memory->bytes, y = flops / network->bytes;
        add_kernel(scene, point->name, x, y);
        rfl_scene_note(scene, "%s: bound by %s.", point->name, bound_of(x, y, limits));
    }
    if (n_left)
        rfl_scene_note(scene, "%zu more points are not drawn.", n_left);
    if (scene->n_kernels)
        ert_strings_keep(&scene->mark_levels, "NET");
}

static void add_regions(const struct limits *limits, struct rfl_scene *scene)
{
    const double x = limits->per_memory, y = limits->per_network;
    struct rfl_roof *roof = add_level(scene, y / x);
    snprintf(roof->level, sizeof roof->level, "NET");
    snprintf(roof->brief, sizeof roof->brief, "memory = network");
    snprintf(roof->full, sizeof roof->full, "memory = network: %.3g bytes per byte", y / x);
    scene->levels = scene->roofs;
    scene->flats = scene->roofs + 1;
    roof = add_flat(scene, y);
    snprintf(roof->brief, sizeof roof->brief, "compute = network");
    snprintf(roof->full, sizeof roof->full, "compute = network: %.3g FLOP/byte", y);
    scene->wall_x = x;
    scene->wall_y = y;
    scene->x_min = x;
    scene->x_max = x;
    scene->y_min = y;
    scene->y_max = y;
    for (size_t i = 0; i < scene->n_kernels; i++) {
        const struct rfl_mark *mark = &scene->kernels[i].marks[0];
        widen(&scene->x_min, &scene->x_max, mark->intensity_flop_per_byte);
        widen(&scene->y_min, &scene->y_max, mark->perf_flop_per_s);
    }
    scene->x_min = decade_below(scene->x_min / 10);
    scene->x_max = decade_above(scene->x_max * 10);
    scene->y_min = decade_below(scene->y_min / 10);
    scene->y_max = decade_above(scene->y_max * 10);
    scene->regions[0] =
        (struct rfl_region){sqrt(x * scene->x_min), sqrt(y * scene->y_max), "memory-bound"};
    scene->regions[1] = (struct rfl_region){sqrt(x * scene->x_max), sqrt(y * scene->y_max),
                                            "compute-bound"};
    scene->regions[2] = (struct rfl_region){sqrt(x * scene->x_max), sqrt(y * scene->y_min),
                                            "network-bound"};
    scene->n_regions = 3;
}

enum ert_status rfl_ridgeline_scene(const struct rfl_scene_device *device,
                                    const struct rfl_scene_options *options,
                                    struct rfl_scene *scene, struct ert_error *error)
{
    static const struct rfl_roofs_options plain = {0};
    struct rfl_roofs *roofs = ert_xcalloc(1, sizeof *roofs);
    struct limits limits = {0};
    *scene = (struct rfl_scene){.axes = &ridgeline_axes, .n_machines = 1};
    enum ert_status status =
        rfl_roofs_make(device->ceilings, device->index, &plain, roofs, error);
    if (status == ERT_OK)
        status = find_limits(roofs, options->type, &limits, error);
    if (status == ERT_OK) {
        snprintf(scene->title, sizeof scene->title, "%s%s",
                 options->title ? "" : "Ridgeline of ",
                 options->title ? options->title : roofs->name);
        snprintf(
            scene->subtitle, sizeof scene->subtitle, "%s: %s %s, %s %s, NET %s %s",
            roofs->device, limits.peak->rate.name,
            ert_units_performance(limits.peak->rate.value).text, limits.memory->rate.name,
            ert_units_bandwidth(limits.memory->rate.value).text, limits.network->pattern,
            ert_units_bandwidth(limits.network->rate.value).text);
        add_points(options, limits.memory->level, &limits, scene);
        add_regions(&limits, scene);
        rfl_scene_note(scene, "compute = memory at %.3g FLOP/byte.", limits.per_memory);
    }
    free(roofs);
    return status;
}
