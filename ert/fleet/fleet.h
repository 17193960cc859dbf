/*
 * fleet: the records of many nodes in one table, and what they say: slow nodes, a slow tail, differences of
 * configuration, nodes that are missing, late or broken, bad links. It reads records (record.h) one at a time
 * and keeps floats only; it prints nothing. `ert fleet merge` fills and writes it, the page draws it.
 */
#ifndef ERT_FLEET_FLEET_H
#define ERT_FLEET_FLEET_H

#include "ert/base/error.h"
#include "ert/fleet/outliers.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A ceiling of all nodes: identified by device and name. */
struct ert_fleet_column {
    char device[16], name[64], unit[16];
    bool is_time; /* of unit "s": lower is better */
    bool is_main, follows_clock;
};

/* What a node has in a column; value 0: not measured. Means of its measurements. */
struct ert_fleet_cell {
    float value, best;       /* in the column's unit; best: the fastest measurement */
    float error, detectable; /* relative, of one measurement */
    float clock_hz;          /* 0 unknown */
    float change; /* of the speed relative to the group's median; 0 where not compared */
    float cycle_change;    /* the same at equal clock: speed per cycle */
    uint16_t n;            /* measurements */
    uint8_t verdict;       /* enum ert_outlier: the worse of the two */
    uint8_t cycle_verdict; /* of speed per cycle alone */
};

/* What sound nodes of one group may differ in, and should not: reported as drift of the configuration. */
enum ert_fleet_drift {
    ERT_FLEET_TOOL,
    ERT_FLEET_MICROCODE,
    ERT_FLEET_BIOS,
    ERT_FLEET_MEMORY,
    ERT_FLEET_KERNEL,
    ERT_FLEET_GOVERNOR,
    ERT_FLEET_VBIOS,
    ERT_FLEET_DRIVER,
    ERT_FLEET_POWER,
    ERT_FLEET_BOOST,
    ERT_N_FLEET_DRIFT
};

struct ert_fleet_node {
    const char *host; /* the fleet's; texts are kept once each */
    const char *job;
    const char *drift[ERT_N_FLEET_DRIFT];
    double created_s; /* of its first record; since 1970 */
    double memory_bytes;
    uint32_t group;
    uint32_t part; /* equal in all of drift but the tool */
    uint32_t n_records;
    bool is_slow, is_bad;         /* SLOW in a column; a bad finding of any kind */
    struct ert_fleet_cell *cells; /* malloc; of the first n_cells columns */
    uint32_t n_cells;
};

/* Nodes of the same hardware. */
struct ert_fleet_group {
    const char *name; /* "AMD EPYC 9654 x 2, 192 cores, avx512, 4 x NVIDIA H200" */
    size_t n_nodes;
    struct ert_outliers *columns,
        *cycles; /* malloc; of fleet->n_columns, n 0: not measured there */
};

/* How bad: what the exit code says. */
enum ert_fleet_severity {
    ERT_FLEET_BAD,  /* slow or broken */
    ERT_FLEET_OPEN, /* no verdict yet: measure again */
    ERT_FLEET_NOTE
};

enum ert_fleet_kind {
    ERT_FLEET_SLOW, /* slower than its group, or than its own recorded ceilings; repeats */
    ERT_FLEET_BROKEN,     /* its record says that it failed */
    ERT_FLEET_UNHEALTHY,  /* a health fact is bad */
    ERT_FLEET_MISSING,    /* expected, and no record came */
    ERT_FLEET_LATE,       /* its record was interrupted by a deadline */
    ERT_FLEET_LINK,       /* a pair of nodes */
    ERT_FLEET_SWITCH,     /* all links of a group of nodes */
    ERT_FLEET_CHANGED,    /* slower than in the baseline or the history */
    ERT_FLEET_SUSPECT,    /* slow, measured once */
    ERT_FLEET_BAD_LINE,   /* a line of a file that is no record */
    ERT_FLEET_NOT_VALID,  /* measured under conditions that make the numbers invalid */
    ERT_FLEET_SLOW_TAIL,  /* slow, in a column whose slow side is no normal one */
    ERT_FLEET_DRIFT,      /* of the configuration */
    ERT_FLEET_CLOCKS,     /* its date is far from those of its job */
    ERT_FLEET_DUPLICATE,  /* a record came twice */
    ERT_FLEET_UNEXPECTED, /* not among the expected */
    ERT_FLEET_FEW,        /* a group of too few nodes */
    ERT_FLEET_TRANSIENT,  /* slow once, not when measured again */
    ERT_N_FLEET_KIND
};

