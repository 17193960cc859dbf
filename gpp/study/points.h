/*
 * points: the rows of a study as points of the analysis: for points.json, for charts, and to be placed
 * under the roofs of a ceilings.json.
 */
#ifndef GPP_STUDY_POINTS_H
#define GPP_STUDY_POINTS_H

#include "gpp/study/study.h"

#include "analysis/points.h"
#include "ert/ceilings/ceilings.h"

/*
 * Appends a measured row: what was counted, else what the formulas say; each with its recipe. Its name
 * is the version's, its run the problem's: "si214 nw=2 no-fma". ERT_FAILED when memory runs out.
 */
enum ert_status gpp_study_point(const struct gpp_study *study,
                                const struct gpp_study_row *row, struct rfl_points *points,
                                struct rfl_point **point, struct ert_error *error);

/* All measured rows, and the origin. */
enum ert_status gpp_study_points(const struct gpp_study *study, struct rfl_points *points,
                                 struct ert_error *error);

/*
 * The device of the ceilings that the study's is held against, in *index: that of its name, else the
 * first of its kind. ERT_UNAVAILABLE when there is none.
 */
enum ert_status gpp_study_device(const struct gpp_study *study,
                                 const struct ert_ceilings *ceilings, size_t *index,
                                 struct ert_error *error);

/*
 * Places a row under the roofs of the whole device (all warps or threads, the clock of the sweep), as
 * `roofline place --concurrency all --clock sweep` does, and fills row->placed; a row that cannot be
 * placed has the reason there.
 */
void gpp_study_place(const struct gpp_study *study, const struct ert_ceilings *ceilings,
                     struct gpp_study_row *row);

#endif
