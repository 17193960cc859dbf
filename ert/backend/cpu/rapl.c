#include "ert/backend/cpu/rapl.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A file's first line without its newline; 0 or errno. */
static int read_line(const char *file, char *line, int size)
{
    FILE *stream = fopen(file, "r");
    if (!stream)
        return errno;
    errno = 0;
    bool done = fgets(line, size, stream) != NULL;
    int reason = errno ? errno : EIO;
    fclose(stream);
    if (!done)
        return reason;
    line[strcspn(line, "\n")] = '\0';
    return 0;
}

static enum ert_status read_number(const char *file, uint64_t *number,
                                   struct ert_error *error)
{
    char line[64];
    int reason = read_line(file, line, sizeof line);
    if (reason)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: %s: %s%s", file, strerror(reason),
                        reason == EACCES ? "; most systems let only root read it" : "");
    if (sscanf(line, "%" SCNu64, number) != 1)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: %s: '%s', must be a number", file,
                        line);
    return ERT_OK;
}

/*
 * Whether a folder of the class is wanted: a zone "package-N" (some say "package-N-die-M") of a
 * package in use, or a zone "dram" below one. "core" and "uncore" are parts of the package, "psys"
 * holds the whole platform.
 */
static bool is_wanted(const char *root, const char *folder, const bool *used,
                      uint32_t n_packages, bool *is_dram)
{
    char file[512], name[64];
    unsigned zone, part, package;
    int n_parts = sscanf(folder, "intel-rapl:%u:%u", &zone, &part);
    if (n_parts < 1)
        return false;
    snprintf(file, sizeof file, "%s/intel-rapl:%u/name", root, zone);
    if (read_line(file, name, sizeof name) != 0 ||
        sscanf(name, "package-%u", &package) != 1 || package >= n_packages ||
        !used[package])
        return false;
    *is_dram = n_parts == 2;
    if (!*is_dram)
        return true;
    snprintf(file, sizeof file, "%s/%.64s/name", root, folder);
    return read_line(file, name, sizeof name) == 0 && strcmp(name, "dram") == 0;
}

static enum ert_status add_zone(const char *root, const char *folder, struct ert_rapl *rapl,
                                struct ert_error *error)
{
    char file[192];
    if (rapl->n == ERT_RAPL_MAX_ZONES)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: %s: more than %d energy counters",
                        root, ERT_RAPL_MAX_ZONES);
    struct ert_rapl_zone *zone = &rapl->zones[rapl->n];
    snprintf(file, sizeof file, "%.96s/%.64s/max_energy_range_uj", root, folder);
    ERT_TRY(read_number(file, &zone->range_uj, error));
    snprintf(zone->file, sizeof zone->file, "%.96s/%.64s/energy_uj", root, folder);
    ERT_TRY(read_number(zone->file, &zone->last_uj, error));
    rapl->n++;
    return ERT_OK;
}

enum ert_status ert_rapl_open(const char *root, const bool *used, uint32_t n_packages,
                              struct ert_rapl *rapl, struct ert_error *error)
{
    *rapl = (struct ert_rapl){0};
    DIR *folders = opendir(root);
    if (!folders)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: no energy counters: %s: %s", root,
                        strerror(errno));
    enum ert_status status = ERT_OK;
    for (struct dirent *entry; status == ERT_OK && (entry = readdir(folders));) {
        bool is_dram = false;
        if (!is_wanted(root, entry->d_name, used, n_packages, &is_dram))
            continue;
        status = add_zone(root, entry->d_name, rapl, error);
        rapl->has_dram |= is_dram;
    }
    closedir(folders);
    if (status == ERT_OK && rapl->n == 0)
        status = ert_fail(
            error, ERT_UNAVAILABLE,
            "cpu: no energy counters: %s has no RAPL zone of a package in use", root);
    return status;
}

enum ert_status ert_rapl_read(struct ert_rapl *rapl, double *energy_j,
                              struct ert_error *error)
{
    uint64_t sum_uj = 0;
    for (size_t i = 0; i < rapl->n; i++) {
        struct ert_rapl_zone *zone = &rapl->zones[i];
        uint64_t now_uj;
        ERT_TRY(read_number(zone->file, &now_uj, error));
        sum_uj += now_uj >= zone->last_uj ? now_uj - zone->last_uj
                                          : now_uj + zone->range_uj - zone->last_uj;
        zone->last_uj = now_uj;
    }
    *energy_j = (double)sum_uj * 1e-6;
    return ERT_OK;
}
