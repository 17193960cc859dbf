/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/fleet.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/strings.h"
#include "ert/core/base/units.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What is needed while records are added. */
struct ert_fleet_state {
    struct ert_strings texts, columns, groups, parts, cpus;
    struct ert_strings seen;  /* "HOST\nJOB\nDATE" of each record */
    struct ert_strings soaks; /* "HOST: DEVICE" of each that `ert soak` wrote of */
    struct said {
        size_t finding;
        char date[24];
    } * said;     /* malloc; its last word */
    double *sums; /* malloc; of their numbers, to tell records of one date apart */
    size_t room_columns, room_nodes, room_groups, room_findings, room_sums, room_said;
    char now[24]; /* of the machine that merges: nodes' clocks may say anything */
};

const struct ert_fleet_kind_row ert_fleet_kinds[ERT_N_FLEET_KIND] = {
    [ERT_FLEET_SLOW] = {"slow",         ERT_FLEET_BAD },
    [ERT_FLEET_BROKEN] = {"broken",       ERT_FLEET_BAD },
    [ERT_FLEET_LINK] = {"link",         ERT_FLEET_BAD },
    [ERT_FLEET_SWITCH] = {"switch",       ERT_FLEET_BAD },
    [ERT_FLEET_CHANGED] = {"changed",      ERT_FLEET_BAD },
    [ERT_FLEET_SOAK] = {"soak",         ERT_FLEET_BAD },
    [ERT_FLEET_MISSING] = {"missing",      ERT_FLEET_BAD },
    [ERT_FLEET_LATE] = {"late",         ERT_FLEET_BAD },
    [ERT_FLEET_SUSPECT] = {"suspect",      ERT_FLEET_OPEN},
    [ERT_FLEET_NOT_MEASURED] = {"not measured", ERT_FLEET_OPEN},
    [ERT_FLEET_NOT_VALID] = {"not valid",    ERT_FLEET_OPEN},
    [ERT_FLEET_BAD_LINE] = {"bad line",     ERT_FLEET_OPEN},
    [ERT_FLEET_FOREIGN] = {"foreign",      ERT_FLEET_OPEN},
    [ERT_FLEET_INCONSISTENT] = {"inconsistent", ERT_FLEET_OPEN},
    [ERT_FLEET_FEW] = {"few",          ERT_FLEET_OPEN},
    [ERT_FLEET_SLOW_TAIL] = {"slow tail",    ERT_FLEET_NOTE},
    [ERT_FLEET_DRIFT] = {"drift",        ERT_FLEET_NOTE},
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

const char *const ert_fleet_severities[ERT_N_FLEET_SEVERITY] = {"bad", "open", "note"};

/* Cells, and columns of a group: both begin with the column's number. */
static int fleet_compare_columns(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

const struct ert_fleet_cell *ert_fleet_cell(const struct ert_fleet_node *node,
                                            size_t column)
{
    static const struct ert_fleet_cell none = {0};
    const struct ert_fleet_cell *found = NULL;
    if (column < node->n_cells && node->cells[column].column == column)
        return &node->cells[column]; /* most nodes have the same ceilings */
    if (node->n_cells > 0)
        found = bsearch(&(uint32_t){(uint32_t)column}, node->cells, node->n_cells,
                        sizeof *node->cells, fleet_compare_columns);
    return found ? found : &none;
}

const struct ert_fleet_judged *ert_fleet_judged(const struct ert_fleet_group *group,
                                                size_t column)
{
    static const struct ert_fleet_judged none = {0};
    const struct ert_fleet_judged *found = NULL;
    if (group->n_columns > 0)
        found = bsearch(&(uint32_t){(uint32_t)column}, group->columns, group->n_columns,
                        sizeof *group->columns, fleet_compare_columns);
    return found ? found : &none;
}

void ert_fleet_begin(struct ert_fleet *fleet)
{
    *fleet = (struct ert_fleet){.state = ert_xcalloc(1, sizeof *fleet->state)};
    ert_clock_date(fleet->state->now, sizeof fleet->state->now);
}

struct ert_fleet_finding *ert_fleet_find(struct ert_fleet *fleet, enum ert_fleet_kind kind,
                                         const char *host, const char *sentence, ...)
{
    va_list arguments;
    va_start(arguments, sentence);
    fleet->findings = ert_xgrow(fleet->findings, fleet->n_findings,
                                &fleet->state->room_findings, sizeof *fleet->findings);
    struct ert_fleet_finding *finding = &fleet->findings[fleet->n_findings++];
    *finding = (struct ert_fleet_finding){.kind = kind,
                                          .severity = ert_fleet_kinds[kind].severity,
                                          .host = ert_xstrdup(host),
                                          .column = -1,
                                          .sentence = ert_xvprintf(sentence, arguments)};
    va_end(arguments);
    return finding;
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
    char *text = ert_xvprintf(sentence, arguments);
    va_end(arguments);
    if (n > 1)
        snprintf(more, sizeof more, "; %u more ceiling%s", n - 1, ert_fleet_plural(n - 1));
    struct ert_fleet_finding *finding = ert_fleet_find(
        fleet, kind, node->host, "%s: %s %s %s%s", node->host,
        fleet->columns[column].device, fleet->columns[column].name, text, more);
    free(text);
    finding->column = (int)column;
    finding->n_columns = n;
    finding->n_measured = cell->n;
    finding->value = cell->value;
    finding->change = change;
    return finding;
}

/* ---- records ---- */

static struct ert_fleet_node *fleet_node_of(struct ert_fleet *fleet, const char *host)
{
    struct ert_fleet_state *state = fleet->state;
    size_t index = ert_strings_index(&fleet->hosts, host);
    if (index == fleet->n_nodes) {
        fleet->nodes = ert_xgrow(fleet->nodes, fleet->n_nodes++, &state->room_nodes,
                                 sizeof *fleet->nodes);
        fleet->nodes[index] = (struct ert_fleet_node){.host = fleet->hosts.texts[index]};
    }
    return &fleet->nodes[index];
}

/* Whether the node did not have this finding before; of some kinds one is enough. */
static bool fleet_says_first(struct ert_fleet_node *node, enum ert_fleet_kind kind)
{
    const uint32_t bit = UINT32_C(1) << kind;
    const bool is_first = !(node->said & bit);
    node->said |= bit;
    return is_first;
}

/* False, and a finding, if the node already has a record of this job and date, the same or another. */
static bool is_new(struct ert_fleet *fleet, struct ert_fleet_node *node,
                   const struct ert_node_record *record)
{
    struct ert_fleet_state *state = fleet->state;
    char text[ERT_HOST_TEXT + sizeof record->job + sizeof record->created];
    double sum = record->elapsed_s;
    snprintf(text, sizeof text, "%s\n%s\n%s", record->host, record->job, record->created);
    for (uint32_t i = 0; i < record->n_ceilings; i++)
        sum += record->ceilings[i].value;
    const size_t n = state->seen.n_texts, at = ert_strings_index(&state->seen, text);
    if (at == n) {
        state->sums = ert_xgrow(state->sums, n, &state->room_sums, sizeof *state->sums);
        state->sums[n] = sum;
        return true;
    }
    const bool is_same = state->sums[at] == sum;
    if (fleet_says_first(node, is_same ? ERT_FLEET_DUPLICATE : ERT_FLEET_FOREIGN))
        ert_fleet_find(fleet, ERT_FLEET_DUPLICATE, node->host,
                       "%s: two %srecords dated %s%s%s; only the first is used%s",
                       node->host, is_same ? "" : "different ", record->created,
                       *record->job ? " from job " : "", record->job,
                       is_same ? "" : ": do several nodes have this name?")
            ->severity = is_same ? ERT_FLEET_NOTE : ERT_FLEET_OPEN;
    return false;
}

/* Finds or adds a ceiling's column. */
static uint32_t column_of(struct ert_fleet *fleet, const struct ert_node_ceiling *ceiling)
{
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

/* The mean of n + 1 numbers, from the mean of n and the next one. */
static float mean_of(float mean, double next, uint32_t n)
{
    return (float)(mean + (next - mean) / (n + 1));
}

static void add_missing(struct ert_fleet *fleet, struct ert_fleet_node *node,
                        const struct ert_node_ceiling *ceiling)
{
    struct ert_strings *texts = &fleet->state->texts;
    node->missing = ert_xgrow(node->missing, node->n_missing, &node->room_missing,
                              sizeof *node->missing);
    node->missing[node->n_missing++] = (struct ert_fleet_missing){
        ert_strings_keep(texts, ceiling->device), ert_strings_keep(texts, ceiling->name),
        ert_strings_keep(texts, ceiling->reason)};
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

static void add_value(struct ert_fleet *fleet, struct ert_fleet_node *node,
                      struct ert_fleet_cell *cell, const struct ert_node_ceiling *ceiling)
{
    const float value = (float)ceiling->value, clock_hz = (float)ceiling->clock_hz;
    const uint32_t n = cell->n;
    struct ert_fleet_column *column = &fleet->columns[cell->column];
    const bool is_time = column->is_time;
    column->is_main |= ceiling->is_main;
    if (n == 0 || (is_time ? value < cell->best : value > cell->best))
        cell->best = value;
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

/* Finds a column's cell among the n first, which are sorted, or adds one behind all. */
static struct ert_fleet_cell *fleet_cell_of(struct ert_fleet_node *node, uint32_t column,
                                            size_t n)
{
    struct ert_fleet_cell *found = NULL;
    if (n > 0)
        found =
            bsearch(&column, node->cells, n, sizeof *node->cells, fleet_compare_columns);
    if (found)
        return found;
    node->cells =
        ert_xgrow(node->cells, node->n_cells, &node->room_cells, sizeof *node->cells);
    found = &node->cells[node->n_cells++];
    *found = (struct ert_fleet_cell){.column = column};
    return found;
}

/* Adds the values of a record to its node's cells; of two values of one ceiling the first. */
static void add_ceilings(struct ert_fleet *fleet, struct ert_fleet_node *node,
                         const struct ert_node_record *record)
{
    const size_t n = node->n_cells;
    for (uint32_t i = 0; i < record->n_ceilings; i++) {
        const struct ert_node_ceiling *ceiling = &record->ceilings[i];
        if (!(ceiling->value > 0)) {
            add_missing(fleet, node, ceiling);
            continue;
        }
        const uint32_t at = column_of(fleet, ceiling);
        if (fleet->columns[at].last_record != fleet->n_records)
            add_value(fleet, node, fleet_cell_of(node, at, n), ceiling);
        else if (fleet_says_first(node, ERT_FLEET_INCONSISTENT))
            ert_fleet_find(fleet, ERT_FLEET_INCONSISTENT, node->host,
                           "%s: a record has %s %s twice; the first is used", node->host,
                           ceiling->device, ceiling->name);
        fleet->columns[at].last_record = fleet->n_records;
    }
    if (node->n_cells > n)
        qsort(node->cells, node->n_cells, sizeof *node->cells, fleet_compare_columns);
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

static uint32_t fleet_group_of(struct ert_fleet *fleet,
                               const struct ert_node_fingerprint *fingerprint)
{
    struct ert_fleet_state *state = fleet->state;
    char text[1024];
    snprintf(text, sizeof text, "%u x %s, %u cores%s%s", fingerprint->packages,
             *fingerprint->cpu ? fingerprint->cpu : "unknown CPU", fingerprint->cores,
             *fingerprint->isa ? ", " : "", fingerprint->isa);
    const size_t length = strlen(text);
    describe_gpus(text, sizeof text, fingerprint);
    size_t index = ert_strings_index(&state->groups, text);
    if (index == fleet->n_groups) {
        fleet->groups = ert_xgrow(fleet->groups, fleet->n_groups++, &state->room_groups,
                                  sizeof *fleet->groups);
        text[length] = '\0'; /* an index below the number of groups */
        fleet->groups[index] = (struct ert_fleet_group){
            .name = state->groups.texts[index],
            .part = (uint32_t)ert_strings_index(&state->cpus, text),
            .n_gpus = fingerprint->n_gpus};
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
        {ERT_FLEET_KERNEL,    fingerprint->kernel   },
        {ERT_FLEET_GOVERNOR,  fingerprint->governor },
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        snprintf(texts[rows[i].drift], sizeof *texts, "%s", rows[i].text);
    for (uint32_t i = 0; i < fingerprint->n_gpus; i++) {
        const struct ert_node_gpu *gpu = &fingerprint->gpus[i],
                                  *before = i ? gpu - 1 : NULL;
        char *driver = texts[ERT_FLEET_DRIVER];
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

/* Takes hardware, settings and status from the latest record, which is the last in its file. */
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
    node->group = fleet_group_of(fleet, &record->fingerprint);
    node->part = (uint32_t)ert_strings_index(&state->parts, part);
    node->memory_bytes = record->fingerprint.memory_bytes;
    node->status = record->status;
    node->reason = ert_strings_keep(&state->texts, record->reason);
    node->job = ert_strings_keep(&state->texts, record->job);
    node->created = ert_strings_keep(&state->texts, record->created);
}

bool ert_fleet_expects(struct ert_fleet *fleet, const char *host)
{
    if (fleet->expected.n_texts == 0 ||
        ert_strings_find(&fleet->expected, host) != SIZE_MAX)
        return true;
    ert_strings_keep(&fleet->unexpected, host);
    return false;
}

void ert_fleet_add(struct ert_fleet *fleet, const struct ert_node_record *record)
{
    struct ert_error why;
    if (!ert_fleet_expects(fleet, record->host))
        return;
    if (ert_node_check(record, &why) != ERT_OK) {
        ert_fleet_find(fleet, ERT_FLEET_INCONSISTENT, record->host,
                       "%s; the record is not used", why.text);
        return;
    }
    struct ert_fleet_node *node = fleet_node_of(fleet, record->host);
    if (node->n_records == ERT_NODE_RECORDS) {
        if (fleet_says_first(node, ERT_FLEET_BAD_LINE))
            ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, node->host,
                           "%s: more than %d records; the others are not used", node->host,
                           ERT_NODE_RECORDS);
        return;
    }
    if (!is_new(fleet, node, record))
        return;
    fleet->n_records++;
    if (strcmp(record->created, fleet->created) > 0 &&
        strcmp(record->created, fleet->state->now) <= 0)
        snprintf(fleet->created, sizeof fleet->created, "%.23s", record->created);
    identify(fleet, node, record);
    node->n_records++;
    node->n_warnings += record->n_warnings;
    if (record->status != ERT_NODE_OK)
        return;
    node->n_ok++;
    add_ceilings(fleet, node, record);
}

/* Adds a node's record; ERT_USAGE: it is none. */
static enum ert_status take_node(struct ert_fleet *fleet, struct ert_json at,
                                 const char *sender, struct ert_error *why)
{
    struct ert_node_record record = {.host = ""};
    enum ert_status status = ert_node_read(at, &record, why);
    if (status == ERT_OK && sender && strcmp(sender, record.host) != 0) {
        ert_fleet_find(fleet, ERT_FLEET_FOREIGN, sender,
                       "%s: a record of host %s, which is not used: a node's file has "
                       "only its own",
                       at.file, record.host);
        status = ERT_UNAVAILABLE;
    } else if (status == ERT_OK) {
        ert_fleet_add(fleet, &record);
    }
    ert_node_free(&record);
    return status;
}

/*
 * Takes a line of an `ert soak`: the last word of a device, of all files, is the finding. That of a host that
 * is not expected may be of one under another name: it drains none.
 */
static enum ert_status take_soak(struct ert_fleet *fleet, struct ert_json at,
                                 const char *sender, struct ert_error *why)
{
    static const char *const verdicts[] = {
        "clean",  "interrupted",   "did not end",   "slower over time",
        "failed", "wrong results", "memory errors",
    };
    enum { FIRST_OPEN = 1, FIRST_BAD = 4 };
    struct ert_fleet_state *state = fleet->state;
    const char *host, *device, *line, *date, *verdict;
    double busy_s, wrong, errors = 0;
    size_t i = 0;
    ERT_TRY(ert_json_string(at, "host", &host, why));
    ERT_TRY(ert_json_string(at, "device", &device, why));
    ERT_TRY(ert_json_string(at, "line", &line, why));
    ERT_TRY(ert_json_string(at, "date", &date, why));
    ERT_TRY(ert_json_double(at, "busy_s", 0, ERT_FIELD_MAX, &busy_s, why));
    ERT_TRY(ert_json_double(at, "wrong", 0, ERT_FIELD_MAX, &wrong, why));
    if (ert_json_has(at, "ecc_uncorrected"))
        ERT_TRY(ert_json_double(at, "ecc_uncorrected", 0, ERT_FIELD_MAX, &errors, why));
    if (!ert_host_is_name(host) || strlen(device) > 16 ||
        (sender && strcmp(sender, host) != 0))
        return ert_fail(why, ERT_USAGE, "%s: a soak of host '%.64s', device '%.64s'",
                        at.file, host, device);
    verdict = wrong > 0                     ? "wrong results"
              : errors > 0                  ? "memory errors"
              : strcmp(line, "failed") == 0 ? line
                                            : "did not end";
    if (strcmp(line, "end") == 0)
        ERT_TRY(ert_json_string(at, "verdict", &verdict, why));
    while (i < ERT_LENGTH(verdicts) && strcmp(verdicts[i], verdict) != 0)
        i++;
    if (i == ERT_LENGTH(verdicts))
        return ert_fail(why, ERT_USAGE, "%s: verdict '%.32s'", at.file, verdict);
    const bool is_expected = ert_fleet_expects(fleet, host);
    char key[ERT_HOST_TEXT + 32];
    snprintf(key, sizeof key, "%s: %s", host, device);
    const size_t n = state->soaks.n_texts, of = ert_strings_index(&state->soaks, key);
    if (of == n) {
        state->said = ert_xgrow(state->said, n, &state->room_said, sizeof *state->said);
        state->said[n] = (struct said){.finding = fleet->n_findings};
        ert_fleet_find(fleet, ERT_FLEET_SOAK, host, "%s", "");
    }
    date = strcmp(date, state->now) > 0 ? "" : date; /* of a clock that is wrong */
    if (strcmp(date, state->said[of].date) < 0)
        return ERT_OK;
    snprintf(state->said[of].date, sizeof state->said[of].date, "%s", date);
    struct ert_fleet_finding *finding = &fleet->findings[state->said[of].finding];
    free(finding->sentence);
    finding->sentence = ert_xprintf("%s: %s after %.6g s under load", key, verdict, busy_s);
    finding->severity = i >= FIRST_BAD && is_expected                 ? ERT_FLEET_BAD
                        : i >= (is_expected ? FIRST_OPEN : FIRST_BAD) ? ERT_FLEET_OPEN
                                                                      : ERT_FLEET_NOTE;
    return ERT_OK;
}

/* Adds a line of ert-net, if both hosts are expected. */
static enum ert_status take_pair(struct ert_fleet *fleet, struct ert_json at,
                                 struct ert_error *why)
{
    struct ert_net_record pair;
    ERT_TRY(ert_net_record_read(at, &pair, why));
    if (pair.line == ERT_NET_PAIR &&
        !(ert_fleet_expects(fleet, pair.a) && ert_fleet_expects(fleet, pair.b)))
        return ERT_OK;
    return ert_pairs_add(&fleet->pairs, &pair, at.file, why);
}

static enum ert_status fleet_take_line(struct ert_fleet *fleet, struct ert_json at,
                                       const char *schema, const char *sender,
                                       struct ert_error *why)
{
    const bool may_be_node = !sender || *sender, may_be_pair = !sender || !*sender;
    if (may_be_node && strcmp(schema, ERT_NODE_SCHEMA) == 0)
        return take_node(fleet, at, sender, why);
    if (may_be_node && strcmp(schema, "ert-soak/1") == 0)
        return take_soak(fleet, at, sender, why);
    if (may_be_pair && strcmp(schema, ert_net_schema) == 0)
        return take_pair(fleet, at, why);
    return ert_fail(why, ERT_USAGE, "%s: schema '%.40s', must be %s%s%s", at.file, schema,
                    may_be_node ? ERT_NODE_SCHEMA : "",
                    may_be_node && may_be_pair ? " or " : "",
                    may_be_pair ? ert_net_schema : "");
}

/* Memory that ran out, or a disk that fails, is no fault of a line: the merge would judge what is left. */
static bool fleet_is_fatal(const struct ert_lines *lines, enum ert_status status)
{
    const bool is_long = lines->failed && !ferror(lines->stream);
    return status == ERT_FAILED && !is_long;
}

/* A file may have any number of bad lines, of which a few tell enough. */
static enum ert_status fleet_take_lines(struct ert_fleet *fleet,
                                        struct ert_records *records, const char *sender,
                                        struct ert_error *error)
{
    enum { MOST_BAD = 10, MOST_LINES = 2 * ERT_NODE_RECORDS };
    const char *host = sender ? sender : "", *file = records->lines.file;
    size_t n_bad = 0;
    bool is_all = false;
    while (!is_all) {
        struct ert_error why = {0};
        struct ert_json at;
        const char *schema = "";
        enum ert_status status = ert_records_next(records, &at, &schema, &why);
        is_all = status == ERT_FAILED || (status == ERT_OK && !schema);
        if (status == ERT_OK && schema)
            status = fleet_take_line(fleet, at, schema, sender, &why);
        if (fleet_is_fatal(&records->lines, status))
            return ert_fail(error, ERT_FAILED, "%s", why.text);
        if (*host && records->lines.number == MOST_LINES && !is_all) {
            is_all = true;
            status =
                ert_fail(&why, ERT_USAGE, "%s: more than %d lines; the others are not read",
                         file, MOST_LINES);
        }
        if (status == ERT_OK)
            continue;
        n_bad++;
        if (status != ERT_UNAVAILABLE && (n_bad <= MOST_BAD || is_all))
            ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, host, "%s", why.text);
        is_all = is_all || (*host && n_bad >= MOST_BAD);
    }
    fleet->n_bad_lines += n_bad;
    if (n_bad >= MOST_BAD)
        ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, host, "%s: %zu bad lines%s", file, n_bad,
                       *host ? "; the others are not read" : "");
    return ERT_OK;
}

enum ert_status ert_fleet_read_lines(struct ert_fleet *fleet, struct ert_lines *lines,
                                     const char *sender, struct ert_error *error)
{
    struct ert_records records = {.lines = *lines};
    enum ert_status status = fleet_take_lines(fleet, &records, sender, error);
    ert_records_close(&records);
    return status;
}

enum ert_status ert_fleet_read(struct ert_fleet *fleet, const char *file,
                               struct ert_error *error)
{
    struct ert_lines lines;
    ERT_TRY(ert_lines_open(strcmp(file, "-") == 0 ? "/dev/stdin" : file, &lines, error));
    return ert_fleet_read_lines(fleet, &lines, NULL, error);
}

void ert_fleet_free(struct ert_fleet *fleet)
{
    struct ert_fleet_state *state = fleet->state;
    struct ert_strings *const tables[] = {
        &state->texts,    &state->columns,   &state->groups, &state->parts,
        &state->cpus,     &state->seen,      &state->soaks,  &fleet->hosts,
        &fleet->expected, &fleet->unexpected};
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        free(fleet->nodes[i].cells);
        free(fleet->nodes[i].missing);
    }
    for (size_t i = 0; i < fleet->n_groups; i++)
        free(fleet->groups[i].columns);
    for (size_t i = 0; i < fleet->n_findings; i++) {
        free(fleet->findings[i].host);
        free(fleet->findings[i].peer);
        free(fleet->findings[i].sentence);
    }
    for (size_t i = 0; i < ERT_LENGTH(tables); i++)
        ert_strings_free(tables[i]);
    ert_pairs_free(&fleet->pairs);
    ert_switches_free(&fleet->switches);
    free(fleet->columns);
    free(fleet->nodes);
    free(fleet->groups);
    free(fleet->findings);
    free(state->sums);
    free(state->said);
    free(state);
    *fleet = (struct ert_fleet){0};
}
