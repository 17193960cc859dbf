/*
 * page_parts: what the files that write a page share, and the scripts and styles that `make` turns
 * into bytes. Private to page.
 */
#ifndef RFL_PLOT_PAGE_PARTS_H
#define RFL_PLOT_PAGE_PARTS_H

#include "analysis/plot/page.h"
#include "analysis/plot/page_json.h"

/*
 * Writes the device of an input as an object: its names, ceilings, what the mixed kernel reached, and
 * what is absent. *drawable: whether it has a ceiling to draw; else the object has the reason.
 * ERT_USAGE for a device that the ceilings do not have, ERT_FAILED when memory runs out.
 */
enum ert_status rfl_page_machine(struct rfl_page_json *json,
                                 const struct rfl_page_input *input, bool *drawable,
                                 struct ert_error *error);

/* Writes a point as an object: intensities and rates, and all that it was counted from. */
void rfl_page_point(struct rfl_page_json *json, const struct rfl_point *point);

/* Not NUL-terminated. */
extern const unsigned char rfl_page_script[], rfl_page_style[];
extern const size_t rfl_page_script_bytes, rfl_page_style_bytes;

#endif
