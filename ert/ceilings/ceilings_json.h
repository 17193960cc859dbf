/*
 * ceilings_json: struct ert_ceilings to JSON ("ert-ceilings/1", ceilings.schema.json) and back. It
 * opens no file: ceilings.h does.
 */
#ifndef ERT_CEILINGS_CEILINGS_JSON_H
#define ERT_CEILINGS_CEILINGS_JSON_H

#include "ert/base/json.h"
#include "ert/ceilings/ceilings.h"

/* A new object, the caller's; NULL only when memory runs out. ceilings->machine must be there. */
cJSON *ert_ceilings_to_json(const struct ert_ceilings *ceilings);

/*
 * Reads it back into *ceilings, which is written only on success and then the caller's to free.
 * ERT_USAGE for another schema, a newer major version (both named), a ceiling's device that the
 * machine does not have, and values of a wrong type or out of range.
 */
enum ert_status ert_ceilings_from_json(struct ert_json root, struct ert_ceilings *ceilings,
                                       struct ert_error *error);

#endif
