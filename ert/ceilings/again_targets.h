/*
 * again_targets: which recorded ceilings are measured again, and the cases that gave them. again.c
 * plans from them and compares with them, in this order.
 */
#ifndef ERT_CEILINGS_AGAIN_TARGETS_H
#define ERT_CEILINGS_AGAIN_TARGETS_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/* What of a ceiling names its point, and what is compared. */
struct ert_again_target {
    const struct ert_ceiling *common;
    const char *operation;
    enum ert_section section;
    bool
        is_main; /* FP64 FMA, and each level's best bandwidth: without them there is no verdict */
    uint64_t trials;       /* section ert110: the point's */
    struct ert_case case_; /* without kernel and variant: common names them */
};

typedef enum ert_status ert_again_visit(const struct ert_again_target *target,
                                        void *context, struct ert_error *error);

/*
 * Calls visit for every ceiling of a device that is measured again; the machine, which knows the
 * GPUs that links lead to, and the device are those of now. Returns the first failure of a visit.
 */
enum ert_status ert_again_each(const struct ert_machine *machine,
                               const struct ert_device *device,
                               const struct ert_device_ceilings *ceilings,
                               ert_again_visit *visit, void *context,
                               struct ert_error *error);

#endif
