/* SPDX-License-Identifier: BSD-3-Clause */
/* sustained: runs a spec without a pause on some cores, and meters the power of their packages. */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static enum ert_status cpu_sustained_read_number(const char *file, uint64_t *number,
                                                 struct ert_error *error)
{
    char line[64];
    ert_file_first_line(line, sizeof line, "%s", file);
    if (sscanf(line, "%" SCNu64, number) == 1)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "cpu: %s: no number can be read; most systems let only root read it",
                    file);
}

/*
 * Whether a folder of the powercap class is a zone "package-N" (or "package-N-die-M") of a package in use, or
 * a zone "dram" below one. "core" and "uncore" are parts of the package, "psys" is the whole platform.
 */
static bool cpu_sustained_is_wanted(const char *root, const char *folder, const bool *used,
                                    uint32_t n_packages, bool *is_dram)
{
    char name[64];
    unsigned zone, part, package;
    int n_parts = sscanf(folder, "intel-rapl:%u:%u", &zone, &part);
    if (n_parts < 1)
        return false;
    ert_file_first_line(name, sizeof name, "%s/intel-rapl:%u/name", root, zone);
    if (sscanf(name, "package-%u", &package) != 1 || package >= n_packages ||
        !used[package])
        return false;
    *is_dram = n_parts == 2;
    ert_file_first_line(name, sizeof name, "%s/%.64s/name", root, folder);
    return !*is_dram || strcmp(name, "dram") == 0;
}

enum { MAX_ROOT = 96 }; /* of a path in add_zone() */

static enum ert_status add_zone(const char *root, const char *folder, struct ert_rapl *rapl,
                                struct ert_error *error)
{
    char file[192];
    if (rapl->n == ERT_RAPL_MAX_ZONES)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: %s: more than %d energy counters",
                        root, ERT_RAPL_MAX_ZONES);
    struct ert_rapl_zone *zone = &rapl->zones[rapl->n];
    snprintf(file, sizeof file, "%.96s/%.64s/max_energy_range_uj", root, folder);
    ERT_TRY(cpu_sustained_read_number(file, &zone->range_uj, error));
    snprintf(zone->file, sizeof zone->file, "%.96s/%.64s/energy_uj", root, folder);
    ERT_TRY(cpu_sustained_read_number(zone->file, &zone->last_uj, error));
    rapl->n++;
    return ERT_OK;
}

enum ert_status ert_rapl_open(const char *root, const bool *used, uint32_t n_packages,
                              struct ert_rapl *rapl, struct ert_error *error)
{
    *rapl = (struct ert_rapl){0};
    if (strlen(root) > MAX_ROOT)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "cpu: no energy counters: %s: longer than %d characters", root,
                        MAX_ROOT);
    DIR *folders = opendir(root);
    if (!folders)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: no energy counters: %s: %s", root,
                        strerror(errno));
    enum ert_status status = ERT_OK;
    for (struct dirent *entry; status == ERT_OK && (entry = readdir(folders));) {
        bool is_dram = false;
        if (!cpu_sustained_is_wanted(root, entry->d_name, used, n_packages, &is_dram))
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
        ERT_TRY(cpu_sustained_read_number(zone->file, &now_uj, error));
        sum_uj += now_uj >= zone->last_uj ? now_uj - zone->last_uj
                                          : now_uj + zone->range_uj - zone->last_uj;
        zone->last_uj = now_uj;
    }
    *energy_j = (double)sum_uj * 1e-6;
    return ERT_OK;
}

enum { MAX_PACKAGES = 64, LEAST_PARTS = 4 };

/* Opens the counters of the packages in use; false, with the reason in sustained->no_power. */
static bool open_meter(const char *root, const struct ert_session *session,
                       struct ert_rapl *rapl, struct ert_sustained *sustained)
{
    bool used[MAX_PACKAGES] = {false};
    struct ert_error error;
    for (uint32_t i = 0; i < session->n_threads; i++) {
        uint32_t package = ert_cpu_team_package(session->team, i);
        if (package >= MAX_PACKAGES) {
            snprintf(sustained->no_power, sizeof sustained->no_power,
                     "cpu: no energy counters: package %u, must be below %d", package,
                     MAX_PACKAGES);
            return false;
        }
        used[package] = true;
    }
    if (ert_rapl_open(root, used, MAX_PACKAGES, rapl, &error) == ERT_OK)
        return true;
    snprintf(sustained->no_power, sizeof sustained->no_power, "%.159s", error.text);
    return false;
}

/*
 * Runs windows until time_s has passed, each well below the time limit of a region; measures the clock
 * between them, for about 100 us. At least enough windows that a quarter can settle. rapl NULL: no meter.
 */
static enum ert_status cpu_sustained_run_parts(struct ert_session *session, double time_s,
                                               struct ert_rapl *rapl,
                                               struct ert_sustained *sustained,
                                               struct ert_error *error)
{
    const double start_s = ert_clock_now_s();
    double energies_j[ERT_MAX_PARTS], times_s[ERT_MAX_PARTS], energy_j = 0, metered_s = 0;
    uint32_t n = 0;
    for (; n < ERT_MAX_PARTS && (n < LEAST_PARTS || ert_clock_now_s() - start_s < time_s);
         n++) {
        struct ert_part *part = &sustained->parts[n];
        struct ert_sample sample;
        bool lost;
        const double begin_s = ert_clock_now_s();
        ERT_TRY(ert_cpu_window(session, time_s / ERT_MAX_PARTS, &sample, &lost, error));
        if (rapl) {
            ERT_TRY(ert_rapl_read(rapl, &energies_j[n], error));
            times_s[n] = ert_clock_now_s() - begin_s;
            part->power_w = energies_j[n] / times_s[n];
        }
        part->end_s = (n > 0 ? part[-1].end_s : 0) + sample.time_s;
        part->rate_per_s = sample.rate_per_s;
        part->clock_hz = sample.clock_hz;
    }
    sustained->n_parts = n;
    sustained->n_settling = n / 4;
    ert_sustained_conclude(sustained);
    for (uint32_t i = sustained->n_settling; rapl && i < n; i++) {
        energy_j += energies_j[i];
        metered_s += times_s[i];
    }
    if (rapl) {
        sustained->power_w = energy_j / metered_s;
        snprintf(sustained->source, sizeof sustained->source, "RAPL package%s",
                 rapl->has_dram ? " and dram" : "");
    }
    return ERT_OK;
}

enum ert_status ert_cpu_sustain_at(const char *root, struct ert_session *session,
                                   double time_s, struct ert_sustained *sustained,
                                   struct ert_error *error)
{
    struct ert_rapl rapl;
    if (!session->prepared)
        return ert_fail(error, ERT_FAILED, "cpu: nothing is prepared to be run");
    *sustained = (struct ert_sustained){0};
    bool has_meter = open_meter(root, session, &rapl, sustained);
    return cpu_sustained_run_parts(session, time_s, has_meter ? &rapl : NULL, sustained,
                                   error);
}

enum ert_status ert_cpu_sustain(struct ert_session *session, double time_s, uint64_t passes,
                                struct ert_sustained *sustained, struct ert_error *error)
{
    (void)passes; /* of a region; the session knows the time of one */
    return ert_cpu_sustain_at(ERT_RAPL_ROOT, session, time_s, sustained, error);
}
