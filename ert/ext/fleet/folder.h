/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * folder: the shared folder of a fleet: HOST.ndjson has the records of one node, a line each, which only that
 * node writes; NAME.net has what `ert-net --out` wrote. Nodes need no more than a common file system, and
 * what came is there: a node without a record is one to run again.
 */
#ifndef ERT_FLEET_FOLDER_H
#define ERT_FLEET_FOLDER_H

#include "ert/ext/fleet/fleet.h"

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

#endif
