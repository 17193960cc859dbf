#include "ert/ceilings/ceilings.h"

#include "ert/ceilings/ceilings_json.h"

#include <stdlib.h>
#include <string.h>

static const char *const confidence_names[] = {"high", "medium", "low"};

enum ert_status ert_ceilings_read(const char *file, struct ert_ceilings *ceilings,
                                  struct ert_error *error)
{
    cJSON *root = NULL;
    ERT_TRY(ert_json_read(file, &root, error));
    enum ert_status status =
        ert_ceilings_from_json(ert_json_root(root, file), ceilings, error);
    cJSON_Delete(root);
    return status;
}

enum ert_status ert_ceilings_write(const char *file, const struct ert_ceilings *ceilings,
                                   struct ert_error *error)
{
    if (!ceilings->machine)
        return ert_fail(error, ERT_FAILED, "%s: not written: the ceilings have no machine",
                        file);
    cJSON *root = ert_ceilings_to_json(ceilings);
    if (!root)
        return ert_fail(error, ERT_FAILED, "%s: not written: out of memory", file);
    enum ert_status status = ert_json_write(file, root, error);
    cJSON_Delete(root);
    return status;
}

void ert_ceilings_free(struct ert_ceilings *ceilings)
{
    if (!ceilings)
        return;
    for (size_t i = 0; ceilings->devices && i < ceilings->n_devices; i++)
        free(ceilings->devices[i].curve);
    free(ceilings->devices);
    free(ceilings->machine);
    memset(ceilings, 0, sizeof *ceilings);
}

struct ert_burst ert_ceiling_burst(const struct ert_ceiling *ceiling)
{
    if (ceiling->burst > 0)
        return (struct ert_burst){ceiling->burst, ceiling->burst_low, ceiling->burst_high};
    return (struct ert_burst){ceiling->value, ceiling->low, ceiling->high};
}

const char *ert_confidence_name(enum ert_confidence confidence)
{
    return confidence_names[confidence];
}
