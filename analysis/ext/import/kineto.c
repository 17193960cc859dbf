/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traces of PyTorch's profiler (Kineto, Chrome's trace format): a kernel carries the id of the operator that
 * started it, which carries the shapes of its arguments; operators.h tells what that computes and moves at
 * least. A point is an operator with its shapes; a kernel without an operator is one, too. The trace is read
 * as it streams, since it can be larger than memory: of its events only those of operators and of the device
 * are kept, as a few numbers each, and each text once.
 */
#include "analysis/ext/import/common.h"
#include "analysis/ext/import/operators.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char events_key[] = RFL_TRACE_KEY;

/* A part of the text that was read. */
struct slice {
    const char *text;
    size_t n;
};

/* The text while it streams: what was read and not used yet is buffer[begin, end). */
struct kineto_text {
    struct ert_lines *lines;
    char *buffer; /* malloc */
    size_t begin, end, capacity, offset;
};

enum { KINETO_BLOCK = 1 << 20, KINETO_LONGEST = 64 << 20 };

/* Reads more; false at the end. */
static bool kineto_fill(struct kineto_text *text)
{
    const size_t n = text->end - text->begin;
    if (text->begin)
        memmove(text->buffer, text->buffer + text->begin, n);
    text->offset += text->begin;
    text->begin = 0;
    text->end = n;
    if (n + KINETO_BLOCK > text->capacity) {
        if (n >= KINETO_LONGEST)
            return false;
        text->capacity = 2 * (n + KINETO_BLOCK);
        text->buffer = ert_xrealloc(text->buffer, text->capacity, 1);
    }
    const size_t more = fread(text->buffer + n, 1, KINETO_BLOCK, text->lines->stream);
    text->end += more;
    return more > 0;
}

/* The end of a string whose quotation mark is before `at`; NULL: not before `end`. */
static const char *kineto_string_end(const char *at, const char *end)
{
    while ((at = memchr(at, '"', (size_t)(end - at)))) {
        size_t n = 0;
        while (at[-1 - (ptrdiff_t)n] == '\\')
            n++;
        at++;
        if (n % 2 == 0)
            return at;
    }
    return NULL;
}

/* The end of a value; NULL: not before `end`. */
static const char *kineto_value_end(const char *at, const char *end)
{
    for (size_t depth = 0; at < end;) {
        const char byte = *at++;
        if (byte == '"' && !(at = kineto_string_end(at, end)))
            return NULL;
        if (byte == '{' || byte == '[')
            depth++;
        else if (depth > 0 && (byte == '}' || byte == ']'))
            depth--;
        else if (depth == 0 && byte != '"')
            while (at < end && !strchr(",}] \t\r\n", *at))
                at++;
        if (depth == 0)
            return at < end ? at : NULL;
    }
    return NULL;
}

static const char *kineto_blank_end(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n,:", *at) && *at)
        at++;
    return at;
}

/* Moves to the first value of the array of events. */
static enum ert_status kineto_begin(struct kineto_text *text, struct ert_error *error)
{
    const size_t n_key = sizeof events_key - 1;
    do {
        const size_t n = text->end - text->begin;
        const char *end = text->buffer + text->end,
                   *found = n < n_key ? NULL : memmem(end - n, n, events_key, n_key),
                   *list = found ? kineto_blank_end(found + n_key, end) : end;
        if (list < end) {
            text->begin = (size_t)(list - text->buffer) + 1;
            if (*list == '[')
                return ERT_OK;
        } else if (!found && n > n_key) {
            text->begin = text->end - n_key;
        }
    } while (kineto_fill(text));
    return ert_fail(error, ERT_USAGE, "%.200s: no array %s", text->lines->file, events_key);
}

