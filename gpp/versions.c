/* versions: the rows of versions.def. */
#include "gpp/versions.h"

#include <stdio.h>
#include <string.h>

#define VERSION(name, device, idea)                                                        \
    {                                                                                      \
#name, GPP_##name, GPP_##device, idea                                              \
    }

const struct gpp_version gpp_versions[GPP_N_VERSIONS] = {
#include "gpp/versions.def"
};

enum ert_status gpp_version_find(const char *name, const struct gpp_version **version,
                                 struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0, used = 0; i < GPP_N_VERSIONS; i++) {
        if (strcmp(gpp_versions[i].name, name) == 0) {
            *version = &gpp_versions[i];
            return ERT_OK;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 gpp_versions[i].name);
    }
    return ert_fail(error, ERT_USAGE, "no version '%.64s'; there are: %s", name, list);
}

const struct gpp_engine *gpp_engine_of(enum gpp_device device)
{
    static const struct gpp_engine *const engines[] = {
        [GPP_CPU] = &gpp_engine_cpu,
        [GPP_GPU] = &gpp_engine_cuda,
    };
    return engines[device];
}
