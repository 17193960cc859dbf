/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/fleet.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/strings.h"
#include "ert/base/units.h"
#include "ert/fleet/hosts.h"
#include "ert/fleet/record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* State while records are added. Duplicate records are found by host, job and date, kept as a hash. */
struct ert_fleet_state {
    struct ert_strings texts, hosts, columns, groups, parts, said;
    size_t room_columns, room_nodes, room_groups, room_findings, room_seen;
    struct seen {
        uint32_t next; /* record of the same node: index + 1; 0: none */
        uint64_t key;
        double sum; /* of its numbers, to tell records with equal keys apart */
    } * seen;
    size_t n_seen;
};

static const struct kind {
    const char *name;
    enum ert_fleet_severity severity;
} kinds[ERT_N_FLEET_KIND] = {
    [ERT_FLEET_SLOW] = {"slow",         ERT_FLEET_BAD },
    [ERT_FLEET_BROKEN] = {"broken",       ERT_FLEET_BAD },
    [ERT_FLEET_UNHEALTHY] = {"unhealthy",    ERT_FLEET_BAD },
    [ERT_FLEET_LINK] = {"link",         ERT_FLEET_BAD },
    [ERT_FLEET_SWITCH] = {"switch",       ERT_FLEET_BAD },
    [ERT_FLEET_CHANGED] = {"changed",      ERT_FLEET_BAD },
    [ERT_FLEET_MISSING] = {"missing",      ERT_FLEET_BAD },
    [ERT_FLEET_LATE] = {"late",         ERT_FLEET_BAD },
    [ERT_FLEET_SUSPECT] = {"suspect",      ERT_FLEET_OPEN},
    [ERT_FLEET_NOT_MEASURED] = {"not measured", ERT_FLEET_OPEN},
    [ERT_FLEET_NOT_VALID] = {"not valid",    ERT_FLEET_OPEN},
    [ERT_FLEET_BAD_LINE] = {"bad line",     ERT_FLEET_OPEN},
    [ERT_FLEET_FEW] = {"few",          ERT_FLEET_OPEN},
    [ERT_FLEET_SLOW_TAIL] = {"slow tail",    ERT_FLEET_NOTE},
    [ERT_FLEET_DRIFT] = {"drift",        ERT_FLEET_NOTE},
    [ERT_FLEET_CLOCKS] = {"clocks",       ERT_FLEET_NOTE},
    [ERT_FLEET_DUPLICATE] = {"duplicate",    ERT_FLEET_NOTE},
    [ERT_FLEET_UNEXPECTED] = {"unexpected",   ERT_FLEET_NOTE},
    [ERT_FLEET_NEAR] = {"near",         ERT_FLEET_NOTE},
    [ERT_FLEET_TRANSIENT] = {"transient",    ERT_FLEET_NOTE},
    [ERT_FLEET_WARNED] = {"warned",       ERT_FLEET_NOTE},
};

const char *ert_fleet_plural(size_t n)
{
    return n == 1 ? "" : "s";
}

enum ert_fleet_severity ert_fleet_kind_severity(enum ert_fleet_kind kind)
{
    return kinds[kind].severity;
}

const char *ert_fleet_kind_name(enum ert_fleet_kind kind)
{
    return kinds[kind].name;
}

const char *ert_fleet_severity_name(enum ert_fleet_severity severity)
{
    static const char *const names[] = {"bad", "open", "note"};
    return names[severity];
}

const struct ert_fleet_cell *ert_fleet_cell(const struct ert_fleet_node *node,
                                            size_t column)
{
    static const struct ert_fleet_cell none = {0};
    return column < node->n_cells ? &node->cells[column] : &none;
}

void ert_fleet_begin(struct ert_fleet *fleet)
{
    *fleet = (struct ert_fleet){.state = ert_xcalloc(1, sizeof *fleet->state)};
}

static char *format(const char *sentence, va_list arguments)
{
    char *text = NULL;
    const int length = vasprintf(&text, sentence, arguments);
    return ert_xcheck(length < 0 ? NULL : text, strlen(sentence));
}

