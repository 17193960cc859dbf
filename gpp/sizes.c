/* sizes: the named systems, and which sizes can be. */
#include "gpp/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM(id, nbands_, ngpown_, ncouls_, nw_, text)                                   \
    {                                                                                      \
        .name = #id, .about = text, .sizes.nbands = nbands_, .sizes.ngpown = ngpown_,      \
        .sizes.ncouls = ncouls_, .sizes.nw = nw_                                           \
    }

const struct gpp_system gpp_systems[] = {
#include "gpp/systems.def"
};
const size_t gpp_n_systems = sizeof gpp_systems / sizeof gpp_systems[0];

enum ert_status gpp_system_find(const char *name, const struct gpp_system **system,
                                struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0, used = 0; i < gpp_n_systems; i++) {
        if (strcmp(gpp_systems[i].name, name) == 0) {
            *system = &gpp_systems[i];
            return ERT_OK;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 gpp_systems[i].name);
    }
    return ert_fail(error, ERT_USAGE,
                    "no system '%.64s'; there are: %s, or sizes NBANDSxNGPOWNxNCOULS", name,
                    list);
}

/* A run of digits up to `end`; false for anything else, and above 2^64. */
static int read_count(const char **text, char end, size_t *count)
{
    char *after;
    if (**text < '0' || **text > '9')
        return 0;
    unsigned long long value = strtoull(*text, &after, 10);
    if (*after != end || after - *text > 18)
        return 0;
    *count = (size_t)value;
    *text = after + (end != '\0');
    return 1;
}

enum ert_status gpp_sizes_parse(const char *text, struct gpp_sizes *sizes,
                                struct ert_error *error)
{
    struct gpp_sizes read = *sizes;
    const char *rest = text;
    if (!read_count(&rest, 'x', &read.nbands) || !read_count(&rest, 'x', &read.ngpown) ||
        !read_count(&rest, '\0', &read.ncouls))
        return ert_fail(error, ERT_USAGE,
                        "sizes '%.64s', must be NBANDSxNGPOWNxNCOULS, e.g. 61x67x103",
                        text);
    *sizes = read;
    return ERT_OK;
}

enum ert_status gpp_sizes_check(const struct gpp_sizes *sizes, struct ert_error *error)
{
    const size_t limit = (size_t)INT32_MAX; /* indices are int in the kernels */
    const struct {
        const char *name;
        size_t value, limit;
    } rows[] = {
        {"nbands", sizes->nbands, limit     },
        {"ngpown", sizes->ngpown, limit     },
        {"ncouls", sizes->ncouls, limit     },
        {"nw",     sizes->nw,     GPP_MAX_NW},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].value < 1 || rows[i].value > rows[i].limit)
            return ert_fail(error, ERT_USAGE, "%s: %zu, must be 1 to %zu", rows[i].name,
                            rows[i].value, rows[i].limit);
    /* Three products below 2^62 each would still fit in 64 bits when they are summed. */
    double bytes = 32.0 * (double)sizes->ngpown * (double)sizes->ncouls +
                   16.0 * (double)sizes->nbands * (double)sizes->ncouls +
                   16.0 * (double)sizes->nbands * (double)sizes->ngpown;
    if (bytes > 0x1p61)
        return ert_fail(error, ERT_USAGE,
                        "nbands %zu, ngpown %zu, ncouls %zu: %.4g bytes of inputs, must be "
                        "at most 2^61",
                        sizes->nbands, sizes->ngpown, sizes->ncouls, bytes);
    return ERT_OK;
}

uint64_t gpp_sizes_bytes(const struct gpp_sizes *sizes)
{
    uint64_t nbands = sizes->nbands, ngpown = sizes->ngpown, ncouls = sizes->ncouls;
    uint64_t complexes = 2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown;
    return 16 * complexes + 8 * (nbands * sizes->nw + ngpown + nbands);
}

double gpp_sizes_iterations(const struct gpp_sizes *sizes)
{
    return (double)sizes->nbands * (double)sizes->ngpown * (double)sizes->ncouls *
           (double)sizes->nw;
}

enum ert_status gpp_memory_check(const char *what, uint64_t needed_bytes,
                                 uint64_t available_bytes, struct ert_error *error)
{
    if (needed_bytes <= available_bytes)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: %" PRIu64 " bytes needed, %" PRIu64 " available", what,
                    needed_bytes, available_bytes);
}

uint64_t gpp_memory_available_bytes(void)
{
    char line[128];
    unsigned long long kib = 0;
    uint64_t available_bytes = UINT64_MAX;
    FILE *file = fopen("/proc/meminfo", "r");
    if (!file)
        return available_bytes;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            available_bytes = (uint64_t)kib * 1024;
    fclose(file);
    return available_bytes;
}
