/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fleet: collects the records of many nodes in one table, and finds slow nodes, slow tails, configuration
 * differences, missing, late or broken nodes, and bad links. It reads records (record.h) one at a time and
 * keeps only floats; it prints nothing. `ert fleet merge` fills and writes it.
 */
#ifndef ERT_FLEET_FLEET_H
#define ERT_FLEET_FLEET_H

#include "ert/core/base/file.h"
#include "ert/ext/base/lines.h"
#include "ert/ext/fleet/hosts.h"
#include "ert/ext/fleet/links.h"
#include "ert/ext/fleet/outliers.h"
#include "ert/ext/fleet/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The accepted false alarms: the expected number of sound nodes called slow in a whole fleet, one in four
 * merges. More of them would also find more nodes that are 3 % slow (simulated: results/fleet).
 */
#define ERT_FLEET_FALSE_ALARMS 0.25

/* A ceiling of all nodes, identified by device, name and unit. */
struct ert_fleet_column {
    char device[16], name[64], unit[16];
    bool is_time; /* unit "s": lower is better */
    bool is_main;
    size_t last_record; /* the number of the last record that has it, from 1 */
};

/* A node's values of a column: means of its measurements; value 0: not measured. */
struct ert_fleet_cell {
    uint32_t column;
    float value, best;       /* in the column's unit; best: the fastest measurement */
    float error, detectable; /* relative, of one measurement */
    float clock_hz;          /* 0 unknown */
    float change; /* of the speed relative to the group's median; 0 if not compared */
    float z, limit;
    float recorded_change; /* of the speed relative to the node's own recorded ceiling */
    uint16_t n;            /* measurements */
    uint16_t n_compared, n_slower; /* with the recorded ceiling; of these the slower ones */
    uint8_t verdict;               /* enum ert_outlier */
};

/* Settings that all nodes of a group should have in common; differences are reported as drift. */
enum ert_fleet_drift {
    ERT_FLEET_TOOL,
    ERT_FLEET_MICROCODE,
    ERT_FLEET_BIOS,
    ERT_FLEET_KERNEL,
    ERT_FLEET_GOVERNOR,
    ERT_FLEET_DRIVER,
    ERT_FLEET_POWER,
    ERT_FLEET_BOOST,
    ERT_N_FLEET_DRIFT
};

/* Their names: "ert", "microcode", "BIOS". */
extern const char *const ert_fleet_drift_names[ERT_N_FLEET_DRIFT];

struct ert_fleet_node {
    const char *host; /* owned by the fleet, which keeps each text once */
    /* Of the latest record, the last that was added: */
    const char *job, *created, *reason, *drift[ERT_N_FLEET_DRIFT];
    enum ert_node_status status;
    uint32_t group;
    uint32_t part; /* equal for nodes with equal settings, except the tool */
    double memory_bytes;
    /* Of all records: */
    uint32_t n_records, n_ok; /* n_ok: records whose ceilings count */
    uint32_t n_compared;      /* ceilings compared with recorded ones */
    uint32_t n_warnings;
    struct ert_fleet_missing {
        const char *device, *name, *reason;
    } * missing; /* malloc; ceilings that could not be measured, sorted by the judge */
    size_t n_missing, room_missing;
    struct ert_fleet_cell *cells; /* malloc; of what was measured, sorted by column */
    size_t n_cells, room_cells;
    uint32_t said; /* findings that it has, of those with one at most: 1 << ERT_FLEET_... */
};

/* A column of a group. */
struct ert_fleet_judged {
    uint32_t column;
    struct ert_outliers about;
    double clock_hz; /* the nodes' median; 0 unknown */
};

/* Nodes of the same hardware. */
struct ert_fleet_group {
    const char *name; /* "AMD EPYC 9654 x 2, 192 cores, avx512, 4 x NVIDIA H200" */
    size_t n_nodes;
    uint32_t part, n_gpus; /* part: the same for groups that differ in GPUs only */
    struct ert_fleet_judged *columns; /* malloc; of its nodes, sorted by column */
    size_t n_columns;
};

/* The severity of findings, which determines the exit code. */
enum ert_fleet_severity {
    ERT_FLEET_BAD,  /* slow or broken */
    ERT_FLEET_OPEN, /* no verdict yet: measure again */
    ERT_FLEET_NOTE,
    ERT_N_FLEET_SEVERITY
};

extern const char *const ert_fleet_severities[ERT_N_FLEET_SEVERITY];

