/*
 * claims_table: the claims of kernels.def as data, and what it makes of one kernel's loop. Pure.
 */
#ifndef ERT_VALIDATE_CLAIMS_TABLE_H
#define ERT_VALIDATE_CLAIMS_TABLE_H

#include "ert/backend/backend.h"
#include "ert/validate/listing.h"

enum { ERT_N_CLAIM_PARTS = 3 };

struct ert_claim {
    struct ert_claim_part {
        enum ert_operation operation;
        uint32_t count;
    } parts[ERT_N_CLAIM_PARTS];
    unsigned share_percent, beside; /* bits of operations, and those below */
};

#define ERT_CLAIM_BESIDE(operation) (1u << ERT_OP_##operation)
#define ERT_CLAIM_AS_FP16           (1u << 28)
#define ERT_CLAIM_CHAIN             (1u << 29)
#define ERT_CLAIM_AS_FMA            (1u << 30)
#define ERT_CLAIM_ONE_RESULT        (1u << 31)

/* The claim for a kernel; without one its first part counts 0. */
const struct ert_claim *ert_claim_find(enum ert_device_kind kind,
                                       enum ert_kernel_id kernel);

/* What the least whole turn of the loop holds of each operation, LOAD and STORE. */
void ert_claim_wanted(enum ert_device_kind kind, enum ert_kernel_id kernel,
                      const struct ert_code *code, size_t wanted[ERT_N_OPERATIONS]);

#endif