/* The next event, an object of the array; *object has no text at the end of the array. */
static enum ert_status kineto_next(struct kineto_text *text, struct slice *object,
                                   struct ert_error *error)
{
    *object = (struct slice){NULL, 0};
    do {
        const char *end = text->buffer + text->end,
                   *at = kineto_blank_end(text->buffer + text->begin, end);
        if (at < end && *at == ']')
            return ERT_OK;
        const char *next = at < end ? kineto_value_end(at, end) : NULL;
        if (next) {
            *object = (struct slice){at, (size_t)(next - at)};
            text->begin = (size_t)(next - text->buffer);
            return ERT_OK;
        }
    } while (kineto_fill(text));
    return ert_fail(error, ERT_USAGE,
                    "%.200s: ends within an event, at byte %zu: the trace is incomplete",
                    text->lines->file, text->offset + text->begin);
}

/* What is read of an event, and its key; the arguments are of its object "args". */
#define MEMBERS(ROW)                                                                       \
    ROW(CATEGORY, "cat")                                                                   \
    ROW(NAME, "name")                                                                      \
    ROW(START, "ts")                                                                       \
    ROW(DURATION, "dur")                                                                   \
    ROW(ID, "External id")                                                                 \
    ROW(LAUNCH, "correlation")                                                             \
    ROW(BYTES, "bytes")                                                                    \
    ROW(DIMS, "Input Dims")                                                                \
    ROW(TYPES, "Input type")                                                               \
    ROW(STRIDES, "Input Strides")                                                          \
    ROW(VALUES, "Concrete Inputs")                                                         \
    ROW(COLLECTIVE, "Collective name")
#define MEMBER(id, key) id,
#define KEY(id, key)    key,
enum member { MEMBERS(MEMBER) N_MEMBERS };
static const char *const member_keys[N_MEMBERS] = {MEMBERS(KEY)};

/* Collects the members of an event or of its "args"; strings without their quotation marks. */
static void kineto_members(struct slice object, bool is_event,
                           struct slice members[N_MEMBERS])
{
    const char *at = object.text + 1, *end = object.text + object.n;
    while ((at = kineto_blank_end(at, end)) < end && *at == '"') {
        const char *key = at + 1, *key_end = kineto_string_end(key, end);
        const char *value = key_end ? kineto_blank_end(key_end, end) : end,
                   *next = value < end ? kineto_value_end(value, end) : NULL;
        if (!next)
            return;
        const size_t n_key = (size_t)(key_end - key) - 1;
        const bool is_text = *value == '"';
        const struct slice found = {value + is_text, (size_t)(next - value) - 2 * is_text};
        if (is_event && n_key == 4 && memcmp(key, "args", 4) == 0)
            kineto_members(found, false, members);
        for (size_t i = 0; i < N_MEMBERS; i++)
            if (strlen(member_keys[i]) == n_key && memcmp(member_keys[i], key, n_key) == 0)
                members[i] = found;
        at = next;
    }
}

static bool kineto_is(struct slice slice, const char *text)
{
    return slice.n == strlen(text) && memcmp(slice.text, text, slice.n) == 0;
}

static double kineto_number(struct slice slice)
{
    return slice.n ? strtod(slice.text, NULL) : NAN;
}

/* An operator that was called, and what the device did for one. */
struct kineto_call {
    double id;
    size_t group;
    bool is_started; /* work on the device; of some traces by one of those with the id */
};
struct kineto_work {
    double start_us, time_us, id, launch, bytes;
    size_t kernel; /* its name's index in the groups' keys */
};

/* Calls of one operator with the same arguments: a point. */
struct kineto_group {
    double time_us, longest_us, n_calls, n_kernels, n_copies, bytes;
    size_t longest; /* the kernel's index in the keys */
    unsigned units;
};

struct kineto {
    const struct rfl_import *in;
    struct kineto_text text;
    /* JSON arrays: ["name", dims, types, strides, values] of an operator, ["name"] of a kernel. */
    struct ert_strings keys;
    struct ert_strings names;    /* of points, in their order */
    struct kineto_call *calls;   /* malloc */
    struct kineto_work *works;   /* malloc */
    struct kineto_group *groups; /* malloc; by the keys' indices */
    double *graphs;              /* malloc; their launches */
    size_t n_calls, room_calls, n_works, room_works, n_graphs, room_graphs;
    char *key; /* malloc */
    size_t room_key;
};

