/*
 * replay: from a ceiling of a file back to the case that gave it, so that the same kernel can be
 * looked at or run once more. Pure.
 */
#ifndef ERT_VALIDATE_REPLAY_H
#define ERT_VALIDATE_REPLAY_H

#include "ert/backend/backend.h"
#include "ert/ceilings/ceilings.h"

enum { ERT_MAX_REPLAYS = 512 };

/* A ceiling and how to run it again. */
struct ert_replay {
    struct ert_ceiling *ceiling;   /* in the file's data, not owned */
    const struct ert_level *level; /* of the device; NULL: compute, ERT's mode */
    const struct ert_backend *backend;
    struct ert_case case_;
    char reason[192]; /* why it cannot be run or looked at in this build, or "" */
};

/*
 * Fills replays[0..max) with the ceilings of a device: compute, memory, and those extras that are
 * one kernel on one level (latencies, accesses). Returns how many.
 */
size_t ert_replay_list(const struct ert_machine *machine,
                       struct ert_device_ceilings *ceilings, struct ert_replay *replays,
                       size_t max);

/*
 * Sets the case's variant to that of the name for its kernel and path on the device; ERT_UNAVAILABLE
 * with the names when this build has none. "": the first; an instruction set's: the first of it. Of
 * ERT's kernels the name may end with the launch.
 */
enum ert_status ert_replay_variant(const struct ert_backend *backend,
                                   const struct ert_device *device,
                                   const struct ert_session_options *options,
                                   const char *name, struct ert_case *case_,
                                   struct ert_error *error);

/*
 * What a session for all of them needs: room for the largest set; of a file in ERT's mode its memory. Time
 * limit and seed are the caller's.
 */
struct ert_session_options ert_replay_options(const struct ert_ceilings *ceilings,
                                              const struct ert_device *device,
                                              const struct ert_replay *replays, size_t n);

#endif
