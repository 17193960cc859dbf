#include "gpp/cli/select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ert_status gpp_select_device(const char *device, int *gpu, struct ert_error *error)
{
    *gpu = 0;
    if (!device || strcmp(device, "cpu") == 0)
        return ERT_OK;
    char *end = NULL;
    if (strncmp(device, "gpu", 3) == 0 && device[3] >= '0' && device[3] <= '9') {
        long ordinal = strtol(device + 3, &end, 10);
        if (*end == '\0' && ordinal < 1024) {
            *gpu = (int)ordinal;
            return ERT_OK;
        }
    }
    return ert_fail(error, ERT_USAGE, "--device: '%.32s', must be cpu or gpu0, gpu1 ...",
                    device);
}

static bool is_of(const struct gpp_version *version, const char *device)
{
    return !device || (version->device == GPP_CPU) == (strcmp(device, "cpu") == 0);
}

/* "all" and the devices' names; false when the word is none of them. */
static bool add_group(const char *word, const char *device, bool wanted[GPP_N_VERSIONS])
{
    const bool all = strcmp(word, "all") == 0, cpu = strcmp(word, "cpu") == 0;
    if (!all && !cpu && strcmp(word, "gpu") != 0)
        return false;
    for (size_t i = 0; i < GPP_N_VERSIONS; i++) {
        const bool fits = all || cpu == (gpp_versions[i].device == GPP_CPU);
        wanted[i] = wanted[i] || (fits && is_of(&gpp_versions[i], device));
    }
    return true;
}

enum ert_status gpp_select_versions(const char *list, const char *device,
                                    const struct gpp_version *chosen[GPP_N_VERSIONS],
                                    size_t *n_chosen, struct ert_error *error)
{
    bool wanted[GPP_N_VERSIONS] = {false};
    const struct gpp_version *version = NULL;
    char word[64];
    for (const char *rest = list;; rest++) {
        size_t length = strcspn(rest, ",");
        snprintf(word, sizeof word, "%.*s", (int)(length < 60 ? length : 60), rest);
        if (!add_group(word, device, wanted)) {
            ERT_TRY(gpp_version_find(word, &version, error));
            if (!is_of(version, device))
                return ert_fail(error, ERT_USAGE, "version %s does not run on %s", word,
                                device);
            wanted[version->id] = true;
        }
        rest += length;
        if (*rest == '\0')
            break;
    }
    *n_chosen = 0;
    for (size_t i = 0; i < GPP_N_VERSIONS; i++)
        if (wanted[i])
            chosen[(*n_chosen)++] = &gpp_versions[i];
    if (*n_chosen == 0)
        return ert_fail(error, ERT_USAGE, "no version of '%.64s' runs on %s", list, device);
    return ERT_OK;
}

enum ert_status gpp_select_sizes(const char *system, size_t nw, struct gpp_sizes *sizes,
                                 struct ert_error *error)
{
    struct gpp_sizes read = {.nw = 2};
    const struct gpp_system *row = NULL;
    if (system[0] >= '0' && system[0] <= '9') {
        ERT_TRY(gpp_sizes_parse(system, &read, error));
    } else {
        ERT_TRY(gpp_system_find(system, &row, error));
        read = row->sizes;
    }
    read.nw = nw ? nw : read.nw;
    ERT_TRY(gpp_sizes_check(&read, error));
    *sizes = read;
    return ERT_OK;
}