/* The index of the key of an operator, or of a kernel. */
static size_t kineto_key(struct kineto *kineto, const struct slice members[N_MEMBERS],
                         bool is_kernel)
{
    static const enum member parts[] = {NAME, DIMS, TYPES, STRIDES, VALUES};
    /* Longer ones are numbers, and differ from call to call. */
    enum { LONGEST_VALUES = 512 };
    const size_t n_parts = is_kernel ? 1 : ERT_LENGTH(parts);
    size_t n = 0, room = 16;
    for (size_t i = 0; i < n_parts; i++)
        room += members[parts[i]].n + 8;
    if (room > kineto->room_key)
        kineto->key = ert_xrealloc(kineto->key, kineto->room_key = 2 * room, 1);
    for (size_t i = 0; i < n_parts; i++) {
        struct slice part = members[parts[i]];
        const char *quote = parts[i] == NAME ? "\"" : "";
        if (parts[i] != NAME && (!part.n || (i == n_parts - 1 && part.n > LONGEST_VALUES)))
            part = (struct slice){"[]", 2};
        n += (size_t)snprintf(kineto->key + n, kineto->room_key - n, "%s%s%.*s%s",
                              i ? "," : "[", quote, (int)part.n, part.text, quote);
    }
    snprintf(kineto->key + n, kineto->room_key - n, "]");
    return ert_strings_index(&kineto->keys, kineto->key);
}

/* Keeps what is needed of an event; false: the device's work has no time. */
static bool kineto_take(struct kineto *kineto, struct slice object)
{
    struct slice members[N_MEMBERS] = {{0}};
    kineto_members(object, true, members);
    const struct slice category = members[CATEGORY];
    const bool is_kernel = kineto_is(category, "kernel"),
               is_work = is_kernel || kineto_is(category, "gpu_memcpy") ||
                         kineto_is(category, "gpu_memset");
    if (members[COLLECTIVE].n) /* of NCCL's "record_param_comms" */
        members[NAME] = members[COLLECTIVE];
    if (kineto_is(category, "cpu_op") && members[ID].n) {
        kineto->calls = ert_xgrow(kineto->calls, kineto->n_calls, &kineto->room_calls,
                                  sizeof *kineto->calls);
        kineto->calls[kineto->n_calls++] = (struct kineto_call){
            .id = kineto_number(members[ID]), .group = kineto_key(kineto, members, false)};
    }
    const struct slice name = members[NAME];
    if (members[LAUNCH].n && name.n && memmem(name.text, name.n, "GraphLaunch", 11)) {
        kineto->graphs = ert_xgrow(kineto->graphs, kineto->n_graphs, &kineto->room_graphs,
                                   sizeof *kineto->graphs);
        kineto->graphs[kineto->n_graphs++] = kineto_number(members[LAUNCH]);
    }
    if (!is_work)
        return true;
    const struct kineto_work work = {.id = kineto_number(members[ID]),
                                     .launch = kineto_number(members[LAUNCH]),
                                     .start_us = kineto_number(members[START]),
                                     .time_us = kineto_number(members[DURATION]),
                                     .bytes = is_kernel ? 0 : kineto_number(members[BYTES]),
                                     .kernel = kineto_key(kineto, members, true)};
    kineto->works =
        ert_xgrow(kineto->works, kineto->n_works, &kineto->room_works, sizeof work);
    kineto->works[kineto->n_works++] = work;
    return isfinite(work.start_us) && work.time_us >= 0 && work.time_us < 1e15;
}

