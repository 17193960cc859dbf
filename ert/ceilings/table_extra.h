/*
 * table_extra: the ceilings of other kinds as text, below the main table: latencies, links, and
 * matrices of access sizes against strides, of ILP against concurrency. Private to table.c.
 */
#ifndef ERT_CEILINGS_TABLE_EXTRA_H
#define ERT_CEILINGS_TABLE_EXTRA_H

#include "ert/ceilings/ceilings.h"

#include <stdio.h>

/* Writes a block per kind that the device has; nothing where it has none. */
void ert_table_extras(FILE *out, const struct ert_device_ceilings *device);

#endif
