/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * links: how the ends of links are named.
 */
#ifndef ERT_EXT_SECTIONS_LINKS_H
#define ERT_EXT_SECTIONS_LINKS_H

#include "ert/core/fit/extras.h"

/* The id of the GPU at the other end, or "host"; for a GPU that the machine does not list, its number. */
void ert_links_far_end(const struct ert_extras *extras, uint32_t to, char text[16]);

#endif