/* Of structs that begin with a number. */
static int kineto_by_first(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sums the device's work by the operators that started it; the one that launched a graph is none of them. */
static void kineto_sum(struct kineto *kineto)
{
    kineto->groups = ert_xcalloc(kineto->keys.n_texts + 1, sizeof *kineto->groups);
    if (kineto->n_calls)
        qsort(kineto->calls, kineto->n_calls, sizeof *kineto->calls, kineto_by_first);
    if (kineto->n_graphs)
        qsort(kineto->graphs, kineto->n_graphs, sizeof *kineto->graphs, kineto_by_first);
    for (size_t i = 0; i < kineto->n_works; i++) {
        const struct kineto_work *work = &kineto->works[i];
        const bool is_graph = kineto->n_graphs > 0 && isfinite(work->launch) &&
                              bsearch(&work->launch, kineto->graphs, kineto->n_graphs,
                                      sizeof work->launch, kineto_by_first);
        const struct kineto_call wanted = {.id = work->id};
        struct kineto_call *call = NULL;
        if (kineto->n_calls > 0 && isfinite(work->id) && !is_graph)
            call = bsearch(&wanted, kineto->calls, kineto->n_calls, sizeof wanted,
                           kineto_by_first);
        if (call)
            call->is_started = true;
        struct kineto_group *group = &kineto->groups[call ? call->group : work->kernel];
        group->n_kernels++;
        group->time_us += work->time_us;
        group->units |= rfl_operator_units(kineto->keys.texts[work->kernel]);
        group->bytes += work->bytes > 0 ? work->bytes : 0;
        group->n_copies += work->bytes > 0;
        if (work->time_us > group->longest_us) {
            group->longest_us = work->time_us;
            group->longest = work->kernel;
        }
    }
    for (size_t i = 0, end; i < kineto->n_calls;) {
        const struct kineto_call *calls = kineto->calls;
        bool is_started = calls[i].is_started;
        for (end = i + 1; end < kineto->n_calls && calls[end].id == calls[i].id; end++)
            is_started |= calls[end].is_started;
        for (; i < end; i++)
            kineto->groups[calls[i].group].n_calls += is_started;
    }
}

/* The time in which the device worked, and that from its first to its last work. */
static void kineto_times(struct kineto *kineto)
{
    double busy = 0, end = -INFINITY;
    qsort(kineto->works, kineto->n_works, sizeof *kineto->works, kineto_by_first);
    for (size_t i = 0; i < kineto->n_works; i++) {
        const double start = kineto->works[i].start_us,
                     stop = start + kineto->works[i].time_us;
        busy += fmax(0, stop - fmax(start, end));
        end = fmax(end, stop);
    }
    kineto->in->points->busy_s += busy / 1e6;
    kineto->in->points->elapsed_s += (end - kineto->works[0].start_us) / 1e6;
}

/* Copies and fills, of which the trace has the bytes; those from GPU to GPU have no level here. */
static void kineto_put_copy(struct rfl_point *point, const char *kernel, bool is_of_host,
                            double bytes)
{
    static const char recipe[] = "bytes of the trace";
    if (is_of_host)
        rfl_points_accesses(point, "host", bytes, NAN, false, recipe);
    else if (strstr(kernel, "DtoD"))
        rfl_points_accesses(point, "HBM", 2 * bytes, bytes, false, recipe);
    else if (strstr(kernel, "Memset"))
        rfl_points_accesses(point, "HBM", bytes, 0, false, recipe);
}

static void kineto_put_operator(struct rfl_point *point, const struct rfl_operator *counted,
                                double n)
{
    static const char recipe[] = "shapes of the arguments (operators.def)";
    if (counted->flops > 0)
        rfl_points_work(point, counted->type, counted->unit, n * counted->flops, 1, recipe);
    if (counted->bytes > 0) {
        rfl_points_accesses(point, "HBM", n * counted->bytes, n * counted->read_bytes,
                            false, recipe);
        rfl_points_accesses(point, "L2", n * counted->bytes, n * counted->read_bytes, false,
                            recipe);
        rfl_points_value(point, "bytes_at_once", counted->bytes);
    }
    if (counted->why) {
        rfl_points_missing(point, "operations", "%s", counted->why);
        rfl_points_missing(point, "HBM bytes", "%s", counted->why);
    }
}

/* The point of a call's name and shapes; NULL: not one that is wanted. */
static struct rfl_point *kineto_point(struct kineto *kineto,
                                      const struct rfl_operator_call *call)
{
    struct rfl_points *points = kineto->in->points;
    const char *wanted = kineto->in->options->region;
    char name[1024];
    snprintf(name, sizeof name - 256, "%s", call->name);
    rfl_operator_shapes(call, name + strlen(name), sizeof name - strlen(name));
    if (wanted && !strstr(name, wanted) && !strstr(call->kernel, wanted))
        return NULL;
    const size_t n = kineto->names.n_texts, i = ert_strings_index(&kineto->names, name);
    return i < n ? &points->points[kineto->in->first + i] : rfl_points_add(points, name);
}

static void kineto_put(struct kineto *kineto, size_t i)
{
    const struct kineto_group *group = &kineto->groups[i];
    cJSON *root = cJSON_Parse(kineto->keys.texts[i]),
          *longest = cJSON_Parse(kineto->keys.texts[group->longest]);
    const char *kernel = cJSON_GetStringValue(cJSON_GetArrayItem(longest, 0));
    const struct rfl_operator_call call = {
        .name = cJSON_GetStringValue(cJSON_GetArrayItem(root, 0)),
        .kernel = kernel ? kernel : "",
        .units = group->units,
        .dims = cJSON_GetArrayItem(root, 1),
        .types = cJSON_GetArrayItem(root, 2),
        .strides = cJSON_GetArrayItem(root, 3),
        .values = cJSON_GetArrayItem(root, 4),
    };
    struct rfl_point *point = call.name ? kineto_point(kineto, &call) : NULL;
    if (point) {
        const struct rfl_operator counted =
            call.dims
                ? rfl_operator_count(&call)
                : (struct rfl_operator){.why = "no operator started it, or a graph did"};
        point->time_s += group->time_us / 1e6;
        point->time_recipe = "kernels of the operator (Kineto)";
        point->launches += group->n_kernels;
        /* Its shapes do not tell that one side of a copy is the host's memory. */
        const bool is_of_host = strstr(call.kernel, "HtoD") || strstr(call.kernel, "DtoH");
        if (group->n_copies == group->n_kernels && (is_of_host || !(counted.bytes > 0)))
            kineto_put_copy(point, call.kernel, is_of_host, group->bytes);
        else
            kineto_put_operator(point, &counted, group->n_calls);
    }
    cJSON_Delete(root);
    cJSON_Delete(longest);
}

static enum ert_status kineto_read_events(struct kineto *kineto, struct ert_error *error)
{
    struct slice object;
    ERT_TRY(kineto_begin(&kineto->text, error));
    for (;;) {
        ERT_TRY(kineto_next(&kineto->text, &object, error));
        if (!object.text)
            break;
        if (*object.text == '{' && !kineto_take(kineto, object))
            return ert_fail(
                error, ERT_USAGE,
                "%.200s: byte %zu: a kernel or copy without a start or duration",
                kineto->in->lines->file, kineto->text.offset + kineto->text.begin);
    }
    if (!kineto->n_works)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no kernel ran on a device: profile with "
                        "ProfilerActivity.CUDA",
                        kineto->in->lines->file);
    kineto_sum(kineto);
    kineto_times(kineto);
    for (size_t i = 0; i < kineto->keys.n_texts; i++)
        if (kineto->groups[i].n_kernels > 0)
            kineto_put(kineto, i);
    return ERT_OK;
}

static enum ert_status kineto_read(const struct rfl_import *in, struct ert_error *error)
{
    struct kineto kineto = {.in = in, .text = {.lines = in->lines}};
    enum ert_status status = kineto_read_events(&kineto, error);
    in->points->origin = "PyTorch profiler (Kineto)";
    ert_strings_free(&kineto.keys);
    ert_strings_free(&kineto.names);
    free(kineto.calls);
    free(kineto.works);
    free(kineto.groups);
    free(kineto.graphs);
    free(kineto.key);
    free(kineto.text.buffer);
    return status;
}

static bool kineto_recognizes(const char *head)
{
    return head[strspn(head, " \t\r\n")] == '{' && strstr(head, events_key);
}

const struct rfl_importer rfl_import_kineto = {
    .name = "kineto",
    .summary = "PyTorch's profiler: operators, by the shapes of their arguments",
    .how = "with torch.profiler.profile(record_shapes=True) as p: ...; "
           "p.export_chrome_trace(\"FILE.json.gz\")",
    .device = RFL_PROFILED_GPU,
    .recognizes = kineto_recognizes,
    .read = kineto_read,
};
