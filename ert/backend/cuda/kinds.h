/*
 * kinds: the cases that are neither a sweep over arrays nor chains in registers. Each kind brings
 * what prepare.cu, time.cu and verify.cu would have to know of it. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_KINDS_H
#define ERT_BACKEND_CUDA_KINDS_H

#include "ert/backend/cuda/session.h"

struct ert_cuda_kind {
    /* Fills session->work, n_elements and arguments from the case; the row is session->row. */
    enum ert_status (*size)(struct ert_session *session, const struct ert_case *case_,
                            struct ert_error *error);
    /* The most passes that one launch of row->function holds, and whether they are its grid's y. */
    uint64_t (*max_passes)(const struct ert_session *session);
    bool passes_in_grid;
    /* Does the passes where there is no function to launch; else NULL. */
    enum ert_status (*run)(struct ert_session *session, uint64_t passes,
                           struct ert_error *error);
    /* run() returns when they are done: the host's clock times them, not events. */
    bool is_synchronous;
    /* run() puts the time of the region into session->own_time_s: nothing else is timed. */
    bool times_itself;
    /* Checks what the passes left. NULL: the kernel's target. */
    enum ert_status (*verify)(struct ert_session *session, struct ert_error *error);
};

/*
 * Each kind. Functions, because clang puts constants that other files see on the device too, where
 * functions of the host have no address.
 */
const struct ert_cuda_kind *ert_cuda_chase_kind(void);
const struct ert_cuda_kind *ert_cuda_strided_kind(void);
const struct ert_cuda_kind *ert_cuda_strided_slices_kind(void);
const struct ert_cuda_kind *ert_cuda_resident_kind(void);
const struct ert_cuda_kind *ert_cuda_link_kind(void);
const struct ert_cuda_kind *ert_cuda_pageable_kind(void);
const struct ert_cuda_kind *ert_cuda_ert110_kind(void);

/* The kind of a row, or NULL: a sweep over arrays, or chains in registers. */
const struct ert_cuda_kind *ert_cuda_kind_of(const struct ert_cuda_row *row);

#endif