/* Takes ownership of the sentence. */
static struct ert_fleet_finding *add_finding(struct ert_fleet *fleet,
                                             enum ert_fleet_kind kind, const char *host,
                                             char *sentence)
{
    fleet->findings = ert_xgrow(fleet->findings, fleet->n_findings,
                                &fleet->state->room_findings, sizeof *fleet->findings);
    struct ert_fleet_finding *finding = &fleet->findings[fleet->n_findings++];
    *finding = (struct ert_fleet_finding){.kind = kind,
                                          .severity = kinds[kind].severity,
                                          .host = ert_xstrdup(host),
                                          .column = -1,
                                          .sentence = sentence};
    return finding;
}

struct ert_fleet_finding *ert_fleet_find(struct ert_fleet *fleet, enum ert_fleet_kind kind,
                                         const char *host, const char *sentence, ...)
{
    va_list arguments;
    va_start(arguments, sentence);
    char *text = format(sentence, arguments);
    va_end(arguments);
    return add_finding(fleet, kind, host, text);
}

struct ert_fleet_finding *ert_fleet_find_in(struct ert_fleet *fleet,
                                            enum ert_fleet_kind kind,
                                            const struct ert_fleet_node *node,
                                            uint32_t column, uint32_t n, double change,
                                            const char *sentence, ...)
{
    const struct ert_fleet_cell *cell = ert_fleet_cell(node, column);
    char more[48] = "";
    va_list arguments;
    va_start(arguments, sentence);
    char *text = format(sentence, arguments);
    va_end(arguments);
    if (n > 1)
        snprintf(more, sizeof more, "; %u more ceiling%s", n - 1, ert_fleet_plural(n - 1));
    struct ert_fleet_finding *finding =
        add_finding(fleet, kind, node->host,
                    ert_xprintf("%s: %s %s %s%s", node->host, fleet->columns[column].device,
                                fleet->columns[column].name, text, more));
    free(text);
    finding->column = (int)column;
    finding->n_columns = n;
    finding->n_measured = cell->n;
    finding->value = cell->value;
    finding->change = change;
    return finding;
}

/* ---- records ---- */

static struct ert_fleet_node *node_of(struct ert_fleet *fleet, const char *host)
{
    struct ert_fleet_state *state = fleet->state;
    size_t index = ert_strings_index(&state->hosts, host);
    if (index == fleet->n_nodes) {
        fleet->nodes = ert_xgrow(fleet->nodes, fleet->n_nodes++, &state->room_nodes,
                                 sizeof *fleet->nodes);
        fleet->nodes[index] = (struct ert_fleet_node){.host = state->hosts.texts[index]};
    }
    return &fleet->nodes[index];
}

/* False, and a finding, if the node already has a record of this job and date, the same or another. */
static bool is_new(struct ert_fleet *fleet, struct ert_fleet_node *node,
                   const struct ert_node_record *record)
{
    struct ert_fleet_state *state = fleet->state;
    char text[sizeof record->job + sizeof record->created];
    snprintf(text, sizeof text, "%s\n%s", record->job, record->created);
    struct seen own = {node->last_seen, ert_strings_hash(text), record->elapsed_s};
    for (uint32_t i = 0; i < record->n_ceilings; i++)
        own.sum += record->ceilings[i].value;
    for (uint32_t i = node->last_seen; i; i = state->seen[i - 1].next) {
        if (state->seen[i - 1].key != own.key)
            continue;
        const bool is_same = state->seen[i - 1].sum == own.sum;
        ert_fleet_find(fleet, ERT_FLEET_DUPLICATE, node->host,
                       "%s: two %srecords dated %s%s%s; only the first is used%s",
                       node->host, is_same ? "" : "different ", record->created,
                       *record->job ? " from job " : "", record->job,
                       is_same ? "" : ": do several nodes have this name?")
            ->severity = is_same ? ERT_FLEET_NOTE : ERT_FLEET_OPEN;
        return false;
    }
    state->seen =
        ert_xgrow(state->seen, state->n_seen, &state->room_seen, sizeof *state->seen);
    state->seen[state->n_seen++] = own;
    node->last_seen = (uint32_t)state->n_seen;
    return true;
}

