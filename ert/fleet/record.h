/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * record: what one node says of itself, as one line of JSON, "ert-node/1" (record.schema.json): the contract
 * between `ert fleet node`, which writes it, and `ert fleet merge`, which reads those of a whole cluster. And
 * the files of such lines, which may hold lines of other schemas, too. It judges nothing.
 */
#ifndef ERT_FLEET_RECORD_H
#define ERT_FLEET_RECORD_H

#include "ert/base/fields.h"
#include "ert/base/lines.h"
#include "ert/fleet/hosts.h"
#include "ert/machine/health.h"

#include <stdio.h>

#define ERT_NODE_SCHEMA "ert-node/1"

enum {
    ERT_NODE_LINE_BYTES = 1 << 20, /* the longest line */
    ERT_NODE_MAX_GPUS = ERT_MAX_DEVICES - 1
};

enum ert_node_kind { ERT_NODE_VERIFY, ERT_NODE_MEASURE };

/* NOT_VALID: measured, but not to be relied on. FAILED: the reason says why nothing, or not all, is there. */
enum ert_node_status {
    ERT_NODE_OK,
    ERT_NODE_NOT_VALID,
    ERT_NODE_FAILED,
    ERT_NODE_INTERRUPTED
};

/* Of a ceiling that was compared with a recorded one; NONE: it was not. */
enum ert_node_verdict {
    ERT_NODE_VERDICT_NONE,
    ERT_NODE_VERDICT_SAME,
    ERT_NODE_VERDICT_SLOWER,
    ERT_NODE_VERDICT_FASTER,
    ERT_NODE_VERDICT_CANNOT_TELL,
    ERT_NODE_VERDICT_MISSING
};

/* The words of the statuses, NULL-terminated: "ok", "not valid" ... */
extern const char *const ert_node_statuses[];

struct ert_node_gpu {
    char device[16]; /* "gpu0" */
    char model[128], vbios[32], driver[32];
    double memory_bytes, power_limit_w, boost_hz; /* 0 unknown */
};

/* What distinguishes nodes that should be alike. Texts are "" and numbers 0 where unknown. */
struct ert_node_fingerprint {
    char cpu[128]; /* "AMD EPYC 9654 96-Core Processor" */
    uint32_t packages, cores, pus;
    char isa[32]; /* the widest that programs may use: "avx512" */
    char microcode[32], bios[128];
    char memory[128]; /* "24 x 32 GiB DDR5-4800" */
    double memory_bytes;
    char kernel[128], governor[32];
    uint32_t n_gpus;
    struct ert_node_gpu gpus[ERT_NODE_MAX_GPUS];
};

/* Rates in the unit; a lower value is better where the unit is "s". */
struct ert_node_ceiling {
    char device[16], name[32];
    char unit[8]; /* "flop/s", "byte/s", "op/s", "inst/s", "s"; of a clock "Hz" */
    double value, low, high; /* 0: not measured, for the reason; the interval of 90 % */
    double error;            /* relative standard error of value, between runs included */
    /* The slowdown that is found 95 times in 100: of the reference, else between two such values. */
    double detectable;
    double clock_hz;    /* held while it was measured; 0 unknown */
    bool follows_clock; /* its rate is proportional to the device's clock */
    bool is_main;       /* FP64 FMA, a level's roof, or a clock */
    enum ert_node_verdict verdict;
    double change;    /* of the speed against the reference: -0.03 is 3 % slower */
    char reason[192]; /* why it is missing, or why nobody can tell; else "" */
};

struct ert_node_warning {
    char device[16]; /* "": of the node */
    char text[256];
};

struct ert_node_record {
    char tool[32], git[48];
    char host[ERT_HOST_TEXT]; /* as ert_host_is_name() takes it */
    char created[32];         /* UTC */
    char job[64];             /* the batch system's, "" */
    enum ert_node_kind kind;
    enum ert_node_status status;
    char
        reason[512]; /* why the status is not ok, or what is slower or unhealthy; else "" */
    double elapsed_s;
    struct ert_node_fingerprint fingerprint;
    uint32_t n_ceilings, n_health, n_warnings;
    struct ert_node_ceiling *ceilings; /* malloc, owned, as the others */
    struct ert_health_fact *health;
    struct ert_node_warning *warnings;
};

/* Another ceiling, all zero; another warning. */
struct ert_node_ceiling *ert_node_add_ceiling(struct ert_node_record *record);
void ert_node_warn(struct ert_node_record *record, const char *device, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

/* Writes the line; the stream's faults stay in it. ERT_FAILED: it would be too long, or memory ran out. */
enum ert_status ert_node_write(FILE *out, const struct ert_node_record *record,
                               struct ert_error *error);

/*
 * Reads a line's tree into *record, all zero before; it is the caller's to free, also after an error.
 * ERT_USAGE with file, line, path, value and limit.
 */
enum ert_status ert_node_read(struct ert_json at, struct ert_node_record *record,
                              struct ert_error *error);

/* Frees what the struct owns and zeroes it; NULL is fine. */
void ert_node_free(struct ert_node_record *record);

/* A file of lines, one JSON object each; empty lines do not count. */
struct ert_records {
    struct ert_lines lines;
    cJSON *root;     /* of the current line */
    char place[512]; /* "nodes.ndjson:17" */
};

/* Opens it; "-" is the standard input. ERT_USAGE with the system's reason. */
enum ert_status ert_records_open(const char *file, struct ert_records *records,
                                 struct ert_error *error);

/*
 * The next line, valid until the next call; *schema ("ert-node/1", "ert-net/1") is the tree's, NULL at the
 * end. ERT_USAGE for a line that is no object with a schema, such as one that was cut: the next call goes on
 * with the line behind it. ERT_FAILED where the file cannot be read on: nothing follows.
 */
enum ert_status ert_records_next(struct ert_records *records, struct ert_json *at,
                                 const char **schema, struct ert_error *error);

void ert_records_close(struct ert_records *records);

#endif
