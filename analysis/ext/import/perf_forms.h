/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * perf_forms: the two other forms of perf stat's output, for readers and JSON (-j), as rows of -x '\t'.
 * Private to import.
 */
#ifndef RFL_IMPORT_PERF_FORMS_H
#define RFL_IMPORT_PERF_FORMS_H

#include "ert/ext/base/lines.h"

/*
 * Writes the current line as a row of -x, if it is one of another form: [where], value, unit, event,
 * nanoseconds that the counter ran (1: not said), per cent of the time that it ran. *is_text: whether a head
 * of the form for readers was seen, without which a line of words is none of its rows; false at first.
 */
void rfl_perf_form(struct ert_lines *lines, bool *is_text);

#endif
