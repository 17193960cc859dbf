#include "analysis/advice.h"

#include <stdio.h>

void rfl_advise(struct rfl_placement *placement, const struct rfl_roofs *roofs)
{
    (void)roofs;
    snprintf(placement->advice, sizeof placement->advice, "%s%s",
             placement->bound_name[0] ? placement->bound_name : "nothing",
             placement->bound_name[0] ? "-bound" : " to be placed by");
}
