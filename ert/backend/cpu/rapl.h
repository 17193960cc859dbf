/*
 * rapl: the energy counters of processors (Running Average Power Limit) as Linux's powercap
 * class shows them: Documentation/power/powercap/powercap.rst and Documentation/ABI/testing/
 * sysfs-class-powercap. Intel and AMD; a few counts per millisecond. It runs nothing.
 */
#ifndef ERT_BACKEND_CPU_RAPL_H
#define ERT_BACKEND_CPU_RAPL_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ERT_RAPL_MAX_ZONES = 64 };

#define ERT_RAPL_ROOT "/sys/class/powercap"

struct ert_rapl {
    size_t n;
    bool has_dram; /* counters of the memory's energy are among them */
    struct ert_rapl_zone {
        char file[192];    /* energy_uj */
        uint64_t range_uj; /* where the counter starts again from 0 */
        uint64_t last_uj;
    } zones[ERT_RAPL_MAX_ZONES];
};

/*
 * Finds the counters of packages under `root` (ERT_RAPL_ROOT) and, where there are any, of their
 * memory: of the packages for which used[0 ... n_packages - 1] is true, by the number in the
 * zone's name. ERT_UNAVAILABLE with the system's reason where there are none, or where they are
 * not readable: most systems let only root read them (CVE-2020-8694).
 */
enum ert_status ert_rapl_open(const char *root, const bool *used, uint32_t n_packages,
                              struct ert_rapl *rapl, struct ert_error *error);

/*
 * The energy of all counters together in J since the call before (or open) into *energy_j; right
 * as long as no counter wraps twice in between: minutes. ERT_UNAVAILABLE when one cannot be read.
 */
enum ert_status ert_rapl_read(struct ert_rapl *rapl, double *energy_j,
                              struct ert_error *error);

#endif