/* Whether the column is that of the ceiling. */
static bool is_of(const struct ert_fleet_column *column,
                  const struct ert_node_ceiling *ceiling)
{
    return strcmp(column->name, ceiling->name) == 0 &&
           strcmp(column->device, ceiling->device) == 0 &&
           strcmp(column->unit, ceiling->unit) == 0;
}

/* Finds or adds a ceiling's column. guess: its likely index, since most records have the same ceilings. */
static uint32_t column_of(struct ert_fleet *fleet, const struct ert_node_ceiling *ceiling,
                          uint32_t guess)
{
    if (guess < fleet->n_columns && is_of(&fleet->columns[guess], ceiling))
        return guess;
    struct ert_fleet_state *state = fleet->state;
    char key[sizeof ceiling->device + sizeof ceiling->name + sizeof ceiling->unit];
    snprintf(key, sizeof key, "%s\n%s\n%s", ceiling->device, ceiling->name, ceiling->unit);
    size_t index = ert_strings_index(&state->columns, key);
    if (index == fleet->n_columns) {
        fleet->columns = ert_xgrow(fleet->columns, fleet->n_columns++, &state->room_columns,
                                   sizeof *fleet->columns);
        struct ert_fleet_column *column = &fleet->columns[index];
        *column = (struct ert_fleet_column){.is_time = strcmp(ceiling->unit, "s") == 0};
        snprintf(column->device, sizeof column->device, "%s", ceiling->device);
        snprintf(column->name, sizeof column->name, "%s", ceiling->name);
        snprintf(column->unit, sizeof column->unit, "%s", ceiling->unit);
    }
    return (uint32_t)index;
}

static struct ert_fleet_cell *cell_of(struct ert_fleet *fleet, struct ert_fleet_node *node,
                                      uint32_t column)
{
    if (column >= node->n_cells) {
        size_t n = fleet->n_columns;
        node->cells = ert_xrealloc(node->cells, n, sizeof *node->cells);
        memset(node->cells + node->n_cells, 0, (n - node->n_cells) * sizeof *node->cells);
        node->n_cells = (uint32_t)n;
    }
    return &node->cells[column];
}

/* The mean of n + 1 numbers, from the mean of n and the next one. */
static float mean_of(float mean, double next, uint32_t n)
{
    return (float)(mean + (next - mean) / (n + 1));
}

static void add_missing(struct ert_fleet *fleet, struct ert_fleet_node *node,
                        const struct ert_node_ceiling *ceiling)
{
    struct ert_strings *texts = &fleet->state->texts;
    const char *device = ert_strings_keep(texts, ceiling->device);
    const char *name = ert_strings_keep(texts, ceiling->name);
    for (uint32_t i = 0; i < node->n_missing; i++)
        if (node->missing[i].device == device && node->missing[i].name == name)
            return;
    node->missing = ert_xrealloc(node->missing, node->n_missing + 1, sizeof *node->missing);
    node->missing[node->n_missing++] =
        (struct ert_fleet_missing){device, name, ert_strings_keep(texts, ceiling->reason)};
}

double ert_fleet_per_cycle(bool is_time, double value, double clock_hz)
{
    return is_time ? value * clock_hz : value / clock_hz;
}

/* Adds the record's comparison with the recorded ceiling, if there is one. */
static void add_verdict(struct ert_fleet_cell *cell, const struct ert_node_ceiling *ceiling)
{
    if (ceiling->verdict == ERT_NODE_VERDICT_NONE || cell->n_compared == UINT16_MAX)
        return;
    cell->recorded_change =
        mean_of(cell->recorded_change, ceiling->change, cell->n_compared++);
    cell->n_slower += ceiling->verdict == ERT_NODE_VERDICT_SLOWER;
}

