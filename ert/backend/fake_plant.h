/*
 * fake_plant: what is planted in the fake machine: the words of ERT_FAKE. The planted ceilings are
 * in fake_plant.c, their interface is fake.h.
 */
#ifndef ERT_BACKEND_FAKE_PLANT_H
#define ERT_BACKEND_FAKE_PLANT_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stdint.h>

enum ert_fake_fault {
    ERT_FAKE_NONE,
    ERT_FAKE_HANG,  /* a region does not end */
    ERT_FAKE_NAN,   /* a result is not a number */
    ERT_FAKE_CLOCK, /* the clock falls by a third, and all rates with it */
    ERT_FAKE_ALLOC, /* an allocation fails */
    ERT_FAKE_GONE,  /* the device disappears */
    ERT_N_FAKE_FAULTS
};

enum { ERT_FAKE_MOST_CPUS = 1024 };

struct ert_fake_plant {
    double noise, outliers;
    double sustained; /* share of the rates that lasts */
    enum ert_fake_fault fault;
    int kernel;     /* enum ert_kernel_id, or -1 for any */
    uint64_t after; /* regions before the fault strikes */
    uint32_t gpus;  /* planted GPUs */
    uint32_t cpus;  /* cores of fake0 */
    double steal;   /* share of each thread's time that scheduling gaps take */
    double slower;  /* share of its rate that each kernel loses, or slower_kernel alone */
    int slower_kernel; /* enum ert_kernel_id, or -1 for all */
    uint64_t seed;     /* of the noise, beside the run's own seed */
    bool has_mcdram;   /* beside fake0's DRAM */
};

/* Reads ERT_FAKE's text (NULL: the defaults). ERT_USAGE for an unknown word or value. */
enum ert_status ert_fake_plant_read(const char *text, struct ert_fake_plant *plant,
                                    struct ert_error *error);

#endif
