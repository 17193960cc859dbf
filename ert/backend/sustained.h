/*
 * sustained: the figures of a steady run from those of its parts. Pure arithmetic; backends fill the
 * parts.
 */
#ifndef ERT_BACKEND_SUSTAINED_H
#define ERT_BACKEND_SUSTAINED_H

#include "ert/backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Fills time, rate, clocks and throttle reasons of *sustained from its parts behind the settling ones,
 * of which n_parts must have one. A throttle reason counts where more than half of the parts have it.
 */
void ert_sustained_conclude(struct ert_sustained *sustained);

#ifdef __cplusplus
}
#endif
#endif
