/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: the record of one node as one line of JSON, "ert-node/1" (record.schema.json): the contract between
 * `ert fleet node`, which writes it, and `ert fleet merge`, which reads those of a whole cluster. Also files
 * of such lines, which may contain lines of other schemas. It judges nothing.
 */
#ifndef ERT_FLEET_RECORD_H
#define ERT_FLEET_RECORD_H

#include "ert/core/base/fields.h"
#include "ert/core/machine/machine.h"
#include "ert/ext/base/lines.h"
#include "ert/ext/fleet/hosts.h"

#include <stdio.h>

#define ERT_NODE_SCHEMA "ert-node/1"

/* What one node may have, since what it prints is not trusted: more is a finding, and the others count. */
enum {
    ERT_NODE_LINE_BYTES = 1 << 20,  /* the longest line */
    ERT_NODE_FILE_BYTES = 16 << 20, /* a node's file */
    ERT_NODE_RECORDS = 1000,        /* that are used */
    ERT_NODE_CEILINGS = 4096,       /* of a record; also its facts and warnings */
    ERT_NODE_MAX_GPUS = ERT_MAX_DEVICES - 1
};

enum ert_node_kind { ERT_NODE_VERIFY, ERT_NODE_MEASURE };

/* NOT_VALID: measured, but unreliable. FAILED: the reason tells why something was not measured. */
enum ert_node_status {
    ERT_NODE_OK,
    ERT_NODE_NOT_VALID,
    ERT_NODE_FAILED,
    ERT_NODE_INTERRUPTED
};

/* The verdict of comparing a ceiling with a recorded one; NONE: not compared. */
enum ert_node_verdict {
    ERT_NODE_VERDICT_NONE,
    ERT_NODE_VERDICT_SAME,
    ERT_NODE_VERDICT_SLOWER,
    ERT_NODE_VERDICT_FASTER,
    ERT_NODE_VERDICT_CANNOT_TELL,
    ERT_NODE_VERDICT_MISSING
};

/* The names of the statuses, NULL-terminated: "ok", "not valid" ... */
extern const char *const ert_node_statuses[];

struct ert_node_gpu {
    char device[16]; /* "gpu0" */
    char model[128], driver[32];
    double memory_bytes, power_limit_w, boost_hz; /* 0 unknown */
};

/* What distinguishes nodes that should be equal. Unknown texts are "", unknown numbers 0. */
struct ert_node_fingerprint {
    char cpu[128]; /* "AMD EPYC 9654 96-Core Processor" */
    uint32_t packages, cores, pus;
    char isa[32]; /* the widest for programs: "avx512" */
    char microcode[32], bios[128];
    double memory_bytes;
    char kernel[128], governor[32];
    uint32_t n_gpus;
    struct ert_node_gpu gpus[ERT_NODE_MAX_GPUS];
};

/* A rate in the unit, or for the unit "s" a time, of which lower is better. */
struct ert_node_ceiling {
    char device[16], name[32];
    char unit[8]; /* "flop/s", "byte/s", "op/s", "inst/s", "s"; a clock: "Hz"; "" unknown */
    double value, low, high; /* value 0: not measured, see reason; 90 % interval */
    double error; /* relative standard error of value, including differences between runs */
    /* The slowdown found in 95 of 100 cases, relative to the reference or between two such values. */
    double detectable;
    double clock_hz; /* while it was measured; 0 unknown */
    bool is_main;    /* FP64 FMA, a level's roof, or a clock */
    enum ert_node_verdict verdict;
    double change;    /* of the speed, relative to the reference: -0.03 is 3 % slower */
    char reason[192]; /* why it is missing, or "cannot tell"; else "" */
};

struct ert_node_warning {
    char device[16]; /* "": the node */
    char text[256];
};

struct ert_node_record {
    char tool[32], git[48];
    char host[ERT_HOST_TEXT]; /* see ert_host_is_name() */
    char created[32];         /* UTC */
    char job[64];             /* of the batch system; "" none */
    enum ert_node_kind kind;
    enum ert_node_status status;
    char reason[512]; /* why the status is not ok, or what is slower; else "" */
    double elapsed_s;
    struct ert_node_fingerprint fingerprint;
    uint32_t n_ceilings, n_warnings;
    struct ert_node_ceiling *ceilings; /* malloc, owned, as are the warnings */
    struct ert_node_warning *warnings;
};

/* Adds an all-zero ceiling; a warning. */
struct ert_node_ceiling *ert_node_add_ceiling(struct ert_node_record *record);
void ert_node_warn(struct ert_node_record *record, const char *device, const char *text);

/* Writes the line; errors remain in the stream. ERT_FAILED: the line would be too long, or memory ran out. */
enum ert_status ert_node_write(FILE *out, const struct ert_node_record *record,
                               struct ert_error *error);

/*
 * Reads a line's tree into *record, which must be all zero; the caller frees it, also after an error.
 * ERT_USAGE with file, line, path, value and limit.
 */
enum ert_status ert_node_read(struct ert_json at, struct ert_node_record *record,
                              struct ert_error *error);

/*
 * Whether the numbers of a record agree: each value is within its interval (ert_ceiling_check), and one that
 * a float holds. ERT_USAGE names the first that is not.
 */
enum ert_status ert_node_check(const struct ert_node_record *record,
                               struct ert_error *error);

/* Frees the lists and zeroes the struct. */
void ert_node_free(struct ert_node_record *record);

/* A file with a JSON object per line; empty lines are ignored. ert_lines_open() opens it, with all else 0. */
struct ert_records {
    struct ert_lines lines;
    cJSON *root;     /* of the current line */
    char place[512]; /* "nodes.ndjson:17" */
};

/*
 * Reads the next line, valid until the next call; *schema ("ert-node/1", "ert-net/1") belongs to the tree,
 * and is NULL at the end. ERT_USAGE for a line that is not an object with a schema, such as a truncated one:
 * the next call continues after it. ERT_FAILED if the rest of the file cannot be read.
 */
enum ert_status ert_records_next(struct ert_records *records, struct ert_json *at,
                                 const char **schema, struct ert_error *error);

void ert_records_close(struct ert_records *records);

#endif
