#include "ert/sweep/planner.h"

enum ert_status ert_plan_access(struct ert_planner *planner)
{
    (void)planner;
    return ERT_OK;
}
