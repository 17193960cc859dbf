/*
 * page_parts: what the files that write a page share, and the scripts and styles that `make` turns
 * into bytes. Private to page.
 */
#ifndef RFL_PLOT_PAGE_PARTS_H
#define RFL_PLOT_PAGE_PARTS_H

#include "analysis/place.h"
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

/* The machines of a page that points can be placed on; placers[i] is of inputs[i]. */
struct rfl_page_placers {
    size_t n;
    struct rfl_placer *placers; /* malloc; .roofs NULL: the device has no ceiling */
};

/*
 * Opens a placer for each input: roofs for the clock and the concurrency that a point had, as
 * `roofline place` takes them. Frees nothing on failure: rfl_page_placers_close does.
 */
enum ert_status rfl_page_placers_open(const struct rfl_page_input *inputs, size_t n_inputs,
                                      const struct rfl_points *points,
                                      struct rfl_page_placers *placers,
                                      struct ert_error *error);
void rfl_page_placers_close(struct rfl_page_placers *placers);

/*
 * Writes where a point stands under the roofs of each machine. details: with the units' shares
 * and the sentence of advice; for 100,000 points a page has no room for them.
 */
enum ert_status rfl_page_placed(struct rfl_page_json *json,
                                struct rfl_page_placers *placers,
                                const struct rfl_point *point, bool details,
                                struct ert_error *error);

/*
 * Writes a point as an object: intensities and rates, all that it was counted from, and where it
 * stands.
 */
enum ert_status rfl_page_point(struct rfl_page_json *json, const struct rfl_point *point,
                               struct rfl_page_placers *placers, bool details,
                               struct ert_error *error);

/* Not NUL-terminated. */
extern const unsigned char rfl_page_script[], rfl_page_style[];
extern const size_t rfl_page_script_bytes, rfl_page_style_bytes;

#endif
