/*
 * again: the same ceilings measured again, quickly, and compared with what was recorded: the check
 * of a node after maintenance. Pure: a plan from ceilings, and a verdict from two sets of numbers.
 */
#ifndef ERT_CEILINGS_AGAIN_H
#define ERT_CEILINGS_AGAIN_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/* Rounds over the winning points: the median of five needs three bad samples to go wrong. */
enum { ERT_AGAIN_ROUNDS = 5 };

enum ert_again_verdict {
    ERT_AGAIN_SAME,
    ERT_AGAIN_SLOWER,
    ERT_AGAIN_FASTER,
    ERT_AGAIN_MISSING /* not measured now: the reason says why */
};

/* One ceiling then and now. Rates in its unit; of a latency seconds. */
struct ert_again_row {
    char device[16], name[32];
    char operation[8]; /* unit: "flop/s", "byte/s", "s" */
    double recorded, low,
        high; /* what is normal: the interval, or of several runs their range */
    double now;
    uint32_t n_samples;
    enum ert_again_verdict verdict;
    char reason[192];
};

/*
 * Fills samples->devices from the winning configurations of compute, memory, latency and link
 * ceilings of the devices named by `device` ("all", "gpu", "cpu", "gpu0", "fake"), for
 * samples->machine, which the caller has discovered; the config's rounds are set. Of a memory level
 * of CPUs whose sets take long only the roof and load are measured. ERT_UNAVAILABLE for a device that
 * this machine lacks, ERT_USAGE where it is another model than the recorded one.
 */
enum ert_status ert_again_plan(const struct ert_ceilings *recorded, const char *device,
                               struct ert_samples *samples, struct ert_error *error);

/*
 * Compares: a ceiling differs when its median now lies outside of what is normal by more than
 * margin (relative, such as 0.01). *rows is malloc'd, the caller's, n of them. ERT_FAILED when
 * memory runs out.
 */
enum ert_status ert_again_compare(const struct ert_ceilings *recorded,
                                  const struct ert_samples *samples, double margin,
                                  struct ert_again_row **rows, size_t *n,
                                  struct ert_error *error);

#endif
