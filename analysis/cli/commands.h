/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * commands: the subcommands of the program roofline, one file each, and what they share: options, reading of
 * ceilings and profiles, outputs. In analysis/, only this module prints.
 */
#ifndef RFL_CLI_COMMANDS_H
#define RFL_CLI_COMMANDS_H

#include "analysis/core/points/points.h"
#include "ert/core/base/program.h"
#include "ert/core/ceilings/ceilings.h"

extern const struct ert_command rfl_command_plot, rfl_command_place;

/* Those of the extensions that this build has, then NULL. */
extern const struct ert_command *const rfl_extension_commands[];

/* "text", "markdown", "csv", then NULL. */
extern const char *const rfl_outputs[];

/* Two of many points, then those of views.h, which also have charts, then NULL. */
extern const char *const rfl_place_views[];

/* Reads ceilings. For other files ERT_USAGE says what they are: empty, a profile ... */
enum ert_status rfl_ceilings_read(const char *file, struct ert_ceilings *ceilings,
                                  struct ert_error *error);

/*
 * Options for a point by hand, stored in the member `hand` of a struct options, whose initial value is
 * RFL_HAND. The command has its own option for the type.
 */
#define RFL_HAND                                                                           \
    {                                                                                      \
        .type = "fp64", .unit = "core", .fma_share = -1                                    \
    }
#define RFL_HAND_OPTIONS                                                                   \
    ERT_OPT_WITHIN("flops", NUMBER, hand.flops, "N",                                       \
                   "by hand: operations, an FMA counts as 2", 0, 1e30),                    \
        ERT_OPT("unit", TEXT, hand.unit, "UNIT",                                           \
                "by hand: unit of --flops: core, tensor, amx, avx2 ... (default: core)"),  \
        ERT_OPT_WITHIN("fma-share", NUMBER, hand.fma_share, "F",                           \
                       "by hand: share of FMAs in the arithmetic instructions (default: "  \
                       "not known)",                                                       \
                       0, 1),                                                              \
        ERT_OPT("bytes", TEXT, hand.bytes, "L=N,...",                                      \
                "by hand: bytes per level, e.g. L1=4e9,L2=2e9,HBM=1GiB; with reads and "   \
                "writes: HBM=1e9r+5e8w"),                                                  \
        ERT_OPT_SWITCH("actual", hand.is_actual,                                           \
                       "by hand: the bytes are actual traffic, as counters of caches and " \
                       "memory see it, write-allocates included (default: the bytes that " \
                       "the code requests)"),                                              \
        ERT_OPT_WITHIN("seconds", NUMBER, hand.time_s, "S", "by hand: time", 1e-12, 1e12), \
        ERT_OPT_WITHIN("instructions", NUMBER, hand.instructions, "N",                     \
                       "by hand: executed instructions, on a GPU of warps", 0, 1e30),      \
        ERT_OPT_WITHIN("joules", NUMBER, hand.energy_j, "J", "by hand: energy", 0, 1e30),  \
        ERT_OPT("name", TEXT, hand.name, "NAME", "by hand: name of the point")

/* Whether an option of a point by hand was given, other than its default. */
bool rfl_is_by_hand(const struct rfl_hand *hand);

#endif
