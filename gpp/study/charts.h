/*
 * charts: a study's trajectories on the roofs: one chart per level, v0 to vN, and per version over the
 * numbers of energies. What is drawn and how is the analysis' (plot/scene.h).
 */
#ifndef GPP_STUDY_CHARTS_H
#define GPP_STUDY_CHARTS_H

#include "gpp/study/study.h"

#include "ert/ceilings/ceilings.h"

enum { GPP_MAX_CHARTS = 48 };

struct gpp_chart {
    char file[64]; /* in the study's folder: "trajectory-L1.svg" */
    char title[192];
    const struct gpp_version *version; /* of a chart over energies; NULL: of all versions */
};

struct gpp_charts {
    size_t n;
    struct gpp_chart charts[GPP_MAX_CHARTS];
    char reason[256]; /* why there are none, or fewer */
};

/*
 * Writes them as SVG, and as PNG and PDF in a build with Cairo, into the folder. ceilings NULL: none are
 * drawn, with the reason. ERT_FAILED when a file cannot be written; a chart that has nothing to draw is
 * left out.
 */
enum ert_status gpp_charts_write(const struct gpp_study *study,
                                 const struct ert_ceilings *ceilings, const char *folder,
                                 struct gpp_charts *charts, struct ert_error *error);

#endif