static void add_ceiling(struct ert_fleet *fleet, struct ert_fleet_node *node,
                        const struct ert_node_ceiling *ceiling, uint32_t guess)
{
    const float value = (float)ceiling->value, clock_hz = (float)ceiling->clock_hz;
    if (!(value > 0)) {
        add_missing(fleet, node, ceiling);
        return;
    }
    const uint32_t index = column_of(fleet, ceiling, guess);
    struct ert_fleet_cell *cell = cell_of(fleet, node, index);
    const uint32_t n = cell->n;
    const bool is_time = fleet->columns[index].is_time;
    fleet->columns[index].is_main |= ceiling->is_main;
    fleet->columns[index].follows_clock |= ceiling->follows_clock;
    const float cycle =
        clock_hz > 0 ? (float)ert_fleet_per_cycle(is_time, value, clock_hz) : 0;
    if (n == 0 || (is_time ? value < cell->best : value > cell->best))
        cell->best = value;
    if (n == 0 || (is_time ? cycle < cell->best_cycle : cycle > cell->best_cycle))
        cell->best_cycle = cycle;
    cell->value = mean_of(cell->value, ceiling->value, n);
    cell->error = mean_of(cell->error, ceiling->error, n);
    cell->detectable = mean_of(cell->detectable, ceiling->detectable, n);
    /* The clock of the mean is unknown if that of one measurement is. */
    cell->clock_hz = n == 0 ? clock_hz
                     : cell->clock_hz > 0 && clock_hz > 0
                         ? mean_of(cell->clock_hz, clock_hz, n)
                         : 0;
    add_verdict(cell, ceiling);
    cell->n = n < UINT16_MAX ? (uint16_t)(n + 1) : UINT16_MAX;
    node->n_compared += ceiling->verdict != ERT_NODE_VERDICT_NONE;
}

/* Appends "4 x NVIDIA H200" for each series of GPUs of one model. */
static void describe_gpus(char *text, size_t size,
                          const struct ert_node_fingerprint *fingerprint)
{
    for (uint32_t i = 0, end; i < fingerprint->n_gpus; i = end) {
        const char *model = fingerprint->gpus[i].model;
        for (end = i + 1;
             end < fingerprint->n_gpus && strcmp(fingerprint->gpus[end].model, model) == 0;)
            end++;
        ert_append(text, size, ", %u x %s", end - i, model);
    }
}

static uint32_t group_of(struct ert_fleet *fleet,
                         const struct ert_node_fingerprint *fingerprint)
{
    struct ert_fleet_state *state = fleet->state;
    char text[1024];
    snprintf(text, sizeof text, "%u x %s, %u cores, %s", fingerprint->packages,
             *fingerprint->cpu ? fingerprint->cpu : "unknown CPU", fingerprint->cores,
             fingerprint->isa);
    describe_gpus(text, sizeof text, fingerprint);
    size_t index = ert_strings_index(&state->groups, text);
    if (index == fleet->n_groups) {
        fleet->groups = ert_xgrow(fleet->groups, fleet->n_groups++, &state->room_groups,
                                  sizeof *fleet->groups);
        fleet->groups[index] = (struct ert_fleet_group){.name = state->groups.texts[index]};
    }
    return (uint32_t)index;
}

