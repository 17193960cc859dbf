/*
 * advice: what a placement says to the one who wrote the code, in one plain sentence: what bounds it,
 * how far it is from that, and what would help. Rules are rows; each is tested. Private to place.
 */
#ifndef RFL_ADVICE_H
#define RFL_ADVICE_H

#include "analysis/place.h"

/* Writes placement->advice from all else in it. */
void rfl_advise(struct rfl_placement *placement, const struct rfl_roofs *roofs);

#endif
