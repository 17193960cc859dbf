/*
 * cairo: the canvas that writes PNG and PDF through Cairo (cairographics.org), where it was found
 * when this was built. The same input gives the same bytes: no dates are written.
 */
#ifndef RFL_PLOT_CAIRO_H
#define RFL_PLOT_CAIRO_H

#include "analysis/plot/scene.h"

/* "" where Cairo is built in, else why it is not. */
extern const char rfl_cairo_reason[];

/*
 * Draw a scene into memory: *bytes (malloc, the caller's) of *size. The PNG has two pixels per unit
 * of the page, the PDF three quarters of a point. ERT_UNAVAILABLE without Cairo, with the reason;
 * ERT_FAILED with Cairo's.
 */
enum ert_status rfl_cairo_png(const struct rfl_scene *scene, char **bytes, size_t *size,
                              struct ert_error *error);
enum ert_status rfl_cairo_pdf(const struct rfl_scene *scene, char **bytes, size_t *size,
                              struct ert_error *error);

#endif