/* Writes the settings that may drift; of several GPUs also each that differs from the one before. */
static void drift_texts(const struct ert_node_record *record,
                        char texts[ERT_N_FLEET_DRIFT][160])
{
    const struct ert_node_fingerprint *fingerprint = &record->fingerprint;
    const struct {
        enum ert_fleet_drift drift;
        const char *text;
    } rows[] = {
        {ERT_FLEET_TOOL,      record->tool          },
        {ERT_FLEET_MICROCODE, fingerprint->microcode},
        {ERT_FLEET_BIOS,      fingerprint->bios     },
        {ERT_FLEET_MEMORY,    fingerprint->memory   },
        {ERT_FLEET_KERNEL,    fingerprint->kernel   },
        {ERT_FLEET_GOVERNOR,  fingerprint->governor },
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        snprintf(texts[rows[i].drift], sizeof *texts, "%s", rows[i].text);
    for (uint32_t i = 0; i < fingerprint->n_gpus; i++) {
        const struct ert_node_gpu *gpu = &fingerprint->gpus[i],
                                  *before = i ? gpu - 1 : NULL;
        char *vbios = texts[ERT_FLEET_VBIOS], *driver = texts[ERT_FLEET_DRIVER];
        if (!before || strcmp(gpu->vbios, before->vbios) != 0)
            ert_append(vbios, sizeof *texts, "%s%s", i ? "; " : "", gpu->vbios);
        if (!before || strcmp(gpu->driver, before->driver) != 0)
            ert_append(driver, sizeof *texts, "%s%s", i ? "; " : "", gpu->driver);
        if (gpu->power_limit_w > 0 &&
            (!before || gpu->power_limit_w != before->power_limit_w))
            ert_append(texts[ERT_FLEET_POWER], sizeof *texts, "%s%.0f W", i ? "; " : "",
                       gpu->power_limit_w);
        if (gpu->boost_hz > 0 && (!before || gpu->boost_hz != before->boost_hz))
            ert_append(texts[ERT_FLEET_BOOST], sizeof *texts, "%s%s", i ? "; " : "",
                       ert_units_frequency(gpu->boost_hz).text);
    }
}

/* Takes hardware, settings and status from the latest record. */
static void identify(struct ert_fleet *fleet, struct ert_fleet_node *node,
                     const struct ert_node_record *record)
{
    struct ert_fleet_state *state = fleet->state;
    char texts[ERT_N_FLEET_DRIFT][160] = {""}, part[sizeof texts] = "";
    drift_texts(record, texts);
    for (int i = 0; i < ERT_N_FLEET_DRIFT; i++) {
        node->drift[i] = ert_strings_keep(&state->texts, texts[i]);
        if (i != ERT_FLEET_TOOL)
            ert_append(part, sizeof part, "%s\n", texts[i]);
    }
    node->group = group_of(fleet, &record->fingerprint);
    node->part = (uint32_t)ert_strings_index(&state->parts, part);
    node->memory_bytes = record->fingerprint.memory_bytes;
    node->status = record->status;
    node->reason = ert_strings_keep(&state->texts, record->reason);
}

/* Adds a finding for a bad fact, once even if several records of a node have it. */
static void add_health(struct ert_fleet *fleet, const struct ert_fleet_node *node,
                       const struct ert_health_fact *fact)
{
    struct ert_strings *said = &fleet->state->said;
    char text[512];
    if (fact->state != ERT_HEALTH_BAD)
        return;
    snprintf(text, sizeof text, "%s: %s: %s is bad: %s", node->host, fact->device,
             fact->fact, fact->text);
    const size_t n = said->n_texts;
    if (ert_strings_index(said, text) == n)
        ert_fleet_find(fleet, ERT_FLEET_UNHEALTHY, node->host, "%s", text);
}

void ert_fleet_add(struct ert_fleet *fleet, const struct ert_node_record *record)
{
    struct ert_fleet_node *node = node_of(fleet, record->host);
    const double created_s = ert_clock_read_date(record->created);
    if (!is_new(fleet, node, record))
        return;
    fleet->n_records++;
    if (strcmp(record->created, fleet->created) > 0)
        snprintf(fleet->created, sizeof fleet->created, "%.23s", record->created);
    if (node->n_records == 0 || created_s < node->created_s)
        node->created_s = created_s;
    const char *job = ert_strings_keep(&fleet->state->texts, record->job);
    if (node->n_records++ == 0 || created_s >= node->last_s) {
        node->last_s = created_s;
        node->job_s = node->job == job ? node->job_s : created_s;
        node->job = job;
        identify(fleet, node, record);
    }
    if (node->job == job && created_s < node->job_s)
        node->job_s = created_s;
    node->n_warnings += record->n_warnings;
    for (uint32_t i = 0; i < record->n_health; i++)
        add_health(fleet, node, &record->health[i]);
    if (record->status != ERT_NODE_OK)
        return;
    node->n_ok++;
    for (uint32_t i = 0; i < record->n_ceilings; i++)
        add_ceiling(fleet, node, &record->ceilings[i], i);
}

static void bad_line(struct ert_fleet *fleet, const char *why)
{
    fleet->n_bad_lines++;
    ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, "", "%s", why);
}