enum ert_fleet_kind {
    ERT_FLEET_SLOW,         /* slower than its group; repeats */
    ERT_FLEET_BROKEN,       /* its last record has the status "failed" */
    ERT_FLEET_LINK,         /* a pair of nodes */
    ERT_FLEET_SWITCH,       /* all links of a group of nodes */
    ERT_FLEET_CHANGED,      /* slower than its recorded ceilings */
    ERT_FLEET_SOAK,         /* what an `ert soak` of it ended with */
    ERT_FLEET_MISSING,      /* expected, but it has no record */
    ERT_FLEET_LATE,         /* its record was cut short by a deadline */
    ERT_FLEET_SUSPECT,      /* slow, but measured only once or twice */
    ERT_FLEET_NOT_MEASURED, /* lacks a ceiling that its group has */
    ERT_FLEET_NOT_VALID,    /* measured under conditions that make the numbers invalid */
    ERT_FLEET_BAD_LINE,     /* a line that is not a record, or more than a node may have */
    ERT_FLEET_FOREIGN,      /* a record of another host than the one that wrote it */
    ERT_FLEET_INCONSISTENT, /* a record whose numbers contradict each other */
    ERT_FLEET_FEW,          /* too few nodes have the same hardware */
    ERT_FLEET_SLOW_TAIL,    /* nodes at the end of a long slow tail */
    ERT_FLEET_DRIFT,        /* between configurations */
    ERT_FLEET_DUPLICATE,    /* the same record twice */
    ERT_FLEET_UNEXPECTED,   /* not in the list of expected nodes */
    ERT_FLEET_NEAR,         /* close to the limit, measured once */
    ERT_FLEET_TRANSIENT,    /* slow once, not when measured again */
    ERT_FLEET_WARNED,       /* warnings in its records */
    ERT_N_FLEET_KIND
};

/* "slow", "slow tail" ..., and the severity of such findings, unless they set another one. */
extern const struct ert_fleet_kind_row {
    const char *name;
    enum ert_fleet_severity severity;
} ert_fleet_kinds[ERT_N_FLEET_KIND];

struct ert_fleet_finding {
    enum ert_fleet_kind kind;
    enum ert_fleet_severity severity;
    char *host;          /* malloc; a host, or several separated by commas; "" none */
    char *peer;          /* malloc; the other end of a link, else NULL */
    int column;          /* of fleet->columns; -1 none */
    uint32_t n_columns;  /* for a slow node: in how many columns */
    uint32_t n_measured; /* how often it was measured; 0: does not apply */
    double value, expected, z, change; /* 0 if they do not apply; change: of the speed */
    char *sentence;                    /* malloc; an explanation for administrators */
};

struct ert_fleet {
    struct ert_fleet_column *columns;
    size_t n_columns;
    struct ert_fleet_node *nodes; /* sorted by host after ert_fleet_judge() */
    size_t n_nodes;
    struct ert_fleet_group *groups;
    size_t n_groups;
    struct ert_fleet_finding *findings; /* sorted by ert_fleet_judge(), the worst first */
    size_t n_findings;
    size_t n_records, n_bad_lines;
    double false_alarms;          /* sound nodes called slow, expected in the whole fleet */
    size_t n_tests;               /* comparisons, among which false_alarms are divided */
    size_t n_fast;                /* comparisons beyond the limit on the fast side */
    char created[24];             /* date of the newest record that is not of the future */
    struct ert_pairs pairs;       /* measurements between hosts */
    struct ert_switches switches; /* of hosts, where known */
    struct ert_strings hosts;     /* of nodes */
    struct ert_strings expected;  /* whose records alone count; none: any host's do */
    struct ert_strings unexpected; /* the hosts of other records */
    struct ert_fleet_state *state; /* tables of texts and hosts, for adding records */
};

/* The cell of a node and column, and what a group's comparison gave; all zero if there is none. */
const struct ert_fleet_cell *ert_fleet_cell(const struct ert_fleet_node *node,
                                            size_t column);
const struct ert_fleet_judged *ert_fleet_judged(const struct ert_fleet_group *group,
                                                size_t column);

/* "" for 1, else "s". */
const char *ert_fleet_plural(size_t n);

/* Makes an empty fleet; the caller frees it (ert_fleet_free). */
void ert_fleet_begin(struct ert_fleet *fleet);

/* Whether records of the host count; one that does not is a finding of ert_fleet_judge(). */
bool ert_fleet_expects(struct ert_fleet *fleet, const char *host);

/*
 * Adds a record. Where it does not count it becomes a finding: of a host that is not expected, whose numbers
 * contradict each other, or of a job and date of which the node already has one. Other records of a node are
 * further measurements.
 */
void ert_fleet_add(struct ert_fleet *fleet, const struct ert_node_record *record);

/*
 * Adds the "ert-node/1" lines of a file ("-": standard input). Lines that are not records become findings
 * with file and line; the others count. Pairs of "ert-net/1" lines are added to fleet->pairs. ERT_USAGE: the
 * file does not exist. ERT_FAILED: memory ran out, or reading failed.
 */
enum ert_status ert_fleet_read(struct ert_fleet *fleet, const char *file,
                               struct ert_error *error);

/*
 * The same of opened lines, which it closes, written by `sender`: a host, of which alone its records may be;
 * "": ert-net, with no records of nodes; NULL: anybody.
 */
enum ert_status ert_fleet_read_lines(struct ert_fleet *fleet, struct ert_lines *lines,
                                     const char *sender, struct ert_error *error);

