/*
 * ert110: cases of LBNL ERT's own kernel on CPUs: where its elements lie and what they must be. ERT
 * takes one buffer from malloc, which lies 16 bytes behind a page and has no large pages asked for, and
 * gives each thread a part of the same size, however few elements of it a set uses. Private to this
 * folder.
 */
#ifndef ERT_BACKEND_CPU_ERT110_H
#define ERT_BACKEND_CPU_ERT110_H

#include "ert/backend/cpu/session.h"

#include <stdint.h>

/* Adds a call; n is ERT_CPU_MOST_RUNS + 1 where there is no room. */
void ert_cpu_ert110_count(struct ert_cpu_ert110_calls *calls, uint64_t passes);

/* backend.h's variants() of an ert110 kernel: per table one pass at a time, then two. */
size_t ert_cpu_ert110_variants(const struct ert_device *device, enum ert_kernel_id kernel,
                               struct ert_variant variants[ERT_MAX_VARIANTS]);

/* The function of a case whose kernel and variant exist. ERT_USAGE for flops that no function has. */
enum ert_status ert_cpu_ert110_function(const struct ert_cpu_isa *isa,
                                        const struct ert_spec *spec,
                                        ert_cpu_kernel **function, struct ert_error *error);

/*
 * Finds kernel and buffer of the case, chooses its threads and says its work. ERT_USAGE for flops or a
 * set that it cannot have, ERT_UNAVAILABLE when the system has no memory for the buffer.
 */
enum ert_status ert_cpu_ert110_prepare(struct ert_session *session,
                                       const struct ert_spec *spec, struct ert_work *work,
                                       struct ert_error *error);

/* Sets the thread's sweep, and its elements to what they are before the first pass. */
void ert_cpu_ert110_init(struct ert_session *session, uint32_t thread);

/* Whether every element of the thread is what its calls make of it; fills wrong and message. */
void ert_cpu_ert110_check(struct ert_session *session, uint32_t thread);

#endif