enum ert_status ert_fleet_read(struct ert_fleet *fleet, const char *file,
                               struct ert_error *error)
{
    struct ert_records records;
    struct ert_error why = {0};
    struct ert_json at;
    const char *schema = "";
    ERT_TRY(ert_records_open(file, &records, error));
    enum ert_status status;
    while ((status = ert_records_next(&records, &at, &schema, &why)) != ERT_FAILED &&
           (schema || status != ERT_OK)) {
        struct ert_node_record record = {.host = ""};
        if (status == ERT_OK && strcmp(schema, ERT_NODE_SCHEMA) == 0) {
            status = ert_node_read(at, &record, &why);
            if (status == ERT_OK)
                ert_fleet_add(fleet, &record);
            ert_node_free(&record);
        } else if (status == ERT_OK && strcmp(schema, ert_net_schema) == 0) {
            struct ert_net_record pair = {.line = ERT_NET_END};
            status = ert_net_record_read(at, &pair, &why);
            if (status == ERT_OK)
                ert_pairs_add(&fleet->pairs, &pair);
            ert_net_record_free(&pair);
        } else if (status == ERT_OK) {
            status = ert_fail(&why, ERT_USAGE,
                              "%s: schema '%.40s', must be " ERT_NODE_SCHEMA " or %s",
                              at.file, schema, ert_net_schema);
        }
        if (status != ERT_OK)
            bad_line(fleet, why.text);
    }
    if (status == ERT_FAILED)
        bad_line(fleet, why.text);
    ert_records_close(&records);
    return ERT_OK;
}

enum ert_status ert_fleet_expect(struct ert_fleet *fleet, const char *list,
                                 struct ert_error *error)
{
    struct ert_hosts *hosts = &fleet->expected;
    ERT_TRY(ert_hosts_expand(list, hosts, error));
    for (size_t i = 0; i < hosts->n; i++)
        if (ert_strings_find(&fleet->state->hosts, hosts->names[i]) == SIZE_MAX)
            ert_fleet_find(fleet, ERT_FLEET_MISSING, hosts->names[i],
                           "%s: expected, but it has no record", hosts->names[i]);
    ert_hosts_sort(hosts);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        if (ert_hosts_find(hosts, fleet->nodes[i].host) == SIZE_MAX)
            ert_fleet_find(fleet, ERT_FLEET_UNEXPECTED, fleet->nodes[i].host,
                           "%s: has a record, but was not expected", fleet->nodes[i].host);
    return ERT_OK;
}

void ert_fleet_free(struct ert_fleet *fleet)
{
    struct ert_fleet_state *state = fleet->state;
    struct ert_strings *const tables[] = {&state->texts,  &state->hosts, &state->columns,
                                          &state->groups, &state->parts, &state->said};
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        free(fleet->nodes[i].cells);
        free(fleet->nodes[i].missing);
    }
    for (size_t i = 0; i < fleet->n_groups; i++) {
        free(fleet->groups[i].columns);
        free(fleet->groups[i].cycles);
    }
    for (size_t i = 0; i < fleet->n_findings; i++) {
        free(fleet->findings[i].host);
        free(fleet->findings[i].peer);
        free(fleet->findings[i].sentence);
    }
    for (size_t i = 0; i < ERT_LENGTH(tables); i++)
        ert_strings_free(tables[i]);
    ert_pairs_free(&fleet->pairs);
    ert_hosts_free(&fleet->expected);
    free(fleet->columns);
    free(fleet->nodes);
    free(fleet->groups);
    free(fleet->findings);
    free(state->seen);
    free(state);
    *fleet = (struct ert_fleet){0};
}