/* Adds a finding; sentence is a format. Returns it, valid until the next one is added. */
struct ert_fleet_finding *ert_fleet_find(struct ert_fleet *fleet, enum ert_fleet_kind kind,
                                         const char *host, const char *sentence, ...)
    __attribute__((format(printf, 4, 5)));

/* The same: n ceilings, of which `column` changed most: "HOST: DEVICE NAME sentence; n - 1 more ceilings". */
struct ert_fleet_finding *
ert_fleet_find_in(struct ert_fleet *fleet, enum ert_fleet_kind kind,
                  const struct ert_fleet_node *node, uint32_t column, uint32_t n,
                  double change, const char *sentence, ...)
    __attribute__((format(printf, 7, 8)));

/* Sorts the findings, the worst first. Call it after adding findings to those of ert_fleet_judge(). */
void ert_fleet_sort(struct ert_fleet *fleet);

/*
 * The hosts of findings of some kinds, 1 << ERT_FLEET_SLOW | ..., sorted, so that they can be read but not
 * searched; the caller frees them. Omits pairs, and findings with the severity note if their kind has
 * another.
 */
struct ert_strings ert_fleet_hosts(const struct ert_fleet *fleet, unsigned kinds);

/*
 * Compares all nodes within their groups, and sorts nodes and findings. false_alarms: expected number of
 * sound nodes called slow in the whole fleet, above 0.
 */
void ert_fleet_judge(struct ert_fleet *fleet, double false_alarms);

/*
 * Judges fleet->pairs, adds the findings and sorts them. Switches are a SWITCH; hosts and pairs are a LINK,
 * for which no node is drained: one node wrote what is said of all. Pairs that were slow once are open; many
 * of them are one finding.
 */
void ert_fleet_judge_network(struct ert_fleet *fleet);

/* ERT_FAILED: there are bad findings. ERT_NOT_VALID: only open ones, or no records at all. */
enum ert_status ert_fleet_status(const struct ert_fleet *fleet, struct ert_error *error);

/* Accepts an all-zero struct. */
void ert_fleet_free(struct ert_fleet *fleet);

/*
 * folder.c: the shared folder of a fleet: HOST.ndjson has the records of one node, a line each, which only
 * that node writes; NAME.net has what `ert-net --out` wrote. Nodes need no more than a common file system,
 * and what came is there: a node without a record is one to run again.
 */

/* The records of a node that were there before; {0} at first. */
struct ert_folder_file {
    char *file;   /* malloc; "DIR/HOST.ndjson" */
    char *before; /* malloc; whole lines */
    size_t size;
};

/* Makes the folder and reads the node's earlier records. ERT_FAILED, ERT_USAGE: it cannot, or too many. */
enum ert_status ert_folder_open(const char *folder, const char *host,
                                struct ert_folder_file *file, struct ert_error *error);

/* Writes the earlier records and this one, in place of one written before, atomically. ERT_FAILED. */
enum ert_status ert_folder_write(const struct ert_folder_file *file,
                                 const struct ert_node_record *record,
                                 struct ert_error *error);

void ert_folder_close(struct ert_folder_file *file);

/*
 * Adds the records of all files of a folder to a fleet; what is no such file is passed over, and one whose
 * name is no host's is a finding. A record counts
 * only if it is of the host that its file is named after. Removes files that killed nodes left half written,
 * once they are an hour old. ERT_USAGE: the folder cannot be read.
 */
enum ert_status ert_folder_read(struct ert_fleet *fleet, const char *folder,
                                struct ert_error *error);

/* outputs.c: writes a fleet for administrators and their tools. Errors of a stream remain in the stream. */

struct ert_fleet_form {
    const char *name;    /* "text", "json" */
    const char *file;    /* file name in a folder: "fleet.json" */
    ert_file_make *make; /* about: a struct ert_fleet */
};

/* text first, then json, "ert-fleet/1" (fleet.schema.json), and lists of hosts: bad, suspects, missing. */
enum { ERT_N_FLEET_FORMS = 5 };
extern const struct ert_fleet_form ert_fleet_forms[ERT_N_FLEET_FORMS];

/* Writes all forms into an existing folder. */
enum ert_status ert_fleet_write_forms(const struct ert_fleet *fleet, const char *folder,
                                      struct ert_error *error);

/* Kinds of findings, as bits, for which a node may be drained: proven faults, not just a missing record. */
#define ERT_FLEET_DRAINS                                                                   \
    (1U << ERT_FLEET_SLOW | 1U << ERT_FLEET_BROKEN | 1U << ERT_FLEET_CHANGED |             \
     1U << ERT_FLEET_SOAK)

/* Nodes to measure again: suspects and disturbed ones; and those without a whole record. */
#define ERT_FLEET_AGAIN                                                                    \
    (1U << ERT_FLEET_SUSPECT | 1U << ERT_FLEET_NEAR | 1U << ERT_FLEET_NOT_VALID)
#define ERT_FLEET_AGAIN_LATE (1U << ERT_FLEET_MISSING | 1U << ERT_FLEET_LATE)

#endif