struct ert_fleet_finding {
    enum ert_fleet_kind kind;
    enum ert_fleet_severity severity;
    char *host;                        /* malloc; a host, or many as a host list; "" none */
    char *peer;                        /* malloc; the other end of a link, else NULL */
    int column;                        /* of fleet->columns; -1 none */
    uint32_t n_columns;                /* of a slow node: in how many columns it is */
    uint32_t n_measured;               /* how often it was measured; 0: does not apply */
    double value, expected, z, change; /* 0 where they do not apply; change of the speed */
    char *sentence;                    /* malloc; why, for an administrator */
};

struct ert_fleet {
    struct ert_fleet_column *columns;
    size_t n_columns;
    struct ert_fleet_node
        *nodes; /* by their first record's order, after ert_fleet_judge() by host */
    size_t n_nodes;
    struct ert_fleet_group *groups;
    size_t n_groups;
    struct ert_fleet_finding *findings; /* after ert_fleet_judge(): the worst first */
    size_t n_findings;
    size_t n_records, n_bad_lines;
    double
        false_alarms; /* sound nodes called slow that the limits allow, expected, in all of the fleet */
    size_t n_tests;                /* comparisons that share them */
    size_t n_fast;                 /* columns of nodes that are as far on the fast side */
    char created[24];              /* the newest record's */
    struct ert_fleet_state *state; /* while it is filled: tables of texts and hosts */
};

/* The cell of a node, all zero where it has none. */
const struct ert_fleet_cell *ert_fleet_cell(const struct ert_fleet_node *node,
                                            size_t column);

/* The words of a kind, "slow", "slow tail"; and of a severity: "bad", "open", "note". */
const char *ert_fleet_kind_name(enum ert_fleet_kind kind);
const char *ert_fleet_severity_name(enum ert_fleet_severity severity);

/* An empty fleet; *fleet is the caller's (ert_fleet_free). */
void ert_fleet_begin(struct ert_fleet *fleet);

/*
 * Adds the "ert-node/1" lines of a file ("-": standard input). Lines that are no record become findings with
 * file and line, the others count. "ert-net/1" lines are left to links.h. ERT_USAGE: no such file.
 */
enum ert_status ert_fleet_read(struct ert_fleet *fleet, const char *file,
                               struct ert_error *error);

/* Adds a finding; sentence is a format. Returns it, valid until the next one is added. */
struct ert_fleet_finding *ert_fleet_find(struct ert_fleet *fleet, enum ert_fleet_kind kind,
                                         const char *host, const char *sentence, ...)
    __attribute__((format(printf, 4, 5)));

/* Nodes of a Slurm host list (hosts.h) without a record become findings. ERT_USAGE as hosts.h. */
enum ert_status ert_fleet_expect(struct ert_fleet *fleet, const char *hosts,
                                 struct ert_error *error);

/*
 * Compares all nodes within their groups, and sorts nodes and findings. false_alarms: sound nodes called slow
 * in all of the fleet, expected; above 0.
 */
void ert_fleet_judge(struct ert_fleet *fleet, double false_alarms);

/* 0 nothing found, 1 slow or broken nodes, 4 no verdict: what is open, or nothing that could be compared. */
enum ert_status ert_fleet_status(const struct ert_fleet *fleet, struct ert_error *error);

/* All zero is fine. */
void ert_fleet_free(struct ert_fleet *fleet);

#endif
