#include "ert/cli/validate_build.h"

#include "ert/ceilings/columns.h"
#include "ert/validate/build.h"
#include "ert/validate/code.h"

#include <stdlib.h>
#include <string.h>

enum column { KERNEL, PATH, VARIANT, CLAIM, FOUND, VERDICT };

static const struct ert_columns_row head = {
    {"kernel", "path", "variant", "claim", "found", "verdict"}
};

/* All that one table is made of. */
struct listing {
    struct ert_replay replays[ERT_MAX_REPLAYS];
    struct ert_ceiling ceilings[ERT_MAX_REPLAYS];
    struct ert_columns_row rows[ERT_MAX_REPLAYS + 1];
    size_t n, n_agree, n_differ;
};

static enum ert_status read_capability(const char *text, uint32_t *major, uint32_t *minor,
                                       struct ert_error *error)
{
    char rest;
    if (sscanf(text, "%2u.%1u%c", major, minor, &rest) != 2 || *major == 0)
        return ert_fail(error, ERT_USAGE,
                        "--code-for: '%.32s' is no compute capability like 7.0", text);
    return ERT_OK;
}

static void fill_row(struct ert_columns_row *row, const struct ert_device *device,
                     const struct ert_replay *replay)
{
    const struct ert_proof *proof = &replay->ceiling->proof;
    struct ert_code code;
    snprintf(row->cells[KERNEL], ERT_COLUMN_TEXT, "%s", replay->ceiling->name);
    snprintf(row->cells[PATH], ERT_COLUMN_TEXT, "%s", ert_path_name(replay->case_.path));
    snprintf(row->cells[VARIANT], ERT_COLUMN_TEXT, "%s", replay->ceiling->launch.name);
    snprintf(row->cells[FOUND], ERT_COLUMN_TEXT, "%s", proof->code_text);
    snprintf(row->cells[VERDICT], ERT_COLUMN_TEXT, "%s", proof->code);
    if (ert_claims_has(device->kind, replay->case_.kernel) &&
        replay->backend->code(device, &replay->case_, &code, NULL) == ERT_OK)
        ert_claims_text(device->kind, replay->case_.kernel, &code, row->cells[CLAIM],
                        ERT_COLUMN_TEXT);
}

static enum ert_status conclude(const struct listing *listing, const char *device,
                                struct ert_error *error)
{
    if (listing->n_differ)
        return ert_fail(error, ERT_FAILED, "%zu of %zu kernels differ: see above",
                        listing->n_differ, listing->n);
    if (listing->n_agree == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: %s", device,
                        listing->n ? listing->replays[0].ceiling->proof.code_text
                                   : "this build has no kernels for it");
    return ERT_OK;
}

/* Keeps those with code of their own: links are copies by the driver. */
static void drop_foreign(struct listing *listing, const struct ert_device *device)
{
    size_t n = 0;
    for (size_t i = 0; i < listing->n; i++) {
        const struct ert_replay *replay = &listing->replays[i];
        struct ert_code code;
        if (replay->backend->code(device, &replay->case_, &code, NULL) == ERT_OK)
            listing->replays[n++] = *replay;
    }
    listing->n = n;
}

static enum ert_status write_table(FILE *out, struct listing *listing,
                                   const struct ert_device *device, struct ert_error *error)
{
    listing->n = ert_build_list(&ert_backend_cuda, device, listing->replays,
                                listing->ceilings, ERT_MAX_REPLAYS);
    drop_foreign(listing, device);
    ert_code_prove(device, listing->replays, listing->n);
    listing->rows[0] = head;
    for (size_t i = 0; i < listing->n; i++) {
        const char *word = listing->replays[i].ceiling->proof.code;
        fill_row(&listing->rows[i + 1], device, &listing->replays[i]);
        listing->n_agree += strcmp(word, ERT_AGREES) == 0;
        listing->n_differ += strcmp(word, ERT_DIFFERS) == 0;
    }
    if (listing->n_agree + listing->n_differ)
        ert_columns_write(out, listing->rows, listing->n + 1);
    return conclude(listing, device->name, error);
}

enum ert_status ert_validate_build(FILE *out, const char *capability,
                                   struct ert_error *error)
{
    uint32_t major, minor;
    ERT_TRY(read_capability(capability, &major, &minor, error));
    const struct ert_device device = ert_build_gpu(major, minor);
    struct listing *listing = calloc(1, sizeof *listing);
    if (!listing)
        return ert_fail(error, ERT_FAILED, "no memory for a table of kernels");
    enum ert_status status = write_table(out, listing, &device, error);
    free(listing);
    return status;
}
